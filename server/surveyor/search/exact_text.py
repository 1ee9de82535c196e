"""A query that is a name or stands in quotes is found where exactly that text stands.

BM25 and vectors compare parts of words: `NO_COLOR` is near everything that says `color`. Where
nothing defines a name, the candidates that say it come first, and where none does, the chunks of
documents that do are looked up by their n-grams.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping, Sequence

from surveyor.embedding.ngrams import LEAST_BYTES
from surveyor.search import globs
from surveyor.search.query import Query
from surveyor.search.scope import CandidateRow, Conditions, SearchTarget, meets
from surveyor.search.text_catalog import TextCatalog
from surveyor.store.chunk_row import Row
from surveyor.store.state.document_texts import CompressedText, texts_of
from surveyor.store.state.searched_chunks import chunks_of_documents, with_texts

__all__ = ["WHOLE", "chunks_saying", "is_defined_among", "says", "wanted_text"]

WHOLE, WITHIN, OTHER_CASE = 1.0, 0.6, 0.3
"""How much it counts that a chunk says a text: as words of its own, within a longer word, and
either of these in another case."""
MOST_DOCUMENTS = 40
"""Documents looked at: those of code first, then those with short paths."""
MOST_LINES = 5
"""Lines of one document that are looked at."""
_END = ";:,"
_LETTER = re.compile(r"[\w$]")


def wanted_text(query: Query) -> str:
    """The text that has to stand in the first result; empty for a query that asks for more."""
    if query.kind == "symbol":
        return query.text.rstrip(_END).removesuffix("()")
    if query.kind == "literal" and query.quoted:
        return query.quoted[0].strip()
    return ""


def is_defined_among(query: Query, rows: Sequence[Row]) -> bool:
    """Whether a chunk of some files' code holds the definition of the query's own name.

    Who types a word in lower case may mean the class that is called so (`linter`, `Linter`).
    """
    names = {symbol.name for symbol in query.symbols if symbol.weight == 1.0}
    plain = {name for name in names if name.isalpha() and name.islower()}
    return any(
        row.file_type != "doc"
        and (
            not names.isdisjoint(row.symbols)
            or row.symbol_name.rpartition(".")[2] in names
            or (bool(plain) and row.symbol_name.lower() in plain)
        )
        for row in rows
    )


def says(wanted: str, texts: Sequence[str]) -> list[float]:
    """How surely each of some texts says what is wanted, 0 where it does not."""
    before = r"(?<![\w$])" if _LETTER.match(wanted[0]) else ""
    after = r"(?![\w$])" if _LETTER.match(wanted[-1]) else ""
    bounded = re.compile(f"{before}{re.escape(wanted)}{after}")
    lower = wanted.lower()
    folded = re.compile(bounded.pattern, re.IGNORECASE)
    return [_strength(wanted, lower, bounded, folded, text) for text in texts]


def _strength(
    wanted: str, lower: str, bounded: re.Pattern[str], folded: re.Pattern[str], text: str
) -> float:
    if wanted in text:
        return WHOLE if bounded.search(text) else WITHIN
    if lower not in text.lower():
        return 0.0
    return OTHER_CASE * (WHOLE if folded.search(text) else WITHIN)


async def chunks_saying(
    catalog: TextCatalog,
    place: SearchTarget,
    wanted: str,
    conditions: Conditions,
    unsaved: frozenset[str],
) -> Mapping[str, CandidateRow]:
    """Stored chunks of a place that say a text, in another case where none says it in its own, by
    their ids; `unsaved` are paths that do not count."""
    if len(wanted.encode("utf-8", "surrogatepass")) < LEAST_BYTES:
        return {}
    state = catalog.state
    catalog.begin()
    matches = globs.matcher(conditions.paths, place.prefix)
    documents = [
        each
        for each in await catalog.documents(place, (frozenset([wanted]),), unknown=False)
        if each.path not in unsaved
        and matches(each.path)
        and (not conditions.languages or each.language in conditions.languages)
        and (not conditions.types or each.file_type in conditions.types)
    ]
    documents.sort(key=lambda each: (each.file_type != "code", len(each.path), each.path))
    texts = await texts_of(state, [each.doc_id for each in documents[:MOST_DOCUMENTS]])
    lines = await asyncio.to_thread(_lines_saying, wanted, texts)
    rows = with_texts(
        state,
        [
            row
            for row in await chunks_of_documents(state, list(lines))
            if any(row.start_line <= line <= row.end_line for line in lines[row.doc_id])
        ],
    )
    found = says(wanted, [row.text or "" for row in rows])
    return {
        row.point_id: CandidateRow(row, place)
        for row, strength in zip(rows, found, strict=True)
        if strength and meets(row, conditions)
    }


def _lines_saying(wanted: str, texts: Mapping[int, CompressedText]) -> dict[int, list[int]]:
    """The first lines of some documents that say a text: in its own case where any does."""
    own: dict[int, list[int]] = {}
    other: dict[int, list[int]] = {}
    for doc_id, stored in texts.items():
        text = (stored.read() or b"").decode("utf-8", "replace")
        if lines := _lines_of(wanted, text):
            own[doc_id] = lines
        elif lines := _lines_of(wanted.lower(), text.lower()):
            other[doc_id] = lines
    return own or other


def _lines_of(wanted: str, text: str) -> list[int]:
    lines: list[int] = []
    at = text.find(wanted)
    while at >= 0 and len(lines) < MOST_LINES:
        lines.append(text.count("\n", 0, at) + 1)
        end = text.find("\n", at)
        at = text.find(wanted, end) if end >= 0 else -1
    return lines
