"""Calls of definitions that take something else now, and which of them do not fit any more."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import NamedTuple

from msgspec.structs import replace

from surveyor.change.comparison import ChangedSignature, is_about_results, why_unfit
from surveyor.change.jobs import METACLASS, CallsJob, DefinedSignature, HeldCalls
from surveyor.change.languages import READERS
from surveyor.change.references import counts_changed, reference_misfit, types_of_functions
from surveyor.change.signatures import Arguments, Signature, misfit
from surveyor.change.static_members import static_misfit
from surveyor.engine.file_versions import FileVersions, ReadCalls, current_texts, is_read
from surveyor.graph.facts import KIND_CODES
from surveyor.graph.languages.builtin_names import is_builtin
from surveyor.graph.queries import traverse
from surveyor.graph.queries.lookup import EdgeAt, Node, language_of_path
from surveyor.graph.queries.partial_types import name_at
from surveyor.graph.queries.query_context import QueryContext
from surveyor.graph.queries.traverse import supertypes
from surveyor.graph.resolve.certainty import CERTAIN
from surveyor.units import counted

__all__ = ["ChangedCalls", "UnfitCall"]

MAX_USERS = 600
"""Files whose calls are read."""
MAX_ADDED = 400
"""New definitions whose calls are looked at."""
_CALLS = ("call", "instantiation")
_NAMED_ONLY = ("import",)
"""Uses of a variable that do nothing with what it holds."""
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
_MAX_HEAD = 6
"""Lines of a definition that may have its parameters."""
_WORDS = re.compile(r"\w+")
MAX_EXTENSIONS = 50
"""Definitions of one name among which extensions are looked for."""
_EXTENSIONS = {
    "kotlin": re.compile(r"\bfun\b[^(={]*\.\s*`?\w+`?\s*\("),
    "csharp": re.compile(r"\(\s*this\s"),
}
"""How a definition looks that is called like a member and is none."""
_INHERITED_OVERLOADS = frozenset({"java", "kotlin", "csharp"})
"""Where a call of a type's method may mean one of the name that a type above has."""
MAX_DEPTH = 6
_HEADERS = frozenset({"c", "cpp"})
_IMPLEMENTED_ELSEWHERE = frozenset({"rust"})
"""Where a type may have methods in other files, which make values of it by `Self`."""
_OVERLOADED_FOR_CONSTRUCTORS = frozenset({"kotlin"})
"""Where what takes constructors has a signature for each number of arguments, as a rule."""


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
    kind: str = ""
    """What the graph calls the use."""


