"""What names hold that are read or called: functions in variables, other names for things, and
what calling a value or applying an operator to it runs."""

from __future__ import annotations

from surveyor.graph.expressions.grammar import parse, parse_qualifier
from surveyor.graph.expressions.keys import CALLED, decorated
from surveyor.graph.expressions.model import Expression
from surveyor.graph.resolve.certainty import MAX_CANDIDATES, Target
from surveyor.graph.resolve.evaluate import CheckoutEvaluation
from surveyor.graph.resolve.model import File, FileSource
from surveyor.graph.resolve.values import (
    BASES,
    CALLABLE_KINDS,
    TYPE_KINDS,
    DefinitionKey,
    Value,
    definitions_of,
)

__all__ = ["HeldValues"]

_MAX_HELD = 3
"""Variables from one that is called to the function that it holds."""
_NAMING = frozenset({"field", "property", "variable", "constant", "member"})
"""Definitions that may be another name for something."""
_HOLDERS = frozenset({"variable", "constant", "field", "member"})
"""Definitions that may hold a function."""


class HeldValues:
    """What the definitions of one checkout hold."""

    def __init__(self, source: FileSource, meaning: CheckoutEvaluation) -> None:
        self._source = source
        self._meaning = meaning
        self._defined: dict[str, bool] = {}
        """Names with a `/` between -> whether something has one of them."""

    def aliased(self, target: Target, depth: int = 0) -> list[Target]:
        """What a constant is another name for, before itself: `const Box = shapes.Box`."""
        definition, score = target
        file = self._meaning.files.file(definition.path)
        name = file.get(definition.qualname) if file is not None else None
        if file is None or name is None or name.kind not in _NAMING or depth > _MAX_HELD:
            return [target]
        said = parse(file.facts.types.get(definition.qualname, ""))
        if said is None or not said.steps or said.dotted.rpartition(".")[2] != name.name:
            return [target]
        held = definitions_of(self._meaning.types.declared(Value("node", *definition), 0))
        meant = [each for d in held for each in self.aliased((d, score), depth + 1)]
        return [*meant, target]

    def implied(
        self, file: File, names: str, qualifier: str, enclosing: int
    ) -> list[DefinitionKey]:
        """What a value runs that is called, or that an operator is applied to."""
        if names != CALLED and not self._is_defined(names):
            return []
        expression = parse_qualifier(qualifier)
        if type(expression) is not Expression:
            return []
        values, _ = self._meaning.values.evaluate(expression, file, enclosing)
        if names == CALLED:
            run = [d for value in values for d in self._run(value, file)]
            return list(dict.fromkeys(run)) if len(run) <= MAX_CANDIDATES else []
        for name in names.split("/"):
            found = [
                m
                for value in values
                for i in self._instances(value)
                for m in self._meaning.members.member(i, name, file)
            ]
            if found:
                return definitions_of(found)
        return []

    def _run(self, value: Value, file: File, depth: int = 0) -> list[DefinitionKey]:
        """What calling a value runs."""
        if value.tag == "instance":
            method = file.traits.call_method
            return (
                definitions_of(self._meaning.members.member(value, method, file)) if method else []
            )
        name = self._meaning.files.name(value) if value.tag == "node" else None
        if name is None or depth > _MAX_HELD:
            return []
        if name.kind in CALLABLE_KINDS:
            return definitions_of([value])
        return self.held(value, file, depth)

    def held(self, value: Value, file: File, depth: int = 0) -> list[DefinitionKey]:
        """What runs where something is called, beside what its name means."""
        name = self._meaning.files.name(value)
        if name is None or (name.kind in TYPE_KINDS and not file.traits.constructor):
            return []
        if name.kind in TYPE_KINDS:
            members = self._meaning.members
            return definitions_of(members.member(value, file.traits.constructor, file))
        declared = self._meaning.types.declared
        held: list[Value] = []
        if name.kind in CALLABLE_KINDS:
            held = declared(value, 0, decorated(value.qualname))
        elif name.kind in _HOLDERS:
            held = declared(value, 0)
        found = [d for v in held if v != value for d in self._run(v, file, depth + 1)]
        return found if len(found) <= MAX_CANDIDATES else []

    def _instances(self, value: Value) -> list[Value]:
        """The instances that a value is, or that a variable holds."""
        if value.tag != "node":
            return [value] if value.tag in ("instance", BASES) else []
        name = self._meaning.files.name(value)
        if name is None or name.kind not in _HOLDERS:
            return []
        return [v for v in self._meaning.types.declared(value, 0) if v.tag == "instance"]

    def _is_defined(self, names: str) -> bool:
        """Whether the project defines one of these methods: of most operators none."""
        known = self._defined.get(names)
        if known is None:
            known = any(any(True for _ in self._source.named(name)) for name in names.split("/"))
            self._defined[names] = known
        return known
