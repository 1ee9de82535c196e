"""Rust's traits that macros implement: `macro_rules! number { ($t:ty) => { impl Number for $t } }`.

A macro's body is no code of any type. What it implements a trait for is what its invocations hand
it, read here from the macro's rules when somebody asks for the trait's implementations.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from surveyor.graph.facts import KIND_CODES
from surveyor.graph.queries.items import LineReader
from surveyor.graph.queries.lookup import EdgeAt, Node, StoredGraph

__all__ = ["MacroImplementation", "implemented_by_macros"]

MAX_INVOCATIONS = 500
"""Of one macro, those of macros that invoke it among them."""
MAX_NESTING = 4
"""Macros that hand on what they are given."""
MAX_ARGUMENT_LINES = 80
"""Of one invocation; the rest is not read."""
MAX_BODY_LINES = 2000
_CALL = KIND_CODES["call"]
_HEAD_LINES = 4
_IMPL = re.compile(r"\bimpl\b[^{};]*$")
"""What stands before the trait's name."""
_FOR = re.compile(
    r"\s*(?:<[^{};]*?>)?\s+for\s+(?P<type>(?:[^{;\[]|\[[^\[\]]*\])+?)\s*(?:\bwhere\b|\{|;|$)",
    re.DOTALL,
)
_ATTRIBUTES = re.compile(r"\$\(\s*#\s*\[[^\[\]]*\]\s*\)\s*[*+?]|#\[(?:[^\[\]]|\[[^\[\]]*\])*\]")
"""In a matcher, and before what is handed over."""
_VARIABLE = re.compile(r"\$(\w+)")
_FRAGMENT = re.compile(r"\$(\w+)\s*:\s*\w+")
_REPEATED = re.compile(r"\s*([^\s*+?]?)\s*[*+?]")
"""Behind a repetition's brackets: the separator and how often."""
_TOKEN = re.compile(r"=>|->|::|\w+|[^\w\s]")
_NO_CODE = re.compile(r"//[^\n]*|/\*.*?\*/|\"(?:[^\"\\]|\\.)*\"|'[^\w\s\\]'", re.DOTALL)
"""Comments, strings and marks: a comma or bracket in these divides nothing."""
_CLOSING = {"(": ")", "[": "]", "{": "}"}
_NAME = re.compile(r"(\w+)\s*(?:<.*)?$", re.DOTALL)
"""The last name of a path, before its arguments."""


class MacroImplementation(NamedTuple):
    """A type that a macro implements a trait for."""

    path: str
    line: int
    column: int
    """Where the type is handed over, or where the macro has the implementation."""
    type_text: str
    node: Node | None
    """The type, if the project defines it."""


@dataclass(frozen=True, slots=True)
class _Piece:
    """A part of a file, with where it begins."""

    path: str
    line: int
    column: int
    text: str

    def at(self, offset: int) -> tuple[int, int]:
        """Line and column of a place in it."""
        before = self.text[:offset]
        line = before.count("\n")
        last = before.rpartition("\n")[2]
        return self.line + line, len(last.encode()) + (0 if line else self.column)


async def implemented_by_macros(
    stored: StoredGraph, asked: Sequence[Node], lines: LineReader
) -> list[MacroImplementation]:
    """What macros implement these traits for, by where it is written."""
    traits = [node for node in asked if node.path.endswith(".rs") and node.kind == "trait"]
    if not traits:
        return []
    edges = await stored.uses([node.node_id for node in traits])
    around = await stored.by_id(edge.source for edge in edges)
    found: dict[tuple[str, int, int], MacroImplementation] = {}
    for edge in edges:
        macro = around.get(edge.source)
        written = _implemented_for(edge, lines) if macro and macro.kind == "macro" else ""
        if macro is None or not written:
            continue
        variable = _VARIABLE.search(written)
        handed = await _handed(stored, macro, variable[1], lines) if variable else []
        made = handed or [MacroImplementation(edge.path, edge.line, edge.column, written, None)]
        found.update({(each.path, each.line, each.column): each for each in made})
    return sorted(found.values(), key=lambda each: each[:3])


