"""A call of a tool as it is logged: what was asked, what came of it, and the places."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Any

from surveyor.engine.agents.text import FENCE_NOTE, inline
from surveyor.engine.agents.tools.base import ReadLines
from surveyor.store.state.agent_log import LoggedCall, Place

__all__ = ["logged_call"]

_SAID = ("action", "query", "symbol", "name", "target", "path", "paths", "id", "diff", "label")
"""Arguments that say what was asked; texts to be stored or put into files are not among them."""
OUTCOME_CHARS = 160


def logged_call(
    session: str,
    client: str,
    root: str,
    tool: str,
    given: Mapping[str, Any],
    text: str,
    read: Sequence[ReadLines],
    wrote: Sequence[ReadLines],
    *,
    failed: bool,
) -> LoggedCall:
    """An entry of the log."""
    places: list[Place] = [(*each, "edited") for each in wrote]
    places += [(*each, "read") for each in read]
    return LoggedCall(
        0,
        session,
        client,
        root,
        time.time(),
        tool,
        _asked(given),
        _outcome(text, failed=failed),
        failed,
        places,
    )


def _asked(given: Mapping[str, Any]) -> str:
    said = []
    for name in _SAID:
        value = given.get(name)
        if isinstance(value, list):
            value = " ".join(map(str, value))
        if value:
            said.append(inline(str(value)))
    edits = given.get("edits")
    if isinstance(edits, list):
        paths = dict.fromkeys(str(each.get("path", "")) for each in edits if isinstance(each, dict))
        said.append(inline(" ".join(paths)))
    if given.get("action") in ("rename", "code_action"):
        said.append(f"to {inline(str(given.get('new', '')), 60)}")
    return " ".join(said)


def _outcome(text: str, *, failed: bool) -> str:
    """Its first line, unless a file's text begins there: what is wrong stands before any."""
    first, _, rest = text.partition("\n")
    is_fenced = first == FENCE_NOTE or first.startswith("```")
    if is_fenced and failed:
        first = next((line for line in rest.split("\n") if not line.startswith("```")), "")
    elif is_fenced:
        first = ""
    return inline(first, OUTCOME_CHARS)
