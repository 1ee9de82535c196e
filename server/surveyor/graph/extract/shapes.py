"""Objects without a class: names for the members of object types and literals that are written out.

`open(options: { path: string })` has `open.options.path`; `const state = { items: [] }` has
`state.items`, wherever it stands; what a function returns as a literal belongs to the function.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from surveyor.graph.expressions.keys import element_of
from surveyor.graph.expressions.model import (
    NOTHING,
    Expression,
    Instance,
    Shape,
    Type,
    TypeAtPlace,
    TypePart,
    local,
)
from surveyor.graph.expressions.model import Name as ExpressionName
from surveyor.graph.extract.scopes import qualified
from surveyor.graph.extract.tables import element_key
from surveyor.graph.extract.written_structs import field_types
from surveyor.graph.extract.written_types import (
    FUNCTIONS,
    declared_type,
    expression_of,
    literal_keys,
    text_of,
    unwrapped,
)
from surveyor.graph.languages.readers import string_value

if TYPE_CHECKING:
    from tree_sitter import Node

    from surveyor.graph.queries.enclosing import Enclosing
    from surveyor.parsing.types import Symbol

__all__ = ["Place", "Shapes"]

Place = tuple[int, int, int]
"""1-based line, UTF-16 column and end column."""

MAX_KEYS = 40
"""Keys of one literal: with more it is data that is looked up by a computed key."""
MAX_NAMED = 1000
"""Keys of a file's literals that are named."""
_LABELLED = frozenset(
    {"required_parameter", "optional_parameter", "variable_declarator", "property_signature",
     "public_field_definition", "type_alias_declaration"}
)  # fmt: skip
_STATEMENTS = frozenset({"statement_block", "program", "class_body"})
_AROUND_CALLS = frozenset({"arguments", "call_expression", "await_expression", "as_expression",
                           "parenthesized_expression", "non_null_expression"})  # fmt: skip
_HELD = frozenset(
    {"identifier", "member_expression", "call_expression", "new_expression", "object", "array",
     "subscript_expression"}
)  # fmt: skip
"""Values that may be more than data."""
_HOLDERS = frozenset({"variable_declarator", "public_field_definition", "field_definition"})


