"""Programs that were seen to run: asked once each, not once in every process.

`typescript-language-server --version` starts Node to say so, which is half a second that a window
waits for its server. A program that no longer runs although its file is the same (a shim whose tool
is gone) is found out when it does not answer `initialize`.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from pathlib import Path

import msgspec

from surveyor.files.writing import PRIVATE, replace_text

FILE = "probed.json"
"""In the data folder."""

KEPT = 200
"""Most programs that are remembered."""

log = logging.getLogger(__name__)

Stamp = tuple[int, int, int]
"""Time, size and number of a program's file, behind links."""


class Probes:
    """The programs that ran when they were last asked, in one file; `None` keeps them here only."""

    def __init__(self, file: Path | None = None) -> None:
        self._file = file
        self._failed: dict[str, Stamp] = {}
        self._ran: dict[str, Stamp] = {}

    def known(self, command: Sequence[str]) -> bool | None:
        """Whether a probe succeeded; `None` where its program has changed or is new.

        That it failed is known to this process alone: what was missing may be installed by then.
        """
        name, stamp = key_of(command), stamp_of(command[0])
        if stamp is None or self._failed.get(name) == stamp:
            return False
        ran = self._ran if name in self._ran else self._read()
        return True if ran.get(name) == stamp else None

    def note(self, command: Sequence[str], ran: bool) -> None:
        """Remember what a probe showed."""
        name, stamp = key_of(command), stamp_of(command[0])
        if stamp is None:
            return
        if not ran:
            self._failed[name] = stamp
            return
        found = self._read()
        found.pop(name, None)
        self._ran = dict([*found.items(), (name, stamp)][-KEPT:])
        if self._file is None or not self._file.parent.is_dir():
            return
        try:
            replace_text(self._file, msgspec.json.encode(self._ran).decode(), PRIVATE)
        except OSError as error:
            log.info("the programs that run are not kept: %s", error)

    def _read(self) -> dict[str, Stamp]:
        if self._file is None:
            return self._ran
        try:
            return msgspec.json.decode(self._file.read_bytes(), type=dict[str, Stamp])
        except (OSError, msgspec.DecodeError):
            return dict(self._ran)


def key_of(command: Sequence[str]) -> str:
    """A probe's name: the program and its arguments."""
    return "\0".join(command)


def stamp_of(program: str) -> Stamp | None:
    """What changes with a program's file; `None` where there is none."""
    try:
        found = Path(program).stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino
