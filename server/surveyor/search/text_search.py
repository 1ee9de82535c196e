"""Every place where files say what is looked for, by their stored texts and unsaved buffers.

N-grams tell which documents may match; those are read, in the order of the answer, so that the
matches of a page are known by their number. All others are only counted. What was read is kept for
the next search (`text_catalog`).
"""

from __future__ import annotations

import asyncio
import time
from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice

import msgspec

from surveyor.embedding.ngrams import Clauses
from surveyor.search import globs
from surveyor.search.scope import Conditions, Overlay, SearchTarget
from surveyor.search.symbol_narrowing import SymbolLines
from surveyor.search.text_catalog import TextCatalog
from surveyor.search.text_pattern import TextPattern
from surveyor.store.state import State
from surveyor.store.state.chunk_rows import document_text
from surveyor.store.state.document_texts import (
    CompressedText,
    SearchedDocument,
    symbols_in,
    texts_of,
)

__all__ = [
    "TIME_LIMIT_S",
    "TextAnswer",
    "TextLines",
    "TextMatch",
    "TextSearcher",
    "TextSource",
    "UnsavedText",
]

TIME_LIMIT_S = 5.0
"""After so long an answer has what was found by then, and says so."""
DOCUMENTS_AT_ONCE = 1000
MAX_LINE_CHARS = 400
"""Of a longer line, what is around the match is shown."""
BEFORE_MATCH_CHARS = 120
MAX_MATCH_LINES = 20
"""Lines of one match that are shown."""


@dataclass(frozen=True, slots=True)
class UnsavedText:
    """An unsaved buffer: what is searched in place of its file."""

    overlay: Overlay
    text: bytes
    language: str | None
    file_type: str
    is_masked: bool = False
    """Whether credentials in it are asterisks."""


class TextSource(msgspec.Struct, frozen=True, gc=False):
    """A text that is searched: of a document or of an unsaved buffer."""

    place: SearchTarget
    path: str
    language: str | None
    file_type: str
    doc_id: int
    """0 for an unsaved buffer."""
    unsaved: UnsavedText | None = None
    checksum: int | None = None
    """Of a document's stored text."""

    @property
    def is_stored(self) -> bool:
        """Whether a document's text is; otherwise it is put together from chunks."""
        return self.checksum is not None


@dataclass(slots=True)
class TextMatch:
    """One match of a page. Lines are 1-based, columns 0-based in UTF-16 units."""

    source: TextSource
    line: int
    column: int
    end_line: int
    end_column: int
    first_line: int
    """Of what is shown."""
    last_line: int
    shown: str
    is_cut: bool
    """A line, or the match, is longer than what is shown of it."""
    symbol: SymbolLines | None = None
    """The innermost definition around it."""
    captures: Mapping[str, str] = field(default_factory=dict)
    """By name, what the holes of a pattern matched."""


@dataclass(slots=True)
class TextAnswer:
    """Matches of one page, and how many there are."""

    matches: list[TextMatch] = field(default_factory=list)
    total: int = 0
    files: int = 0
    read: int = 0
    """Texts that were read."""
    candidates: int = 0
    """Texts that had to be."""
    from_chunks: int = 0
    """Files that an earlier version indexed: their texts were put together from chunks."""
    unreadable: list[str] = field(default_factory=list)
    """Files whose stored text is damaged."""
    out_of_time: bool = False
    time_limit_s: float = TIME_LIMIT_S


@dataclass(frozen=True, slots=True)
class _Page:
    """Which matches are shown, and how."""

    offset: int
    limit: int
    context: int

    def wanted(self, before: int) -> tuple[int, int]:
        """Of a text's matches, with so many before them, the first and the last one wanted."""
        return max(self.offset - before, 0), max(self.offset + self.limit - before, 0)


