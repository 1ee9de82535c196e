"""Which members are of a type itself and which of its values, by how they are written."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from msgspec.structs import replace

from surveyor.change.languages.reader import child_of, text
from surveyor.change.signatures import Arguments, Signature

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["static_misfit", "with_static"]

_MAX_CLIMB = 6
_MEMBERS = {
    "java": frozenset({"method_declaration"}),
    "csharp": frozenset({"method_declaration"}),
    "php": frozenset({"method_declaration"}),
    "javascript": frozenset({"method_definition"}),
    "typescript": frozenset({"method_definition"}),
    "ruby": frozenset({"method", "singleton_method"}),
    "cpp": frozenset({"field_declaration", "function_definition"}),
    "rust": frozenset({"function_item"}),
}
_BODIES = frozenset(
    {"class_body", "interface_body", "enum_body_declarations", "declaration_list",
     "field_declaration_list", "enum_declaration_list", "record_body"}
)  # fmt: skip
"""What the members of a type stand in; not those of objects."""
_NOT_BY_TYPE = frozenset({"java", "csharp", "php", "javascript", "typescript", "ruby", "cpp"})
"""Where a call through the type is refused of what belongs to a value."""
_NOT_BY_VALUE = frozenset({"csharp", "javascript", "typescript", "ruby", "rust"})
"""Where a call through a value is refused of what belongs to the type."""
_OF_BASES = frozenset({"php", "cpp"})
"""Where `Base::run()` within a type below runs what belongs to its values."""
_MAY_BE_EITHER = frozenset({"javascript", "typescript", "ruby"})
"""Where `this.run()` and `self.run()` stand in members of both kinds."""
_OWN = frozenset({"this", "self"})


def with_static(signature: Signature, name: Node, family: str) -> Signature:
    """A signature that says whether the member of this name is of the type itself."""
    node: Node | None = name
    kinds = _MEMBERS.get(family, frozenset())
    for _ in range(_MAX_CLIMB if kinds else 0):
        if node is None:
            break
        if node.type in kinds:
            is_static = _is_static(node, family)
            if is_static is None:
                break
            return replace(signature, is_static=int(is_static))
        node = node.parent
    return signature


def _is_static(member: Node, family: str) -> bool | None:
    """None where a member is of no class, or where that does not tell."""
    body = member.parent
    if family == "ruby":
        return _is_ruby_static(member)
    if body is None or body.type not in _BODIES:
        return None
    if family == "rust":
        listed = member.child_by_field_name("parameters")
        of_impl = body.parent is not None and body.parent.type == "impl_item"
        return child_of(listed, "self_parameter") is None if of_impl and listed else None
    if family == "csharp":
        listed = member.child_by_field_name("parameters")
        if listed is not None and text(listed).lstrip("( ").startswith("this "):
            return None  # it is called on what it extends
    name = member.child_by_field_name("name") or member.child_by_field_name("declarator")
    end = name.start_byte if name is not None else member.end_byte
    head = [each for each in member.children if each.start_byte < end]
    return any("static" in text(each).split() for each in head if _is_modifier(each))


def _is_modifier(node: Node) -> bool:
    return node.type == "static" or node.type.endswith(("modifier", "modifiers", "specifier"))


def _is_ruby_static(member: Node) -> bool | None:
    if member.type == "singleton_method":
        return True
    around = member.parent
    while around is not None and around.type not in ("class", "module", "singleton_class"):
        if around.type in ("block", "do_block", "method"):
            return None
        around = around.parent
    if around is None or around.type == "module":
        return None  # what includes it, or extends itself with it, decides
    return around.type == "singleton_class"


def static_misfit(
    family: str,
    before: Sequence[Signature],
    after: Sequence[Signature],
    arguments: Arguments,
    owner: str,
    *,
    is_in_type: bool,
) -> str | None:
    """Why a call does not fit a member that is of the type itself now and was not, or no more.

    `is_in_type`: it stands in a member of some type.
    """
    was, now = ({each.is_static for each in every} for every in (before, after))
    receiver = arguments.receiver.lstrip("*")
    if (was, now) == ({1}, {0}) and family in _NOT_BY_TYPE and receiver == owner:
        may_be_base = is_in_type and family in _OF_BASES
        return None if may_be_base else "calls through the type what is of its values now"
    if (was, now) != ({0}, {1}) or family not in _NOT_BY_VALUE:
        return None
    if not receiver or not receiver[0].islower() or not owner[:1].isupper():
        return None
    if receiver in _OWN and family in _MAY_BE_EITHER:
        return None
    return "calls on a value what is of the type now"
