"""Rows of libraries that were read from the web, and of their pages."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, NamedTuple

from surveyor.store.state.database import State, Transaction
from surveyor.store.state.libraries import PROBLEM_CHARS, at_or_below

__all__ = [
    "CrawlRow", "NewPage", "PageRow", "PageState", "add_waiting", "count_states", "crawl_of",
    "crawls", "documents_at", "end_round", "forget", "next_waiting", "page_at", "problems_of_pages",
    "put_crawl", "record", "reopen_round", "restart_round", "same_text", "set_removed",
]  # fmt: skip

PageState = Literal["waiting", "stored", "same", "moved", "left_out", "failed", "gone", "removed"]
"""What became of a page: `same` says what another says, `left_out` is not wanted or not allowed,
`removed` was taken out by the user and is not asked for again."""


@dataclass(frozen=True, slots=True)
class CrawlRow:
    """How a library is read from the web. `below` is empty where no links are followed."""

    library: str
    starts: tuple[str, ...]
    below: str
    max_pages: int
    max_depth: int
    max_bytes: int
    max_time: float
    round: int = 0
    is_open: bool = False
    fetched_at: str | None = None


class NewPage(NamedTuple):
    """A page that is to be asked for."""

    url: str
    depth: int


@dataclass(frozen=True, slots=True)
class PageRow:
    """What is known of a page."""

    url: str
    depth: int
    state: PageState
    document: str | None = None
    etag: str = ""
    last_modified: str = ""
    content_hash: bytes | None = None
    links: tuple[str, ...] = ()
    problem: str = ""


async def crawl_of(state: State, library: str) -> CrawlRow | None:
    """How a library is read from the web; None where it is not."""
    row = await state.one("SELECT * FROM web_crawls WHERE library = ?", (library,))
    return None if row is None else _crawl(row)


async def crawls(state: State) -> list[CrawlRow]:
    """All libraries of the web that are not marked as deleted, by name."""
    rows = await state.read(
        """SELECT c.* FROM web_crawls c LEFT JOIN libraries l ON l.name = c.library
           WHERE l.deleted_at IS NULL ORDER BY c.library"""
    )
    return [_crawl(row) for row in rows]


def _crawl(row: sqlite3.Row) -> CrawlRow:
    return CrawlRow(
        row["library"], tuple(json.loads(row["starts"])), row["below"], row["max_pages"],
        row["max_depth"], row["max_bytes"], row["max_time"], row["round"], bool(row["is_open"]),
        row["fetched_at"],
    )  # fmt: skip


async def put_crawl(tx: Transaction, crawl: CrawlRow) -> None:
    """Note how a library is read; its round stays what it is."""
    await tx.execute(
        """INSERT INTO web_crawls
             (library, starts, below, max_pages, max_depth, max_bytes, max_time)
           VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (library) DO UPDATE SET
             starts = excluded.starts, below = excluded.below, max_pages = excluded.max_pages,
             max_depth = excluded.max_depth, max_bytes = excluded.max_bytes,
             max_time = excluded.max_time""",
        (
            crawl.library, json.dumps(crawl.starts), crawl.below, crawl.max_pages, crawl.max_depth,
            crawl.max_bytes, crawl.max_time,
        ),
    )  # fmt: skip


async def restart_round(tx: Transaction, library: str, starts: Iterable[NewPage]) -> None:
    """Begin a round: what was found by links is found again, and the rest waits to be."""
    await tx.execute(
        "UPDATE web_crawls SET round = round + 1, is_open = 1 WHERE library = ?", (library,)
    )
    await tx.execute(
        "DELETE FROM web_pages WHERE library = ? AND state = 'waiting' AND document IS NULL",
        (library,),
    )
    await tx.execute(
        "UPDATE web_pages SET state = 'stored' WHERE library = ? AND state = 'waiting'", (library,)
    )
    await add_waiting(tx, library, starts)


async def reopen_round(tx: Transaction, library: str, pages: Iterable[NewPage]) -> None:
    """Have some pages asked for (again) in the round that there is."""
    await tx.execute("UPDATE web_crawls SET is_open = 1 WHERE library = ?", (library,))
    await tx.many(
        """INSERT INTO web_pages (library, url, depth, state) VALUES (?, ?, ?, 'waiting')
           ON CONFLICT (library, url) DO UPDATE SET state = 'waiting'""",
        [(library, one.url, one.depth) for one in pages],
    )


async def end_round(tx: Transaction, library: str, at: str) -> list[str]:
    """Close a round that saw all there is. Returns the documents of pages that nothing leads to
    any more."""
    await tx.execute(
        "UPDATE web_crawls SET is_open = 0, fetched_at = ? WHERE library = ?", (at, library)
    )
    gone = """library = ? AND state IN ('stored', 'same')
              AND round < (SELECT round FROM web_crawls c WHERE c.library = web_pages.library)"""
    rows = await tx.read(
        f"SELECT document FROM web_pages WHERE document IS NOT NULL AND {gone}", (library,)
    )
    await tx.execute(
        f"""UPDATE web_pages SET state = 'gone', document = NULL, etag = '', last_modified = '',
              problem = 'nothing leads there any more' WHERE {gone}""",
        (library,),
    )
    return [str(row[0]) for row in rows]


async def add_waiting(tx: Transaction, library: str, pages: Iterable[NewPage]) -> None:
    """Have pages asked for in this round, unless they were already."""
    await tx.many(
        """INSERT INTO web_pages (library, url, depth, state) VALUES (?, ?, ?, 'waiting')
           ON CONFLICT (library, url) DO UPDATE SET depth = excluded.depth,
             state = 'waiting'
           WHERE web_pages.state <> 'removed' AND web_pages.round <
             (SELECT round FROM web_crawls c WHERE c.library = web_pages.library)""",
        [(library, one.url, one.depth) for one in pages],
    )


async def next_waiting(state: State, library: str) -> PageRow | None:
    """The page to ask for next: those nearest to the start first, in the order of their names."""
    row = await state.one(
        """SELECT * FROM web_pages WHERE library = ? AND state = 'waiting'
           ORDER BY depth, url LIMIT 1""",
        (library,),
    )
    return None if row is None else _page(row)


async def page_at(state: State, library: str, url: str) -> PageRow | None:
    """What is known of a page in this round; None where it was not asked for yet."""
    row = await state.one(
        """SELECT p.* FROM web_pages p JOIN web_crawls c USING (library)
           WHERE p.library = ? AND p.url = ? AND (p.round = c.round OR p.state = 'removed')""",
        (library, url),
    )
    return None if row is None else _page(row)


def _page(row: sqlite3.Row) -> PageRow:
    return PageRow(
        row["url"], row["depth"], row["state"], row["document"], row["etag"], row["last_modified"],
        row["content_hash"], tuple(json.loads(row["links"])), row["problem"],
    )  # fmt: skip


async def record(tx: Transaction, library: str, page: PageRow) -> None:
    """Note what became of a page in this round."""
    await tx.execute(
        """INSERT INTO web_pages (library, url, depth, round, state, document, etag, last_modified,
             content_hash, links, problem)
           VALUES (?, ?, ?, (SELECT round FROM web_crawls WHERE library = ?), ?, ?, ?, ?, ?, ?, ?)
           ON CONFLICT (library, url) DO UPDATE SET round = excluded.round, state = excluded.state,
             document = excluded.document, etag = excluded.etag,
             last_modified = excluded.last_modified, content_hash = excluded.content_hash,
             links = excluded.links, problem = excluded.problem""",
        (
            library, page.url, page.depth, library, page.state, page.document, page.etag,
            page.last_modified, page.content_hash, json.dumps(page.links),
            page.problem[:PROBLEM_CHARS],
        ),
    )  # fmt: skip


async def same_text(state: State, library: str, url: str, content_hash: bytes) -> str | None:
    """The address of another page of this round that says the same."""
    found = await state.value(
        """SELECT min(url) FROM web_pages WHERE library = ? AND content_hash = ? AND url <> ?
             AND state = 'stored'
             AND round = (SELECT round FROM web_crawls c WHERE c.library = web_pages.library)""",
        (library, content_hash, url),
    )
    return None if found is None else str(found)


async def count_states(state: State, library: str) -> dict[PageState, int]:
    """How many pages of this round, by what became of them, with those that wait or are out."""
    rows = await state.read(
        """SELECT state, count(*) FROM web_pages WHERE library = ? AND (
             state IN ('waiting', 'removed') OR
             round = (SELECT round FROM web_crawls c WHERE c.library = web_pages.library))
           GROUP BY state""",
        (library,),
    )
    return {row[0]: int(row[1]) for row in rows}


async def problems_of_pages(state: State, library: str, limit: int) -> list[tuple[str, str]]:
    """Addresses of this round that could not be had, and why; of where it began also why not."""
    rows = await state.read(
        """SELECT url, problem FROM web_pages WHERE library = ?
             AND (state = 'failed' OR (state IN ('left_out', 'gone') AND depth = 0))
             AND round = (SELECT round FROM web_crawls c WHERE c.library = web_pages.library)
           ORDER BY url LIMIT ?""",
        (library, limit),
    )
    return [(str(row[0]), str(row[1])) for row in rows]


async def documents_at(state: State, library: str) -> dict[str, str]:
    """Names of documents that pages have, with their addresses."""
    rows = await state.read(
        "SELECT document, url FROM web_pages WHERE library = ? AND document IS NOT NULL", (library,)
    )
    return {str(row[0]): str(row[1]) for row in rows}


async def forget(tx: Transaction, name: str) -> None:
    """A library, or what is below a dotted name, was removed for good: it is not read again."""
    await tx.execute("DELETE FROM web_crawls WHERE library = ?", (name,))
    await tx.execute("DELETE FROM web_pages WHERE library = ?", (name,))
    await set_removed(tx, name, is_removed=True)


async def set_removed(tx: Transaction, name: str, *, is_removed: bool) -> None:
    """Keep a refresh from bringing back what the user took out; or let it."""
    if is_removed:
        change = "state = 'removed' WHERE state <> 'removed'"
    else:
        change = "state = 'stored' WHERE state = 'removed'"
    await tx.execute(
        f"""UPDATE web_pages SET {change} AND document IS NOT NULL AND {at_or_below("document")}""",
        (name, name + "."),
    )
