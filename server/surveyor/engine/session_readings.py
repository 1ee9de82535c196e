"""What sessions have read, compared with what files are now, and who changed them."""

from __future__ import annotations

import asyncio
import contextlib
from bisect import bisect_right
from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from typing import Literal

from surveyor.engine.edits.file_text import FileText, version_of
from surveyor.engine.index.unsaved_buffers import EditorBuffers
from surveyor.engine.operations.engine_callables import ResolveCheckout
from surveyor.engine.projects.checkouts import Checkout
from surveyor.engine.seen_files import ChangedRead, Key, SeenFiles
from surveyor.errors import SurveyorError, UsageError
from surveyor.files.contained_paths import read_below
from surveyor.secrets import mask_text

__all__ = ["ChangedBy", "SessionReadings", "StaleRead", "lines_of"]

ChangedBy = Literal["editor", "disk", "another session"]

MAX_WRITES = 1000
"""Last writes of files by sessions that are remembered."""


@dataclass(frozen=True, slots=True)
class StaleRead:
    """Something that a session has read and that is not so any more."""

    path: str
    by: ChangedBy
    change: ChangedRead | None
    """None where the file is gone."""


@dataclass(frozen=True, slots=True)
class _TextNow:
    lines: list[str]
    stamp: object
    by: ChangedBy


