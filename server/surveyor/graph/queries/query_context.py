"""One question about one checkout: what a name in it means, and how fresh the answer is."""

from __future__ import annotations

import re
import time
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from dataclasses import replace
from pathlib import Path, PurePath
from typing import Any, Protocol, TypeVar

from surveyor.errors import NotFoundError, Quoting, UsageError
from surveyor.files.contained_paths import below, composed_as_on_disk, read_below
from surveyor.files.similar_paths import similar_paths
from surveyor.graph.queries.items import LineReader
from surveyor.graph.queries.lookup import Node, StoredGraph
from surveyor.graph.queries.names import (
    NO_FILE,
    NameMeaning,
    find,
    find_at,
    find_file,
    is_nothing,
    without_path,
)
from surveyor.graph.queries.unfollowed import LeftOut, naming, pasting
from surveyor.graph.queries.unsaved import GraphWithUnsaved, UnsavedFile
from surveyor.graph.resolve.certainty import CERTAIN
from surveyor.graph.resolve.hints import IMPORT_MAP, IMPORT_TRACES, Hints
from surveyor.parsing.types import ParsedFile
from surveyor.paths import is_folder, is_there
from surveyor.protocol.base import Freshness
from surveyor.protocol.graph import GraphResponse, TargetRequest
from surveyor.store.state import State
from surveyor.store.state.files import file_state, indexed_paths
from surveyor.store.state.projects import Checkout
from surveyor.symbol_names import name_readings
from surveyor.units import counted

__all__ = [
    "FindWord",
    "FreshnessOf",
    "QueryContext",
    "UnsavedBuffer",
    "UnsavedBuffers",
    "nowhere",
]

F = TypeVar("F", bound=Freshness)
T = TypeVar("T")
_WORD = re.compile(r"[^\W\d]\w*[!?']*")
_SHOWN = 3
"""Places of a word that are named."""

_FOLDER, _OUTSIDE = "it is a folder", "it lies outside"
_IN_ITS_PLACE = {
    _FOLDER: "Name a file in it, or a symbol; `surveyor map FOLDER` shows what is in it.",
    _OUTSIDE: "Name a file of this project, or the other project with `--project`.",
}
"""What to ask for what is no file of the project."""

FreshnessOf = Callable[[Checkout], Awaitable[Freshness]]
"""How far answers from a checkout can be trusted."""
FindWord = Callable[[Checkout, str], Awaitable[Sequence[tuple[str, int]]]]
"""Where a word stands in a checkout's code, as path and line; not in comments and strings."""


async def nowhere(_checkout: Checkout, _word: str) -> Sequence[tuple[str, int]]:
    """Where a word stands for whoever knows no texts: nowhere."""
    return ()


def _what_is_at(root: str, path: str) -> str:
    """What there is in place of a file that the index has not; empty where it may be a file."""
    try:
        there = Path(root, below(Path(root), path))
    except UsageError:
        pure = PurePath(path)
        return _OUTSIDE if pure.is_absolute() or ".." in pure.parts else ""
    if is_folder(there):
        return _FOLDER
    return "" if is_there(there) else "there is no such file"


class UnsavedBuffer(Protocol):
    """What an editor holds of a file, and has not saved."""

    @property
    def path(self) -> str:
        """From the root of its checkout."""
        ...

    @property
    def version(self) -> int:
        """As the editor counts."""
        ...


class UnsavedBuffers(Protocol):
    """The unsaved buffers of all editors."""

    def of(self, checkout_id: str) -> Sequence[UnsavedBuffer]:
        """The buffers of a checkout."""
        ...

    def text(self, checkout_id: str, path: str) -> tuple[str, int] | None:
        """A buffer's text and version."""
        ...

    def parsed(self, checkout_id: str) -> Mapping[str, tuple[int, ParsedFile]]:
        """Version and contents of each buffer of a checkout, by path."""
        ...


