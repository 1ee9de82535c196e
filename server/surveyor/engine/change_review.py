"""What a change leaves behind: its versions compared, and who uses what they define differently."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import NamedTuple

from surveyor.change.comparison import (
    ChangedSignature,
    added_signatures,
    aligned,
    changed_signatures,
    renamed_to,
)
from surveyor.change.jobs import (
    CallsJob,
    DefinedReach,
    DefinedSignature,
    EnumMember,
    ModuleExports,
)
from surveyor.change.signatures import Signature
from surveyor.engine.changed_calls import ChangedCalls, UnfitCall
from surveyor.engine.cpp_definitions import CppDefinitions
from surveyor.engine.dead_imports import dead_imports
from surveyor.engine.file_versions import FileVersions, ReadCalls, current_texts, is_read
from surveyor.engine.hidden_definitions import HiddenDefinitions, not_public
from surveyor.engine.import_meaning import may_name
from surveyor.engine.left_behind import LeftBehind
from surveyor.engine.lost_exports import LostExports, is_exported_as_property
from surveyor.engine.lost_inheritance import LostInheritance
from surveyor.engine.required_members import Defined, RequiredMembers
from surveyor.engine.summed_findings import summed
from surveyor.engine.unhandled_members import UnhandledMembers
from surveyor.graph.expressions.bindings import CalledWith
from surveyor.graph.expressions.grammar import parse_qualifier
from surveyor.graph.expressions.model import Expression
from surveyor.graph.facts import (
    KIND_CODES,
    FileFacts,
    ImportLink,
    decode_blobs,
    decode_facts,
)
from surveyor.graph.languages.builtin_names import is_builtin
from surveyor.graph.queries.former_uses import FormerUses
from surveyor.graph.queries.go_method_sets import implemented_before
from surveyor.graph.queries.gone_files import GoneImports
from surveyor.graph.queries.lookup import Node, language_of_path
from surveyor.graph.queries.names import NameMeaning
from surveyor.graph.queries.partial_types import name_at
from surveyor.graph.queries.query_context import QueryContext
from surveyor.graph.queries.removed import RemovedDefinition, still_used
from surveyor.graph.queries.type_hierarchy import implementations
from surveyor.graph.resolve.certainty import CERTAIN
from surveyor.graph.resolve.values import TYPE_KINDS
from surveyor.protocol.check import CheckFinding
from surveyor.protocol.enumerations import Certainty, FindingKind
from surveyor.protocol.graph import ImpactItem
from surveyor.units import counted

__all__ = ["ChangeReview", "ImportedModules", "finding_order"]

_IMPLICIT = KIND_CODES["implicit"]
_MEMBERS = ("method", "property", "field", "constructor")
_VALUES = frozenset({"variable", "constant"})
_TOLD_BY_A_DOT = frozenset({"rust"})
"""Where a dot stands before members of values only."""
_IMPORTED_ARE_MEMBERS = frozenset({"python"})
"""Where what a file imports can be imported from it."""
_MACROS_OF_TOKENS = frozenset({"rust"})
_DEFINED = re.compile(r"\b(?:fn|struct|enum|union|trait|mod|const|static|type)\s+(\w+)")
"""What is written where a name is defined, and the name."""
_SAME_FOLDER = frozenset({"go", "java", "kotlin", "csharp"})
"""Where files of one folder see each other without an import."""
_BARE_MEMBERS = frozenset({"ruby", "java", "kotlin", "csharp", "cpp"})
"""Where members are named without what has them in the type's own code."""
_OWNED_BY_MODULES: dict[str | None, frozenset[str]] = {
    "python": frozenset(),
    "javascript": frozenset({"exports", "module", "globalThis", "window"}),
    "typescript": frozenset({"exports", "module", "globalThis", "window"}),
    "go": frozenset(),
    "rust": frozenset({"crate", "self", "super"}),
}
"""Where a member of a value is never a definition of no type, and what a module is called in any
file."""
_WORDS = re.compile(r"[\w$]+")
_FIELD_BEHIND = re.compile(r"\.(\w+)$")
"""A member that is read of a value: what stands behind that is of the member's type."""
_SAME_TYPE = frozenset({"Companion", "INSTANCE", "instance", "prototype"})
_CALLED_WITHOUT_BRACKETS = frozenset({"ruby", "scala"})
_COUNT = re.compile(r"^#\d+ ")
"""How many arguments a call has, before what has the member."""


