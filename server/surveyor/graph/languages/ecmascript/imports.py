"""JavaScript and TypeScript: import, export … from, import = require, const … = require."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from surveyor.graph.expressions.keys import default_of, whole_of
from surveyor.graph.languages.readers import Found, line, string_value, text
from surveyor.parsing.types import Import
from surveyor.parsing.wording import container_names

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["read", "read_default", "read_local"]


def read(node: Node) -> Found:
    """Imports of one statement; an export without a source is a re-export of this file's names."""
    if node.type == "import_statement":
        return _import(node)
    if node.type == "export_statement":
        return _export(node)
    if node.type == "import_require_clause":
        names = [child for child in node.named_children if child.type == "identifier"]
        module = string_value(node.child_by_field_name("source"))
        alias = text(names[0]) if names else ""
        named = [(name, whole_of(module)) for name in names[:1]]
        return [Import(module=module, names=(("=", alias),), line=line(node))], named
    return _require(node)


def _import(node: Node) -> Found:
    module = string_value(node.child_by_field_name("source"))
    if not module:
        return [], []
    names: list[tuple[str, str]] = []
    named: list[tuple[Node, str]] = []
    for clause in node.named_children:
        if clause.type != "import_clause":
            continue
        for part in clause.named_children:
            if part.type == "identifier":
                names.append(("default", text(part)))
                named.append((part, default_of(module)))
            elif part.type == "namespace_import":
                names.append(("*", text(part.named_children[-1])))
            elif part.type == "named_imports":
                for item in part.named_children:
                    source = item.child_by_field_name("name")
                    if source is None:
                        continue
                    names.append((text(source), text(item.child_by_field_name("alias") or source)))
                    named.append((source, module))
    return [Import(module=module, names=tuple(names), line=line(node))], named


def _export(node: Node) -> Found:
    source = node.child_by_field_name("source")
    module = string_value(source)
    names: list[tuple[str, str]] = []
    named: list[tuple[Node, str]] = []
    for part in node.named_children:
        if part.type == "export_clause":
            for item in part.named_children:
                name = item.child_by_field_name("name")
                if name is not None:
                    names.append((text(name), text(item.child_by_field_name("alias") or name)))
                    named.append((name, module))
        elif part.type == "namespace_export":  # `default` is a word of the grammar, and no name
            names.append(("*", text(part.children[-1])))
    if source is not None and not names:
        names.append(("*", "*"))
    return [Import(module=module, names=tuple(names), line=line(node), kind="reexport")], named


def _require(node: Node) -> Found:
    """`const x = require("y")`, `const {a, b: c} = require("y")`, `const a = require("y").a`."""
    value = node.child_by_field_name("value")
    taken = value.child_by_field_name("property") if value is not None else None
    if value is not None and taken is not None:
        value = value.child_by_field_name("object")
    arguments = value.child_by_field_name("arguments") if value is not None else None
    target = node.child_by_field_name("name")
    literal = arguments.named_children[0] if arguments and arguments.named_children else None
    if target is None or literal is None or literal.type != "string":
        return [], []
    module = string_value(literal)
    names: list[tuple[str, str]] = []
    named: list[tuple[Node, str]] = []
    if taken is not None:
        names.append((text(taken), text(target)))
        named.append((taken, module))
    elif target.type == "identifier":
        names.append(("=", text(target)))
        named.append((target, whole_of(module)))
    elif target.type == "object_pattern":
        for item in target.named_children:
            if item.type == "shorthand_property_identifier_pattern":
                names.append((text(item), text(item)))
                named.append((item, module))
            elif item.type == "object_assignment_pattern":
                local = item.child_by_field_name("left")
                if local is not None and local.type == "shorthand_property_identifier_pattern":
                    names.append((text(local), text(local)))
                    named.append((local, module))
            elif item.type == "pair_pattern":
                key, local = item.child_by_field_name("key"), item.child_by_field_name("value")
                if key is not None and local is not None and local.type == "identifier":
                    names.append((text(key), text(local)))
                    named.append((key, module))
    last = target.end_point[0] + 1
    return [Import(module=module, names=tuple(names), line=line(node), last_line=last)], named


def read_local(node: Node) -> Iterator[tuple[str, str, str]]:
    """(name here, module, name there) of each name that is taken out of a `require`."""
    if node.type != "variable_declarator":
        return
    for each in _require(node)[0]:
        for name, local in each.names:
            if name != "=":
                yield local, each.module, name


def read_default(node: Node) -> list[Import]:
    """What a file exports as its whole: `export default x`, `module.exports = x` or `= {x, y}`;
    and what it requires for others: `exports.x = require("./x")`."""
    return [*_exported(node), *_handed_on(node)]


