"""An edit of several files: computed on what they are now, and made in all of them or in none."""

from __future__ import annotations

import asyncio
import difflib
from collections import defaultdict
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from surveyor.engine.edits.attached_editors import AttachedEditors, HeldText
from surveyor.engine.edits.file_text import FileText, changed_spans
from surveyor.engine.edits.journal import EditJournal, JournalledFile
from surveyor.engine.edits.masked_secrets import check_masks
from surveyor.engine.edits.targets import EditTarget, EditTargets
from surveyor.engine.process.sessions import Session
from surveyor.engine.projects.checkouts import Checkout
from surveyor.errors import NO_ROOM_ERRNOS, Quoting, SurveyorError, UsageError
from surveyor.files.writing import ChangedMeanwhileError
from surveyor.parsing.ignore import WalkSettings
from surveyor.protocol.edits import EditorChange
from surveyor.secrets import mask_diff
from surveyor.units import counted

__all__ = ["CurrentText", "Editing", "Planner", "TextChange"]

TRIES = 8
"""An edit is computed anew so often when a file changes under it: somebody is typing."""
PAUSE_S = 0.05
DIFF_CONTEXT = 2
MAX_DIFF_LINES = 400


class MovedOnError(SurveyorError):
    """A file changed each time before the edit could be made."""

    code = "conflict"


@dataclass(frozen=True, slots=True)
class CurrentText:
    """A file as it is now: in an editor's buffer where it is open, else on disk."""

    target: EditTarget
    file: FileText
    held: HeldText | None


@dataclass(frozen=True, slots=True)
class TextChange:
    """A file that is changed, or would be."""

    path: str
    before: FileText
    after: FileText
    held: HeldText | None

    def lines(self) -> list[tuple[int, int]]:
        """First and last of the lines that it writes, as they are then."""
        old, new = _lines(self.before.text), _lines(self.after.text)
        return [(c + 1, max(d, c + 1)) for _, _, c, d in changed_spans(old, new)]

    def diff(self) -> str:
        """Unified, with credentials masked, cut where it is long."""
        old, new = _lines(self.before.text), _lines(self.after.text)
        lines = list(difflib.unified_diff(old, new, n=DIFF_CONTEXT, lineterm=""))[2:]
        cut = len(lines) - MAX_DIFF_LINES
        text = mask_diff("\n".join(lines[:MAX_DIFF_LINES]), self.path)
        return f"{text}\n… {counted(cut, 'line')} more" if cut > 0 else text


Planner = Callable[[Mapping[str, CurrentText]], Awaitable[Mapping[str, FileText]]]
"""Computes what files are to hold from what they hold; raises `SurveyorError` for a conflict."""


def _lines(text: str) -> list[str]:
    return text.replace("\r\n", "\n").split("\n")


class Editing:
    """Makes edits, one at a time in a checkout."""

    def __init__(
        self,
        journal: EditJournal,
        editors: AttachedEditors,
        walk_settings: Callable[[str], WalkSettings],
    ) -> None:
        self._journal = journal
        self._editors = editors
        self._walk_settings = walk_settings
        self._locks: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)

    async def run(
        self,
        checkout: Checkout,
        paths: Sequence[str],
        plan: Planner,
        *,
        label: str,
        generated: bool = False,
        preview: bool = False,
    ) -> list[TextChange]:
        """Make an edit of files, or compute it; returns those that it changes.

        `plan` may be called several times: files change while it computes. Raises `SurveyorError`,
        and then nothing was changed.
        """
        async with self._locks[checkout.root]:
            for attempt in range(TRIES):
                current = await self.current(checkout, paths, generated=generated)
                planned = await plan(current)
                edits = [
                    TextChange(path, current[path].file, after, current[path].held)
                    for path, after in planned.items()
                    if after.text != current[path].file.text
                ]
                for each in edits:
                    check_masks(each.path, each.before.text, each.after.text)
                if preview or not edits:
                    return edits
                files = {path: each.target.file for path, each in current.items()}
                # What has begun is finished, though nobody may wait for it any more.
                if await asyncio.shield(asyncio.ensure_future(self._write(edits, files, label))):
                    return edits
                await asyncio.sleep(PAUSE_S * attempt)
        raise MovedOnError(
            f"{paths[0]} is being changed by somebody else all the time", "Nothing was changed."
        )

    async def current(
        self, checkout: Checkout, paths: Sequence[str], *, generated: bool
    ) -> dict[str, CurrentText]:
        """The files as they are now, by the paths that were given.

        Raises `SurveyorError` for those that are not to be edited."""
        targets = EditTargets(checkout.root, self._walk_settings(checkout.root))

        def read() -> dict[str, EditTarget]:
            return {path: targets.target(path, generated=generated) for path in paths}

        found = await asyncio.to_thread(read)
        held = await self._editors.held([str(each.file) for each in found.values()])
        current = {}
        for path, target in found.items():
            in_editor = held.get(str(target.file))
            try:
                file = FileText.of(target.data)
            except UsageError as error:
                hint = Quoting(error.hint) if error.hint_quotes else error.hint
                raise UsageError(f"{target.path}: {error.message}", hint) from error
            if in_editor is not None:
                file = file.with_text(in_editor.document.text)
            current[path] = CurrentText(target, file, in_editor)
        return current

    async def _write(self, edits: list[TextChange], files: Mapping[str, Path], label: str) -> bool:
        """Write all of it; False, with nothing changed, where a file is not what it was."""
        on_disk = [
            JournalledFile(files[each.path], each.before.encoded(), each.after.encoded())
            for each in edits
            if each.held is None
        ]
        in_editors: dict[str, list[TextChange]] = {}
        for each in edits:
            if each.held is not None:
                each.after.encoded()  # it is to be saved one day
                in_editors.setdefault(each.held.session.id, []).append(each)
        if not on_disk:
            return await self._in_editors(list(in_editors.values()), label)
        try:
            folder = await asyncio.to_thread(self._journal.write, on_disk)
        except (ChangedMeanwhileError, FileNotFoundError):
            return False
        except OSError as error:
            raise UsageError(
                f"{error.filename or 'a file'} cannot be written: {error.strerror}",
                "Nothing was changed. Free some space there and try again."
                if error.errno in NO_ROOM_ERRNOS
                else "Nothing was changed.",
            ) from error
        try:
            done = await self._in_editors(list(in_editors.values()), label)
        except BaseException:
            await asyncio.to_thread(self._journal.undo, folder)
            raise
        await asyncio.to_thread(self._journal.commit if done else self._journal.undo, folder)
        return done

    async def _in_editors(self, windows: Sequence[Sequence[TextChange]], label: str) -> bool:
        """Change the buffers of each window; a second one that refuses undoes the first."""
        made: list[tuple[Session, list[EditorChange]]] = []
        for edits in windows:
            held = [each.held for each in edits if each.held is not None]
            session = held[0].session
            changes = [
                EditorChange(one.document.path, one.document.version, each.after.text)
                for one, each in zip(held, edits, strict=True)
            ]
            answer = await self._editors.apply(session, label, changes)
            if answer.applied:
                back = [
                    EditorChange(
                        one.document.path, answer.versions[one.document.path], one.document.text
                    )
                    for one in held
                ]
                made.append((session, back))
                continue
            for before, changes_back in made:
                await self._editors.apply(before, f"Undo {label}", changes_back)
            if answer.changed:
                return False
            raise UsageError(
                f"the editor did not apply it: {answer.reason}", "Nothing was changed."
            )
        return True