class Shapes:
    """Those of one file. `columns` turns (row, byte column, length) into UTF-16 columns."""

    def __init__(
        self,
        symbols: Sequence[Symbol],
        enclosing: Enclosing,
        columns: Callable[[int, int, int], tuple[int, int]],
        definitions: set[tuple[int, int]],
    ) -> None:
        self._symbols, self._enclosing, self._columns = symbols, enclosing, columns
        self._definitions = definitions
        self._owners: dict[tuple[int, int], str] = {}
        """Row and byte column of a member's name -> what the member belongs to."""
        self._counts: dict[str, int] = {}
        self._at: dict[tuple[int, int], Symbol] = {}
        self.fields: dict[str, Place] = {}
        """Members that are no symbols."""
        self.aliases: list[tuple[str, Expression, int]] = []
        """(member, what it is, byte): shorthands, and functions that are symbols under another
        name."""
        self.results: list[str] = []
        """Functions that return a literal."""
        self.typed: list[tuple[Node, Node]] = []
        """Keys that are members of a type, and what says which."""
        self.structs: dict[str, dict[str, Expression]] = {}
        """Fields of structs that are written out in functions (`written_structs`)."""
        self._structs: dict[tuple[int, int], str] = {}

    def owner(self, node: Node) -> str | None:
        """What a member belongs to by its name's node; None when it is of no shape."""
        return self._owners.get((node.start_point[0], node.start_point[1])) if node else None

    def named(self, value: Expression | None) -> Expression | None:
        """A value with names for the object types in it that are known by their place."""
        if value is None or not value.has_places:
            return value
        found = value.with_types(self.named_part)
        is_nothing = type(found.head) is Instance and not found.head.type.parts
        return None if is_nothing else found

    def named_part(self, part: TypePart) -> Type | None:
        """An object type by the name that it was given, or nothing; None for any other type."""
        if type(part.head) is not TypeAtPlace:
            return None
        place = part.head.row, part.head.column
        container = self._structs.get(place) or self._owners.get(place, "")
        if not container:
            return NOTHING
        return Type((TypePart(Shape(container), part.given, part.steps),))

    # --- types ------------------------------------------------------------------------------

    def name_type(self, shape: Node) -> None:
        """Names for the members of an object type that is written out where it is used."""
        members = [
            name
            for child in shape.named_children
            if child.type in ("property_signature", "method_signature")
            and (name := child.child_by_field_name("name")) is not None
        ]
        if not members:
            return
        row, byte_column = members[0].start_point
        symbol = self.symbol(members[0])
        if symbol is not None:
            self._owners[row, byte_column] = symbol.container
            return
        container = self._unique(self._label(shape))
        for name in members:
            self._define(name, container)

    def name_structs(self, nodes: Sequence[Node]) -> None:
        """The same of structs; those in functions have fields that nobody else names."""
        apart: list[tuple[str, list[tuple[Node, Node]]]] = []
        for struct in nodes:
            if not (fields := list(field_types(struct))):
                continue
            row, byte_column = fields[0][0].start_point
            if (symbol := self.symbol(fields[0][0])) is not None:
                self._owners[row, byte_column] = symbol.container
                continue
            name = self._structs[row, byte_column] = f"struct@{row}:{byte_column}"
            apart.append((name, fields))
        for name, fields in apart:
            told = ((text_of(field), self.named(declared_type(type_))) for field, type_ in fields)
            self.structs[name] = {field: value for field, value in told if value is not None}

    def _label(self, shape: Node) -> str:
        """Where an object type is written: the definition around it and the name it is for."""
        label = "type"
        node = shape.parent
        while node is not None and node.type not in _STATEMENTS:
            if node.type in _LABELLED:
                name = node.child_by_field_name("pattern") or node.child_by_field_name("name")
                if name is not None:
                    outer = self.owner(name)
                    if outer:
                        return f"{outer}.{text_of(name)}"
                    label = text_of(name) if name.type.endswith("identifier") else "options"
                    break
            node = node.parent
        return self._inside(shape, label)

    # --- literals ---------------------------------------------------------------------------

    def name_literal(self, literal: Node) -> bool:
        """Names for the keys of an object that a variable, field or key holds, or is returned.

        False where nothing says what it is for.
        """
        keys = list(literal_keys(literal))
        declared = _declared_type_of(literal)
        if declared is not None:
            self.typed += [(key, declared) for key in keys]
            return True
        if len(literal.named_children) > MAX_KEYS or len(self.fields) > MAX_NAMED:
            return True
        container = self._holder(literal)
        is_argument = not container
        if is_argument:
            container = self._argument_of(literal)
        elif container:
            self._hold(literal, container)
        for key in keys if container else ():
            symbol = self.symbol(key)
            name = f"{container}.{text_of(key)}"
            if key.type == "shorthand_property_identifier":
                self._define(key, container, is_use=True)
                shorthand = Expression(ExpressionName(text_of(key)))
                self.aliases.append((name, shorthand, key.start_byte))
            elif symbol is None:
                self._define(key, container, is_use=is_argument)
            else:
                self._owners[key.start_point[0], key.start_point[1]] = container
                if qualified(symbol) != name:
                    self.aliases.append((name, local(qualified(symbol)), key.start_byte))
        return not is_argument

    def _hold(self, literal: Node, container: str) -> None:
        """What an object holds under its keys: names, and what is looked up (`element_key`)."""
        row, byte_column = literal.start_point
        self._owners[row, byte_column] = container
        given: dict[str, tuple[Expression, int]] = {}
        for pair in literal.named_children:
            value = pair.child_by_field_name("value")
            if value is None or value.type not in _HELD:
                continue
            key = pair.child_by_field_name("key")
            if key is None:
                continue
            if key.type == "property_identifier":
                if value.type == "object":  # its keys have names of their own
                    continue
                name = f"{container}.{text_of(key)}"
            else:
                name = element_of(container, element_key(key))
            if (held := expression_of(value)) is not None:
                given[name] = (held, value.start_byte)  # of a key that is written twice, the last
        self.aliases += [(name, *what) for name, what in given.items()]

    def _argument_of(self, literal: Node) -> str:
        """`const state = reactive({ count: 0 })`: a name for the keys, which may come back."""
        node = literal.parent
        if node is None or node.type != "arguments":
            return ""
        while node is not None and node.type in _AROUND_CALLS:
            node = node.parent
        name = node.child_by_field_name("name") if node is not None else None
        if node is None or node.type != "variable_declarator" or name is None:
            return ""
        if name.type != "identifier":
            return ""
        symbol = self.symbol(name)
        label = f"{qualified(symbol)}.argument" if symbol is not None else ""
        return self._unique(label or self._inside(literal, f"{text_of(name)}.argument"))

    def _holder(self, literal: Node) -> str:
        """The name of what an object is the value of; empty where that has a type, or no name."""
        node = unwrapped(literal)
        holder = node.parent
        if holder is None:
            return ""
        if holder.type in _HOLDERS:
            name = holder.child_by_field_name("name") or holder.child_by_field_name("property")
            if name is None:
                return ""
            symbol = self.symbol(name)
            if symbol is not None:
                return qualified(symbol)
            if holder.type != "variable_declarator" or name.type != "identifier":
                return ""
            return self._unique(self._inside(literal, text_of(name)))
        if holder.type == "pair":
            key = holder.child_by_field_name("key")
            if key is not None and key.type == "string":
                outer = self.owner(holder.parent) if holder.parent is not None else None
                return self._unique(f"{outer}.{string_value(key)}") if outer else ""
            outer = self.owner(key) if key is not None else None
            return f"{outer}.{text_of(key)}" if key is not None and outer else ""
        if holder.type == "return_statement" or holder.type == "arrow_function":
            return self._returning(holder)
        return ""

    def _returning(self, node: Node | None) -> str:
        """The function that a statement returns from, if it has a name and no declared result."""
        while node is not None and node.type not in FUNCTIONS:
            node = node.parent
        if node is None:
            return ""
        name = node.child_by_field_name("name")
        parent = node.parent
        if name is None and parent is not None:
            if parent.child_by_field_name("type") is not None:
                return ""
            name = parent.child_by_field_name("name") or parent.child_by_field_name("key")
        symbol = self.symbol(name) if name is not None else None
        if symbol is None:
            return ""
        self.results.append(qualified(symbol))
        return qualified(symbol)

    def declared(self, key: Node) -> bool:
        """Whether a literal's key is a member of a type that its holder is declared with."""
        literal = key.parent.parent if key.parent is not None else None
        return literal is not None and _declared_type_of(literal) is not None

    # --- tables -----------------------------------------------------------------------------

    def name_table(self, literal: Node) -> str:
        """A name for a list or dictionary that is written out."""
        row, byte_column = literal.start_point
        name = self._owners[row, byte_column] = self._unique(self._inside(literal, "[]"))
        return name

    # --- names ------------------------------------------------------------------------------

    def _define(self, name: Node, container: str, *, is_use: bool = False) -> None:
        """`is_use`: the name of something else stands there too."""
        row, byte_column = name.start_point
        self._owners[row, byte_column] = container
        first, end = self._columns(row, byte_column, name.end_byte - name.start_byte)
        self.fields.setdefault(f"{container}.{text_of(name)}", (row + 1, first, end))
        if not is_use:
            self._definitions.add((row, first))

    def symbol(self, name: Node) -> Symbol | None:
        """The definition whose name a node is."""
        if not self._at:
            self._at = {(s.line - 1, s.column): s for s in self._symbols}
        row, byte_column = name.start_point
        return self._at.get((row, self._columns(row, byte_column, 0)[0]))

    def _inside(self, node: Node, label: str) -> str:
        owner = self._enclosing.at(node.start_point[0] + 1)
        return f"{qualified(self._symbols[owner])}.{label}" if owner >= 0 else label

    def _unique(self, container: str) -> str:
        number = self._counts[container] = self._counts.get(container, 0) + 1
        return f"{container}${number}" if number > 1 else container


def _declared_type_of(literal: Node) -> Node | None:
    """The annotation of what holds a literal, or of the function that returns it."""
    holder = unwrapped(literal).parent
    if holder is not None and holder.type in _HOLDERS:
        return holder.child_by_field_name("type")
    if holder is not None and holder.type == "return_statement":
        while holder is not None and holder.type not in FUNCTIONS:
            holder = holder.parent
    if holder is not None and holder.type in FUNCTIONS:
        return holder.child_by_field_name("return_type")
    return None


def callables(nodes: list[Node]) -> Iterator[tuple[Node | None, Node, Node]]:
    """(name, what declares it, type of its result) of what is declared as a function type.

    Without a name: the type around it can be called.
    """
    for node in nodes:
        if node.type == "call_signature":
            result = node.child_by_field_name("return_type")
            if result is not None:
                yield None, node, result
            continue
        alias = node.type == "type_alias_declaration"
        declared = node.child_by_field_name("value" if alias else "type")
        if declared is not None and declared.type == "type_annotation":
            declared = declared.named_children[0] if declared.named_children else None
        name = node.child_by_field_name("name")
        result = declared.child_by_field_name("return_type") if declared is not None else None
        if name is not None and result is not None:
            yield name, node, result
