"""What an expression means: names, members through types and bases, results of calls.

The expressions are those of `expressions.py`: dotted names, `()` for calls, `<T>` for an instance.
Everything is memoised and bounded in depth, so that cycles in imports or bases end.
"""

from __future__ import annotations

import re

from surveyor.graph.parameters import REST
from surveyor.graph.resolve.collections import METHOD, SAME, collection_of, held_by
from surveyor.graph.resolve.hints import Hints
from surveyor.graph.resolve.members import SPLIT, MemberLookup
from surveyor.graph.resolve.model import (
    CALLABLE_KINDS,
    TYPE_KINDS,
    File,
    Source,
    Value,
)
from surveyor.graph.resolve.names import MAX_DEPTH
from surveyor.graph.selves import self_words, super_words

__all__ = ["Evaluator"]

_TOKENS = re.compile(r"<([^<>]*)>|\{([^{}]*)\}|\(\)|\[\]|(#?[\w$!?]+)")
_BUILT_IN_NAMES = """
Array ArrayBuffer Atomics BigInt Boolean Buffer Date Error Function Infinity Intl JSON Map Math NaN
Number Object Promise Proxy Reflect RegExp Set String Symbol WeakMap WeakSet console crypto document
global globalThis history localStorage location navigator performance process sessionStorage window
"""
_BUILT_IN = frozenset(_BUILT_IN_NAMES.split())
"""What JavaScript has everywhere."""


INTRINSIC = "JSX.IntrinsicElements"
"""What the tags of JSX that are no components are members of."""
_MAX_INTRINSIC = 4
MAX_OPENED = 4
"""Files that open the same class or module, of which all members are looked for."""
_PARAMETER = re.compile(r"#\d")


def _with_callbacks(tokens: list[str]) -> list[str]:
    """Parameters of parameters in one: `#1#0`."""
    joined: list[str] = []
    for token in tokens:
        if joined and _PARAMETER.match(token) and _PARAMETER.match(joined[-1]):
            joined[-1] += token
        else:
            joined.append(token)
    return joined


