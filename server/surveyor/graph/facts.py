"""What is stored of a file for the graph, and how it is encoded.

Two blobs per document, made in the index worker: `facts` is what other files may ask about
(symbols, imports, types), `references` is what only this file's own resolution needs.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterable, Sequence
from functools import lru_cache
from hashlib import blake2b

import msgspec

from surveyor.graph import EXTRACT_VERSION
from surveyor.graph.expressions.grammar import parse_qualifier
from surveyor.graph.expressions.keys import ANY_ARITY, CALLED, of_arity, without_arity
from surveyor.graph.expressions.model import Expression, Local
from surveyor.graph.expressions.model import Name as ExpressionName
from surveyor.graph.extract.extracted import TYPE_KINDS, Extracted
from surveyor.graph.extract.type_arity import Arities
from surveyor.graph.languages import traits_of
from surveyor.graph.languages.readers import PROJECT
from surveyor.parsing.types import Import, Reference, Symbol
from surveyor.protocol.enumerations import REFERENCE_KINDS
from surveyor.store.text_compression import ZSTD_MAGIC, compressed, decompressed

__all__ = [
    "KIND_CODES",
    "KIND_NAMES",
    "NAME_HASH_BYTES",
    "DefinedName",
    "FileFacts",
    "GraphBlobs",
    "Row",
    "decode_blobs",
    "decode_facts",
    "decode_references",
    "encode_graph",
    "name_hash",
]

_WORD = re.compile(r"\w+")
KIND_NAMES = REFERENCE_KINDS
KIND_CODES: dict[str, int] = {name: code for code, name in enumerate(KIND_NAMES)}
NAME_HASH_BYTES = 4
"""Names are looked for by hash in one blob per file; a collision costs one file looked at."""
_REMEMBERED_NAMES = 8192
"""Names whose hashes are kept: the files of a project use the same ones."""

Row = tuple[str, int, int, int, int, str, int]
"""A stored reference: name, kind code, line, column, end column, qualifier, enclosing index."""


class DefinedName(msgspec.Struct, array_like=True, frozen=True):
    """A definition: a symbol of the file, or a name that exists by assignment only."""

    name: str
    kind: str
    container: str
    start_line: int
    end_line: int
    line: int
    column: int
    end_column: int
    arity: int = 0
    """Type parameters of a type, in a language whose types these tell apart."""
    is_apart: bool = False
    """Whether another type of the file has the same full name and fewer type parameters."""

    @property
    def qualname(self) -> str:
        """Container and name, dotted: unique in a file but for overloads."""
        name = of_arity(self.name, self.arity) if self.is_apart else self.name
        return f"{self.container}.{name}" if self.container else name


class ImportLink(msgspec.Struct, array_like=True, frozen=True):
    """An import, as in `parsing.types.Import`."""

    module: str
    names: tuple[tuple[str, str], ...]
    alias: str
    line: int
    kind: str
    reason: str
    last_line: int = 0

    def binds_on(self, line: int) -> bool:
        """Whether a name that stands on a line may be one that this import binds."""
        return self.line <= line <= max(self.line, self.last_line)

    def bound_names(self) -> set[str]:
        """The names that it gives a meaning, as far as they are written."""
        if self.names or self.alias:
            return {name for _, name in self.names} | ({self.alias} if self.alias else set())
        return {self.module.partition(".")[0], self.module.rpartition("/")[2]}


class FileFacts(msgspec.Struct, array_like=True):
    """What other files may ask about a file."""

    version: int
    language: str
    package: str
    is_test: bool
    names: list[DefinedName]
    """The file's symbols in their stored order, then names that exist by assignment only."""
    imports: list[ImportLink]
    types: dict[str, str]
    bases: dict[str, list[str]] = {}
    """Qualified name of a class -> expressions of what it extends or implements. Where members are
    named without what has them, also of a function or variable in which classes without a name
    are."""
    handed: list[tuple[str, int, list[tuple[str, str]]]] = []
    """Calls that say what functions of the file are handed: (expression of the function, index of
    the definition around, pairs of a parameter's position or name and an expression)."""
    parameters: dict[str, list[str]] = {}
    """Qualified name of such a function -> the names of its parameters."""
    extensions: list[tuple[str, str, int, int, int]] = []
    """Bases that this file gives types of others: (expressions of the type and of the base, line,
    column, end column)."""


class GraphBlobs(msgspec.Struct, frozen=True):
    """What the worker sends to be stored with a document."""

    version: int
    package: str
    names: bytes
    """Hashes of all names that the file uses, also in strings, `NAME_HASH_BYTES` each."""
    facts: bytes
    references: bytes


_BLOBS = msgspec.msgpack.Decoder(GraphBlobs)
_FACTS = msgspec.msgpack.Decoder(FileFacts)
_REFERENCES = msgspec.msgpack.Decoder(list[Row])


@lru_cache(_REMEMBERED_NAMES)
def name_hash(name: str) -> bytes:
    """The hash of a name as it stands in `GraphBlobs.names`."""
    return blake2b(name.encode(), digest_size=NAME_HASH_BYTES).digest()


