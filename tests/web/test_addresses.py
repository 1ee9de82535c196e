"""Addresses in one spelling, hosts that are allowed, addresses that are public, robots, traps."""

from __future__ import annotations

import pytest

from surveyor.config.settings import WebSection
from surveyor.errors import UsageError
from surveyor.web.addresses import parse_address
from surveyor.web.allowed_hosts import AllowedHosts, NotAllowedError
from surveyor.web.pace import Pace
from surveyor.web.public_addresses import addresses_to_ask, is_public
from surveyor.web.robots import parse_robots
from surveyor.web.traps import MAX_NUMBERED, MAX_QUERIES, TrapGuard


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("HTTP://Docs.Example.ORG:80/a/../b/./c#part", "http://docs.example.org/b/c"),
        ("https://docs.example.org", "https://docs.example.org/"),
        ("https://docs.example.org:8443//x///y/", "https://docs.example.org:8443/x/y/"),
        ("https://docs.example.org./x", "https://docs.example.org/x"),
        ("https://e.org/a?b=2&a=1&PHPSESSID=77&utm_source=mail", "https://e.org/a?a=1&b=2"),
        ("https://e.org/a;jsessionid=99/b?print", "https://e.org/a/b?print"),
        ("https://e.org/é/%E9 x/a%2Fb/%7Eme", "https://e.org/%C3%A9/%E9%20x/a%2Fb/~me"),
        ("https://münchen.example/", "https://xn--mnchen-3ya.example/"),
        ("http://[::FFFF:10.0.0.1]/", "http://[::ffff:a00:1]/"),
    ],
)
def test_a_page_has_one_spelling(written: str, meant: str) -> None:
    address = parse_address(written)
    assert str(address) == meant
    assert parse_address(meant) == address


@pytest.mark.parametrize(
    "written",
    ["ftp://e.org/", "file:///etc/passwd", "//e.org/x", "https://me:pw@e.org/", "https://me@e.org/",
     "http://e.org:99999/", "http://e.org:0/", "http://a b/", "http://-x.org/",
     "javascript:alert(1)", "http://e.org/" + "x" * 3000, "http:///x", "http://[::1/"],
)  # fmt: skip
def test_what_is_no_page_is_refused(written: str) -> None:
    with pytest.raises(UsageError):
        parse_address(written)


@pytest.mark.parametrize(
    "address",
    [
        *("127.0.0.1", "127.8.9.1", "0.0.0.0", "10.1.2.3", "172.31.0.1", "192.168.1.1"),
        *("169.254.169.254", "100.64.0.1", "100.127.255.254", "192.0.0.192", "198.19.0.1"),
        *("224.0.0.1", "255.255.255.255", "240.0.0.1", "203.0.113.7", "::", "::1", "fe80::1"),
        *("fe80::1%eth0", "fc00::1", "fd12::1", "ff02::1", "::127.0.0.1", "100::1", "5f00::1"),
        *("::ffff:127.0.0.1", "::ffff:169.254.169.254", "64:ff9b::7f00:1", "64:ff9b::a9fe:a9fe"),
        *("64:ff9b:1::1", "2002:7f00:1::", "2001:0:1::1", "2001:db8::1", "3fff::1"),
    ],
)
def test_addresses_that_are_not_public(address: str) -> None:
    assert not is_public(address)


@pytest.mark.parametrize(
    "address",
    ["93.184.216.34", "8.8.8.8", "172.32.0.1", "100.128.0.1", "2606:2800:220:1::1",
     "::ffff:8.8.8.8", "64:ff9b::808:808"],
)  # fmt: skip
def test_addresses_that_are(address: str) -> None:
    assert is_public(address)


def allowed(hosts: list[str], private: list[str] | None = None) -> AllowedHosts:
    web = WebSection(enabled=True, hosts=hosts, private_hosts=private or [])
    return AllowedHosts(web.enabled, web.hosts, web.private_hosts)


@pytest.mark.parametrize(
    ("entry", "yes", "no"),
    [
        ("docs.example.org", "https://docs.example.org/x", "https://example.org/"),
        ("docs.example.org", "http://DOCS.example.org/", "https://docs.example.org:8443/"),
        ("docs.example.org:8443", "https://docs.example.org:8443/", "https://docs.example.org/"),
        ("*.example.org", "https://a.b.example.org/", "https://example.org/"),
        ("*.example.org", "https://a.example.org/", "https://badexample.org/"),
        ("example.org", "https://example.org./", "https://example.org.evil.com/"),
        ("[2606:2800::1]", "http://[2606:2800::1]/", "http://[2606:2800::2]/"),
    ],
)
def test_only_hosts_of_the_list_are_allowed(entry: str, yes: str, no: str) -> None:
    hosts = allowed([entry])
    hosts.check(parse_address(yes))
    with pytest.raises(NotAllowedError, match="not among the hosts"):
        hosts.check(parse_address(no))


@pytest.mark.parametrize(
    "entry",
    ["*", "*.com", "a.*.org", "http://e.org", "e.org/docs", "me@e.org", "", "a b", "e.org:0"],
)
def test_a_list_names_hosts_and_nothing_else(entry: str) -> None:
    with pytest.raises(ValueError):
        WebSection(hosts=[entry])
    with pytest.raises(ValueError):
        WebSection(private_hosts=[entry])


def test_a_private_host_is_named_with_its_port() -> None:
    with pytest.raises(ValueError, match="with its port"):
        WebSection(private_hosts=["localhost"])


