"""What types declare, by the syntax tree: which members they leave to the types below, which they
have, and what else they extend."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from surveyor.change.jobs import DeclaredType, TypeMember
from surveyor.change.languages.reader import child_of, text
from surveyor.parsing.source import Utf16Columns

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["declared_type", "is_left_to_others"]

_MAX_CLIMB = 8
"""Nodes between the name of a base, or of a member, and the type that is declared."""
_BODIES = ("class_body", "interface_body", "enum_body", "enum_class_body", "declaration_list",
           "enum_declaration_list", "field_declaration_list", "block")  # fmt: skip
_GROUPS = frozenset({"enum_body_declarations", "decorated_definition"})
"""Nodes of a body around members."""
_NAME_TYPES = ("simple_identifier", "field_identifier", "identifier")
_OVERRIDE = re.compile(rb"(?:^|[\s@\\\[.])[Oo]verride\b")
_ABSTRACT = re.compile(rb"\b(?:abstract|sealed)\b")
_ELSEWHERE = re.compile(rb"\b(?:native|external|expect|extern|partial|declare)\b")
"""What has its body in another place."""
_ABSTRACT_METHOD = re.compile(rb"@\s*(?:\w+\.)*abstract(?:class|static)?method\b")
_ABSTRACT_CLASS = re.compile(rb"\b(?:ABC|ABCMeta|Protocol)\b")
_PYTHON_PLAIN = frozenset({"ABC", "Generic", "Protocol", "object"})
_INTERFACE_OF_CSHARP = re.compile(r"(?:\w+\.)*I[A-Z]\w*(?:<.*)?$", re.DOTALL)

_QUALIFIED = frozenset(
    {"scoped_type_identifier", "qualified_name", "qualified_identifier", "attribute", "user_type",
     "nested_type_identifier", "member_expression", "namespace_name", "alias_qualified_name"}
)  # fmt: skip
_IS_NO_BASE = re.compile(
    r".*(?:argument|parameter|param$)|.*_body$|.*modifier|annotation$|attribute_list$|decorator$"
    r"|permits$|where_clause$|type_projection$|block$|field_declaration_list$|declaration_list$"
    r"|comment$|primitive_type$|access_specifier$|virtual_specifier$|call_expression$"
).match
"""Nodes of a head that name no base."""

_Leaves = Callable[["Node"], bool]


def _before(node: Node, end: int) -> bytes:
    return (node.text or b"")[: max(0, end - node.start_byte)]


def _head(node: Node) -> bytes:
    """What stands before the body of a definition."""
    body = _body_of(node)
    return _before(node, body.start_byte if body is not None else node.end_byte)


def _body_of(node: Node) -> Node | None:
    return node.child_by_field_name("body") or child_of(node, *_BODIES, "function_body")


def _has_token(node: Node, token: str) -> bool:
    return any(child.type == token for child in node.children)


_CLASSES = frozenset({"class_declaration", "abstract_class_declaration"})


# --- members that types below have to have ------------------------------------------------------


def _java_leaves(member: Node) -> bool:
    is_open = member.type == "method_declaration" and _body_of(member) is None
    return is_open and _ELSEWHERE.search(_before_name(member)) is None


def _kotlin_leaves(member: Node) -> bool:
    is_open = member.type == "function_declaration" and _body_of(member) is None
    if not is_open or _ELSEWHERE.search(before := _before_name(member)) is not None:
        return False
    return _ABSTRACT.search(before) is not None or not _is_in_expected(member)


def _is_in_expected(member: Node) -> bool:
    """Whether a member stands in a Kotlin class whose bodies are in another place."""
    around, nearest = member.parent, True
    while around is not None:
        if around.type in ("class_declaration", "object_declaration", "companion_object"):
            if nearest and _has_token(around, "interface"):
                return False
            nearest = False
            if _ELSEWHERE.search(_before_name(around)) is not None:
                return True
        around = around.parent
    return False


def _csharp_leaves(member: Node) -> bool:
    return _java_leaves(member)


def _php_leaves(member: Node) -> bool:
    return member.type == "method_declaration" and _body_of(member) is None


def _typescript_leaves(member: Node) -> bool:
    if member.type == "abstract_method_signature":
        return True
    around = member.parent
    is_of_interface = around is not None and around.type in ("interface_body", "object_type")
    if around is not None and is_of_interface and _is_merged(around.parent):
        return False
    if member.type == "property_signature":
        annotation = child_of(member, "type_annotation")
        if annotation is None or child_of(annotation, "function_type") is None:
            return False
    elif member.type != "method_signature":
        return False
    return is_of_interface and not _has_token(member, "?")


def _is_merged(interface: Node | None) -> bool:
    """Whether an interface says more of a class of its name: what it has the class has, by whatever
    gives it that."""
    named = interface.child_by_field_name("name") if interface is not None else None
    around = interface.parent if interface is not None else None
    while around is not None and around.type == "export_statement":
        around = around.parent
    if named is None or around is None:
        return False
    beside = (each.child_by_field_name("declaration") or each for each in around.named_children)
    return any(
        each.type in _CLASSES and text(each.child_by_field_name("name")) == text(named)
        for each in beside
    )


def _rust_leaves(member: Node) -> bool:
    body = member.parent
    around = body.parent if body is not None else None
    is_of_trait = around is not None and around.type == "trait_item"
    return member.type == "function_signature_item" and is_of_trait


def _cpp_leaves(member: Node) -> bool:
    return (
        member.type == "field_declaration"
        and text(member.child_by_field_name("default_value")) == "0"
        and _function_declarator(member) is not None
    )


def _go_leaves(member: Node) -> bool:
    return member.type in ("method_elem", "method_spec")


def _python_leaves(member: Node) -> bool:
    around = member.parent
    if member.type != "function_definition" or around is None:
        return False
    return around.type == "decorated_definition" and bool(
        _ABSTRACT_METHOD.search(_before(around, member.start_byte))
    )


# --- types --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Types:
    """How one family of languages declares types."""

    leaves: _Leaves
    """Whether a member is left to the types below."""
    members: frozenset[str]
    """Nodes that may be such."""
    nodes: frozenset[str] = frozenset()
    """Nodes that declare a type, or implement one."""
    abstract_nodes: frozenset[str] = frozenset()
    """Of these, those that need not have what the types above require."""
    base_classes: tuple[str, ...] = ()
    """Nodes around a base that may have members itself."""
    is_overriding: bool = False
    """Whether each member of what implements something has to be one of that."""


_JVM_LIKE = ("superclass", "constructor_invocation", "explicit_delegation")
_TYPES: dict[str, _Types] = {
    "java": _Types(
        _java_leaves,
        frozenset({"method_declaration"}),
        frozenset({"class_declaration", "interface_declaration", "enum_declaration",
                   "record_declaration", "object_creation_expression"}),
        frozenset({"interface_declaration"}),
        _JVM_LIKE,
    ),
    "kotlin": _Types(
        _kotlin_leaves,
        frozenset({"function_declaration"}),
        frozenset({"class_declaration", "object_declaration", "object_literal",
                   "companion_object"}),
        base_classes=_JVM_LIKE,
    ),
    "csharp": _Types(
        _csharp_leaves,
        frozenset({"method_declaration"}),
        frozenset({"class_declaration", "interface_declaration", "struct_declaration",
                   "record_declaration", "record_struct_declaration"}),
        frozenset({"interface_declaration"}),
    ),
    "php": _Types(
        _php_leaves,
        frozenset({"method_declaration"}),
        frozenset({"class_declaration", "interface_declaration", "enum_declaration",
                   "trait_declaration", "anonymous_class"}),
        frozenset({"interface_declaration", "trait_declaration"}),
        ("base_clause", "use_declaration"),
    ),
    "typescript": _Types(
        _typescript_leaves,
        frozenset({"method_signature", "abstract_method_signature", "property_signature"}),
        frozenset({"class_declaration", "abstract_class_declaration", "interface_declaration",
                   "class"}),
        frozenset({"interface_declaration", "abstract_class_declaration"}),
        ("extends_clause",),
    ),
    "rust": _Types(
        _rust_leaves,
        frozenset({"function_signature_item"}),
        frozenset({"impl_item", "trait_item"}),
        frozenset({"trait_item"}),
        is_overriding=True,
    ),
    "cpp": _Types(
        _cpp_leaves,
        frozenset({"field_declaration"}),
        frozenset({"class_specifier", "struct_specifier"}),
        base_classes=("base_class_clause",),
    ),
    "go": _Types(_go_leaves, frozenset({"method_elem", "method_spec"})),
    "python": _Types(
        _python_leaves,
        frozenset({"function_definition"}),
        frozenset({"class_definition"}),
        base_classes=("argument_list",),
    ),
}  # fmt: skip


def is_left_to_others(name: Node, family: str) -> bool:
    """Whether the member of this name has no body, so that types below have to have it."""
    types = _TYPES.get(family)
    node: Node | None = name
    for _ in range(_MAX_CLIMB if types is not None else 0):
        if node is None or types is None:
            return False
        if node.type in types.members:
            return types.leaves(node)
        if node.type in types.nodes:
            return False
        node = node.parent
    return False


def declared_type(base: Node, family: str, columns: Utf16Columns) -> DeclaredType | None:
    """The type in whose head a base is named; None where it is named anywhere else."""
    types = _TYPES.get(family)
    node: Node | None = base
    inside: list[str] = []
    for _ in range(_MAX_CLIMB if types is not None else 0):
        if node is None or types is None:
            return None
        if node.type in types.nodes:
            return _declared(node, base, inside, family, types, columns)
        inside.append(node.type)
        node = node.parent
    return None


def _declared(
    node: Node, base: Node, inside: list[str], family: str, types: _Types,
    columns: Utf16Columns,
) -> DeclaredType | None:  # fmt: skip
    body = _body_of(node)
    is_anonymous = node.type == "object_creation_expression"
    if (is_anonymous and body is None) or "type_arguments" in inside or "type_projection" in inside:
        return None
    if body is not None and base.start_byte >= body.start_byte and "use_declaration" not in inside:
        return None
    if family == "rust" and node.type == "impl_item":
        trait = node.child_by_field_name("trait")
        if trait is None or not trait.start_byte <= base.start_byte < trait.end_byte:
            return None
        named = node.child_by_field_name("type")
    else:
        named = node.child_by_field_name("name") or child_of(node, "type_identifier")
    at = named or base
    members = [_member(each, types, columns, family) for each in _members(body)]
    row, byte = at.start_point
    head = _before(node, base.start_byte) if is_anonymous else _head(node)
    is_abstract = node.type in types.abstract_nodes or _ABSTRACT.search(head) is not None
    if family == "kotlin":
        is_abstract = is_abstract or _has_token(node, "interface")
    if family == "python":
        is_abstract = _ABSTRACT_CLASS.search(head) is not None
    listed = [each for each in members if each is not None]
    if family == "cpp" or (family == "python" and not is_abstract):
        is_abstract = any(
            types.leaves(each) for each in _definitions(body) if each.type in types.members
        )
    return DeclaredType(
        _plain(text(named)) if named is not None else "",
        row + 1,
        columns.of(at.start_byte, byte),
        is_abstract,
        _is_open(node, body, family),
        list(_bases(node, body, family, types, columns)),
        [*listed, *_from_head(node, family, columns)],
    )


def _plain(name: str) -> str:
    return re.split(r"[<(\s]", name, maxsplit=1)[0].rpartition("::")[2]


def _delegates(node: Node, body: Node | None) -> bool:
    """Whether a Kotlin type has members by another value; `by other {`, which its grammar reads as
    a call, is blank in what is parsed."""
    bases = [each for each in node.named_children if each.type == "delegation_specifier"]
    if not bases:
        return False
    end = body.start_byte if body is not None else node.end_byte
    head = (node.text or b"")[bases[0].start_byte - node.start_byte : end - node.start_byte]
    return re.search(rb"\sby\s|\S {5,}$", head) is not None


def _is_open(node: Node, body: Node | None, family: str) -> bool:
    """Whether something that is not written as a member may stand for one."""
    if family == "kotlin":
        return _delegates(node, body) or (
            body is not None and body.type == "enum_class_body" and _has_own_bodies(body)
        )
    if family == "java":
        return body is not None and body.type == "enum_body" and _has_own_bodies(body)
    if family == "rust":  # what a macro defines
        return body is not None and child_of(body, "macro_invocation") is not None
    return False


def _has_own_bodies(body: Node) -> bool:
    """Whether members of an enum have bodies of their own."""
    return any(
        _body_of(each) is not None
        for each in body.named_children
        if each.type in ("enum_constant", "enum_entry")
    )


def _bases(
    node: Node, body: Node | None, family: str, types: _Types, columns: Utf16Columns
) -> Iterator[tuple[int, int, bool]]:
    """Where names of types stand in the head, or as PHP's traits; and whether what each names may
    have members of its own."""
    if family == "rust":
        return
    own = node.child_by_field_name("name") or child_of(node, "type_identifier")
    end = body.start_byte if body is not None else node.end_byte
    waiting = [(each, False) for each in node.named_children if each.start_byte < end]
    if family == "php" and body is not None:
        waiting += [(each, False) for each in body.named_children if each.type == "use_declaration"]
    while waiting:
        each, is_class = waiting.pop()
        is_class = is_class or each.type in types.base_classes
        if each == own or (each.type not in types.base_classes and _IS_NO_BASE(each.type)):
            continue
        if each.named_child_count:
            parts = [part for part in each.named_children if not _IS_NO_BASE(part.type)]
            parts = parts[:1] if each.type == "subscript" else parts
            waiting += [(part, is_class) for part in (parts[-1:] if _names(each) else parts)]
            continue
        name = text(each)
        if not each.type.endswith(("identifier", "name")):
            continue
        if family == "python" and name in _PYTHON_PLAIN:
            continue
        may = is_class or (family == "csharp" and _INTERFACE_OF_CSHARP.match(name) is None)
        row, byte = each.start_point
        yield row + 1, columns.of(each.start_byte, byte), may


def _names(node: Node) -> bool:
    """Whether a node is one name of several parts."""
    return node.type in _QUALIFIED


def _definitions(body: Node | None) -> Iterator[Node]:
    for each in body.named_children if body is not None else ():
        if each.type in _GROUPS:
            yield from each.named_children
        else:
            yield each


def _members(body: Node | None) -> Iterator[Node]:
    return (each for each in _definitions(body) if "comment" not in each.type)


def _member(node: Node, types: _Types, columns: Utf16Columns, family: str) -> TypeMember | None:
    name = _name_of(node)
    if name is None:
        return None
    head = _before_name(node)
    if family == "cpp":
        head += (node.text or b"")[name.end_byte - node.start_byte :].partition(b"{")[0]
    around = node.parent
    if around is not None and around.type == "decorated_definition":
        head = _before(around, node.start_byte) + head
    is_override = types.is_overriding or _OVERRIDE.search(head) is not None
    if family == "csharp" and child_of(node, "explicit_interface_specifier") is not None:
        is_override = True
    row, byte = name.start_point
    return TypeMember(
        text(name).strip("`").lstrip("$#"), row + 1, columns.of(name.start_byte, byte), is_override,
        types.leaves(node),
    )  # fmt: skip


def _name_of(node: Node) -> Node | None:
    named = node.child_by_field_name("name") or child_of(node, *_NAME_TYPES)
    if named is not None:
        return named
    inner = _function_declarator(node) or node.child_by_field_name("declarator")
    for _ in range(_MAX_CLIMB):
        if inner is None:
            break
        if inner.named_child_count == 0 or inner.type in ("operator_name", "destructor_name"):
            return inner
        inner = inner.child_by_field_name("declarator") or inner.child_by_field_name("name")
    variable = child_of(node, "variable_declaration")  # Kotlin's properties
    return child_of(variable, "simple_identifier") if variable is not None else None


def _function_declarator(node: Node) -> Node | None:
    inner = node.child_by_field_name("declarator")
    for _ in range(_MAX_CLIMB):
        if inner is None or inner.type == "function_declarator":
            return inner
        inner = inner.child_by_field_name("declarator") or child_of(inner, "function_declarator")
    return None


def _before_name(node: Node) -> bytes:
    name = _name_of(node)
    return _before(node, name.start_byte if name is not None else node.end_byte)


def _from_head(node: Node, family: str, columns: Utf16Columns) -> Iterator[TypeMember]:
    """Members that the head of a type declares: components of Java's records."""
    listed = node.child_by_field_name("parameters") if family == "java" else None
    for each in listed.named_children if listed is not None else ():
        name = each.child_by_field_name("name")
        if name is not None:
            row, byte = name.start_point
            yield TypeMember(text(name), row + 1, columns.of(name.start_byte, byte))