@dataclass(slots=True)
class TextSearcher:
    """Answers from one state; `unsaved` are the buffers of a checkout."""

    state: State
    unsaved: Callable[[str], Sequence[UnsavedText]] = field(default=lambda _: ())
    _catalog: TextCatalog = field(init=False)

    def __post_init__(self) -> None:
        self._catalog = TextCatalog(self.state)

    async def find(
        self,
        pattern: TextPattern,
        places: Sequence[SearchTarget],
        *,
        conditions: Conditions,
        limit: int,
        offset: int = 0,
        context: int = 0,
    ) -> TextAnswer:
        """The matches of a page in the order of paths and lines, and the number of all."""
        deadline = time.monotonic() + TIME_LIMIT_S
        answer = TextAnswer()
        sources: list[TextSource] = []
        for place in places:
            sources += await self.sources(place, pattern.clauses, conditions, answer)
        answer.candidates = len(sources)
        page = _Page(offset, limit, context)
        for start in range(0, len(sources), DOCUMENTS_AT_ONCE):
            some = sources[start : start + DOCUMENTS_AT_ONCE]
            texts = await self._texts(some, deadline)
            symbols = await self.symbols(some) if conditions.kinds else {}
            scan = _Scan(pattern, page, answer, texts, symbols, conditions.kinds, deadline)
            await asyncio.to_thread(scan.run, some)
            self._catalog.store(texts.read)
            if answer.out_of_time:
                break
        await self.name_symbols(answer.matches)
        return answer

    async def sources(
        self,
        place: SearchTarget,
        clauses: Clauses,
        conditions: Conditions,
        answer: TextAnswer,
    ) -> list[TextSource]:
        """The texts of a place that may hold what the clauses say, by path."""
        self._catalog.begin()
        documents = await self._catalog.documents(place, clauses)
        buffers = {each.overlay.path: each for each in self.unsaved(place.checkout_id)}
        sources = await asyncio.to_thread(_sources, place, documents, buffers, conditions)
        answer.from_chunks += sum(1 for each in sources if each.doc_id and not each.is_stored)
        return sources

    async def masked(self, place: SearchTarget) -> list[str]:
        """The files of a place of which parts are searched as asterisks, by path."""
        buffers = {each.overlay.path: each.is_masked for each in self.unsaved(place.checkout_id)}
        stored = [path for path in await self._catalog.masked(place) if path not in buffers]
        return sorted([*stored, *(path for path, is_masked in buffers.items() if is_masked)])

    async def _texts(self, sources: Sequence[TextSource], deadline: float) -> _Texts:
        """The texts of some documents, those that are not known still compressed."""
        stored = [(each.doc_id, each.checksum) for each in sources if each.checksum is not None]
        texts = _Texts(self._catalog.texts(stored))
        unknown = [doc_id for doc_id, _ in stored if doc_id not in texts.known]
        texts.compressed = await texts_of(self.state, unknown) if unknown else {}
        for each in sources:
            if each.doc_id and not each.is_stored and time.monotonic() < deadline:
                text = await document_text(self.state, each.doc_id)
                texts.known[each.doc_id] = text.encode()
        return texts

    async def symbols(self, sources: Sequence[TextSource]) -> Mapping[int, Sequence[SymbolLines]]:
        """The definitions of stored texts, by document."""
        return await symbols_in(self.state, [each.doc_id for each in sources if each.doc_id])

    async def name_symbols(self, matches: Sequence[TextMatch]) -> None:
        """Say of each match which definition is around it."""
        sources = {each.source.doc_id: each.source for each in matches}
        symbols = await self.symbols(list(sources.values()))
        for each in matches:
            unsaved = each.source.unsaved
            among = unsaved.overlay.symbols if unsaved else symbols.get(each.source.doc_id, ())
            each.symbol = _innermost(among, each.line)


def _sources(
    place: SearchTarget,
    documents: Sequence[SearchedDocument],
    buffers: Mapping[str, UnsavedText],
    conditions: Conditions,
) -> list[TextSource]:
    """The documents and buffers that meet the conditions, by path; a buffer is read in place of
    its document."""
    matches = globs.matcher(conditions.paths, place.prefix)
    is_narrow = bool(conditions.paths or place.prefix)
    languages, types = frozenset(conditions.languages), frozenset(conditions.types)
    sources = [
        TextSource(place, path, language, file_type, doc_id, None, checksum)
        for doc_id, path, language, file_type, checksum in documents
        if (not languages or language in languages)
        and (not types or file_type in types)
        and path not in buffers
        and (not is_narrow or matches(path))
    ]
    open_ones = [
        TextSource(place, path, each.language, each.file_type, 0, each)
        for path, each in buffers.items()
        if (not languages or each.language in languages)
        and (not types or each.file_type in types)
        and matches(path)
    ]
    return sorted([*sources, *open_ones], key=lambda each: each.path) if open_ones else sources


def _innermost(symbols: Sequence[SymbolLines], line: int) -> SymbolLines | None:
    around = [each for each in symbols if each.start_line <= line <= each.end_line]
    return min(around, key=lambda each: each.end_line - each.start_line, default=None)


@dataclass(slots=True)
class _Texts:
    """Texts of documents."""

    known: dict[int, bytes]
    compressed: Mapping[int, CompressedText] = field(default_factory=dict)
    read: dict[int, tuple[int, bytes]] = field(default_factory=dict)
    """Those of the compressed ones that were read, with their checksums."""

    def of(self, doc_id: int) -> bytes | None:
        """A document's text; None where it is damaged, or has gone meanwhile."""
        text = self.known.get(doc_id)
        if text is None and (stored := self.compressed.get(doc_id)) is not None:
            text = stored.read()
            if text is not None:
                self.read[doc_id] = stored.checksum, text
        return text


