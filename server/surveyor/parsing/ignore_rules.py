"""The rules of one ignore file, as git reads them: what the last one that names a path says."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from pathspec import GitIgnoreSpec
from pathspec.patterns.gitignore.spec import GitIgnoreSpecPattern

from surveyor.files.globs import LinearRegex, PatternError, rule
from surveyor.files.safe_read import read_up_to

MAX_RULES = 2000
"""Most rules of one file; GitHub's longest template has 400 lines."""
MAX_RULES_STARS = 4000
"""Most `*` in all of them: places at which matching may stand at once."""
MAX_FILE_BYTES = 256 << 10
"""So much of a rule file is read."""
_TOGETHER_CHARS = 16 << 10
"""Rules compiled to one expression: much larger ones are refused."""

_PRIVATE = {byte: 0xE000 + byte for byte in range(0x80, 0x100)}
_BYTES = {private: byte for byte, private in _PRIVATE.items()}
_GROUP_NAME = re.compile(r"\(\?P<\w+>")


def bytewise(text: str) -> str:
    """A character for each byte: git matches bytes, so that `?` is a part of an "ü" only.

    Bytes above ASCII become private characters, which no rule takes for a space.
    """
    if text.isascii():
        return text
    return text.encode("utf-8", "surrogateescape").decode("latin-1").translate(_PRIVATE)


def as_written(wise: str) -> str:
    """A rule or path that `bytewise` took apart, as text that can be shown."""
    return wise.translate(_BYTES).encode("latin-1").decode("utf-8", "replace")


class IgnoreRule(NamedTuple):
    """One line of an ignore file."""

    regex: LinearRegex
    written: str
    """The line, bytewise."""
    include: bool
    """Whether it leaves out what it names; otherwise it brings that back."""
    line: int
    """Counted from 1."""


class IgnoreRules:
    """Rules in order, the last one first.

    Lines that are no rules, or too long or too many, are left out; `problems` says which and why.
    """

    def __init__(self, lines: Iterable[str], source: str = "") -> None:
        """`source` is the file that the lines are from, or what else gave them."""
        self.source = source
        self.problems: dict[int, str] = {}
        """By line, counted from 1."""
        patterns: list[GitIgnoreSpecPattern] = []
        self._rules: list[IgnoreRule] = []
        stars = 0
        for number, line in enumerate(lines, 1):
            wise = bytewise(line)
            try:
                pattern = rule(wise)
            except PatternError as error:
                self.problems[number] = str(error)
                continue
            if pattern is None:
                continue
            stars += wise.count("*")
            if len(patterns) == MAX_RULES or stars > MAX_RULES_STARS:
                self.problems[number] = (
                    f"this rule and those behind it: at most {MAX_RULES} rules with"
                    f" {MAX_RULES_STARS} `*` are read"
                )
                break
            patterns.append(pattern)
            self._rules.append(
                IgnoreRule(pattern.regex, wise.rstrip(), bool(pattern.include), number)  # type: ignore[arg-type]
            )
        self.spec = GitIgnoreSpec(patterns, backend="simple")
        """Answers for whole paths."""
        self._rules.reverse()
        plain = [
            each.regex.pattern for each in self._rules if not _is_wide(each.regex, each.written)
        ]
        self._any = _together(plain)
        """Match what one of the plain rules does: most paths are named by none."""
        self._all_plain = len(plain) == len(self._rules)

    def __bool__(self) -> bool:
        """Whether there is any rule, or something to say."""
        return bool(self._rules or self.problems)

    def says(self, path: str, is_folder: bool) -> bool | None:
        """Whether the last rule that names this very path ignores it; None when no rule does.

        A spec answers for whole paths, where a rule for a folder covers all below. Here the folders
        above were asked before, so that a rule which brings a folder back says nothing about those
        in it (gitignore(5)).
        """
        rule = self.naming(path, is_folder)
        return None if rule is None else rule.include

    def naming(self, path: str, is_folder: bool) -> IgnoreRule | None:
        """The last rule that names this very path."""
        subject = path + "/" if is_folder else path
        plainly = any(each.fullmatch(subject) is not None for each in self._any)
        if not plainly and self._all_plain:
            return None
        parent, _, _ = path.rpartition("/")
        for each in self._rules:
            regex, written, _, _ = each
            if regex.pattern == ".":  # `*`, `**`: everything
                named = True
            elif regex.pattern == "(?P<ps_d>/)":  # `*/`: every folder
                named = is_folder
            elif _is_wide(regex, written):  # what is below, at any depth
                named = bool(parent) and regex.search(parent + "/") is not None
                named = named and (is_folder or not written.endswith("/"))
            else:
                named = plainly and regex.fullmatch(subject) is not None
            if named:
                return each
        return None


def _is_wide(regex: LinearRegex, written: str) -> bool:
    """Whether a rule is not simply matched with the path."""
    return (
        regex.pattern in (".", "(?P<ps_d>/)")
        or regex.pattern.endswith("/")
        or written.endswith("/**/")
    )


def _together(patterns: list[str]) -> list[LinearRegex]:
    """Expressions that match what one of the patterns does."""
    parts: list[list[str]] = []
    length = _TOGETHER_CHARS
    for pattern in patterns:
        if length + len(pattern) > _TOGETHER_CHARS:
            parts.append([])
            length = 0
        parts[-1].append(f"(?:{_GROUP_NAME.sub('(?:', pattern)})")
        length += len(pattern)
    return [LinearRegex("|".join(part)) for part in parts]


def read_rules(path: str | Path, source: str = "") -> IgnoreRules | None:
    """The rules in a file, which is called `source` in what is said of it; None when there are
    none."""
    try:
        data, _ = read_up_to(path, MAX_FILE_BYTES)
    except OSError:  # nothing there, or no regular file
        return None
    whole = len(data) <= MAX_FILE_BYTES
    text = data[:MAX_FILE_BYTES].decode("utf-8-sig", "surrogateescape")
    lines = [line.removesuffix("\r") for line in text.split("\n")]
    if not whole:
        lines.pop()  # cut in the middle
    rules = IgnoreRules(lines, source)
    if not whole:
        rules.problems[len(lines) + 1] = f"what follows: {MAX_FILE_BYTES} bytes are read"
    return rules or None
