"""A pattern as ast-grep takes it: standing alone, or in a context that makes it one node."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import count
from typing import Any

from ast_grep_py import SgNode, SgRoot

from surveyor.structural.errors import BadPatternError
from surveyor.structural.grammars import (
    BRACED_VALUES,
    CONTEXTS,
    DECLARATIONS,
    ENDED_LINES,
    ENDED_STATEMENTS,
    ENDED_TYPES,
    LABELED,
    NAMELESS,
    PLACE,
    TYPE_ARGUMENTS,
    TYPE_CONTEXTS,
    Grammar,
)
from surveyor.structural.holes import HOLE

__all__ = ["READ_PATTERNS", "Token", "is_whole", "rule_of", "tokens_of"]

MAX_PATTERN_CHARS = 2000
READ_PATTERNS = 64
"""Patterns that are kept as they were read: each is read for every batch of files."""
_CLOSING = frozenset(")]};,\"'>`") | {"end"}
_BODY_HOLE = re.compile(r"\{\s*(\$\$\$(?:[A-Z_][A-Z0-9_]*)?)\s*\}$")
_MODIFIERS = ("storage_class_specifier", "type_qualifier")
"""Kinds of what may stand before a function, which a pattern without them does not match."""


def rule_of(pattern: str, grammar: Grammar) -> dict[str, Any]:
    """The rule that a pattern is. Raises `BadPatternError`, which says where it cannot be read."""
    rules = [each.rule() for each in _readings(pattern, grammar)]
    return rules[0] if len(rules) == 1 else {"any": rules}


def is_whole(pattern: str, grammar: Grammar) -> bool:
    """Whether a pattern can be read by itself, without an error or a part that is missing."""
    return _Attempt(pattern, PLACE, grammar, "z").is_whole


@dataclass(slots=True)
class Token:
    """A leaf of a pattern's tree."""

    text: str
    hole: str = ""
    """The hole that it is, or is a part of; empty for one that stands for itself."""
    ends_node: bool = False
    """It is the last of a node above it. A match may have more in such a node than the pattern."""


def tokens_of(pattern: str, grammar: Grammar) -> list[Token]:
    """The leaves of a pattern, in its order. Raises `BadPatternError`."""
    first, *others = _readings(pattern, grammar)
    tokens = first.tokens()
    if others:  # their nodes may end elsewhere
        for token in tokens:
            token.ends_node = True
    return tokens


@lru_cache(maxsize=READ_PATTERNS)
def _readings(pattern: str, grammar: Grammar) -> list[_Attempt]:
    if not pattern.strip():
        raise BadPatternError("nothing to look for: the pattern is empty")
    if not pattern.strip("; \n\t"):
        raise BadPatternError("nothing to look for: the pattern is an end of a statement alone")
    if len(pattern) > MAX_PATTERN_CHARS:
        raise BadPatternError(f"the pattern is longer than {MAX_PATTERN_CHARS} characters")
    try:
        return _ways_to_read(pattern.strip(), grammar)
    except RecursionError:
        raise BadPatternError("the pattern is nested too deeply") from None


def _ways_to_read(pattern: str, grammar: Grammar) -> list[_Attempt]:
    """What a pattern means: where it may be two things, as a type and an expression, or a method
    and a function inside of one, both."""
    if pattern.startswith("$$$") and HOLE.fullmatch(pattern):
        raise BadPatternError(f"{pattern} alone is any code: write what stands around it")
    contexts = CONTEXTS.get(grammar, (PLACE,))
    if grammar in ENDED_TYPES and pattern.endswith(";"):
        bare, _ = _in_context(pattern.rstrip("; "), grammar, contexts)
        if bare is not None and bare.kind.endswith("_specifier"):
            return [bare]
    found, problem = _in_context(pattern, grammar, contexts)
    statement = _statement(pattern, grammar) if grammar in ENDED_STATEMENTS else None
    typed = None
    if TYPE_ARGUMENTS.get(grammar, "<") in pattern:
        typed, _ = _in_context(pattern, grammar, TYPE_CONTEXTS.get(grammar, ()))
    if found is None and pattern.endswith(";"):  # it may be none of the node that it ends
        found, _ = _in_context(pattern.rstrip("; "), grammar, contexts)
    if found is None and grammar in ENDED_LINES:
        found, _ = _in_context(f"{pattern}\n", grammar, contexts)
    if found is None:
        found = _function(pattern, grammar)
    where = DECLARATIONS.get(grammar, ())
    if found is not None and found.kind == "labeled_statement":
        where = LABELED.get(grammar, where)
    declared = _declarations(pattern, grammar, where)
    ways = {each.shape(): each for each in (typed, statement, *declared, found) if each is not None}
    if not ways:
        quoted = _with_text(pattern, grammar)
        if quoted is None:
            column, why = problem
            if grammar in NAMELESS and (hole := HOLE.search(pattern)):
                column, why = hole.start(), f"no {hole[0]} can stand there; a rule finds it"
            raise BadPatternError(f"the pattern is no {grammar} at column {column + 1}: {why}")
        return [quoted]
    return list(ways.values())


