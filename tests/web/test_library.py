"""Sites read into libraries: what is followed, kept, left out, gone on with and refreshed."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from surveyor.config.settings import WebSection
from surveyor.engine.projects import boundary
from surveyor.errors import SurveyorError, UsageError
from surveyor.knowledge import web_library
from surveyor.knowledge.document_search import LibraryScope
from surveyor.knowledge.web_library import WebLibraries
from surveyor.protocol.web import FetchProgress, LibraryFetchRequest
from surveyor.store.state import web_pages
from surveyor.store.vectors.edge import EdgeStore
from surveyor.web.allowed_hosts import NotAllowedError
from surveyor.web.pace import Pace
from tests.knowledge.parts import Parts, assemble
from tests.web.site import Reply, Site, html, served

FOX = "Foxes live in burrows that they dig into sandy slopes near the edge of a forest."
OWL = "Owls hunt at night because their eyes and ears find mice in complete darkness."
BEE = "Bees dance to tell each other where flowers with much nectar can be found today."


@pytest.fixture(scope="module")
def one_site() -> Iterator[Site]:
    with served() as site:
        yield site


class Web:
    """A library of the web, its parts, and the site that it is read from."""

    def __init__(self, site: Site, parts: Parts) -> None:
        self.site = site
        self.parts = parts
        self.slept: list[float] = []
        self.at = 1000.0
        self.settings = WebSection(
            enabled=True, private_hosts=[f"site.test:{site.port}"], delay=0.0, timeout=5.0
        )
        knowledge = parts.knowledge
        self.libraries = WebLibraries(
            parts.state,
            knowledge.library_queue.read,
            knowledge.writes,
            knowledge.library_store,
            lambda: self.settings,
            asyncio.create_task,
            self._look,
            lambda: self.at,
            _pace=Pace(0.0, lambda: self.at, self._sleep),
        )

    async def _look(self, host: str, _: int) -> list[str]:
        return ["127.0.0.1"]

    async def _sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.at += seconds

    async def fetch(self, *paths: str, **options: Any) -> FetchProgress:
        """Read pages to the end of the reading."""
        urls = [self.site.url(path) for path in paths]
        options.setdefault("name", "docs")
        begun = await self.libraries.fetch(LibraryFetchRequest(urls=urls, **options))
        while not begun.reason:
            begun = await self.libraries.progress(begun.library, 5000)
        return begun

    async def crawl(self, path: str = "/docs/", **options: Any) -> FetchProgress:
        return await self.fetch(path, crawl=True, **options)

    async def found(self, query: str) -> list[str]:
        """Names of the documents that a search finds."""
        hits, _ = await self.parts.knowledge.document_search.find(
            query, LibraryScope(None, library="docs"), limit=20
        )
        return [hit.tenant for hit, _ in hits]

    async def states(self) -> dict[str, str]:
        """What became of each page, by path."""
        rows = await self.parts.state.read("SELECT url, state FROM web_pages ORDER BY url")
        return {str(row["url"]).partition(str(self.site.port))[2]: row["state"] for row in rows}


@pytest_asyncio.fixture
async def web(
    one_site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[Web]:
    one_site.reset()
    monkeypatch.setattr(EdgeStore, "flush", lambda *_: None)  # a fifth of a second for each page
    parts = await assemble(tmp_path / "data")
    yield Web(one_site, parts)
    await parts.close()


def small_site(site: Site) -> None:
    site.pages |= {
        "/docs/": html(FOX, owls="owls.html#night", bees="sub/bees?utm_source=x", out="/blog/"),
        "/docs/owls.html": html(OWL, back="./", far="http://elsewhere.test/docs/x"),
        "/docs/sub/bees": html(BEE, up="../owls.html", pic="bee.png"),
        "/blog/": html("Nobody asked for this page of the blog at all today."),
    }


async def test_a_site_is_read_below_its_path_and_found(web: Web) -> None:
    small_site(web.site)

    ended = await web.crawl()

    assert (ended.reason, ended.stored, ended.waiting) == ("done", 3, 0)
    assert web.site.paths == ["/docs/", "/docs/owls.html", "/docs/sub/bees"]
    assert await web.found("owls hunt at night") == ["docs.owls"]
    assert await web.found("burrows") == ["docs.index"]
    assert await web.found("nectar") == ["docs.sub.bees"]
    assert await web.found("Imprint") == []  # what surrounds the text is no part of it
    (listed,) = await web.parts.knowledge.libraries.listed(
        None, packages=False, include_deleted=False
    )
    assert (listed.web, listed.source, listed.documents) == (True, web.site.url("/docs/"), 3)


async def test_single_pages_are_fetched_without_their_links(web: Web) -> None:
    small_site(web.site)
    assert (await web.fetch("/docs/")).stored == 1
    assert (await web.fetch("/docs/sub/bees")).stored == 1
    assert web.site.paths == ["/docs/", "/docs/sub/bees"]
    assert await web.found("nectar") == ["docs.docs.sub.bees"]


async def test_refresh_asks_for_what_changed_and_drops_what_is_gone(web: Web) -> None:
    def tagged(page: Reply, tag: str) -> Callable[[Mapping[str, str]], Reply]:
        fresh = Reply(page.body, headers={**page.headers, "ETag": tag})
        return lambda sent: Reply(status=304) if sent.get("If-None-Match") == tag else fresh

    small_site(web.site)
    pages = {path: page for path, page in web.site.pages.items() if isinstance(page, Reply)}
    web.site.pages |= {path: tagged(page, f'"{path}"') for path, page in pages.items()}
    await web.crawl()
    embedded = len(web.parts.embedded)

    again = await web.fetch()
    assert (again.stored, again.unchanged, again.bytes) == (0, 3, 0)
    assert len(web.parts.embedded) == embedded

    owls = "Owls are now said to hunt voles rather than anything else that lives there."
    web.site.pages["/docs/owls.html"] = html(owls, back="./")
    web.site.pages["/docs/"] = html(FOX, owls="owls.html")  # nothing leads to the bees any more
    changed = await web.fetch()
    assert (changed.stored, changed.unchanged) == (1, 1)
    assert (await web.states())["/docs/sub/bees"] == "gone"
    assert await web.found("voles") == ["docs.owls"]
    assert await web.found("nectar") == []

    del web.site.pages["/docs/owls.html"]
    assert (await web.fetch()).states["gone"] == 1
    assert await web.found("voles") == []


async def test_a_tag_that_cannot_be_sent_back_is_not(web: Web) -> None:
    page = html(FOX)
    web.site.pages["/docs/"] = Reply(page.body, headers={**page.headers, "ETag": '"über"'})
    await web.crawl()
    assert (await web.fetch()).unchanged == 1
    assert "if-none-match" not in web.site.asked[-1][1]


async def test_what_fails_at_a_refresh_keeps_what_it_said(web: Web) -> None:
    small_site(web.site)
    await web.crawl()
    web.site.pages["/docs/owls.html"] = Reply("broken", 500)
    ended = await web.fetch()
    assert (ended.reason, ended.states["failed"]) == ("done", 1)
    assert ended.problems == [f"{web.site.url('/docs/owls.html')}: the server answers 500"]
    assert await web.found("owls") == ["docs.owls"]
    small_site(web.site)
    assert (await web.fetch()).states == {"stored": 3}


async def test_robots_txt_is_obeyed_and_sets_the_pace(web: Web) -> None:
    small_site(web.site)
    rules = "User-agent: *\nDisallow: /docs/sub\nCrawl-delay: 3"
    web.site.pages["/robots.txt"] = Reply(rules)
    ended = await web.crawl()
    assert ended.states == {"stored": 2, "left_out": 1}
    assert "/docs/sub/bees" not in web.site.paths
    assert web.slept == [3.0]


async def test_nothing_is_fetched_where_robots_txt_cannot_be_had(web: Web) -> None:
    small_site(web.site)
    web.site.pages["/robots.txt"] = Reply(status=500)
    ended = await web.crawl()
    assert (ended.stored, web.site.paths) == (0, [])
    assert "robots.txt" in ended.problems[0]


async def test_one_text_under_many_addresses_is_kept_once(web: Web) -> None:
    canonical = '<link rel="canonical" href="/docs/owls.html">'
    web.site.pages |= {
        "/docs/": html(FOX, a="a-print.html", b="index.html", c="?lang=en&sid=3", d="owls2"),
        "/docs/index.html": html(FOX),
        "/docs/?lang=en": html(FOX),
        "/docs/a-print.html": html(OWL, canonical),
        "/docs/owls.html": html(OWL, canonical),
        "/docs/owls2": html(BEE, canonical),  # what it calls itself is not so
    }
    await web.crawl()
    assert await web.found("owls hunt") == ["docs.owls"]
    assert await web.found("burrows") == ["docs.index"]
    assert await web.found("nectar") == ["docs.owls2"]
    states = await web.states()
    assert [path for path, state in states.items() if state == "stored"] == [
        "/docs/", "/docs/owls.html", "/docs/owls2",
    ]  # fmt: skip


async def test_of_two_addresses_one_stays_when_the_other_is_met_first(web: Web) -> None:
    owls = Reply(html(OWL).body, headers={"ETag": '"1"', "Content-Type": "text/html"})
    web.site.pages |= {
        "/docs/": html(FOX, bees="bees"),
        "/docs/bees": html(BEE, owls="owls"),
        "/docs/owls": lambda sent: Reply(status=304) if sent.get("If-None-Match") else owls,
        "/docs/alias": html(OWL),
    }
    await web.crawl()
    web.site.pages["/docs/"] = html(FOX, bees="bees", alias="alias")
    await web.fetch()
    assert await web.found("owls hunt") == ["docs.alias"]
    assert (await web.states())["/docs/owls"] == "same"


async def test_a_calendar_without_end_ends_with_the_budget(web: Web) -> None:
    def day(path: str) -> Reply:
        number = int(path.rpartition("/")[2] or 0)
        return html(f"Day {number} of a calendar " + "word " * number, next=f"/docs/{number + 1}")

    web.site.make = lambda path: day(path) if path.startswith("/docs/") else None
    ended = await web.crawl(pages=7)
    assert (ended.reason, ended.pages, ended.waiting) == ("pages", 7, 1)
    again = await web.fetch(pages=3)  # goes on where it was
    assert (again.reason, again.stored) == ("pages", 3)
    assert web.site.paths == ["/docs/", *(f"/docs/{n}" for n in range(1, 10))]
    ended = await web.crawl(depth=12)
    assert (ended.reason, ended.said) == ("done", "1 deeper than its depth (--depth, `web.depth`)")
    assert len(web.site.paths) == 13
    web.site.make = lambda path: html("An end.") if path.startswith("/docs/") else None
    assert (await web.crawl(depth=12)).said == ""


async def test_a_reading_that_is_stopped_or_left_alone_goes_on_later(web: Web) -> None:
    small_site(web.site)
    owls = web.site.pages["/docs/owls.html"]

    def nobody_waits(_: Mapping[str, str]) -> Reply:
        web.at += web_library.PATIENCE_S
        assert isinstance(owls, Reply)
        return owls

    web.site.pages["/docs/owls.html"] = nobody_waits
    begun = await web.libraries.fetch(
        LibraryFetchRequest(urls=[web.site.url("/docs/")], name="docs", crawl=True)
    )
    task = web.libraries._running[begun.library].task
    assert task is not None
    await task
    assert (await web.libraries.progress("docs", 0)).reason == "stopped"
    assert "/docs/sub/bees" not in web.site.paths
    web.site.asked.clear()
    assert (await web.fetch()).reason == "done"
    assert web.site.paths == ["/docs/sub/bees"]


async def test_a_busy_server_is_left_alone_for_as_long_as_it_asks(web: Web) -> None:
    small_site(web.site)
    replies = iter([Reply(status=429, headers={"Retry-After": "7"}), Reply(status=503)])
    owls = web.site.pages["/docs/owls.html"]
    assert isinstance(owls, Reply)
    web.site.pages["/docs/owls.html"] = lambda _: next(replies, owls)
    ended = await web.crawl()
    assert (ended.reason, ended.stored, web.slept) == ("done", 3, [7.0, 4.0])

    web.site.pages["/docs/"] = Reply(status=429, headers={"Retry-After": "3600"})
    ended = await web.fetch()
    assert (ended.reason, ended.waiting) == ("asked_to_wait", 1)
    assert "3600 s" in ended.said
    assert len(await web.found("owls")) == 1


async def test_pages_of_all_kinds_and_wrong_encodings(web: Web) -> None:
    text = "Überall wächst grüner Löwenzahn und süße Äpfel reifen im Garten am Fluß."
    page = str(html(text, "<meta charset=iso-8859-1>").body)
    said = {"Content-Type": "text/html; charset=iso-8859-1"}
    web.site.pages |= {
        "/docs/": html(
            FOX, a="latin", b="lie", c="utf16", d="notes.md", e="pic", f="data.bin", g="big",
            h="empty", i="hidden", j="private", k="others",
        ),
        "/docs/latin": Reply(page.encode("latin-1"), headers={"Content-Type": "text/html"}),
        "/docs/lie": Reply(page.replace("Garten", "Park").encode(), headers=said),
        "/docs/utf16": Reply(
            page.replace("Garten", "Beet").encode("utf-16"), headers={"Content-Type": "text/html"}
        ),
        "/docs/notes.md": Reply(
            "# Badgers\n\nThey dig setts.", headers={"Content-Type": "text/plain"}
        ),
        "/docs/pic": Reply(b"\x89PNG\0", headers={"Content-Type": "image/png"}),
        "/docs/data.bin": Reply(b"\0\1", headers={"Content-Type": "application/octet-stream"}),
        "/docs/big": Reply(b"x" * 3000, headers={"Content-Type": "text/plain"}),
        "/docs/empty": Reply("", headers={"Content-Type": "text/html"}),
        "/docs/hidden": html(BEE, '<meta name="robots" content="noindex">'),
        "/docs/private": Reply(
            page.replace("Garten", "Hof"), headers={"X-Robots-Tag": "other: all, surveyor: NoIndex"}
        ),
        "/docs/others": Reply(
            page.replace("Garten", "Wald"), headers={"X-Robots-Tag": "nofollow, other: noindex"}
        ),
    }  # fmt: skip
    web.settings = web.settings.model_copy(update={"max_page": 2500})
    ended = await web.crawl()
    assert ended.reason == "done"
    rows = await web.parts.state.read(
        "SELECT d.name, p.text FROM library_pieces p JOIN library_documents d USING (document_id)"
    )
    texts = {str(row["name"]): str(row["text"]) for row in rows}
    assert texts["docs.latin"] == text
    assert texts["docs.lie"] == text.replace("Garten", "Park")
    assert texts["docs.utf16"] == text.replace("Garten", "Beet")
    assert await web.found("setts") == ["docs.notes"]
    assert await web.found("nectar") == []
    states = await web.states()
    assert states["/docs/big"] == "failed"
    assert [
        states[f"/docs/{each}"] for each in ("pic", "data.bin", "empty", "hidden", "private")
    ] == ["left_out"] * 5
    assert states["/docs/others"] == "stored"


async def test_pages_that_redirect_are_kept_once_and_not_elsewhere(web: Web) -> None:
    small_site(web.site)
    web.site.pages |= {
        "/docs/": html(FOX, old="old", out="out", off="off"),
        "/docs/old": Reply(status=301, headers={"Location": "/docs/owls.html"}),
        "/docs/out": Reply(status=302, headers={"Location": "/blog/"}),
        "/docs/off": Reply(status=302, headers={"Location": "http://10.0.0.1/"}),
    }
    ended = await web.crawl()
    assert ended.reason == "done"
    states = await web.states()
    assert (states["/docs/old"], states["/docs/owls.html"]) == ("moved", "stored")
    assert (states["/docs/out"], states["/docs/off"]) == ("left_out", "left_out")
    assert "/blog/" not in web.site.paths


async def test_a_start_that_leads_elsewhere_is_read_there(web: Web) -> None:
    small_site(web.site)
    web.site.pages["/start/"] = Reply(status=302, headers={"Location": "/docs/"})
    ended = await web.crawl("/start/")
    assert (ended.reason, ended.stored) == ("done", 3)
    crawl = await web_pages.crawl_of(web.parts.state, "docs")
    assert crawl is not None and crawl.below == web.site.url("/docs/")
    assert (await web.crawl("/start/")).unchanged == 3


async def test_what_the_user_takes_out_stays_out(web: Web) -> None:
    small_site(web.site)
    await web.crawl()
    libraries, queue = web.parts.knowledge.libraries, web.parts.carry_out
    await libraries.mark("docs.owls", deleted=True, purge=False, wait_ms=0)
    await queue()
    assert (await web.fetch()).states["removed"] == 1
    assert await web.found("owls hunt") == []

    await libraries.mark("docs.owls", deleted=False, purge=False, wait_ms=0)
    await queue()
    assert (await web.fetch()).states == {"stored": 3}
    assert await web.found("owls hunt") == ["docs.owls"]

    await libraries.mark("docs", deleted=True, purge=True, wait_ms=0)
    await queue()
    assert await web.states() == {}
    with pytest.raises(SurveyorError, match="no library 'docs' that was read from the web"):
        await web.fetch()


async def test_hosts_are_asked_only_while_the_user_allows_them(web: Web) -> None:
    small_site(web.site)
    with pytest.raises(NotAllowedError):
        await web.libraries.fetch(LibraryFetchRequest(urls=["http://elsewhere.test/"]))

    def turned_off(_: Mapping[str, str]) -> Reply:
        web.settings = web.settings.model_copy(update={"enabled": False})
        return html(FOX, owls="owls.html")

    web.site.pages["/docs/"] = turned_off
    ended = await web.crawl()
    assert (ended.reason, ended.waiting) == ("stopped", 1)
    assert web.site.paths == ["/docs/"]
    with pytest.raises(NotAllowedError, match="the web is off"):
        await web.fetch()


@pytest.mark.parametrize(
    "operation", ["library_fetch", "library_fetch_progress", "library_fetch_stop", "ask"]
)
def test_agents_fetch_nothing(operation: str) -> None:
    with pytest.raises(boundary.OutsideError, match="for the user"):
        boundary.check_operation(operation)


async def test_names_of_other_libraries_are_not_taken(web: Web, tmp_path: Path) -> None:
    (tmp_path / "notes").mkdir()
    await web.parts.knowledge.libraries.add(str(tmp_path / "notes"), "docs", "sync", 0)
    with pytest.raises(UsageError, match="library of folder"):
        await web.crawl()
    small_site(web.site)
    await web.crawl(name="mine")
    with pytest.raises(UsageError, match="is read below"):
        await web.crawl("/blog/", name="mine")