class ImportedModules(NamedTuple):
    """What a file imported before a change, and imports after it, as written."""

    before: tuple[str, ...]
    after: tuple[str, ...]


@dataclass(slots=True)
class ChangeReview:
    """One look at a change, while it is being answered."""

    context: QueryContext
    read: ReadCalls
    files: Sequence[FileVersions]
    former: FormerUses
    """Who used what the saved change took away."""
    inheritance: LostInheritance
    """What types had from what they do not extend any more."""
    imports: GoneImports
    """Who imports files that are gone."""
    findings: list[CheckFinding] = field(default_factory=list)
    lacks: list[str] = field(default_factory=list)
    """What was not looked at."""
    changed: list[tuple[str, ChangedSignature]] = field(default_factory=list)
    """Path and what takes something else now."""
    added: list[tuple[str, ChangedSignature]] = field(default_factory=list)
    """The same of what is new, or called something else now."""
    modules: dict[str, ImportedModules] = field(default_factory=dict)
    """What changed files import and imported, by path."""
    _defined: dict[str, tuple[list[DefinedSignature], list[DefinedSignature]]] = field(
        default_factory=dict
    )
    """By path: before and now."""
    _enumerated: dict[str, tuple[list[EnumMember], list[EnumMember]]] = field(default_factory=dict)
    """The same of members of enumerations."""
    _reaches: dict[str, tuple[list[DefinedReach], list[DefinedReach]]] = field(default_factory=dict)
    """The same of from where it is seen."""
    _exports: dict[str, tuple[ModuleExports | None, ModuleExports | None]] = field(
        default_factory=dict
    )
    """The same of what others may import."""
    _imports: dict[str, list[ImportLink]] = field(default_factory=dict)
    """Of files, now."""
    _unread: set[str] = field(default_factory=set)
    """Files that cannot be read any more."""

    async def review(
        self, removed: Sequence[RemovedDefinition], moved: Sequence[RemovedDefinition] = ()
    ) -> None:
        """Find what does not fit any more; `removed` is what the saved change took away, `moved`
        what it left as it is in a file of another name."""
        await self._compare()
        await self._calls()
        await self._overrides()
        await self._members()
        await self._choices()
        await self._definitions()
        await self._removed([*removed, *moved])
        hidden = HiddenDefinitions(self.context, self._reaches)
        self._found_all("removed", await hidden.uses())
        self.lacks += hidden.lacks
        self._found_all("removed", await self.inheritance.uses())
        self._found_all("override", await self.inheritance.overrides())
        told = {(each.path, each.line) for each in self.findings if each.kind == "removed"}
        exports = LostExports(self.context, self.read, self._exports)
        self._found_all("removed", await exports.uses(told))
        self._found_all("removed", await dead_imports(self.context, self.imports, told))
        self.findings.sort(key=finding_order)
        self.findings = summed(self.findings)

    async def _compare(self) -> None:
        there = [file for file in self.files if file.after]  # else all of it is gone
        jobs = [
            CallsJob(file.path, data, reaches=True)
            for file in there
            for data in (file.before, file.after)
        ]
        answers = await self.read(jobs)
        for number, file in enumerate(there):
            after = answers[2 * number + 1]
            before = aligned(answers[2 * number], after)
            self._defined[file.path] = (before.definitions, after.definitions)
            self.modules[file.path] = ImportedModules(before.imported, after.imported)
            if after.error_lines and not before.error_lines:
                if not after.may_be_gap:
                    self._broken(file, after.error_lines[0])
                self._unread.add(file.path)
                continue  # what stands after it may be read as anything
            self._enumerated[file.path] = (before.enumerated, after.enumerated)
            self._reaches[file.path] = (before.reaches, after.reaches)
            self._exports[file.path] = (before.exports, after.exports)
            pairs = changed_signatures(before.definitions, after.definitions)
            self.changed += [(file.path, each) for each in pairs]
            added = added_signatures(before.definitions, after.definitions)
            self.added += [(file.path, each) for each in added]

    def _broken(self, file: FileVersions, line: int) -> None:
        self._found("syntax", "likely", (file.path, line, 0), "cannot be read from here on")

    # --- calls ------------------------------------------------------------------------------

    async def _calls(self) -> None:
        calls = ChangedCalls(self.context, self.read, self.files, self.changed, self.added)
        for call in await calls.unfit():
            self._misfit(call)
        self.lacks += calls.lacks

    def _misfit(self, call: UnfitCall) -> None:
        changed = call.changed
        said = f"({changed.after[0].named})" if len(changed.after) == 1 else ""
        self._found(
            "call",
            "certain" if call.is_sure else "likely",
            (call.path, call.line, call.column),
            f"{call.reason}: {changed.now.qualname}{said}",
            about=f"{call.about}:{changed.now.line}",
            symbol=call.symbol,
            is_test=call.is_test,
        )

    # --- overrides --------------------------------------------------------------------------

    async def _overrides(self) -> None:
        for path, changed in self.changed:
            if changed.now.kind not in ("method", "function") or not changed.owner:
                continue
            stored, now = self.context.stored, changed.now
            qualname = await name_at(stored, path, now.qualname, now.line)
            nodes = await stored.qualified(path, qualname)
            if not nodes or len(changed.before) != 1 or len(changed.after) != 1:
                continue
            below = await implementations(
                self.context.stored, NameMeaning(nodes[:1]), self.context.lines
            )
            places = [
                (item.path, item.symbol, item.line, item.column, item.is_test)
                for item in below.items
                if item.score >= CERTAIN and is_read(item.path)
            ]
            if language_of_path(path) == "go":
                places += [
                    (node.path, node.qualname, node.line, node.column, node.is_test)
                    for node in await implemented_before(self.context.stored, nodes[0])
                ]
            await self._old_overrides(path, changed, places)

    async def _old_overrides(
        self,
        path: str,
        changed: ChangedSignature,
        places: Sequence[tuple[str, str, int, int, bool]],
    ) -> None:
        files = list(dict.fromkeys(place[0] for place in places))
        texts = await current_texts(self.context, files)
        jobs = [CallsJob(path, text) for path, text in zip(files, texts, strict=True)]
        answers = dict(zip(files, await self.read(jobs), strict=True))
        was, now = _shape(changed.before[0]), _shape(changed.after[0])
        if was == now:
            return
        for where, symbol, line, column, is_test in places:
            same = [each for each in answers[where].definitions if each.qualname == symbol]
            declared = [each for each in same if not each.is_outside]
            own = [each.signature for each in declared or same]
            if len(own) == 1 and _is_as_before(_shape(own[0]), was, now):
                self._found(
                    "override",
                    "likely",
                    (where, line, column),
                    f"takes ({own[0].named}) as before: {changed.now.qualname}"
                    f"({changed.after[0].named})",
                    about=f"{path}:{changed.now.line}",
                    symbol=symbol,
                    is_test=is_test,
                )

    async def _members(self) -> None:
        """Types that lack what they have to have, and what overrides nothing any more."""
        required = RequiredMembers(self.context, self.read, self._read())
        self._found_all("override", await required.unmet())
        self._found_all("override", await required.lowered(not_public(self._reaches)))
        self.lacks += required.lacks

    def _read(self) -> Defined:
        """What files define that can be read now."""
        return {path: each for path, each in self._defined.items() if path not in self._unread}

    async def _definitions(self) -> None:
        """C and C++: what a header declares otherwise now, or no more, and is defined elsewhere."""
        definitions = CppDefinitions(self.context, self.read)
        old, users = await definitions.left_behind(self.changed, self._read())
        self._found_all("override", old)
        self._found_all("removed", users)

    async def _choices(self) -> None:
        """Choices over an enumeration that have no arm for a new member."""
        unhandled = UnhandledMembers(self.context, self.read, self._enumerated)
        self._found_all("case", await unhandled.places())

    # --- what is gone -----------------------------------------------------------------------

    async def _removed(self, removed: Sequence[RemovedDefinition]) -> None:
        lost = [
            gone
            for gone in removed
            if not self._is_in_buffer(gone) and not await self._is_in_package(gone)
        ]
        used = await still_used(self.context.stored, lost, self.former)
        untold: dict[str, list[str]] = {}
        written_out = {
            each.key for each in lost if each.symbol.kind != "method" and _of_value(each)
        }
        own = {
            (path, each.qualname)
            for path, (before, _) in self._reaches.items()
            for each in before
            if each.reach == "file" and language_of_path(path) not in ("c", "cpp")
        }
        for gone, item, column, qualifier, known in used:
            if item.path != gone.path and (gone.path, _qualname(gone)) in own:
                continue  # it was not seen there
            if self._is_of_value(gone, item) or self._is_defined_at(item, gone.symbol.name):
                continue
            if await self._is_imported_instead(gone, item):
                continue
            certainty = await self._means(gone, item, qualifier) or ("likely" if known else None)
            if gone.key in written_out:
                pass  # anything may have a member of that name
            elif certainty is None and gone.symbol.container and qualifier:
                untold.setdefault(gone.symbol.name, []).append(f"{item.path}:{item.line}")
            if certainty is not None:
                self._found(
                    "removed",
                    certainty,
                    (item.path, item.line, column),
                    self._said_gone(gone.path, _qualname(gone), gone.moved_to),
                    about=f"{gone.moved_to or gone.path}:{gone.symbol.line}",
                    symbol=item.name,
                    is_test=item.is_test,
                )
        await self._say_untold(untold)
        await self._gone_in_own_files(removed)
        await self._gone_in_buffers()

    async def _say_untold(self, untold: Mapping[str, Sequence[str]]) -> None:
        """Places that name a member which is gone, of what is not known, where no other type of the
        project has one that is called so any more, but for what overrides it: as many may be
        broken. What stands in an object literal or a function may be meant to be that member."""
        overriding = {(e.path, e.line) for e in self.findings if e.kind == "override"}
        for name, places in untold.items():
            others = [
                node
                for node in await self.context.stored.named(name)
                if (node.path, node.line) not in overriding and await self._is_of_type(node)
            ]
            if not others:
                what = counted(len(places), "other place names", "other places name")
                self.lacks.append(
                    f"{what} {name}, which is gone, on a receiver of unknown type: {places[0]}"
                )

    async def _is_of_type(self, member: Node) -> bool:
        container = member.qualname.rpartition(".")[0]
        around = await self.context.stored.qualified(member.path, container) if container else []
        return not around or any(node.kind in TYPE_KINDS for node in around)

    async def _means(
        self, gone: RemovedDefinition, item: ImpactItem, qualifier: str
    ) -> Certainty | None:
        """How sure it is by what a place itself says that it means what is gone; None where that
        does not tell."""
        if gone.symbol.container:
            owner = _COUNT.sub("", qualifier)
            is_of = _is_of(gone, item, owner) if owner else await self._is_in_reach(gone, item)
        else:
            is_of = await self._may_be_of_module(gone, item, qualifier)
        return await self._sees(gone, item) if is_of else None

    def _is_of_value(self, gone: RemovedDefinition, item: ImpactItem) -> bool:
        """Whether a line names what was in no type as a member of values only: `self.f()` is no
        `self::f()`."""
        if gone.symbol.container or language_of_path(gone.path) not in _TOLD_BY_A_DOT:
            return False
        said = self.context.lines.get(item.path, item.line)
        return re.search(rf"(?<![\w.]){re.escape(gone.symbol.name)}\b", said) is None

    def _is_defined_at(self, item: ImpactItem, name: str) -> bool:
        """Whether a line in what a macro is given or written as defines a name: `fn name(`."""
        if language_of_path(item.path) not in _MACROS_OF_TOKENS:
            return False
        said = self.context.lines.get(item.path, item.line)
        return any(match[1] == name for match in _DEFINED.finditer(said))

    async def _is_imported_instead(self, gone: RemovedDefinition, item: ImpactItem) -> bool:
        """Whether the file that defined a name imports it now, and a place means that: `const fs =
        require("fs")` has become an import, a function the one of a library."""
        if gone.symbol.container:
            return False
        if gone.path not in self._imports:
            facts = await self.context.stored.facts(gone.path)
            self._imports[gone.path] = decode_facts(facts).imports if facts is not None else []
        name = gone.symbol.name
        now = next((file.after for file in self.files if file.path == gone.path), b"")
        if is_exported_as_property(name, now, gone.path) and item.path != gone.path:
            return True
        binding = [link for link in self._imports[gone.path] if name in link.bound_names()]
        if item.path == gone.path or language_of_path(gone.path) in _IMPORTED_ARE_MEMBERS:
            return bool(binding)
        return any(link.kind == "reexport" for link in binding)

    def _is_in_buffer(self, gone: RemovedDefinition) -> bool:
        """Whether a buffer has it again."""
        _, now = self._defined.get(gone.path, ([], []))
        return _qualname(gone) in {each.qualname for each in now}

    async def _is_in_reach(self, gone: RemovedDefinition, item: ImpactItem) -> bool:
        """Whether a bare name means a member, or a function within another one: it stands in that
        type or function."""
        container = gone.symbol.container
        if item.path != gone.path or not f"{item.name}.".startswith(f"{container}."):
            return False
        if language_of_path(gone.path) in _BARE_MEMBERS:
            return True
        nodes = await self.context.stored.qualified(gone.path, container)
        return bool(nodes) and all(node.kind in ("function", "method") for node in nodes)

    async def _is_in_package(self, gone: RemovedDefinition) -> bool:
        """Whether another file of its package defines it now: what names it means that."""
        if language_of_path(gone.path) not in _SAME_FOLDER or gone.moved_to:
            return False
        folder = PurePosixPath(gone.path).parent
        beside = (
            now  # also of files that the index leaves out
            for path, (_, now) in self._defined.items()
            if path != gone.path and PurePosixPath(path).parent == folder
        )
        if any(each.qualname == _qualname(gone) for now in beside for each in now):
            return True
        others = [
            node.path
            for node in await self.context.stored.named(gone.symbol.name)
            if node.qualname == _qualname(gone)
            and node.path != gone.path
            and language_of_path(node.path) == language_of_path(gone.path)
        ]
        if any(PurePosixPath(path).parent == folder for path in others):
            return True
        package = _facts_before(gone).package if others and gone.graph else ""
        return bool(package) and package in [await self._package_of(path) for path in others]

    async def _package_of(self, path: str) -> str:
        facts = await self.context.stored.facts(path)
        return decode_facts(facts).package if facts is not None else ""

    async def _gone_in_own_files(self, removed: Sequence[RemovedDefinition]) -> None:
        """Uses of what is gone in the file that had it, where nothing resolves them any more."""
        jobs = []
        for file in self.files:
            before, after = self._defined.get(file.path, ([], []))
            left = {each.qualname for each in after}
            names = {each.qualname for each in before} - left
            names |= {
                each.symbol.name
                for each in removed
                if each.path == file.path and not each.symbol.container
            }
            language = language_of_path(file.path)
            free = sorted(n for n in names if "." not in n and not is_builtin(n, language))
            if free and file.after:
                jobs.append(CallsJob(file.path, file.after, names=free))
        known = {(each.path, each.line, each.column) for each in self.findings}
        for job, answer in zip(jobs, await self.read(jobs), strict=True):
            elsewhere = {
                name
                for name in {each[0] for each in answer.named}
                if await self._may_be_from_elsewhere(job.path, name, job.path)
            }
            for name, line, column in answer.named:
                place = (job.path, line, column)
                if place in known or name in elsewhere or await self._means_another(*place):
                    continue
                self._found("removed", "certain", place, self._said_gone(job.path, name))

    async def _means_another(self, path: str, line: int, column: int) -> bool:
        """Whether a name in a file is known to mean what another file defines."""
        stored = self.context.stored
        edges = await stored.at(path, line, column)
        meant = await stored.by_id(edge.target for edge in edges if edge.score >= CERTAIN)
        return any(node.path != path for node in meant.values())

    def _said_gone(self, path: str, name: str, moved_to: str = "") -> str:
        before, after = self._defined.get(path, ([], []))
        new = moved_to or renamed_to(name, before, after)
        return f"names {name}, which is gone from {path}" + (f" (now {new}?)" if new else "")

    async def _sees(self, gone: RemovedDefinition, item: ImpactItem) -> Certainty | None:
        """How sure it is that a place means what is gone; None where nothing says so."""
        member = gone.symbol.kind in _MEMBERS
        sure: Certainty = "likely" if member else "certain"
        if await self._may_be_from_elsewhere(item.path, gone.symbol.name, gone.path):
            return None
        if item.path == gone.path:
            return sure
        stored = self.context.stored
        file, user = await stored.file(gone.path), await stored.file(item.path)
        facts = await stored.facts(item.path) if user is not None else None
        if user is None or facts is None:
            return None
        followed = {
            each.line: each.other_id for each in await stored.imports([user.file_id], "out")
        }
        links = decode_facts(facts).imports
        named = [
            link for link in links if gone.symbol.name in {n for pair in link.names for n in pair}
        ]
        if named and file is not None:
            return sure if any(followed.get(link.line) == file.file_id for link in named) else None
        if named:  # the whole file is gone
            lost = [link.module for link in named if link.line not in followed]
            return sure if any(may_name(module, gone.path, item.path) for module in lost) else None
        if file is not None and file.file_id in followed.values():
            return "likely"
        beside = PurePosixPath(item.path).parent == PurePosixPath(gone.path).parent
        return "likely" if beside and language_of_path(gone.path) in _SAME_FOLDER else None

    async def _may_be_of_module(
        self, gone: RemovedDefinition, item: ImpactItem, qualifier: str
    ) -> bool:
        """Whether `query.compile()` may mean a `compile` that was of no type: `query` has to be
        the module that had it, by whatever name."""
        language = language_of_path(gone.path)
        if language not in _OWNED_BY_MODULES:
            return True
        before = parse_qualifier(qualifier)
        if isinstance(before, CalledWith):
            before = before.before
        if not isinstance(before, Expression):
            return True
        stored = self.context.stored
        words = set(_WORDS.findall(gone.path)) | _OWNED_BY_MODULES[language]
        had_it, users = await stored.facts(gone.path), await stored.facts(item.path)
        if had_it is not None:
            words.update(_WORDS.findall(decode_facts(had_it).package))
        where = PurePosixPath(gone.path)
        called = {where.stem, where.parent.name}
        for link in decode_facts(users).imports if users is not None else ():
            names = {name for pair in link.names for name in pair}
            if not called.isdisjoint(names | {*_WORDS.findall(link.module)}):
                words |= names | {link.alias}
        return not words.isdisjoint(_WORDS.findall(qualifier))

    async def _may_be_from_elsewhere(self, path: str, name: str, had_it: str) -> bool:
        """Whether a file takes all names of some module, and one like this is defined elsewhere:
        what moved there is meant as before."""
        facts = await self.context.stored.facts(path)
        if facts is None or not any(("*", "*") in i.names for i in decode_facts(facts).imports):
            return False
        return any(node.path != had_it for node in await self.context.stored.named(name))

    async def _gone_in_buffers(self) -> None:
        """What unsaved text does not define any more, and who still uses it."""
        stored = self.context.stored
        for path in self.context.unsaved:
            gone = {node.node_id: node for node in await stored.gone(path)}
            edges = [edge for edge in await stored.uses(list(gone)) if edge.score >= CERTAIN]
            around = await stored.by_id(edge.source for edge in edges)
            for edge in edges:
                user = around.get(edge.source)
                self._found(
                    "removed",
                    "certain",
                    (edge.path, edge.line, edge.column),
                    self._said_gone(path, gone[edge.target].qualname),
                    about=path,
                    symbol=user.qualname if user is not None else "",
                    is_test=edge.is_test,
                )
            await self._gone_members(path, list(gone.values()))

    async def _gone_members(self, path: str, gone: Sequence[Node]) -> None:
        """`self.total()` in the class whose method is gone: the buffer itself has no edge there."""
        stored = self.context.stored
        facts, file = await stored.facts(path), await stored.file(path)
        if facts is None or file is None:
            return
        known = {(edge.line, edge.column) for edge in await stored.of_files([file.file_id])}
        around = decode_facts(facts).names
        members = {node.name: node.qualname for node in gone if "." in node.qualname}
        for name, kind, line, column, _, qualifier, enclosing in await stored.references(path):
            if name not in members or (line, column) in known or kind == _IMPLICIT:
                continue
            user = around[enclosing].qualname if 0 <= enclosing < len(around) else ""
            owner = members[name].rpartition(".")[0]
            if qualifier in _INSTANCES and user.startswith(f"{owner}."):
                said = self._said_gone(path, members[name])
                self._found("removed", "likely", (path, line, column), said, symbol=user)

    def _found_all(self, kind: FindingKind, places: Iterable[LeftBehind]) -> None:
        for each in places:
            self._found(
                kind,
                "certain" if each.is_sure else "likely",
                (each.path, each.line, each.column),
                each.message,
                about=each.about,
                symbol=each.symbol,
                is_test=each.is_test,
            )

    def _found(
        self,
        kind: FindingKind,
        certainty: Certainty,
        where: tuple[str, int, int],
        message: str,
        *,
        about: str = "",
        symbol: str = "",
        is_test: bool = False,
    ) -> None:
        path, line, column = where
        if any(
            (each.kind, each.path, each.line, each.column) == (kind, *where)
            for each in self.findings
        ):
            return  # a declaration and its definition have both changed
        self.findings.append(
            CheckFinding(
                kind=kind,
                certainty=certainty,
                path=path,
                line=line,
                column=column,
                message=message,
                symbol=symbol,
                about=about,
                text=self.context.lines.get(path, line),
                is_test=is_test,
                unsaved_version=self.context.unsaved.get(path),
            )
        )


