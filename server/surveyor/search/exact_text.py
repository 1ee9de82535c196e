"""A query that is a name or stands in quotes is found where exactly that text stands.

BM25 and vectors compare parts of words: `NO_COLOR` is near everything that says `color`. Where
nothing defines a name, the candidates that say it come first, and where none does, the chunks of
documents that do are looked up by their n-grams.
"""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

import msgspec

from surveyor.embedding.ngrams import LEAST_BYTES, SoughtString
from surveyor.embedding.tokens import join_words
from surveyor.search import globs
from surveyor.search.named_places import is_called
from surveyor.search.query import Query
from surveyor.search.scope import CandidateRow, Conditions, SearchTarget, meets
from surveyor.search.text_catalog import TextCatalog
from surveyor.store.chunk_row import Row
from surveyor.store.state import State
from surveyor.store.state.document_texts import CompressedText, texts_of
from surveyor.store.state.searched_chunks import (
    chunks_defining,
    chunks_of_documents,
    ngrams_of,
    with_texts,
)

__all__ = [
    "ALONE",
    "NAMED",
    "WHOLE",
    "WITHIN",
    "CandidateNgrams",
    "chunks_named",
    "chunks_saying",
    "in_quotes",
    "is_defined_among",
    "is_key",
    "is_more_than_name",
    "line_saying",
    "longer_names",
    "says",
    "wanted_path",
    "wanted_texts",
]

WHOLE, NAMED, WITHIN, OTHER_CASE = 1.0, 0.75, 0.6, 0.3
"""How much it counts that a chunk says a text: as words of its own, within the name of what it
defines, within a longer word, and either of these in another case."""
ALONE = 1.1
"""The same where a text that is typed without a space is all that stands between quotes."""
PLAIN_CASE = 0.9
"""The same in another case of a word that was typed in lower case alone."""
MOST_DOCUMENTS = 40
"""Documents looked at at once: those of code first, then those with short paths."""
MOST_READ = 1200
"""Documents read until one says a text: n-grams tell little of a text of few letters, of which some
hundred documents may have a bit in common."""
SHOWN_AROUND = 300
"""Characters shown on each side of a text in a line that is too long for its chunks."""
MOST_LINES = 5
"""Lines of one document that are looked at."""
MOST_LONGER = 8
"""Longer names around a text whose definitions are looked up."""
LONGEST_MESSAGE = 300
LEAST_PART, LEAST_PART_WORDS = 10, 3
"""Characters and words of a part of a message that is no coincidence."""
LEAST_TOLD_WORDS = 4
"""The same words where only a value in it tells a message from prose, and of a part without its
last word, with which a value may begin."""
MOST_PARTS = 3
_END = ";:,"
_ERROR_NAME = re.compile(
    r"^(?:[\w.\\:]*(?:Error|Exception|Warning)|error|fatal|panic)\b:?\s*", re.I
)
_PRINTED_VALUE = (
    r"(?<![\w.])[\w.]*\d[\w.]*(?![\w/])"  # 4711, 5m0s, 0x1f
    r"|(?<![^\s(\[{<])[\w.~:\-]*[/\\][^\s,;)\]}>]*"  # a path, an address, also in brackets
    r"|\b[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+\b"  # a qualified name
)
_VALUE = re.compile(
    r"\"[^\"]*\"|(?<!\w)'[^']*'(?!\w)|`[^`]*`|“[^”]*”"  # no apostrophe begins a value
    rf"|[#$]?\{{[^}}]*\}}|%[+\-#]?[sdvqwrfxi]\b|<[^<>]*>|{_PRINTED_VALUE}|: "
)
"""What differs each time that a message is printed, or stands for that in the source."""
_HAS_VALUE = re.compile(_PRINTED_VALUE)
_QUESTION = re.compile(
    r"(?:how|what|where|why|when|which|who|is|are|does|do|can|find|show|list|search|look|explain)\b",
    re.IGNORECASE,
)
_LETTER = re.compile(r"[\w$]")
_VARIABLE = re.compile(r"[$&#*]\w")
_OWN = frozenset({"self", "this", "super", "static", "parent", "crate", "cls", "base"})
"""Containers that name no scope."""