@dataclass(slots=True)
class _HeldThere:
    """What places come to that name something without calling it, or run it without naming it."""

    calls: list[tuple[_Call, Arguments]] = field(default_factory=list)
    """Calls of variables that hold it, with what they pass."""
    variables: list[tuple[_Call, str, str]] = field(default_factory=list)
    """Where it is held by what other files may know: the place, the variable, the receiver."""
    unknown: list[_Call] = field(default_factory=list)
    handed: list[tuple[_Call, HeldCalls]] = field(default_factory=list)
    """Where it is handed to what takes a function of so many arguments only."""
    unnamed: list[_Call] = field(default_factory=list)
    """What runs it without its name."""

    def take(self, others: Sequence[tuple[_Call, bool]], held: Sequence[HeldCalls]) -> None:
        """The places of one file, and what was read of those that name something."""
        named = [call for call, is_held in others if is_held]
        self.take_named(zip(named, held, strict=True))
        self.unnamed += [call for call, is_held in others if not is_held]

    def take_named(self, places: Iterable[tuple[_Call, HeldCalls]]) -> None:
        """Places that name something without calling it, with what was read there."""
        for call, answer in places:
            self.calls += [
                (call._replace(line=line, column=column), arguments)
                for line, column, arguments in answer.calls
            ]
            if answer.takers:
                self.handed.append((call, answer))
            elif not answer.are_all:
                self.unknown.append(call)
            elif answer.variable:
                self.variables.append((call, answer.variable, answer.receiver))

    def left(self) -> list[_Call]:
        """Those that stay unknown."""
        known = {(call.path, call.line, call.column, id(call.changed)) for call, _ in self.calls}
        return self.unknown + [
            call
            for call in self.unnamed
            if (call.path, call.line, call.column, id(call.changed)) not in known
        ]


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
    _extensions: dict[str, list[Signature]] = field(default_factory=dict)
    """What extensions take, by name."""
    _inherited: dict[tuple[str, str], list[Signature]] = field(default_factory=dict)
    """What methods take that types above have, by path and name of the one below."""
    _references: list[tuple[_Call, str]] = field(default_factory=list)
    """Where it is handed to what cannot take it any more, and why."""

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
            reason = reason or _static_misfit(call, arguments, around)
            if reason is None or _may_be_builtin(call, arguments):
                continue
            if await self._fits_extension(call, arguments):
                continue
            if await self._fits_inherited(call, arguments):
                continue
            sure = _is_sure(call, arguments, is_loose=loose)
            found.append(_unfit(call, reason, around, is_sure=sure))
        around = await self.context.stored.by_id(call.source for call, _ in self._references)
        for call, reason in self._references:
            found.append(_unfit(call, reason, around, is_sure=False))
        return found

    async def _fits_inherited(self, call: _Call, arguments: Arguments) -> bool:
        """Whether a method of that name which a type above has takes what is passed."""
        changed, path = call.changed, call.about.rpartition(":")[0] or call.about
        if not changed.owner or language_of_path(path) not in _INHERITED_OVERLOADS:
            return False
        key = (path, changed.now.qualname)
        if key not in self._inherited:
            self._inherited[key] = await self._inherited_of(*key)
        return any(misfit([e], arguments, changed.owner) is None for e in self._inherited[key])

    async def _inherited_of(self, path: str, qualname: str) -> list[Signature]:
        """What methods take that types above have by the name of one."""
        container, _, name = qualname.rpartition(".")
        stored = self.context.stored
        walk = await supertypes(stored, await stored.qualified(path, container), MAX_DEPTH)
        wanted: dict[str, set[str]] = {}
        for each in walk.reached:
            if is_read(each.node.path):
                wanted.setdefault(each.node.path, set()).add(f"{each.node.qualname}.{name}")
        texts = await current_texts(self.context, list(wanted))
        jobs = [CallsJob(path, text) for path, text in zip(wanted, texts, strict=True)]
        return [
            each.signature
            for job, answer in zip(jobs, await self.read(jobs), strict=True)
            for each in answer.definitions
            if each.qualname in wanted[job.path]
        ]

    async def _fits_extension(self, call: _Call, arguments: Arguments) -> bool:
        """Whether an extension takes what a member of that name does not: then it is meant."""
        mark = _EXTENSIONS.get(language_of_path(call.path) or "")
        name = call.changed.now.qualname.rpartition(".")[2]
        if mark is None:
            return False
        if name not in self._extensions:
            self._extensions[name] = await self._extensions_of(name, mark)
        return any(misfit([each], arguments) is None for each in self._extensions[name])

    async def _extensions_of(self, name: str, mark: re.Pattern[str]) -> list[Signature]:
        """What extensions of a name take, but for those that take something else now."""
        changed = {(path, each.now.line) for path, each in self.changed}
        lines: dict[str, set[int]] = {}
        for node in (await self.context.stored.named(name))[:MAX_EXTENSIONS]:
            head = range(node.line, min(node.end_line, node.line + _MAX_HEAD) + 1)
            said = " ".join(self.context.lines.get(node.path, line) for line in head)
            if (node.path, node.line) not in changed and mark.search(said) is not None:
                lines.setdefault(node.path, set()).add(node.line)
        paths = [path for path in lines if is_read(path)]
        texts = await current_texts(self.context, paths)
        jobs = [CallsJob(path, text) for path, text in zip(paths, texts, strict=True)]
        return [
            each.signature
            for path, answer in zip(paths, await self.read(jobs), strict=True)
            for each in answer.definitions
            if each.line in lines[path] and each.qualname.rpartition(".")[2] == name
        ]

    async def _named(self) -> list[tuple[_Call, Arguments]]:
        """Calls by a name, with what they pass."""
        uses: dict[str, list[_Call]] = {}
        others: dict[str, list[tuple[_Call, bool]]] = {}
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
            self.lacks.append(
                counted(
                    len(paths) - MAX_USERS,
                    "file that uses what changed was not read",
                    "files that use what changed were not read",
                )
            )
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
        found, held = [], _HeldThere()
        for job, answer in zip(jobs, await self.read(jobs), strict=True):
            called = zip(uses.get(job.path, ()), answer.arguments, strict=True)
            found += [(call, arguments) for call, arguments in called if arguments is not None]
            held.take(others.get(job.path, ()), answer.held)
            named = zip(uses.get(job.path, ()), answer.not_called, strict=True)
            held.take_named(
                (call, handed)
                for call, handed in named
                if handed is not None and call.kind in _CALLS and call.changed.before
            )
        await self._held_elsewhere(held)
        await self._handed_over(held)
        self._say_unnamed(held.left())
        return [*found, *held.calls]

    async def _handed_over(self, held: _HeldThere) -> None:
        """Which of those that take a function of so many arguments cannot take it any more."""
        versions = {file.path: file for file in self.files}
        for call, answer in held.handed:
            file = versions.get(call.path)
            if not counts_changed(call.changed):
                continue
            reason = reference_misfit(call.changed, answer.taken_with)
            is_made = _type_made(call.about, call.changed.now)
            if is_made and language_of_path(call.path) in _OVERLOADED_FOR_CONSTRUCTORS:
                reason = None
            touched = file is not None and file.is_touched(call.line, call.line)
            if reason is None or touched or await self._may_have_changed(answer.takers, versions):
                held.unknown.append(call)
            else:
                self._references.append((call, reason))

    async def _may_have_changed(
        self, takers: Sequence[str], versions: Mapping[str, FileVersions]
    ) -> bool:
        """Whether what takes a function may be in a changed file, or take a type of one."""
        types = self._types_changed()
        if not types.isdisjoint(takers):
            return True
        for word in takers:
            for node in await self.context.stored.named(word):
                lines = range(node.line, min(node.end_line, node.line + _MAX_HEAD) + 1)
                said = " ".join(self.context.lines.get(node.path, line) for line in lines)
                if node.path in versions or not types.isdisjoint(_WORDS.findall(said)):
                    return True
        return False

    def _types_changed(self) -> set[str]:
        """Names of types of functions that the change may have changed."""
        owners = {
            changed.owner
            for _, changed in (*self.changed, *self.added)
            if changed.owner and counts_changed(changed)
        }
        for file in self.files:
            lines = file.after.split(b"\n")
            for first, last in file.touched:
                for line in lines[first - 1 : last]:
                    owners.update(types_of_functions(line))
        return owners

    async def _held_elsewhere(self, held: _HeldThere) -> None:
        """Calls from other files of variables that hold a definition and are known there."""
        stored = self.context.stored
        asked: dict[str, list[tuple[_Call, str]]] = {}
        for call, variable, receiver in held.variables:
            nodes = await stored.qualified(call.path, variable)
            edges = await stored.uses([node.node_id for node in nodes])
            others = [e for e in edges if e.score >= CERTAIN and e.path != call.path]
            is_only_called = all(e.kind in (*_CALLS, *_NAMED_ONLY) for e in others)
            if not nodes or not is_only_called or not all(is_read(e.path) for e in others):
                held.unknown.append(call)
                continue
            for edge in others:
                if edge.kind in _CALLS:
                    at = call._replace(
                        path=edge.path, line=edge.line, column=edge.column,
                        source=edge.source, is_test=edge.is_test,
                    )  # fmt: skip
                    asked.setdefault(edge.path, []).append((at, receiver))
        texts = await current_texts(self.context, list(asked))
        jobs = [
            CallsJob(path, text, _places(call for call, _ in asked[path]))
            for path, text in zip(asked, texts, strict=True)
        ]
        for job, answer in zip(jobs, await self.read(jobs), strict=True):
            for (call, receiver), arguments in zip(asked[job.path], answer.arguments, strict=True):
                if arguments is not None:
                    held.calls.append((call, replace(arguments, receiver=receiver)))

    def _say_unnamed(self, calls: Sequence[_Call]) -> None:
        """What hands a definition on, or runs it in a callback, may pass something else than what
        stands there."""
        by_name: dict[str, set[tuple[str, int]]] = {}
        for call in calls:
            by_name.setdefault(call.changed.now.qualname, set()).add((call.path, call.line))
        for name, places in by_name.items():
            path, line = min(places)
            many = counted(len(places), "place")
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
            if language_of_path(path) in _IMPLEMENTED_ELSEWHERE:
                for edge in await self.context.stored.uses([node.node_id for node in types]):
                    names = asked.setdefault(edge.path, {})
                    own = (owner.rpartition(".")[2], False)
                    if edge.score >= CERTAIN and edge.path != path:
                        names.setdefault(own, [])
                        if (path, changed) not in names[own]:
                            names[own].append((path, changed))
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
        if owner == qualname:  # a method may be called like its type and make none of it
            nodes = [
                node
                for node in nodes
                if node.kind not in ("method", "function") or node.qualname != f"{owner}.{name}"
            ]
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