class QueryContext:
    """One question about one checkout, while it is answered."""

    def __init__(
        self,
        state: State,
        checkout: Checkout,
        buffers: UnsavedBuffers,
        freshness: FreshnessOf,
        *,
        pending: bool,
        left_out: Callable[[], Awaitable[LeftOut]],
        find_word: FindWord,
        unsaved: Mapping[str, UnsavedFile] | None = None,
    ) -> None:
        self.checkout, self.buffers = checkout, buffers
        self._freshness = freshness
        self._left_out = left_out
        self._find_word = find_word
        self._state = state
        self.pending = pending
        self.outdated = ""
        """The server whose stored answer is not true any more, if there is one."""
        self.held_back = ""
        """Why a server that is here was not asked: its folder has to be trusted first."""
        self.started = time.perf_counter()
        self.unsaved = {path: each.version for path, each in (unsaved or {}).items()}
        """Version of each buffer that the answer is of, by path."""
        self.stored = (
            GraphWithUnsaved(state, checkout.checkout_id, unsaved)
            if unsaved
            else StoredGraph(state, checkout.checkout_id)
        )
        texts = {
            buffer.path: text[0]
            for buffer in buffers.of(checkout.checkout_id)
            if (text := buffers.text(checkout.checkout_id, buffer.path))
        }
        self.lines = LineReader(checkout.root, texts)

    async def meant(self, request: TargetRequest[Any]) -> NameMeaning:
        """What a request is about: a symbol by name or by position; a file by its path.

        Raises:
            NotFoundError: there is none; or none yet, while the graph is being made.
        """
        return await self._sought(request.name or "", self._named(request))

    async def named(self, name: str) -> NameMeaning:
        """The definition that a name means. Raises `NotFoundError`, as `meant`."""
        return await self._sought(name, find(self.stored, name, self.home))

    async def _sought(self, name: str, question: Coroutine[Any, Any, NameMeaning]) -> NameMeaning:
        """What a question for a name comes to; with what is known of the name where it has no
        definition."""
        try:
            meant = await self.in_one_thread(question)
        except NotFoundError as error:
            if not self.pending:
                fresh = await self._freshness(self.checkout)
                if fresh.status != "indexing":
                    said = await self._nothing(name, error)
                    if said is not error or fresh.status == "healthy":
                        raise said from error
                    doubt = f"[{fresh.status}] {fresh.message or fresh.reason}"
                    raise NotFoundError(error.message, Quoting(doubt)) from error
            raise NotFoundError(
                f"{error.message} so far: the graph of {self.checkout.root} is still being made",
                "Ask again in a moment; searches answer meanwhile.",
            ) from error
        if meant.instead_of and (standing := await self._standing(meant.instead_of)):
            notice = f"{standing}; this is {meant.nodes[0].key}"
            return replace(meant, notice=notice, is_doubtful=True)
        return meant

    async def _nothing(self, name: str, error: NotFoundError) -> NotFoundError:
        """The error where a name has no definition: that there is none is not said of one that
        stands in code, for a macro or generated code may define it."""
        what = _what_is_at(self.checkout.root, name) if name else ""
        if hint := _IN_ITS_PLACE.get(what):
            return NotFoundError(f"{error.message}: {what}", hint)
        standing = await self._standing(name) if is_nothing(error, name) else ""
        left_out = await self._left_out_with(name)
        if not standing and not left_out:
            return error
        found = NotFoundError(
            "; but ".join(filter(None, (standing or error.message, left_out))), error.hint
        )
        found.hint_quotes = error.hint_quotes
        if standing:
            found.details["complete"] = False
        return found

    async def _standing(self, name: str) -> str:
        """That a name without a definition stands in code, or that a macro may make it, in words;
        empty where neither is so, or where each place is known to mean another definition."""
        readings = name_readings(without_path(name))
        word = readings[0][-1] if readings else ""
        if not _WORD.fullmatch(word):
            return ""
        places = list(dict.fromkeys(await self._find_word(self.checkout, word)))
        if places and (others := await self.stored.named(word)):
            uses = await self.stored.uses([each.node_id for each in others])
            others += await self.stored.overloads(others)
            known = {(each.path, each.line) for each in others}
            known |= {(each.path, each.line) for each in uses if each.score >= CERTAIN}
            places = [place for place in places if place not in known]
        if not places:
            path = await pasting(self.stored, word)
            said = f"no definition of {name} is known; a macro in {path} may make its name (##)"
            return said if path else ""
        first = ", ".join(f"{path}:{line}" for path, line in places[:_SHOWN])
        more = f" and {len(places) - _SHOWN} more" if len(places) > _SHOWN else ""
        return (
            f"no definition of {name} is known; the word {word} stands at"
            f" {counted(len(places), 'place')} in code ({first}{more}), and a macro, generated code"
            " or another package may define it"
        )

    async def _named(self, request: TargetRequest[Any]) -> NameMeaning:
        name, path = request.name, request.path
        if path is not None:
            found = await self.indexed_file(path)
            if request.line is not None:
                return await find_at(
                    self.stored, found, request.line, request.column, enclosing=request.enclosing
                )
            if name:
                return await find(self.stored, f"{found}:{name}", self.home)
            return NameMeaning([await self.file(found)])
        may_be_a_file = "." in name or "/" in name  # a script may have no ending
        file = await find_file(self.stored, self.relative(name)) if may_be_a_file else None
        if file is not None:
            return NameMeaning([await self.file(file)])
        return await find(self.stored, name, self.home)

    async def indexed_file(self, text: str) -> str:
        """The path of a file from the root. Raises `NotFoundError` where the index has it not."""
        path = await find_file(self.stored, self.relative(text))
        known = await file_state(self._state, self.checkout.checkout_id, path) if path else None
        if path is not None and (known is None or known.status == "indexed"):
            return path
        said = f"{text} is not in the index of {self.checkout.root}"
        if known is not None:
            raise NotFoundError(f"{said}: it is left out ({known.reason})", NO_FILE)
        what = _what_is_at(self.checkout.root, text)
        error = NotFoundError(f"{said}: {what}" if what else said, _IN_ITS_PLACE.get(what, NO_FILE))
        paths = await indexed_paths(self._state, self.checkout.checkout_id)
        error.details["near"] = similar_paths(text, paths)
        raise error

    async def _left_out_with(self, name: str) -> str:
        """The files that are left out and have a name in them, in words; empty where none has."""
        readings = name_readings(name)
        if not readings:
            return ""
        every = [each for files in (await self._left_out()).values() for each in files]
        having = await naming(self.checkout.root, every, readings[0][-1])
        if not having:
            return ""
        path, reason = having[0]
        more = f" and {len(having) - 1} more" if len(having) > 1 else ""
        return f"{path} ({reason}){more}, which has the name, is left out"

    async def in_one_thread(self, question: Coroutine[Any, Any, T]) -> T:
        """What a question of the stored graph comes to that looks at nothing else."""
        return await self.stored.state.in_one_thread(question)

    @property
    def home(self) -> str:
        """What the project's folder is called."""
        return PurePath(self.checkout.root).name

    def relative(self, path: str) -> str:
        """A path from the root."""
        root = self.checkout.root.rstrip("/") + "/"
        return composed_as_on_disk(Path(self.checkout.root), path.removeprefix(root))

    async def file(self, path: str) -> Node:
        """The node of an indexed file."""
        node = await self.stored.file(path)
        if node is None:
            raise NotFoundError(
                f"{path} has no graph",
                "Its language has no references query, or it is not indexed yet.",
            )
        return node

    async def freshen(self, answer: F) -> F:
        """Fill in how fresh the answer is."""
        fresh = await self._freshness(self.checkout)
        for name in Freshness.__struct_fields__:
            setattr(answer, name, getattr(fresh, name))
        if self.pending and answer.status == "healthy":
            answer.status, answer.reason = "indexing", "graph"
            answer.message = "Edges are being resolved."
        return answer

    def mark_unsaved(self, response: GraphResponse) -> None:
        """Say of what is read from a buffer which version of it that is."""
        if not self.unsaved:
            return
        subject = [response.symbol] if response.symbol is not None else []
        for item in (*subject, *response.results, *response.candidates):
            item.unsaved_version = self.unsaved.get(item.path)
        for item in subject or response.results[:1]:
            response.unsaved_version = response.unsaved_version or item.unsaved_version

    def said_gone(self, nodes: Sequence[Node]) -> str | None:
        """Said of a definition that a buffer has renamed or removed."""
        gone = [node for node in nodes if node.gone]
        if not gone or len(gone) < len(nodes):
            return None
        path = gone[0].path
        return (
            f"{gone[0].qualname} is not defined in {path} any more (unsaved, version"
            f" {self.unsaved.get(path)}): what still names it is broken"
        )

    def with_hint_problems(self, notice: str | None) -> str | None:
        """A notice, and what is wrong in the files that say what imports mean."""
        texts: list[str | None] = []
        for name in (IMPORT_MAP, IMPORT_TRACES):
            try:
                data = read_below(Path(self.checkout.root), name)
                texts.append(data.decode("utf-8", "replace"))
            except OSError:
                texts.append(None)
        problems = Hints.read(texts[0], texts[1], ()).problems if any(texts) else []
        return "; ".join([*([notice] if notice else []), *problems[:3]]) or None

    def took_ms(self) -> float:
        """Milliseconds so far."""
        return round((time.perf_counter() - self.started) * 1000, 2)
