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
from surveyor.search.pattern_matches import BeyondAscii, LineMatcher, Span
from surveyor.search.unicode_pattern import UnicodeSyntax, unicode_syntax

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
    _matcher: LineMatcher | None = None
    """For what is no such string."""
    _beyond: BeyondAscii | None = None
    """How texts beyond ASCII are read, where that is another way."""
    _needs_beyond: bool = False
    """Whether every match has a character beyond ASCII."""

    @property
    def is_selective(self) -> bool:
        """Whether texts without a match are known without reading most of them."""
        return bool(self.clauses)

    def spans(self, data: bytes) -> Iterator[Span]:
        """Where matches begin and end in a text, in bytes, none overlapping another."""
        if self._matcher is None:
            return _occurrences(self._needle or b"", data)
        is_ascii = data.isascii()
        if is_ascii and self._needs_beyond:
            return iter(())
        # RE2's `\s` lacks the vertical tab.
        if self._beyond is not None and (not is_ascii or b"\v" in data):
            return self._beyond.spans(data)
        return self._matcher.spans(data)

    def count(self, data: bytes) -> int:
        """How many matches a text has."""
        if self._needle is not None:
            return data.count(self._needle)
        return sum(1 for _ in self.spans(data))


def _occurrences(needle: bytes, data: bytes) -> Iterator[Span]:
    length, at = len(needle), data.find(needle)
    while at >= 0:
        yield at, at + length
        at = data.find(needle, at + length)


_ASCII = re.compile(r"[\x00-\x7f]+")


def literal(text: str, *, ignore_case: bool = False) -> TextPattern:
    """A string as it stands. Raises `UsageError` for an empty or too long one."""
    _check(text)
    text = text.replace("\r\n", "\n")
    # Beyond ASCII a letter's other case has other bytes.
    runs = _ASCII.findall(text) if ignore_case else [text]
    clauses = tuple(clause for run in runs for clause in _clauses(frozenset([run])))
    if not ignore_case or not _is_utf8(text):
        return TextPattern(clauses, text.encode("utf-8", "surrogatepass"))
    options = _options()
    options.literal, options.case_sensitive = True, False
    return TextPattern(clauses, None, LineMatcher(re2.compile(text, options)))


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
    required = _required(pattern, ignore_case=ignore_case)
    anchor = _anchor(pattern, ignore_case=ignore_case) if options.never_nl else b""
    beyond = _beyond(unicode_syntax(pattern), pattern, options, anchor)
    matcher = LineMatcher(compiled, anchor)
    return TextPattern(required.contained(), None, matcher, beyond, required.is_beyond)


