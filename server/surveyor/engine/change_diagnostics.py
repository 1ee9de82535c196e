"""Diagnostics that a change brought: what language servers say of it, less what they said before.

The server is shown the changed documents and those that depend on them. Where it finds something,
it is shown the texts from before the change as well, where they were, and what it finds then is no
news: also where a line has moved to another file since. In a window that shares the server these
texts would be seen for a moment: there only what stands on changed lines, or names what changed,
counts, and is likely. So it is with files that have moved.
"""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from surveyor.engine.new_diagnostics import ChangedDocument, NewDiagnostic, NewDiagnostics
from surveyor.servers.errors import UpstreamError, UpstreamHeldBackError, UpstreamMissingError
from surveyor.servers.manager import UpstreamManager, read_text
from surveyor.servers.published_diagnostics import (
    LEFT_OPEN,
    PublishedDiagnostics,
    ServerDiagnostic,
    ServerTurns,
    ShownDocuments,
)
from surveyor.units import counted

__all__ = ["ChangeDiagnostics"]

READY_S = 1.0
"""How long a server that is getting ready is waited for."""
ASK_S = 2.0
"""How long a server may take to look at the documents."""
COMPARE_S = 0.8
"""How much longer it may take for those from before the change."""


class ChangeDiagnostics:
    """Asks the engine's servers about changes, one question at a time of each."""

    def __init__(
        self, manager: UpstreamManager, host: PublishedDiagnostics, turns: ServerTurns
    ) -> None:
        self._manager = manager
        self._host = host
        self._turns = turns

    async def of_change(
        self, root: Path, documents: Sequence[ChangedDocument], *, is_shared: bool
    ) -> NewDiagnostics:
        """What is new in some documents; `is_shared`: a window has the folder open."""
        groups: dict[tuple[str, Path], list[ChangedDocument]] = {}
        for each in documents:
            path = root / each.path
            language = self._manager.language_of(path.as_uri())
            if language is not None:
                at = self._manager.root_of(language, path, root)
                groups.setdefault((language.name, at), []).append(each)
        changed = {
            key: group
            for key, group in groups.items()
            if any(each.before is not None for each in group)
        }
        answers = await asyncio.gather(
            *(self._of_server(root, *key, group, is_shared) for key, group in changed.items())
        )
        return NewDiagnostics(
            [each for answer in answers for each in answer.found],
            [each for answer in answers for each in answer.lacks] + _unseen(groups, changed.keys()),
            [each for answer in answers for each in answer.before],
            [each for answer in answers for each in answer.gone],
        )

    async def _of_server(
        self,
        root: Path,
        language: str,
        at: Path,
        documents: Sequence[ChangedDocument],
        is_shared: bool,
    ) -> NewDiagnostics:
        """What the server of a language on one root finds, a project of its own in `root`."""
        try:
            async with self._turns[language, at]:
                upstream = await self._manager.get(language, at)
                shown = ShownDocuments(self._manager, self._host, upstream)
                paths = [root / path for each in documents for path in (each.path, _was_at(each))]
                with self._host.listening(iter(paths)):
                    try:
                        return await self._ask(root, upstream.name, shown, documents, is_shared)
                    finally:
                        shown.close()
        except UpstreamHeldBackError as error:
            return NewDiagnostics(lacks=[error.message.rstrip(".")])
        except UpstreamMissingError:
            return NewDiagnostics(lacks=[f"no language server for {language} runs here"])
        except UpstreamError as error:
            return NewDiagnostics(lacks=[f"{language}: {error.message}"])

    async def _ask(
        self,
        root: Path,
        server: str,
        shown: ShownDocuments,
        documents: Sequence[ChangedDocument],
        is_shared: bool,
    ) -> NewDiagnostics:
        now = await asyncio.to_thread(_texts_now, root, documents)
        since = time.monotonic()
        # Some servers read nothing before the first document; all of them would hold it up.
        shown.show(dict(list(now.items())[:LEFT_OPEN]))
        if not await shown.is_ready(READY_S):
            return NewDiagnostics(lacks=[f"{server} is still loading and was not waited for"])
        shown.show(now)
        changed = {root / each.path for each in documents if each.before is not None} & now.keys()
        until = time.monotonic() + ASK_S
        told = await shown.diagnostics(since, until, changed)
        answer = NewDiagnostics()
        if told.silent:
            files = counted(len(told.silent), "file")
            answer.lacks.append(f"{server} has not spoken of {files} in time")
        if not told.found:
            return answer
        found = [_diagnostic(root, server, each, now) for each in told.found]
        if is_shared:
            answer.found = [replace(each, is_compared=False) for each in found]
            return answer
        # Where a file was that has moved, and where it is now: a server may follow its imports from
        # one of them only.
        was: dict[Path, str] = {}
        for each in sorted(documents, key=lambda each: bool(each.before)):
            if each.before is not None:
                was |= {root / path: each.before for path in {_was_at(each), each.path}}
        since = time.monotonic()
        shown.show(was)
        kept = {each.path for each in told.found}
        # What stands in a new file may have stood in another one of the change.
        is_new = any(was.get(path) == "" for path in kept)
        before = await shown.diagnostics(since, until + COMPARE_S, was.keys() if is_new else kept)
        shown.show(now)
        if before.silent & kept:
            answer.found = [replace(each, is_compared=False) for each in found]
            return answer
        answer.before = [_diagnostic(root, server, each, was) for each in before.found]
        moved = {each.path: each.old_path for each in documents if each.old_path}
        answer.found, answer.gone = compared(found, answer.before, moved)
        return answer


