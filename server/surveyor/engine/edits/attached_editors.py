"""Files that an attached editor has open: their texts, and changing them there."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import msgspec

from surveyor.engine.process.sessions import Session
from surveyor.errors import SurveyorError
from surveyor.protocol.edits import (
    EditorApplied,
    EditorChange,
    EditorEdit,
    EditorTexts,
    OpenText,
    OpenTextsParams,
)

__all__ = ["AttachedEditors", "HeldText"]

TEXTS, APPLY = "editor/openTexts", "editor/applyEdit"
TEXTS_LIMIT_S = 3.0
APPLY_LIMIT_S = 15.0
"""An editor may ask its user whether a large edit is wanted."""

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class HeldText:
    """A file as an editor has it open."""

    session: Session
    document: OpenText


class AttachedEditors:
    """The windows that have files of a root open."""

    def __init__(self, sessions: Callable[[], Iterable[Session]]) -> None:
        self._sessions = sessions

    async def held(self, paths: Sequence[str]) -> dict[str, HeldText]:
        """Which of some files (absolute) are open, and where; of two windows the one that has
        unsaved text in it. Raises `SurveyorError` where a window that may have one is silent."""
        asked = [each for each in self._sessions() if TEXTS in each.hello.serves]
        params = OpenTextsParams(list(paths))
        answers = await asyncio.gather(
            *(each.request(TEXTS, params, TEXTS_LIMIT_S) for each in asked), return_exceptions=True
        )
        found: dict[str, HeldText] = {}
        still = {session.id for session in self._sessions()}
        for session, raw in zip(asked, answers, strict=True):
            if isinstance(raw, BaseException):
                if session.id not in still:
                    continue  # it was closed meanwhile
                raise SurveyorError(
                    "an editor with this project open does not answer",
                    "Nothing was changed: it may hold unsaved text. Try again.",
                ) from raw
            for document in msgspec.json.decode(raw, type=EditorTexts).documents:
                known = found.get(document.path)
                if known is None or (document.dirty and not known.document.dirty):
                    found[document.path] = HeldText(session, document)
        return found

    async def apply(
        self, session: Session, label: str, changes: list[EditorChange]
    ) -> EditorApplied:
        """Change buffers of one window."""
        try:
            raw = await session.request(APPLY, EditorEdit(label, changes), APPLY_LIMIT_S)
            return msgspec.json.decode(raw, type=EditorApplied)
        except (SurveyorError, msgspec.MsgspecError, ConnectionError) as error:
            said = error.message if isinstance(error, SurveyorError) else str(error)
            return EditorApplied(applied=False, reason=f"the editor failed: {said}")
