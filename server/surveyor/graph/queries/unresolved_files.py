"""Whether an answer can change by files whose edges are not there yet."""

from __future__ import annotations

import posixpath
import re

from surveyor.graph.queries.lookup import language_of_path
from surveyor.store.state import State
from surveyor.store.state.graph.files import texts_to_resolve

__all__ = ["may_concern"]

MOST_FILES = 40
"""So many are looked into; where more wait, one of them is taken to matter."""
_NAME = re.compile(r"[\w$]+")


async def may_concern(state: State, checkout_id: str, subject: str) -> bool:
    """Whether one of the files that changed last names, or is, what a question is about."""
    stem = posixpath.splitext(subject)[0] if language_of_path(subject) else subject
    names = _NAME.findall(stem)
    rows = await texts_to_resolve(state, checkout_id, MOST_FILES + 1)
    if not names or len(rows) > MOST_FILES:
        return True
    sought = names[-1].encode()
    for path, text in rows:
        data = text.read() if text is not None else None
        if data is None or path.endswith(subject) or sought in data:
            return True
    return False
