"""The settings in use: the user's, each project's on top, both followed while the engine runs."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Collection
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from surveyor import config, paths
from surveyor.config import last_good
from surveyor.config.rank_settings import RankSettings
from surveyor.parsing.ignore import WalkSettings

if TYPE_CHECKING:
    from surveyor.config.settings import AskSection, SearchSection, WebSection

log = logging.getLogger(__name__)

CHECK_S = 0.5
"""How often the user's file is looked at for changes."""
STEADY_S = 0.5
"""How long it must then stay as it is: some editors empty a file before they write it."""

Signature = tuple[tuple[int, ...] | None, ...]
"""Times, size and number of each file that settings come from."""


@dataclass(frozen=True, slots=True)
class _ProjectSettings:
    signature: Signature
    loaded: config.LoadedSettings
    ranking: RankSettings


class LiveSettings:
    """What the configuration says now. Cheap to ask: files are read again when they changed."""

    def __init__(self) -> None:
        self.settings = config.Settings()
        self.warnings: tuple[str, ...] = ()
        self._projects: dict[str, _ProjectSettings] = {}
        self._file = paths.config_file()
        self._seen: Signature | None = None
        self._due: float | None = None
        self.is_stalled: Callable[[str], bool] = lambda _: False
        """Whether a root does not answer: what was last known of it counts then."""

    def reload(self) -> bool:
        """Read the user's file and the environment again; whether anything is different."""
        self._file = paths.config_file()
        self._seen = _signature(self._file)
        loaded = config.load()
        changed = loaded.settings != self.settings
        self.settings, self.warnings = loaded.settings, loaded.warnings
        self._due = loaded.due
        last_good.remember(loaded.found)
        self._projects.clear()
        for warning in loaded.warnings:
            log.warning("%s", warning)
        logging.getLogger("surveyor").setLevel(loaded.settings.engine.log_level.upper())
        return changed

    async def follow(self, apply: Callable[[], Awaitable[None]]) -> None:
        """Read the user's file again whenever it changes, and have what changed applied."""
        while True:
            await asyncio.sleep(CHECK_S)
            while (now := _signature(self._file)) != self._seen:
                await asyncio.sleep(STEADY_S)
                if _signature(self._file) == now:
                    break
            else:
                if self._due is None or time.time() < self._due:
                    continue
            if self.reload():
                await apply()

    @property
    def web(self) -> WebSection:
        """What is allowed of the web, as the file says at this moment: what the user takes back
        counts for the next page, and what was allowed by a command for the command after it."""
        return self._this_moment().web

    @property
    def ask(self) -> AskSection:
        """Where questions are sent, as the file says at this moment."""
        return self._this_moment().ask

    def _this_moment(self) -> config.Settings:
        if _signature(self._file) == self._seen:
            return self.settings
        return config.load().settings

    @property
    def are_whole(self) -> bool:
        """Whether everything that the user has set could be read; else nothing is deleted."""
        return not self.warnings

    def walk(self, root: str) -> WalkSettings:
        """Which files of a root are wanted."""
        settings = self._of(root).loaded.settings
        return WalkSettings(
            patterns=tuple(settings.watching.patterns),
            ignore_patterns=tuple(settings.watching.ignore_patterns),
            max_file_size=settings.indexing.max_file_size,
        )

    def ranking(self, roots: Collection[str]) -> RankSettings:
        """How results are ranked: as the project says, or as the user does among several."""
        if len(roots) == 1:
            return self._of(next(iter(roots))).ranking
        return _ranking(self.settings)

    def search(self, roots: Collection[str]) -> SearchSection:
        """`[search]`, as the project says, or as the user does among several."""
        one = len(roots) == 1
        return (self._of(next(iter(roots))).loaded.settings if one else self.settings).search

    def warnings_of(self, root: str) -> tuple[str, ...]:
        """What is wrong in a project's own files."""
        return tuple(w for w in self._of(root).loaded.warnings if w not in self.warnings)

    def _of(self, root: str) -> _ProjectSettings:
        known = self._projects.get(root)
        if self.is_stalled(root):
            users = config.LoadedSettings(settings=self.settings, warnings=self.warnings)
            return known or _ProjectSettings((), users, _ranking(self.settings))
        signature = _signature(*_project_files(root))
        if known is None or known.signature != signature:
            loaded = config.load(Path(root))
            last_good.remember(loaded.found)
            known = _ProjectSettings(signature, loaded, _ranking(loaded.settings))
            self._projects[root] = known
        return known


def _ranking(settings: config.Settings) -> RankSettings:
    return RankSettings(**{name: getattr(settings.search, name) for name in RankSettings.__slots__})


@lru_cache(maxsize=64)
def _project_files(root: str) -> tuple[Path, ...]:
    return tuple(Path(root, name) for name in config.PROJECT_FILES)


def _signature(*files: Path) -> Signature:
    return tuple(_stamp(file) for file in files)


def _stamp(file: Path) -> tuple[int, ...] | None:
    try:
        stat = file.stat()
    except OSError:
        return None
    # Permissions change the second time only, and another file of the same age the number.
    return stat.st_mtime_ns, stat.st_ctime_ns, stat.st_size, stat.st_ino