def _beyond(syntax: UnicodeSyntax, pattern: str, options: Any, anchor: bytes) -> BeyondAscii | None:
    """How a pattern reads texts beyond ASCII; None where as others, or where it is too large."""
    if syntax.relaxed is None and syntax.plain == pattern:
        return None
    try:
        plain = LineMatcher(re2.compile(f"(?m){syntax.plain}", options), anchor)
        if syntax.relaxed is None or syntax.marked is None or not options.never_nl:
            return BeyondAscii(plain)
        relaxed = re2.compile(f"(?m){syntax.relaxed}", options)
        return BeyondAscii(
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
    options.never_capture = True  # where groups begin and end is found apart, and not wanted
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
    reaches_beyond: bool = False
    """Whether each of its matches has a character beyond ASCII, where that is not known in full."""

    def contained(self, least: int = LEAST_BYTES) -> Clauses:
        """What its matches contain, in strings of so many bytes at least."""
        return self.clauses if self.exact is None else _clauses(self.exact, least)

    @property
    def is_beyond(self) -> bool:
        """Whether each of its matches has a character beyond ASCII."""
        if self.exact is None:
            return self.reaches_beyond
        return not any(map(str.isascii, self.exact))


_NOTHING = _Part(frozenset([""]))
_ANYTHING = _Part(None)


def _clauses(strings: frozenset[str], least: int = LEAST_BYTES) -> Clauses:
    """One of the strings is contained; nothing where one is too short to tell."""
    if all(len(each.encode("utf-8", "surrogatepass")) >= least for each in strings):
        return (strings,)
    return ()


def required_strings(pattern: str, *, ignore_case: bool = False) -> Clauses:
    """What every match of a pattern contains, which RE2 takes; empty where nothing is known."""
    return _required(pattern, ignore_case=ignore_case).contained()


def _required(pattern: str, *, ignore_case: bool) -> _Part:
    try:
        return _Parser(pattern, ignore_case).read()
    except (_UnknownError, IndexError, RecursionError):
        return _ANYTHING


def _anchor(pattern: str, *, ignore_case: bool) -> bytes:
    """The longest string that stands in every match as it is written; empty where none is known, or
    where RE2 looks for it: it begins each match, or the text does."""
    try:
        parser = _Parser(pattern, ignore_case, least=1, in_case=True)
        clauses = parser.read().contained(least=1)
    except (_UnknownError, IndexError, RecursionError):
        return b""
    if parser.is_led or r"\A" in pattern:
        return b""
    alone = [next(iter(each)).encode() for each in clauses if len(each) == 1]
    return max(alone, key=len, default=b"")


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
_EVERY_ASCII = "".join(map(chr, range(128)))
_NAMED_CLASS = re.compile(r"\[:\^?\w+:\]")


class _Parser:
    """Reads RE2's syntax by recursive descent."""

    def __init__(
        self,
        pattern: str,
        ignore_case: bool,
        *,
        least: int = LEAST_BYTES,
        in_case: bool = False,
    ) -> None:
        self._pattern = pattern
        self._at = 0
        self._folds = ignore_case
        self._least = least
        """Bytes of a string that is worth knowing."""
        self._in_case = in_case
        """Whether only what stands in one case is."""
        self.is_led = False
        """Whether what was read last begins with a certain character."""

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
        return _either(branches, self._least)

    def _sequence(self) -> _Part:
        parts: list[_Part] = []
        while self._next() not in ("", "|", ")"):
            parts.append(self._repeated(self._atom()))
        first = parts[0].exact if parts else None
        self.is_led = first is not None and len(first) == 1 and first != {""}
        return _joined(parts, self._least)

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
            part = _times(part, least, most, self._least)

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
            return self._unknown(re2.escape(letter))
        if self._folds and self._in_case and letter.isalpha():
            return _ANYTHING
        return _Part(frozenset([letter]))

    def _unknown(self, class_: str) -> _Part:
        """One of many characters, which a class stands for."""
        flags = "(?i)" if self._folds else ""
        return _Part(None, (), re2.search(f"{flags}{class_}", _EVERY_ASCII, _options()) is None)

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
            return _joined([self._letter(each) for each in quoted], self._least)
        letter = self._pattern[self._at + 1]
        if letter in _EMPTY_WIDTH:
            self._at += 2
            return _NOTHING
        if letter in _CLASSES:
            start = self._at
            self._skip_class_escape()
            return self._unknown(self._pattern[start : self._at]) if letter in "pP" else _ANYTHING
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
        start = self._at
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
        folds = self._folds and (self._in_case or not all(map(str.isascii, characters)))
        if not known or folds or len(characters) > MAX_CLASS:
            return self._unknown(self._pattern[start : self._at])
        return _Part(frozenset(characters))


def _joined(parts: Sequence[_Part], least: int) -> _Part:
    """Parts one after the other: strings that touch become one."""
    run = frozenset([""])
    clauses: list[frozenset[str]] = []
    whole = True
    for part in parts:
        if part.exact is None:
            clauses += (*_clauses(run, least), *part.clauses)
            run, whole = frozenset([""]), False
        elif len(run) * len(part.exact) <= MAX_EXACT:
            run = frozenset(before + after for before, after in product(run, part.exact))
        else:
            clauses += _clauses(run, least)
            run, whole = part.exact, False
    if whole:
        return _Part(run)
    beyond = any(part.is_beyond for part in parts)
    return _Part(None, (*clauses, *_clauses(run, least)), beyond)


def _either(branches: Sequence[_Part], least: int) -> _Part:
    """One of several parts: what each of them says at its surest."""
    if len(branches) == 1:
        return branches[0]
    together: set[str] = set()
    if all(each.exact is not None for each in branches):
        together.update(*(each.exact for each in branches if each.exact is not None))
        if len(together) <= MAX_EXACT:
            return _Part(frozenset(together))
    together.clear()
    beyond = all(each.is_beyond for each in branches)
    for each in branches:
        contained = each.contained(least)
        if not contained:
            return _Part(None, (), beyond)
        together |= max(contained, key=lambda some: (min(map(len, some)), -len(some)))
    clauses = (frozenset(together),) if len(together) <= 2 * MAX_EXACT else ()
    return _Part(None, clauses, beyond)


def _times(part: _Part, fewest: int, most: int | None, least: int) -> _Part:
    if fewest == 0:
        if most == 1 and part.exact is not None:
            return _Part(part.exact | {""})
        return _NOTHING if most == 0 else _ANYTHING
    copies = _joined([part] * min(fewest, MAX_COPIES), least)
    if most == fewest <= MAX_COPIES:
        return copies
    return _Part(None, copies.contained(least), copies.is_beyond)
