"""Our entry in an agent's configuration, where one is there already.

What starts Surveyor is ours. All else in the entry is the user's: whether it is switched off, what
may be called without asking, limits, variables, and arguments behind `mcp`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

__all__ = ["RemoteEntryError", "merged"]

COMMAND = "mcp"
"""The word of our command line behind which a user may have added arguments."""
REMOTE = ("url", "serverUrl", "httpUrl")
"""Names under which agents keep the address of a server that they do not start."""


class RemoteEntryError(ValueError):
    """The entry names an address in place of a program."""


def merged(existing: Any, ours: Mapping[str, Any]) -> dict[str, Any]:
    """What of our entry has to be written over an existing one; other members of it stay.

    Raises `RemoteEntryError`.
    """
    if not isinstance(existing, dict):
        return dict(ours)
    if any(name in existing for name in REMOTE):
        raise RemoteEntryError("it reaches Surveyor by an address, and starts no program")
    return {
        name: _value(name, existing[name], wanted) if name in existing else wanted
        for name, wanted in ours.items()
    }


def _value(name: str, existing: Any, wanted: Any) -> Any:
    if name == "command" and not isinstance(wanted, list):
        return wanted
    if isinstance(wanted, list):
        return _words(existing, wanted)
    if isinstance(wanted, dict):
        return {**existing, **wanted} if isinstance(existing, dict) else wanted
    return existing


def _words(existing: Any, wanted: list[str]) -> list[str]:
    """Our words up to the command, then the user's where there are any, else ours."""
    if not isinstance(existing, list) or COMMAND not in existing:
        return wanted
    added = existing[existing.index(COMMAND) + 1 :]
    return [*wanted[: wanted.index(COMMAND) + 1], *added] if added else wanted
