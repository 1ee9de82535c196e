"""What stands in a text, exactly: a string or a regular expression, and what a match must contain.

Regular expressions are RE2's, which reads a text once whatever the pattern, with classes and
boundaries as they are beyond ASCII (`unicode_pattern`). A match stays within a line, unless the
pattern says `\\n`. The parser here only finds strings that every match contains,
so that texts without them need not be read; of what it does not know it says nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, NamedTuple

import re2

from surveyor.embedding.ngrams import LEAST_BYTES, Clauses
from surveyor.errors import UsageError
from surveyor.search.unicode_pattern import (
    BOUNDARY,
    INSIDE,
    MARK_BYTES,
    UnicodeSyntax,
    marked,
    unicode_syntax,
)

__all__ = ["TextPattern", "literal", "regular", "required_strings"]

MAX_PATTERN_CHARS = 2000
"""Longest text or pattern that is looked for."""
MAX_EXACT = 32
"""Strings that a part of a pattern is known to match, one of them; of more nothing is said."""
MAX_CLASS = 16
"""Characters of a class that are tried one by one."""
MAX_COPIES = 8
"""Repetitions that are written out."""


@dataclass(frozen=True, slots=True)
class TextPattern:
    """What is looked for."""

    clauses: Clauses
    """What a text must contain to match; empty: any may."""
    _needle: bytes | None
    """The string itself, where its case counts."""
    _compiled: Any
    """RE2's, for what is no such string."""
    _beyond: _Beyond | None = None
    """How texts beyond ASCII are read, where that is another way."""

    @property
    def is_selective(self) -> bool:
        """Whether texts without a match are known without reading most of them."""
        return bool(self.clauses)

    def spans(self, data: bytes) -> Iterator[tuple[int, int]]:
        """Where matches begin and end in a text, in bytes, none overlapping another."""
        if self._needle is not None:
            length, at = len(self._needle), data.find(self._needle)
            while at >= 0:
                yield at, at + length
                at = data.find(self._needle, at + length)
            return
        # RE2's `\s` lacks the vertical tab.
        if self._beyond is not None and (not data.isascii() or b"\v" in data):
            yield from self._beyond.spans(data)
            return
        yield from _spans(self._compiled, data)

    def count(self, data: bytes) -> int:
        """How many matches a text has."""
        if self._needle is not None:
            return data.count(self._needle)
        return sum(1 for _ in self.spans(data))


def _spans(compiled: Any, data: bytes) -> Iterator[tuple[int, int]]:
    last = -1
    # Behind the last line's end there is no further line.
    end = len(data) if not data or data.endswith(b"\n") else -1
    for match in compiled.finditer(data):
        start, stop = match.span()
        if start == stop and start in (last, end):
            continue
        last = start
        yield start, stop


@dataclass(frozen=True, slots=True)
class _Beyond:
    """A regular expression for texts beyond ASCII."""

    _plain: Any
    _relaxed: Any = None
    """Without boundaries; None where the pattern has none, or crosses lines."""
    _marked: Any = None
    _has_inside: bool = False

    def spans(self, data: bytes) -> Iterator[tuple[int, int]]:
        """Where matches begin and end."""
        if self._relaxed is None:
            return _spans(self._plain, data)
        return iter(sorted(self._by_lines(data)))

    def _by_lines(self, data: bytes) -> Iterator[tuple[int, int]]:
        """The matches of lines beyond ASCII, which are tried with marks, and of the others."""
        tried: dict[int, bool] = {}
        """By where a line begins, whether it is beyond ASCII."""
        until = -1
        for start, _ in _spans(self._relaxed, data):
            if start <= until:
                continue
            first = data.rfind(b"\n", 0, start) + 1
            until = data.find(b"\n", start)
            until = len(data) if until < 0 else until
            line = data[first:until]
            if not line.isascii():
                tried[first] = True
                yield from self._in_line(line, first)
        if len(tried) == 0:
            yield from _spans(self._plain, data)
            return
        for span in _spans(self._plain, data):
            if data.rfind(b"\n", 0, span[0]) + 1 not in tried:
                yield span

    def _in_line(self, line: bytes, at: int) -> Iterator[tuple[int, int]]:
        text = line.decode("utf-8", "replace")
        if BOUNDARY in text or INSIDE in text:
            yield from ((at + start, at + stop) for start, stop in _spans(self._plain, line))
            return
        data = marked(text, inside=self._has_inside).encode()
        before: tuple[int, int] | None = None
        for start, stop in _spans(self._marked, data):
            span = (at + start - _marks(data, start), at + stop - _marks(data, stop))
            if span != before:  # two marks stand at one place
                yield span
            before = span


