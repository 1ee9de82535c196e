"""The rules of one ignore file, as git reads them: what the last one that names a path says."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from pathspec import GitIgnoreSpec
from pathspec.patterns.gitignore.spec import GitIgnoreSpecPattern

_PRIVATE = {byte: 0xE000 + byte for byte in range(0x80, 0x100)}
_GROUP_NAME = re.compile(r"\(\?P<\w+>")


def bytewise(text: str) -> str:
    """A character for each byte: git matches bytes, so that `?` is a part of an "ü" only.

    Bytes above ASCII become private characters, which no rule takes for a space.
    """
    if text.isascii():
        return text
    return text.encode("utf-8", "surrogateescape").decode("latin-1").translate(_PRIVATE)


class Rules:
    """Rules in order, the last one first."""

    def __init__(self, lines: Iterable[str]) -> None:
        """Raises `ValueError` for a pattern that is none."""
        self.spec = GitIgnoreSpec.from_lines(bytewise(line) for line in lines)
        self._rules = [
            (pattern.regex, str(pattern.pattern).rstrip(), bool(pattern.include))
            for pattern in reversed(self.spec.patterns)
            if isinstance(pattern, GitIgnoreSpecPattern) and pattern.regex is not None
        ]
        plain = [regex.pattern for regex, rule, _ in self._rules if not _is_wide(regex, rule)]
        self._any = re.compile("|".join(f"(?:{_GROUP_NAME.sub('(?:', each)})" for each in plain))
        """Matches what one of the plain rules does: most paths are named by none."""
        self._all_plain = len(plain) == len(self._rules)

    def says(self, path: str, is_folder: bool) -> bool | None:
        """Whether the last rule that names this very path ignores it; None when no rule does.

        A spec answers for whole paths, where a rule for a folder covers all below. Here the folders
        above were asked before, so that a rule which brings a folder back says nothing about those
        in it (gitignore(5)).
        """
        subject = path + "/" if is_folder else path
        plainly = self._any.fullmatch(subject) is not None
        if not plainly and self._all_plain:
            return None
        parent, _, _ = path.rpartition("/")
        for regex, rule, include in self._rules:
            if regex.pattern == ".":  # `*`, `**`: everything
                named = True
            elif regex.pattern == "(?P<ps_d>/)":  # `*/`: every folder
                named = is_folder
            elif _is_wide(regex, rule):  # what is below, at any depth
                named = bool(parent) and regex.search(parent + "/") is not None
                named = named and (is_folder or not rule.endswith("/"))
            else:
                named = plainly and regex.fullmatch(subject) is not None
            if named:
                return include
        return None


def _is_wide(regex: re.Pattern[str], rule: str) -> bool:
    """Whether a rule is not simply matched with the path."""
    return (
        regex.pattern in (".", "(?P<ps_d>/)")
        or regex.pattern.endswith("/")
        or rule.endswith("/**/")
    )


def read_rules(path: str | Path) -> Rules | None:
    """The rules in a file; None when there are none. A pattern that is no pattern is dropped."""
    try:
        with open(path, encoding="utf-8-sig", errors="surrogateescape", newline="") as file:  # noqa: PTH123 - asked of every folder
            text = file.read()
    except OSError:
        return None
    lines = [line.removesuffix("\r") for line in text.split("\n")]
    lines = [line for line in lines if line.strip() and not line.startswith("#")]
    if not lines:
        return None
    try:
        return Rules(lines)
    except ValueError:
        good = []
        for line in lines:
            try:
                Rules([line])
            except ValueError:
                continue
            good.append(line)
        return Rules(good)