@dataclass(slots=True)
class _Scan:
    """Reads some texts, on a thread of its own, and adds what they say to an answer."""

    pattern: TextPattern
    page: _Page
    answer: TextAnswer
    texts: _Texts
    symbols: Mapping[int, Sequence[SymbolLines]]
    kinds: tuple[str, ...]
    deadline: float

    def run(self, sources: Sequence[TextSource]) -> None:
        for source in sources:
            if time.monotonic() > self.deadline:
                self.answer.out_of_time = True
                return
            self._look(source)

    def _look(self, source: TextSource) -> None:
        data = source.unsaved.text if source.unsaved else self.texts.of(source.doc_id)
        self.answer.read += 1
        if data is None:
            self.answer.unreadable.append(source.path)
            return
        first, last = self.page.wanted(self.answer.total)
        spans: list[tuple[int, int]]
        if self.kinds:
            every = self._inside(source, data)
            count, spans = len(every), every[first:last]
        elif first < last:
            # Those behind the page are counted only where the page ends in this text.
            iterator = self.pattern.spans(data)
            spans = list(islice(iterator, last))
            count = len(spans) + sum(1 for _ in iterator)
            spans = spans[first:]
        else:
            count, spans = self.pattern.count(data), []
        self.answer.total += count
        self.answer.files += count > 0
        if spans:
            lines = TextLines(data)
            self.answer.matches += [lines.match(source, span, self.page.context) for span in spans]

    def _inside(self, source: TextSource, data: bytes) -> list[tuple[int, int]]:
        """The matches inside definitions of the kinds asked for."""
        symbols = (
            source.unsaved.overlay.symbols
            if source.unsaved
            else self.symbols.get(source.doc_id, ())
        )
        wanted = [each for each in symbols if each.kind in self.kinds]
        return TextLines(data).spans_inside(self.pattern.spans(data), wanted) if wanted else []


class TextLines:
    """A text's lines, each found by a byte in it."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._lines = data.split(b"\n")
        self._starts = [0]
        for line in self._lines:
            self._starts.append(self._starts[-1] + len(line) + 1)
        self._starts.pop()
        if len(self._lines) > 1 and not self._lines[-1]:
            self._lines.pop()  # a text that ends with a line's end has no line behind it

    def row(self, at: int) -> int:
        """The 0-based row of a byte."""
        return bisect_right(self._starts, at) - 1

    def spans_inside(
        self, spans: Iterable[tuple[int, int]], symbols: Sequence[SymbolLines]
    ) -> list[tuple[int, int]]:
        """The spans that begin in one of the definitions."""
        return [
            span
            for span in spans
            if any(each.start_line <= self.row(span[0]) + 1 <= each.end_line for each in symbols)
        ]

    def column(self, row: int, at: int) -> int:
        """The column of a byte in its row, in UTF-16 units."""
        before = self._data[self._starts[row] : at]
        if before.isascii():
            return len(before)
        return len(before.decode("utf-8", "replace").encode("utf-16-le")) // 2

    def match(self, source: TextSource, span: tuple[int, int], context: int) -> TextMatch:
        """A match with the lines around it."""
        start, stop = span
        row = self.row(start)
        last = self.row(max(start, stop - 1))
        top = max(row - context, 0)
        end = min(last, row + MAX_MATCH_LINES - 1)
        bottom = end if end < last else min(last + context, len(self._lines) - 1)
        shown = []
        is_cut = end < last
        for each in range(top, max(bottom, row) + 1):
            at = start - self._starts[each] if each == row else 0
            line, was_cut = _cut(self._lines[each], at)
            shown.append(line)
            is_cut |= was_cut and each == row
        return TextMatch(
            source,
            line=row + 1,
            column=self.column(row, start),
            end_line=last + 1,
            end_column=self.column(last, stop),
            first_line=top + 1,
            last_line=max(bottom, row) + 1,
            shown="\n".join(shown),
            is_cut=is_cut,
        )


def _cut(line: bytes, at: int) -> tuple[str, bool]:
    """What is shown of a line with a match at a byte, and whether that is not all."""
    text = line.decode("utf-8", "replace")
    if len(text) <= MAX_LINE_CHARS:
        return text, False
    place = len(line[:at].decode("utf-8", "replace"))
    first = max(place - BEFORE_MATCH_CHARS, 0)
    part = text[first : first + MAX_LINE_CHARS]
    before, after = ("…" if first else ""), ("…" if first + MAX_LINE_CHARS < len(text) else "")
    return f"{before}{part}{after}", True
