"""Calls of definitions that take something else now, and which of them do not fit any more."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import NamedTuple

from surveyor.change.comparison import ChangedSignature, is_about_results, why_unfit
from surveyor.change.jobs import METACLASS, CallsJob, DefinedSignature, HeldCalls
from surveyor.change.languages import READERS
from surveyor.change.signatures import Arguments, misfit
from surveyor.engine.file_versions import FileVersions, ReadCalls, current_texts, is_read
from surveyor.graph.facts import KIND_CODES
from surveyor.graph.queries import traverse
from surveyor.graph.queries.items import language_of_path
from surveyor.graph.queries.lookup import EdgeAt, Node
from surveyor.graph.queries.partial_types import name_at
from surveyor.graph.queries.query_context import QueryContext
from surveyor.graph.resolve.certainty import CERTAIN

__all__ = ["ChangedCalls", "UnfitCall"]

MAX_USERS = 600
"""Files whose calls are read."""
MAX_ADDED = 400
"""New definitions whose calls are looked at."""
_CALLS = ("call", "instantiation")
_UNNAMED = "implicit"
_HELD = "read"
_OF_CONSTRUCTORS = (*_CALLS, _UNNAMED, "inheritance", "write")
"""Also values of types below, the type above where it is called (`: Box(1)`), and what C++ writes
before a constructor's body."""
_CALLED_LIKE_FUNCTIONS = frozenset({"__call__", "__invoke", "invoke", "operator()"})
"""Members by which a value is called."""
_HANDED = frozenset({"function", "method"})
"""What is run somewhere else where it is named and not called."""
_MADE_BY_TYPE = frozenset({"class", "struct", "record", "enum"})
_LOOSE = frozenset({"javascript"})
"""Where a call with too few or too many arguments runs."""
_RESULTS_CHECKED = frozenset({"go", "java", "c", "cpp", "csharp"})
"""Where what uses a result that is not there, or not as it was, does not compile."""
_HEADERS = frozenset({"c", "cpp"})


class UnfitCall(NamedTuple):
    """A call that does not fit what it calls."""

    path: str
    line: int
    column: int
    reason: str
    changed: ChangedSignature
    about: str
    """Path of what it calls."""
    is_sure: bool
    symbol: str = ""
    """What the call is in."""
    is_test: bool = False


class _Call(NamedTuple):
    """A call of something that changed."""

    path: str
    line: int
    column: int
    about: str
    changed: ChangedSignature
    source: int = 0
    """Node around it."""
    is_test: bool = False


