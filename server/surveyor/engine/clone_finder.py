"""Finds definitions that do what some code does, in other words.

Candidates come from three sides: chunks whose vectors are near (of the code, and of what it calls
and says alone), and files that use the same telling names. Their fingerprints are taken in the
workers, from the texts that the index has, and compared.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from surveyor.clones.jobs import CodeRange, Fingerprint, FingerprintJob
from surveyor.clones.likeness import Likeness, Weigh, likeness
from surveyor.embedding.embedded import dense_of, sparse_of
from surveyor.engine.index.unsaved_buffers import EditorBuffers
from surveyor.engine.name_frequencies import NameFrequencies, NameIndex
from surveyor.files.file_class import read_labels
from surveyor.search import globs
from surveyor.search.pipeline import Searcher
from surveyor.search.scope import CandidateRow, Conditions, Overlay, SearchTarget, meets
from surveyor.search.symbol_narrowing import SymbolLike
from surveyor.store.chunk_row import Row
from surveyor.store.state import State
from surveyor.store.state.document_texts import texts_of
from surveyor.store.state.searched_chunks import chunks_of_documents
from surveyor.store.state.symbols import definitions_of_kinds
from surveyor.store.vectors.contract import Sparse
from surveyor.worker.messages import Job, Outcome, TextJob

__all__ = ["CALLABLE", "TYPES", "Clone", "CloneFinder", "ComparedCode"]

CALLABLE = ("function", "method", "constructor", "macro", "property")
TYPES = ("class", "interface", "struct", "enum", "trait", "object", "module", "type")

NEAR_CHUNKS = 60
"""Chunks whose definitions are compared, for one question."""
SHARING_FILES = 12
"""Files of the same names whose definitions are compared."""
MOST_COMPARED = 400
"""Definitions that are compared, for one question."""
SIZES = 5
"""A definition of so many times the lines, or so much fewer, is not compared."""
LEAST_TOKENS = 6
"""What has fewer names, literals and operators does nothing that could be recognised."""
KEPT_FINGERPRINTS = 6000
"""Some 3 KB each."""

_COPIES = frozenset({"vendored", "generated"})
_Key = tuple[int, str, int, int]
RunJobs = Callable[[Sequence[Job]], Awaitable[list[Outcome]]]


@dataclass(frozen=True, slots=True)
class ComparedCode:
    """Code that is compared with what there is."""

    path: str
    """From the root: decides the language, whether or not there is such a file."""
    data: bytes
    """The whole file, or a piece of one."""
    within: CodeRange
    is_part: bool = False
    is_type: bool = False
    """It is compared with types; otherwise with what can be called."""

    @property
    def text(self) -> str:
        """The code itself."""
        lines = self.data.split(b"\n")[self.within.start_line - 1 : self.within.end_line]
        return b"\n".join(lines).decode("utf-8", "replace")


@dataclass(frozen=True, slots=True)
class Clone:
    """A definition that may do the same."""

    row: Row
    """The chunk that it is in, or begins in."""
    overlay: Overlay | None
    definition: SymbolLike
    text: str
    fingerprint: Fingerprint
    likeness: Likeness

    @property
    def qualname(self) -> str:
        """Container and name, dotted."""
        return ".".join(filter(None, (self.definition.container, self.definition.name)))


@dataclass(frozen=True, slots=True)
class _CandidateDefinition:
    """A definition that is to be compared."""

    row: Row
    overlay: Overlay | None
    definition: SymbolLike

    @property
    def key(self) -> _Key:
        """What tells it from others of the checkout's texts."""
        return (self.row.doc_id, self.row.path, self.definition.start_line, self.definition.line)


