"""What calling a value gives: results, and what type parameters stand for in them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from surveyor.graph.resolve.collections import METHOD, SAME, held_by
from surveyor.graph.resolve.model import TYPE_KINDS, File, Value
from surveyor.graph.resolve.names import MAX_DEPTH
from surveyor.graph.resolve.typed import TypeLookup
from surveyor.graph.resolve.typetext import Alternative, alternatives

__all__ = ["Call", "CallLookup"]


class Call(NamedTuple):
    """A call as it is written."""

    told: Sequence[str]
    """The types that it is told."""
    handed: Sequence[str]
    """The expressions that it is handed (`graph.arguments`)."""
    file: File
    enclosing: int
    given: int


class CallLookup(TypeLookup):
    """Evaluates calls."""

    def called(self, value: Value, file: File, depth: int, call: Call | None = None) -> list[Value]:
        """The result of calling a value."""
        if value.tag == "collection" and value.qualname.startswith(METHOD):
            method, _, rest = value.qualname[1:].partition(METHOD)
            many = Value("collection", value.path, rest, value.given)
            return [many if method in SAME else held_by(many)]
        if depth >= MAX_DEPTH or value.tag not in ("instance", "node"):
            return []
        name = self.name(value)
        if name is None:
            return []
        value = self.given_by(value, call, depth)
        if value.tag == "instance":  # a type that can be called
            node = value._replace(tag="node")
            found = self._declared(node, depth + 1, "()")
            if not found and name.kind == "type":
                held = [v for v in self._declared(node, depth + 1) if v.tag == "instance"]
                others = [v for v in held if v[1:3] != value[1:3]]
                found = [r for v in others for r in self.called(v, file, depth + 1, call)]
            return found
        if name.kind in TYPE_KINDS:
            return [Value("instance", value.path, value.qualname)]
        if name.kind == "constructor":
            return [Value("instance", value.path, name.container)]
        found = self._declared(value, depth + 1, "()")
        if not found:
            held = [v for v in self._declared(value, depth + 1) if v.tag in ("node", "instance")]
            found = [r for v in held for r in self.called(v, file, depth + 1, call)]
        return found

    def given_by(self, value: Value, call: Call | None, depth: int) -> Value:
        """A value that is called, with what the call says of its type parameters."""
        if call is None or not (call.told or call.handed):
            return value
        names = self._parameters_of(value, "()<>")
        if not names:
            return value
        if call.told:
            given = self._bound(
                names, call.told, call.file, call.enclosing, depth, call.given, value.given
            )
        else:
            given = self._givens.of(self._inferred(value, names, call, depth), value.given)
        return value._replace(given=given)

    def _inferred(
        self, value: Value, names: Sequence[str], call: Call, depth: int
    ) -> Iterable[tuple[str, list[Value]]]:
        """What type parameters stand for by what the function is handed."""
        file = self.file(value.path)
        bound: dict[str, list[Value]] = {}
        if file is None or depth >= MAX_DEPTH:
            return bound.items()
        for number, argument in enumerate(call.handed):
            if not argument:
                continue
            own = file.facts.types.get(f"{value.qualname}#{number}", "")
            result = file.facts.types.get(f"{value.qualname}#{number}()", "")
            if "^" in result:
                if argument.startswith("=>"):
                    held = self._handed(argument[2:], call, depth)
                else:
                    held = [
                        each
                        for function in self._handed(argument, call, depth)
                        for each in self.called(function, call.file, depth + 1)
                    ]
                self._match(result, held, names, bound, file, depth)
            elif "^" in own and not argument.startswith("=>"):
                self._match(own, self._handed(argument, call, depth), names, bound, file, depth)
        return bound.items()

    def _handed(self, argument: str, call: Call, depth: int) -> list[Value]:
        return self.evaluate(argument, call.file, call.enclosing, depth + 1, call.given)[0]

    def _match(
        self,
        declared: str,
        held: list[Value],
        names: Sequence[str],
        bound: dict[str, list[Value]],
        file: File,
        depth: int,
    ) -> None:
        """What type parameters stand for where something declared so is held by this."""
        if not held or not declared.startswith("<"):
            return
        for each in alternatives(declared[1:-1]):
            if each.head[0] == "^" and each.head[1:] in names:
                found = held
                for suffix in each.suffixes:
                    found = [e for v in found for e in self._elements(v, depth)]
                    if suffix != "[]":
                        found = []
                if found:
                    bound.setdefault(each.head[1:], found)
            elif each.given and each.head[0] not in "^={" and not each.suffixes:
                self._match_given(each, held, names, bound, file, depth)

    def _match_given(
        self,
        each: Alternative,
        held: list[Value],
        names: Sequence[str],
        bound: dict[str, list[Value]],
        file: File,
        depth: int,
    ) -> None:
        """`Store<T>`: of a store that is handed over, its T."""
        wanted = [t for t in each.given if t[:1] == "^" and t[1:].partition("(")[0] in names]
        types = self._named_type(each.head, (), file, -1, depth + 1, 0)[0] if wanted else []
        instances = [
            i
            for value in held
            for i in ([value] if value.tag == "instance" else self._declared(value, depth + 1))
        ]
        for kind in types:
            parameters = self._parameters_of(kind, "<>")
            for parameter, text in zip(parameters, each.given, strict=False):
                if text not in wanted:
                    continue
                found = [
                    v
                    for i in instances
                    if i[1:3] == kind[1:3]
                    for v in self._givens.get(i.given, parameter)
                ]
                if found:
                    bound.setdefault(text[1:].partition("(")[0], found)
