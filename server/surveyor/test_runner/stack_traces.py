"""Where in the project a failure's text points: the stack traces of all runners."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote

__all__ = ["MESSAGE_CHARS", "first_line", "place_of", "within"]

MESSAGE_CHARS = 300
"""Of a failure's message."""

FRAME_CHARS = 1000
"""Of a line that names a place: longer ones are data that a test printed."""

_QUOTED = re.compile(r'File "([^"\n]+)", line (\d+)')
_PLAIN = re.compile(
    r"(?<![^\s:()'\"<>\[\]|])(file://)?"
    r"((?:[A-Za-z]:[\\/])?[^\s:()'\"<>\[\]|]+\.[A-Za-z]\w{0,9}):(?:line )?(\d+)"
)
_WITH_SPACES = re.compile(
    r"(?:^|[( ])((?:/|file:///)[^:\n()]+\.[A-Za-z]\w{0,9}):(?:line )?(\d+)", re.M
)
_FOREIGN = re.compile(
    r"(^|/)(node_modules|site-packages|dist-packages|\.venv|venv|\.tox|\.nox|vendor|target|\.cargo"
    r"|\.pnp|\.yarn|deps|_build|bin/Debug|bin/Release|obj)/"
)
"""Folders with the code of others inside of a project."""


def first_line(text: str) -> str:
    """The first line of a message that says something."""
    said = next((line.strip() for line in text.splitlines() if line.strip()), "")
    return said if len(said) <= MESSAGE_CHARS else said[: MESSAGE_CHARS - 1] + "…"


def place_of(text: str, root: Path, cwd: Path, *, last: bool = False) -> tuple[str, int]:
    """The first (or last) file and line of the project's own code that a text names; ("", 0)
    where it names none."""
    places = list(_places(text, root, cwd))
    if not places:
        return "", 0
    return places[-1] if last else places[0]


def within(path: str, root: Path, cwd: Path) -> str:
    """A file as a runner names it, from the root; empty where it is none of the project."""
    above = [each for each in cwd.parents if root in each.parents]  # as compilers of workspaces do
    for base in (cwd, *above, root):
        full = Path(os.path.normpath(base / path))
        if os.path.isfile(full):  # noqa: PTH113 - Path's raises for names that are too long
            for top in (root, root.resolve()):
                if top in full.parents:
                    return full.relative_to(top).as_posix()
    return ""


def _places(text: str, root: Path, cwd: Path) -> Iterator[tuple[str, int]]:
    for line in text.splitlines():
        # No frame is so long, and the patterns take quadratic time on a line without spaces.
        for path, number in _named(line) if len(line) <= FRAME_CHARS else ():
            found = within(path, root, cwd)
            if found and not _FOREIGN.search(f"/{found}"):
                yield found, number


def _named(line: str) -> Iterator[tuple[str, int]]:
    for quoted in _QUOTED.finditer(line):
        yield quoted[1], int(quoted[2])
    for spaced in _WITH_SPACES.finditer(line):
        yield unquote(spaced[1].removeprefix("file://")), int(spaced[2])
    for plain in _PLAIN.finditer(line):
        yield unquote(plain[2]) if plain[1] else plain[2], int(plain[3])
