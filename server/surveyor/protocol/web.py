"""Libraries that are read from the web."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

from surveyor.protocol.base import Model, Request

__all__ = [
    "FetchProgress", "FetchReason", "LibraryFetchProgressRequest", "LibraryFetchRequest",
    "LibraryFetchStopRequest",
]  # fmt: skip

FetchReason = Literal[
    "", "done", "pages", "bytes", "time", "stopped", "asked_to_wait", "no_answer", "failed"
]
"""Why a reading ended; empty while it goes on. `pages`, `bytes` and `time`: its budget is spent."""


class FetchProgress(Model, kw_only=True):
    """How far the reading of a library is."""

    library: str
    reason: FetchReason = ""
    said: str = ""
    """Why it ended, where there is more to say."""
    pages: int = 0
    """Asked for in this reading."""
    stored: int = 0
    """New or changed."""
    unchanged: int = 0
    """As they were."""
    bytes: int = 0
    waiting: int = 0
    """Known and not asked for yet."""
    states: dict[str, int] = {}
    """Of all pages that were looked at since the library was begun, or refreshed: how many are
    stored, the same as another, moved, left out, failed, gone, removed by the user."""
    current: str = ""
    """Address that is being read."""
    problems: list[str] = []
    """Addresses that could not be had, with the reason."""


class LibraryFetchRequest(Request[FetchProgress], kw_only=True):
    """Read pages of the web into a library, or a site below a path; without addresses refresh it.

    Only from hosts that the user has allowed. It goes on while its progress is asked for.
    """

    operation: ClassVar[str] = "library_fetch"
    answer: ClassVar[type[Any]] = FetchProgress

    urls: list[str] = []
    """Addresses to begin with; without any, the library is brought up to date."""
    name: str | None = None
    """Of the library; without, it is called after the host."""
    crawl: bool = False
    """Follow links to what lies below."""
    below: str | None = None
    """An address that all pages begin with; without, the folder of the first one."""
    pages: int | None = None
    """At most so many."""
    depth: int | None = None
    max_bytes: int | None = None
    """At most so many in all."""
    max_time: float | None = None
    """Seconds."""


class LibraryFetchProgressRequest(Request[FetchProgress], kw_only=True):
    """How far a reading is; answered when it has ended, or after a while."""

    operation: ClassVar[str] = "library_fetch_progress"
    answer: ClassVar[type[Any]] = FetchProgress

    name: str
    wait_ms: int = 0


class LibraryFetchStopRequest(Request[FetchProgress], kw_only=True):
    """End a reading after the page that it is at; what was read stays."""

    operation: ClassVar[str] = "library_fetch_stop"
    answer: ClassVar[type[Any]] = FetchProgress

    name: str
