"""From the bytes of one file to everything that it contributes to the index.

`parse_file` never raises on bad input: what could not be done is in `problems`, and the text
is then cut by lines instead. The syntax tree goes to whoever makes more of it.
"""

from __future__ import annotations

import logging
import re
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from time import monotonic, thread_time
from typing import TYPE_CHECKING

from msgspec import structs

from surveyor.files.file_class import file_type_of
from surveyor.parsing import (
    haskell_conditionals,
    item_macros,
    kotlin_syntax,
    preprocessor,
    sections,
    yacc_grammars,
)
from surveyor.parsing.chunk import chunk_code
from surveyor.parsing.cut import MAX_CHUNK_CHARS
from surveyor.parsing.depth import MAX_TREE_DEPTH, deep_parts
from surveyor.parsing.embedded_scripts import parse_script, script_of
from surveyor.parsing.languages import FIRST_BYTES, Language, language_of
from surveyor.parsing.languages.grammar import parser, query
from surveyor.parsing.notebook import chunk_notebook
from surveyor.parsing.outline import outline
from surveyor.parsing.repair import BY_BYTES, errors_in, repaired
from surveyor.parsing.reread import edited
from surveyor.parsing.source import MAX_TEXT_BYTES, SourceText
from surveyor.parsing.types import Chunk, ParsedFile, Symbol
from surveyor.process_memory import own_bytes

if TYPE_CHECKING:
    from tree_sitter import Query, Tree

__all__ = ["FileTree", "parse_file", "parse_with_tree", "tree_of"]

log = logging.getLogger(__name__)

MAX_TREE_BYTES = 4_000_000
"""Larger files get no syntax tree (some 100 MB of nodes) and are cut by lines."""
PARSE_SECONDS = 5.0
"""A tree that takes longer, of a processor's time, is given up: error recovery can be quadratic on
what is not code. By the clock a busy machine would leave files without their tree."""
BUDGETED_BYTES = 64_000
"""Smaller files cannot take long; watching the time costs a tenth of the parse."""
PARSE_BYTES = 400 << 20
"""The same for one that needs more memory: it can be ten thousand times the file's length. That of
a long file of code takes 100 MB."""
WATCHED_S = 0.01
"""How often memory is looked at."""
READ_BYTES = 4096
_NO_WORDS = re.compile(rb"[^\w\x80-\xff]{5000}")
"""In an error node, tree-sitter's query cursor looks from each anonymous token for the next named
one, to the end: 100,000 opening brackets took 15 s. Such a run is no source code."""


@dataclass(frozen=True, slots=True)
class FileTree:
    """A file's syntax tree."""

    tree: Tree
    data: bytes
    """The source that it is of."""
    language: Language
    """Of the tree: in a file of markup that of its scripts."""
    file_language: Language
    read: bytes
    """What was parsed: the source, or as many bytes with blanks for what is in a grammar's way."""
    deep: tuple[tuple[int, int], ...] = ()
    """Byte ranges that are nested too deeply to be read (`parsing.depth`)."""

    @classmethod
    def of(
        cls, tree: Tree, data: bytes, language: Language, file_language: Language, read: bytes
    ) -> FileTree:
        """With what is too deep in it."""
        return cls(tree, data, language, file_language, read, deep_parts(tree.root_node))


def parse_file(path: str, data: bytes, *, max_chunk_chars: int = MAX_CHUNK_CHARS) -> ParsedFile:
    """Chunks, symbols and imported modules of one file.

    `path` is relative to the project root and decides the language, with the first bytes.
    """
    return parse_with_tree(path, data, max_chunk_chars=max_chunk_chars)[0]


def parse_with_tree(
    path: str, data: bytes, *, max_chunk_chars: int = MAX_CHUNK_CHARS
) -> tuple[ParsedFile, FileTree | None]:
    """The same with the tree that it was read from; None for a file without one."""
    language = language_of(path, data[:FIRST_BYTES])
    problems: tuple[str, ...] = ()
    if len(data) > MAX_TEXT_BYTES:
        data = data[:MAX_TEXT_BYTES]
        problems = (f"only the first {MAX_TEXT_BYTES // 1_000_000} MB were read",)
    source = SourceText.of(data)
    problems += source.problems
    parts = _Parts()
    try:
        parts = _parse(source, language, max_chunk_chars)
    except Exception as error:  # the promise of this module: a file never stops the index
        log.warning("%s: parsed as plain text: %r", path, error)
        problems += (f"parsed as plain text: {error!r}"[:300],)
        parts.chunks = sections.chunk_lines(source.lines, max_chunk_chars)
    parsed = ParsedFile(
        language=language.family if language else None,
        file_type=file_type_of(path, data),
        chunks=tuple(_with_kinds(parts.chunks, parts.symbols)),
        symbols=tuple(parts.symbols),
        imported_modules=tuple(parts.modules),
        problems=problems + tuple(parts.problems),
    )
    return parsed, parts.tree


