"""What an expression means: names, members through types and bases, results of calls.

The expressions are those of `expressions.py`: dotted names, `()` for calls, `<T>` for an instance.
Everything is memoised and bounded in depth, so that cycles in imports or bases end.
"""

from __future__ import annotations

from collections.abc import Sequence

from surveyor.graph.expressions.parsed import given as types_in
from surveyor.graph.expressions.parsed import tokens_of
from surveyor.graph.extract.arguments import split_arguments
from surveyor.graph.languages.receiver_keywords import self_words, super_words
from surveyor.graph.resolve.calls import Call, CallLookup
from surveyor.graph.resolve.hints import Hints
from surveyor.graph.resolve.model import CALLABLE_KINDS, TYPE_KINDS, File, Source, Value
from surveyor.graph.resolve.names import MAX_DEPTH

__all__ = ["Evaluator"]

_BUILT_IN_NAMES = """
Array ArrayBuffer Atomics BigInt Boolean Buffer Date Error Function Infinity Intl JSON Map Math NaN
Number Object Promise Proxy Reflect RegExp Set String Symbol WeakMap WeakSet console crypto document
global globalThis history localStorage location navigator performance process sessionStorage window
"""
_BUILT_IN = frozenset(_BUILT_IN_NAMES.split())
"""What JavaScript has everywhere."""


MAX_OPENED = 4
"""Files that open the same class or module, of which all members are looked for."""


class Evaluator(CallLookup):
    """Evaluates names and expressions of one checkout's files."""

    def __init__(self, source: Source, hints: Hints) -> None:
        super().__init__(source, hints)
        self._results: dict[tuple[str, str, str, int], tuple[list[Value], bool]] = {}

    # --- expressions ------------------------------------------------------------------------

    def evaluate(
        self, expression: str, file: File, enclosing: int, depth: int = 0, given: int = 0
    ) -> tuple[list[Value], bool]:
        """Values of an expression, and whether its meaning is known even if it has none here.

        `given`: what the type parameters in it stand for.
        """
        key = (expression, file.path, file.qualname(enclosing), given)
        if key in self._results:
            return self._results[key]
        guard = ("expression", *key)
        if guard in self._open or depth > MAX_DEPTH:
            return [], False
        self._open.add(guard)
        try:
            result = self._evaluate(expression, file, enclosing, depth, given)
        finally:
            self._open.discard(guard)
        self._results[key] = result
        return result

    def _evaluate(
        self, expression: str, file: File, enclosing: int, depth: int, given: int
    ) -> tuple[list[Value], bool]:
        if expression.startswith("?"):
            return [], False
        tokens = tokens_of(expression)
        if not tokens:
            return [], False
        values, known, following = self._head(tokens, file, enclosing, depth, given)
        nothing = before = Call((), (), file, enclosing, given)
        """`before`: what stands before a parameter of what is called, its types and arguments."""
        for position, token in enumerate(following):
            if token[0] == "(" and token != "()":
                before = before._replace(handed=split_arguments(token))
            elif token[0] == "<":  # what the call before it is told to give
                if not values and len(types_in(token)) == 1:
                    values, known = self.type(token[1:-1], file, enclosing, depth, given)
                    known = False
                before = before._replace(told=types_in(token))
            elif not values and not any(t.startswith("<") for t in following[position:]):
                return [], known
            elif token == "()":
                call = _call_at(following, position, before)
                values = [r for v in values for r in self.called(v, file, depth, call)]
                known = False
            elif token == "[]":
                values = [e for v in values for e in self._elements(v, depth)]
                known = False
            elif token[0] == "#" and token[1:2].isdigit():
                values = [p for v in values for p in self._parameter(v, token, file, depth, before)]
                known = False
            else:
                is_open = any(self.is_open(value, file) for value in values)
                values = [m for v in values for m in self.member(v, token, file)]
                known = not is_open
            if token == "()" or token[0] not in "(<":
                before = nothing
        return list(dict.fromkeys(values)), known

    def _head(
        self, tokens: Sequence[str], file: File, enclosing: int, depth: int, given: int
    ) -> tuple[list[Value], bool, list[str]]:
        head, rest = tokens[0], list(tokens[1:])
        if head.startswith("{"):  # a definition of this file that is local to a function
            return [Value("node", file.path, head[1:-1])], True, rest
        if head.startswith("!"):
            return self.fixture(head[1:], file), True, rest
        if head.startswith("<"):
            values, known = self.type(head[1:-1], file, enclosing, depth, given)
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
        package, longest = head, -1
        for index, part in enumerate([*rest, "()"]):
            if package in self.layout.packages:
                found, longest = package, index  # a.b is one, and a.b.c too
            if part == "()":
                break
            package = f"{package}.{part}"
        if longest >= 0:
            return [Value("package", found)], True, rest[longest:]
        types = [
            Value("node", path, qualname)
            for path, qualname, kind in self._source.named(head)
            if kind in TYPE_KINDS and (o := self.file(path)) is not None
            and o.family == file.family
        ]  # fmt: skip
        return (types, False, rest) if len(types) == 1 else ([], False, rest)


def _call_at(tokens: Sequence[str], position: int, before: Call) -> Call:
    """A call with what stands behind it: `()`, `<types>`, `(arguments;)`."""
    told: Sequence[str] = ()
    handed: Sequence[str] = ()
    for token in tokens[position + 1 : position + 3]:
        if token[0] == "<" and not told:
            told = types_in(token)
        elif token[0] == "(" and token != "()":
            handed = split_arguments(token)
            break
        else:
            break
    return before._replace(told=told, handed=handed)
