"""Libraries that are read from the web: begun, gone on with, refreshed, and followed."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections.abc import Callable, Coroutine, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from typing import Any

from surveyor.config.settings import WebSection
from surveyor.errors import NotFoundError, SurveyorError, UsageError
from surveyor.formats.page_facts import check_installed
from surveyor.knowledge.dates import now
from surveyor.knowledge.document_reading import ReadDocuments
from surveyor.knowledge.library_store import LibraryStore
from surveyor.knowledge.names import check_name
from surveyor.knowledge.web_names import library_name
from surveyor.knowledge.web_reading import SiteReading
from surveyor.knowledge.write_queue import WriteQueue
from surveyor.protocol.web import FetchProgress, LibraryFetchRequest
from surveyor.store.state import State, web_pages
from surveyor.store.state import libraries as library_table
from surveyor.store.state.web_pages import CrawlRow, NewPage
from surveyor.web.addresses import PageAddress, parse_address
from surveyor.web.allowed_hosts import AllowedHosts
from surveyor.web.fetch import Fetcher, FetchLimits
from surveyor.web.pace import Pace
from surveyor.web.public_addresses import LookUp, look_up

__all__ = ["WebLibraries", "allowed_hosts"]

log = logging.getLogger(__name__)

PATIENCE_S = 60.0
"""How long a reading goes on that nobody asks about: nothing is fetched behind the user's back."""
LISTED_PROBLEMS = 20


def allowed_hosts(web: WebSection) -> AllowedHosts:
    """What the user has allowed."""
    return AllowedHosts(web.enabled, web.hosts, web.private_hosts)


@dataclass(slots=True)
class _RunningReading:
    """A reading, its task, and who still wants it."""

    reading: SiteReading
    task: asyncio.Task[None] | None = None
    asked_at: float = 0.0
    is_stopped: bool = False
    failure: str = ""


