"""The model that `search.reranker` names, loaded when it is first asked for."""

from __future__ import annotations

import asyncio
import logging

from surveyor.errors import SurveyorError
from surveyor.search.rerank import Reranker, load_reranker

log = logging.getLogger(__name__)


class Rerankers:
    """Keeps the reranker that was asked for last in memory; another name replaces it."""

    def __init__(self) -> None:
        self._held: tuple[str, Reranker | None] = ("", None)
        self._loading = asyncio.Lock()

    async def get(self, name: str, threads: int) -> Reranker | None:
        """The model; None where none is wanted, and with a warning where it is not here."""
        if not name:
            self._held = ("", None)
            return None
        async with self._loading:
            if self._held[0] != name:
                self._held = (name, await asyncio.to_thread(_load, name, threads))
            return self._held[1]


def _load(name: str, threads: int) -> Reranker | None:
    try:
        return load_reranker(name, threads=threads)
    except SurveyorError as error:
        log.warning("search.reranker: %s %s Results stay as ranked.", error.message, error.hint)
        return None
