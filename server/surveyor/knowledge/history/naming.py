"""Which commit brought a name: `git log -L` goes on into what stood there before.

Git follows lines, not names. Where a function was added beside another one of the same shape, it
takes a part of that one for its past, and the commits that it goes on with are not the function's.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence

KEPT_OF_RENAMED = 0.5
"""Least share of a definition's words that it had by its earlier name; git's own for files."""
_WORDS = re.compile(r"\w+")


def name_before(diff: str, name: str, text_after: Callable[[], str]) -> str | None:
    """What a definition was called in the parent of a commit, by the `diff` of its own lines.

    Returns None where the commit brought it. `text_after` reads the whole file as the commit left
    it: what is there still was not renamed.
    """
    named = _word(name)
    lines = [line for line in diff.split("\n") if line[:1] in {"+", "-", " "}]
    if any(named.search(line) for line in lines if not line.startswith("+")):
        return name
    head = next((line[1:] for line in lines if named.search(line)), None)
    if head is None:
        return name  # the line that has it is not among those that changed
    renamed = _renamed(head, named, [line[1:] for line in lines if line.startswith("-")])
    if not renamed or not _is_alike(lines, name):
        return None
    kept = {line.strip() for line in text_after().split("\n")}
    return next((old for line, old in renamed if line.strip() not in kept), None)


def defining(diff: str, name: str, called: str = "") -> re.Pattern[str] | None:
    """What a line has that defines `name`, as the `diff` of the commit that brought it shows;
    or what would define something `called` otherwise in the same way."""
    named = _word(name)
    added = [line[1:] for line in diff.split("\n") if line.startswith("+")]
    head = next((line for line in added if named.search(line)), None)
    if head is None:
        return None
    wanted = _word(called) if called else named
    return re.compile(_before(named.split(head.strip(), maxsplit=1)[0]) + wanted.pattern)


def name_among(diff: str, name: str, lines: Sequence[str]) -> str | None:
    """What lines that a commit took away define in the way in which its `diff` brings `name`:
    the same name where they have that, None where they define nothing so."""
    named = _word(name)
    if any(named.search(line) for line in lines):
        return name
    added = (line[1:] for line in diff.split("\n") if line.startswith("+"))
    head = next((line for line in added if named.search(line)), None)
    renamed = _renamed(head, named, lines) if head is not None else []
    return renamed[0][1] if renamed else None


def _is_alike(lines: Sequence[str], name: str) -> bool:
    """Whether a definition says, but for its name, about what stood there before."""
    now = Counter(_words(line[1:] for line in lines if line[0] != "-"))
    before = Counter(_words(line[1:] for line in lines if line[0] != "+"))
    now.pop(name, None)
    return (now & before).total() >= KEPT_OF_RENAMED * now.total()


def _words(lines: Iterable[str]) -> Iterator[str]:
    return (word for line in lines for word in _WORDS.findall(line))


def _renamed(head: str, named: re.Pattern[str], gone: Sequence[str]) -> list[tuple[str, str]]:
    """Removed lines that have another name where the new one has the name, and that name."""
    before, after = named.split(head.strip(), maxsplit=1)
    sign = re.match(r"\s*([^\w\s]?)", after)
    there = re.compile(_before(before) + r"(?<!\w)(\w+)\s*" + (re.escape(sign[1]) if sign else ""))
    return [(line, found[1]) for line in gone if (found := there.search(line))]


def _word(name: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w){re.escape(name)}(?!\w)")


def _before(text: str) -> str:
    """A pattern of what introduces a name in a line: `def`, `func`, a type, a sign."""
    last = re.search(r"(\w+|[^\w\s])\s*$", text)
    if last is None:
        return r"^\s*"
    return (r"(?<!\w)" if last[1][0].isalnum() else "") + re.escape(last[1]) + r"\s*"