class Evaluator(MemberLookup):
    """Evaluates names and expressions of one checkout's files."""

    def __init__(self, source: Source, hints: Hints) -> None:
        super().__init__(source, hints)
        self._results: dict[tuple[str, str, str], tuple[list[Value], bool]] = {}

    # --- expressions ------------------------------------------------------------------------

    def evaluate(
        self, expression: str, file: File, enclosing: int, depth: int = 0
    ) -> tuple[list[Value], bool]:
        """Values of an expression, and whether its meaning is known even if it has none here."""
        key = (expression, file.path, file.qualname(enclosing))
        if key in self._results:
            return self._results[key]
        guard = ("expression", *key)
        if guard in self._open or depth > MAX_DEPTH:
            return [], False
        self._open.add(guard)
        try:
            result = self._evaluate(expression, file, enclosing, depth)
        finally:
            self._open.discard(guard)
        self._results[key] = result
        return result

    def _evaluate(
        self, expression: str, file: File, enclosing: int, depth: int
    ) -> tuple[list[Value], bool]:
        if expression.startswith("?"):
            return [], False
        tokens = [match[0] for match in _TOKENS.finditer(expression)]
        if not tokens:
            return [], False
        values, known, rest = self._head(tokens, file, enclosing, depth)
        following = _with_callbacks(rest)
        for position, token in enumerate(following):
            if token.startswith("<"):  # what the call before it is told to give
                if not values:
                    values, known = self.type(token[1:-1], file, enclosing, depth)[0], False
            elif not values and not any(t.startswith("<") for t in following[position:]):
                return [], known
            elif token == "()":
                values = [r for v in values for r in self._called(v, file, depth)]
                known = False
            elif token == "[]":
                values = [e for v in values for e in self._elements(v, depth)]
                known = False
            elif _PARAMETER.match(token):
                values = [p for v in values for p in self._parameter(v, token, file, depth)]
                known = False
            else:
                is_open = any(self.is_open(value, file) for value in values)
                values = [m for v in values for m in self.member(v, token, file)]
                known = not is_open
        return list(dict.fromkeys(values)), known

    def _head(
        self, tokens: list[str], file: File, enclosing: int, depth: int
    ) -> tuple[list[Value], bool, list[str]]:
        head, rest = tokens[0], tokens[1:]
        if head.startswith("{"):  # a definition of this file that is local to a function
            return [Value("node", file.path, head[1:-1])], True, rest
        if head.startswith("!"):
            return self.fixture(head[1:], file), True, rest
        if head.startswith("<"):
            values, known = self.type(head[1:-1], file, enclosing, depth)
            return values, known, rest
        is_super = head in super_words(file.language)
        if is_super or head in self_words(file.language):
            owners = self._enclosing_types(file, enclosing)
            if is_super:
                if rest[:1] == ["()"]:
                    rest = rest[1:]
                bases, is_open = self.bases(owners[0], file) if owners else ([], False)
                return [Value("instance", b.path, b.qualname) for b in bases], not is_open, rest
            if file.language == "rust" and not owners:
                return [Value("module", file.path)], True, rest
            return [Value("instance", o.path, o.qualname) for o in owners], bool(owners), rest
        if file.language == "rust" and head in ("crate", "super"):
            found, _ = self.modules(head, file)
            return found, True, rest
        values = self.bare(file, head, enclosing)
        if file.language == "cpp" and values and rest and rest[0] != "()":
            names = [self.name(value) for value in values]
            if all(name is not None and name.kind in CALLABLE_KINDS for name in names):
                values = self.bare(file, head, enclosing, types_only=True)  # level::warn
        if not values and (
            head in file.imported or (file.family == "ecmascript" and head in _BUILT_IN)
        ):
            return [], True, rest  # from outside of the project
        if not values and file.language == "rust" and head in self.layout.rust.crates():
            return [Value("module", self.layout.rust.crates()[head])], True, rest
        if not values and file.language == "ruby" and head[:1].isupper():
            # Constants are the whole program's: what requires them may be any other file.
            opened = [
                Value("node", path, qualname)
                for path, qualname, kind in self._source.named(head)
                if qualname == head and kind in TYPE_KINDS
            ]
            return opened[:MAX_OPENED], False, rest
        if not values and file.language in ("java", "csharp", "php", "cpp"):
            return self._dotted_package(head, file, rest)
        return values, False, rest

    def _dotted_package(
        self, head: str, file: File, rest: list[str]
    ) -> tuple[list[Value], bool, list[str]]:
        """`a.b.C`: a package written out; a class that nothing imports but the project has."""
        package = head
        for index, part in enumerate([*rest, "()"]):
            if package in self.layout.packages:
                return [Value("package", package)], True, rest[index:]
            if part == "()":
                break
            package = f"{package}.{part}"
        types = [
            Value("node", path, qualname)
            for path, qualname, kind in self._source.named(head)
            if kind in TYPE_KINDS and (o := self.file(path)) is not None
            and o.family == file.family
        ]  # fmt: skip
        return (types, False, rest) if len(types) == 1 else ([], False, rest)

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
        if index is not None and 0 <= enclosing < len(names) and file.language == "ruby":
            return []
        return []

    def type(
        self, name: str, file: File, enclosing: int, depth: int = 0
    ) -> tuple[list[Value], bool]:
        """Instances of a type by its dotted name."""
        if name.endswith("[]"):
            held, _ = self.type(name[:-2], file, enclosing, depth + 1)
            return [collection_of(value) for value in held], True
        if name.startswith("{"):
            return [Value("shape", file.path, name[1:-1])], True
        if name in self_words(file.language) or name == "Self":
            owners = self._enclosing_types(file, enclosing)
            return [Value("instance", o.path, o.qualname) for o in owners], bool(owners)
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
        return instances, known or not values

    def _declared(self, value: Value, depth: int, suffix: str = "") -> list[Value]:
        """What the type facts say about a definition (`suffix` '()' for its result)."""
        file = self.file(value.path)
        if file is None or depth > MAX_DEPTH:
            return []
        fact = file.facts.types.get(value.qualname + suffix)
        if not fact:
            return []
        index = file.by_qualname.get(value.qualname, -1)
        found, _ = self.evaluate(fact, file, index, depth + 1)
        result = []
        for item in found:
            name = self.name(item) if item.tag == "node" else None
            if name is not None and name.kind in TYPE_KINDS and fact.startswith("<"):
                item = Value("instance", item.path, item.qualname)
            result.append(item)
        return result

    def _parameter(self, value: Value, which: str, file: File, depth: int) -> list[Value]:
        """What a function is called with, `which` of its parameters; `#0#1` of a callback's."""
        if value.tag not in ("node", "instance") or depth > MAX_DEPTH:
            return []
        name = self.name(value)
        if name is None:
            return []
        node = Value("node", value.path, value.qualname)
        if name.kind in TYPE_KINDS and value.tag == "node":
            node = Value("node", value.path, f"{value.qualname}.constructor")
        if found := self._declared(node, depth + 1, which):
            return found
        first, _, rest = which[1:].partition("#")
        if rest:
            types = self._parameter(value, f"#{first}", file, depth + 1)
            return [p for t in types for p in self._parameter(t, f"#{rest}", file, depth + 1)]
        if found := self._declared(node, depth + 1, REST):
            return found
        if name.kind in TYPE_KINDS:
            types = [Value("instance", *base[1:]) for base in self.bases(value, file)[0]]
        elif name.kind not in CALLABLE_KINDS:
            types = self._declared(value, depth + 1)
        else:
            return []
        return [p for t in types if t != value for p in self._parameter(t, which, file, depth + 1)]

    def _elements(self, value: Value, depth: int) -> list[Value]:
        """What a collection holds."""
        if value.tag == "collection":
            return [held_by(value)]
        name = self.name(value) if value.tag == "node" else None
        if name is None:
            return []
        if name.kind in TYPE_KINDS:  # a generic type and what it is of
            return [value]
        return [held_by(held) for held in self._declared(value, depth) if held.tag == "collection"]

    def _called(self, value: Value, file: File, depth: int) -> list[Value]:
        """The result of calling a value."""
        if value.tag == "collection" and value.qualname.startswith(METHOD):
            method, _, rest = value.qualname[1:].partition(METHOD)
            many = Value("collection", value.path, rest)
            return [many if method in SAME else held_by(many)]
        if value.tag == "instance" and depth < MAX_DEPTH:  # a type that can be called
            return self._declared(Value("node", value.path, value.qualname), depth + 1, "()")
        if value.tag != "node":
            return []
        name = self.name(value)
        if name is None:
            return []
        if name.kind in TYPE_KINDS:
            return [Value("instance", value.path, value.qualname)]
        if name.kind == "constructor":
            return [Value("instance", value.path, name.container)]
        found = self._declared(value, depth + 1, "()")
        if not found and name.kind not in CALLABLE_KINDS:
            held = self._declared(value, depth + 1)
            found = [
                result
                for held_value in held
                if held_value.tag in ("node", "instance")
                for result in self._called(held_value, file, depth + 1)
            ]
        return found