class CloneFinder:
    """Finds clones in one state and one store."""

    def __init__(
        self, state: State, searcher: Searcher, buffers: EditorBuffers, run: RunJobs
    ) -> None:
        self._state = state
        self._searcher = searcher
        self._buffers = buffers
        self._run = run
        self._names = NameFrequencies(state)
        self._taken: OrderedDict[_Key, Fingerprint] = OrderedDict()

    async def fingerprints(self, sought: Sequence[ComparedCode]) -> list[Fingerprint]:
        """What each does."""
        jobs = [
            FingerprintJob(each.path, each.data, [each.within], each.is_part) for each in sought
        ]
        outcomes = await self._run(jobs)
        return [
            outcome.fingerprints[0] if outcome.fingerprints else Fingerprint()
            for outcome in outcomes
        ]

    async def find(
        self,
        sought: ComparedCode,
        place: SearchTarget,
        conditions: Conditions = Conditions(),  # noqa: B008 - frozen
        *,
        own: tuple[str, int, int] | None = None,
        fingerprint: Fingerprint | None = None,
        near: int = NEAR_CHUNKS,
    ) -> list[Clone]:
        """Definitions like some code, the surest first; none where it says too little.

        `own` is where the code stands (path, first and last line): what overlaps that is the code
        itself.
        """
        taken = fingerprint or (await self.fingerprints([sought]))[0]
        if taken.tokens < LEAST_TOKENS:
            return []
        names = await self._names.of(place.checkout_id)
        rows = await self._candidates(sought, taken, place, conditions, names, near)
        kinds = conditions.kinds or (TYPES if sought.is_type else CALLABLE)
        places = await self._definitions(sought, rows, own, kinds)
        return await self._compared(places, taken, place, names.weight)

    async def _candidates(
        self,
        sought: ComparedCode,
        taken: Fingerprint,
        place: SearchTarget,
        conditions: Conditions,
        names: NameIndex,
        near: int,
    ) -> list[CandidateRow]:
        """Chunks near the code, then those of files that use the same names."""
        told = " ".join([*taken.names, *(each.lstrip('"') for each in taken.literals)])
        (outcome,) = await self._run([TextJob(["", " ".join(taken.title)], [sought.text, told])])
        vectors: list[tuple[np.ndarray | None, Sparse]] = [
            (dense_of(vector), sparse_of(vector)) for vector in outcome.vectors
        ]
        found = (await self._searcher.near(place, vectors, conditions))[:near]
        known = {each.row.doc_id for each in found}
        sharing = [each for each in names.sharing(taken.names, SHARING_FILES) if each not in known]
        unsaved = {overlay.path for overlay in self._buffers.of(place.checkout_id)}
        inside = globs.matcher(conditions.paths, place.prefix)
        rows = await chunks_of_documents(self._state, sharing) if sharing else []
        return found + [
            CandidateRow(row, place)
            for row in rows
            if row.path not in unsaved and inside(row.path) and meets(row, conditions)
        ]

    async def _definitions(
        self,
        sought: ComparedCode,
        rows: Sequence[CandidateRow],
        own: tuple[str, int, int] | None,
        kinds: Sequence[str],
    ) -> list[_CandidateDefinition]:
        """Definitions in chunks, each once; not the code itself, nor what it is in or holds."""
        documents = list(dict.fromkeys(each.row.doc_id for each in rows if each.row.doc_id))
        stored = await definitions_of_kinds(self._state, documents, kinds) if documents else {}
        length = max(1, sought.within.end_line - sought.within.start_line + 1)
        found: dict[_Key, _CandidateDefinition] = {}
        for each in rows:
            row = each.row
            symbols: Iterable[SymbolLike] = stored.get(row.doc_id, ())
            if each.overlay is not None:
                symbols = [s for s in each.overlay.symbols if s.kind in kinds]
            for symbol in symbols:
                lines = symbol.end_line - symbol.start_line + 1
                if symbol.start_line > row.end_line or symbol.end_line < row.start_line:
                    continue
                if max(lines, length) > SIZES * min(lines, length) + SIZES:
                    continue
                if (
                    own is not None
                    and row.path == own[0]
                    and (symbol.start_line <= own[2] and symbol.end_line >= own[1])
                ):
                    continue
                candidate = _CandidateDefinition(row, each.overlay, symbol)
                found.setdefault(candidate.key, candidate)
        return list(found.values())[:MOST_COMPARED]

    async def _compared(
        self,
        places: Sequence[_CandidateDefinition],
        taken: Fingerprint,
        within: SearchTarget,
        weigh: Weigh,
    ) -> list[Clone]:
        texts = await self._texts(places, within)
        known = {each.key: self._taken[each.key] for each in places if each.key in self._taken}
        known |= await self._take([each for each in places if each.key not in known], texts)
        # Hundreds of definitions: the event loop would stand still for them.
        return await asyncio.to_thread(_clones, places, known, taken, texts, weigh)

    async def _texts(
        self, places: Sequence[_CandidateDefinition], within: SearchTarget
    ) -> dict[str, bytes]:
        """The texts of definitions' files by path, as the index or an editor has them."""
        documents = {each.row.doc_id: each.row.path for each in places if each.row.doc_id}
        found = dict.fromkeys(documents.values(), b"")
        for doc_id, text in (await texts_of(self._state, list(documents))).items():
            found[documents[doc_id]] = text.read() or b""
        for path in {each.row.path for each in places if each.overlay is not None}:
            buffer = self._buffers.text(within.checkout_id, path)
            found[path] = buffer[0].encode("utf-8", "surrogatepass") if buffer is not None else b""
        return found

    async def _take(
        self, places: Sequence[_CandidateDefinition], texts: Mapping[str, bytes]
    ) -> dict[_Key, Fingerprint]:
        """Have fingerprints taken, a job for each file; those of what is stored are kept."""
        by_path: dict[str, list[_CandidateDefinition]] = {}
        for each in places:
            by_path.setdefault(each.row.path, []).append(each)
        jobs = [
            FingerprintJob(path, texts[path], [_range_of(each.definition) for each in listed])
            for path, listed in by_path.items()
        ]
        outcomes = await self._run(jobs) if jobs else []
        found = {}
        for listed, outcome in zip(by_path.values(), outcomes, strict=True):
            for each, fingerprint in zip(listed, outcome.fingerprints, strict=False):
                found[each.key] = fingerprint
                if each.row.doc_id:
                    self._taken[each.key] = fingerprint
        while len(self._taken) > KEPT_FINGERPRINTS:
            self._taken.popitem(last=False)
        return found


