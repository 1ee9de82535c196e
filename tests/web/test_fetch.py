"""Getting one page: redirects, sizes, packed answers, slow servers."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import AsyncIterator, Iterator, Sequence

import pytest
import pytest_asyncio

from surveyor.web.addresses import parse_address
from surveyor.web.allowed_hosts import AllowedHosts, NotAllowedError
from surveyor.web.fetch import FetchedPage, Fetcher, FetchError, FetchLimits, retry_after_s
from tests.web.site import Reply, Site, html, served

MOST = 20_000


@pytest.fixture(scope="module")
def one_site() -> Iterator[Site]:
    with served() as site:
        yield site


@pytest.fixture
def site(one_site: Site) -> Site:
    one_site.reset()
    return one_site


async def here(host: str, _: int) -> Sequence[str]:
    """Every name but one leads to this machine, as those of an attacker may."""
    if host == "docs.test":
        raise OSError(-2, "Name or service not known")
    if host == "other.test":
        return ["::1", "127.0.0.1"]  # nobody listens at the first
    return ["127.0.0.1"] if host.endswith(".test") else [host]


@pytest_asyncio.fixture
async def fetcher(site: Site) -> AsyncIterator[Fetcher]:
    private = [f"site.test:{site.port}", f"other.test:{site.port}"]
    hosts = AllowedHosts(True, [f"rebound.test:{site.port}", "docs.test"], private)
    async with Fetcher.opened(lambda: hosts, FetchLimits(MOST, 60), here) as made:
        yield made


async def get(fetcher: Fetcher, url: str) -> FetchedPage:
    return await fetcher.get(parse_address(url))


async def test_a_page_is_asked_for_by_its_name_at_the_address_that_was_judged(
    site: Site, fetcher: Fetcher
) -> None:
    site.pages["/a?b=c"] = Reply("hello", headers={"Content-Type": "text/plain; charset=Latin-1"})
    page = await get(fetcher, site.url("/a?b=c#x"))
    assert (page.data, page.media_type, page.charset) == (b"hello", "text/plain", "Latin-1")
    sent = site.asked[0][1]
    assert sent["host"] == f"site.test:{site.port}"
    assert sent["user-agent"].startswith("surveyor/")
    assert not {"cookie", "authorization", "referer"} & sent.keys()


async def test_a_name_that_leads_to_this_machine_is_not_asked(site: Site, fetcher: Fetcher) -> None:
    with pytest.raises(NotAllowedError, match=r"127\.0\.0\.1, which is no address"):
        await get(fetcher, site.url("/", host="rebound.test"))
    assert site.asked == []


async def test_a_name_that_is_not_known_is_said(fetcher: Fetcher) -> None:
    with pytest.raises(FetchError, match=r"docs\.test cannot be looked up: Name or service"):
        await get(fetcher, "http://docs.test/")


@pytest.mark.parametrize(
    "target",
    ["http://rebound.test:{port}/", "http://127.0.0.1:{port}/", "http://169.254.169.254/latest/",
     "http://localhost:{port}/", "http://[::1]:{port}/", "http://2130706433:{port}/",
     "http://127.1:{port}/", "//evil.test/", "http://site.test:1/"],
)  # fmt: skip
async def test_redirects_lead_nowhere_that_is_not_allowed(
    site: Site, fetcher: Fetcher, target: str
) -> None:
    site.pages["/go"] = Reply(status=302, headers={"Location": target.format(port=site.port)})
    with pytest.raises(NotAllowedError):
        await get(fetcher, site.url("/go"))
    assert len(site.asked) == 1


async def test_a_cookie_is_given_back_to_nobody(site: Site, fetcher: Fetcher) -> None:
    said = {"Location": "/set", "Set-Cookie": "seen=1; Path=/"}
    site.pages |= {"/go": Reply(status=302, headers=said), "/set": Reply("", headers=said)}
    for path in ("/go", "/set", "/next"):
        await get(fetcher, site.url(path))
    assert [path for path, _ in site.asked] == ["/go", "/set", "/set", "/next"]
    assert not [path for path, sent in site.asked if "cookie" in sent]


async def test_redirects_are_followed_between_hosts_that_are_allowed(
    site: Site, fetcher: Fetcher
) -> None:
    site.pages["/go"] = Reply(status=301, headers={"Location": site.url("/there", "other.test")})
    site.pages["/there"] = html("Arrived at last.")
    page = await fetcher.get(parse_address(site.url("/go")), headers={"If-None-Match": '"x"'})
    assert str(page.address) == site.url("/there", "other.test")
    assert "if-none-match" not in site.asked[1][1]


@pytest.mark.parametrize(
    ("location", "said"),
    [
        ("/go", "in a circle"),
        ("/go?n={n}", "more than 5 redirects"),
        ("ftp://site.test/", "to what is no page"),
    ],
)
async def test_redirects_end(site: Site, fetcher: Fetcher, location: str, said: str) -> None:
    count = iter(range(100))
    site.make = lambda _: Reply(
        status=302, headers={"Location": location.replace("{n}", str(next(count)))}
    )
    with pytest.raises(FetchError, match=said):
        await get(fetcher, site.url("/go"))
    assert len(site.asked) <= 6


@pytest.mark.parametrize(
    ("body", "coding"),
    [
        (b"x" * (MOST + 1), ""),
        (gzip.compress(bytes(50_000_000)), "gzip"),
        (zlib.compress(bytes(50_000_000)), "deflate"),
    ],
)
async def test_a_page_is_read_no_further_than_its_limit(
    site: Site, fetcher: Fetcher, body: bytes, coding: str
) -> None:
    site.pages["/big"] = Reply(body, headers={"Content-Encoding": coding} if coding else {})
    with pytest.raises(FetchError, match="larger than"):
        await get(fetcher, site.url("/big"))


async def test_packed_pages_are_unpacked_and_strange_ones_refused(
    site: Site, fetcher: Fetcher
) -> None:
    site.pages["/packed"] = Reply(gzip.compress(b"text"), headers={"Content-Encoding": "gzip"})
    site.pages["/broken"] = Reply(b"no gzip", headers={"Content-Encoding": "gzip"})
    site.pages["/odd"] = Reply(b"?", headers={"Content-Encoding": "br"})
    assert (await get(fetcher, site.url("/packed"))).data == b"text"
    with pytest.raises(FetchError, match="cannot be unpacked"):
        await get(fetcher, site.url("/broken"))
    with pytest.raises(FetchError, match="nobody asked for that"):
        await get(fetcher, site.url("/odd"))


async def test_a_server_that_drips_is_left(site: Site) -> None:
    site.pages["/slow"] = Reply(b"", drip=b".")
    hosts = AllowedHosts(True, [], [f"site.test:{site.port}"])
    async with Fetcher.opened(lambda: hosts, FetchLimits(MOST, 0.3), here) as fetcher:
        with pytest.raises(FetchError, match=r"did not answer within 0\.3 s"):
            await get(fetcher, site.url("/slow"))


def test_when_to_come_back() -> None:
    assert retry_after_s({"retry-after": "120"}, 0) == 120
    assert retry_after_s({"retry-after": "Thu, 01 Jan 1970 00:01:00 GMT"}, 10) == 50
    assert retry_after_s({"retry-after": "Thu, 01 Jan 1970 00:01:00 GMT"}, 100) == 0
    assert retry_after_s({"retry-after": "soon"}, 0) is None
    assert retry_after_s({}, 0) is None
