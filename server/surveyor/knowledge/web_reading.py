"""Reading a site into a library: page after page, within a budget, as far as it got.

What is known of each page is stored with it, so that a reading that was stopped, or whose process
died, goes on where it was, and a later one asks only for what has changed.
"""

from __future__ import annotations

import re
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from surveyor.errors import SurveyorError
from surveyor.formats.formats import FORMATS
from surveyor.formats.page_facts import PageFacts
from surveyor.knowledge.dates import now
from surveyor.knowledge.document_reading import ReadDocument, ReadDocuments, ReadJob, read_whole
from surveyor.knowledge.documents import DocumentFacts
from surveyor.knowledge.library_store import LibraryStore
from surveyor.knowledge.web_names import document_name
from surveyor.knowledge.write_queue import WriteQueue
from surveyor.store.state import State, web_pages
from surveyor.store.state import libraries as library_table
from surveyor.store.state.web_pages import CrawlRow, NewPage, PageRow
from surveyor.web.addresses import PageAddress, parse_address
from surveyor.web.allowed_hosts import NotAllowedError
from surveyor.web.fetch import FetchedPage, Fetcher, FetchError, NoAnswerError, retry_after_s
from surveyor.web.pace import Pace
from surveyor.web.site_rules import LeftOutError, SiteRules
from surveyor.web.traps import TrapGuard

__all__ = ["EndReason", "SiteReading", "page_format"]

EndReason = Literal["", "done", "pages", "bytes", "time", "stopped", "asked_to_wait", "no_answer"]
"""Why a reading ended; empty while it goes on."""

MAX_WAIT_S = 60.0
"""What a server may ask to be left alone for, before the reading ends."""
MAX_WAITS = 3
"""For one page."""
FIRST_WAIT_S = 2.0
"""Where it does not say for how long; then twice as long each time."""
MAX_SILENT = 5
"""Pages in a row that nobody answered for."""
MAX_VALIDATOR_CHARS = 500
_BUSY = (429, 503)
_GONE = (404, 410)
MEDIA_FORMATS = {
    "text/html": "html",
    "application/xhtml+xml": "html",
    "application/pdf": "pdf",
    "text/markdown": "markdown",
    "text/x-markdown": "markdown",
    "text/x-rst": "rst",
    "text/prs.fallenstein.rst": "rst",
    "application/epub+zip": "epub",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document": "docx",
    "text/plain": "text",
}
_UNTOLD = ("", "application/octet-stream", "binary/octet-stream", "text/plain")
"""Types that say less of a page than the end of its address."""
_NO_PAGES = re.compile(
    r".*\.(7z|avi|bmp|bz2|css|csv|deb|dmg|eot|exe|gif|gz|ico|iso|jar|jpe?g|js|json|map|mjs|mov|mp[34]"
    r"|og[gv]|otf|png|rar|rpm|rss|svg|tar|tgz|tiff?|ttf|wasm|wav|web[mp]|whl|woff2?|xml|xz|zip)",
    re.IGNORECASE,
)
"""Ends of addresses that nobody needs to be asked about."""


MOST_UNFOLLOWED = 10_000
"""Pages that are counted of those that were not followed."""
_TOO_DEEP = "deeper than its depth (--depth, `web.depth`)"


class _EndError(Exception):
    """The reading ends here."""

    def __init__(self, reason: EndReason, said: str = "") -> None:
        super().__init__(said)
        self.reason: EndReason = reason
        self.said = said


def page_format(page: FetchedPage) -> str | None:
    """Which reader a page needs, by what its server says, its address and how it begins."""
    suffix = page.address.path.rpartition("/")[2].rpartition(".")
    known = MEDIA_FORMATS.get(page.media_type)
    if page.media_type in _UNTOLD and suffix[1]:
        ending = f".{suffix[2].lower()}"
        known = next((name for name, ends in FORMATS.items() if ending in ends), known)
    if known in (None, "text") and page.media_type in _UNTOLD:
        start = page.data[:200].lstrip().lower()
        if start.startswith((b"<!doctype html", b"<html")):
            return "html"
        if start.startswith(b"%pdf-"):
            return "pdf"
        if known is None and b"\0" not in page.data[:2000] and not suffix[1]:
            return "text"
    return known


