"""Dart: import, export and part."""

from __future__ import annotations

from typing import TYPE_CHECKING

from surveyor.graph.languages.readers import Found, descend, line, string_value, text
from surveyor.parsing.types import Import

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["read"]

ALL = (("*", "*"),)


def read(node: Node) -> Found:
    """`import 'a' as b show C`, `export 'a' show C`, `part 'a'`, `part of 'a'`."""
    literal = next(descend(node, frozenset({"string_literal"})), None)
    if literal is None:
        return [], []
    module, place = string_value(literal), line(node)
    if node.type.startswith("part"):  # one library in several files
        return [Import(module, ALL, line=place), Import(module, ALL, "", place, "reexport")], []
    shown = [
        (text(name), text(name))
        for combinator in descend(node, frozenset({"combinator"}))
        if text(combinator).startswith("show")
        for name in combinator.named_children
    ]
    names = tuple(shown) or ALL
    said = [  # hidden ones too: they are named
        (name, module)
        for combinator in descend(node, frozenset({"combinator"}))
        for name in combinator.named_children
        if name.type == "identifier"
    ]
    if node.type == "library_export":
        others = [Import(each.module, names, "", place, "reexport") for each in _instead(node)]
        return [Import(module, names, "", place, "reexport"), *others], said
    parts = node.named_children[0].named_children
    alias = next((c for c in parts if c.type == "identifier"), None)
    bound = Import(module, alias=text(alias), line=place) if alias is not None else None
    return [bound or Import(module, names, line=place), *_instead(node)], said


def _instead(node: Node) -> list[Import]:
    """What another platform has in its place: `if (dart.library.html) 'web.dart'`."""
    conditional = descend(node, frozenset({"configuration_uri"}))
    found = (descend(each, frozenset({"uri"})) for each in conditional)
    return [
        Import(string_value(uri.named_children[0]), line=line(node))
        for each in found
        for uri in each
    ]
