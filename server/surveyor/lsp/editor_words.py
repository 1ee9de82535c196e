"""What an editor's user is told where the engine's own words are for a terminal."""

from __future__ import annotations

import re

from surveyor.errors import NotFoundError, SurveyorError, UsageError

__all__ = ["editor_sentence", "not_a_file"]

CURSOR_HINTS = {
    "similar": "Put the cursor on a function or class, or select lines.",
    "impact": "Put the cursor on a name.",
    "graph": "Put the cursor on a name.",
}
"""What helps where nothing is at the cursor: the engine's own hints are for a terminal."""


def editor_sentence(name: str, error: SurveyorError) -> str:
    """What an editor's user is told of a request that was refused."""
    hint = CURSOR_HINTS.get(name)
    is_place = isinstance(error, NotFoundError) and re.search(r":\d+$", error.message)
    if hint and is_place:
        return NotFoundError(error.message, hint).sentence
    return error.sentence


def not_a_file(uri: str) -> UsageError:
    """The error of a request about a document that no file holds."""
    if uri.startswith("untitled:"):
        return UsageError("this document is no file yet, and the index knows files", "Save it.")
    return UsageError(f"{uri} is not a file on this machine.")