@dataclass(slots=True)
class WebLibraries:
    """Reads sites into libraries, each one at a time."""

    state: State
    read: ReadDocuments
    writes: WriteQueue
    store: LibraryStore
    settings: Callable[[], WebSection]
    spawn: Callable[[Coroutine[Any, Any, None]], asyncio.Task[None]]
    look: LookUp = look_up
    clock: Callable[[], float] = time.monotonic
    _running: dict[str, _RunningReading] = field(default_factory=dict)
    _pace: Pace = field(default_factory=lambda: Pace(0.0))

    async def fetch(self, request: LibraryFetchRequest) -> FetchProgress:
        """Begin to read, or go on. Raises `SurveyorError` where that cannot be."""
        check_installed()
        self.writes.check_space()
        addresses = [parse_address(each) for each in request.urls]
        name = request.name or (library_name(addresses[0]) if addresses else "")
        check_name(name)
        if "." in name:
            raise UsageError(
                f"a library of the web is named without dots, not {name!r}",
                "Its pages get the dotted names.",
            )
        known = await web_pages.crawl_of(self.state, name)
        running = self._running.get(name)
        if running is not None and not running.reading.reason:
            raise UsageError(f"{name} is being read", "Wait for it, or stop that with Ctrl-C.")
        await self._check_kind(name)
        crawl = self._wanted(request, name, addresses, known)
        hosts = allowed_hosts(self.settings())
        for each in crawl.starts:
            hosts.check(parse_address(each))
        await self._prepare(crawl, addresses if not request.crawl else [], known)
        await self._start(crawl)
        return await self.progress(name, 0)

    async def _check_kind(self, name: str) -> None:
        library = await library_table.find_library(self.state, name)
        if library is not None and library.kind != "documents":
            raise UsageError(f"{name!r} is a library of {library.kind}", "Choose another name.")
        if library is not None and library.deleted_at:
            raise UsageError(
                f"{name!r} was removed", f"`surveyor library restore {name}` takes that back."
            )

    def _wanted(
        self,
        request: LibraryFetchRequest,
        name: str,
        addresses: Sequence[PageAddress],
        known: CrawlRow | None,
    ) -> CrawlRow:
        """What is to be read, and how much of it."""
        web = self.settings()
        below = ""
        if request.crawl or request.below:
            if not addresses:
                raise UsageError("crawl what?", "Give the address where it begins.")
            below = str(parse_address(request.below)) if request.below else addresses[0].folder
            below = below if below.endswith("/") else f"{below}/"
            outside = [str(each) for each in addresses if not each.is_below(below)]
            if outside:
                raise UsageError(f"{outside[0]} is not below {below}")
        if known is None and not addresses:
            raise NotFoundError(
                f"there is no library {name!r} that was read from the web",
                "`surveyor library fetch URL` begins one.",
            )
        # A site may have led elsewhere when it was begun: what it was begun with stays known.
        is_same = known is not None and below and set(map(str, addresses)) <= set(known.starts)
        if known is not None and below and known.below not in ("", below) and not is_same:
            raise UsageError(
                f"{name!r} is read below {known.below}", "Choose another name with `--name`."
            )
        starts = dict.fromkeys([*(known.starts if known else ()), *map(str, addresses)])
        return CrawlRow(
            name,
            tuple(starts),
            (known.below if known is not None and (is_same or not below) else below),
            request.pages or web.pages,
            web.depth if request.depth is None else request.depth,
            request.max_bytes or web.max_size,
            request.max_time or web.max_time,
        )

    async def _prepare(
        self, crawl: CrawlRow, single: Sequence[PageAddress], known: CrawlRow | None
    ) -> None:
        """Have asked for what is to be: single pages, the rest of a round, or a new one."""
        at = now()
        async with self.state.transaction() as tx:
            await web_pages.put_crawl(tx, crawl)
            await library_table.register(tx, crawl.library, "documents", crawl.starts[0], at)
            if known is None or not known.round or (not single and not known.is_open):
                starts = [NewPage(each, 0) for each in crawl.starts]
                await web_pages.restart_round(tx, crawl.library, starts)
            elif single:
                pages = [NewPage(str(each), 0) for each in single]
                await web_pages.reopen_round(tx, crawl.library, pages)
            elif known is not None:  # where it begins may be new
                starts = [NewPage(each, 0) for each in crawl.starts]
                await web_pages.add_waiting(tx, crawl.library, starts)

    async def _start(self, crawl: CrawlRow) -> None:
        web = self.settings()
        self._pace.delay_s = web.delay
        open_ = AsyncExitStack()
        fetcher = await open_.enter_async_context(
            Fetcher.opened(
                lambda: allowed_hosts(self.settings()),
                FetchLimits(web.max_page, web.timeout),
                self.look,
            )
        )
        reading = SiteReading(
            crawl, self.state, self.read, self.writes, self.store, fetcher, self._pace,
            lambda: self._is_wanted(crawl.library), self.clock,
        )  # fmt: skip
        running = _RunningReading(reading, asked_at=self.clock())
        self._running[crawl.library] = running
        running.task = self.spawn(self._run(running, open_))

    async def _run(self, running: _RunningReading, open_: AsyncExitStack) -> None:
        reading = running.reading
        try:
            async with open_:
                await reading.run()
        except SurveyorError as error:
            running.failure = error.message
        except Exception as error:
            log.exception("reading %s ended", reading.crawl.library)
            running.failure = f"{type(error).__name__}: {error}"

    def _is_wanted(self, library: str) -> bool:
        """Whether somebody waits for it, and the user still allows it."""
        running = self._running[library]
        waited_for = self.clock() - running.asked_at < PATIENCE_S
        return waited_for and not running.is_stopped and self.settings().enabled

    async def progress(self, name: str, wait_ms: int) -> FetchProgress:
        """How far a reading is, once it has ended or the wait is over."""
        running = self._of(name)
        running.asked_at = self.clock()
        if running.task is not None and wait_ms:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(asyncio.shield(running.task), wait_ms / 1000)
        running.asked_at = self.clock()
        reading = running.reading
        states = dict(await web_pages.count_states(self.state, name))
        problems = await web_pages.problems_of_pages(self.state, name, LISTED_PROBLEMS)
        return FetchProgress(
            library=name,
            reason="failed" if running.failure else reading.reason,
            said=running.failure or reading.said,
            pages=reading.pages,
            stored=reading.stored,
            unchanged=reading.unchanged,
            bytes=reading.bytes_read,
            waiting=states.pop("waiting", 0),
            states={str(state): count for state, count in states.items()},
            current=reading.current,
            problems=[f"{url}: {why}" for url, why in problems],
        )

    async def stop(self, name: str) -> FetchProgress:
        """End a reading after the page that it is at."""
        running = self._of(name)
        running.is_stopped = True
        return await self.progress(name, int(self.settings().timeout * 1000))

    def _of(self, name: str) -> _RunningReading:
        if name not in self._running:
            raise NotFoundError(f"{name!r} is not being read")
        return self._running[name]
