"""From a file's references to edges.

`Resolver` answers for one checkout; it only reads, and remembers what it has worked out until it
is thrown away. What a use means is worked out by `uses.UseLookup`, what expressions mean by
`evaluate.CheckoutEvaluation`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from surveyor.graph.expressions.grammar import parse
from surveyor.graph.expressions.keys import CALLED
from surveyor.graph.facts import KIND_CODES, KIND_NAMES, Row
from surveyor.graph.left_uses import LeftUse, Standing
from surveyor.graph.resolve.candidates import NameCandidates
from surveyor.graph.resolve.evaluate import CheckoutEvaluation
from surveyor.graph.resolve.file_imports import FileImports, ImportEdge
from surveyor.graph.resolve.held import HeldValues
from surveyor.graph.resolve.hints import Hints
from surveyor.graph.resolve.layout import Layout
from surveyor.graph.resolve.model import File, FileSource
from surveyor.graph.resolve.parts import MACRO
from surveyor.graph.resolve.tree import Tree
from surveyor.graph.resolve.unexplained import UnexplainedUses
from surveyor.graph.resolve.uses import UseLookup
from surveyor.graph.resolve.values import (
    CALLABLE_KINDS,
    TYPE_KINDS,
    DefinitionKey,
    Value,
    definitions_of,
)

__all__ = ["Edge", "Resolution", "Resolver"]

_CALL, _INSTANTIATION = KIND_CODES["call"], KIND_CODES["instantiation"]
_INHERITANCE = KIND_CODES["inheritance"]
_IMPORT = KIND_CODES["import"]
_READ, _IMPLICIT = KIND_CODES["read"], KIND_CODES["implicit"]
_RUNNING = frozenset({_CALL, _INSTANTIATION})
_HOLDING = frozenset({"constant", "variable"})
_ALIAS = "type"
"""What another name for a type is, beside types that are no more than declared."""


class Edge(NamedTuple):
    """A use of a definition. Lines are 1-based, columns UTF-16."""

    line: int
    column: int
    end_column: int
    kind: int
    source: str
    """Qualified name of the definition around the use; '' at file level."""
    target: DefinitionKey
    score: float
    source_path: str = ""
    """The file of that definition, where it is another one: a base given to a type elsewhere."""


@dataclass(slots=True)
class Resolution:
    """Everything that one file's names mean."""

    edges: list[Edge] = field(default_factory=list)
    imports: list[ImportEdge] = field(default_factory=list)
    left: list[LeftUse] = field(default_factory=list)
    """Uses that may mean something of the project, and of which it is not known what."""


_Use = tuple[DefinitionKey, float, int | None]
"""What is used, how sure that is, and what the use does where it looks like something else."""


