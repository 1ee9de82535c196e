"""The project that tests are run in: its marker files, its programs, and no network."""

from __future__ import annotations

import itertools
import os
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from surveyor.files.contained_paths import read_below
from surveyor.test_runner.process import ends_well
from surveyor.test_runner.types import RunTarget

__all__ = ["OFFLINE", "Workspace"]

OFFLINE: Mapping[str, str] = {
    "CARGO_NET_OFFLINE": "true",
    "COMPOSER_DISABLE_NETWORK": "1",
    "COREPACK_ENABLE_DOWNLOAD_PROMPT": "0",
    "COREPACK_ENABLE_NETWORK": "0",
    "GOPROXY": "off",
    "GOTOOLCHAIN": "local",
    "HEX_OFFLINE": "1",
    "PIP_NO_INDEX": "1",
    "UV_OFFLINE": "1",
    "YARN_ENABLE_NETWORK": "0",
    "npm_config_offline": "true",
}
"""Package managers that a runner may start fetch nothing."""

_PROBE_S = 20.0


class Workspace:
    """The files and programs of one project, for whoever asked for a run."""

    def __init__(self, root: Path, env: Mapping[str, str], scratch: Path) -> None:
        """`env` is the asker's environment, `scratch` an empty folder for reports."""
        self.root = root
        self.env = {**env, **OFFLINE, "NO_COLOR": "1", "FORCE_COLOR": "0"}
        self._scratch = scratch
        self._numbers = itertools.count(1)

    def report_path(self, ending: str = "") -> Path:
        """A place for one more report."""
        return self._scratch / f"report-{next(self._numbers)}{ending}"

    def folders_up(self, path: str) -> Iterator[Path]:
        """The folder of a path, and those above it up to the root."""
        folder = (self.root / path).parent
        while folder != self.root and self.root in folder.parents:
            yield folder
            folder = folder.parent
        yield self.root

    def nearest(self, path: str, markers: Sequence[str]) -> Path | None:
        """The nearest folder above a path that has one of these files (`*` is a glob's)."""
        for folder in self.folders_up(path):
            if any(self._has(folder, marker) for marker in markers):
                return folder
        return None

    def _has(self, folder: Path, marker: str) -> bool:
        if "*" in marker:
            return any(folder.glob(marker))
        return (folder / marker).exists()

    def read(self, folder: Path, name: str) -> str:
        """The text of a file of the project; empty where there is none."""
        try:
            relative = (folder / name).relative_to(self.root).as_posix()
            return read_below(self.root, relative).decode("utf-8", "replace")
        except (OSError, ValueError):
            return ""

    def text_of(self, target: RunTarget) -> str:
        """A test file's text."""
        return self.read(self.root, target.path)

    def program(self, name: str) -> str | None:
        """A program of the PATH; relative folders of it do not count."""
        for folder in self.env.get("PATH", os.defpath).split(os.pathsep):
            if Path(folder).is_absolute() and (found := shutil.which(name, path=folder)):
                return found
        return None

    def own_program(self, path: str, name: str, folders: Sequence[str]) -> str | None:
        """A program of the project itself, from the nearest of such folders above a path."""
        for above in self.folders_up(path):
            for folder in folders:
                if found := shutil.which(name, path=str(above / folder)):
                    return found
        return None

    def ends_well(self, argv: Sequence[str]) -> bool:
        """Whether a short question to a program is answered with 0."""
        return ends_well(argv, cwd=self._scratch, env=self.env, timeout_s=_PROBE_S) is not None

    def output_of(self, argv: Sequence[str], cwd: Path) -> str:
        """What a short question to a program is answered; empty where it fails."""
        return (ends_well(argv, cwd=cwd, env=self.env, timeout_s=_PROBE_S) or "").strip()

    def grouped(
        self, targets: Iterable[RunTarget], markers: Sequence[str]
    ) -> dict[Path | None, list[RunTarget]]:
        """Targets by the nearest folder that has one of these files."""
        groups: dict[Path | None, list[RunTarget]] = {}
        for target in targets:
            groups.setdefault(self.nearest(target.path, markers), []).append(target)
        return groups

    def from_folder(self, folder: Path, target: RunTarget) -> str:
        """A target's path as it is said in a folder, never to be taken for an option."""
        path = (self.root / target.path).relative_to(folder).as_posix()
        return f"./{path}" if path.startswith("-") else path
