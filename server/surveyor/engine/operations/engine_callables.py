"""What several groups of operations need of the engine, each as narrow as it is used."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from typing import Any, NamedTuple, Protocol, TypeVar

import msgspec

from surveyor.engine.index.runs import IndexRun
from surveyor.engine.operations import Caller
from surveyor.engine.projects.checkouts import Checkout
from surveyor.parsing.types import Symbol
from surveyor.protocol.base import Freshness
from surveyor.protocol.enumerations import STATUSES
from surveyor.protocol.search import SearchRequest, SearchResponse, SearchResult

T = TypeVar("T")


class ResolveCheckout(Protocol):
    """Finds the checkout that a caller means."""

    async def __call__(self, cwd: str | None = None, project: str | None = None) -> Checkout:
        """The checkout of a folder, or of a project's name, id or root. Raises `NotFoundError`."""


class SpawnTask(Protocol):
    """Runs something beside everything else, for as long as the engine lives."""

    def __call__(self, work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
        """Start it; returns its task."""


OnStore = Callable[..., Awaitable[Any]]
"""Runs a blocking call of the vector store on its own thread."""

FreshnessOf = Callable[[Checkout], Awaitable[Freshness]]
"""How far answers from a checkout can be trusted."""


class ScanCheckout(Protocol):
    """Compares a folder with the index."""

    async def __call__(self, checkout: Checkout, *, clean: bool = False) -> IndexRun:
        """Begin a run, which goes on afterwards; `clean` reads every file again."""


SymbolsIn = Callable[[Checkout, str, bytes], Awaitable[Sequence[Symbol]]]
"""The definitions of a file of a checkout, given by its path and what is in it; none where it
cannot be read."""

AllCheckouts = Callable[[], Awaitable[list[Checkout]]]
"""The registered folders."""

Search = Callable[[SearchRequest, Caller], Awaitable[SearchResponse]]
"""The operation `search`, for the groups that build on it."""


class CorpusAnswer(NamedTuple):
    """Results in a corpus other than code, best first."""

    results: list[SearchResult]
    lacking: str = ""
    """What may be lacking, in a line."""


CorpusFinder = Callable[[SearchRequest, Sequence[Checkout]], Awaitable[CorpusAnswer]]
"""Finds results in a corpus other than code."""

Annotator = Callable[[list[SearchResult], Sequence[Checkout]], Awaitable[None]]
"""Adds what a part knows about code to the results that show that code."""

"""How answers can be trusted, the best first."""


async def worst_freshness(checkouts: Sequence[Checkout], freshness: FreshnessOf) -> Freshness:
    """The worst of several; behind and revision are sums."""
    worst = Freshness()
    for checkout in checkouts:
        each = await freshness(checkout)
        behind, revision = worst.files_behind + each.files_behind, worst.revision + each.revision
        if STATUSES.index(each.status) > STATUSES.index(worst.status):
            worst = each
        worst = msgspec.structs.replace(worst, files_behind=behind, revision=revision)
    return worst