def _unfit(call: _Call, reason: str, around: Mapping[int, Node], *, is_sure: bool) -> UnfitCall:
    where = around.get(call.source)
    symbol = where.qualname if where is not None else ""
    place = (call.path, call.line, call.column)
    return UnfitCall(*place, reason, call.changed, call.about, is_sure, symbol, call.is_test)


def _static_misfit(call: _Call, arguments: Arguments, around: Mapping[int, Node]) -> str | None:
    language = language_of_path(call.path)
    changed, where = call.changed, around.get(call.source)
    is_in_type = where is not None and "." in where.qualname
    if language is None or language != language_of_path(call.about):
        return None
    return static_misfit(
        language, changed.before, changed.after, arguments, changed.owner, is_in_type=is_in_type
    )


def _call_at(edge: EdgeAt, about: str, changed: ChangedSignature) -> _Call:
    return _Call(
        edge.path, edge.line, edge.column, about, changed, edge.source, edge.is_test, edge.kind
    )


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
        more = ("type",) if language_of_path(path) in _HEADERS else ()  # `Box one(1);`
        return iter((*_OF_CONSTRUCTORS, *more))
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


def _may_be_builtin(call: _Call, arguments: Arguments) -> bool:
    """Whether a bare call in a type of Kotlin means `print` of the language where the type's own
    takes something else."""
    name = call.changed.now.qualname.rpartition(".")[2]
    language = language_of_path(call.path)
    is_bare = bool(call.changed.owner) and not arguments.receiver
    return language == "kotlin" and is_bare and is_builtin(name, language)


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
