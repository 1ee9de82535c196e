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
        self.problem: str | None = None
        """Why the one that is wanted is not used."""

    async def get(self, name: str, threads: int) -> Reranker | None:
        """The model; None where none is wanted, and with a warning where it is not here."""
        if not name:
            self._held, self.problem = ("", None), None
            return None
        async with self._loading:
            if self._held[0] != name:
                self._held = (name, await self._load(name, threads))
            return self._held[1]

    async def _load(self, name: str, threads: int) -> Reranker | None:
        self.problem = None
        try:
            return await asyncio.to_thread(load_reranker, name, threads=threads)
        except SurveyorError as error:
            said = error.message.rstrip(".")
            self.problem = f"search.reranker: {said}. Results stay as ranked."
            log.warning("%s %s", self.problem, error.hint)
            return None
