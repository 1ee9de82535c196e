"""What parameters without a type are: what the calls in the same file hand over.

Worked out for a file when the first of its parameters is asked about. Calls of parameters
(`run(f)` → `f(g)`) are followed in rounds, until nothing new is called.
"""

from __future__ import annotations

from collections.abc import Iterator

from surveyor.graph.expressions.grammar import parse
from surveyor.graph.expressions.model import Expression, Local, Variable
from surveyor.graph.resolve.files import Files
from surveyor.graph.resolve.model import File
from surveyor.graph.resolve.parts import MAX_DEPTH, ResolverParts
from surveyor.graph.resolve.values import CALLABLE_KINDS, TYPE_KINDS, Value

__all__ = ["FlowLookup"]

MAX_ROUNDS = 4
MAX_HANDED = 8
"""Values of one parameter: with more it may be anything."""
_Handed = tuple[Expression, int]
"""(expression, index of the definition around it)."""


class FlowLookup:
    """Values of the parameters of one checkout's functions."""

    def __init__(self, parts: ResolverParts, files: Files) -> None:
        self._parts = parts
        self._files = files
        self._tables: dict[str, dict[str, list[_Handed]]] = {}
        self.building = 0
        """Files whose calls are being looked through: what is found meanwhile is not all."""

    def values(self, file: File, variable: str, depth: int) -> list[Value]:
        """What a variable of a file is, by its qualified name."""
        if depth > MAX_DEPTH:
            return []
        known = self._parts.types.declared(Value("node", file.path, variable), depth + 1)
        found = dict.fromkeys(known)
        for expression, enclosing in self._table(file).get(variable, ()):
            values, _ = self._parts.values.evaluate(expression, file, enclosing, depth + 1)
            found.update(dict.fromkeys(values))
        return list(found) if len(found) <= MAX_HANDED else []

    def _table(self, file: File) -> dict[str, list[_Handed]]:
        table = self._tables.get(file.path)
        if table is None:
            table = self._tables[file.path] = {}
            self.building += 1
            try:
                for _ in range(MAX_ROUNDS):
                    if not self._round(file, table):
                        break
            finally:
                self.building -= 1
        return table

    def _round(self, file: File, table: dict[str, list[_Handed]]) -> bool:
        """Whether a parameter is handed something new, by what is known to be called by now."""
        is_new = False
        for text, enclosing, arguments in file.facts.handed:
            callee = parse(text)
            if callee is None:
                continue
            for value in self._called(callee, file, enclosing):
                names = file.facts.parameters.get(value.qualname)
                if names is None or value.path != file.path:
                    continue
                for variable, handed in self._matched(file, value, names, callee, arguments):
                    entries = table.setdefault(variable, [])
                    if (handed, enclosing) not in entries and len(entries) < MAX_HANDED:
                        entries.append((handed, enclosing))
                        is_new = True
        return is_new

    def _called(self, callee: Expression, file: File, enclosing: int) -> Iterator[Value]:
        """The functions that a call means; the constructor of a class."""
        values, _ = self._parts.values.evaluate(callee, file, enclosing)
        for value in values:
            name = self._files.name(value)
            if name is None or value.tag != "node":
                continue
            if name.kind not in CALLABLE_KINDS | TYPE_KINDS:
                yield from (
                    v
                    for v in self._parts.types.declared(value, 0)
                    if v.tag == "node" and self._files.kind(v) in CALLABLE_KINDS
                )
            elif name.kind in CALLABLE_KINDS:
                yield value
            elif name.kind in TYPE_KINDS and file.traits.constructor:
                yield from self._parts.members.member(value, file.traits.constructor, file)

    def _matched(
        self,
        file: File,
        function: Value,
        names: list[str],
        callee: Expression,
        arguments: list[tuple[str, str]],
    ) -> Iterator[tuple[str, Expression]]:
        """(variable, value) of what a call hands a function."""
        is_bound = bool(names) and names[0] in file.traits.self_words
        is_bound = is_bound and type(callee.head) is not Local
        for where, text in arguments:
            value = parse(text)
            if value is None:
                continue
            name = where
            if where.isdecimal():
                index = int(where) + is_bound
                name = names[index] if index < len(names) else ""
            if name in names and not (
                type(value.head) is Variable
                and not value.steps
                and value.head.qualname == f"{function.qualname}.{name}"
            ):
                yield f"{function.qualname}.{name}", value