class SessionReadings:
    """The seen files of all sessions."""

    def __init__(self, resolve: ResolveCheckout, buffers: EditorBuffers) -> None:
        self._resolve = resolve
        self._buffers = buffers
        self._seen: dict[str, SeenFiles] = {}
        self._beside: dict[str, list[StaleRead]] = {}
        """What others had changed beside what a session wrote with a tool of its own, not told."""
        self._writes: OrderedDict[Key, str] = OrderedDict()
        """Version of what a session wrote last into a file."""

    def drop(self, session_id: str) -> None:
        """A session has ended."""
        self._seen.pop(session_id, None)
        self._beside.pop(session_id, None)

    async def saw(self, session_id: str, read: Iterable[tuple[str, str, int, int]]) -> None:
        """A session was shown lines of files: (root, path, first line, last line).

        Each file is read once, and all of them beside the event loop with one change of thread.
        """
        places: dict[Key, list[tuple[int, int]]] = {}
        for root, path, first, last in read:
            places.setdefault((root, path), []).append((first, last))
        files: dict[Key, Checkout] = {}
        for root, path in places:
            with contextlib.suppress(SurveyorError):
                files[root, path] = await self._resolve(cwd=root)
        if not files:
            return
        texts = await asyncio.to_thread(self._texts, files)
        seen = self._seen.setdefault(session_id, SeenFiles())
        for key, (text, stamp) in texts.items():
            lines = lines_of(text)
            for first, last in places[key]:
                seen.saw(key, lines, first, min(last, len(lines)), stamp)

    def wrote(
        self, session_id: str, root: str, path: str, text: str, written: Sequence[tuple[int, int]]
    ) -> None:
        """A session has changed a file to this text (masked); it knew what it held before."""
        seen = self._seen.setdefault(session_id, SeenFiles())
        seen.wrote((root, path), lines_of(text), written)
        self._wrote(root, path, text)

    def _wrote(self, root: str, path: str, text: str) -> None:
        self._writes[root, path] = version_of(text)
        self._writes.move_to_end((root, path))
        while len(self._writes) > MAX_WRITES:
            self._writes.popitem(last=False)

    async def wrote_itself(
        self, session_id: str, checkout: Checkout, path: str, texts: Sequence[str]
    ) -> None:
        """A session has put texts into a file with a tool of its own; none: all of the file.

        An empty text stands for what was only taken away, which may have been anywhere.
        """
        try:
            text = await asyncio.to_thread(_masked_text, Path(checkout.root), path)
        except OSError:
            return
        lines, shown = lines_of(text), [mask_text(each, path) for each in texts]
        written = _places_of(shown, lines) if shown else [(1, len(lines))]
        seen = self._seen.setdefault(session_id, SeenFiles())
        if all(shown):
            change = seen.name((checkout.root, path), lines, written)
            if change is not None:
                by = self._by(checkout, path, text, in_editor=False)
                self._beside.setdefault(session_id, []).append(StaleRead(path, by, change))
            seen.wrote_beside((checkout.root, path), lines, written)
        else:
            seen.wrote((checkout.root, path), lines, written)
        self._wrote(checkout.root, path, text)

    def knows(self, session_id: str, root: str, path: str) -> bool:
        """Whether a session has read or written something of a file."""
        seen = self._seen.get(session_id)
        return seen is not None and seen.get((root, path)) is not None

    def changed(
        self, session_id: str, checkout: Checkout, path: str, text: str, *, in_editor: bool
    ) -> StaleRead | None:
        """What others changed of what a session has read of a file, also where it was named
        before; after that it is read."""
        seen = self._seen.get(session_id)
        change = seen.show((checkout.root, path), lines_of(text)) if seen is not None else None
        if change is None:
            return None
        return StaleRead(path, self._by(checkout, path, text, in_editor=in_editor), change)

    async def stale(self, session_id: str) -> list[StaleRead]:
        """What a session has read and others have changed since; each is named once."""
        seen = self._seen.get(session_id)
        if seen is None:
            return []
        found = self._beside.pop(session_id, [])
        for root in dict.fromkeys(root for root, _ in seen.files()):
            try:
                checkout = await self._resolve(cwd=root)
            except SurveyorError:
                continue
            paths = [path for at, path in seen.files() if at == root]
            stamps = await asyncio.to_thread(self._stamps, checkout, paths)
            for path, stamp in zip(paths, stamps, strict=True):
                known = seen.get((root, path))
                if known is not None and known.stamp != stamp:
                    found += await self._look(seen, checkout, root, path)
        return found

    async def _look(
        self, seen: SeenFiles, checkout: Checkout, root: str, path: str
    ) -> list[StaleRead]:
        try:
            now = await self._now(checkout, path)
        except OSError:
            seen.forget((root, path))
            return [StaleRead(path, "disk", None)]
        change = seen.name((root, path), now.lines)
        known = seen.get((root, path))
        if known is not None:
            known.stamp = now.stamp
        return [StaleRead(path, now.by, change)] if change is not None else []

    def _stamps(self, checkout: Checkout, paths: Sequence[str]) -> list[object]:
        return [self._stamp(checkout, path) for path in paths]

    def _stamp(self, checkout: Checkout, path: str) -> object:
        held = self._buffers.text(checkout.checkout_id, path)
        if held is not None:
            return held[1]
        try:
            status = (Path(checkout.root) / path).stat()
        except OSError:
            return None
        return status.st_mtime_ns, status.st_size

    async def _now(self, checkout: Checkout, path: str) -> _TextNow:
        """A file's text as agents are shown it, and whose it is. Raises `OSError`."""
        in_editor = self._buffers.text(checkout.checkout_id, path) is not None
        text, stamp = await asyncio.to_thread(self._text, checkout, path)
        return _TextNow(lines_of(text), stamp, self._by(checkout, path, text, in_editor=in_editor))

    def _texts(self, files: Mapping[Key, Checkout]) -> dict[Key, tuple[str, object]]:
        """The texts of those that can be read."""
        found = {}
        for (root, path), checkout in files.items():
            with contextlib.suppress(SurveyorError, OSError):
                found[root, path] = self._text(checkout, path)
        return found

    def _text(self, checkout: Checkout, path: str) -> tuple[str, object]:
        """A file's text as agents are shown it, with its stamp. Raises `OSError`."""
        stamp = self._stamp(checkout, path)
        held = self._buffers.text(checkout.checkout_id, path)
        if held is not None:
            return mask_text(held[0], path), stamp
        return _masked_text(Path(checkout.root), path), stamp

    def _by(self, checkout: Checkout, path: str, text: str, *, in_editor: bool) -> ChangedBy:
        if self._writes.get((checkout.root, path)) == version_of(text):
            return "another session"
        if in_editor or self._buffers.was_shown(checkout.checkout_id, path, text):
            return "editor"
        return "disk"


def _masked_text(root: Path, path: str) -> str:
    """As an edit writes it. Raises `OSError`."""
    data = read_below(root, path)
    try:
        text = FileText.of(data).text
    except UsageError:  # no text
        text = data.decode("utf-8-sig", errors="replace")
    return mask_text(text, path)


def _places_of(texts: Sequence[str], lines: Sequence[str]) -> list[tuple[int, int]]:
    """First and last line, from 1, of everywhere that some texts stand."""
    text = "\n".join(lines)
    starts = list(accumulate((len(line) + 1 for line in lines), initial=0))
    found = []
    for each in texts:
        wanted = each.replace("\r\n", "\n")
        at = text.find(wanted) if wanted else -1
        while at >= 0:
            end = at + len(wanted.rstrip("\n"))
            found.append((bisect_right(starts, at), bisect_right(starts, end)))
            at = text.find(wanted, at + len(wanted))
    return found


def lines_of(text: str) -> list[str]:
    """The lines of a text, whatever ends them."""
    return text.replace("\r\n", "\n").split("\n")
