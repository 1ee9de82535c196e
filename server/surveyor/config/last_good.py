"""What configuration files said when they could last be read, kept in the data folder.

A file that an editor is in the middle of writing, or that has a syntax error, must not put every
setting back to its default: some defaults delete what a longer retention has kept.
"""

from __future__ import annotations

import contextlib
import json
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from surveyor.files.writing import PRIVATE, replace_text
from surveyor.paths import data_dir, last_good_file

GONE_GRACE_S = 86400.0
"""How long the settings of the user's file stay after it was deleted or emptied."""


_WRITING = threading.Lock()
"""Projects' files are read from several threads."""


@dataclass(frozen=True, slots=True)
class LastGoodFile:
    """One file: its values by section, and since when it is gone (seconds since 1970)."""

    values: dict[str, Any] = field(default_factory=dict)
    gone_since: float | None = None


def recall() -> dict[str, LastGoodFile]:
    """By path; empty where nothing is known."""
    try:
        listed = json.loads(last_good_file().read_text(encoding="utf-8"))
        return {
            path: LastGoodFile(dict(one["values"]), one["gone_since"])
            for path, one in listed.items()
        }
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return {}


def remember(found: Mapping[str, LastGoodFile]) -> None:
    """Keep what files say now; what is not named stays.

    A folder that cannot be written is left alone: what was kept earlier stands.
    """
    with _WRITING:
        _remember(found)


def _remember(found: Mapping[str, LastGoodFile]) -> None:
    known = recall()
    wanted = {**known, **found}
    wanted = {path: one for path, one in wanted.items() if one.values or one.gone_since}
    if wanted == known or not data_dir().is_dir():
        return  # a folder that was deleted beneath an engine is not made again for this
    listed = {
        path: {"values": one.values, "gone_since": one.gone_since} for path, one in wanted.items()
    }
    with contextlib.suppress(OSError, ValueError, TypeError):
        # Dates, which TOML has and JSON has not, are no setting's value.
        replace_text(last_good_file(), json.dumps(listed, default=str, indent=1), PRIVATE)


def forget(path: Path) -> None:
    """A file was written on purpose: what it said before no longer counts."""
    remember({str(path): LastGoodFile()})
