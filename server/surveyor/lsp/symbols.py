"""`workspace/symbol`: exact names, then fuzzy ones, then what the words mean."""

from __future__ import annotations

import asyncio
import contextlib
import re
from asyncio import FIRST_COMPLETED
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import accumulate, repeat
from pathlib import Path
from typing import Any

import msgspec

from surveyor.errors import SurveyorError
from surveyor.lsp.engine_link import PATIENCE_S, EngineLink
from surveyor.lsp.kinds import number
from surveyor.lsp.protocol import InvalidParamsError
from surveyor.lsp.settings import EditorSettings
from surveyor.protocol.search import SymbolItem, WorkspaceSymbolsRequest
from surveyor.servers import messages
from surveyor.servers.errors import UpstreamError
from surveyor.servers.manager import UpstreamManager
from surveyor.servers.upstream import Upstream
from surveyor.servers.uris import to_uri

UPSTREAM_WAIT_S = 0.04
"""How long the upstream's own symbols are waited for, from the question on: the index has the names
already, and 50 ms are promised."""

OTHERS_S = 1.0
"""How long the other servers are waited for where one has answered and the index has nothing."""

ALONE_S = 10.0
"""How long servers are waited for, those that are starting too, where the index has no name."""

IN_TURN_S = 0.2
"""How long an answer is held back for that to an earlier question, which servers are waited for."""

ENGINE_WAIT_S = 2.0
MEANT_LIMIT = 15
"""Most results by meaning: after them come guesses."""

EXACT, CLOSE, MEANING = 0, 1, 2

TYPES = frozenset(map(number, ("class", "enum", "interface", "struct")))
"""Kinds that LSP has for types."""


@dataclass(frozen=True, slots=True)
class SymbolHit:
    """A symbol from any source, ready to be ranked."""

    group: int
    order: float
    name: str
    kind: int
    container: str
    uri: str
    line: int
    column: int
    end_line: int
    end_column: int
    detail: str = ""
    upstream: bool = False


class _Turn:
    """A question's place among those that are not answered yet.

    Editors ask with each key. Some neither take back what they asked before nor tell answers apart:
    the last that comes is shown. So answers come in the order of their questions.
    """

    def __init__(self, earlier: _Turn | None) -> None:
        self._earlier = earlier
        self._hurried = asyncio.Event()
        self._over = asyncio.Event()

    async def wait(self, awaited: asyncio.Future[Any], timeout: float) -> bool:
        """Wait for what is awaited; returns whether it is done. Not while a later answer waits."""
        if not self._hurried.is_set():
            hurried: asyncio.Future[Any] = asyncio.ensure_future(self._hurried.wait())
            try:
                await asyncio.wait({awaited, hurried}, timeout=timeout, return_when=FIRST_COMPLETED)
            finally:
                hurried.cancel()
        return awaited.done()

    async def come(self) -> None:
        """Until all that was asked before is answered, which is hurried after a moment."""
        if (earlier := self._earlier) is not None:
            over = asyncio.ensure_future(earlier._over.wait())
            try:
                if not await self.wait(over, IN_TURN_S):
                    earlier._hurry()
                    await over
            finally:
                over.cancel()

    def _hurry(self) -> None:
        turn: _Turn | None = self
        while turn is not None:
            turn._hurried.set()
            turn = turn._earlier

    def end(self) -> None:
        """It is answered, or nobody waits any more."""
        self._earlier = None
        self._over.set()