def wanted_texts(query: Query) -> tuple[str, ...]:
    """The texts of which the first that stands anywhere has to stand in the first result; none for
    a query that asks for more."""
    if query.kind == "symbol":
        return (query.text.rstrip(_END).removesuffix("()"),)
    if query.kind == "literal" and query.quoted:
        return (query.quoted[0].strip(),)
    before, colon, _ = query.text.partition(": ")
    # One word and a colon begin a commit's subject, not a message.
    printed = query.quoted or query.text.endswith((".", "!")) or (colon and " " in before)
    if query.kind == "error" or (query.kind == "words" and printed):
        return _message_texts(query.text, LEAST_PART_WORDS)
    if query.kind == "words" and _HAS_VALUE.search(query.text):
        return _message_texts(query.text, LEAST_TOLD_WORDS)
    return ()


def wanted_path(query: Query, rows: Iterable[Row]) -> tuple[str, ...]:
    """The path that the query is, where no file is called so: it stands in a text then."""
    if query.kind != "location" or query.line or " " in query.text:
        return ()
    return () if any(is_called(query.path, row.path) for row in rows) else (query.text,)


def _message_texts(text: str, least: int) -> tuple[str, ...]:
    """What a program's source may say of a message that it printed: all of it, or the longest of
    the parts between the values in it, of at least so many words, and in the end the longest
    without its last word; none of a question."""
    first = _ERROR_NAME.sub("", text.partition("\n")[0]).strip()
    if _QUESTION.match(first) or first.endswith("?") or len(first) > LONGEST_MESSAGE:
        return ()
    parts = sorted((part.strip() for part in _VALUE.split(first)), key=len, reverse=True)
    telling = [part for part in dict.fromkeys((first, *parts)) if _tells(part, least)][:MOST_PARTS]
    cut = parts[0].rpartition(" ")[0]
    if telling and parts[0][-1].isalnum() and _tells(cut, LEAST_TOLD_WORDS):
        telling.append(cut)
    return tuple(dict.fromkeys(telling))


def _tells(part: str, least: int) -> bool:
    return len(part) >= LEAST_PART and part.count(" ") + 1 >= least


def is_defined_among(query: Query, rows: Sequence[Row]) -> bool:
    """Whether a chunk of some files' code holds the definition of the query's own name.

    Who types a word in lower case may mean the class that is called so (`linter`, `Linter`).
    """
    names = {symbol.name for symbol in query.symbols if symbol.weight == 1.0}
    code = [row for row in rows if row.file_type != "doc"]
    if not names or any(not names.isdisjoint(row.symbols) for row in code):
        return bool(names)
    plain = set(filter(is_plain, names))
    endings = tuple("." + name for name in names)
    return any(
        row.symbol_name.lower() in plain or any(name.endswith(endings) for name in row.symbols)
        for row in code
    )


def is_key(query: Query, rows: Sequence[Row]) -> bool:
    """Whether a dotted name may be a key of a configuration: what is called as its last part lies
    in nothing that is called as the one before it."""
    first = next(iter(query.symbols), None)
    if first is None or not first.container or "." not in query.text or "(" in query.text:
        return False
    inside = join_words(first.container)
    return not any(
        inside in _scope_of(row) for row in rows if first.name in (row.symbol_name, *row.symbols)
    )


def is_more_than_name(query: Query, rows: Sequence[Row]) -> bool:
    """Whether the query says what no definition of its name is called: with a variable's sign
    (`$items`), in a scope that none of them lies in (`child::node`), or as the end of a path in
    quotes (`"./models/node"`)."""
    if _VARIABLE.match(query.text) or (query.kind == "literal" and "/" in query.quoted[0]):
        return True
    first = next(iter(query.symbols), None)
    if first is None or not first.container or first.container.lower() in _OWN:
        return False
    if not any(separator in query.text for separator in ("::", "->")):
        return False
    inside = join_words(first.container)
    return not any(
        inside in _scope_of(row) for row in rows if first.name in (row.symbol_name, *row.symbols)
    )


def _scope_of(row: Row) -> set[str]:
    """What a chunk lies in and defines, and its file and folders, as joined words."""
    folders = row.path.split("/")
    named = (*row.parent_symbol.split("."), row.symbol_name, *row.symbols, *folders[:-1])
    return {join_words(part) for part in (*named, folders[-1].partition(".")[0])}