def tree_of(path: str, data: bytes) -> FileTree | None:
    """The tree alone, of a file that was parsed before; None when it has none."""
    language = language_of(path, data[:FIRST_BYTES])
    if language is None or (language.grammar is None and language.layout != "embedded"):
        return None
    source = SourceText.of(data[:MAX_TEXT_BYTES])
    if language.layout == "embedded":
        script = script_of(source.data, language)
        if script is None:
            return None
        tree = parse_script(source.data, script)
        return FileTree.of(tree, source.data, script.language, language, source.data)
    assert language.grammar is not None
    found = _tree(source.data, language.grammar)
    return (
        None if found is None else FileTree.of(found[0], source.data, language, language, found[1])
    )


def _with_kinds(chunks: Sequence[Chunk], symbols: Sequence[Symbol]) -> Iterator[Chunk]:
    """Chunks with the kinds of what they define: a small class is one chunk with its methods."""
    defined = sorted((symbol.line, symbol.kind) for symbol in symbols)
    for chunk in chunks:
        low = bisect_left(defined, (chunk.start_line, ""))
        high = bisect_left(defined, (chunk.end_line + 1, ""))
        kinds = {chunk.kind, chunk.symbol_kind, *(kind for _, kind in defined[low:high])}
        yield structs.replace(chunk, kinds=tuple(sorted(kinds - {""})))


@dataclass(slots=True)
class _Parts:
    """Chunks, symbols, modules and problems of a file while it is parsed."""

    chunks: list[Chunk] = field(default_factory=list)
    symbols: list[Symbol] = field(default_factory=list)
    modules: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    tree: FileTree | None = None


def _parse(source: SourceText, language: Language | None, limit: int) -> _Parts:
    parts = _Parts()
    layout = language.layout if language else "lines"
    if not source.data or source.data.isspace():
        return parts
    if layout == "code" and language is not None and len(source.data) > MAX_TREE_BYTES:
        parts.problems.append(f"over {MAX_TREE_BYTES // 1_000_000} MB: cut by lines, no symbols")
        layout = "lines"
    if layout == "code" and language is not None:
        _code(parts, source, language, limit)
    elif layout == "embedded" and language is not None:
        _embedded(parts, source, language, limit)
    elif layout == "notebook":
        _notebook(parts, source, limit)
    elif layout == "markdown":
        headings = sections.markdown_headings(source.lines)
        parts.chunks, parts.symbols = sections.chunk_sections(source.lines, headings, limit)
    elif layout == "sections" and language is not None:
        headings = sections.section_headings(source.lines, language.name)
        parts.chunks, parts.symbols = sections.chunk_sections(source.lines, headings, limit)
    else:
        parts.chunks = sections.chunk_lines(source.lines, limit)
    return parts


def _code(parts: _Parts, source: SourceText, language: Language, limit: int) -> None:
    assert language.grammar is not None
    symbols_query = query(language, "symbols.scm")
    found = _tree(source.data, language.grammar)
    if found is None or symbols_query is None:
        parts.problems.append("cannot be parsed in good time: cut by lines, no symbols")
        parts.chunks = sections.chunk_lines(source.lines, limit)
        return
    tree = FileTree.of(found[0], source.data, language, language, found[1])
    _fill(parts, tree, source, symbols_query, limit)


def _embedded(parts: _Parts, source: SourceText, language: Language, limit: int) -> None:
    script = script_of(source.data, language) if len(source.data) <= MAX_TREE_BYTES else None
    symbols_query = query(script.language, "symbols.scm") if script else None
    if script is None or symbols_query is None:
        parts.chunks = sections.chunk_lines(source.lines, limit)
        return
    tree = parse_script(source.data, script)
    found = FileTree.of(tree, source.data, script.language, language, source.data)
    _fill(parts, found, source, symbols_query, limit)


def _notebook(parts: _Parts, source: SourceText, limit: int) -> None:
    if len(source.data) > MAX_TREE_BYTES:
        parts.problems.append(f"over {MAX_TREE_BYTES // 1_000_000} MB: cut by lines")
        parts.chunks = sections.chunk_lines(source.lines, limit)
        return
    try:
        found = chunk_notebook(source, limit)
    except ValueError as error:
        parts.problems.append(f"{error}: cut by lines")
        parts.chunks = sections.chunk_lines(source.lines, limit)
        return
    parts.chunks, parts.symbols, parts.modules = found.chunks, found.symbols, found.modules


