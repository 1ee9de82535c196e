"""The last change of lines, remembered: hovers ask for the same ones again and again."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from dataclasses import dataclass, field
from pathlib import Path

from surveyor.git.project import describe
from surveyor.knowledge.history import lines
from surveyor.knowledge.history.lines import LastChange

REMEMBERED = 2000

Key = tuple[str, str, int, int, str | None, int]


@dataclass(slots=True)
class LineHistoryCache:
    """Answers by file version and head, so that nothing outdated is told."""

    _known: OrderedDict[Key, LastChange | None] = field(default_factory=OrderedDict)
    _asked: dict[Key, asyncio.Task[LastChange | None]] = field(default_factory=dict)

    async def last(self, root: Path, path: str, start: int, end: int) -> LastChange | None:
        """The newest change of some lines; None when git does not know them."""
        key = await asyncio.to_thread(self._key, root, path, start, end)
        if key in self._known:
            self._known.move_to_end(key)
            return self._known[key]
        task = self._asked.get(key)
        if task is None:
            task = asyncio.create_task(asyncio.to_thread(lines.last_change, root, path, start, end))
            self._asked[key] = task
            task.add_done_callback(lambda _: self._asked.pop(key, None))
        # A hover that gave up must not end the question: the next one wants the answer.
        found = await asyncio.shield(task)
        self._known[key] = found
        while len(self._known) > REMEMBERED:
            self._known.popitem(last=False)
        return found

    def _key(self, root: Path, path: str, start: int, end: int) -> Key:
        try:
            modified = (root / path).stat().st_mtime_ns
        except OSError:
            modified = 0
        return str(root), path, start, end, describe(root).head, modified