@dataclass(slots=True)
class ChangedCalls:
    """The calls of what one change gave other parameters."""

    context: QueryContext
    read: ReadCalls
    files: Sequence[FileVersions]
    changed: Sequence[tuple[str, ChangedSignature]]
    """Path and what takes something else now."""
    added: Sequence[tuple[str, ChangedSignature]] = ()
    """The same of what only is there since: of its calls those that the change wrote count."""
    lacks: list[str] = field(default_factory=list)
    """What was not looked at."""

    async def unfit(self) -> list[UnfitCall]:
        """Those that do not fit."""
        calls = [*await self._named(), *await self._handed_on()]
        doubted = {
            id(call.changed) for call, arguments in calls if _is_injected(call.changed, arguments)
        }
        around = await self.context.stored.by_id(call.source for call, _ in calls)
        versions = {file.path: file for file in self.files}
        found = []
        for call, arguments in calls:
            if id(call.changed) in doubted:
                continue
            file = versions.get(call.path)
            touched = file is not None and file.is_touched(call.line, arguments.end_line)
            loose = language_of_path(call.path) in _LOOSE
            reason = why_unfit(call.changed, arguments, is_touched=touched, is_loose=loose)
            if reason is None:
                continue
            where = around.get(call.source)
            found.append(
                UnfitCall(
                    call.path,
                    call.line,
                    call.column,
                    reason,
                    call.changed,
                    call.about,
                    _is_sure(call, arguments, is_loose=loose),
                    where.qualname if where is not None else "",
                    call.is_test,
                )
            )
        return found

    async def _named(self) -> list[tuple[_Call, Arguments]]:
        """Calls by a name, with what they pass."""
        uses: dict[str, list[_Call]] = {}
        others: dict[str, list[tuple[_Call, bool]]] = {}
        uncompared: list[_Call] = []
        versions = {file.path: file for file in self.files}
        for path, changed in (*self.changed, *self.added[:MAX_ADDED]):
            if changed.is_wrapped_anew or METACLASS in changed.now.wrapped_by:
                continue
            targets = [node.node_id for node in await self._targets(path, changed.now)]
            kinds = {*_kinds(path, changed.now)}
            unnamed = {*_kinds_unnamed(path, changed)} - kinds
            codes = [KIND_CODES[kind] for kind in kinds | unnamed]
            for edge in await self.context.stored.uses(targets, codes):
                if edge.score < CERTAIN or not is_read(edge.path):
                    continue
                call = _call_at(edge, path, changed)
                if edge.kind in unnamed:
                    others.setdefault(edge.path, []).append((call, edge.kind == _HELD))
                    continue
                file = versions.get(edge.path)
                if changed.before or (file is not None and file.is_touched(edge.line, edge.line)):
                    uses.setdefault(edge.path, []).append(call)
        paths = [*uses, *(path for path in others if path not in uses)]
        if len(paths) > MAX_USERS:
            self.lacks.append(f"{len(paths) - MAX_USERS} files that use what changed were not read")
        texts = await current_texts(self.context, paths[:MAX_USERS])
        jobs = [
            CallsJob(
                path,
                text,
                _places(uses.get(path, ())),
                held=_places(call for call, is_held in others.get(path, ()) if is_held),
            )
            for path, text in zip(paths, texts, strict=False)
        ]
        found = []
        for job, answer in zip(jobs, await self.read(jobs), strict=True):
            called = zip(uses.get(job.path, ()), answer.arguments, strict=True)
            found += [(call, arguments) for call, arguments in called if arguments is not None]
            held, left = _calls_held(others.get(job.path, ()), answer.held)
            found += held
            uncompared += left
        self._say_unnamed(uncompared)
        return found

    def _say_unnamed(self, calls: Sequence[_Call]) -> None:
        """What hands a definition on, or runs it in a callback, may pass something else than what
        stands there."""
        by_name: dict[str, set[tuple[str, int]]] = {}
        for call in calls:
            by_name.setdefault(call.changed.now.qualname, set()).add((call.path, call.line))
        for name, places in by_name.items():
            path, line = min(places)
            many = "1 place" if len(places) == 1 else f"{len(places)} places"
            self.lacks.append(
                f"{many} may run {name} without its name, and what is passed there is"
                f" not compared ({path}:{line})"
            )

    async def _handed_on(self) -> list[tuple[_Call, Arguments]]:
        """`super(1)`, `cls(1)` and the like: calls of constructors that no name leads to."""
        asked: dict[str, dict[tuple[str, bool], list[tuple[str, ChangedSignature]]]] = {}
        for path, changed in self.changed:
            owner = _type_made(path, changed.now)
            if not owner or changed.is_wrapped_anew or METACLASS in changed.now.wrapped_by:
                continue
            names = asked.setdefault(path, {})
            names.setdefault((owner.rpartition(".")[2], False), []).append((path, changed))
            types = await self.context.stored.qualified(path, owner)
            for reached in (await traverse.subtypes(self.context.stored, types, 1)).reached:
                below = reached.node
                if is_read(below.path):
                    names = asked.setdefault(below.path, {})
                    names.setdefault((below.name, True), []).append((path, changed))
        paths = list(asked)[:MAX_USERS]
        texts = await current_texts(self.context, paths)
        jobs = [
            CallsJob(path, text, handed_on=True) for path, text in zip(paths, texts, strict=True)
        ]
        found = []
        for path, answer in zip(paths, await self.read(jobs), strict=True):
            for each in answer.handed_on:
                for about, changed in asked[path].get((each.owner, each.is_above), ()):
                    call = _Call(path, each.line, each.column, about, changed)
                    found.append((call, each.arguments))
        return found

    async def _targets(self, path: str, defined: DefinedSignature) -> list[Node]:
        """The definitions by which a changed one is called: a constructor by its type's too."""
        stored, language = self.context.stored, language_of_path(path)
        qualname = await name_at(stored, path, defined.qualname, defined.line)
        names = [qualname]
        name = defined.qualname.rpartition(".")[2]
        owner = _type_made(path, defined)
        if owner and owner == defined.qualname:
            owner = qualname
        elif owner:
            owner = qualname.rpartition(".")[0]
        if owner and owner != qualname:
            names.append(owner)
        elif owner:
            names += [f"{owner}.{name}", f"{owner}.constructor"]
        nodes = await stored.qualified(path, *names)
        reader = READERS[language or ""]
        if owner and reader.inherits_constructor:
            nodes += await self._without_constructor(nodes, reader.constructor)
        if language in _HEADERS:  # callers may see the other of declaration and definition
            stem = PurePosixPath(path).stem
            nodes += [
                node
                for node in await stored.named(name)
                if node.qualname == defined.qualname
                and PurePosixPath(node.path).stem == stem
                and language_of_path(node.path) in _HEADERS
            ]
        return nodes

    async def _without_constructor(self, nodes: Sequence[Node], constructor: str) -> list[Node]:
        """Types right below that have no constructor of their own."""
        stored = self.context.stored
        walk = await traverse.subtypes(stored, nodes, 1)
        return [
            reached.node
            for reached in walk.reached
            if not await stored.qualified(
                reached.node.path, f"{reached.node.qualname}.{constructor}"
            )
        ]


