"""What calling a value gives: results, and what type parameters stand for in them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from surveyor.graph.expressions.parsed import Alternative, alternatives
from surveyor.graph.extract.arguments import MAX_ARGUMENTS, NONE
from surveyor.graph.extract.type_names import split
from surveyor.graph.resolve.collections import METHOD, SAME, held_by
from surveyor.graph.resolve.model import TYPE_KINDS, File, Value
from surveyor.graph.resolve.names import MAX_DEPTH
from surveyor.graph.resolve.typed import TypeLookup

__all__ = ["Call", "CallLookup"]

_ONLY = ("",)


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
        if value.tag == "instance":  # a type that can be called
            node = value._replace(tag="node")
            found = self._result(node, call, depth)
            if not found and name.kind == "type":
                held = [v for v in self._declared(node, depth + 1) if v.tag == "instance"]
                others = [v for v in held if v[1:3] != value[1:3]]
                found = [r for v in others for r in self.called(v, file, depth + 1, call)]
            return found
        if name.kind in TYPE_KINDS:
            return [Value("instance", value.path, value.qualname)]
        if name.kind == "constructor":
            return [Value("instance", value.path, name.container)]
        found = self._result(value, call, depth)
        if not found:
            held = [v for v in self._declared(value, depth + 1) if v.tag in ("node", "instance")]
            found = [r for v in held for r in self.called(v, file, depth + 1, call)]
        return found

    def _result(self, node: Value, call: Call | None, depth: int) -> list[Value]:
        """What a definition says that calling it gives."""
        for overload in self.overloads(node, call):
            known = self.given_by(node, call, depth, overload)
            if found := self._declared(known, depth + 1, f"{overload}()"):
                return found
        return []

    def overloads(self, value: Value, call: Call | None) -> Sequence[str]:
        """Which of the signatures of a value may be meant by a call, the likeliest first."""
        file = self.file(value.path)
        types = file.facts.types if file is not None else {}
        fact = types.get(f"{value.qualname}~")
        if not fact:
            return _ONLY
        handed = call.handed if call is not None else ()
        count = 0 if list(handed) == [NONE] else len(handed)
        found: list[tuple[int, str]] = []
        for number, arity in enumerate(fact.split(",")):
            least, _, most = arity.partition("-")
            if handed and (int(most) < count or (int(least) > count and count < MAX_ARGUMENTS)):
                continue
            overload = f"~{number}" if number else ""
            functions = [i for i, each in enumerate(handed) if each.startswith("=>")]
            name = f"{value.qualname}{overload}"
            unlike = sum(
                f"{name}#{i}()" not in types and f"{name}#{i}#0" not in types for i in functions
            )
            found.append((unlike, overload))
        found.sort(key=lambda each: each[0])
        return [overload for _, overload in found]

    def given_by(self, value: Value, call: Call | None, depth: int, overload: str = "") -> Value:
        """A value that is called, with what the call says of its type parameters."""
        if call is None or not (call.told or call.handed):
            return value
        names = self._parameters_of(value, f"{overload}()<>")
        if not names:
            return value
        if call.told:
            given = self._bound(
                names, call.told, call.file, call.enclosing, depth, call.given, value.given
            )
        else:
            inferred = self._inferred(value, names, call, depth, overload)
            given = self._givens.of(inferred, value.given)
        return value._replace(given=self._by_default(value, f"{overload}()<>", given, depth))

    def _by_default(self, value: Value, suffix: str, given: int, depth: int) -> int:
        """`<Base, D = Draft<Base>>`: what nothing says is what it is by default."""
        file = self.file(value.path)
        fact = file.facts.types.get(value.qualname + suffix, "") if file is not None else ""
        if "=" not in fact or file is None:
            return given
        for each in split(fact, ","):
            name, _, text = each.partition("=")
            if text and not self._givens.get(given, name):
                values, _ = self.type(text, file, -1, depth + 1, given)
                given = self._givens.of([(name, values)] if values else [], given)
        return given

    def _inferred(
        self, value: Value, names: Sequence[str], call: Call, depth: int, overload: str
    ) -> Iterable[tuple[str, list[Value]]]:
        """What type parameters stand for by what the function is handed."""
        file = self.file(value.path)
        bound: dict[str, list[Value]] = {}
        if file is None or depth >= MAX_DEPTH:
            return bound.items()
        for number, argument in enumerate(call.handed):
            if argument in ("", "=>", NONE):
                continue
            parameter = f"{value.qualname}{overload}#{number}"
            own = file.facts.types.get(parameter, "")
            result = file.facts.types.get(f"{parameter}()", "")
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