def _clones(
    places: Sequence[_CandidateDefinition],
    known: Mapping[_Key, Fingerprint],
    taken: Fingerprint,
    texts: Mapping[str, bytes],
    weigh: Weigh,
) -> list[Clone]:
    """The definitions whose fingerprints are known, the surest first."""
    clones = []
    for each in places:
        fingerprint = known.get(each.key)
        if fingerprint is None or fingerprint.tokens < LEAST_TOKENS:
            continue
        text = _lines(texts[each.row.path], each.definition)
        alike = likeness(taken, fingerprint, weigh)
        clones.append(Clone(each.row, each.overlay, each.definition, text, fingerprint, alike))
    clones.sort(key=_order)
    return clones


def _order(clone: Clone) -> tuple[float, bool, float, str, int]:
    """The surest first; of what is as sure, no copy that is built or vendored."""
    certainty = clone.likeness.certainty
    is_copy = bool(read_labels(clone.row.labels) & _COPIES)
    return -round(certainty, 2), is_copy, -certainty, clone.row.path, clone.definition.line


def _range_of(definition: SymbolLike) -> CodeRange:
    return CodeRange(definition.start_line, definition.end_line, definition.name)


def _lines(data: bytes, definition: SymbolLike) -> str:
    lines = data.split(b"\n")[definition.start_line - 1 : definition.end_line]
    return b"\n".join(lines).decode("utf-8", "replace")
