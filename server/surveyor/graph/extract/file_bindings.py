"""What a file's fields, variables and results are, and what local names are bound to by it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from surveyor.graph.expressions.bindings import Unbound
from surveyor.graph.expressions.keys import (
    CALLED,
    Arity,
    DeclaredParameter,
    alternative,
    arities_of,
    element_of,
    extended_by,
    parameter_of,
    print_arities,
    print_type_parameters,
    result_of,
    runs_when_read,
    variable_of_file,
    yielded_by,
)
from surveyor.graph.expressions.model import (
    Expression,
    Instance,
    Module,
    Parameter,
    Shape,
    Type,
    TypeName,
    TypePart,
    TypeVariable,
)
from surveyor.graph.extract.bindings import bindings_of, element_bindings, taken_apart
from surveyor.graph.extract.file_definitions import FileDefinitions
from surveyor.graph.extract.handed_values import HandedValues, Late
from surveyor.graph.extract.local_names import LocalNames
from surveyor.graph.extract.parameters import (
    callback_parameters,
    literal_type,
    overloads,
    typed_parameters,
)
from surveyor.graph.extract.rebinding import rest_of_block
from surveyor.graph.extract.returns import choices, returned, tuple_of
from surveyor.graph.extract.scopes import (
    qualified,
)
from surveyor.graph.extract.shapes import callables
from surveyor.graph.extract.tables import is_table, table_elements
from surveyor.graph.extract.type_parameters import given_bases, type_parameters
from surveyor.graph.extract.written_types import (
    declared_type,
    expression_of,
    literal_keys,
    script_type,
    text_of,
)
from surveyor.graph.languages.readers import Binding as Bound

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["FileBindings"]

_VARIABLE_KINDS = frozenset({"variable", "constant"})
MAX_ALTERNATIVES = 4
"""Things that a name is said to be, where it is said more than once."""
_SUBSCRIPTS = frozenset({"subscript_expression", "subscript"})
_TYPED_FIELDS = frozenset({"public_field_definition", "required_parameter", "optional_parameter"})
_Put = tuple["Node", str, Expression, int]
"""What is put into a table: (the table's name, key, value, scope)."""


class FileBindings:
    """Reads the bindings of one file: `types` and `fields` are what others may ask for."""

    def __init__(
        self, definitions: FileDefinitions, names: LocalNames, handed: HandedValues
    ) -> None:
        self._definitions = definitions
        self._scopes = definitions.scopes
        self._names = names
        self._handed = handed
        self._several = 1
        """Alternatives that are kept of something that is said more than once."""
        self._declaring = MAX_ALTERNATIVES if definitions.traits.overloads else 1
        """Alternatives that are kept of what is declared: signatures may give several things."""
        self._late: list[Late] = []
        self._typed: set[str] = set()
        """Fields of TypeScript that are declared with a type."""
        self._replaced: set[str] = set()
        """Keys of tables that the file's own statements give another value."""
        self.types: dict[str, str] = {}
        """Facts by their keys (`expressions.keys`)."""
        self.fields: dict[str, tuple[int, int, int]] = {}
        """Names that exist by assignment only: (line, column, end column)."""
        self.taken: list[tuple[Node, Expression | None, int]] = []
        """Members that values are taken apart into: (name, the value, scope)."""
        self.mixins: list[tuple[Node, Node]] = []
        """Names of classes, with what gives them members from outside of them."""
        self.module_names: set[str] = set()
        """Variables of the module that are no symbols: assigned under an `if` or in a loop."""

    def read(self, captures: dict[str, list[Node]]) -> None:
        """Gives local names their values, and gathers what fields, variables and results are."""
        traits = self._definitions.traits
        follows = traits.follows_values or traits.calls_by_name
        self._several = MAX_ALTERNATIVES if follows else 1
        self._read_tables(captures.get("table", []))
        if traits.follows_values:
            self._late += self._handed.bind_parameters(captures)
        unnamed = self._read_shapes(captures)
        put = self._read_bound(captures)
        self._names.rebind(captures.get("narrowing", []))
        self._put(put)
        for name, value, scope in self._late:
            known = self._definitions.substitute(value, scope)
            _say(self.types, name, known.text, self._several)
        self._handed.read_calls()
        self.types |= self._handed.read_decorators()
        listed = captures.get("parameters", [])
        owner, type_at = self._definitions.owner, self._definitions.type_at
        self._definitions.overloads, arities = overloads(listed, owner, type_at)
        self.types |= arities
        self._read_results(captures)
        self._read_extended(captures.get("extended", []))
        self._read_accessors(captures.get("accessor", []))
        self._read_aliases()
        for name, value in self._results(captures.get("callable", [])):
            self.types.setdefault(result_of(name), value.text)
        for name, node, declared in typed_parameters(listed, owner, type_at):
            given = self._definitions.outside(declared, node)
            if given is not None:
                self.types.setdefault(name, given.text)
        self.types |= self._taken_by(captures.get("takes", []))
        self.types |= self._generics(captures)
        for literal in (*captures.get("argument", ()), *unnamed):
            whole = self._definitions.shapes.named(literal_type(literal))
            scope = self._scopes.at(literal.start_byte)
            if whole is not None:
                self.taken += [(key, whole, scope) for key in literal_keys(literal)]

    def _read_tables(self, nodes: list[Node]) -> None:
        """Elements of lists and dictionaries that are written out."""
        shapes = self._definitions.shapes
        tables = [node for node in nodes if is_table(node)]
        named = [(shapes.name_table(node), node) for node in tables]
        for name, node in named:
            scope = self._scopes.at(node.start_byte)
            for key, held in table_elements(node):
                value = shapes.named(expression_of(held))
                if value is not None:
                    self._late.append((element_of(name, key), value, scope))

    def _read_shapes(self, captures: dict[str, list[Node]]) -> list[Node]:
        """Object types and literals that are written out; returns the literals without a name."""
        shapes = self._definitions.shapes
        for node in captures.get("shape", ()):
            shapes.name_type(node)
        shapes.name_structs(captures.get("struct", ()))
        unnamed = [each for each in captures.get("literal", ()) if not shapes.name_literal(each)]
        self.fields |= shapes.fields
        for member, declared in shapes.typed:
            value = shapes.named(declared_type(declared))
            self.taken.append((member, value, self._scopes.at(member.start_byte)))
        return unnamed

    def _read_bound(self, captures: dict[str, list[Node]]) -> list[_Put]:
        """What names and fields are given; returns what is put into tables."""
        put: list[_Put] = []
        at, function_of_scope = self._scopes.at, self._scopes.function
        top = {s.name for s in self._definitions.symbols if not s.container}
        for found in self._bindings(captures):
            scope = at(found.node.start_byte)
            if found.mixin is not None:
                self.mixins.append((found.node, found.mixin))
                continue
            if found.element is not None:
                if found.value is not None:
                    put.append((found.node, found.element, found.value, scope))
                continue
            if found.place:
                if found.value is not None:
                    owner = self._definitions.name_at(found.node)
                    is_result = found.place == CALLED
                    key = result_of(owner) if is_result else element_of(owner, found.place)
                    self._late.append((key, found.value, scope))
                continue
            if found.said_of:
                self._say_of_another(found, scope, top)
                continue
            if found.key is not None:
                self.taken.append((found.key, found.owner, scope))
                if found.key is found.node and found.value is None:
                    continue  # taken apart further
            if found.is_attribute or found.is_field:
                self._read_field(found, scope)
            elif found.value is None:
                continue
            elif (function := function_of_scope(scope)) >= 0:
                if own := self._names.give(found.node, found.value, function):
                    self._late.append((own, found.value, scope))
                elif type(found.value.head) is Module and self._is_files(found.node, scope, top):
                    self._late.append((text_of(found.node), found.value, scope))
            else:
                name = self._definitions.name_at(found.node)
                self._late.append((name, found.value, scope))
                self._names.give_at_top(found.node, found.value)
        return put

    def _is_files(self, name: Node, scope: int, top: set[str]) -> bool:
        """Whether a name inside of a function is a variable of the file."""
        return text_of(name) in top and self._scopes.binding(text_of(name), scope) is None

    def _say_of_another(self, found: Bound, scope: int, top: set[str]) -> None:
        """A field that is given to something whose name stands before it."""
        if found.is_attribute:
            if found.written_at is None and found.said_of.rpartition(".")[0] not in top:
                return
            self.fields.setdefault(found.said_of, self._written(found))
        if found.value is not None:
            self._late.append((found.said_of, found.value, scope))

    def _read_field(self, found: Bound, scope: int) -> None:
        declared = self._definitions.shapes.symbol(found.node) if found.is_field else None
        container = self._definitions.container(found.node)
        if not container and declared is not None:  # another definition of its line hides it
            container = declared.container
        if not container:
            if self._definitions.traits.sigils and found.value is not None:
                key = variable_of_file(text_of(found.node).lstrip("@"))
                self._late.append((key, found.value, scope))
            return
        name = f"{container}.{text_of(found.node).lstrip('@$:')}"
        if declared is not None:  # what is around it may be no type: a variant of an enum
            name = qualified(declared)
        if found.is_attribute:
            self.fields.setdefault(name, self._place(found.node))
        if found.value is None or (name in self._typed and not found.is_field):
            return  # what a field is declared to be holds, whatever it is given
        if found.is_field and _says_type(found.node):
            self._typed.add(name)
        self._late.append((name, found.value, scope))

    def _written(self, found: Bound) -> tuple[int, int, int]:
        """Line, column and end column of the name that something is bound to."""
        if found.written_at is None:
            return self._place(found.node)
        row, byte_column, length = found.written_at
        return (row + 1, *self._definitions.columns(row, byte_column, length))

    def _place(self, node: Node) -> tuple[int, int, int]:
        """Line, column and end column of a name."""
        row, byte_column = node.start_point
        columns = self._definitions.columns(row, byte_column, node.end_byte - node.start_byte)
        return (row + 1, *columns)

    def _read_results(self, captures: dict[str, list[Node]]) -> None:
        """What functions give, as they declare it or by what they return."""
        follows = self._definitions.traits.follows_values
        for kind in ("returns", "value"):
            for given, node in (
                (each, choice) for each in captures.get(kind, ()) for choice in choices(each)
            ):
                owner = self._definitions.giver(given)
                if not owner:
                    continue
                gives = self._declared(node) if kind == "returns" else self._returned(node)
                if kind == "returns":
                    self._say_tuple(owner, node)
                known = self._definitions.outside(gives, node)
                if known is None:
                    continue
                if follows and _is_yielded(given):
                    _say(self.types, yielded_by(owner), known.text, self._several)
                several = self._several if kind == "value" else self._declaring
                _say(self.types, result_of(owner), known.text, several)

    def _read_accessors(self, nodes: list[Node]) -> None:
        """Which functions run where their names are read."""
        is_one = self._definitions.traits.is_accessor
        for node in nodes:
            name = node.child_by_field_name("name")
            if name is None or (is_one is not None and not is_one(node)):
                continue
            if owner := self._definitions.defined_at(name):
                self.types[runs_when_read(owner)] = CALLED

    def _read_extended(self, nodes: list[Node]) -> None:
        """Which types functions and extensions outside of them extend."""
        for node in nodes:
            owners = self._definitions.extending(node)
            value, name = self._declared(node), text_of(node)
            if isinstance(self._scopes.binding(name, self._scopes.at(node.end_byte)), Unbound):
                value = Expression(Instance(Type((TypePart(TypeVariable(name)),))))
            elif value is None and name.isidentifier():  # one of the language's own
                value = Expression(Instance(Type((TypePart(TypeName(name)),))))
            known = self._definitions.outside(value, node)
            if known is None:
                continue
            for owner in owners:
                self.types.setdefault(extended_by(owner), known.text)

    def _read_aliases(self) -> None:
        """What functions give that is an object type of theirs, and names of object types."""
        shapes = self._definitions.shapes
        for name in shapes.results:
            shape = Expression(Instance(Type((TypePart(Shape(name)),))))
            self.types.setdefault(result_of(name), shape.text)
        for name, value, byte in shapes.aliases:
            whole = shapes.named(value) if name not in self._replaced else None
            if whole is not None:
                whole = self._definitions.substitute(whole, self._scopes.at(byte))
                if not whole.is_unknown:
                    _say(self.types, name, whole.text, self._several)

    def read_module(self, outside: dict[int, Node]) -> None:
        """Module variables that are no symbols: assigned in a block, or taken out of a value."""
        symbols = self._definitions.symbols
        known = {symbol.name for symbol in symbols if not symbol.container}
        fields: dict[str, tuple[int, int, int]] = {}
        for node in outside.values():
            name = text_of(node)
            around = self._definitions.enclosing.at(node.start_point[0] + 1)
            if name in known or (around >= 0 and symbols[around].kind not in _VARIABLE_KINDS):
                continue
            if self._definitions.defined_at(node):
                continue  # a namespace's: it has its full name already
            self.module_names.add(name)
            line, column, end = self._place(node)
            if (line - 1, column) not in self._definitions.places:  # in a module in the file
                fields.setdefault(name, (line, column, end))
        self.fields = fields | self.fields

    def read_entry(self, node: Node) -> None:
        """A key of an object that a module's constant holds: `const Colors = { RED: 1 }`."""
        row = node.start_point[0]
        owner = self._definitions.enclosing.of_kind(row + 1, _VARIABLE_KINDS)
        if owner is not None and not self._definitions.shapes.declared(node):
            self.fields[f"{qualified(owner)}.{text_of(node)}"] = self._place(node)

    def _bindings(self, captures: dict[str, list[Node]]) -> Iterator[Bound]:
        named = self._definitions.shapes.named
        readers = (
            ("bind", self._definitions.traits.bindings or bindings_of),
            ("each", element_bindings),
            ("callback", _callback_bindings),
        )
        for capture, read in readers:
            for node in captures.get(capture, ()):
                for found in read(node):
                    if found.node.start_byte == found.node.end_byte:
                        continue  # a name that the parser made up where none is written
                    value, owner = named(found.value), named(found.owner)
                    if value is found.value and owner is found.owner:
                        yield found  # as nearly always
                    else:
                        yield found._replace(value=value, owner=owner)

    def _put(self, put: list[_Put]) -> None:
        """`table["key"] = f`, where the table is written out in this file.

        What the file's own statements put there is what code in functions finds.
        """
        if not put:
            return
        shapes = self._definitions.shapes
        aliases = ((name, shapes.named(value)) for name, value, _ in shapes.aliases)
        known = {name: value for name, value in aliases if value is not None}
        known |= {name: value for name, value, _ in reversed(self._late)}
        late: list[Late | None] = [*self._late]
        given: dict[str, list[int]] = {}
        for index, (name, _, _) in enumerate(self._late):
            given.setdefault(name, []).append(index)
        for node, key, value, scope in put:
            rest = rest_of_block(node) if key else None
            for shape in self._tables_at(node, scope, known):
                place = element_of(shape, key)
                places = given.setdefault(place, [])
                if rest is not None and rest.is_top:
                    for index in places:
                        late[index] = None
                    places.clear()
                    self._replaced.add(place)
                places.append(len(late))
                late.append((place, value, scope))
        self._late = [each for each in late if each is not None]

    def _tables_at(self, node: Node, scope: int, known: dict[str, Expression]) -> Iterator[str]:
        """The tables that a node may be, by the names of their shapes."""
        text = text_of(node)
        owner, _, name = text.rpartition(".")
        bound: object = self._scopes.binding(text, scope) if scope >= 0 else None
        if bound is None and owner in self._definitions.traits.self_words:
            container = self._definitions.container(node)
            bound = known.get(f"{container}.{name}")
        elif bound is None and node.type in _SUBSCRIPTS:
            within = expression_of(node)
            bound = known.get(within.text) if within is not None else None
        elif bound is None and not owner:
            bound = known.get(text)
        head = bound.head if type(bound) is Expression and not bound.steps else None
        for part in head.type.parts if type(head) is Instance else ():
            if type(part.head) is Shape:
                yield part.head.qualname

    def _say_tuple(self, owner: str, node: Node) -> None:
        """What each place of a tuple is that a function is declared to give."""
        for index, each in enumerate(tuple_of(node)):
            if not index and self._definitions.traits.several_results:
                continue  # as what the function gives
            known = self._definitions.outside(self._declared(each), each)
            if known is not None:
                self.types.setdefault(element_of(result_of(owner), str(index)), known.text)

    def _declared(self, node: Node) -> Expression | None:
        return (self._definitions.traits.declared or declared_type)(node)

    def _returned(self, node: Node) -> Expression | None:
        return (self._definitions.traits.value or returned)(node)

    def _generics(self, captures: dict[str, list[Node]]) -> dict[str, str]:
        """Names of type parameters, and what bases are given."""
        found: dict[str, str] = {}
        owner, type_at = self._definitions.owner, self._definitions.type_at
        listed = type_parameters(captures.get("generics", []), owner, type_at)
        for name, parameters, node in listed:
            scope = self._scopes.at(node.start_byte + 1)
            declared = [
                DeclaredParameter(each, self._default(default, scope))
                for each, default in parameters
            ]
            found.setdefault(name, print_type_parameters(declared))
        for name, base, node in given_bases(captures.get("heir", []), owner):
            value = self._definitions.shapes.named(base)
            if value is not None:
                value = self._definitions.substitute(value, self._scopes.at(node.start_byte))
                found.setdefault(name, value.text)
        return found

    def _default(self, default: Type, scope: int) -> Type | None:
        """What a type parameter is where nothing says it."""
        if not default.parts:
            return None
        known = self._definitions.substitute(Expression(Instance(default)), scope)
        return next(known.types()).mapped(self._definitions.shapes.named_part)

    def _results(self, nodes: list[Node]) -> Iterator[tuple[str, Expression]]:
        """What calling something gives that is declared with the type of a function."""
        for name, node, declared in callables(nodes):
            value = self._definitions.outside(script_type(declared), declared)
            if value is None:
                continue
            if name is None:
                if owner := self._definitions.type_at(node):
                    yield owner, value
            elif node.type == "property_signature" or node.type == "public_field_definition":
                container = self._definitions.container(name)
                if container:
                    yield f"{container}.{text_of(name)}", value
            elif self._scopes.function(self._scopes.at(name.start_byte)) < 0:
                yield self._definitions.name_at(name), value

    def _taken_by(self, prototypes: list[Node]) -> dict[str, str]:
        """What functions take that say it, by the places of their parameters."""
        found: dict[str, str] = {}
        read = self._definitions.traits.parameters
        count = self._definitions.traits.arity
        for prototype in prototypes:
            owner = self._definitions.taker(prototype)
            if owner and count is not None:
                arity = Arity(*count(prototype))
                found.setdefault(arities_of(owner), print_arities([arity]))
            for place, node, value in read(prototype) if read is not None and owner else ():
                known = self._definitions.outside(value, node)
                if known is not None:
                    found.setdefault(parameter_of(owner, Parameter(place)), known.text)
        return found


def _say(types: dict[str, str], key: str, text: str, several: int) -> None:
    """One more thing that something is said to be."""
    for number in range(several):
        place = alternative(key, number)
        known = types.setdefault(place, text)
        if known == text:
            return


def _says_type(name: Node) -> bool:
    """Whether a field is declared with a type (TypeScript)."""
    around = name.parent
    return (
        around is not None
        and around.type in _TYPED_FIELDS
        and around.child_by_field_name("type") is not None
    )


def _is_yielded(value: Node) -> bool:
    return value.parent is not None and value.parent.type in ("yield", "yield_expression")


def _callback_bindings(function: Node) -> Iterator[Bound]:
    for name, value in callback_parameters(function):
        if name.type == "object_pattern":
            yield from taken_apart(name, value)
        else:
            yield Bound(name, value)
