"""Uses that are not a name on its own: what runs unnamed, what is taken apart, what is given."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from msgspec import structs

from surveyor.graph.expressions.bindings import GivenTo, Qualifier
from surveyor.graph.expressions.grammar import print_qualifier
from surveyor.graph.expressions.keys import CALLED
from surveyor.graph.expressions.model import Expression, Name
from surveyor.graph.extract.file_bindings import FileBindings
from surveyor.graph.extract.file_definitions import FileDefinitions
from surveyor.graph.extract.written_types import expression_of, text_of
from surveyor.graph.languages.readers import NAMED_BARE
from surveyor.parsing.types import Reference

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = [
    "add_constructed",
    "add_formatted",
    "add_given",
    "add_run",
    "add_taken_apart",
    "commands_in_text",
    "implied_use",
    "plain_use",
    "quoted_types",
]

_SELF = Expression(Name("self"))
_HERE = Expression(Name("__MODULE__"))


def add_run(
    definitions: FileDefinitions, captures: dict[str, list[Node]], references: list[Reference]
) -> None:
    """What runs without being named: what a value holds that is called, and special methods."""
    scopes = definitions.scopes
    for node in captures.get("called", ()):
        value = definitions.shapes.named(expression_of(node))
        scope = scopes.at(node.start_byte)
        if value is None or scopes.is_of_block(value, scope, node.start_byte):
            continue
        if not (called := definitions.substitute(value, scope)).is_unknown:
            references.append(implied_use(definitions, _running(node), CALLED, called))
    implied = definitions.traits.implied
    for node in captures.get("implied", ()) if implied is not None else ():
        for place, owner, name in implied(node):  # type: ignore[misc]
            value = definitions.shapes.named(owner)
            of = definitions.substitute(value, scopes.at(place.start_byte)) if value else None
            if of is None or of.is_unknown:
                continue
            if _is_named(place, name):
                references.append(_named_in_text(definitions, place, name, of))
            else:
                references.append(implied_use(definitions, place, name, of))


def _is_named(place: Node, name: str) -> bool:
    """Whether a name stands there as text: `box.send(:open)`, `[$this, 'open']`,
    `patch("pkg.core.load")`; or its module does (`resources "/boxes", BoxController`)."""
    written = text_of(place).removeprefix(":")
    return (
        written == name
        or place.type == _MODULE
        or (place.type in _TEXTS and written.endswith(name))
    )


def add_taken_apart(
    definitions: FileDefinitions, bindings: FileBindings, references: list[Reference]
) -> None:
    """Members that values are taken apart into."""
    values: dict[tuple[int, int], Expression] = {}
    for node, whole, scope in bindings.taken:
        value: Expression | None = None
        if whole is not None:  # the keys of one literal have one object
            value = values.get((id(whole), scope))
            if value is None:
                value = values[id(whole), scope] = definitions.substitute(whole, scope)
        if value is None or not value.is_unknown:
            references.append(plain_use(definitions, node, value))


def add_given(
    definitions: FileDefinitions, captures: dict[str, list[Node]], references: list[Reference]
) -> None:
    """Names of arguments that may be fields of what the call makes."""
    given_to = definitions.traits.given_to
    if given_to is None:
        return
    for node in captures.get("given", ()):
        if (made := given_to(node)) is None:
            continue
        value = definitions.substitute(made, definitions.scopes.at(node.start_byte))
        if not value.is_unknown:
            references.append(plain_use(definitions, node, GivenTo(value), "write"))


def add_formatted(
    definitions: FileDefinitions, captures: dict[str, list[Node]], references: list[Reference]
) -> None:
    """Constants that texts name which are filled in: `println!("{LIMIT}")` of Rust."""
    scopes = definitions.scopes
    for node in captures.get("formatted", ()):
        written = node.text or b""
        if b"{" not in written or node.start_point[0] != node.end_point[0]:
            continue
        for found in _FILLED_IN.finditer(written):
            name = found[1].decode()
            if scopes.binding(name, scopes.at(node.start_byte)) is not None:
                continue
            row, byte_column = node.start_point
            columns = definitions.columns(row, byte_column + found.start(1), len(found[1]))
            around = definitions.enclosing.at(row + 1, columns[0])
            references.append(Reference(name, "read", row + 1, *columns, "", around))


_FILLED_IN = re.compile(rb"(?<!\{)\{([A-Z]\w*)[:}]")
"""A name in capitals, which is no variable of a function: `{LIMIT}`, `{LIMIT:>3}`."""


def add_constructed(
    definitions: FileDefinitions, captures: dict[str, list[Node]], references: list[Reference]
) -> None:
    """Constructors that another one runs: `super(1)` and `this(1)` of Java and Kotlin."""
    for call in captures.get("delegates", ()):
        word = next((child for child in call.children if text_of(child) in ("super", "this")), None)
        made = _constructed(call, of_base=word is not None and text_of(word) == "super")
        if word is not None and made is not None:
            used = plain_use(definitions, word, None, "call")
            references.append(structs.replace(used, name=text_of(made)))


def _constructed(call: Node, *, of_base: bool) -> Node | None:
    """The name of the class around a constructor, or of what that extends."""
    around = call.parent
    while around is not None and around.type not in _CLASSES:
        if around.type in _WITHOUT_CONSTRUCTORS:
            return None
        around = around.parent
    if around is None:
        return None
    name = around.child_by_field_name("name") or next(
        (child for child in around.named_children if child.type == "type_identifier"), None
    )
    if not of_base:
        return name
    base = around.child_by_field_name("superclass") or next(
        (child for child in around.named_children if child.type == "delegation_specifier"), None
    )
    return _last_type(base) if base is not None else None


def _last_type(node: Node) -> Node | None:
    """The last name of the type that a node begins with: of `shapes.Box<T>` it is `Box`."""
    found: Node | None = None
    for child in node.named_children:
        if child.type == "type_identifier":
            found = child
        elif child.type not in ("type_arguments", "value_arguments") and found is None:
            found = _last_type(child)
    return found


_CLASSES = frozenset({"class_declaration", "enum_declaration", "record_declaration"})
_WITHOUT_CONSTRUCTORS = frozenset({"object_literal", "object_creation_expression"})


def _running(called: Node) -> Node:
    """Where something runs: at the name of what it is handed to, or of its `call`, for at its own
    it is only read."""
    around = called.parent
    if around is not None and around.type in ("arguments", "argument_list"):
        call = around.parent
        around = call.child_by_field_name("function") if call is not None else None
    elif around is not None and around.type == "keyword_argument":
        return around.child_by_field_name("name") or called
    elif around is None or around.child_by_field_name("property") is None:
        return called
    if around is None:
        return called
    field = around.child_by_field_name
    return field("property") or field("attribute") or around


def implied_use(
    definitions: FileDefinitions, node: Node, name: str, value: Expression
) -> Reference:
    """That a member of a value runs, at a node that does not name it."""
    row, byte_column = node.start_point
    length = node.end_byte - node.start_byte if node.end_point[0] == row else 1
    columns = definitions.columns(row, byte_column, length)
    enclosing = definitions.enclosing.at(row + 1, columns[0])
    return Reference(name, "implicit", row + 1, *columns, print_qualifier(value), enclosing)


_TEXTS = frozenset({"string_content", "string_fragment"})
_MODULE = "alias"
"""A module of Elixir, of which a function is called without being named."""


def _named_in_text(
    definitions: FileDefinitions, node: Node, name: str, value: Expression
) -> Reference:
    """A call by a name that is written out as text or as a symbol; of a constant, that it is
    read (`autoload :Box, "box"`)."""
    row, byte_column = node.start_point
    is_module = node.type == _MODULE
    length = node.end_byte - node.start_byte if is_module else len(name.encode())
    begin = byte_column + node.end_byte - node.start_byte - length
    columns = definitions.columns(row, begin, length)
    enclosing = definitions.enclosing.at(row + 1, columns[0])
    traits = definitions.traits  # method(:open), of anything around; plug :open
    itself = value == NAMED_BARE or (
        (traits.sigils and value == _SELF) or (traits.named_modules and value == _HERE)
    )
    is_constant = (traits.global_constants or traits.types_are_packages) and name[:1].isupper()
    before = print_qualifier(None if itself else value)
    kind = "read" if is_constant or traits.texts_are_read else "call"
    return Reference(name, kind, row + 1, *columns, before, enclosing)


_COMMAND = re.compile(
    r"(?:^['\"]?|^\w+=|[;&|(`]|\b(?:if|then|do|else|while|until)\b|!)\s*([A-Za-z_][\w:.-]*)(?![\w=/])"
)


def commands_in_text(definitions: FileDefinitions, text: Node) -> Iterator[Reference]:
    """The commands that a shell runs of a text: `trap 'clean_up; log' EXIT`."""
    row, byte_column = text.start_point
    written = text_of(text)
    if "\n" in written:
        return
    enclosing = definitions.enclosing.at(row + 1, byte_column)
    for match in _COMMAND.finditer(written):
        begin = byte_column + len(written[: match.start(1)].encode())
        columns = definitions.columns(row, begin, len(match[1]))
        yield Reference(match[1], "call", row + 1, *columns, "", enclosing)


def quoted_types(definitions: FileDefinitions, node: Node) -> Iterator[Reference]:
    """Type names inside a string annotation."""
    row, byte_column = node.start_point
    text = text_of(node)
    if "\n" in text:
        return
    for match in re.finditer(r"(?:(\w+(?:\.\w+)*)\.)?([A-Za-z_]\w*)", text):
        column, _ = definitions.columns(row, byte_column, 0)
        begin = column + match.start(2)
        yield Reference(
            name=match[2],
            kind="type",
            line=row + 1,
            column=begin,
            end_column=begin + len(match[2]),
            qualifier=match[1] or "",
            enclosing=definitions.enclosing.at(row + 1),
        )


def plain_use(
    definitions: FileDefinitions, node: Node, qualifier: Qualifier | None, kind: str = "read"
) -> Reference:
    """A name as it stands, for what it is used for."""
    row, byte_column = node.start_point
    columns = definitions.columns(row, byte_column, node.end_byte - node.start_byte)
    enclosing = definitions.enclosing.at(row + 1)
    before = print_qualifier(qualifier)
    return Reference(text_of(node), kind, row + 1, *columns, before, enclosing)
