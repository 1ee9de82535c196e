"""Which folders the user trusts: their own language servers and tests may be started, and nothing
else changes.

One file with absolute paths, written by `surveyor trust`. A folder below a trusted one is trusted.
An editor may vouch for its workspace for the length of its session; that is not written down.
"""

from __future__ import annotations

from pathlib import Path

import msgspec

from surveyor.files.writing import PRIVATE, replace_text
from surveyor.paths import carrying_repository, named_path
from surveyor.servers.uris import is_inside


class Trust:
    """The folders that the user has trusted, stored in the data folder."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._stamp = -1.0
        self._written: list[Path] = []
        self._session: set[Path] = set()

    def folders(self) -> list[Path]:
        """What the user has written down, read again when the file has changed.

        A data folder that a repository carries (`SURVEYOR_DATA_DIR`) says nothing of the user.
        """
        if carrying_repository(self._file) is not None:
            return []
        try:
            stamp = self._file.stat().st_mtime
            if stamp != self._stamp:
                names = msgspec.json.decode(self._file.read_bytes(), type=list[str])
                self._written = [Path(name) for name in names]
                self._stamp = stamp
        except (OSError, msgspec.DecodeError):
            self._written, self._stamp = [], -1.0
        return list(self._written)

    def is_trusted(self, root: Path) -> bool:
        """Whether executables that `root` brings along may be started."""
        real = resolved(root)
        return any(is_inside(real, folder) for folder in [*self.folders(), *self._session])

    def vouch(self, root: Path, trusted: bool) -> None:
        """An editor's word on its workspace, for this process only."""
        if trusted:
            self._session.add(resolved(root))
        else:
            self._session.discard(resolved(root))

    def add(self, root: Path) -> bool:
        """Trust a folder from now on; `False` when it already was."""
        if resolved(root) in self.folders():
            return False
        self._write([*self.folders(), resolved(root)])
        return True

    def remove(self, root: Path) -> bool:
        """Trust a folder no more; `False` when it was not written down."""
        if resolved(root) not in self.folders():
            return False
        self._write([folder for folder in self.folders() if folder != resolved(root)])
        return True

    def _write(self, folders: list[Path]) -> None:
        data = msgspec.json.encode(sorted(str(folder) for folder in folders))
        replace_text(self._file, data.decode(), PRIVATE)
        self._stamp = -1.0


def trust_file(data: Path) -> Path:
    """Where the list is kept."""
    return data / "trusted.json"


def resolved(path: Path) -> Path:
    """Absolute, without links: a link into a trusted folder does not make its place trusted."""
    return named_path(path)
