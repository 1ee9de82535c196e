"""What searches of exact text have read, kept while they go on: documents, n-grams and texts.

The documents and n-grams of a checkout are used at the version of the catalog that they were read
at (`State.catalog_version`), a text where its checksum is still the document's. All of it is let go
when nobody has searched for a while.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from surveyor.embedding.ngrams import Clauses, SignatureTable
from surveyor.process_memory import give_back_free_memory
from surveyor.search.scope import SearchTarget
from surveyor.secrets.masking import PARTS_MASKED
from surveyor.store.state import State
from surveyor.store.state.document_texts import (
    SearchedDocument,
    documents_in,
    documents_of,
    paths_noted,
    signatures_in,
)

__all__ = ["TextCatalog", "WordSignatures"]

TEXT_BYTES = 96_000_000
"""Texts that are kept: those of some 15,000 files."""
SIGNATURE_BYTES = 32_000_000
"""N-grams of one checkout that are kept: an eighth of its texts."""
MOST_DOCUMENTS = 100_000
"""Documents of one checkout that are kept: 300 bytes each."""
KEPT_S = 60.0
"""So long after the last search."""
FEW = 4
"""Where less than one in so many documents may match, only those are read."""


@dataclass(slots=True)
class _Signatures:
    """The n-grams of a checkout's documents."""

    documents: list[int]
    table: SignatureTable
    unknown: frozenset[int]
    """Documents whose texts are not stored (yet)."""


@dataclass(frozen=True, slots=True)
class WordSignatures:
    """Which documents may hold some strings."""

    documents: Sequence[int]
    """Those whose texts are stored."""
    held: Sequence[npt.NDArray[np.bool_]]
    """For each string, whether each of them may hold it."""


@dataclass(slots=True)
class _CheckoutTexts:
    """What is known of a checkout as of a version of the catalog."""

    version: int
    documents: list[SearchedDocument] | None = None
    signatures: _Signatures | None = None
    masked: list[str] | None = None


@dataclass(slots=True)
class _KeptText:
    checksum: int
    text: bytes
    search: int
    """The number of the search that used it last."""


@dataclass(slots=True)
class TextCatalog:
    """Documents by what they may say, and their texts."""

    state: State
    _checkout: tuple[str, _CheckoutTexts] = field(default=("", _CheckoutTexts(-1)))
    """The one searched last, with its id."""
    _texts: OrderedDict[int, _KeptText] = field(default_factory=OrderedDict)
    """By document, the one used last at the end."""
    _bytes: int = 0
    _search: int = 0
    _end: asyncio.TimerHandle | None = None

    def begin(self) -> None:
        """A search begins."""
        self._search += 1
        if self._end is not None:
            self._end.cancel()
        self._end = asyncio.get_running_loop().call_later(KEPT_S, self._end_of_searches)

    def forget(self) -> None:
        """Let everything go."""
        self._checkout = "", _CheckoutTexts(-1)
        self._texts.clear()
        self._bytes = 0

    def _end_of_searches(self) -> None:
        self.forget()
        # Tens of milliseconds, in which this thread has better things to do.
        asyncio.get_running_loop().run_in_executor(None, give_back_free_memory)

    async def documents(
        self, place: SearchTarget, clauses: Clauses, *, unknown: bool = True
    ) -> list[SearchedDocument]:
        """The documents of a place that may hold what the clauses say, by path; with those whose
        texts are not stored (yet), if `unknown`."""
        if not clauses:
            return await self._all(place)
        signatures = await self._signatures(place)
        may = await asyncio.to_thread(signatures.table.may_hold, clauses)
        possible = {signatures.documents[number] for number in may.nonzero()[0].tolist()}
        if unknown:
            possible |= signatures.unknown
        known = self._known(place).documents
        if known is None and len(possible) * FEW < len(signatures.documents):
            return await documents_of(self.state, list(possible))
        return [each for each in await self._all(place) if each.doc_id in possible]

    async def holding(self, place: SearchTarget, strings: Sequence[str]) -> WordSignatures:
        """Which of a place's documents may hold each of some strings, in any case; one of less than
        three bytes says nothing: all may."""
        signatures = await self._signatures(place)

        def holding_each() -> list[npt.NDArray[np.bool_]]:
            return [signatures.table.may_hold((frozenset([each]),)) for each in strings]

        return WordSignatures(signatures.documents, await asyncio.to_thread(holding_each))

    async def masked(self, place: SearchTarget) -> list[str]:
        """The files of a place in whose stored texts credentials are asterisks, by path."""
        known = self._known(place)
        if known.masked is not None:
            return known.masked
        masked = await paths_noted(self.state, place, PARTS_MASKED)
        if known.version == self.state.catalog_version:
            known.masked = masked
        return masked

    def _known(self, place: SearchTarget) -> _CheckoutTexts:
        """What is known of a place as of now, to be added to; thrown away where it cannot be kept:
        of another branch, or while the catalog changes."""
        version = self.state.catalog_version
        if place.other_branch is not None or version % 2:
            return _CheckoutTexts(-1)
        checkout_id, known = self._checkout
        if checkout_id != place.checkout_id or known.version != version:
            known = _CheckoutTexts(version)
            self._checkout = place.checkout_id, known
        return known

    async def _all(self, place: SearchTarget) -> list[SearchedDocument]:
        known = self._known(place)
        if known.documents is not None:
            return known.documents
        documents = await documents_in(self.state, place)
        if known.version == self.state.catalog_version and len(documents) <= MOST_DOCUMENTS:
            known.documents = documents
        return documents

    async def _signatures(self, place: SearchTarget) -> _Signatures:
        known = self._known(place)
        if known.signatures is not None:
            return known.signatures
        rows = await signatures_in(self.state, place)
        signatures = await asyncio.to_thread(_table, rows)
        if (
            known.version == self.state.catalog_version
            and signatures.table.bytes <= SIGNATURE_BYTES
        ):
            known.signatures = signatures
        return signatures

    def texts(self, documents: Iterable[tuple[int, int]]) -> dict[int, bytes]:
        """The texts that are known of documents, which are given with their checksums."""
        found = {}
        for doc_id, checksum in documents:
            known = self._texts.get(doc_id)
            if known is not None and known.checksum == checksum:
                known.search = self._search
                self._texts.move_to_end(doc_id)
                found[doc_id] = known.text
        return found

    def store(self, texts: Mapping[int, tuple[int, bytes]]) -> None:
        """Add texts, by document with their checksums, in the place of those that this search has
        not used: one that reads more than has room finds the first of it the next time."""
        for doc_id, (checksum, text) in texts.items():
            self._drop(doc_id)
            while self._bytes + len(text) > TEXT_BYTES and self._texts:
                oldest = next(iter(self._texts))
                if self._texts[oldest].search == self._search:
                    break
                self._drop(oldest)
            if self._bytes + len(text) <= TEXT_BYTES:
                self._texts[doc_id] = _KeptText(checksum, text, self._search)
                self._bytes += len(text)

    def _drop(self, doc_id: int) -> None:
        dropped = self._texts.pop(doc_id, None)
        if dropped is not None:
            self._bytes -= len(dropped.text)


def _table(rows: Sequence[tuple[int, bytes | None]]) -> _Signatures:
    known = [(doc_id, bits) for doc_id, bits in rows if bits is not None]
    return _Signatures(
        [doc_id for doc_id, _ in known],
        SignatureTable([bits for _, bits in known]),
        frozenset(doc_id for doc_id, bits in rows if bits is None),
    )