def in_quotes(wanted: str, texts: Sequence[str]) -> list[bool]:
    """Which texts say what is wanted between quotes."""
    written = [f"{quote}{wanted}{quote}" for quote in "\"'`"]
    return [any(each in text for each in written) for text in texts]


def longer_names(wanted: str, texts: Iterable[str]) -> list[str]:
    """The names that hold a text in their middle, as some texts write them, most often first."""
    around = re.compile(rf"[\w$]*{re.escape(wanted)}[\w$]*")
    names = Counter(name for text in texts if wanted in text for name in around.findall(text))
    return [name for name, _ in names.most_common(MOST_LONGER) if name != wanted]


def says(wanted: str, texts: Sequence[str]) -> list[float]:
    """How surely each of some texts says what is wanted, 0 where it does not."""
    bounded = re.compile(_bounded(wanted))
    lower = wanted.lower()
    folded = re.compile(bounded.pattern, re.IGNORECASE)
    other = PLAIN_CASE if is_plain(wanted) else OTHER_CASE

    def strength(text: str) -> float:
        if wanted in text and bounded.search(text):
            return WHOLE
        if lower not in text.lower():
            return 0.0
        in_case = WITHIN if wanted in text else 0.0
        return max(in_case, other * (WHOLE if folded.search(text) else WITHIN))

    return list(map(strength, texts))


def _bounded(wanted: str) -> str:
    """A pattern of a text where it is a word of its own."""
    before = r"(?<![\w$])" if _LETTER.match(wanted[0]) else ""
    after = r"(?![\w$])" if _LETTER.match(wanted[-1]) else ""
    return f"{before}{re.escape(wanted)}{after}"


class CandidateNgrams:
    """Which candidates of one query may say a text: most cannot, and to read a chunk's text costs
    twenty times as much as to know that."""

    def __init__(self, state: State) -> None:
        self._state = state
        self._known: dict[int, bytes | None] = {}
        """By the chunk's number; None where only reading the text tells."""

    def may_say(self, wanted: str, rows: Sequence[Row]) -> list[bool]:
        """Whether the text of each row may say what is wanted, in any case."""
        if not wanted.isascii():  # letters are folded one way there and another in `says`
            return [True] * len(rows)
        unread = {row.chunk_rowid for row in rows if row.text is None}
        if new := unread - self._known.keys():
            self._known |= dict.fromkeys(new) | ngrams_of(self._state, list(new))
        sought = SoughtString(wanted)
        known = (self._known[row.chunk_rowid] if row.text is None else None for row in rows)
        return [bits is None or sought.may_stand_in(bits) for bits in known]


def line_saying(wanted: Sequence[str], text: str) -> int:
    """The line of a text, from 1, that first says the first of some texts that it says; 0 for
    none."""
    for each in wanted:
        if each and (at := text.find(each)) >= 0:
            return text.count("\n", 0, at) + 1
    return 0


def is_plain(name: str) -> bool:
    """Whether a name is typed as words are: it may then be meant in any case."""
    return len(name) > 1 and name.isalpha() and name.islower()


def chunks_named(
    state: State,
    place: SearchTarget,
    names: Sequence[str],
    conditions: Conditions,
    unsaved: frozenset[str],
) -> dict[str, CandidateRow]:
    """Stored chunks of a place that define one of some names, by their ids; `unsaved` are paths
    that do not count."""
    matches = globs.matcher(conditions.paths, place.prefix)
    return {
        row.point_id: CandidateRow(row, place)
        for row in chunks_defining(state, place, names, MOST_DOCUMENTS)
        if not set(names).isdisjoint((row.symbol_name, *row.symbols))
        and row.path not in unsaved
        and matches(row.path)
        and meets(row, conditions)
    }