def _in_context(
    pattern: str, grammar: Grammar, contexts: Iterable[str]
) -> tuple[_Attempt | None, tuple[int, str]]:
    """The pattern in the first context where it is one node, else how far it could be read.

    One where a hole is an error only if there is no other: Go's `func $N() { }` is a function that
    has no name, inside of another, with a word too many.
    """
    best = (-1, "")
    doubtful: _Attempt | None = None
    for context in contexts:
        for letter in ("z", "Z"):  # what a hole stands for begins with a capital in some places
            attempt = _Attempt(pattern, context, grammar, letter)
            if attempt.kind and not attempt.has_wrong_hole:
                return attempt, best
            if attempt.kind:
                doubtful = doubtful or attempt
            else:
                best = max(best, attempt.problem, key=lambda each: each[0])
    return doubtful, best


def _declarations(
    pattern: str, grammar: Grammar, where: Sequence[tuple[str, frozenset[str]]]
) -> Iterator[_Attempt]:
    """What a pattern declares where else it may stand: a function or variable has another kind of
    node in a type, in a file and inside of a function in some languages."""
    for context, kinds in where:
        found, _ = _in_context(pattern, grammar, (context,))
        if found is not None and found.kind in kinds:
            yield found


def _function(pattern: str, grammar: Grammar) -> _Attempt | None:
    """A function whose body is one hole, where the grammar takes it for a list of values."""
    body = _BODY_HOLE.search(pattern)
    if body is None or grammar not in BRACED_VALUES:
        return None
    blank = pattern[: body.start(1)] + " " * len(body[1]) + pattern[body.end(1) :]
    for context in CONTEXTS[grammar]:
        found = _FunctionAttempt(blank, context, grammar, body[1])
        if found.kind == "function_definition" and found.parts() is not None:
            return found
    return None


def _statement(pattern: str, grammar: Grammar) -> _Attempt | None:
    """The statement that a pattern is but for its `;`; None where it is an expression, too."""
    if pattern.endswith((";", "}")):
        return None
    found, _ = _in_context(f"{pattern};", grammar, CONTEXTS[grammar])
    return None if found is None or found.is_whole_without_end() else found


def _with_text(pattern: str, grammar: Grammar) -> _Attempt | None:
    """A pattern with a hole where the grammar has only a text: `import $A from $B`."""
    holes = len(HOLE.findall(pattern))
    for texts in (range(holes - 1, holes), range(holes)):
        attempt = _Attempt(pattern, PLACE, grammar, "z", texts)
        if attempt.kind and attempt.finds_itself():
            return attempt
    return None


def _named(pattern: str) -> str:
    """The pattern with a name for each bare `$$$`, which alone is none in some languages."""
    numbers = count()
    return HOLE.sub(
        lambda hole: f"$$$ANY_{next(numbers)}" if hole[0] == "$$$" else hole[0], pattern
    )


