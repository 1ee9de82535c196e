"""Bases that types are given outside of where they are defined: `impl Trait for Type`, prototypes
of JavaScript, tables of Lua."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from surveyor.graph.expressions.grammar import print_qualifier
from surveyor.graph.expressions.model import Expression, Name
from surveyor.graph.extract.extracted import Extension, given_base
from surveyor.graph.extract.file_definitions import FileDefinitions
from surveyor.graph.extract.qualifiers import qualifier_before
from surveyor.graph.extract.scopes import qualified
from surveyor.graph.extract.type_names import type_name
from surveyor.graph.extract.written_types import expression_of, text_of
from surveyor.graph.languages.traits import ValueReader
from surveyor.parsing.types import Reference

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["base_use", "implementation", "mixed_in"]


def base_use(
    definitions: FileDefinitions, node: Node, kind: str, receiver: ValueReader | None, owner: int
) -> Reference:
    """A use of a type by its name."""
    row, byte_column = node.start_point
    columns = definitions.columns(row, byte_column, node.end_byte - node.start_byte)
    around = node.parent
    is_member = around is not None and around.named_children[0] != node
    before = print_qualifier(receiver(node) if receiver is not None and is_member else None)
    return Reference(text_of(node), kind, row + 1, *columns, before, owner)


def implementation(
    definitions: FileDefinitions,
    node: Node,
    references: list[Reference],
    extensions: list[Extension],
    known: Mapping[str, str],
) -> None:
    """`impl Trait for Type`: the trait is a base of the type, not of what encloses the block, nor
    of another name of the type, as the `known` types of the file's names say."""

    def is_alias(index: int) -> bool:
        symbol = definitions.symbols[index]
        return symbol.kind == "type" and qualified(symbol) in known

    if definitions.traits.implemented is not None:
        wanted, named = definitions.traits.implemented(node)
        owner = next((i for i in definitions.types_called(wanted) if not is_alias(i)), -1)
        uses = [
            base_use(definitions, leaf, "inheritance", definitions.traits.receiver, owner)
            for leaf in named
        ]
        references.extend(uses)
        if owner < 0 and wanted:
            extensions.extend(given_base(wanted, use) for use in uses)
        return
    trait = node.child_by_field_name("trait")
    target = node.child_by_field_name("type")
    if trait is None or target is None:
        return
    dotted = type_name(text_of(target))
    name = dotted.rpartition(".")[2]
    symbols = definitions.symbols
    types = (i for i in definitions.types_named(name) if not is_alias(i))
    owner = next((i for i in types if symbols[i].kind != "trait"), -1)
    leaf = trait.child_by_field_name("type") if trait.type == "generic_type" else trait
    while leaf is not None and leaf.type == "scoped_type_identifier":
        leaf = leaf.child_by_field_name("name")
    if leaf is None:
        return
    row, byte_column = leaf.start_point
    column, end_column = definitions.columns(row, byte_column, leaf.end_byte - leaf.start_byte)
    qualifier = qualifier_before(definitions.source, leaf.start_byte)
    if owner >= 0:
        before = print_qualifier(qualifier)
        references.append(
            Reference(text_of(leaf), "inheritance", row + 1, column, end_column, before, owner)
        )
    elif dotted:
        base = qualifier.member(text_of(leaf)) if qualifier else Expression(Name(text_of(leaf)))
        place = (row + 1, column, end_column)
        extensions.append(Extension(dotted, base.text, *place))


def mixed_in(
    definitions: FileDefinitions, owner: Node, mixin: Node, references: list[Reference]
) -> None:
    """A class of this file is given the members of something, as if it extended it."""
    name = text_of(owner)
    symbols = definitions.symbols
    index = next((i for i in definitions.types_named(name) if not symbols[i].container), -1)
    if index < 0:  # function Box() {}; Box.prototype = Object.create(Base.prototype)
        whole = (i for i, s in enumerate(symbols) if s.name == name and not s.container)
        index = next((i for i in whole if symbols[i].kind in ("function", "variable")), -1)
    object_of, member_of = (
        ("table", "field") if mixin.type == "dot_index_expression" else ("object", "property")
    )
    leaf = mixin.child_by_field_name(member_of) or mixin
    if (
        index >= 0
        and definitions.scopes.binding(name, definitions.scopes.at(owner.start_byte)) is None
    ):
        before_leaf = expression_of(mixin.child_by_field_name(object_of))
        row, byte_column = leaf.start_point
        columns = definitions.columns(row, byte_column, leaf.end_byte - leaf.start_byte)
        before = print_qualifier(before_leaf)
        references.append(Reference(text_of(leaf), "inheritance", row + 1, *columns, before, index))
