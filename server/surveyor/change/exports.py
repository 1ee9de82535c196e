"""What a module lets others import from it, as it is written."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from surveyor.change.jobs import ModuleExports
from surveyor.change.languages.reader import child_of, text

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["exports_of"]

_DECLARATIONS = (".d.ts", ".d.mts", ".d.cts")
"""Files all of whose declarations may be seen, whatever says `export`."""
_BY_ASSIGNMENT = re.compile(rb"\bexports\s*[.\[=),]|\bmodule\.exports\b")
_VALUES = frozenset({"lexical_declaration", "variable_declaration"})
_BOUND = frozenset({"identifier", "shorthand_property_identifier_pattern"})
_OPEN_PYTHON = re.compile(
    rb"\bdef\s+__getattr__\b|\b(?:globals|vars|locals|exec|setattr)\s*\(|\bsys\.modules\b"
)
"""How a Python module has names that are not written in it."""
_INNER = frozenset({"function_definition", "class_definition", "lambda"})


def exports_of(root: Node, data: bytes, path: str, family: str) -> ModuleExports | None:
    """What a text exports; None where that is not to be read: CommonJS, names that are computed, a
    text with errors."""
    if root.has_error:
        return None
    if family in ("javascript", "typescript"):
        if path.endswith(_DECLARATIONS) or _BY_ASSIGNMENT.search(data):
            return None
        return _of_ecmascript(root)
    if family == "python" and not _OPEN_PYTHON.search(data):
        return _of_python(root)
    return None


def _of_ecmascript(root: Node) -> ModuleExports | None:
    names: set[str] = set()
    whole: list[str] = []
    for child in root.named_children:
        if child.type != "export_statement":
            continue
        words = {each.type for each in child.children}
        source = child.child_by_field_name("source")
        if "=" in words:
            return None  # `export = draw`
        if source is not None and "*" in words:
            whole.append(text(source).strip("'\""))
        elif "default" in words:
            names.add("default")
        else:
            names.update(_exported(child))
    return ModuleExports(sorted(names), whole)


def _exported(statement: Node) -> Iterator[str]:
    for child in statement.named_children:
        if child.type == "export_clause":
            for each in child.named_children:
                yield text(each.child_by_field_name("alias") or each.child_by_field_name("name"))
        elif child.type == "namespace_export" and child.named_children:
            yield text(child.named_children[0])
    declared = statement.child_by_field_name("declaration")
    while declared is not None and declared.type == "ambient_declaration":
        declared = declared.named_children[0] if declared.named_children else None
    if declared is None:
        return
    if declared.type in _VALUES:
        for each in declared.named_children:
            yield from _bound(each.child_by_field_name("name"))
        return
    named = declared.child_by_field_name("name") or child_of(declared, "identifier")
    if named is not None:
        yield text(named)


def _bound(pattern: Node | None) -> Iterator[str]:
    """Names that a pattern binds."""
    waiting = [pattern] if pattern is not None else []
    while waiting:
        node = waiting.pop()
        if node.type in _BOUND:
            yield text(node)
        elif node.type == "pair_pattern":
            waiting += [value] if (value := node.child_by_field_name("value")) is not None else []
        elif node.type in ("assignment_pattern", "object_assignment_pattern"):
            waiting += [left] if (left := node.child_by_field_name("left")) is not None else []
        else:
            waiting += node.named_children


def _of_python(root: Node) -> ModuleExports:
    names: set[str] = set()
    listed: list[tuple[str, int]] = []
    whole: list[str] = []
    waiting = list(root.named_children)
    while waiting:
        node = waiting.pop()
        if node.type in _INNER:
            names.add(text(node.child_by_field_name("name")))
        elif node.type == "import_from_statement":
            module = node.child_by_field_name("module_name")
            if child_of(node, "wildcard_import") is not None:
                whole.append(text(module))
            names.update(map(_imported, node.children_by_field_name("name")))
        elif node.type == "import_statement":
            named = map(_imported, node.children_by_field_name("name"))
            names.update(each.partition(".")[0] for each in named)
        elif node.type in ("assignment", "augmented_assignment"):
            left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
            names.update(_targets(left))
            if text(left) == "__all__" and right is not None:
                listed += _strings(right)
            waiting += [right] if right is not None else []
        elif node.type in ("for_statement", "with_item", "as_pattern", "named_expression"):
            names.update(_targets(node))
            waiting += node.named_children
        else:
            waiting += node.named_children
    return ModuleExports(sorted(names - {""}), whole, listed)


def _imported(node: Node) -> str:
    """The name that an import binds."""
    return text(node.child_by_field_name("alias") or node)


def _targets(node: Node | None) -> Iterator[str]:
    """Names in what is assigned to, also those that are only read there."""
    waiting = [node] if node is not None else []
    while waiting:
        each = waiting.pop()
        if each.type == "identifier":
            yield text(each)
        elif each.type not in _INNER:
            waiting += each.named_children


def _strings(node: Node) -> Iterator[tuple[str, int]]:
    waiting = [node]
    while waiting:
        each = waiting.pop()
        if each.type == "string_content":
            yield text(each), each.start_point[0] + 1
        else:
            waiting += each.named_children
