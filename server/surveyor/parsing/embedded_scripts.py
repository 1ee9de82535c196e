"""Scripts inside markup: the `<script>` parts of Vue, Svelte, Astro and HTML files.

The script is parsed in place, so that its symbols keep the file's own lines and columns; the
markup around it is cut into blocks between them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from surveyor.parsing.languages import Language, languages
from surveyor.parsing.languages.grammar import grammar

if TYPE_CHECKING:
    from tree_sitter import Range, Tree

__all__ = ["Script", "parse_script", "script_of", "styles_of"]

_SCRIPT, _STYLE = b"script", b"style"
_OPENED = {name: re.compile(rb"<%s\b" % name, re.IGNORECASE) for name in (_SCRIPT, _STYLE)}
_CLOSED = {name: re.compile(rb"</%s\s*+>" % name, re.IGNORECASE) for name in (_SCRIPT, _STYLE)}
_REST_OF_TAG = re.compile(rb"((?:[^>\"']|\"[^\"]*+\"|'[^']*+')*+)>")
_PLAIN_STYLES = (b"", b"css", b"text/css", b"postcss")
_FRONT_MATTER = re.compile(rb"\A\s*---[ \t]*\r?\n(.*?)^---[ \t]*\r?$", re.DOTALL | re.MULTILINE)
_LANG = re.compile(rb"\b(?:lang|type)\s*=\s*[\"']?([\w/+.-]+)", re.IGNORECASE)
_LANGUAGES = {b"ts": "typescript", b"typescript": "typescript", b"tsx": "tsx"}
_TYPES_OF_SCRIPTS = (b"module", b"text/javascript", b"application/javascript", b"js", b"jsx")
MAX_SCRIPTS = 50


@dataclass(frozen=True, slots=True)
class Script:
    """The parts of a file that are script, all in one language, as byte ranges."""

    language: Language
    parts: tuple[tuple[int, int], ...]


def script_of(data: bytes, language: Language) -> Script | None:
    """The script in a file; None when there is none."""
    parts: list[tuple[int, int]] = []
    name = "javascript"
    if language.name == "astro" and (front := _FRONT_MATTER.match(data)):
        name = "typescript"
        parts.append(front.span(1))
    for written, span in _elements(data, _SCRIPT):
        attributes = _LANG.search(written)
        said = attributes[1].lower() if attributes else b""
        if said in _LANGUAGES:
            name = _LANGUAGES[said]
        elif said and said not in _TYPES_OF_SCRIPTS:
            continue  # templates, JSON
        if data[slice(*span)].strip():
            parts.append(span)
        if len(parts) >= MAX_SCRIPTS:
            break
    return Script(languages()[name], tuple(parts)) if parts else None


def styles_of(data: bytes) -> tuple[tuple[int, int], ...]:
    """The parts of a file that are CSS, as byte ranges; not those in languages made from it."""
    found: list[tuple[int, int]] = []
    for written, span in _elements(data, _STYLE):
        said = _LANG.search(written)
        if (said[1].lower() if said else b"") in _PLAIN_STYLES and data[slice(*span)].strip():
            found.append(span)
    return tuple(found[:MAX_SCRIPTS])


def _elements(data: bytes, name: bytes) -> Iterator[tuple[bytes, tuple[int, int]]]:
    """Attributes and content of each element, in order.

    A file full of tags that are left open is not read to its end for each of them.
    """
    at = broken = 0
    while broken < MAX_SCRIPTS and (opened := _OPENED[name].search(data, at)):
        tag = _REST_OF_TAG.match(data, opened.end())
        if tag is None:  # a quote that is left open
            at = opened.end()
            broken += 1
            continue
        closed = _CLOSED[name].search(data, tag.end())
        if closed is None:
            return
        yield tag[1], (tag.end(), closed.start())
        at = closed.end()


def parse_script(data: bytes, script: Script) -> Tree:
    """The tree of a script, with the whole file's positions."""
    import tree_sitter

    assert script.language.grammar is not None
    parser = tree_sitter.Parser(grammar(script.language.grammar))
    parser.included_ranges = [_range(data, start, end) for start, end in script.parts]
    return parser.parse(data)


def _range(data: bytes, start: int, end: int) -> Range:
    import tree_sitter

    return tree_sitter.Range(_point(data, start), _point(data, end), start, end)


def _point(data: bytes, at: int) -> tuple[int, int]:
    line_start = data.rfind(b"\n", 0, at) + 1
    return data.count(b"\n", 0, at), at - line_start
