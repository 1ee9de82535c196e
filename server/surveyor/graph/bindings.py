"""What a name is bound to: declared types and values, reduced to dotted expressions.

The small language of these expressions is the same for all languages: `a.b` a name, `f()` the
result of a call or of a construction, `<T>` an instance of T, `?x` something unknown called x,
`{a.b}` a definition that is local to a function of the file, `!x` a fixture of pytest.
`::`, `->`, `?.` and `$` of the source become dots or vanish.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["Binding", "bindings_of", "expression_of", "type_name"]


class Binding(NamedTuple):
    """A name and what it is bound to (empty when that says nothing)."""

    node: Node
    value: str
    is_attribute: bool = False
    """Made by assignment to an attribute of self, so it may have no declaration."""
    is_field: bool = False
    """Declared in a class body or as a parameter that becomes a field."""
    key: Node | None = None
    """Where a value is taken apart (`{ key: node }`): the name of the member, used here …"""
    owner: str = ""
    """… of this value."""


_TRANSPARENT = re.compile(
    r"^(?:typing\.|t\.|std::|core::|alloc::|sync::|rc::|boxed::|memory::|\w+::)*"
    r"(?:Optional|Final|ClassVar|Annotated|Awaitable|Coroutine|AsyncGenerator|AsyncIterator|"
    r"Generator|Iterator|Promise|Task|ValueTask|Readonly|"
    r"Partial|Required|NonNullable|Box|Rc|Arc|Option|Result|RefCell|Mutex|RwLock|Pin|Ref|"
    r"unique_ptr|shared_ptr|weak_ptr|Type|type|Self)\s*[\[<](.*)[\]>]$",
    re.DOTALL,
)
"""Wrappers that an access usually goes through to what they hold."""
_NOTHING_WORDS = """
None null undefined nil void any unknown never object str int float bool bytes string number boolean
dict list set tuple error char double long short byte u8 u16 u32 u64 i8 i16 i32 i64 usize isize f32
f64 String Vec auto var let mixed array callable iterable false true
"""
_NOTHING = frozenset(_NOTHING_WORDS.split())
_PREFIX = re.compile(
    r"^(?::\s*|->\s*|&'?\w*\s+|[&*]+\s*|'\w+\s+|mut\s+|const\s+|dyn\s+|impl\s+|ref\s+|out\s+|in\s+|"
    r"struct\s+|enum\s+|union\s+|class\s+|readonly\s+|final\s+|static\s+|\?\s*|params\s+|async\s+|"
    r"asserts\s+|unsafe\s+|volatile\s+|\[\]\s*[*&]*(?=$))"
)
_NAME = re.compile(r"^[A-Za-z_$][\w$]*(?:(?:\.|::|\\)[A-Za-z_$][\w$]*)*")
_CHAIN = re.compile(r"^[\w$@!]+(?:\(\))?(?:\.[\w$!]+(?:\(\))?)*$")


REMEMBERED = 4096
"""Texts of types and values whose meaning is kept: code says `list[str]` more than once."""


@lru_cache(REMEMBERED)
def type_name(text: str) -> str:
    """The class that a type annotation is about, dotted; empty when there is none."""
    text = text.strip().strip("\"'")
    for _ in range(8):
        before = text
        if match := _PREFIX.match(text):
            text = text[match.end() :].strip()
        text = text.strip("\"' ").rstrip("?*& !")
        if match := _TRANSPARENT.match(text):
            text = _split(match[1], ",")[-1 if "Coroutine" in text[:16] else 0]
        if text[:1] == "(" and text[-1:] == ")":
            text = _split(text[1:-1], ",")[0]
        parts = [part for part in _split(text, "|") if part.strip() not in _NOTHING]
        if len(parts) == 1:
            text = parts[0].strip()
        elif len(parts) != 1:
            text = parts[0].strip() if parts else ""
        if text == before:
            break
    match = _NAME.match(text)
    if match is None or (text.endswith("]") and not text[match.end() :].startswith("[")):
        return ""
    name = match[0].replace("::", ".").replace("\\", ".")
    rest = text[match.end() :].strip()
    if rest and rest[0] not in "<[{*&":
        return ""
    if rest.startswith("[]"):
        return ""
    return "" if name in _NOTHING else name


def _split(text: str, separator: str) -> list[str]:
    """Splits at a separator outside of all brackets."""
    parts, depth, start = [], 0, 0
    for index, character in enumerate(text):
        if character in "[(<{":
            depth += 1
        elif character in "])}" or (character == ">" and text[index - 1 : index] not in ("-", "=")):
            depth -= 1
        elif character == separator and depth == 0:
            parts.append(text[start:index])
            start = index + 1
    parts.append(text[start:])
    return parts


def _instance(node: Node | None) -> str:
    if node is None:
        return ""
    name = type_name(_text(node))
    return f"<{name}>" if name else ""


def _text(node: Node) -> str:
    text = node.text
    return text.decode("utf-8", "replace") if text else ""


_CALLS = frozenset(
    {"call", "call_expression", "method_invocation", "invocation_expression",
     "function_call_expression", "member_call_expression", "scoped_call_expression",
     "nullsafe_member_call_expression"}
)  # fmt: skip
_WRAPPERS = frozenset(
    {"await", "await_expression", "parenthesized_expression", "unary_expression", "try_expression",
     "reference_expression", "non_null_expression", "expression_list", "pointer_expression",
     "as_pattern", "satisfies_expression"}
)  # fmt: skip
_CASTS = frozenset({"cast_expression", "as_expression", "type_cast_expression"})
_NAMES = frozenset(
    {"identifier", "attribute", "member_expression", "selector_expression", "field_expression",
     "scoped_identifier", "field_access", "member_access_expression", "qualified_identifier",
     "constant", "scope_resolution", "instance_variable", "variable_name", "self", "this", "name",
     "type_identifier", "qualified_name"}
)  # fmt: skip
_NEW = frozenset(
    {"new_expression", "object_creation_expression", "struct_expression", "composite_literal",
     "compound_literal_expression"}
)  # fmt: skip


@lru_cache(REMEMBERED)
def normal(text: str) -> str:
    """An expression as a dotted chain with `()` for calls; empty when it is anything else."""
    if len(text) > 200:
        return ""
    text = re.sub(r"\s+", "", text)
    while "(" in text:
        reduced = re.sub(r"\([^()]+\)", "()", text)
        if reduced == text:
            break
        text = reduced
    text = text.replace("?.", ".").replace("::", ".").replace("->", ".").replace("\\", ".")
    text = re.sub(r"\.?<[^<>()]*>", "", text).replace("$", "").lstrip("&*.")
    if text.startswith("@"):
        text = "self." + text.lstrip("@")
    return text if _CHAIN.match(text) else ""


def expression_of(node: Node | None, depth: int = 0) -> str:
    """A value reduced to a dotted expression; empty when it says nothing about a type."""
    if node is None or depth > 4:
        return ""
    kind = node.type
    if kind in _NAMES:
        return normal(_text(node))
    if kind in _NEW:
        target = (
            node.child_by_field_name("constructor")
            or node.child_by_field_name("type")
            or node.child_by_field_name("name")
            or next((child for child in node.named_children if child.type in _NAMES), None)
        )
        return _instance(target)
    if kind in _CALLS:
        text = normal(_call_text(node))
        if kind == "call" and text.endswith(".new()"):  # Ruby
            return f"<{text[:-6]}>"
        return text
    if kind in _CASTS:
        return _instance(
            node.child_by_field_name("type") or next(iter(reversed(node.named_children)), None)
        )
    if kind in _WRAPPERS:
        for child in node.named_children:
            if found := expression_of(child, depth + 1):
                return found
    return ""


def _call_text(node: Node) -> str:
    arguments = node.child_by_field_name("arguments")
    source = _text(node)
    if arguments is None:
        return source if source.endswith(")") else source + "()"
    head = (
        source[: len(source) - len(_text(arguments))] if arguments.end_byte == node.end_byte else ""
    )
    return head + "()" if head else source


_FIELDS = frozenset(
    {"public_field_definition", "property_signature", "field_definition", "property_declaration",
     "property_promotion_parameter"}
)  # fmt: skip


def bindings_of(node: Node, language: str) -> Iterator[Binding]:
    """The names that a `@bind` node gives a type or a value.

    Field names differ little between grammars, so one reader serves all languages; what is
    particular to one is asked for by node type.
    """
    kind = node.type
    field = node.child_by_field_name
    if language == "python":
        yield from _python(node, kind)
    elif kind in ("short_var_declaration", "assignment", "assignment_expression"):
        left, right = field("left"), field("right")
        if left is None or right is None:
            return
        lefts = left.named_children if left.type == "expression_list" else [left]
        rights = right.named_children if right.type == "expression_list" else [right]
        for index, target in enumerate(lefts):
            source = rights[index] if len(rights) == len(lefts) else rights[0]
            if index and len(rights) != len(lefts):
                break  # only the first of several results has the type we know
            yield from _target(target, expression_of(source))
    elif kind == "type_alias_declaration":
        name, value = field("name"), field("value")
        if name is not None and value is not None and value.type != "object_type":
            yield Binding(name, _instance(value))
    elif kind == "variable_declaration" and language == "csharp":
        declared = _instance(field("type"))
        is_field = node.parent is not None and node.parent.type == "field_declaration"
        for child in node.named_children:
            name = (
                child.child_by_field_name("name") if child.type == "variable_declarator" else None
            )
            if name is not None:
                value = child.named_children[-1] if len(child.named_children) > 1 else None
                yield Binding(name, declared or expression_of(value), is_field=is_field)
    elif kind in ("local_variable_declaration", "field_declaration", "declaration") or (
        kind == "parameter_declaration" and language in ("c", "cpp")
    ):
        yield from _declaration(node, kind, language)
    else:
        name = field("name") or field("pattern") or field("property") or field("left")
        if kind == "optional_parameter_declaration":
            name = field("declarator")
        if kind == "property_declaration" and language == "php":
            element = next((c for c in node.named_children if c.type == "property_element"), None)
            name = element.child_by_field_name("name") if element else None
        if name is None:
            return
        if name.type == "object_pattern":
            whole = _instance(field("type")) or expression_of(field("value"))
            yield from _taken_apart(name, whole)
            return
        inner = _inner(name)
        if inner is None:
            return
        name = inner
        bound = _instance(field("type")) or expression_of(field("value"))
        is_field = kind in _FIELDS or any(
            child.type in ("accessibility_modifier", "readonly") for child in node.children[:2]
        )
        if kind == "property_promotion_parameter":
            yield Binding(name, bound)
            yield Binding(name, bound, is_attribute=True)
        else:
            is_parameter = kind.endswith("_parameter")
            if is_field:
                yield Binding(name, bound, is_attribute=is_parameter, is_field=True)
            if not is_field or is_parameter:
                yield Binding(name, bound)
        if language == "go" and kind in ("parameter_declaration", "var_spec"):
            for other in node.children_by_field_name("name")[1:]:
                yield Binding(other, bound)


def _taken_apart(pattern: Node, whole: str) -> Iterator[Binding]:
    """`const { a, b: c, d = 1, e: { f } } = whole`: members of a value as local names."""
    if whole in ("", "require()", "import()"):  # an import has been read as such
        return
    for child in pattern.named_children:
        local: Node | None = child
        key: Node | None = child
        if child.type == "object_assignment_pattern":
            local = key = child.child_by_field_name("left")
        elif child.type == "pair_pattern":
            key, local = child.child_by_field_name("key"), child.child_by_field_name("value")
            if local is not None and local.type == "assignment_pattern":
                local = local.child_by_field_name("left")
        if key is None or local is None or key.type not in _KEYS:
            continue
        member = f"{whole}.{_text(key)}"
        if local.type == "object_pattern":
            yield Binding(key, "", key=key, owner=whole)
            yield from _taken_apart(local, member)
        else:
            yield Binding(local, member, key=key, owner=whole)


_KEYS = frozenset({"shorthand_property_identifier_pattern", "property_identifier"})


def _target(target: Node, value: str) -> Iterator[Binding]:
    """The left side of an assignment: a local name or an attribute of self."""
    if target.type in ("identifier", "constant"):
        yield Binding(target, value)
    elif target.type == "variable_name":
        name = target.named_children[0] if target.named_children else None
        if name is not None:
            yield Binding(name, value)
    elif target.type == "instance_variable":
        yield Binding(target, value, is_attribute=True)
    elif target.type in ("member_expression", "member_access_expression", "attribute"):
        owner = target.child_by_field_name("object")
        name = (
            target.child_by_field_name("property")
            or target.child_by_field_name("attribute")
            or target.child_by_field_name("name")
        )
        if owner is not None and name is not None and _text(owner).lstrip("$") in _RECEIVERS:
            yield Binding(name, value, is_attribute=True)


_RECEIVERS = frozenset({"self", "this", "cls"})


def _python(node: Node, kind: str) -> Iterator[Binding]:
    field = node.child_by_field_name
    if kind == "assignment":
        left = field("left")
        if left is None:
            return
        value = _instance(field("type")) or expression_of(field("right"))
        parent = node.parent
        if parent is not None and parent.type == "expression_statement":
            parent = parent.parent
        holder = parent.parent if parent is not None and parent.type == "block" else None
        if left.type == "identifier" and holder is not None and holder.type == "class_definition":
            yield Binding(left, value, is_field=True)
        else:
            yield from _target(left, value)
    elif kind == "as_pattern":
        alias = field("alias")
        if alias is not None and alias.named_children:
            yield Binding(alias.named_children[0], expression_of(node.named_children[0]))
    else:
        name = field("name") or (node.named_children[0] if node.named_children else None)
        if name is not None and name.type == "identifier":
            yield Binding(name, _instance(field("type")))


def _declaration(node: Node, kind: str, language: str) -> Iterator[Binding]:
    """`Type a = 1, *b;` of C, C++ and Java."""
    field = node.child_by_field_name
    declared = _instance(field("type"))
    is_field = kind == "field_declaration"
    if language in ("go", "rust"):
        for name in node.children_by_field_name("name"):
            yield Binding(name, declared, is_field=True)
        return
    for declarator in node.children_by_field_name("declarator"):
        value = declared or expression_of(declarator.child_by_field_name("value"))
        inner = _inner(declarator)
        if inner is not None:
            yield Binding(inner, value, is_field=is_field)


def _inner(node: Node) -> Node | None:
    """The identifier inside declarators and `mut` patterns."""
    for _ in range(6):
        if node.type in ("identifier", "field_identifier", "property_identifier", "name",
                         "private_property_identifier"):  # fmt: skip
            return node
        if node.type == "function_declarator" or (
            "pattern" in node.type and node.type != "mut_pattern"
        ):
            return None
        inner = node.child_by_field_name("declarator") or node.child_by_field_name("name")
        if inner is None:
            named = node.named_children
            if not named or node.type not in (
                "mut_pattern", "reference_declarator", "variable_name", "variable_declarator",
            ):  # fmt: skip
                return None
            inner = named[-1] if node.type == "mut_pattern" else named[0]
        node = inner
    return None
