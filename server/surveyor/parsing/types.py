"""What indexing makes of a file: symbols, chunks, references. Plain data, no behaviour.

Lines are 1-based and inclusive; columns are 0-based UTF-16 code units.
"""

from __future__ import annotations

import msgspec

from surveyor.store.chunk_record import ChunkRecord


class Symbol(msgspec.Struct, frozen=True, array_like=True):
    """A definition in a file."""

    name: str
    kind: str
    """A `SymbolKind`."""
    container: str
    """Names of the enclosing symbols joined with dots; empty at the top."""
    start_line: int
    end_line: int
    line: int
    """Line of the name itself."""
    column: int
    end_column: int
    signature: str = ""
    docstring: str = ""


class Chunk(ChunkRecord, frozen=True, array_like=True, kw_only=True):
    """A piece of a file that is embedded and found as one."""

    text: str
    signature: str = ""
    docstring: str = ""
    calls: tuple[str, ...] = ()
    """These three are not stored: a symbol has the first, and nothing asks for the others."""


class Reference(msgspec.Struct, frozen=True):
    """A use of a name."""

    name: str
    kind: str
    """call, read, write, import, type, inheritance, instantiation."""
    line: int
    column: int
    end_column: int
    qualifier: str = ""
    """What stands before the name (`self`, `module.sub`, a receiver's text), if anything."""
    enclosing: int = -1
    """Index into `ParsedFile.symbols` of the innermost symbol around it; -1 at file level."""


class Import(msgspec.Struct, frozen=True):
    """A dependency that a file declares."""

    module: str
    """As written: `a.b`, `./x`, `crate::y`, `<stdio.h>`."""
    names: tuple[tuple[str, str], ...] = ()
    """Pairs (imported name, local name); `("*", "*")` for all; empty for the module itself."""
    alias: str = ""
    line: int = 0
    kind: str = "static"
    """static, private, dynamic, reexport, namespace, use."""
    unresolved_reason: str = ""
    last_line: int = 0
    """Where the names that it binds end, when that is on a later line."""


class ParsedFile(msgspec.Struct, frozen=True, array_like=True):
    """Everything that one version of one file contributes to the index."""

    language: str | None
    file_type: str
    chunks: tuple[Chunk, ...] = ()
    symbols: tuple[Symbol, ...] = ()
    imported_modules: tuple[str, ...] = ()
    is_reexport: bool = False
    """Little but imports and re-exports: `__init__`, barrels, declaration files."""
    graph: bytes = b""
    """References, imports and types, encoded as the graph stores them: added by whoever makes a
    graph of the tree, and passed on by the engine without looking inside."""
    graph_pending: bool = False
    """`graph` is left to a second pass, once the file can be found."""
    problems: tuple[str, ...] = ()


class StoredText(msgspec.Struct, frozen=True, array_like=True):
    """What is stored of a document's text for searches of exact text."""

    text: bytes
    """Compressed."""
    ngrams: bytes
    """As `embedding.ngrams` makes them."""
    apart: tuple[int, ...] = ()
    """Chunks, by their order, that say something else than their lines of this text."""
