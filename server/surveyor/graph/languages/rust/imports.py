"""Rust: `use`, `mod`, `extern crate` and `include!`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from surveyor.graph.languages.readers import (
    FILE,
    STRINGS,
    Found,
    NotConstant,
    descend,
    line,
    literal,
    string_value,
    text,
)
from surveyor.parsing.types import Import

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tree_sitter import Node

__all__ = ["included", "read"]


def read(node: Node) -> Found:
    """`use`, `mod name;` and `extern crate`. `pub use` re-exports."""
    if node.type == "mod_item":
        name = text(node.child_by_field_name("name"))
        module = _path_attribute(node) or _from_file(f"self::{name}", _inline_modules(node))
        return [Import(module=module, alias=name, line=line(node), kind="module")], []
    if node.type == "extern_crate_declaration":
        name = text(node.child_by_field_name("name"))
        alias = text(node.child_by_field_name("alias")) or name
        return [Import(module=name, alias=alias, line=line(node))], []
    argument = node.child_by_field_name("argument")
    if argument is None:
        return [], []
    public = any(child.type == "visibility_modifier" for child in node.children)
    kind = "reexport" if public else "static"
    imports: list[Import] = []
    named: list[tuple[Node, str]] = []
    inline = _inline_modules(node)
    for written, name, local, name_node in _use(argument, ""):
        module = _from_file(written, inline) if inline else written
        pair = (("*", "*"),) if name == "*" else ((name, local),)
        if not module and name.islower() and name not in _HERE:  # a crate, or a module beside
            imports.append(Import(module=name, alias=local, line=line(node), kind=kind))
        else:
            imports.append(Import(module=module, names=pair, line=line(node), kind=kind))
        if name_node is not None:
            named.append((name_node, module))
    for type_node, written in _types_above(argument, ""):
        named.append((type_node, _from_file(written, inline) if inline else written))
    return imports, named


_HERE = ("crate", "self", "super")
"""Modules that a path begins with and that no crate is called."""


def _path_attribute(node: Node) -> str:
    """The file that `#[path = "other.rs"]` above a module says."""
    before = node.prev_named_sibling
    while before is not None and before.type in ("attribute_item", "line_comment"):
        inner = before.named_children[0] if before.named_children else None
        value = inner.child_by_field_name("value") if inner is not None else None
        if value is not None and inner is not None and text(inner).startswith("path"):
            return FILE + string_value(value)
        before = before.prev_named_sibling
    return ""


def _inline_modules(node: Node) -> list[str]:
    """Names of the modules of its own file that a node is in, the outermost first."""
    names: list[str] = []
    around = node.parent
    while around is not None:
        if around.type == "mod_item":
            names.insert(0, text(around.child_by_field_name("name")))
        around = around.parent
    return names


def _from_file(module: str, inline: list[str]) -> str:
    """A path that is relative to an inline module, as one that is relative to the file's module."""
    parts = module.split("::")
    if parts[0] not in ("super", "self"):
        return module
    if parts[0] == "self":
        parts.pop(0)
    up = 0
    while parts[:1] == ["super"] and up < len(inline):
        parts.pop(0)
        up += 1
    around = inline[: len(inline) - up]
    return "::".join(parts if parts[:1] == ["super"] else ["self", *around, *parts])


def _use(node: Node, prefix: str) -> Iterator[tuple[str, str, str, Node | None]]:
    """(module, name, local name, name node) for each leaf of a use tree."""
    if node.type == "scoped_identifier":
        leaf = node.child_by_field_name("name")
        yield _below(prefix, text(node.child_by_field_name("path"))), text(leaf), text(leaf), leaf
    elif node.type == "use_as_clause":
        path, alias = node.child_by_field_name("path"), text(node.child_by_field_name("alias"))
        if path is not None:
            for module, name, _, name_node in _use(path, prefix):
                yield module, name, alias, name_node
    elif node.type in ("use_list", "scoped_use_list"):
        inner = node.child_by_field_name("list") if node.type == "scoped_use_list" else node
        deeper = (
            _below(prefix, text(node.child_by_field_name("path"))) if inner is not node else prefix
        )
        for child in inner.named_children if inner is not None else []:
            yield from _use(child, deeper)
    elif node.type == "use_wildcard":
        path = node.named_children[0] if node.named_children else None
        yield _below(prefix, text(path)), "*", "*", None
    elif node.type == "self":
        module, _, name = prefix.rpartition("::")
        yield module, name, name, None
    elif node.type in ("identifier", "crate", "super"):
        name = text(node)
        yield prefix, name, name, node if prefix else None


def _types_above(node: Node, prefix: str) -> Iterator[tuple[Node, str]]:
    """The types that names are imported out of, each with its module: `use a::Shape::{Box}`."""
    path = node.child_by_field_name("path")
    if node.type == "use_wildcard":
        path = node.named_children[0] if node.named_children else None
    elif node.type == "use_as_clause" and path is not None:
        yield from _types_above(path, prefix)
        return
    leaf = path.child_by_field_name("name") or path if path is not None else None
    if path is not None and leaf is not None and text(leaf)[:1].isupper():
        yield leaf, _below(prefix, text(path.child_by_field_name("path")))
    inner = node.child_by_field_name("list") if node.type == "scoped_use_list" else node
    if inner is not None and inner.type == "use_list":
        deeper = _below(prefix, text(path)) if inner is not node else prefix
        for child in inner.named_children:
            yield from _types_above(child, deeper)


def _below(prefix: str, part: str) -> str:
    return f"{prefix}::{part}" if prefix and part else prefix or part


def included(call: Node) -> list[str]:
    """The file that `include!` and its like put into the program.

    Raises:
        NotConstant: when the argument is no literal.
    """
    named = {text(name) for name in descend(call, frozenset({"identifier"}))}
    literals = [literal(each) for each in descend(call, STRINGS)]
    if not literals or named - {"include", "include_str", "include_bytes", "concat"}:
        raise NotConstant("the argument of the macro is known when it is built only")
    return [FILE + "".join(literals)]
