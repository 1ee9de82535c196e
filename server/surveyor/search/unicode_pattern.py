"""Regular expressions as people mean them beyond ASCII, put into RE2's syntax.

RE2's `\\w`, `\\d`, `\\s` and `\\b` know ASCII alone; those of grep and of ripgrep know all letters.
The classes can be written out. A boundary cannot, so the line that is tried is marked instead: a
character that no text has stands twice at each boundary (once for each of two assertions in a
row), a second one, if the pattern asks for it, where none is, and every part of the pattern may
pass over them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

import re2

__all__ = ["BOUNDARY", "INSIDE", "MARK_BYTES", "UnicodeSyntax", "marked", "unicode_syntax"]

BOUNDARY, INSIDE = "\ufdd0", "\ufdd1"
"""Noncharacters, which no text interchanges."""
MARK_BYTES = len(BOUNDARY.encode())

_BODIES = {
    "w": r"\p{L}\p{M}\p{Nd}\p{Nl}\p{Pc}\x{200c}\x{200d}\x{24b6}-\x{24e9}",
    "d": r"\p{Nd}",
    "s": r"\x{9}-\x{d} \x{85}\x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}"
    r"\x{3000}",
}
"""What stands for a class within brackets; Unicode's Technical Standard 18, annex C."""

_GAP = f"[{BOUNDARY}{INSIDE}]{{0,2}}"
_TOKEN = re.compile(
    r"(?P<quoted>\\Q.*?(?:\\E|\Z))"
    r"|(?P<short>\\[wWdDsS])|(?P<boundary>(?:\\b)+|(?:\\B)+)|(?P<edge>\\[Az])"
    r"|(?P<property>\\[pP](?:\{[^}]*\}|.))"
    r"|(?P<escaped>\\(?:x\{[0-9A-Fa-f]+\}|x[0-9A-Fa-f]{2}|[0-7]{1,3}|.))"
    r"|(?P<class>\[\^?\]?(?:\[:\^?\w+:\]|\\.|[^\]\\])*\])"
    r"|(?P<group>\(\?[imsU-]*[:)]|\(\?P?<\w+>|\()|(?P<plain>[)|*+?^]|\{\d+(?:,\d*)?\})"
    r"|(?P<end>\$)|(?P<any>\.)|(?P<letter>.)",
    re.DOTALL,
)
_ITEM = re.compile(
    r"\[:\^?\w+:\]|\\[pP](?:\{[^}]*\}|.)|\\(?:x\{[0-9A-Fa-f]+\}|x[0-9A-Fa-f]{2}|[0-7]{1,3}|.)|.",
    re.DOTALL,
)


class UnicodeSyntax(NamedTuple):
    """A pattern in RE2's syntax."""

    plain: str
    """With classes as they are beyond ASCII."""
    relaxed: str | None
    """The same without boundaries: matches wherever the pattern may; None where it has none."""
    marked: str | None
    """For lines that are `marked`."""
    has_inside: bool
    """Whether it asks for places that are no boundary (`\\B`)."""


def unicode_syntax(pattern: str) -> UnicodeSyntax:
    """A pattern that RE2 takes, as it is meant beyond ASCII."""
    tokens = [(each.lastgroup or "", each[0]) for each in _TOKEN.finditer(pattern)]
    kinds = {kind for kind, _ in tokens}
    plain = "".join(_widened(kind, text) for kind, text in tokens)
    # A line that is tried by itself has not the text's beginning and end.
    if "boundary" not in kinds or "edge" in kinds:
        return UnicodeSyntax(plain, None, None, False)
    relaxed = "".join(
        "(?:)" if kind == "boundary" else _widened(kind, text) for kind, text in tokens
    )
    has_inside = any(kind == "boundary" and text[1] == "B" for kind, text in tokens)
    return UnicodeSyntax(plain, relaxed, "".join(_passing(tokens)), has_inside)


def _widened(kind: str, text: str) -> str:
    if kind == "short":
        sign = "^" if text[1].isupper() else ""
        return f"[{sign}{_BODIES[text[1].lower()]}]"
    return _class(text, "") if kind == "class" else text