def _marks(data: bytes, end: int) -> int:
    """Bytes of marks before a byte."""
    return MARK_BYTES * (data.count(_BOUNDARY, 0, end) + data.count(_INSIDE, 0, end))


_BOUNDARY, _INSIDE = BOUNDARY.encode(), INSIDE.encode()
_ASCII = re.compile(r"[\x00-\x7f]+")


def literal(text: str, *, ignore_case: bool = False) -> TextPattern:
    """A string as it stands. Raises `UsageError` for an empty or too long one."""
    _check(text)
    text = text.replace("\r\n", "\n")
    # Beyond ASCII a letter's other case has other bytes.
    runs = _ASCII.findall(text) if ignore_case else [text]
    clauses = tuple(clause for run in runs for clause in _clauses(frozenset([run])))
    if not ignore_case or not _is_utf8(text):
        return TextPattern(clauses, text.encode("utf-8", "surrogatepass"), None)
    options = _options()
    options.literal, options.case_sensitive = True, False
    return TextPattern(clauses, None, re2.compile(text, options))


def regular(pattern: str, *, ignore_case: bool = False) -> TextPattern:
    """A regular expression. Raises `UsageError`, which says where it cannot be read."""
    _check(pattern)
    if not _is_utf8(pattern):
        raise UsageError("the pattern is no valid text")
    options = _options()
    options.case_sensitive = not ignore_case
    options.never_nl = "\n" not in pattern and r"\n" not in pattern
    try:
        re2.compile(pattern, options)
        compiled = re2.compile(f"(?m){pattern}", options)
    except re2.error as error:
        raise _unreadable(pattern, error) from None
    clauses = required_strings(pattern, ignore_case=ignore_case)
    return TextPattern(clauses, None, compiled, _beyond(unicode_syntax(pattern), pattern, options))


def _beyond(syntax: UnicodeSyntax, pattern: str, options: Any) -> _Beyond | None:
    """How a pattern reads texts beyond ASCII; None where as others, or where it is too large."""
    if syntax.relaxed is None and syntax.plain == pattern:
        return None
    try:
        plain = re2.compile(f"(?m){syntax.plain}", options)
        if syntax.relaxed is None or syntax.marked is None or not options.never_nl:
            return _Beyond(plain)
        relaxed = re2.compile(f"(?m){syntax.relaxed}", options)
        return _Beyond(
            plain, relaxed, re2.compile(f"(?m){syntax.marked}", options), syntax.has_inside
        )
    except re2.error:
        return None


def _check(text: str) -> None:
    if not text:
        raise UsageError("nothing to look for: the text is empty")
    if len(text) > MAX_PATTERN_CHARS:
        raise UsageError(f"the text to look for is longer than {MAX_PATTERN_CHARS} characters")


