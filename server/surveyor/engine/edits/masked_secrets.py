"""Asterisks in place of a secret: whoever edits has seen the file masked, and may write it so."""

from __future__ import annotations

import re

from surveyor.errors import UsageError
from surveyor.secrets import find

__all__ = ["check_masks"]

_MASK = re.compile(r"\*{4,}")
"""Of any length from here on: who copies a long row of asterisks miscounts."""


def check_masks(path: str, before: str, after: str) -> None:
    """Raises `UsageError` where asterisks come in while a secret of the file goes."""
    if len(_MASK.findall(after)) <= len(_MASK.findall(before)):
        return
    data = before.encode("utf-8", "surrogatepass")
    left = after.encode("utf-8", "surrogatepass")
    if any(data[one.start : one.end] not in left for one in find(data, path)):
        raise UsageError(
            f"{path} has a secret where you were shown asterisks, and would lose it to them",
            "Leave its line as it is; to remove the secret, do so in an edit without asterisks.",
        )
