"""Masks what an earlier version stored, once, and wipes what it left in the database's files.

Files are read again by themselves, since the version of masking is part of the index's. What is not
read again (commits, documents, rules, what waits) is masked where it is stored, and so are texts
until their turn comes. Then the database is written anew, so that no freed page has them.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Sequence
from dataclasses import replace

from surveyor.engine.index.commit import Committer
from surveyor.engine.process.lifetime import Lifetime
from surveyor.errors import SurveyorError
from surveyor.knowledge.service import Knowledge
from surveyor.parsing.stored_text import stored_text
from surveyor.secrets import mask_bytes, mask_text, mask_values
from surveyor.secrets.masking import MASKING_VERSION
from surveyor.store.state import State, document_texts, documents, files, settings
from surveyor.store.state.document_texts import CompressedText, NewTextRow
from surveyor.store.state.outside_texts import (
    TABLES,
    TextRow,
    TextTable,
    read_texts,
    write_texts,
)

log = logging.getLogger(__name__)

ROWS_AT_ONCE = 400
DOCUMENTS_AT_ONCE = 40
PAUSE_S = 0.01
SETTLED_POLL_S = 2.0


class Remasking:
    """Masks again, by the rules of now, what was stored by those of before."""

    def __init__(
        self, state: State, committer: Committer, knowledge: Knowledge, lifetime: Lifetime
    ) -> None:
        self._state = state
        self._committer = committer
        self._knowledge = knowledge
        self._lifetime = lifetime

    async def run(self) -> None:
        """Mask what is stored, unless that was done by this version."""
        if await self._is_done():
            return
        try:
            points: set[str] = set()
            changed = 0
            changed += await self._mask_documents()
            for table in TABLES:
                found = await self._mask(table)
                changed += len(found)
                points |= {str(point) for point in found if table.point}
            await self._make_points(points)
            if changed or await documents.has_documents(self._state):
                await self._settled()
                await self.wipe()
            async with self._state.transaction() as tx:
                await settings.remember(tx, settings.MASKING, MASKING_VERSION)
            if changed:
                log.info("secrets were masked in %d rows of an earlier version", changed)
        except asyncio.CancelledError:
            raise
        except Exception:
            log.exception("what is stored could not be masked; the next start tries again")

    async def _is_done(self) -> bool:
        return await settings.value_of(self._state, settings.MASKING) == MASKING_VERSION

    async def _mask(self, table: TextTable) -> list[str]:
        """Mask a table's texts; returns the points (or keys) of the rows that have changed."""
        last: object = None
        changed: list[str] = []
        while rows := await read_texts(self._state, table, last, ROWS_AT_ONCE):
            last = rows[-1].key
            masked = await asyncio.to_thread(_masked_rows, rows)
            if masked:
                async with self._state.transaction() as tx:
                    await write_texts(tx, table, masked)
                changed += [row.point or str(row.key) for row in masked]
            await asyncio.sleep(PAUSE_S)
        return changed

    async def _mask_documents(self) -> int:
        """Mask the texts of documents; returns how many have changed."""
        changed, last = 0, 0
        while rows := await document_texts.texts_after(self._state, last, DOCUMENTS_AT_ONCE):
            last = rows[-1][0]
            masked, lost = await asyncio.to_thread(_masked_documents, rows)
            if masked or lost:
                async with self._state.transaction() as tx:
                    await document_texts.put_texts(tx, masked)
                    await document_texts.delete_texts(tx, lost)
                changed += len(masked) + len(lost)
            await asyncio.sleep(PAUSE_S)
        return changed

    async def _make_points(self, ids: set[str]) -> None:
        """Embed again what says something else now."""
        if not ids:
            return
        for space, entries in await self._knowledge.stored_entries():
            wanted = [entry for key, entry in (await entries()).items() if key in ids]
            if wanted:
                await self._knowledge.points.put(space, wanted)

    async def _settled(self) -> None:
        """Until the followed folders have been read again by this version."""
        while True:
            await asyncio.sleep(SETTLED_POLL_S)
            if self._lifetime.starting:
                continue
            if not await files.waits_for_version(self._state, self._committer.version):
                return

    async def wipe_when_settled(self) -> None:
        """Wipe once the files that have changed for it have been read again."""
        try:
            await self._settled()
            await self.wipe()
        except SurveyorError as error:
            log.warning("what is masked again may be left in free pages: %s", error.message)

    async def wipe(self) -> None:
        """Write the database anew, without what was in freed pages and in its log."""
        async with self._committer.committing:
            async with self._state.transaction() as tx:
                await documents.delete_unused_texts(tx)
                await documents.delete_unused_vectors(tx)
            await self._state.compact()


def _masked_rows(rows: Sequence[TextRow]) -> list[TextRow]:
    """The rows that change, as they are masked."""
    masked = (
        replace(
            row,
            texts=tuple(_plain(text, row.path) for text in row.texts),
            json=tuple(_json(text) for text in row.json),
        )
        for row in rows
    )
    return [new for row, new in zip(rows, masked, strict=True) if new != row]


def _masked_documents(
    rows: Sequence[tuple[int, str, CompressedText]],
) -> tuple[list[NewTextRow], list[int]]:
    """The texts that change, as they are masked, and the documents whose lines would be others:
    their chunks are those lines."""
    masked: list[NewTextRow] = []
    lost: list[int] = []
    for doc_id, path, stored in rows:
        text = stored.read()
        if text is None or (new := mask_bytes(text, path)) == text:
            continue
        if new.count(b"\n") != text.count(b"\n"):
            lost.append(doc_id)
            continue
        made = stored_text(new)
        masked.append(NewTextRow(doc_id, made.text, made.ngrams))
    return masked, lost


def _plain(text: str | None, path: str | None) -> str | None:
    return None if text is None else mask_text(text, path)


def _json(text: str | None) -> str | None:
    if not text:
        return text
    try:
        value = json.loads(text)
    except ValueError:
        return mask_text(text)
    masked = mask_values(value)
    return text if masked == value else json.dumps(masked)