def _fill(
    parts: _Parts, tree: FileTree, source: SourceText, symbols_query: Query, limit: int
) -> None:
    """Symbols and chunks from one tree."""
    if tree.deep:
        parts.problems.append(
            f"nested over {MAX_TREE_DEPTH} levels deep: what is below is only text"
        )
    found = outline(
        tree.tree.root_node, source, tree.language, symbols_query, is_deep=bool(tree.deep)
    )
    parts.symbols = [d.symbol for d in found.definitions if d.symbol is not None]
    parts.modules = found.modules
    parts.chunks = chunk_code(source.lines, found, tree.language, limit)
    parts.tree = tree


def _tree(data: bytes, name: str) -> tuple[Tree, bytes] | None:
    """The syntax tree and what was read, or None when it would cost more than it is worth."""
    if name in yacc_grammars.GRAMMARS:
        data = yacc_grammars.opened(data)
    if name in preprocessor.GRAMMARS:
        data = preprocessor.without_marks(data)
    if name == "kotlin":
        data = kotlin_syntax.opened(data)
    bare = data
    if name in item_macros.GRAMMARS:
        bare = item_macros.opened(data)
    elif name in haskell_conditionals.GRAMMARS:
        bare = haskell_conditionals.opened(data)
    tree = _read(bare, name)
    if tree is None:
        return None
    read = bare
    if tree.root_node.has_error and bare is not data:
        whole = _read(data, name, edited(tree, bare, data))
        if whole is not None and errors_in(whole.root_node) < errors_in(tree.root_node):
            tree, read = whole, data
    if tree.root_node.has_error:
        tree, read = _repaired(tree, data, name, read)
        if tree.root_node.has_error and _NO_WORDS.search(data):
            return None
    return tree, read


def _repaired(tree: Tree, data: bytes, name: str, read: bytes) -> tuple[Tree, bytes]:
    """Read again without what is in the grammar's way, where that leaves fewer errors."""
    is_c = name in preprocessor.GRAMMARS
    count = preprocessor.unread if is_c or name in BY_BYTES else errors_in
    errors = count(tree.root_node)
    seen: dict[object, bytes] = {}  # what each has been tried on, or has made itself
    for mend in preprocessor.MENDS if is_c else (lambda source: repaired(source, name) or source,):
        if not errors or seen.get(mend) is data:
            continue
        seen[mend] = data
        changed = mend(data)
        if changed == data:
            continue
        again = _read(changed, name, edited(tree, read, changed))
        if again is not None and (fewer := count(again.root_node)) < errors:
            tree, data, errors = again, changed, fewer
            read = seen[mend] = data
    return tree, read


def _reader(data: bytes) -> Callable[[int, object], memoryview]:
    """Gives the parser a part of the text at a time, and always the same object: the binding
    (py-tree-sitter 0.26) never lets go of one. Scala asks thirty times for each place."""
    part = bytearray(READ_BYTES)
    view = memoryview(part)

    def read(offset: int, _: object) -> memoryview:
        text = data[offset : offset + READ_BYTES]
        part[: len(text)] = text
        return view if len(text) == READ_BYTES else view[: len(text)]

    return read


def _budget() -> Callable[[int, bool], bool]:
    """Says whether a parse that begins now has taken too much time or memory."""
    begun, looked = thread_time(), monotonic()
    most = own_bytes() + PARSE_BYTES

    def exceeded(_offset: int, _has_error: bool) -> bool:
        nonlocal looked
        now = monotonic()
        if now - looked < WATCHED_S:
            return False
        looked = now
        return thread_time() - begun > PARSE_SECONDS or own_bytes() > most

    return exceeded


def _read(data: bytes, name: str, old: Tree | None = None) -> Tree | None:
    """The syntax tree, or None when it takes too long, or too much memory."""
    parse = parser(name)
    if len(data) <= BUDGETED_BYTES:
        return parse.parse(data) if old is None else parse.parse(data, old)
    try:
        text, budget = _reader(data), _budget()
        if old is None:
            tree = parse.parse(text, progress_callback=budget)
        else:
            tree = parse.parse(text, old, progress_callback=budget)
    except ValueError:  # stopped
        parse.reset()
        return None
    # A tree made by reading asks for text again with every node's; one made from bytes does
    # not. With the first as the old tree, the second costs a tenth.
    return parse.parse(data, tree)
