"""Elixir: alias, import, use and require."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from surveyor.graph.languages.elixir.values import module_name
from surveyor.graph.languages.readers import Found, line, text
from surveyor.parsing.types import Import

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["read"]

ALL = (("*", "*"),)


def read(node: Node) -> Found:
    """`alias A.B, as: C`, `alias A.{B, C}`, `import A, only: [f: 1]`, `require A`; of `use A, …`
    the node is what is used."""
    around = node.parent.parent if node.type != "call" and node.parent is not None else None
    node = around or node
    arguments = next((c for c in node.named_children if c.type == "arguments"), None)
    if arguments is None or not arguments.named_children:
        return [], []
    word = text(node.child_by_field_name("target"))
    options = _options(arguments)
    imports: list[Import] = []
    named: list[tuple[Node, str]] = []
    for target, prefix in _targets(arguments.named_children[0]):
        module = ".".join(part for part in (prefix, module_name(target)) if part)
        if not module:
            continue
        alias, kind = "", "static"
        names: tuple[tuple[str, str], ...] = ()
        if word == "alias":
            alias = text(options["as"]) if "as" in options else module.rpartition(".")[2]
        elif word == "require":
            alias = text(options["as"]) if "as" in options else module
        elif word == "import":
            names = _only(options.get("only")) or ALL
        else:
            names, kind = ALL, "use"
        imports.append(Import(module, names, alias, line(node), kind))
        named.append((target, prefix))
        if word == "import":
            named += [(key, module) for key in _keys(options.get("only"))]
    return imports, named


def _targets(first: Node) -> Iterator[tuple[Node, str]]:
    """The modules of a statement, and what stands before the braces around them."""
    if first.type == "dot":
        left, right = first.child_by_field_name("left"), first.child_by_field_name("right")
        if left is not None and right is not None and right.type == "tuple":
            for each in right.named_children:
                if each.type == "alias":
                    yield each, module_name(left)
            return
    if first.type in ("alias", "dot") or text(first) == "__MODULE__":
        yield first, ""


def _options(arguments: Node) -> dict[str, Node]:
    keywords = next((c for c in arguments.named_children if c.type == "keywords"), None)
    found: dict[str, Node] = {}
    for pair in keywords.named_children if keywords is not None else ():
        key, value = pair.child_by_field_name("key"), pair.child_by_field_name("value")
        if value is not None:
            found[text(key).strip().rstrip(":")] = value
    return found


def _only(listed: Node | None) -> tuple[tuple[str, str], ...]:
    """Names in `[f: 1, g: 2]`; none where it says `:functions` or nothing."""
    keys = [text(key).strip().rstrip(":") for key in _keys(listed)]
    return tuple((key, key) for key in keys)


def _keys(listed: Node | None) -> list[Node]:
    if listed is None or listed.type != "list":
        return []
    return [
        key
        for keywords in listed.named_children
        if keywords.type == "keywords"
        for pair in keywords.named_children
        if (key := pair.child_by_field_name("key")) is not None
    ]
