"""From where definitions are seen, by how they are written."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from surveyor.change.jobs import Reach
from surveyor.change.languages.reader import child_of, text

if TYPE_CHECKING:
    from tree_sitter import Node

    from surveyor.parsing.types import Symbol

__all__ = ["RANKS", "export_lists", "reach_of"]

RANKS: Final[dict[Reach, int]] = {
    "all": 5,
    "assembly": 4,
    "crate": 4,
    "below": 3,
    "package": 2,
    "module": 1,
    "type": 0,
    "file": 0,
}
"""Which is wider."""

_MAX_CLIMB = 10
_AROUND = frozenset(
    {"class_body", "interface_body", "annotation_type_body", "enum_body", "enum_class_body",
     "enum_body_declarations", "declaration_list", "enum_declaration_list", "record_body",
     "field_declaration_list", "object_type", "program", "source_file", "compilation_unit",
     "translation_unit", "primary_constructor", "class_parameters", "body_statement",
     "formal_parameters"}
)  # fmt: skip
"""Nodes whose children are declarations."""
_WORDS = re.compile(rb"\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*'|//[^\n]*|/\*.*?\*/|(\w+)", re.DOTALL)
_LEVELS = (b"public", b"private", b"protected", b"internal", b"fileprivate", b"static")
_INTERFACES = frozenset(
    {"interface_body", "annotation_type_body", "interface_declaration", "interface_type"}
)
_TOP = frozenset({"program", "export_statement"})
_NEVER = frozenset({"enum_member", "heading", "module", "namespace", "package", "parameter"})


def reach_of(name: Node, symbol: Symbol, family: str, exported: frozenset[str]) -> Reach | None:
    """From where a definition is seen, by its name; None where that is not to be read.

    `exported` are the names in the lists of what the file exports.
    """
    if symbol.kind in _NEVER:
        return None
    if family in ("typescript", "javascript"):
        return _of_ecmascript(name, symbol, exported)
    declared = _declaration(name)
    if declared is None or declared.parent is None:
        return None
    if family == "rust":
        return _of_rust(declared)
    if family in ("c", "cpp"):
        return _of_cpp(name, declared)
    words = _words_before(declared, name)
    is_of_interface = declared.parent.type in _INTERFACES or (
        declared.parent.parent is not None and declared.parent.parent.type in _INTERFACES
    )
    if family == "java":
        return "all" if is_of_interface else _of_java(words)
    if family == "csharp":
        return "all" if is_of_interface else _of_csharp(words, symbol)
    if family == "php":
        holder = declared.parent.parent
        is_of_trait = holder is not None and holder.type == "trait_declaration"
        return None if is_of_trait else _by_words(words, "all")
    if family == "kotlin":
        return _of_kotlin(words, symbol)
    return None


def export_lists(root: Node) -> tuple[frozenset[str], bool]:
    """Names that a module exports apart from where they are defined; and whether it exports in
    this way only, so that what is not exported is not seen."""
    names: set[str] = set()
    is_module = False
    for child in root.named_children:
        if child.type == "export_statement":
            is_module = True
            names.update(_exported(child))
        elif child.type == "expression_statement" and b"exports" in (child.text or b"")[:200]:
            return frozenset(), False
    return frozenset(names), is_module


def _exported(statement: Node) -> Iterator[str]:
    for child in statement.named_children:
        if child.type == "export_clause":
            for each in child.named_children:
                named = each.child_by_field_name("name")
                if named is not None:
                    yield text(named)
        elif child.type == "identifier":  # `export default draw`, `export = draw`
            yield text(child)


def _declaration(name: Node) -> Node | None:
    """The declaration that a name is of: a child of a body or of the file."""
    node = name
    for _ in range(_MAX_CLIMB):
        around = node.parent
        if around is None:
            return None
        if around.type in _AROUND:
            return node
        node = around
    return None


def _words_before(declared: Node, name: Node) -> frozenset[bytes]:
    """Modifiers in front of a name."""
    head = (declared.text or b"")[: max(0, name.start_byte - declared.start_byte)]
    words = {match[1] for match in _WORDS.finditer(head) if match[1]}
    return frozenset(words.intersection(_LEVELS))


def _by_words(words: frozenset[bytes], otherwise: Reach) -> Reach:
    if b"private" in words:
        return "type"
    if b"protected" in words:
        return "below"
    return "all" if b"public" in words else otherwise


def _of_java(words: frozenset[bytes]) -> Reach:
    return _by_words(words, "package")


def _of_csharp(words: frozenset[bytes], symbol: Symbol) -> Reach | None:
    if b"internal" in words:
        return None if b"protected" in words else "assembly"
    if b"private" in words and b"protected" in words:
        return None
    is_type = symbol.kind in ("class", "struct", "record", "interface", "enum", "delegate")
    # A type without a word is seen in its assembly, where no other one is around it.
    return _by_words(words, "assembly" if is_type else "type")


def _of_kotlin(words: frozenset[bytes], symbol: Symbol) -> Reach:
    if b"internal" in words:
        return "assembly"
    found = _by_words(words, "all")
    return "file" if found == "type" and not symbol.container else found


def _of_rust(declared: Node) -> Reach | None:
    around = declared.parent
    holder = around.parent if around is not None and around.type == "declaration_list" else None
    if holder is not None and (
        holder.type == "trait_item" or holder.child_by_field_name("trait") is not None
    ):
        return None  # as the trait is
    if declared.type in ("enum_variant", "macro_definition", "impl_item"):
        return None
    if around is not None and around.parent is not None and around.parent.type == "enum_variant":
        return None
    said = child_of(declared, "visibility_modifier")
    if said is None:
        return "module"
    words = re.sub(r"\s", "", text(said))
    return {"pub": "all", "pub(crate)": "crate"}.get(words)  # type: ignore[return-value]


def _of_cpp(name: Node, declared: Node) -> Reach | None:
    around = declared.parent
    if around is None:
        return None
    if around.type != "field_declaration_list":
        node: Node | None = declared
        while node is not None:
            if node.type == "namespace_definition" and node.child_by_field_name("name") is None:
                return "file"
            node = node.parent
        return "file" if b"static" in _words_before(declared, name) else "all"
    holder = around.parent
    if holder is None or b"friend " in (around.text or b""):
        return None
    section = "private" if holder.type == "class_specifier" else "public"
    for sibling in around.children:
        if sibling.start_byte >= declared.start_byte:
            break
        if sibling.type == "access_specifier":
            section = text(sibling).rstrip(": ")
    return {"public": "all", "protected": "below", "private": "type"}.get(section)  # type: ignore[return-value]


def _of_ecmascript(name: Node, symbol: Symbol, exported: frozenset[str]) -> Reach | None:
    node: Node | None = name
    for _ in range(_MAX_CLIMB):
        if node is None or node.parent is None:
            return None
        around = node.parent
        if around.type in ("class_body", "object_type", "interface_body"):
            if symbol.kind not in ("method", "property", "field"):
                return None
            words = _words_before(node, name)
            return _by_words(words, "all")
        if around.type in _TOP:
            if symbol.container:
                return None
            is_seen = around.type == "export_statement" or symbol.name in exported
            return "all" if is_seen else "file"
        node = around
    return None
