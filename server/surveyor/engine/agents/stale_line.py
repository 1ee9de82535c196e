"""One line about what a session has read and others have changed since: at most 30 tokens."""

from __future__ import annotations

from collections.abc import Sequence

from surveyor.engine.agents.text import estimate_tokens, place
from surveyor.engine.session_readings import StaleRead

__all__ = ["MAX_TOKENS", "stale_line"]

MAX_TOKENS = 30
_BEGINNING = "Changed since you read it: "


def stale_line(stale: Sequence[StaleRead]) -> tuple[str, int]:
    """The line, and how many of the changes it names: others are for the next answer."""
    named: list[str] = []
    for each in stale:
        said = _said(each, _word(each.path))
        if estimate_tokens(_line([*named, said])) > MAX_TOKENS:
            if named:
                break
            said = _shortened(each)
        named.append(said)
    return (_line(named) if named else ""), len(named)


def _line(named: Sequence[str]) -> str:
    return f"{_BEGINNING}{', '.join(named)}."


def _said(each: StaleRead, path: str) -> str:
    if each.change is None:
        return f"{path} is gone"
    return f"{place(path, each.change.first, each.change.last)} ({each.by})"


def _shortened(each: StaleRead) -> str:
    """With as much of the end of the path as fits."""
    path = _word(each.path)
    while len(path) > 8 and estimate_tokens(_line([_said(each, f"…{path}")])) > MAX_TOKENS:
        path = path[4:]
    return _said(each, f"…{path}")


def _word(path: str) -> str:
    """A path outside the fences: nothing in it that reads as more than a name."""
    return "".join(c if c.isalnum() or c in "-_./@+" else "_" for c in path)