@dataclass(slots=True)
class SiteReading:
    """One reading of one library, and how far it is."""

    crawl: CrawlRow
    state: State
    read: ReadDocuments
    writes: WriteQueue
    store: LibraryStore
    fetcher: Fetcher
    pace: Pace
    wants_more: Callable[[], bool]
    """False once nobody waits for it any more, or the user has stopped it."""
    clock: Callable[[], float] = time.monotonic
    pages: int = 0
    """Asked for, in this reading."""
    stored: int = 0
    unchanged: int = 0
    bytes_read: int = 0
    current: str = ""
    reason: EndReason = ""
    said: str = ""
    """Why it ended, where there is more to say."""
    _taken: dict[str, str] = field(default_factory=dict)
    _silent: int = 0
    _followed: set[str] = field(default_factory=set)
    _unfollowed: dict[str, str] = field(default_factory=dict)
    """Pages that were met and not gone on with, and why."""
    _traps: TrapGuard = field(default_factory=TrapGuard)
    _sites: SiteRules = field(init=False)

    def __post_init__(self) -> None:
        self._sites = SiteRules(self.fetcher, self.pace)

    async def run(self) -> None:
        """Ask for all pages that wait, and those that they lead to, as far as the budget goes."""
        began = self.clock()
        self._taken = await web_pages.documents_at(self.state, self.crawl.library)
        try:
            while page := await web_pages.next_waiting(self.state, self.crawl.library):
                self._check_budget(began)
                self.writes.check_space()
                await self._read_one(page)
            await self._close()
            self.reason, self.said = "done", self._not_followed()
        except _EndError as end:
            self.reason, self.said = end.reason, end.said
        finally:
            self.current = ""
            self.reason = self.reason or "stopped"

    def _check_budget(self, began: float) -> None:
        crawl = self.crawl
        if not self.wants_more():
            raise _EndError("stopped")
        for reason, spent, most in (
            ("pages", self.pages, crawl.max_pages),
            ("bytes", self.bytes_read, crawl.max_bytes),
            ("time", self.clock() - began, crawl.max_time),
        ):
            if spent >= most:
                raise _EndError(reason)  # type: ignore[arg-type]

    async def _read_one(self, row: PageRow) -> None:
        """A page and, before it, the one that it calls the same."""
        self.current = row.url
        try:
            found = await self._get(row)
            self._silent = 0
            if found is not None:
                await self._take(row, found)
        except (LeftOutError, NotAllowedError) as error:
            await self._drop(row, "left_out", error.message)
        except FetchError as error:
            # What its page said before stays, with where it leads.
            self._silent += isinstance(error, NoAnswerError)
            await self._record(replace(row, state="failed", problem=error.message), row.links)
            if self._silent >= MAX_SILENT:
                raise _EndError("no_answer", error.message) from None

    async def _get(self, row: PageRow) -> FetchedPage | None:
        """A page that there is and that has changed; else what becomes of it is noted."""
        address = parse_address(row.url)
        known = {"If-None-Match": row.etag, "If-Modified-Since": row.last_modified}
        headers = {name: value for name, value in known.items() if value}
        page = await self._ask(address, headers)
        if page.status == 304 and headers:
            await self._keep_as_it_was(row)
            return None
        if page.status in _GONE:
            await self._drop(row, "gone", f"the server answers {page.status}")
            return None
        if page.status != 200:
            raise FetchError(f"the server answers {page.status}")
        self.bytes_read += len(page.data)
        return page

    async def _ask(self, address: PageAddress, headers: dict[str, str]) -> FetchedPage:
        """What the server answers once it is not too busy for it."""
        waits = 0
        while True:
            self.pages += 1
            page = await self.fetcher.get(address, headers=headers, permit=self._permit)
            if page.status not in _BUSY:
                return page
            asked = retry_after_s(page.headers, time.time())
            wait = FIRST_WAIT_S * 2**waits if asked is None else asked
            if waits == MAX_WAITS or wait > MAX_WAIT_S:
                said = f"{address.host} answers {page.status}"
                said += f" and asks to wait {asked:.0f} s" if asked else ""
                raise _EndError("asked_to_wait", said)
            waits += 1
            await self.pace.pause(address.host, wait)

    async def _permit(self, address: PageAddress) -> None:
        """Raises `LeftOutError` for what is outside, or its site does not want fetched."""
        if not self._is_inside(address):
            raise LeftOutError(f"it leads to {address}, outside of what is read")
        await self._sites.permit(address)

    def _is_inside(self, address: PageAddress) -> bool:
        # What the user named may lead elsewhere, as `/` does to `/en/stable/`.
        return not self.crawl.below or self._is_start(self.current) or self._is_below(address)

    def _is_start(self, url: str) -> bool:
        return url in self.crawl.starts

    def _is_below(self, address: PageAddress) -> bool:
        return bool(self.crawl.below) and address.is_below(self.crawl.below)

    async def _take(self, row: PageRow, page: FetchedPage) -> None:
        """Read what was answered, at the address where it was."""
        address = page.address
        if str(address) != row.url:
            if await self._has_moved(row, address):
                return
            row = PageRow(str(address), row.depth, "waiting")
        try:
            found, facts = await self._read_page(page)
        except SurveyorError as error:
            await self._drop(row, "left_out", error.message)
            return
        links = self._links(address, row.depth, facts)
        if not facts.is_indexed:
            await self._drop(row, "left_out", "it asks that nobody keeps it", links)
            return
        await self._canonical_first(address, row.depth, facts)
        found_hash = found.content_hash
        other = await web_pages.same_text(self.state, self.crawl.library, row.url, found_hash)
        if other is not None:
            await self._drop(row, "same", f"it says what {other} says", links, found_hash)
            return
        await self._keep(row, page, found, links)

    async def _has_moved(self, row: PageRow, address: PageAddress) -> bool:
        """Note a redirect; whether the page that it led to was seen, or is nothing of ours."""
        await self._drop(row, "moved", f"it leads to {address}")
        if self._is_start(row.url) and self.crawl.below and not self._is_below(address):
            # The site is where the user's address leads: another host, or another spelling.
            below = address.folder
            self.crawl = replace(self.crawl, below=below, starts=(*self.crawl.starts, str(address)))
            async with self.state.transaction() as tx:
                await web_pages.put_crawl(tx, self.crawl)
        return await web_pages.page_at(self.state, self.crawl.library, str(address)) is not None

    async def _read_page(self, page: FetchedPage) -> tuple[ReadDocument, PageFacts]:
        """A page's text and links. Raises `SurveyorError` where it has none."""
        kind = page_format(page)
        if kind is None:
            raise LeftOutError(f"it is {page.media_type or 'of no known type'}, not a document")
        name = page.address.path.rstrip("/").rpartition("/")[2] or page.address.host
        if kind == "html":
            job = ReadJob("page", name, data=page.data, charset=page.charset)
        else:
            job = ReadJob("document", name, data=page.data, format=kind)
        found = await read_whole(self.read, job)
        if found is None or not found.chunks:
            if found is not None and found.page is not None and found.page.links:
                return found, _with_wishes(found.page, page.wishes)  # a page of links alone
            raise LeftOutError("there is no text in it")
        return found, _with_wishes(found.page or PageFacts(), page.wishes)

    def _not_followed(self) -> str:
        """How many pages below its path were left out of the reading, and why; empty for none."""
        why = Counter(why for url, why in self._unfollowed.items() if url not in self._followed)
        return "; ".join(f"{number:,} {each}" for each, number in why.most_common())

    def _links(self, address: PageAddress, depth: int, facts: PageFacts) -> list[NewPage]:
        """The pages to go on with."""
        if not self.crawl.below or not facts.is_followed:
            return []
        is_deep = depth >= self.crawl.max_depth
        found: dict[str, None] = {}
        for link in facts.links:
            target = address.join(link)
            if target is None or not self._is_below(target):
                continue
            url = str(target)
            if url in self._followed:
                found[url] = None
            elif not _NO_PAGES.fullmatch(target.path):
                refusal = _TOO_DEEP if is_deep else self._traps.refusal(target)
                if not refusal:
                    self._followed.add(url)
                    found[url] = None
                elif len(self._unfollowed) < MOST_UNFOLLOWED:
                    self._unfollowed[url] = refusal
        if is_deep:
            return []
        return [NewPage(url, depth + 1) for url in found]

    async def _canonical_first(self, address: PageAddress, depth: int, facts: PageFacts) -> None:
        """Read the page that this one calls itself, so that of two that say the same it is kept.

        That is a hint: where they differ, both are.
        """
        target = address.join(facts.canonical) if facts.canonical else None
        if target is None or target == address or not self._is_below(target):
            return
        library, url = self.crawl.library, str(target)
        if await web_pages.page_at(self.state, library, url) is not None:
            return
        row = PageRow(url, depth, "waiting")
        try:
            page = await self._ask(target, {})
            if page.status != 200 or str(page.address) != url:
                return
            self.bytes_read += len(page.data)
            found, said = await self._read_page(page)
        except SurveyorError:
            return  # it is met again where something links to it
        if said.is_indexed:
            await self._keep(row, page, found, self._links(target, depth, said))

    async def _keep(
        self, row: PageRow, page: FetchedPage, found: ReadDocument, links: Sequence[NewPage]
    ) -> None:
        """Store a page's text, unless it is what it was."""
        library = self.crawl.library
        before = next((name for name, url in self._taken.items() if url == row.url), None)
        name = before or document_name(library, page.address, self.crawl.below, self._taken)
        if before is not None and found.content_hash == row.content_hash:
            self.unchanged += 1
        elif found.chunks:
            found.name, found.path = name, ""
            facts = DocumentFacts(library, name, source="web", url=row.url)
            await self.store.store("documents", [(facts, found)], source=self.crawl.starts[0])
            self.stored += 1
        self._taken[name] = row.url
        kept = PageRow(
            row.url, row.depth, "stored", name,
            _sent_back(page.headers.get("etag", "")),
            _sent_back(page.headers.get("last-modified", "")),
            found.content_hash,
        )  # fmt: skip
        await self._record(kept, [each.url for each in links], links)

    async def _keep_as_it_was(self, row: PageRow) -> None:
        """A page has not changed; another that was met first this time may say the same by now."""
        library, hashed = self.crawl.library, row.content_hash or b""
        other = await web_pages.same_text(self.state, library, row.url, hashed)
        if other is not None:
            links = self._links(parse_address(row.url), row.depth, PageFacts(links=[*row.links]))
            await self._drop(row, "same", f"it says what {other} says", links, hashed)
            return
        self.unchanged += 1
        await self._record(replace(row, state="stored", problem=""), row.links)

    async def _drop(
        self,
        row: PageRow,
        state: web_pages.PageState,
        problem: str,
        links: Sequence[NewPage] = (),
        content_hash: bytes | None = None,
    ) -> None:
        """Note why nothing is kept of a page; what was stays out of searches."""
        await self._take_out([row.document] if row.document else [])
        gone = PageRow(row.url, row.depth, state, content_hash=content_hash, problem=problem)
        await self._record(gone, [each.url for each in links], links)

    async def _take_out(self, documents: Sequence[str]) -> None:
        if documents:
            at = now()
            async with self.state.transaction() as tx:
                named = [(self.crawl.library, each) for each in documents]
                await library_table.mark_names_deleted(tx, named, at)
        for each in documents:
            self._taken.pop(each, None)

    async def _record(
        self, row: PageRow, links: Sequence[str], pages: Sequence[NewPage] | None = None
    ) -> None:
        """Note what became of a page, and have those asked for that it leads to."""
        if pages is None:  # as it was known: the rules may be others by now
            pages = self._links(parse_address(row.url), row.depth, PageFacts(links=list(links)))
        async with self.state.transaction() as tx:
            await web_pages.record(tx, self.crawl.library, replace(row, links=tuple(links)))
            await web_pages.add_waiting(tx, self.crawl.library, pages)

    async def _close(self) -> None:
        """All was seen: what nothing leads to any more is no part of the site."""
        async with self.state.transaction() as tx:
            documents = await web_pages.end_round(tx, self.crawl.library, now())
        await self._take_out(documents)


def _sent_back(value: str) -> str:
    """A header's value that can be sent as it came; empty where it cannot."""
    is_plain = value.isascii() and value.isprintable() and len(value) <= MAX_VALIDATOR_CHARS
    return value if is_plain else ""


def _with_wishes(facts: PageFacts, wishes: frozenset[str]) -> PageFacts:
    """What a page says of itself, with what its server asks for it."""
    facts.is_indexed = facts.is_indexed and not wishes & {"noindex", "none"}
    facts.is_followed = facts.is_followed and not wishes & {"nofollow", "none"}
    return facts
