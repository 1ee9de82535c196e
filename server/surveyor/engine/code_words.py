"""Where a word stands in a checkout's code, by stored texts and unsaved buffers."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence

from surveyor.engine.operations.search_scope import place_in
from surveyor.engine.projects.checkouts import Checkout
from surveyor.parsing.code_words import code_word_lines
from surveyor.search.scope import Conditions
from surveyor.search.text_search import TextAnswer, TextSearcher, TextSource
from surveyor.store.state.document_texts import CompressedText, texts_of
from surveyor.store.vectors.contract import Space

__all__ = ["CodeWords"]

MOST_TEXTS = 200
"""Texts that are read for one word: what stands in more of them is no name of this project's own,
and the first ones are told."""
_CODE = Conditions(types=("code", "test"))


class CodeWords:
    """Finds words in code; `space_of` says where a project's points live."""

    def __init__(self, searcher: TextSearcher, space_of: Callable[[str], Space]) -> None:
        self._searcher = searcher
        self._space_of = space_of

    async def places(self, checkout: Checkout, word: str) -> list[tuple[str, int]]:
        """Path and line of the places where a word stands in code, tests last; not those in
        comments and strings."""
        place = place_in(checkout, self._space_of(checkout.project_id))
        found = TextAnswer()
        sources = await self._searcher.sources(place, (frozenset([word]),), _CODE, found)
        sources.sort(key=lambda each: (each.file_type != "code", each.path))
        some = sources[:MOST_TEXTS]
        texts = await texts_of(self._searcher.state, [each.doc_id for each in some if each.doc_id])
        return await asyncio.to_thread(_places, word, some, texts)


def _places(
    word: str, sources: Sequence[TextSource], texts: Mapping[int, CompressedText]
) -> list[tuple[str, int]]:
    found = []
    for source in sources:
        stored = texts.get(source.doc_id)
        data = source.unsaved.text if source.unsaved else stored.read() if stored else None
        lines = code_word_lines(data, word, source.language) if data else ()
        found += [(source.path, line) for line in lines]
    return found
