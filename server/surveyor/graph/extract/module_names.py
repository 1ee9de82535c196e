"""The full names of what is defined where modules have names with dots, as in Elixir."""

from __future__ import annotations

import re
from collections.abc import Sequence, Set

from msgspec import structs

from surveyor.graph.extract.scopes import qualified
from surveyor.parsing.types import Symbol

__all__ = ["in_full"]

_IMPLEMENTATION = re.compile(rb"\s*defimpl\b[^,\n]*(?:,\s*for:\s*\[?\s*([A-Z][\w.]*))?")


def in_full(symbols: Sequence[Symbol], source: bytes, types: Set[str]) -> list[Symbol]:
    """Symbols by their last name where that of a type is dotted, what is named by a text in
    quotes (no name means a test), and what implements a protocol by the names of both."""
    lines = source.split(b"\n")
    found: list[Symbol] = []
    renamed: list[tuple[Symbol, str, str]] = []
    """What has another name than it is written with: (it, that name, its full name)."""
    for symbol in symbols:
        while renamed and renamed[-1][0].end_line < symbol.line:
            renamed.pop()
        container = symbol.container
        for _, said, full in renamed[-1:]:
            if container == said or container.startswith(f"{said}."):
                container = full + container.removeprefix(said)
        whole = symbol = structs.replace(symbol, container=container)
        if symbol.kind in types:
            if symbol.kind == "module":
                symbol = _implementation(symbol, lines)
            symbol = _by_last_name(symbol)
        elif lines[symbol.line - 1][symbol.column - 1 : symbol.column] == b'"':
            symbol = structs.replace(symbol, name=f'"{symbol.name}"')
        if qualified(symbol) != qualified(whole):
            said = qualified(structs.replace(whole, container=container))
            renamed.append((symbol, said, qualified(symbol)))
        found.append(symbol)
    return found


def _by_last_name(symbol: Symbol) -> Symbol:
    before, _, last = symbol.name.rpartition(".")
    if not before:
        return symbol
    container = f"{symbol.container}.{before}" if symbol.container else before
    width = len(before.encode("utf-16-le")) // 2 + 1
    return structs.replace(symbol, name=last, container=container, column=symbol.column + width)


def _implementation(symbol: Symbol, lines: list[bytes]) -> Symbol:
    """`defimpl Size, for: Box` defines the module `Size.Box`; without `for`, that of the module
    around it. Its name stands where the protocol's does."""
    line = lines[symbol.line - 1]
    if b"defimpl" not in line:
        return symbol
    match = _IMPLEMENTATION.match(line)
    if match is None:
        return symbol
    implemented = match[1].decode("utf-8", "replace") if match[1] else symbol.container
    container, _, name = f"{symbol.name}.{implemented}".rpartition(".")
    column = _by_last_name(symbol).column
    return structs.replace(symbol, container=container, name=name, column=column)