def _is_utf8(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _options() -> Any:
    options = re2.Options()
    options.log_errors = False
    return options


# --- errors -------------------------------------------------------------------------------

_GROUPS = re.compile(r"\\Q.*?(?:\\E|$)|\\.|\[\^?\]?(?:\[:\w+:\]|\\.|[^\]\\])*\]|[()]", re.DOTALL)


def _unreadable(pattern: str, error: Exception) -> UsageError:
    why = error.args[0] if error.args else error
    said = why.decode(errors="replace") if isinstance(why, bytes) else str(why)
    reason, _, part = said.partition(": ")
    column = _column(pattern, reason, part)
    where = f" at column {column}" if column else ""
    near = f" ({part})" if part and part != pattern else ""
    return UsageError(
        f"the regular expression cannot be read{where}: {reason}{near}",
        "The syntax is RE2's: no look-around and no back-references."
        " mode=literal looks for the text as it stands.",
    )


def _column(pattern: str, reason: str, part: str) -> int:
    """The 1-based column of what is wrong; 0 where it is not known."""
    if reason in ("missing )", "unexpected )"):
        opened: list[int] = []
        for found in _GROUPS.finditer(pattern):
            if found[0] == "(":
                opened.append(found.start())
            elif found[0] == ")":
                if not opened:
                    return found.start() + 1
                opened.pop()
        return opened[-1] + 1 if opened else 0
    if reason.startswith("trailing"):
        return len(pattern)
    return pattern.find(part) + 1 if part and pattern.count(part) == 1 else 0


# --- what a match must contain ------------------------------------------------------------


class _Part(NamedTuple):
    """What is known of a part of a pattern."""

    exact: frozenset[str] | None
    """All that it matches; None where that is too much."""
    clauses: Clauses = ()
    """What its matches contain, where that is not known in full."""

    def contained(self) -> Clauses:
        """What its matches contain."""
        return self.clauses if self.exact is None else _clauses(self.exact)


_NOTHING = _Part(frozenset([""]))
_ANYTHING = _Part(None)


def _clauses(strings: frozenset[str]) -> Clauses:
    """One of the strings is contained; nothing where one is too short to tell."""
    if all(len(each.encode("utf-8", "surrogatepass")) >= LEAST_BYTES for each in strings):
        return (strings,)
    return ()


def required_strings(pattern: str, *, ignore_case: bool = False) -> Clauses:
    """What every match of a pattern contains, which RE2 takes; empty where nothing is known."""
    try:
        return _Parser(pattern, ignore_case).read().contained()
    except (_UnknownError, IndexError, RecursionError):
        return ()


class _UnknownError(Exception):
    """The pattern has something that the parser does not know."""


_FLAGS = re.compile(r"\(\?([imsU]*)(?:-([imsU]+))?([:)])")
_NAMED = re.compile(r"\(\?P?<\w+>")
_COUNTED = re.compile(r"\{(\d+)(?:(,)(\d*))?\}")
_HEX = re.compile(r"\\x(?:([0-9A-Fa-f]{2})|\{([0-9A-Fa-f]+)\})")
_OCTAL = re.compile(r"\\(0[0-7]{0,2}|[1-7][0-7]{1,2})")
_CONTROL = {"a": "\a", "f": "\f", "t": "\t", "n": "\n", "r": "\r", "v": "\v"}
_EMPTY_WIDTH = frozenset("AbBz")
_CLASSES = frozenset("dDsSwWpPC")
_NAMED_CLASS = re.compile(r"\[:\^?\w+:\]")


class _Parser:
    """Reads RE2's syntax by recursive descent."""

    def __init__(self, pattern: str, ignore_case: bool) -> None:
        self._pattern = pattern
        self._at = 0
        self._folds = ignore_case

    def read(self) -> _Part:
        part = self._alternatives()
        if self._at < len(self._pattern):
            raise _UnknownError
        return part

    def _next(self) -> str:
        return self._pattern[self._at : self._at + 1]

    def _alternatives(self) -> _Part:
        folds = self._folds
        branches = [self._sequence()]
        while self._next() == "|":
            self._at += 1
            branches.append(self._sequence())
        self._folds = folds  # flags end with their group
        return _either(branches)

    def _sequence(self) -> _Part:
        parts: list[_Part] = []
        while self._next() not in ("", "|", ")"):
            parts.append(self._repeated(self._atom()))
        return _joined(parts)

    def _repeated(self, part: _Part) -> _Part:
        while True:
            sign = self._next()
            if sign and sign in "*+?":
                self._at += 1
                least, most = (1 if sign == "+" else 0), (1 if sign == "?" else None)
            elif counted := _COUNTED.match(self._pattern, self._at):
                self._at = counted.end()
                least = int(counted[1])
                most = least if not counted[2] else int(counted[3]) if counted[3] else None
            else:
                return part
            if self._next() == "?":  # as few as possible
                self._at += 1
            part = _times(part, least, most)

    def _atom(self) -> _Part:
        sign = self._next()
        if sign == "(":
            return self._group()
        if sign == "[":
            return self._class()
        if sign == "\\":
            return self._escaped()
        self._at += 1
        if sign in "^$":
            return _NOTHING
        return _ANYTHING if sign == "." else self._letter(sign)

    def _letter(self, letter: str) -> _Part:
        if self._folds and not letter.isascii():
            return _ANYTHING
        return _Part(frozenset([letter]))

    def _group(self) -> _Part:
        if flags := _FLAGS.match(self._pattern, self._at):
            self._at = flags.end()
            before = self._folds
            self._folds = ("i" in flags[1] or before) and "i" not in (flags[2] or "")
            if flags[3] == ")":
                return _NOTHING
            part = self._alternatives()
            self._folds = before
        else:
            named = _NAMED.match(self._pattern, self._at)
            if named is None and self._pattern.startswith("(?", self._at):
                raise _UnknownError
            self._at = named.end() if named else self._at + 1
            part = self._alternatives()
        if self._next() != ")":
            raise _UnknownError
        self._at += 1
        return part

    def _escaped(self) -> _Part:
        if self._pattern.startswith(r"\Q", self._at):
            end = self._pattern.find(r"\E", self._at + 2)
            quoted = self._pattern[self._at + 2 : end if end >= 0 else len(self._pattern)]
            self._at = end + 2 if end >= 0 else len(self._pattern)
            # What follows repeats its last letter alone, which is not worth knowing here.
            if self._next() and self._next() in "*+?{":
                raise _UnknownError
            return _joined([self._letter(each) for each in quoted])
        letter = self._pattern[self._at + 1]
        if letter in _EMPTY_WIDTH:
            self._at += 2
            return _NOTHING
        if letter in _CLASSES:
            self._skip_class_escape()
            return _ANYTHING
        return self._letter(self._character())

    def _skip_class_escape(self) -> None:
        letter = self._pattern[self._at + 1]
        self._at += 2
        if letter in "pP":
            if self._next() == "{":
                self._at = self._pattern.index("}", self._at)
            self._at += 1

    def _character(self) -> str:
        """One character, as it stands or escaped."""
        letter = self._pattern[self._at]
        if letter != "\\":
            self._at += 1
            return letter
        for numbers, base in ((_HEX, 16), (_OCTAL, 8)):
            if found := numbers.match(self._pattern, self._at):
                self._at = found.end()
                return chr(int(next(filter(None, found.groups())), base))
        letter = self._pattern[self._at + 1]
        self._at += 2
        if letter in _CONTROL:
            return _CONTROL[letter]
        if letter.isalnum():
            raise _UnknownError
        return letter

    def _class(self) -> _Part:
        """A class in brackets: its characters, where it has few."""
        self._at += 1
        known = self._next() != "^"
        self._at += not known
        characters: set[str] = set()
        first = True
        while first or self._next() != "]":
            first = False
            if named := _NAMED_CLASS.match(self._pattern, self._at):
                self._at, known = named.end(), False
                continue
            if self._next() == "\\" and self._pattern[self._at + 1] in _CLASSES:
                self._skip_class_escape()
                known = False
                continue
            low = high = self._character()
            if self._next() == "-" and self._pattern[self._at + 1] != "]":
                self._at += 1
                high = self._character()
            if ord(high) - ord(low) < MAX_CLASS:
                characters.update(map(chr, range(ord(low), ord(high) + 1)))
            else:
                known = False
        self._at += 1
        folds = self._folds and not all(map(str.isascii, characters))
        if not known or folds or len(characters) > MAX_CLASS:
            return _ANYTHING
        return _Part(frozenset(characters))


def _joined(parts: Sequence[_Part]) -> _Part:
    """Parts one after the other: strings that touch become one."""
    run = frozenset([""])
    clauses: list[frozenset[str]] = []
    whole = True
    for part in parts:
        if part.exact is None:
            clauses += (*_clauses(run), *part.clauses)
            run, whole = frozenset([""]), False
        elif len(run) * len(part.exact) <= MAX_EXACT:
            run = frozenset(before + after for before, after in product(run, part.exact))
        else:
            clauses += _clauses(run)
            run, whole = part.exact, False
    if whole:
        return _Part(run)
    return _Part(None, (*clauses, *_clauses(run)))


def _either(branches: Sequence[_Part]) -> _Part:
    """One of several parts: what each of them says at its surest."""
    if len(branches) == 1:
        return branches[0]
    together: set[str] = set()
    if all(each.exact is not None for each in branches):
        together.update(*(each.exact for each in branches if each.exact is not None))
        if len(together) <= MAX_EXACT:
            return _Part(frozenset(together))
    together.clear()
    for each in branches:
        contained = each.contained()
        if not contained:
            return _ANYTHING
        together |= max(contained, key=lambda some: (min(map(len, some)), -len(some)))
    return _Part(None, (frozenset(together),)) if len(together) <= 2 * MAX_EXACT else _ANYTHING


def _times(part: _Part, least: int, most: int | None) -> _Part:
    if least == 0:
        if most == 1 and part.exact is not None:
            return _Part(part.exact | {""})
        return _NOTHING if most == 0 else _ANYTHING
    copies = _joined([part] * min(least, MAX_COPIES))
    return copies if most == least <= MAX_COPIES else _Part(None, copies.contained())