class WorkspaceSymbols:
    """Answers `workspace/symbol` over all workspace folders."""

    def __init__(
        self,
        index: EngineLink,
        folders: Callable[[], list[Path]],
        manager: Callable[[], UpstreamManager],
        settings: Callable[[], EditorSettings],
        until_configured: Callable[[], Awaitable[None]],
    ) -> None:
        self._until_configured = until_configured
        self._index = index
        self._folders = folders
        self._manager = manager
        self._settings = settings
        self._last: _Turn | None = None

    async def serve(self, params: msgspec.Raw) -> list[dict[str, Any]]:
        """`workspace/symbol`. Raises `InvalidParamsError`."""
        value = messages.decode(params)
        query = value.get("query") if isinstance(value, dict) else None
        if not isinstance(query, str):
            raise InvalidParamsError("query is missing")
        return await self.find(query)

    async def find(self, query: str) -> list[dict[str, Any]]:
        """Symbols for a query: best first, each once, at most `symbolLimit`."""
        self._last = turn = _Turn(self._last)
        try:
            hits = await self._hits(query, turn)
            limit = self._settings().symbol_limit
            found = [to_symbol(hit) for hit in deduplicate(hits, query)[:limit]]
            await turn.come()
            return found
        finally:
            turn.end()

    async def _hits(self, query: str, turn: _Turn) -> list[SymbolHit]:
        loop = asyncio.get_running_loop()
        until = loop.time() + UPSTREAM_WAIT_S
        upstream: list[SymbolHit] = []
        first: asyncio.Future[None] = loop.create_future()

        def came() -> None:
            if not first.done():
                first.set_result(None)

        theirs = asyncio.ensure_future(self._upstreams(query, upstream, came))
        theirs.add_done_callback(lambda _: came())
        try:
            per_root = await asyncio.gather(*(self._root(r, query) for r in self._folders()))
            done = await turn.wait(theirs, max(0.0, until - loop.time()))
            # Where servers are all there is they may take their time, those after the first less.
            if not done and not any(per_root) and await turn.wait(first, ALONE_S):
                await turn.wait(theirs, OTHERS_S)
            if not any(per_root) and not upstream and self._index.starts:
                # One that opens an index of an earlier version takes longer: an empty list would
                # say that there is no such symbol.
                folders = self._folders()
                late = (self._root(each, query, limit_s=PATIENCE_S) for each in folders)
                per_root = await asyncio.gather(*late)
        finally:
            theirs.cancel()
        return [hit for hits in (*per_root, upstream) for hit in hits]

    async def _root(
        self, root: Path, query: str, *, limit_s: float | None = None
    ) -> list[SymbolHit]:
        settings = self._settings()
        request = WorkspaceSymbolsRequest(
            query=query,
            cwd=str(root),
            limit=settings.symbol_limit,
            meant_limit=MEANT_LIMIT,
            # What another server finds by name is left out: meaning has its place.
            both=settings.any_companion,
        )
        # An engine that starts has nothing to say yet, which is not that there is nothing.
        if limit_s is None:
            limit_s = ENGINE_WAIT_S if self._index.up else ALONE_S
        try:
            answer = await self._index.call(request, limit_s=limit_s)
        except SurveyorError:
            return []
        hits = [
            from_symbol(item, group_of(query, item.name), rank)
            for rank, item in enumerate(answer.names)
        ]
        hits += map(from_symbol, answer.meant, repeat(MEANING), doubts(answer.meant))
        if settings.any_companion:
            hits = [hit for hit in hits if not self._theirs(hit, query, settings)]
        return hits

    def _theirs(self, hit: SymbolHit, query: str, settings: EditorSettings) -> bool:
        """Whether another server on the buffer finds the same by name (companion mode)."""
        language = self._manager().language_of(hit.uri)
        return (
            language is not None
            and settings.is_companion(language.name, "workspace/symbol")
            and is_subsequence(query, hit.name)
        )

    async def _upstreams(self, query: str, hits: list[SymbolHit], came: Callable[[], None]) -> None:
        """Add what the servers know, each when it answers; `came` is told of hits."""
        await self._until_configured()
        settings, manager = self._settings(), self._manager()

        async def ask(upstream: Upstream) -> None:
            if settings.is_companion(upstream.language, "workspace/symbol"):
                return
            with contextlib.suppress(UpstreamError):
                await upstream.wait_running(ALONE_S, ALONE_S)
                asked_for = {"query": query}
                answer = await upstream.request("workspace/symbol", asked_for, timeout=ALONE_S)
                items = answer.value()
                for rank, item in enumerate(items if isinstance(items, list) else []):
                    hit = from_lsp(item, query, rank)
                    if hit is not None and says(hit.name, query):
                        hits.append(hit)
                        came()

        async def ask_found(sought: asyncio.Future[Upstream]) -> None:
            with contextlib.suppress(UpstreamError):
                await ask(await asyncio.shield(sought))

        await asyncio.gather(*map(ask, manager.all()), *map(ask_found, manager.sought()))


@lru_cache(maxsize=4096)
def uri_of(root: str, path: str) -> str:
    """URI of a project's file: many symbols are in the same few."""
    return to_uri(Path(root) / path)


def doubts(meant: Sequence[SymbolItem]) -> list[float]:
    """How unsure each result by meaning is, never less than one before it.

    So results of several folders are merged by how sure they are, each folder's in their order.
    """
    return list(accumulate((1.0 - item.score for item in meant), max))


