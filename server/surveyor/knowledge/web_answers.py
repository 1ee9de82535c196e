"""Pages of the web that a question is about: looked for where the user says, and read if allowed.

Nothing of it is kept.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from surveyor.config.addresses import without_user
from surveyor.config.settings import WebSection
from surveyor.embedding.sparse import query_vector
from surveyor.errors import SurveyorError
from surveyor.formats.page_facts import check_installed
from surveyor.knowledge.document_reading import ReadDocuments, ReadJob, read_whole
from surveyor.knowledge.points import Points, TextVectors, confidence
from surveyor.knowledge.web_library import allowed_hosts
from surveyor.knowledge.web_passages import WebPassage, WebPassages
from surveyor.knowledge.web_reading import page_format
from surveyor.secrets import mask_text
from surveyor.store.vectors.contract import Sparse
from surveyor.units import counted
from surveyor.web.fetch import Fetcher, FetchLimits
from surveyor.web.pace import Pace
from surveyor.web.public_addresses import LookUp, look_up
from surveyor.web.search_service import FoundPage, SearchService
from surveyor.web.site_rules import SiteRules

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["WebAnswers"]

log = logging.getLogger(__name__)

MOST_PAGES = 5
"""Of what the service names."""
ALL_PAGES_S = 20.0
"""For reading them, all together."""
MOST_PASSAGES = 8
MAX_CHUNKS = 60
"""Of one page, that are compared with the question."""


@dataclass(frozen=True, slots=True)
class WebAnswers:
    """Finds pages, reads them, and takes from them what a question is about."""

    read: ReadDocuments
    points: Points
    settings: Callable[[], WebSection]
    look: LookUp = look_up

    async def find(self, question: str) -> WebPassages:
        """Passages, best first; why there are none, where there are none. Raises nothing."""
        web = self.settings()
        if not web.enabled:
            return WebPassages(note="left out: it is off")
        if not web.search:
            return WebPassages(note="left out: no search service is set (`web.search`)")
        service = SearchService(web.search, web.search_kind, web.api_key, web.timeout, self.look)
        try:
            host = service.host
            check_installed()  # before the question is sent anywhere
            found = (await service.find(mask_text(question)))[:MOST_PAGES]
            passages, read = await self._passages(web, found)
            ranked = await self._ranked(question, passages)
        except SurveyorError as error:
            asked = without_user(web.search)
            return WebPassages(note=f"asked {asked}: {error.message}", asked=asked)
        note = f"asked {host}: {counted(len(found), 'page')}, {read} of them allowed and read"
        return WebPassages(ranked[:MOST_PASSAGES], note, host)

    async def _passages(
        self, web: WebSection, found: Sequence[FoundPage]
    ) -> tuple[list[WebPassage], int]:
        """Texts of pages at hosts that are allowed; of others what the service says of them."""
        hosts = allowed_hosts(web)
        limits = FetchLimits(web.max_page, min(web.timeout, ALL_PAGES_S))
        passages: list[WebPassage] = []
        read = 0
        async with Fetcher.opened(
            lambda: allowed_hosts(self.settings()), limits, self.look
        ) as fetcher:
            sites = SiteRules(fetcher, Pace(web.delay))
            wanted = [each for each in found if hosts.allows(each.address)]
            tasks = {
                each.address: asyncio.create_task(self._page(fetcher, sites, each))
                for each in wanted
            }
            if tasks:
                _, late = await asyncio.wait(tasks.values(), timeout=ALL_PAGES_S)
                for task in late:
                    task.cancel()
                await asyncio.gather(*tasks.values(), return_exceptions=True)
            for each in found:
                done = tasks.get(each.address)
                texts = done.result() if done is not None and not done.cancelled() else []
                read += bool(texts)
                said = [WebPassage(str(each.address), each.title, mask_text(each.excerpt))]
                passages += texts or [one for one in said if one.text.strip()]
        return passages, read

    async def _page(self, fetcher: Fetcher, sites: SiteRules, found: FoundPage) -> list[WebPassage]:
        """The parts of one page; nothing where it cannot be had."""
        try:
            page = await fetcher.get(found.address, permit=sites.permit)
            kind = page_format(page) if page.status == 200 else None
            if kind is None:
                return []
            job = ReadJob("page" if kind == "html" else "document", found.address.host,
                          data=page.data, charset=page.charset,
                          format=None if kind == "html" else kind)  # fmt: skip
            document = await read_whole(self.read, job)
        except SurveyorError as error:
            log.info("%s: %s", found.address.origin, error.message)
            return []
        chunks = document.chunks[:MAX_CHUNKS] if document is not None else []
        title = document.title if document is not None else found.title
        url = str(page.address)
        return [
            WebPassage(url, " > ".join(dict.fromkeys((title, *each.headings))), each.text)
            for each in chunks
        ]

    async def _ranked(self, question: str, passages: Sequence[WebPassage]) -> list[WebPassage]:
        """By how likely each is about the question, as documents of libraries are."""
        if not passages:
            return []
        vectors = await self.points.embed_texts(
            [each.title for each in passages], [each.text for each in passages]
        )
        meant = await self._meaning(question)
        words = query_vector(question)
        shared = [_shared(words, each.sparse) for each in vectors]
        best = max(shared)
        ranked = [
            WebPassage(
                each.url, each.title, each.text, confidence(_alike(meant, vector), common, best)
            )
            for each, vector, common in zip(passages, vectors, shared, strict=True)
        ]
        return sorted(ranked, key=lambda each: -each.confidence)

    async def _meaning(self, question: str) -> NDArray[np.float32] | None:
        embedder = await self.points.embedder(self.points.space("libraries", "web"))
        return None if embedder is None else await asyncio.to_thread(embedder.embed_query, question)


def _alike(meant: NDArray[np.float32] | None, vector: TextVectors) -> float | None:
    """The cosine of two vectors."""
    if meant is None or len(meant) != len(vector.dense):
        return None
    lengths = float((meant @ meant) ** 0.5 * (vector.dense @ vector.dense) ** 0.5)
    return float(meant @ vector.dense) / lengths if lengths else None


def _shared(words: Sparse, text: Sparse) -> float:
    """What the words of a question weigh in a text."""
    weights = dict(zip(text.indices, text.values, strict=True))
    return sum(
        value * weights.get(index, 0.0)
        for index, value in zip(words.indices, words.values, strict=True)
    )