class _Attempt:
    """A pattern in a context, parsed with names in place of its holes."""

    def __init__(
        self,
        pattern: str,
        context: str,
        grammar: Grammar,
        letter: str,
        texts: Sequence[int] = (),
    ) -> None:
        self.pattern = pattern
        self._texts = texts
        """Which of the holes, in their order, are quoted: there a name would be an error."""
        self.stands_alone = context == PLACE
        before, after = context.split(PLACE)
        indent = " " * (len(before) - len(before.rstrip(" "))) if "\n" in before else ""
        inside = pattern.replace("\n", "\n" + indent)
        numbers = count()
        plain = HOLE.sub(
            lambda hole: (
                _quoted(hole[0])
                if next(numbers) in texts
                else letter * hole[0].count("$") + hole[0].lstrip("$").lower()
            ),
            inside,
        )
        self.whole = before + inside + after
        self._root = SgRoot(before + plain + after, grammar).root()
        self._start, self._stop = len(before), len(before) + len(inside)
        self._inside = inside
        self._holes = {
            (len(before) + hole.start(), len(before) + hole.end()): hole[0]
            for hole in HOLE.finditer(inside)
        }
        self.kind = ""
        """Of the node that is the pattern; empty where there is none, or one with an error."""
        self.is_name = False
        """The pattern is a single name: wherever it stands, it is the same."""
        self.has_wrong_hole = False
        """A hole for one node stands where the grammar has no place for a name."""
        self.is_whole = True
        """All around it can be read, too."""
        self.problem = (0, "")
        """How far the pattern could be read, and what is wrong there."""
        self._look()

    def rule(self) -> dict[str, Any]:
        """What ast-grep looks for."""
        if self._texts:  # ast-grep reads it with an error, which has no kind
            return {"all": [{"kind": self.kind}, {"pattern": _named(self.pattern)}]}
        if self.stands_alone or self.is_name:
            return {"pattern": _named(self.pattern)}
        return {"pattern": {"context": _named(self.whole), "selector": self.kind}}

    def finds_itself(self) -> bool:
        """Whether what it was tried with is a match."""
        try:
            found = self._root.find({"rule": self.rule()})  # type: ignore[call-overload]
        except RuntimeError:  # ast-grep takes it for several nodes
            return False
        return found is not None and _span(found) == (self._start, self._stop)

    def shape(self) -> tuple[str, ...]:
        """The kinds of its nodes."""
        node = self._node()
        return () if node is None else tuple(each.kind() for each in _all(node))

    def is_whole_without_end(self) -> bool:
        """Whether all but its last character is a node of its own."""
        span = (self._start, self._stop - 1)
        return any(_span(each) == span for each in _all(self._root))

    def tokens(self) -> list[Token]:
        """The leaves of the pattern."""
        node = self._node()
        return [] if node is None else self._leaves(node)

    def _leaves(self, node: SgNode) -> list[Token]:
        if node.is_leaf():
            first, last = _span(node)
            inside = (
                hole for (start, end), hole in self._holes.items() if start < last and end > first
            )
            return [Token(node.text(), next(inside, ""))]
        leaves = [leaf for child in node.children() for leaf in self._leaves(child)]
        if leaves:
            leaves[-1].ends_node = True
        return leaves

    def _look(self) -> None:
        node = self._node()
        wrong = [each for each in _all(self._root) if self._is_wrong(each)]
        self.is_whole = not wrong
        if node is not None and not wrong and not _is_all_of_several(node):
            first = self._root.find(kind=node.kind())
            self.is_name = node.is_leaf()
            if self.is_name or (first is not None and _span(first) == _span(node)):
                self.kind = node.kind()
                return
        self.problem = self._problem(wrong)

    def _is_wrong(self, node: SgNode) -> bool:
        """Whether there is an error, or something had to be added to go on.

        Not where a hole stands for statements: ast-grep takes that, and here it has no `;`.
        """
        start, stop = _span(node)
        if node.kind() == "ERROR":
            hole = self._holes.get((start, stop), "")
            self.has_wrong_hole |= bool(hole) and not hole.startswith("$$$")
            return not hole
        is_added = start == stop and (node.kind() in _CLOSING or _is_name(node.kind()))
        return is_added and not (node.kind() == ";" and any(stop == end for _, end in self._holes))

    def _is_inside(self, node: SgNode) -> bool:
        """Whether a node begins in the pattern, or stands at its end and is empty."""
        start, stop = _span(node)
        return self._start <= start < self._stop or start == stop == self._stop

    def _node(self) -> SgNode | None:
        """The innermost node that is all of the pattern; never the whole file of several."""
        found: SgNode | None = None
        node: SgNode | None = self._root
        if sum(each.is_named() for each in self._root.children()) > 1:
            node = next(iter(self._covering(self._root)), None)
        while node is not None:
            start, stop = _span(node)
            if (start, stop) == (self._start, self._stop) and node.is_named():
                if node.is_leaf() and found is not None and not _has_siblings(node):
                    return node
                found = node
            node = next(iter(self._covering(node)), None)
        return found

    def _covering(self, node: SgNode) -> Iterator[SgNode]:
        return (each for each in node.children() if _covers(each, self._start, self._stop))

    def _problem(self, wrong: list[SgNode]) -> tuple[int, str]:
        inner = [each for each in wrong if self._is_inside(each)]
        if wrong and self._inside[0] in ")]}":  # it ends what stands around it
            return 0, f"{self._inside[0]!r} does not fit there"
        if inner:
            start, stop = _span(inner[-1])
            if start == stop:
                return start - self._start, f"`{inner[-1].kind()}` is missing"
            if stop >= self._stop and start == self._start:
                parts = inner[-1].children()
                if len(parts) > 1 and not _is_open(self._inside):
                    at, end = (each - self._start for each in _span(parts[1]))
                    part = self._inside[at : min(end, at + 20)]  # not what stands for its holes
                    return at, f"{part!r} does not fit there"
                return len(self._inside), "it ends before it is complete"
            part = self._inside[start - self._start : stop - self._start].split("\n")[0]
            return start - self._start, f"{part!r} does not fit there"
        if wrong:
            return 0, "it does not stand for itself"
        for each in _all(self._root):
            start, stop = _span(each)
            if each.is_named() and start == self._start and stop < self._stop:
                rest = self._inside[stop - self._start :]
                at = stop - self._start + len(rest) - len(rest.lstrip(" \n;"))
                if at < len(self._inside):
                    return at, "a second thing begins there, and a pattern is one"
        return 0, "it is more than one node"