def encode_graph(
    found: Extracted, language: str, strings: Iterable[str] = (), *, is_test: bool = False
) -> bytes:
    """A file's graph as it is stored: an encoded `GraphBlobs`. `strings`: what they may name."""
    symbols = found.symbols
    names = [_defined(symbol, found.arities) for symbol in symbols]
    known = {name.qualname for name in names}
    types = {name.qualname for name in names if name.kind in TYPE_KINDS}
    has_shapes = traits_of(language).literal_objects
    for qualname, line, column, end_column in found.fields:
        if qualname not in known:
            container, _, name = qualname.rpartition(".")
            kind = "field" if container else "variable"
            if container and container not in types and has_shapes:
                kind = "member"  # of an object, or its type, that is written out in one place
            names.append(DefinedName(name, kind, container, line, line, line, column, end_column))
    facts = FileFacts(
        version=EXTRACT_VERSION,
        language=language,
        package=found.package,
        is_test=is_test,
        names=names,
        imports=[_link(item) for item in found.imports],
        types=dict(found.types),
        bases=_bases(
            found.references,
            symbols,
            mixes=has_shapes,
            unnamed=traits_of(language).implicit_this,
            last_first=traits_of(language).last_first,
        ),
        handed=[(callee, around, handed) for callee, around, handed in found.handed],
        parameters=dict(found.parameters),
        extensions=list(found.extensions),
    )
    used: set[str] = set(strings)
    for reference in found.references:
        if reference.name == CALLED:
            used.update(_WORD.findall(reference.qualifier))
        else:
            used.update(without_arity(reference.name).split("/"))
    for item in found.imports:
        used.update(name for name, _ in item.names)
        used.update(item.module.replace("::", ".").replace("/", ".").split("."))
        if item.kind == PROJECT:
            used.add(PROJECT)
    blobs = GraphBlobs(
        version=EXTRACT_VERSION,
        package=found.package,
        names=b"".join(sorted(name_hash(name) for name in used if name)),
        facts=compressed(msgspec.msgpack.encode(facts)),
        references=zlib.compress(msgspec.msgpack.encode(_rows(found.references)), 1),
    )
    return msgspec.msgpack.encode(blobs)


def _defined(symbol: Symbol, arities: Arities) -> DefinedName:
    place = (symbol.start_line, symbol.end_line, symbol.line, symbol.column, symbol.end_column)
    name, is_apart = symbol.name, ANY_ARITY in symbol.name and bool(arities)
    arity = arities.get((symbol.line, symbol.column), 0) if arities else 0
    return DefinedName(
        without_arity(name) if is_apart else name,
        symbol.kind, symbol.container, *place, arity, is_apart,
    )  # fmt: skip


def _bases(
    references: Sequence[Reference],
    symbols: Sequence[Symbol],
    *,
    mixes: bool,
    unnamed: bool,
    last_first: str,
) -> dict[str, list[str]]:
    """What classes extend. `mixes`: what they are given from outside hides what they extend.

    `unnamed`: of a class without a name by the definition around it, whose other members it does
    not have.

    `last_first`: what is mixed in by a later line, or later at all, comes before.
    """
    bases: dict[str, list[str]] = {}
    if last_first in ("lines", "names"):
        by_name = last_first == "names"
        references = sorted(references, key=lambda e: (-e.line, -e.column if by_name else 0))
    for reference in references:
        if reference.kind != "inheritance" or reference.enclosing < 0:
            continue
        symbol = symbols[reference.enclosing]
        if symbol.kind not in (*TYPE_KINDS, "macro") and not unnamed:
            continue  # of a class in it that has no name
        owner = f"{symbol.container}.{symbol.name}" if symbol.container else symbol.name
        found = bases.setdefault(owner, [])
        place = 0 if mixes and reference.line > symbol.end_line else len(found)
        found.insert(place, _base(reference).text)
    return bases


def _base(reference: Reference) -> Expression:
    """What a class names as its base."""
    qualifier = parse_qualifier(reference.qualifier)
    if type(qualifier) is Expression:
        return qualifier.member(reference.name)
    return Expression(qualifier if type(qualifier) is Local else ExpressionName(reference.name))


def _link(item: Import) -> ImportLink:
    return ImportLink(
        item.module,
        item.names,
        item.alias,
        item.line,
        item.kind,
        item.unresolved_reason,
        item.last_line,
    )


def _rows(references: Iterable[Reference]) -> list[Row]:
    return [
        (r.name, KIND_CODES[r.kind], r.line, r.column, r.end_column, r.qualifier, r.enclosing)
        for r in references
    ]


def decode_blobs(data: bytes) -> GraphBlobs:
    """What `encode_graph` made, its parts still encoded."""
    return _BLOBS.decode(data)


def decode_facts(data: bytes) -> FileFacts:
    """The inverse of `encode_graph` for `GraphBlobs.facts`; those of before were not compressed."""
    return _FACTS.decode(decompressed(data) if data.startswith(ZSTD_MAGIC) else data)


def decode_references(data: bytes) -> list[Row]:
    """What `encode_graph` made of a file's references."""
    return _REFERENCES.decode(zlib.decompress(data))
