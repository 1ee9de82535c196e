"""Matching texts: where a pattern stands in them, what its holes are, and what they become."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from ast_grep_py import SgNode, SgRoot

from surveyor.structural.holes import HOLE, holes_of
from surveyor.structural.jobs import FileMatches, PatternJob
from surveyor.structural.patterns import read_source
from surveyor.structural.prefilter import prefilter

__all__ = ["match"]

_NO_UTF8 = re.compile("[\udc80-\udcff]")
MAX_CAPTURE_CHARS = 200
"""Of what one hole matched, in an answer."""


def match(job: PatternJob, texts: Iterable[bytes | None]) -> list[FileMatches]:
    """The matches of each text; None is one that cannot be read. Raises `BadPatternError`."""
    config = read_source(job.source, job.grammar)
    holes = holes_of(job.source)
    tokens = prefilter(job.source, job.grammar)
    return [
        _match(job, config, holes, text)
        if text is None or tokens.may_match(text)
        else FileMatches()
        for text in texts
    ]


def _match(
    job: PatternJob, config: dict[str, object], holes: Sequence[str], data: bytes | None
) -> FileMatches:
    if data is None:
        return FileMatches(is_damaged=True)
    text = data.decode("utf-8", "surrogateescape")
    # One character for each byte that is no UTF-8, as in `text`: both have the same positions.
    nodes = SgRoot(_NO_UTF8.sub("\ufffd", text), job.grammar).root().find_all(config)  # type: ignore[call-overload]
    nodes = nodes[: job.most] if job.most else nodes
    found = FileMatches()
    for node in nodes:
        found.spans.append(_bytes_of(text, node, is_plain=len(text) == len(data)))
        found.captures.append(
            {hole: shown for hole in holes if (shown := _captured(text, node, hole)) is not None}
        )
        found.captures[-1] = {
            hole: _NO_UTF8.sub("\ufffd", shown[:MAX_CAPTURE_CHARS])
            for hole, shown in found.captures[-1].items()
        }
    if job.source.rewrite is not None and nodes:
        new = _rewritten(text, nodes, job.source.rewrite)
        found.rewritten = None if new == text else _encoded(new)
    return found


def _bytes_of(text: str, node: SgNode, *, is_plain: bool) -> tuple[int, int]:
    span = node.range()
    start, stop = span.start.index, span.end.index
    if is_plain:
        return start, stop
    first = len(_encoded(text[:start]))
    return first, first + len(_encoded(text[start:stop]))


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def _captured(text: str, node: SgNode, hole: str) -> str | None:
    """What a hole stands for in a match."""
    name = hole.lstrip("$")
    if not hole.startswith("$$$"):
        one = node.get_match(name)
        return None if one is None else text[_start(one) : one.range().end.index]
    several = node.get_multiple_matches(name)
    if not several:
        return ""
    return text[several[0].range().start.index : several[-1].range().end.index]


def _rewritten(text: str, nodes: Sequence[SgNode], template: str) -> str:
    """A text with each match replaced; of matches inside each other the outermost."""
    parts: list[str] = []
    done = 0
    for node in sorted(nodes, key=lambda each: (_start(each), -each.range().end.index)):
        start = _start(node)
        if start < done:
            continue
        parts += (text[done:start], _filled(text, node, template))
        done = node.range().end.index
    return "".join((*parts, text[done:]))


def _start(node: SgNode) -> int:
    return node.range().start.index


def _filled(text: str, node: SgNode, template: str) -> str:
    """The template with its holes filled, its further lines indented as the match is."""
    line = text.rfind("\n", 0, _start(node)) + 1
    indent = text[line : line + len(text[line:]) - len(text[line:].lstrip(" \t"))]
    told = template.replace("\n", "\n" + indent)
    return HOLE.sub(lambda hole: _captured(text, node, hole[0]) or "", told)