class _FunctionAttempt(_Attempt):
    """A function without its body, which is a hole that is matched by itself."""

    def __init__(self, blank: str, context: str, grammar: Grammar, body: str) -> None:
        super().__init__(blank, context, grammar, "z")
        self._body = body if body != "$$$" else "$$$ANY_BODY"

    def parts(self) -> list[dict[str, Any]] | None:
        """The rules of what stands before the body; None where one cannot be told by its kind."""
        node = self._node()
        found: list[dict[str, Any]] = []
        for child in node.children() if node is not None else ():
            if child.kind() == "compound_statement":
                return found
            if not child.is_named():
                found.append({"has": {"regex": f"^{re.escape(child.text())}$"}})
                continue
            first = self._root.find(kind=child.kind())
            hole = self._holes.get(_span(child))
            if hole is None and (first is None or _span(first) != _span(child)):
                return None
            context = {"context": _named(self.whole), "selector": child.kind()}
            found.append({"has": {"pattern": hole or context}})
        return None

    def rule(self) -> dict[str, Any]:
        """What ast-grep looks for."""
        node = self._node()
        kinds = {each.kind() for each in node.children()} if node is not None else set()
        lacking = [{"not": {"has": {"kind": each}}} for each in _MODIFIERS if each not in kinds]
        block = {"context": f"while (a) {{ {self._body} }}", "selector": "compound_statement"}
        inside = {"has": {"field": "body", "pattern": block}}
        return {"all": [{"kind": self.kind}, *(self.parts() or ()), inside, *lacking]}

    def tokens(self) -> list[Token]:
        """The leaves of the pattern."""
        *before, end = super().tokens()
        return [*before, Token(self._body, self._body), end]


def _is_all_of_several(node: SgNode) -> bool:
    """Whether a node is a file with more in it than one thing, as a class and its `;` in C++."""
    return node.parent() is None and len(node.children()) > 1


def _quoted(hole: str) -> str:
    """A text as long as a hole."""
    return f'"{"z" * (len(hole) - 2)}"'


def _span(node: SgNode) -> tuple[int, int]:
    found = node.range()
    return found.start.index, found.end.index


def _covers(node: SgNode, start: int, stop: int) -> bool:
    first, last = _span(node)
    return first <= start and stop <= last


def _is_name(kind: str) -> bool:
    """Whether nodes of a kind are names, which are never empty."""
    return kind.endswith("identifier")


def _is_open(text: str) -> bool:
    return any(text.count(opening) > text.count(closing) for opening, closing in ("()", "[]", "{}"))


def _has_siblings(node: SgNode) -> bool:
    return node.next() is not None or node.prev() is not None


def _all(node: SgNode) -> Iterator[SgNode]:
    yield node
    for each in node.children():
        yield from _all(each)