def deduplicate(hits: list[SymbolHit], query: str) -> list[SymbolHit]:
    """Best first, and each definition once, with what any source knows of it."""
    ordered = sorted(hits, key=lambda hit: (hit.group, hit.order, hit.uri, hit.line))
    named: dict[tuple[str, str], list[int]] = {}
    joined: set[int] = set()
    result: list[SymbolHit] = []
    for hit in ordered:
        places = named.setdefault((hit.uri, hit.name), [])
        same = next((at for at in places if _is_near(result[at], hit)), None)
        if same is None:
            rest = (at for at in places if at not in joined)
            same = next((at for at in rest if _is_within(result[at], hit)), None)
        if same is None:
            places.append(len(result))
            result.append(hit)
            continue
        kept = result[same]
        if kept.upstream != hit.upstream:
            joined.add(same)
        if (hit.container and not kept.container) or (hit.detail and not kept.detail):
            container, detail = kept.container or hit.container, kept.detail or hit.detail
            result[same] = replace(kept, container=container, detail=detail)
    return result


def _is_near(one: SymbolHit, other: SymbolHit) -> bool:
    """Whether two hits of a name in a file are one: the index counts a definition from its name or
    its first line, servers from either."""
    return abs(one.line - other.line) <= 1


def _is_within(one: SymbolHit, other: SymbolHit) -> bool:
    """Whether the name that the index has lies in the range that a server gives, which begins with
    decorators, attributes or a comment. A constructor in a class of its name is not the class."""
    if one.upstream == other.upstream:
        return False
    theirs, ours = (one, other) if one.upstream else (other, one)
    of_one_kind = (theirs.kind in TYPES) == (ours.kind in TYPES)
    return of_one_kind and theirs.line < ours.line <= theirs.end_line


def group_of(query: str, name: str) -> int:
    """Exact (whatever the case) or merely close."""
    return EXACT if name_in(query) == name.lower() else CLOSE


def says(name: str, query: str) -> bool:
    """Whether a server may mean a name by a query: any name, if that is one word.

    For a sentence some give every name that has one of its words or the letters: such as these
    would stand before what is meant, and in place of it.
    """
    words = query.lower().split()
    return len(words) < 2 or "".join(words).replace("_", "") in name.lower().replace("_", "")


@lru_cache(maxsize=16)
def name_in(query: str) -> str:
    """The name that a query such as `Class.method` asks for, without case."""
    return (re.split(r"[.:#/]+", query.strip())[-1] or query.strip()).lower()


def is_subsequence(query: str, name: str) -> bool:
    """Whether a fuzzy matcher of names would find `name` (VS Code's own rule)."""
    letters = iter(name.lower())
    return all(char in letters for char in query.lower().split(" ")[0])


def from_symbol(item: SymbolItem, group: int, order: float) -> SymbolHit:
    """A hit from the index."""
    return SymbolHit(
        group=group,
        order=order,
        name=item.name,
        kind=number(item.kind),
        container=item.container,
        uri=uri_of(item.root, item.path),
        line=item.line - 1,
        column=item.column,
        end_line=item.line - 1,
        end_column=max(item.end_column, item.column),
        detail=item.signature or "",
    )


def from_lsp(item: Any, query: str, rank: int) -> SymbolHit | None:
    """A hit from an upstream, or nothing where it is not one."""
    try:
        location = item["location"]
        where = location.get("range") or {"start": {"line": 0, "character": 0}}
        start, end = where["start"], where.get("end", where["start"])
        return SymbolHit(
            group=group_of(query, item["name"]),
            order=rank + 0.5,
            name=item["name"],
            kind=int(item.get("kind", 13)),
            container=item.get("containerName") or "",
            uri=str(location["uri"]),
            line=int(start["line"]),
            column=int(start["character"]),
            end_line=int(end["line"]),
            end_column=int(end["character"]),
            upstream=True,
        )
    except (KeyError, TypeError, AttributeError, ValueError):
        return None


def to_symbol(hit: SymbolHit) -> dict[str, Any]:
    """LSP's `WorkspaceSymbol`. Not lsprotocol's: a hundred of those cost more than finding them."""
    symbol: dict[str, Any] = {
        "name": hit.name,
        "kind": hit.kind if 1 <= hit.kind <= 26 else 13,
        "location": {
            "uri": hit.uri,
            "range": {
                "start": {"line": hit.line, "character": hit.column},
                "end": {"line": hit.end_line, "character": hit.end_column},
            },
        },
        "data": {"detail": hit.detail, "meaning": hit.group == MEANING},
    }
    if hit.container:
        symbol["containerName"] = hit.container
    return symbol