_INSTANCES = frozenset({"self", "this", "cls", "super"})


def _qualname(gone: RemovedDefinition) -> str:
    return gone.key.partition("::")[2]


def _is_of(gone: RemovedDefinition, item: ImpactItem, qualifier: str) -> bool:
    """Whether a use says that it is of the type that had the member."""
    owner = gone.symbol.container.rpartition(".")[2]
    if qualifier in _INSTANCES:
        return item.path == gone.path and item.name.startswith(f"{gone.symbol.container}.")
    words = _WORDS.findall(qualifier)
    if "." in gone.symbol.container and _of_value(gone):
        return set(gone.symbol.container.split(".")).issubset(words)
    if owner not in words:
        return False
    field = _FIELD_BEHIND.search(qualifier.rpartition(owner)[2])
    is_read = language_of_path(item.path) not in _CALLED_WITHOUT_BRACKETS
    return field is None or not is_read or field[1] in _SAME_TYPE


def _of_value(gone: RemovedDefinition) -> bool:
    """Whether it was a member of what is written out at a value, as its type or an object, and not
    of a type with a name: many things have members called like those."""
    outer = gone.symbol.container.partition(".")[0]
    if not outer or not gone.graph:
        return False
    names = _facts_before(gone).names
    return any(each.qualname == outer and each.kind in _VALUES for each in names)


def _facts_before(gone: RemovedDefinition) -> FileFacts:
    """Of the file that had what is gone, as it was."""
    return decode_facts(decode_blobs(gone.graph).facts)


def _shape(signature: Signature) -> list[tuple[str, bool]]:
    """What a caller has to know of a signature, but for names."""
    return [(each.kind, each.is_required) for each in signature.parameters]


def _is_as_before(
    own: list[tuple[str, bool]], was: list[tuple[str, bool]], now: list[tuple[str, bool]]
) -> bool:
    """Whether an override takes what was overridden: in Kotlin and C++ it says no defaults."""

    def kinds(shape: list[tuple[str, bool]]) -> list[str]:
        return [kind for kind, _ in shape]

    return own == was if kinds(was) == kinds(now) else kinds(own) == kinds(was)


def finding_order(finding: CheckFinding) -> tuple[bool, bool, str, int]:
    """By which findings are sorted: the certain ones first, code before its tests."""
    return finding.certainty != "certain", finding.is_test, finding.path, finding.line
