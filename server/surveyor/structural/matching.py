"""Matching texts: where a pattern stands in them, what its holes are, and what they become."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from ast_grep_py import SgNode, SgRoot

from surveyor.parsing.embedded_scripts import script_of, styles_of
from surveyor.parsing.languages import languages
from surveyor.structural.accepted_rules import read_source
from surveyor.structural.grammars import Grammar
from surveyor.structural.holes import holes_of
from surveyor.structural.jobs import FileMatches, PatternJob, PatternSource
from surveyor.structural.prefilter import prefilter
from surveyor.structural.rewriting import captured, rewritten, start_of

__all__ = ["match"]

_NO_UTF8 = re.compile("[\udc80-\udcff]")
_NO_LINE_END = re.compile(r"[^\n]")
MAX_CAPTURE_CHARS = 200
"""Of what one hole matched, in an answer."""


def match(job: PatternJob, texts: Iterable[bytes | None]) -> list[FileMatches]:
    """The matches of each text; None is one that cannot be read. Raises `BadPatternError`."""
    readers = {each: _Reader(job.source, each) for each in job.parts or (job.grammar,)}
    if job.markup and job.grammar not in readers:
        readers[job.grammar] = _Reader(job.source, job.grammar)
    return [_match(job, readers, text) for text in texts]


class _Reader:
    """A pattern or rule as it is read in one language."""

    def __init__(self, source: PatternSource, grammar: Grammar) -> None:
        self._config = read_source(source, grammar)
        self._prefilter = prefilter(source, grammar)
        self._grammar = grammar

    def may_match(self, data: bytes) -> bool:
        """Whether a match can be in a text; False is certain, and costs no parse."""
        return self._prefilter.may_match(data)

    def nodes(self, text: str, ranges: Sequence[tuple[int, int]] | None) -> list[SgNode]:
        """The matches in a text, or in ranges of it."""
        plain = text if ranges is None else _only(text, ranges)
        # One character for each byte that is no UTF-8, as in `text`: both have the same positions.
        root = SgRoot(_NO_UTF8.sub("\ufffd", plain), self._grammar).root()
        return list(root.find_all(self._config))  # type: ignore[call-overload]


def _match(job: PatternJob, readers: Mapping[Grammar, _Reader], data: bytes | None) -> FileMatches:
    if data is None:
        return FileMatches(is_damaged=True)
    likely = {grammar: each for grammar, each in readers.items() if each.may_match(data)}
    if not likely:
        return FileMatches()
    text = data.decode("utf-8", "surrogateescape")
    nodes = [
        node
        for grammar, ranges in _parts(job, data)
        if grammar in likely
        for node in likely[grammar].nodes(text, ranges)
    ]
    if job.parts:
        nodes.sort(key=start_of)
    nodes = nodes[: job.most] if job.most else nodes
    found = FileMatches()
    holes = holes_of(job.source)
    for node in nodes:
        found.spans.append(_bytes_of(text, node, is_plain=len(text) == len(data)))
        found.captures.append(
            {hole: shown for hole in holes if (shown := captured(text, node, hole)) is not None}
        )
        found.captures[-1] = {
            hole: _NO_UTF8.sub("\ufffd", shown[:MAX_CAPTURE_CHARS])
            for hole, shown in found.captures[-1].items()
        }
    if job.source.rewrite is not None and nodes:
        new = rewritten(text, nodes, job.source)
        found.rewritten = None if new == text else _encoded(new)
    return found


def _parts(
    job: PatternJob, data: bytes
) -> Iterator[tuple[Grammar, Sequence[tuple[int, int]] | None]]:
    """What is matched of a text: grammars with ranges in characters, or None for all of it."""
    if not job.markup:
        yield job.grammar, None
        return
    if job.grammar not in job.parts:
        yield job.grammar, None
    script = script_of(data, languages()[job.markup])
    for grammar in job.parts:
        ranges: Sequence[tuple[int, int]] = ()
        if script is not None and script.language.name == grammar:
            ranges = script.parts
        elif grammar == "css":
            ranges = styles_of(data)
        if ranges:
            yield grammar, [_characters(data, each) for each in ranges]


def _characters(data: bytes, span: tuple[int, int]) -> tuple[int, int]:
    first = len(data[: span[0]].decode("utf-8", "surrogateescape"))
    return first, first + len(data[span[0] : span[1]].decode("utf-8", "surrogateescape"))


def _only(text: str, ranges: Sequence[tuple[int, int]]) -> str:
    """A text with blanks in place of what lies outside of ranges."""
    parts: list[str] = []
    done = 0
    for start, stop in ranges:
        parts += (_NO_LINE_END.sub(" ", text[done:start]), text[start:stop])
        done = stop
    return "".join((*parts, _NO_LINE_END.sub(" ", text[done:])))


def _bytes_of(text: str, node: SgNode, *, is_plain: bool) -> tuple[int, int]:
    span = node.range()
    start, stop = span.start.index, span.end.index
    if is_plain:
        return start, stop
    first = len(_encoded(text[:start]))
    return first, first + len(_encoded(text[start:stop]))


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")