def _call_at(edge: EdgeAt, about: str, changed: ChangedSignature) -> _Call:
    return _Call(edge.path, edge.line, edge.column, about, changed, edge.source, edge.is_test)


def _type_made(path: str, defined: DefinedSignature) -> str:
    """The type whose values a definition makes; empty where it makes none."""
    if defined.kind in _MADE_BY_TYPE:
        return defined.qualname
    container, _, name = defined.qualname.rpartition(".")
    reader = READERS[language_of_path(path) or ""]
    return container if defined.kind == "constructor" or name == reader.constructor else ""


def _kinds(path: str, defined: DefinedSignature) -> Iterator[str]:
    """The kinds of uses that may be calls."""
    if _type_made(path, defined):
        return iter(_OF_CONSTRUCTORS)
    is_called = defined.qualname.rpartition(".")[2] in _CALLED_LIKE_FUNCTIONS
    return iter((*_CALLS, _UNNAMED) if is_called else _CALLS)


def _kinds_unnamed(path: str, changed: ChangedSignature) -> tuple[str, ...]:
    """The kinds of uses by which something may be run that is not called there."""
    if not changed.before:
        return ()
    now = changed.now
    is_handed = now.kind in _HANDED and not now.signature.is_property and not _type_made(path, now)
    return (_UNNAMED, _HELD) if is_handed else (_UNNAMED,)


def _places(calls: Iterable[_Call]) -> list[tuple[int, int]]:
    return [(call.line, call.column) for call in calls]


def _calls_held(
    others: Sequence[tuple[_Call, bool]], held: Sequence[HeldCalls]
) -> tuple[list[tuple[_Call, Arguments]], list[_Call]]:
    """Of the places in one file that name something without calling it, or run it without naming
    it: calls with what they pass, and the places that stay unknown."""
    named = [call for call, is_held in others if is_held]
    found = [
        (call._replace(line=line, column=column), arguments)
        for call, answer in zip(named, held, strict=True)
        for line, column, arguments in answer.calls
    ]
    known = {(call.line, call.column, id(call.changed)) for call, _ in found}
    left = [call for call, answer in zip(named, held, strict=True) if not answer.are_all]
    left += [
        call
        for call, is_held in others
        if not is_held and (call.line, call.column, id(call.changed)) not in known
    ]
    return found, left


def _is_injected(changed: ChangedSignature, arguments: Arguments) -> bool:
    """Whether a call shows that a decorator changes what is taken: it fits neither version."""
    if not changed.now.wrapped_by:
        return False
    return all(
        misfit(signatures, arguments, changed.owner) is not None
        for signatures in (changed.before, changed.after)
    )


def _is_sure(call: _Call, arguments: Arguments, *, is_loose: bool) -> bool:
    if is_loose or call.changed.now.wrapped_by:
        return False
    checked = language_of_path(call.path) in _RESULTS_CHECKED
    return checked or not is_about_results(call.changed, arguments)