class Resolver:
    """Resolves the files of one checkout.

    `layout` is of the source's paths, where it is there already.
    """

    def __init__(
        self, source: FileSource, hints: Hints | None = None, layout: Layout | None = None
    ) -> None:
        hints = hints or Hints.none()
        layout = layout or Layout(Tree(source.paths(), source.read))
        self._meaning = CheckoutEvaluation(source, hints, layout)
        self._held = HeldValues(source, self._meaning)
        candidates = NameCandidates(source, self._meaning, self._held)
        self._uses = UseLookup(self._meaning, candidates)
        self._unexplained = UnexplainedUses(self._meaning, candidates)
        self._imports = FileImports(self._meaning, hints)

    def resolve(self, path: str, references: Sequence[Row]) -> Resolution:
        """Edges of a file from its stored references."""
        file = self._meaning.files.file(path)
        if file is None:
            return Resolution()
        without: list[Row] = []
        edges = self.edges(path, references, without)
        left = self._left(file, without, edges) if without else []
        return Resolution(edges, list(self._imports.of(file)), left)

    def imports(self, path: str) -> list[ImportEdge]:
        """What a file depends on."""
        file = self._meaning.files.file(path)
        return list(self._imports.of(file)) if file is not None else []

    def _left(self, file: File, without: Sequence[Row], edges: Sequence[Edge]) -> list[LeftUse]:
        """What references may mean for which no definition was found, but for those at a place
        where another one was."""
        known = {(edge.line, edge.column) for edge in edges}
        memo: dict[tuple[str, str, int, int], list[tuple[str, Standing]]] = {}
        found: list[LeftUse] = []
        for name, kind, line, column, _, qualifier, enclosing in without:
            key = (name, qualifier, enclosing, kind)
            meant = memo.get(key)
            if meant is None:
                meant = memo[key] = self._unexplained.of(file, name, kind, qualifier, enclosing)
            if meant and (line, column) not in known:
                found += [LeftUse(each, KIND_NAMES[kind], line, how) for each, how in meant]
        return found

    def edges(
        self, path: str, references: Sequence[Row], without: list[Row] | None = None
    ) -> list[Edge]:
        """What some of a file's stored references mean, and the bases that it gives others.

        `without` takes those for which no definition was found.
        """
        file = self._meaning.files.file(path)
        if file is None:
            return []
        edges: list[Edge] = []
        seen: set[tuple[int, int, DefinitionKey]] = set()
        memo: dict[tuple[str, str, int, int], list[_Use]] = {}
        for edge in (*self._extensions(file), *self._used(file, references)):
            seen.add((edge.line, edge.column, edge.target))
            edges.append(edge)
        names = file.facts.names
        for row in references:
            name, kind, line, column, end_column, qualifier, enclosing = row
            key = (name, qualifier, enclosing, kind)
            targets = memo.get(key)
            if targets is None:
                targets = memo[key] = self._all(file, name, kind, qualifier, enclosing)
            if not targets:
                if without is not None:
                    without.append(row)
                continue
            source = file.qualname(enclosing)
            for target, score, other in targets:
                if (line, column, target) in seen or (
                    enclosing >= 0
                    and target == (path, source)
                    and (names[enclosing].line == line and names[enclosing].column == column)
                ):
                    continue
                seen.add((line, column, target))
                what = kind if other is None else other
                edges.append(Edge(line, column, end_column, what, source, target, score))
        return edges

    def _extensions(self, file: File) -> Iterable[Edge]:
        """Bases that a file gives types of others, and those that are named otherwise."""
        for type_text, base_text, line, column, end_column in file.facts.extensions:
            types, bases = self._types(type_text, file), self._types(base_text, file)
            for value in types[:1]:
                meant = self._named_otherwise(value)
                if len(meant) == 1:
                    value = Value("node", *meant[0])
                named = definitions_of(bases)[:1]
                for base in [use[0] for each in named for use in self._extended(each, 1.0)]:
                    yield Edge(
                        line,
                        column,
                        end_column,
                        _INHERITANCE,
                        value.qualname,
                        base,
                        1.0,
                        value.path,
                    )

    def _used(self, file: File, references: Sequence[Row]) -> Iterable[Edge]:
        """Behaviours that the modules which a file uses write into its own: `use Shop.Base`."""
        lines = {link.line: link.module for link in file.stars if link.kind == "use"}
        for name, kind, line, column, end_column, _, enclosing in references if lines else ():
            module = lines.get(line, "") if kind == _IMPORT and enclosing >= 0 else ""
            if not module or module.rpartition(".")[2] != name:
                continue
            for used in self._meaning.modules.modules(module, file)[0]:
                other = self._meaning.files.file(used.path)
                macro = f"{used.qualname}.{MACRO}"
                for base in other.bases(macro) if other is not None else ():
                    said, outer = parse(base), other.by_qualname.get(macro, -1) if other else -1
                    if said is None or other is None:
                        continue
                    for target in definitions_of(
                        self._meaning.values.evaluate(said, other, outer)[0]
                    ):
                        source = file.qualname(enclosing)
                        yield Edge(line, column, end_column, _INHERITANCE, source, target, 1.0)

    def _types(self, text: str, file: File) -> list[Value]:
        """The types of the project that an expression names."""
        expression = parse(text)
        if expression is None:
            return []
        values, _ = self._meaning.values.evaluate(expression, file, -1)
        return [v for v in values if self._meaning.files.kind(v) in TYPE_KINDS]

    def _all(self, file: File, name: str, kind: int, qualifier: str, enclosing: int) -> list[_Use]:
        """What a use means, and what runs there without being named."""
        if kind == _IMPLICIT:
            run = self._held.implied(file, name, qualifier, enclosing)
            if not run and name == CALLED:
                taken = self._uses.key_called(file, qualifier, enclosing)
                return [(definition, score, _CALL) for definition, score in taken]
            return [(definition, 1.0, _IMPLICIT) for definition in run]
        scope = enclosing
        if kind == _INHERITANCE and enclosing >= 0 and file.traits.bases_outside:
            scope = file.outer(enclosing)
        targets = self._uses.targets(file, name, kind, qualifier, scope)
        if file.traits.aliases:
            targets = [each for one in targets for each in self._held.aliased(one)]
        if kind == _INHERITANCE:
            return [each for one in targets for each in self._extended(*one)]
        runs = file.traits.calls_by_name or (file.traits.names_run and enclosing >= 0)
        if kind == _READ and runs:
            return [
                (target, score, _CALL if self._is_function(target) else None)
                for target, score in targets
            ]
        if kind == _READ:
            return [
                (target, score, _CALL if self._is_accessor(target) else None)
                for target, score in targets
            ]
        if not file.traits.follows_values and (kind not in _RUNNING or not file.traits.constructor):
            return [(target, score, None) for target, score in targets]
        found: list[_Use] = []
        for target, score in targets:
            other: int | None = None
            if kind in _RUNNING and file.traits.made_by_calling:
                is_class = self._is_class(target)
                other = _INSTANTIATION if is_class else _READ if kind == _INSTANTIATION else None
            found.append((target, score, other))
        if kind not in _RUNNING:
            return found
        seen = {target for target, _, _ in found}
        for target, score in targets:
            for definition in self._held.held(Value("node", *target), file):
                if definition not in seen:
                    seen.add(definition)
                    found.append((definition, score, _IMPLICIT))
        return found

    def _extended(self, target: DefinitionKey, score: float) -> list[_Use]:
        """What is extended by another name for it: of an alias the type as well, of a variable the
        type that it holds."""
        value = Value("node", *target)
        kind = self._meaning.files.kind(value)
        if kind == _ALIAS:
            return [(each, score, None) for each in (target, *self._named_otherwise(value))]
        if kind not in _HOLDING:
            return [(target, score, None)]
        held = [
            DefinitionKey(each.path, each.qualname)
            for each in self._meaning.members.named_by(value)
            if each.tag == "node" and each[1:3] != value[1:3]
        ]
        if not held:
            return [(target, score, None)]
        return [(target, score, _READ), *((each, score, None) for each in dict.fromkeys(held))]

    def _named_otherwise(self, value: Value) -> list[DefinitionKey]:
        """The types that an alias is another name for: `typedef Box Painted`, `Named & Sized`."""
        file = self._meaning.files.file(value.path)
        if file is None or value.qualname not in file.facts.types:
            return []
        held = self._meaning.types.declared(value, 0)
        found = [
            DefinitionKey(each.path, each.qualname)
            for each in held
            if each.tag == "instance" and self._meaning.files.kind(each) in TYPE_KINDS
        ]
        return [each for each in dict.fromkeys(found) if each[:2] != (value.path, value.qualname)]

    def _is_accessor(self, target: DefinitionKey) -> bool:
        """Whether a method runs where its name is read."""
        file = self._meaning.files.file(target.path)
        name = file.get(target.qualname) if file is not None else None
        return (
            file is not None
            and name is not None
            and name.kind in CALLABLE_KINDS
            and name.qualname in file.accessors
        )

    def _is_function(self, target: DefinitionKey) -> bool:
        return self._meaning.files.kind(Value("node", *target)) in CALLABLE_KINDS

    def _is_class(self, target: DefinitionKey) -> bool:
        other = self._meaning.files.file(target.path)
        name = other.get(target.qualname) if other is not None else None
        return name is not None and name.kind in ("class", "struct")