def _unseen(
    groups: Mapping[tuple[str, Path], Sequence[ChangedDocument]],
    changed: Collection[tuple[str, Path]],
) -> list[str]:
    """What is said of documents of projects in which nothing changed, next to one that did."""
    languages = {language for language, _ in changed}
    found = []
    for (language, at), group in groups.items():
        if language in languages and (language, at) not in changed:
            files = counted(len(group), "file")
            found.append(f"{files} of {at.name}, a {language} project of its own, not looked at")
    return found


def _was_at(document: ChangedDocument) -> str:
    return document.old_path or document.path


def compared(
    found: Sequence[NewDiagnostic], before: Sequence[NewDiagnostic], moved: Mapping[str, str]
) -> tuple[list[NewDiagnostic], list[NewDiagnostic]]:
    """What was not found before in the same file, nor at a line of another file that has it no
    more: each counts once; and what is not found in its file any more.

    Of files that have `moved` (by their paths now those before) no server tells for certain what it
    would have found.
    """
    old = Counter((each.path, each.code, each.message) for each in before)
    for path, old_path in moved.items():
        for was, code, message in [*old]:
            if was == old_path:
                key = (path, code, message)
                old[key] = max(old[key], old.pop((was, code, message)))
    new = []
    for each in found:
        key = (each.path, each.code, each.message)
        if old[key] > 0:
            old[key] -= 1
        else:
            new.append(each)
    lost = []
    for each in before:
        key = (each.path, each.code, each.message)
        if old[key] > 0:
            old[key] -= 1
            lost.append(each)
    gone = Counter((each.code, each.message, each.text.strip()) for each in lost)
    left = []
    for each in new:
        line = (each.code, each.message, each.text.strip())
        if gone[line] > 0:
            gone[line] -= 1
        else:
            left.append(replace(each, is_compared=each.path not in moved))
    return left, lost


def _diagnostic(
    root: Path, server: str, each: ServerDiagnostic, texts: Mapping[Path, str]
) -> NewDiagnostic:
    lines = texts.get(each.path, "").split("\n")
    text = lines[each.line - 1] if 0 < each.line <= len(lines) else ""
    path = each.path.relative_to(root).as_posix()
    place = path, each.line, each.column
    return NewDiagnostic(*place, each.message, server, each.is_error, True, text, each.code)


def _texts_now(root: Path, documents: Sequence[ChangedDocument]) -> Mapping[Path, str]:
    texts = {}
    for each in documents:
        try:
            text = each.after if each.after is not None else read_text(root / each.path)
        except OSError:  # it is gone
            continue
        texts[root / each.path] = text
    return texts