async def chunks_saying(
    catalog: TextCatalog,
    place: SearchTarget,
    wanted: str,
    conditions: Conditions,
    unsaved: frozenset[str],
) -> Mapping[str, CandidateRow]:
    """Stored chunks of a place that say a text, in another case where none says it in its own, by
    their ids; `unsaved` are paths that do not count."""
    if not wanted:
        return {}
    is_short = len(wanted.encode("utf-8", "surrogatepass")) < LEAST_BYTES
    clauses = () if is_short else (frozenset([wanted]),)
    state = catalog.state
    catalog.begin()
    matches = globs.matcher(conditions.paths, place.prefix)
    documents = [
        each
        for each in await catalog.documents(place, clauses, unknown=False)
        if each.path not in unsaved
        and matches(each.path)
        and (not conditions.languages or each.language in conditions.languages)
        and (not conditions.types or each.file_type in conditions.types)
    ]
    documents.sort(key=lambda each: (each.file_type != "code", len(each.path), each.path))
    # As a word of its own, as a part of longer ones, in another case: the first documents of each.
    words: dict[int, list[int]] = {}
    parts: dict[int, list[int]] = {}
    others: dict[int, list[int]] = {}
    read = 0
    while not words and read < min(len(documents), MOST_READ):
        some = [each.doc_id for each in documents[read : read + MOST_DOCUMENTS]]
        texts = await texts_of(state, some)
        words, within, other = await asyncio.to_thread(_lines_saying, wanted, texts)
        # A letter stands in nearly every line.
        parts = parts or ({} if is_short and _LETTER.match(wanted) else within)
        others = others or other
        read += len(some)
    lines = words or parts or others
    every = await chunks_of_documents(state, list(lines))
    rows = with_texts(
        state,
        [
            row
            for row in every
            if any(row.start_line <= line <= row.end_line for line in lines[row.doc_id])
        ],
    )
    found = says(wanted, [row.text or "" for row in rows])
    if lines and max(found, default=0.0) < (WHOLE if words else WITHIN if parts else 0.01):
        rows = _of_long_lines(wanted, every, await texts_of(state, list(lines)))
        found = says(wanted, [row.text or "" for row in rows])
    return {
        row.point_id: CandidateRow(row, place)
        for row, strength in zip(rows, found, strict=True)
        if strength and meets(row, conditions)
    }


def _of_long_lines(
    wanted: str, rows: Sequence[Row], texts: Mapping[int, CompressedText]
) -> list[Row]:
    """A chunk for each document whose text says what none of its chunks does: of a line of data
    they hold the beginning alone. Its text is what stands around."""
    made: list[Row] = []
    for doc_id, stored in texts.items():
        text = (stored.read() or b"").decode("utf-8", "replace")
        found = re.search(_bounded(wanted), text) or re.search(re.escape(wanted), text, re.I)
        own = [row for row in rows if row.doc_id == doc_id]
        if found is None or not own:
            continue
        line = text.count("\n", 0, found.start()) + 1
        begin = max(text.rfind("\n", 0, found.start()) + 1, found.start() - SHOWN_AROUND)
        end = text.find("\n", found.end())
        end = min(end if end >= 0 else len(text), found.end() + SHOWN_AROUND)
        nearest = min(own, key=lambda row: (abs(row.start_line - line), -row.end_line))
        made.append(
            msgspec.structs.replace(
                nearest, start_line=line, end_line=line, text=text[begin:end], symbols=()
            )
        )
    return made


def _lines_saying(
    wanted: str, texts: Mapping[int, CompressedText]
) -> tuple[dict[int, list[int]], dict[int, list[int]], dict[int, list[int]]]:
    """The first lines of some documents that say a text as a word of its own, of others as a part
    of longer ones, and of others in another case."""
    words: dict[int, list[int]] = {}
    parts: dict[int, list[int]] = {}
    others: dict[int, list[int]] = {}
    bounded, anywhere = re.compile(_bounded(wanted)), re.compile(re.escape(wanted))
    lower = wanted.lower()
    folded = re.compile(_bounded(lower) if len(lower) < LEAST_BYTES else re.escape(lower))
    for doc_id, stored in texts.items():
        text = (stored.read() or b"").decode("utf-8", "replace")
        if wanted in text:
            if lines := _lines_of(bounded, text):
                words[doc_id] = lines
            else:
                parts[doc_id] = _lines_of(anywhere, text)
        elif lines := _lines_of(folded, text.lower()):
            others[doc_id] = lines
    return words, parts, others


def _lines_of(sought: re.Pattern[str], text: str) -> list[int]:
    """The numbers of the first lines in which a pattern matches."""
    lines: list[int] = []
    match = sought.search(text)
    while match and len(lines) < MOST_LINES:
        lines.append(text.count("\n", 0, match.start()) + 1)
        end = text.find("\n", match.start())
        match = sought.search(text, end) if end >= 0 else None
    return lines