def _exported(node: Node) -> Iterator[Import]:
    names: list[tuple[str, str]] = []
    if node.type == "export_statement":
        declaration = node.child_by_field_name("declaration")
        value = node.child_by_field_name("value")
        if declaration is not None:
            value = declaration.child_by_field_name("name")
        elif value is None:  # export = Box
            value = node.named_children[0]
            names.append((text(value), "="))
        names.append((text(value), "default"))
    elif _required(right := node.child_by_field_name("right")) is None:
        own, right = _named_last(node)
        whole = own or _whole_name(right)
        left = node.child_by_field_name("left")
        if text(left) != "module.exports":  # `exports.a = exports.b = …`
            key = text(left.child_by_field_name("property")) if left is not None else ""
            given = text(right) if right is not None and right.type == "identifier" else own
            names += [(given, key)] if given else []
            right = None
        elif whole:
            names += [(whole, "default"), (whole, "=")]
        for item in right.named_children if right is not None and right.type == "object" else []:
            if item.type == "shorthand_property_identifier":
                names.append((text(item), text(item)))
            elif item.type == "method_definition":
                key = text(item.child_by_field_name("name"))
                names.append((key, key))
            elif item.type == "pair":
                value = item.child_by_field_name("value")
                if value is not None and value.type == "identifier":
                    names.append((text(value), text(item.child_by_field_name("key"))))
    if names:
        yield Import(module="", names=tuple(names), line=line(node), kind="reexport")


_WHOLE = ("=", "default")
_ALL = ("*",)


def _handed_on(node: Node) -> Iterator[Import]:
    """What other modules export that this one requires, as exports of its own."""
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    if left is None:
        right = node if node.type == "call_expression" else None
        keys: tuple[str, ...] = _ALL
    else:
        key = text(left.child_by_field_name("property"))
        keys = _WHOLE if text(left) == "module.exports" else (key,)
    if right is None:
        return
    if (found := _required(right)) is not None:
        yield _as_exported(node, found, keys)
        return
    for literal in _mixed(right) if right.type == "call_expression" else (right,):
        if literal.type != "object":
            if (found := _required(literal)) is not None:
                yield _as_exported(node, found, _ALL)
            continue
        for item in literal.named_children:
            value = item.child_by_field_name("value")
            if item.type == "spread_element" and item.named_children:
                value, keys = item.named_children[0], _ALL
            else:
                keys = (string_value(item.child_by_field_name("key")),)
            if (found := _required(value)) is not None:
                yield _as_exported(item, found, keys)


def _mixed(call: Node) -> list[Node]:
    """What `Object.assign(exports, …)` puts together."""
    arguments = call.child_by_field_name("arguments")
    if text(call.child_by_field_name("function")) != "Object.assign" or arguments is None:
        return []
    return arguments.named_children


def _as_exported(node: Node, found: tuple[str, str], keys: tuple[str, ...]) -> Import:
    """An export of what is required: all names of it, or what it is, under some keys."""
    module, taken = found
    names = tuple(("*" if key == "*" else taken, key) for key in keys)
    return Import(module=module, names=names, line=line(node), kind="reexport")


def _required(value: Node | None) -> tuple[str, str] | None:
    """The module that a value requires, and what of it (`=`: the whole): `require("./x").y`; also
    of a variable of the file that is declared so."""
    if value is None:
        return None
    if value.type == "identifier":
        return _declared(value)
    taken = value.child_by_field_name("property")
    call = value.child_by_field_name("object") if taken is not None else value
    if call is None or text(call.child_by_field_name("function")) != "require":
        return None
    arguments = call.child_by_field_name("arguments")
    literal = arguments.named_children[0] if arguments and arguments.named_children else None
    module = string_value(literal) if literal is not None and literal.type == "string" else ""
    return (module, text(taken) if taken is not None else "=") if module else None


def _declared(name: Node) -> tuple[str, str] | None:
    """What `const name = require(…)` at the top of the file requires."""
    root = name
    while root.parent is not None:
        root = root.parent
    for statement in root.named_children:
        if statement.type not in _DECLARATIONS:
            continue
        for each in statement.named_children:
            value = each.child_by_field_name("value")
            if value is None or value.type == "identifier":
                continue
            if text(each.child_by_field_name("name")) == text(name):
                return _required(value)
    return None


_DECLARATIONS = frozenset({"lexical_declaration", "variable_declaration"})


def _named_last(node: Node) -> tuple[str, Node | None]:
    """What several assignments in one statement give a value, and the value: the name by which the
    file knows it is of the variable that is declared (`const a = module.exports = …`), else the
    last of the names (`module.exports = internals.Box = class {}`); none where it is whole."""
    last, value = node, node.child_by_field_name("right")
    while value is not None and value.type == "assignment_expression":
        last, value = value, value.child_by_field_name("right")
    if value is not None and value.type == "identifier":
        return "", value
    around = node.parent
    while around is not None and around.type == "assignment_expression":
        around = around.parent
    if around is not None and around.type == "variable_declarator":
        name = around.child_by_field_name("name")
        if name is not None and name.type == "identifier":
            return text(name), value
    if last is node or value is None or value.child_by_field_name("name") is not None:
        return "", value
    return ".".join(container_names(text(last.child_by_field_name("left")))), value


def _whole_name(right: Node | None) -> str:
    """What defines a module's whole is known as in its file: a class or function by its own name,
    one that has none as what it is assigned to; nothing of what a call gives."""
    if right is None or right.type in ("object", "call_expression", "member_expression"):
        return ""
    if right.type == "identifier":
        return text(right)
    if right.type == "new_expression":
        return "exports"
    return text(right.child_by_field_name("name")) or "exports"
