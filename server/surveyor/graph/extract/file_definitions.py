"""What a file defines, and the names by which others know what stands at a node."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from surveyor.graph.expressions.keys import overload
from surveyor.graph.expressions.model import Expression, Instance, Local
from surveyor.graph.extract.columns import SourceColumns
from surveyor.graph.extract.extracted import TYPE_KINDS
from surveyor.graph.extract.module_names import in_full
from surveyor.graph.extract.returns import function_of, functions_of_block
from surveyor.graph.extract.scopes import FUNCTION, Scopes, qualified, scoped
from surveyor.graph.extract.shapes import Shapes
from surveyor.graph.extract.substitution import substitute
from surveyor.graph.extract.written_structs import follow_fields
from surveyor.graph.extract.written_types import text_of
from surveyor.graph.languages.traits import Traits
from surveyor.graph.queries.enclosing import Enclosing
from surveyor.parsing.types import Symbol

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["FileDefinitions"]

_FUNCTION_KINDS = frozenset({"function", "method", "constructor"})
_TAKING_KINDS = _FUNCTION_KINDS | {"type"}
_FUNCTION_TYPES = frozenset({"delegate_declaration"})
"""Nodes that declare a type of functions by its name, with what they give."""


class FileDefinitions:
    """The definitions of one file, told apart by the functions around them."""

    def __init__(
        self, source: bytes, traits: Traits, symbols: Sequence[Symbol], scopes: Scopes
    ) -> None:
        self.source = source
        self.traits = traits
        self.scopes = scopes
        scopes.calls_no_variables = traits.calls_no_variables
        scopes.bound_behind = traits.bound_behind or traits.calls_by_brackets
        self.symbols = in_full(symbols, source, TYPE_KINDS) if traits.named_modules else symbols
        self.places = {(symbol.line - 1, symbol.column) for symbol in self.symbols}
        self.overloads: dict[int, int] = {}
        """Byte of a signature -> its number, for all but the first of a name."""
        self.receiver_keywords = traits.self_words | traits.super_words
        positions = SourceColumns(source)
        self.byte_of = positions.byte_of
        """The byte of a line, from 1, and a column."""
        self.columns = positions.of_name
        """UTF-16 columns of a name: (row, byte column, length) -> (column, end column)."""
        if traits.nests and any(kind == FUNCTION for kind in scopes.kinds):
            places = [positions.byte_of(symbol.line, symbol.column) for symbol in self.symbols]
            self.symbols = scoped(self.symbols, places, scopes, source)
        self.enclosing = Enclosing(self.symbols)
        self.shapes = Shapes(self.symbols, self.enclosing, self.columns, self.places)
        self._aliases: dict[str, list[str]] = {}
        """Names that functions give types for themselves, with their full names."""
        if not traits.nests:
            callable_ = {qualified(s) for s in self.symbols if s.kind in _FUNCTION_KINDS}
            for symbol in self.symbols:
                if symbol.kind == "type" and symbol.container in callable_:
                    self._aliases.setdefault(symbol.name, []).append(qualified(symbol))
        self._by_place: dict[tuple[int, int], int] = {}
        """Of a name's line and column, the first symbol: made when one is asked for."""
        self._types: dict[str, list[int]] = {}
        self._signatures: list[str] = []
        """Of the symbols, in their order: made when one is asked for."""

    def local_alias(self, name: str, row: int) -> Local | None:
        """The definition of a name that a function around a row gives a type for itself."""
        listed = self._aliases.get(name)
        if listed is None:
            return None
        around = self.enclosing.at(row + 1)
        while around >= 0:
            whole = f"{qualified(self.symbols[around])}.{name}"
            if whole in listed:
                return Local(whole)
            around = self.enclosing.parent(around)
        return None

    def name_at(self, node: Node) -> str:
        """The qualified name of what is named at a node outside of all functions."""
        row, byte_column = node.start_point
        column = self.columns(row, byte_column, 0)[0]
        if (row, column) in self.places and (symbol := self.shapes.symbol(node)):
            return qualified(symbol)
        owner = self.enclosing.of_kind(row + 1, TYPE_KINDS)
        return f"{qualified(owner)}.{text_of(node)}" if owner else text_of(node)

    def container(self, node: Node) -> str:
        """What a field belongs to: the object type it is written in, or the class around it."""
        of_shape = self.shapes.owner(node)
        if of_shape is not None:
            return of_shape
        owner = self.enclosing.of_kind(node.start_point[0] + 1, TYPE_KINDS)
        return qualified(owner) if owner else ""

    def giver(self, node: Node) -> str:
        """The function that a declared result or a returned value is of."""
        if self.traits.nests:
            name = function_of(node)
            symbol = self.shapes.symbol(name) if name is not None else None
            return self._overload(qualified(symbol), name) if symbol is not None else ""
        if self.traits.extensions:
            if node.parent is not None and node.parent.type in _FUNCTION_TYPES:
                return self.taker(node)
            index = self.enclosing.at(node.start_point[0] + 1)
            while index >= 0 and self.symbols[index].kind not in _FUNCTION_KINDS:
                index = self.enclosing.parent(index)
            return self._signature(index)
        owner = self.enclosing.of_kind(node.start_point[0] + 1, _FUNCTION_KINDS)
        return qualified(owner) if owner is not None else ""

    def taker(self, prototype: Node) -> str:
        """The function, or the name of a type of functions, that is declared at a node."""
        index = self.enclosing.at(prototype.start_point[0] + 1)
        while index >= 0 and self.symbols[index].kind not in _TAKING_KINDS:
            index = self.enclosing.parent(index)
        if self.traits.extensions or index < 0:
            return self._signature(index)
        return qualified(self.symbols[index])

    def extending(self, extended: Node) -> list[str]:
        """The signatures, or the named extension, that something says which type they extend."""
        around = extended.parent
        inner = functions_of_block(around.parent) if around is not None else []
        if inner:
            return [self._signature(self._named_at(name)) for name in inner]
        name = around.child_by_field_name("name") if around is not None else None
        symbol = self.shapes.symbol(name) if name is not None else None
        if symbol is not None:
            return [qualified(symbol)]
        found = self._signature(self.enclosing.at(extended.start_point[0] + 1))
        return [found] if found else []

    def defined_at(self, name: Node) -> str:
        """The qualified name of the symbol that is named at a node; empty for none."""
        index = self._named_at(name)
        return qualified(self.symbols[index]) if index >= 0 else ""

    def types_named(self, name: str) -> list[int]:
        """The indexes of the file's types of a name."""
        if not self._types:
            for index, symbol in enumerate(self.symbols):
                if symbol.kind in TYPE_KINDS:
                    self._types.setdefault(symbol.name, []).append(index)
        return self._types.get(name, [])

    def types_called(self, dotted: str) -> list[int]:
        """The same by a name that may say what a type is in: `Outer.Inner`."""
        container, _, name = dotted.rpartition(".")
        around = f".{container}"
        return [
            index
            for index in self.types_named(name)
            if not container or f".{self.symbols[index].container}".endswith(around)
        ]

    def _named_at(self, name: Node) -> int:
        """The index of the symbol that is named at a node; -1 for none."""
        row, byte_column = name.start_point
        if not self._by_place:
            for index, symbol in enumerate(self.symbols):
                self._by_place.setdefault((symbol.line, symbol.column), index)
        return self._by_place.get((row + 1, self.columns(row, byte_column, 0)[0]), -1)

    def _signature(self, index: int) -> str:
        """The signature at an index among the symbols; empty for none."""
        if index < 0:
            return ""
        if not self._signatures:
            numbers: dict[str, int] = {}
            for symbol in self.symbols:
                name = qualified(symbol)
                self._signatures.append(overload(name, numbers.get(name, 0)))
                numbers[name] = numbers.get(name, 0) + 1
        return self._signatures[index]

    def _overload(self, qualname: str, name: Node | None) -> str:
        """The signature, of several of the same name, that a name is in."""
        node = name.parent if name is not None else None
        return overload(qualname, self.overloads.get(node.start_byte, 0) if node else 0)

    def owner(self, name: Node) -> str:
        """The qualified name of what is named at a node; empty for what no other file can see."""
        of_shape = self.shapes.owner(name)
        if of_shape is not None:
            return f"{of_shape}.{text_of(name)}"
        symbol = self.shapes.symbol(name)
        if symbol is not None:
            return self._overload(qualified(symbol), name)
        container = self.container(name)
        return self._overload(f"{container}.{text_of(name)}", name) if container else ""

    def type_at(self, node: Node) -> str:
        """The signature of the type around a node; empty outside of all."""
        owner = self.enclosing.of_kind(node.start_point[0] + 1, TYPE_KINDS)
        if not owner:
            return ""
        return overload(qualified(owner), self.overloads.get(node.start_byte, 0))

    def outside(self, value: Expression | None, node: Node) -> Expression | None:
        """What a value at a node is to others; None where that says nothing."""
        value = self.shapes.named(value)
        if value is None:
            return None
        value = self.substitute(value, self.scopes.at(node.start_byte))
        return None if value.is_unknown else value

    def substitute(self, expression: Expression, scope: int) -> Expression:
        """An expression with local names replaced by what they are bound to."""
        found = substitute(expression, scope, self.scopes, self.receiver_keywords)
        structs = self.shapes.structs
        return follow_fields(found, structs) if structs and type(found.head) is Instance else found