def _implemented_for(edge: EdgeAt, lines: LineReader) -> str:
    """The type in `impl … Trait for TYPE` of a use of the trait; empty where it is another use."""
    before = lines.text(edge.path, max(1, edge.line - _HEAD_LINES), edge.line - 1)
    head = lines.text(edge.path, edge.line, edge.line).encode()
    if not _IMPL.search(before + head[: edge.column].decode(errors="replace")):
        return ""
    after = head[edge.end_column :].decode(errors="replace")
    after += lines.text(edge.path, edge.line + 1, edge.line + _HEAD_LINES)
    match = _FOR.match(after)
    return " ".join(match["type"].split()) if match else ""


async def _handed(
    stored: StoredGraph, macro: Node, variable: str, lines: LineReader, depth: int = 0
) -> list[MacroImplementation]:
    """What the invocations of a macro hand it as one of its variables."""
    body = lines.text(
        macro.path, macro.start_line, min(macro.end_line, macro.start_line + MAX_BODY_LINES)
    )
    rules = [each for each in _rules(body) if f"${variable}" in each]
    invoked = (await stored.uses([macro.node_id], [_CALL]))[:MAX_INVOCATIONS]
    around = await stored.by_id(edge.source for edge in invoked)
    found: list[MacroImplementation] = []
    for edge in invoked:
        outer = around.get(edge.source)
        if outer is not None and outer.node_id == macro.node_id:  # it goes on with the rest
            continue
        piece = _arguments(edge, lines)
        for first, last in _values(rules, variable, piece.text):
            given = " ".join(piece.text[first:last].split())
            if nested := _VARIABLE.match(given):
                if outer is not None and outer.kind == "macro" and depth < MAX_NESTING:
                    found += await _handed(stored, outer, nested[1], lines, depth + 1)
                continue
            found.append(_made(stored, piece, first, last, given))
        if len(found) >= MAX_INVOCATIONS:
            break
    return found


def _made(
    stored: StoredGraph, piece: _Piece, first: int, last: int, given: str
) -> MacroImplementation:
    named = _NAME.search(piece.text[first:last])
    line, column = piece.at(first + (named.start(1) if named else 0))
    nodes = stored.pointed_at(piece.path, line, column) if named else []
    node = next((each for each in nodes if each.qualname), None)
    return MacroImplementation(piece.path, line, column, given, node)


def _rules(body: str) -> Iterator[str]:
    """The matchers of a macro: what is before each `=>` of its own."""
    body = _without_prose(body)
    at = body.find("{")
    while 0 <= at < len(body):
        start = next((i for i in range(at + 1, len(body)) if body[i] in _CLOSING), -1)
        end = _end(body, start) if start >= 0 else -1
        arrow = body.find("=>", end) if end >= 0 else -1
        if arrow < 0:
            return
        yield _without_attributes(body[start + 1 : end - 1])
        opening = next((i for i in range(arrow, len(body)) if body[i] in _CLOSING), -1)
        at = _end(body, opening) - 1 if opening >= 0 else -1
        if at < 0:
            return


def _end(text: str, start: int) -> int:
    """Behind the bracket that closes the one at a place; -1 where none does."""
    depth = 0
    for index in range(start, len(text)):
        depth += (text[index] in "([{") - (text[index] in ")]}")
        if not depth:
            return index + 1
    return -1


def _arguments(edge: EdgeAt, lines: LineReader) -> _Piece:
    """What is between the brackets of an invocation; nothing where they are not closed."""
    text = _without_prose(lines.text(edge.path, edge.line, edge.line + MAX_ARGUMENT_LINES))
    begun = len(text.encode()[: edge.end_column].decode(errors="replace"))
    opening = re.compile(r"\s*!\s*[\[({]").match(text, begun)
    end = _end(text, opening.end() - 1) if opening else -1
    if opening is None or end < 0:
        return _Piece(edge.path, edge.line, 0, "")
    whole = _Piece(edge.path, edge.line, 0, text)
    line, column = whole.at(opening.end())
    return _Piece(edge.path, line, column, _without_attributes(text[opening.end() : end - 1]))


