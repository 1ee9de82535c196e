"""Uses of macros of C and Rust, and of what Kotlin's classes delegate to, that were blanked so that
a grammar can read what is around them."""

from __future__ import annotations

from collections.abc import Iterator

from surveyor.graph.extract.file_definitions import FileDefinitions
from surveyor.parsing import item_macros, kotlin_syntax, preprocessor
from surveyor.parsing.types import Reference

__all__ = ["blanked_references"]


def blanked_references(
    definitions: FileDefinitions, read: bytes, grammar: str
) -> Iterator[Reference]:
    """Uses of macros in a source of which `read` was parsed."""
    source = definitions.source
    row = counted = 0
    for start, end, path in _blanked(source, read, grammar):
        row += source.count(b"\n", counted, start)
        counted = start
        byte_column = start - (source.rfind(b"\n", 0, start) + 1)
        columns = definitions.columns(row, byte_column, end - start)
        kind = "call" if source[end : end + 1] in (b"(", b"!") else "read"
        enclosing = definitions.enclosing.at(row + 1, columns[0])
        before = path.decode().replace("::", ".")
        yield Reference(source[start:end].decode(), kind, row + 1, *columns, before, enclosing)


def _blanked(source: bytes, read: bytes, grammar: str) -> Iterator[tuple[int, int, bytes]]:
    if grammar in item_macros.GRAMMARS:
        yield from item_macros.invocations(source, read)
    elif grammar in preprocessor.GRAMMARS:
        yield from ((start, end, b"") for start, end in preprocessor.blanked_macros(source, read))
    elif grammar == "kotlin":
        yield from ((start, end, b"") for start, end in kotlin_syntax.blanked(source, read))