def test_the_web_is_off_by_itself_and_says_how_it_is_turned_on() -> None:
    with pytest.raises(NotAllowedError, match="the web is off") as error:
        AllowedHosts(False, ["e.org"], ["localhost:80"]).check(parse_address("http://localhost/"))
    assert error.value.hint == "You turn it on: `surveyor config set web.enabled true`."
    with pytest.raises(NotAllowedError, match="the web is off") as error:
        AllowedHosts(False, ["e.org"], []).check(parse_address("http://localhost/"))
    assert error.value.hint.endswith("""web.private_hosts '["localhost:80"]'`""")
    with pytest.raises(NotAllowedError) as error:
        allowed(["a.org"], ["localhost:80"]).check(parse_address("http://localhost:8000/"))
    assert """web.private_hosts '["localhost:80", "localhost:8000"]'""" in error.value.hint
    with pytest.raises(NotAllowedError) as error:
        allowed(["a.org"]).check(parse_address("https://b.org:8443/"))
    assert """web.hosts '["a.org", "b.org:8443"]'""" in error.value.hint


@pytest.mark.parametrize(
    ("found", "private", "asked"),
    [
        (["93.184.216.34"], False, "93.184.216.34"),
        (["127.0.0.1"], False, None),
        (["93.184.216.34", "10.0.0.1"], False, None),  # one of them is a way in
        (["::ffff:10.0.0.1"], False, None),
        (["10.0.0.1"], True, "10.0.0.1"),
        (["169.254.169.254"], True, None),  # a name never leads to the metadata service
        (["fe80::1"], True, None),
        (["224.0.0.1"], True, None),
    ],
)
async def test_the_address_that_is_asked(
    found: list[str], private: bool, asked: str | None
) -> None:
    async def look(_: str, __: int) -> list[str]:
        return found

    address = parse_address("http://docs.example.org/")
    if asked is not None:
        assert await addresses_to_ask(address, look, may_be_private=private) == [asked]
        return
    with pytest.raises(NotAllowedError, match="no address of the public internet"):
        await addresses_to_ask(address, look, may_be_private=private)


ROBOTS = """
# comment
User-agent: other
Disallow: /

User-agent: Surveyor/2
User-agent: third
Crawl-delay: 2
Disallow: /private
Allow: /private/open
Disallow: /*.pdf$
Disallow: /*?sort=
Sitemap: https://e.org/sitemap.xml
Disallow: /later

User-agent: *
Disallow: /
"""


@pytest.mark.parametrize(
    ("path", "is_allowed"),
    [
        ("/", True), ("/private/x", False), ("/privateer", False), ("/private/open/x", True),
        ("/a/b.pdf", False), ("/a/b.pdf?x", True), ("/list?sort=up", False), ("/later", False),
        ("/robots.txt", True),
    ],
)  # fmt: skip
def test_robots_rules_of_our_group_count(path: str, is_allowed: bool) -> None:
    rules = parse_robots(ROBOTS)
    assert rules.allows(path) is is_allowed
    assert rules.delay_s == 2


def test_robots_rules_for_all_count_where_none_is_ours() -> None:
    assert not parse_robots("User-agent: *\nDisallow: /x").allows("/x/y")
    assert parse_robots("User-agent: *\nDisallow:").allows("/x/y")
    assert parse_robots("Disallow: /x\n<html>no robots</html>").allows("/x")
    assert parse_robots("User-agent: *\nDisallow: /a*b*c$").allows("/abcd")
    assert not parse_robots("User-agent: *\nDisallow: /a*b*c$").allows("/a-b-c-c")
    assert parse_robots("User-agent: *\nCrawl-delay: nan").delay_s == 0


def test_hostile_robots_patterns_cost_no_time() -> None:
    rules = parse_robots("User-agent: *\nDisallow: /" + "*a" * 200 + "$")
    assert rules.allows("/" + "a" * 199 + "b" * 500)
    assert not rules.allows("/" + "a" * 500)


def test_traps_are_seen_by_their_shape() -> None:
    def refusals(paths: list[str]) -> list[str]:
        guard = TrapGuard()
        return [guard.refusal(parse_address(f"https://e.org{path}")) for path in paths]

    days = refusals([f"/cal/{n // 12}/{n % 12}" for n in range(MAX_NUMBERED + 5)])
    assert days.count("") == MAX_NUMBERED and "numbers" in days[-1]
    sorts = refusals([f"/list?by={chr(97 + n)}" for n in range(MAX_QUERIES + 5)])
    assert sorts.count("") == MAX_QUERIES and "queries" in sorts[-1]
    assert refusals(["/a/b/a/b/c"]) == [""]
    assert refusals(["/a/b/a/b/a"]) == ["with a path that repeats itself"]
    assert refusals(["/" + "/".join(map(str, range(21)))]) == ["with a path without end"]


async def test_each_host_is_asked_at_its_pace() -> None:
    at, slept = [100.0], list[float]()

    async def sleep(seconds: float) -> None:
        slept.append(seconds)
        at[0] += seconds

    pace = Pace(0.5, lambda: at[0], sleep)
    await pace.wait("a.org")
    await pace.wait("b.org")
    await pace.wait("a.org")
    await pace.wait("a.org", 3.0)
    await pace.wait("a.org")
    assert slept == [0.5, 0.5, 3.0]
