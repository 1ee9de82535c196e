"""What types mean: instances of names, what they are given, what calling them gives.

A value knows what the type parameters around it stand for (`Value.given`): the members of
`Box<Engine>` have that box's `T`.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING

from surveyor.graph.expressions.parsed import Alternative, alternatives
from surveyor.graph.extract.parameters import REST
from surveyor.graph.extract.type_names import split
from surveyor.graph.languages.receiver_keywords import self_words
from surveyor.graph.resolve.collections import collection_of, held_by
from surveyor.graph.resolve.hints import Hints
from surveyor.graph.resolve.members import SPLIT, MemberLookup
from surveyor.graph.resolve.model import TYPE_KINDS, File, Source, Value
from surveyor.graph.resolve.names import MAX_DEPTH
from surveyor.graph.resolve.type_arguments import Givens

if TYPE_CHECKING:
    from surveyor.graph.resolve.calls import Call

__all__ = ["TypeLookup"]

INTRINSIC = "JSX.IntrinsicElements"
"""What the tags of JSX that are no components are members of."""
_MAX_INTRINSIC = 4
_MAX_VALUES = 8


class TypeLookup(MemberLookup):
    """Evaluates types, and what follows from them."""

    @abstractmethod
    def called(self, value: Value, file: File, depth: int, call: Call | None = None) -> list[Value]:
        """The result of calling a value."""

    @abstractmethod
    def given_by(self, value: Value, call: Call | None, depth: int, overload: str = "") -> Value:
        """A value that is called, with what the call says of its type parameters."""

    @abstractmethod
    def overloads(self, value: Value, call: Call | None) -> Sequence[str]:
        """Which of the signatures of a value may be meant by a call, the likeliest first."""

    def __init__(self, source: Source, hints: Hints) -> None:
        super().__init__(source, hints)
        self._givens = Givens()

    def _enclosing_types(self, file: File, enclosing: int) -> list[Value]:
        names = file.facts.names
        index: int | None = enclosing
        while index is not None and 0 <= index < len(names):
            around = names[index]
            if around.kind in TYPE_KINDS and around.kind not in ("namespace", "module"):
                return [Value("node", file.path, around.qualname)]
            if not around.container:
                return []
            following = file.by_qualname.get(around.container)
            if following is None:
                if file.language == "ruby" or file.language in SPLIT:
                    return self._owners(file, around.container)
                return []
            if names[following].kind == "module" and file.language == "ruby":
                return [Value("node", file.path, file.qualnames[following])]
            index = following
        return []

    def type(
        self, text: str, file: File, enclosing: int, depth: int = 0, given: int = 0
    ) -> tuple[list[Value], bool]:
        """Instances of a type (`graph.ecmatypes`; of other languages a dotted name, or many)."""
        if text.isidentifier():
            return self._named_type(text, (), file, enclosing, depth, given)
        found: list[Value] = []
        known = True
        for each in alternatives(text):
            values, sure = self._alternative(each, file, enclosing, depth, given)
            found += values
            known = known and sure
        return list(dict.fromkeys(found))[:_MAX_VALUES], known

    def _alternative(
        self, each: Alternative, file: File, enclosing: int, depth: int, given: int
    ) -> tuple[list[Value], bool]:
        if each.head == "=":
            values, known = self.evaluate(each.given[0], file, enclosing, depth + 1, given)
        elif each.head[0] == "{":
            local = each.head[1:-1]
            defined = file.get(local)
            tag = "instance" if defined is not None and defined.kind in TYPE_KINDS else "shape"
            values, known = [Value(tag, file.path, local, given)], True
            if tag == "instance" and each.given:
                values = [self._with(values[0], each.given, file, enclosing, depth, given)]
        elif each.head[0] == "^":
            values, known = list(self._givens.get(given, each.head[1:])), False
            if not values and each.given and depth < MAX_DEPTH:
                values, known = self.type(each.given[0], file, enclosing, depth + 1, given)
        else:
            values, known = self._named_type(each.head, each.given, file, enclosing, depth, given)
        for suffix in each.suffixes:
            known = False
            if suffix == "[]":
                values, known = [collection_of(value) for value in values], True
            elif suffix == "()":
                values = [r for v in values for r in self.called(v, file, depth + 1)]
            elif suffix[0] == "#":
                values = [p for v in values for p in self._parameter(v, suffix, file, depth + 1)]
            elif suffix == "'[]":
                values = [e for v in values for e in self._elements(v, depth + 1)]
            else:
                values = [m for v in values for m in self.member(v, suffix[1:], file)]
        return values, known

    def _named_type(
        self,
        name: str,
        types: Sequence[str],
        file: File,
        enclosing: int,
        depth: int,
        given: int,
    ) -> tuple[list[Value], bool]:
        if name in self_words(file.language) or name == "Self":
            owners = self._enclosing_types(file, enclosing)
            return [Value("instance", o.path, o.qualname, given) for o in owners], bool(owners)
        values, known = self.evaluate(name, file, enclosing, depth + 1)
        instances = [
            Value("instance", value.path, value.qualname)
            for value in values
            if value.tag == "node" and (n := self.name(value)) is not None and n.kind in TYPE_KINDS
        ]
        if not values and name == INTRINSIC:  # visible everywhere, where the project says it
            instances = [
                Value("instance", path, qualname)
                for path, qualname, _ in self._source.named("IntrinsicElements")
                if qualname.endswith(name)
            ]
            return instances[:_MAX_INTRINSIC], True
        if not instances and values and depth < MAX_DEPTH:  # an alias
            for value in values:
                instances += self._declared(value, depth)
        elif types and depth < MAX_DEPTH:
            instances = [
                self._with(value, types, file, enclosing, depth, given) for value in instances
            ]
        return instances, known or not values

    def _with(
        self,
        value: Value,
        types: Sequence[str],
        file: File,
        enclosing: int,
        depth: int,
        given: int,
    ) -> Value:
        """An instance of a type with what it is given."""
        names = self._parameters_of(value, "<>")
        if not names:
            return value
        bound = self._bound(names, types, file, enclosing, depth, given)
        return Value(value.tag, value.path, value.qualname, bound)

    def _parameters_of(self, value: Value, suffix: str) -> list[str]:
        """Names of type parameters: of a type (`<>`), or of a function (`()<>`)."""
        file = self.file(value.path)
        fact = file.facts.types.get(value.qualname + suffix) if file is not None else None
        return [each.partition("=")[0] for each in split(fact, ",")] if fact else []

    def _bound(
        self,
        names: Sequence[str],
        types: Sequence[str],
        file: File,
        enclosing: int,
        depth: int,
        given: int,
        outer: int = 0,
    ) -> int:
        """What type parameters stand for that are told these types, on top of `outer`."""
        bound = []
        for name, text in zip(names, types, strict=False):
            values, _ = self.type(text, file, enclosing, depth + 1, given)
            if values:
                bound.append((name, values))
        return self._givens.of(bound, outer)

    def _declared(self, value: Value, depth: int, suffix: str = "") -> list[Value]:
        """What the type facts say about a definition (`suffix` '()' for its result)."""
        file = self.file(value.path)
        if file is None or depth > MAX_DEPTH:
            return []
        fact = file.facts.types.get(value.qualname + suffix)
        if not fact:
            return []
        index = file.by_qualname.get(value.qualname, -1)
        found, _ = self.evaluate(fact, file, index, depth + 1, value.given)
        result = []
        for item in found:
            name = self.name(item) if item.tag == "node" else None
            if name is not None and name.kind in TYPE_KINDS and fact.startswith("<"):
                item = Value("instance", item.path, item.qualname, item.given)
            result.append(item)
        return result

    def _parameter(
        self, value: Value, which: str, file: File, depth: int, call: Call | None = None
    ) -> list[Value]:
        """What a function is called with, `which` of its parameters; `#0#1` of a callback's."""
        if value.tag not in ("node", "instance") or depth > MAX_DEPTH:
            return []
        name = self.name(value)
        if name is None:
            return []
        node = Value("node", value.path, value.qualname, value.given)
        if name.kind in TYPE_KINDS and value.tag == "node":
            node = node._replace(qualname=f"{value.qualname}.constructor")
        for overload in self.overloads(node, call):
            known = self.given_by(node, call, depth, overload)
            if found := self._declared(known, depth + 1, overload + which):
                return found
        first, _, rest = which[1:].partition("#")
        if rest:
            types = self._parameter(value, f"#{first}", file, depth + 1)
            found = [p for t in types for p in self._parameter(t, f"#{rest}", file, depth + 1)]
            if found:
                return found
        if found := self._declared(node, depth + 1, REST):
            return found
        if name.kind in TYPE_KINDS:
            types = [Value("instance", *base[1:]) for base in self.bases(value, file)[0]]
            if name.kind == "type":
                types += self._declared(node, depth + 1)
        else:
            types = self._declared(value, depth + 1)
        return [
            p for t in types if t != value for p in self._parameter(t, which, file, depth + 1, call)
        ]

    def _elements(self, value: Value, depth: int) -> list[Value]:
        """What a collection holds."""
        if value.tag == "collection":
            return [held_by(value)]
        name = self.name(value) if value.tag in ("node", "instance") else None
        if name is None or depth > MAX_DEPTH:
            return []
        if name.kind == "type" and value.tag == "instance":  # type Cars = Car[]
            held = self._declared(value._replace(tag="node"), depth + 1)
            return [e for v in held if v[1:3] != value[1:3] for e in self._elements(v, depth + 1)]
        if value.tag == "instance":
            return []
        if name.kind in TYPE_KINDS:  # a generic type and what it is of
            return [value]
        held = [v for v in self._declared(value, depth) if v.tag in ("collection", "instance")]
        return [element for v in held for element in self._elements(v, depth + 1)]