def _passing(tokens: list[tuple[str, str]]) -> Iterator[str]:
    """The tokens, those that take a character with the marks before it."""
    marks = BOUNDARY + INSIDE
    for kind, text in tokens:
        if kind == "boundary":
            yield f"(?:{BOUNDARY if text[1] == 'b' else INSIDE})"
        elif kind in ("group", "plain"):
            yield text
        elif kind == "quoted":
            letters = text[2:].removesuffix(r"\E")
            yield "".join(f"(?:{_GAP}{re2.escape(each)})" for each in letters)
        else:
            yield f"(?:{_GAP}{_unmarked(kind, text, marks)})"


def _unmarked(kind: str, text: str, marks: str) -> str:
    """A token that takes a character, but no mark."""
    if kind == "any":
        return f"[^\n{marks}]"
    if kind == "short" and text[1].isupper():
        return f"[^{_BODIES[text[1].lower()]}{marks}]"
    if kind == "property" and text[1] == "P":
        return f"[^\\p{text[2:]}{marks}]"
    return _class(text, marks) if kind == "class" else _widened(kind, text)


def _class(text: str, marks: str) -> str:
    """A class in brackets with its short classes written out, which matches no mark."""
    negated = text.startswith("[^")
    items = [each[0] for each in _ITEM.finditer(text[2 if negated else 1 : -1])]
    opposites = [each for each in items if each in (r"\W", r"\D", r"\S")]
    rest = "".join(
        _BODIES[each[1]] if each in (r"\w", r"\d", r"\s") else each
        for each in items
        if each not in opposites
    )
    if not opposites:
        return f"[^{rest}{marks}]" if negated else f"[{rest}]"
    if not negated:
        # A union: what is in one of the opposites, or in the rest.
        sides = [f"[^{_BODIES[each[1].lower()]}{marks}]" for each in opposites]
        return f"(?:{'|'.join([*sides, *([f'[{rest}]'] if rest else [])])})"
    # What is in all that the opposites leave out, and not in the rest.
    kept = frozenset.intersection(*(_members(_BODIES[each[1].lower()]) for each in opposites))
    return _ranges(kept - _members(rest) if rest else kept)


@lru_cache(maxsize=16)
def _members(body: str) -> frozenset[int]:
    """The code points of a class, whose body is given."""
    found = re2.compile(f"[{body}]")
    return frozenset(ord(each[0]) for each in found.finditer(_every_character()))


@lru_cache(maxsize=1)
def _every_character() -> str:
    return "".join(map(chr, (*range(0xD800), *range(0xE000, 0x20000), 0xE0100)))


def _ranges(members: frozenset[int]) -> str:
    """A class of these code points; of none it is one that matches nothing."""
    runs: list[list[int]] = []
    for each in sorted(members):
        if runs and runs[-1][1] == each - 1:
            runs[-1][1] = each
        else:
            runs.append([each, each])
    body = "".join(f"\\x{{{low:x}}}-\\x{{{high:x}}}" for low, high in runs)
    return f"[{body}]" if body else r"[^\x00-\x{10ffff}]"


@lru_cache(maxsize=1)
def _words() -> re.Pattern[str]:
    """Runs of what is in words."""
    body = re.sub(r"\\x\{(\w+)\}", lambda m: f"\\U{m[1]:0>8}", _ranges(_members(_BODIES["w"])))
    return re.compile(f"{body}+")


def marked(line: str, *, inside: bool) -> str:
    """A line with marks at the boundaries of words, and where none are if `inside`."""
    both = BOUNDARY * 2
    if not inside:
        return _words().sub(rf"{both}\g<0>{both}", line)
    none = INSIDE * 2
    parts: list[str] = []
    at = 0
    for each in _words().finditer(line):
        parts += _spaced(line[at : each.start()], none, outer=not at)
        parts += [both, none.join(each[0]), both]
        at = each.end()
    parts += _spaced(line[at:], none, outer=not at, last=True)
    return "".join(parts)


def _spaced(text: str, mark: str, *, outer: bool, last: bool = False) -> Iterator[str]:
    """What lies between words, with marks between its characters and at a line's edges."""
    if text:
        yield mark if outer else ""
        yield mark.join(text)
        yield mark if last else ""
    elif outer and last:
        yield mark