def _without_prose(text: str) -> str:
    """The text with blanks for comments, and words for what is in quotes."""
    return _NO_CODE.sub(
        lambda match: re.sub(r"\S", " " if match[0][0] == "/" else "_", match[0]), text
    )


def _without_attributes(text: str) -> str:
    return _ATTRIBUTES.sub(lambda match: re.sub(r"\S", " ", match[0]), text)


def _values(rules: Sequence[str], variable: str, text: str) -> list[tuple[int, int]]:
    """Where in the arguments the value of a variable is, by the first rule that they fit."""
    for rule in rules:
        repeated = _repetition_of(rule, variable)
        if repeated is None:
            found = [_value(rule, variable, text, 0, len(text))]
        else:
            inner, separator, before = repeated
            start = _fit(_elements(before), text, 0, len(text), "")[0]
            parts = _split(text, start, separator) if start >= 0 else ()
            found = [_value(inner, variable, text, first, last) for first, last in parts]
        if spans := [span for span in found if span is not None]:
            return spans
    return []


def _value(rule: str, variable: str, text: str, first: int, last: int) -> tuple[int, int] | None:
    end, span = _fit(_elements(rule), text, first, last, variable)
    return span if end >= 0 else None


def _repetition_of(rule: str, variable: str) -> tuple[str, str, str] | None:
    """The repetition `$( … ),*` that has a variable: what it repeats, its separator, and what is
    before it; None where the variable is in none."""
    at = rule.find("$(")
    while at >= 0:
        end = _end(rule, at + 1)
        if end < 0:
            return None
        inner = rule[at + 2 : end - 1]
        if re.search(rf"\${variable}\s*:", inner):
            again = _REPEATED.match(rule, end)
            return inner, again[1] if again else "", rule[:at]
        at = rule.find("$(", end)
    return None


def _elements(rule: str) -> list[str]:
    """A matcher's parts in order: `$name` for what is handed over, `$(` for a repetition, and
    what has to stand there."""
    found: list[str] = []
    at = 0
    while at < len(rule):
        if rule.startswith("$(", at) and (end := _end(rule, at + 1)) > 0:
            again = _REPEATED.match(rule, end)
            found.append("$(")
            at = again.end() if again else end
        elif fragment := _FRAGMENT.match(rule, at):
            found.append(f"${fragment[1]}")
            at = fragment.end()
        elif token := _TOKEN.match(rule, at):
            found.append(token[0])
            at = token.end()
        else:
            at += 1
    return found


def _fit(
    elements: Sequence[str], text: str, first: int, last: int, variable: str
) -> tuple[int, tuple[int, int] | None]:
    """Where what fits a matcher's parts ends (-1: it does not fit), and the variable's value."""
    span = None
    at = _blanks(text, first, last)
    for index, element in enumerate(elements):
        if element.startswith("$"):
            after = elements[index + 1] if index + 1 < len(elements) else ""
            end = _until(text, at, last, after)
            if element == f"${variable}":
                span = (at, at + len(text[at:end].rstrip()))
            at = _blanks(text, end, last)
            continue
        if not text.startswith(element, at):
            return -1, None
        at = _blanks(text, at + len(element), last)
    return at, span


def _blanks(text: str, at: int, last: int) -> int:
    while at < last and text[at].isspace():
        at += 1
    return at


def _until(text: str, at: int, last: int, stop: str) -> int:
    """Where a value ends: before what has to follow, outside of its brackets, or with its word
    where another value follows."""
    depth = 0
    for index in range(at, last):
        char = text[index]
        if depth <= 0 and (
            (stop and not stop.startswith("$") and text.startswith(stop, index))
            or (stop.startswith("$") and char.isspace())
        ):
            return index
        arrow = char == ">" and text[index - 1] in "=-"
        depth += (char in "([{<") - (char in ")]}>" and not arrow)
    return last


def _split(text: str, start: int, separator: str) -> Iterator[tuple[int, int]]:
    """Parts of the arguments between separators that are in no brackets."""
    first = _blanks(text, start, len(text))
    while first < len(text):
        end = _until(text, first, len(text), separator or "$")
        yield first, end
        first = _blanks(text, end + len(separator), len(text))
