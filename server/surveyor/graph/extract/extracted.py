"""What `extract` finds in one file; `facts` encodes it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from surveyor.graph.expressions.grammar import parse
from surveyor.graph.expressions.model import Expression, Name
from surveyor.parsing.types import Import, Reference, Symbol

__all__ = ["TYPE_KINDS", "Extension", "Extracted", "HandedOver", "given_base"]

TYPE_KINDS = frozenset(
    {"class", "interface", "struct", "enum", "trait", "object", "module", "namespace", "type"}
)


class HandedOver(NamedTuple):
    """A call in a file that may hand over a function or an object."""

    callee: str
    enclosing: int
    arguments: list[tuple[str, str]]
    """(position or name of the parameter, value)."""


class Extension(NamedTuple):
    """A base that a file gives a type of another one: `impl Trait for other::Type`."""

    type: str
    base: str
    line: int
    column: int
    end_column: int


def given_base(of: str, use: Reference) -> Extension:
    """What a file gives a type of another one, by the use that names it."""
    before = parse(use.qualifier) if use.qualifier else None
    base = before.member(use.name) if before else Expression(Name(use.name))
    return Extension(of, base.text, use.line, use.column, use.end_column)


@dataclass(frozen=True, slots=True)
class Extracted:
    """References, imports, types and values of one file, as stored in its graph."""

    references: tuple[Reference, ...] = ()
    imports: tuple[Import, ...] = ()
    symbols: tuple[Symbol, ...] = ()
    """The file's definitions, told apart by the functions around them (`scopes.scoped`)."""
    is_reexport: bool = False
    types: tuple[tuple[str, str], ...] = ()
    """Pairs (key of a fact, what it is; `expressions.keys`)."""
    fields: tuple[tuple[str, int, int, int], ...] = ()
    """Names that exist by assignment only, attributes of self above all: (`Class.name`, line,
    column, end column)."""
    package: str = ""
    """The package or namespace that the file says it belongs to."""
    handed: tuple[HandedOver, ...] = ()
    """Calls that say what functions of the file are handed."""
    parameters: tuple[tuple[str, list[str]], ...] = ()
    """Qualified names of these functions, with the names of their parameters."""
    extensions: tuple[Extension, ...] = ()
    """Bases that this file gives types of other files."""
    arities: Mapping[tuple[int, int], int] = field(default_factory=dict)
    """How many type parameters types have that these tell apart, by the line and column of their
    names; none for those without any."""
