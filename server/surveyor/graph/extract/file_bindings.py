"""One file while its uses are read: definitions, scopes, and what its names are bound to."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from msgspec import structs

from surveyor.graph.expressions.keys import (
    Arity,
    DeclaredParameter,
    alternative,
    arities_of,
    decorated,
    element_of,
    extended_by,
    overload,
    parameter_of,
    print_arities,
    print_type_parameters,
    result_of,
    yielded_by,
)
from surveyor.graph.expressions.model import (
    UNBOUND,
    Binding,
    Call,
    Expression,
    Fixture,
    Imported,
    Instance,
    Local,
    Name,
    Parameter,
    Shape,
    Type,
    TypeName,
    TypePart,
    TypeVariable,
    Unbound,
    Variable,
    instance,
    local,
    type_called,
)
from surveyor.graph.extract import flows
from surveyor.graph.extract.bindings import bindings_of, element_bindings, taken_apart
from surveyor.graph.extract.columns import SourceColumns
from surveyor.graph.extract.parameters import (
    callback_parameters,
    literal_type,
    overloads,
    typed_parameters,
)
from surveyor.graph.extract.rebinding import Rest, narrowed, rest_of_block
from surveyor.graph.extract.returns import choices, function_of, returned, tuple_of
from surveyor.graph.extract.scopes import (
    FUNCTION,
    GENERIC,
    REBOUND,
    Scopes,
    qualified,
    scoped,
)
from surveyor.graph.extract.shapes import Shapes, callables
from surveyor.graph.extract.substitution import substitute
from surveyor.graph.extract.tables import is_table, table_elements
from surveyor.graph.extract.type_names import type_name
from surveyor.graph.extract.type_parameters import given_bases, type_parameter, type_parameters
from surveyor.graph.extract.written_types import (
    declared_type,
    expression_of,
    literal_keys,
    script_type,
    text_of,
)
from surveyor.graph.languages.readers import Binding as Bound
from surveyor.graph.languages.traits import LocalImportReader, Traits
from surveyor.graph.queries.enclosing import Enclosing
from surveyor.parsing.types import Symbol

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["TYPE_KINDS", "Enclosing", "FileReading", "text_of"]

TYPE_KINDS = frozenset(
    {"class", "interface", "struct", "enum", "trait", "object", "module", "namespace", "type"}
)
_VARIABLE_KINDS = frozenset({"variable", "constant"})
_FUNCTION_KINDS = frozenset({"function", "method", "constructor"})
_TAKING_KINDS = _FUNCTION_KINDS | {"type"}
MAX_REBOUND = 40
"""Values of one name of the file itself: with more it is data."""
MAX_ALTERNATIVES = 4
"""Things that a name is said to be, where it is said more than once."""


class HandedOver(NamedTuple):
    """A call in a file that may hand over a function or an object."""

    callee: str
    enclosing: int
    arguments: list[tuple[str, str]]
    """(position or name of the parameter, value)."""


class Extension(NamedTuple):
    """A base that a file gives a type of another one: `impl Trait for other::Type`."""

    type: str
    base: str
    line: int
    column: int
    end_column: int


class FileReading:
    """State of the one pass over a file's syntax tree."""

    def __init__(self, source: bytes, traits: Traits, symbols: Sequence[Symbol]) -> None:
        self.source = source
        self.traits = traits
        self.symbols = _in_full(symbols, source) if traits.named_modules else symbols
        self.definitions = {(symbol.line - 1, symbol.column) for symbol in self.symbols}
        self.taken: list[tuple[Node, Expression | None, int]] = []
        """Members that values are taken apart into: (name, the value, scope)."""
        self.overloads: dict[int, int] = {}
        """Byte of a signature -> its number, for all but the first of a name."""
        self.extensions: list[Extension] = []
        self.handed: list[HandedOver] = []
        """What functions of the file are handed that say no types."""
        self.parameters: dict[str, list[str]] = {}
        """Qualified name of such a function -> the names of its parameters."""
        self._calls: list[flows.Handing] = []
        self._decorated: list[tuple[Node, int]] = []
        self._words: set[str] = set()
        self._receivers: dict[int, Expression] = {}
        """By scope: what the function is run on that it is of."""
        self._signatures: list[str] = []
        """Of the symbols, in their order: made when one is asked for."""
        self.fixtures: list[Node] = []
        """Parameters that stand for a pytest fixture."""
        self.module_names: set[str] = set()
        """Variables of the module that are no symbols: assigned under an `if` or in a loop."""
        self.receiver_keywords = traits.self_words | traits.super_words
        positions = SourceColumns(source)
        self.columns = positions.of_name
        """UTF-16 columns of a name: (row, byte column, length) -> (column, end column)."""
        self._byte_of = positions.byte_of

    def name_scopes(self, scopes: Scopes) -> None:
        """Tell apart what functions define, where a language defines things inside of them."""
        if self.traits.nests and any(kind == FUNCTION for kind in scopes.kinds):
            places = [self._byte_of(symbol.line, symbol.column) for symbol in self.symbols]
            self.symbols = scoped(self.symbols, places, scopes)
        self.enclosing = Enclosing(self.symbols)
        self.shapes = Shapes(self.symbols, self.enclosing, self.columns, self.definitions)

    def name_at(self, node: Node) -> str:
        """The qualified name of what is named at a node outside of all functions."""
        row, byte_column = node.start_point
        column = self.columns(row, byte_column, 0)[0]
        if (row, column) in self.definitions and (symbol := self.shapes.symbol(node)):
            return qualified(symbol)
        owner = self.enclosing.of_kind(row + 1, TYPE_KINDS)
        return f"{qualified(owner)}.{text_of(node)}" if owner else text_of(node)

    def bind_locals(self, captures: dict[str, list[Node]], scopes: Scopes) -> dict[int, Node]:
        """Enters local names into their scopes; returns module-level bindings by byte."""
        outside: dict[int, Node] = {}
        taken: set[tuple[int, str]] = set()
        for node in captures.get("global", ()):
            scope = scopes.function(scopes.at(node.start_byte))
            taken.add((scope, text_of(node)))
        for node in captures.get("local", ()):
            start = node.start_byte
            scope = scopes.function(scopes.at(start))
            name = text_of(node)
            if scope < 0 or (scope, name) in taken:
                outside[start] = node
                continue
            point = node.start_point
            column = self.columns(point[0], point[1], 0)[0]
            if (point[0], column) not in self.definitions:
                scopes.names[scope].setdefault(name, UNBOUND)
        for node in captures.get("named", ()):
            scope = scopes.function(scopes.outside(node.start_byte))
            if scope >= 0:
                scopes.names[scope].setdefault(text_of(node), UNBOUND)
        keeps = self.traits.keeps_type_parameters
        for node in captures.get("typevar", ()):
            scope = scopes.at(node.start_byte)
            if scope >= 0:
                name = text_of(node)
                variable = Expression(Instance(Type((TypePart(TypeVariable(name)),))))
                scopes.names[scope].setdefault(name, variable if keeps else UNBOUND)
        for node in captures.get("fixture", ()):
            scope = scopes.function(scopes.at(node.start_byte))
            name = text_of(node)
            if scope >= 0 and name not in self.receiver_keywords:
                scopes.names[scope][name] = Expression(Fixture(name), (Call(),))
                self.fixtures.append(node)
        for node in captures.get("bounded", ()):
            parts = node.named_children
            scope = scopes.at(node.start_byte)
            if scope >= 0 and node.type == "type_parameter" and keeps:
                name, known = type_parameter(node)
                scopes.names[scope][name] = self.shapes.named(known) or UNBOUND
            elif scope >= 0 and len(parts) > 1:
                text = text_of(parts[1]).lstrip(": ").removeprefix("extends ")
                _bound(scopes.names[scope], text_of(parts[0]), text)
        if self.traits.local_imports is not None:
            self._bind_imports(captures, scopes, self.traits.local_imports)
        return outside

    def _bind_imports(
        self, captures: dict[str, list[Node]], scopes: Scopes, read: LocalImportReader
    ) -> None:
        """What a function imports is what its parameter of that name becomes:
        `if Response is None: from .wrappers import Response`. Where the module defines the name
        itself, the import hides that."""
        defined = {symbol.name for symbol in self.symbols if not symbol.container}
        for node in captures.get("import", ()):
            scope = scopes.function(scopes.at(node.start_byte))
            if scope < 0:
                continue
            for alias, module, original in read(node):
                scopes.names[scope].pop(alias, None)
                if alias in defined and module:
                    scopes.names[scope][alias] = Imported(module, original)

    def module_fields(self, outside: dict[int, Node]) -> dict[str, tuple[int, int, int]]:
        """Module variables that are no symbols: assigned in a block, or taken out of a value."""
        fields: dict[str, tuple[int, int, int]] = {}
        symbols = {symbol.name for symbol in self.symbols if not symbol.container}
        for node in outside.values():
            name = text_of(node)
            row, byte_column = node.start_point
            around = self.enclosing.at(row + 1)
            if name in symbols or (
                around >= 0 and self.symbols[around].kind not in _VARIABLE_KINDS
            ):
                continue
            self.module_names.add(name)
            columns = self.columns(row, byte_column, node.end_byte - node.start_byte)
            fields.setdefault(name, (row + 1, *columns))
        return fields

    def entry(self, node: Node) -> dict[str, tuple[int, int, int]]:
        """A key of an object that a module's constant holds: `const Colors = { RED: 1 }`."""
        row, byte_column = node.start_point
        owner = self.enclosing.of_kind(row + 1, _VARIABLE_KINDS)
        if owner is None or self.shapes.declared(node):
            return {}
        columns = self.columns(row, byte_column, node.end_byte - node.start_byte)
        return {f"{qualified(owner)}.{text_of(node)}": (row + 1, *columns)}

    def _bindings(self, captures: dict[str, list[Node]]) -> Iterator[Bound]:
        readers = (
            ("bind", self.traits.bindings or bindings_of),
            ("each", element_bindings),
            ("callback", _callback_bindings),
        )
        for capture, read in readers:
            for node in captures.get(capture, ()):
                for found in read(node):
                    value, owner = self.shapes.named(found.value), self.shapes.named(found.owner)
                    yield found._replace(value=value, owner=owner)

    def _container(self, node: Node) -> str:
        """What a field belongs to: the object type it is written in, or the class around it."""
        of_shape = self.shapes.owner(node)
        if of_shape is not None:
            return of_shape
        owner = self.enclosing.of_kind(node.start_point[0] + 1, TYPE_KINDS)
        return qualified(owner) if owner else ""

    def bind_types(
        self, captures: dict[str, list[Node]], scopes: Scopes
    ) -> tuple[dict[str, str], dict[str, tuple[int, int, int]]]:
        """Gives local names their types, and returns those of fields, variables and results."""
        types: dict[str, str] = {}
        fields: dict[str, tuple[int, int, int]] = {}
        late: list[tuple[str, Expression, int]] = []
        tables_here = {s.name for s in self.symbols if not s.container}
        put: list[tuple[Node, str, Expression, int]] = []
        first: list[tuple[int, str, int]] = []
        again: list[tuple[Node, Expression]] = []
        changed: set[tuple[int, str]] = set()
        top: dict[str, list[tuple[Node, Expression]]] = {}
        tables = [node for node in captures.get("table", ()) if is_table(node)]
        tables_named = [(self.shapes.name_table(node), node) for node in tables]
        for name, node in tables_named:
            scope = scopes.at(node.start_byte)
            for key, held in table_elements(node):
                value = self.shapes.named(expression_of(held))
                if value is not None:
                    late.append((element_of(name, key), value, scope))
        if self.traits.follows_values:
            self._bind_parameters(captures, scopes, late)
        for node in captures.get("shape", ()):
            self.shapes.name_type(node)
        unnamed = [
            each for each in captures.get("literal", ()) if not self.shapes.name_literal(each)
        ]
        fields |= self.shapes.fields
        for member, declared in self.shapes.typed:
            value = self.shapes.named(declared_type(declared))
            self.taken.append((member, value, scopes.at(member.start_byte)))
        for found in self._bindings(captures):
            start = found.node.start_byte
            scope = scopes.at(start)
            function = scopes.function(scope)
            line = found.node.start_point[0] + 1
            if found.element is not None:
                if found.value is not None:
                    put.append((found.node, found.element, found.value, scope))
                continue
            if found.said_of:
                if found.is_attribute:
                    if found.said_of.rpartition(".")[0] not in tables_here:
                        continue
                    columns = self.columns(
                        *found.node.start_point, found.node.end_byte - found.node.start_byte
                    )
                    fields.setdefault(found.said_of, (line, *columns))
                if found.value is not None:
                    late.append((found.said_of, found.value, scope))
                continue
            if found.key is not None:
                self.taken.append((found.key, found.owner, scope))
                if found.key is found.node and found.value is None:
                    continue  # taken apart further
            if found.is_attribute or found.is_field:
                container = self._container(found.node)
                if not container:
                    continue
                name = f"{container}.{text_of(found.node).lstrip('@$')}"
                if found.is_attribute:
                    row, byte_column = found.node.start_point
                    length = found.node.end_byte - start
                    place = (line, *self.columns(row, byte_column, length))
                    fields.setdefault(name, place)
                if found.value is not None:
                    late.append((name, found.value, scope))
            elif found.value is not None and function >= 0:
                names = scopes.names[function]
                key = text_of(found.node)
                bound = names.get(key)
                head = bound.head if type(bound) is Expression else None
                declares = type(found.value.head) is Instance
                if type(bound) is Unbound or (type(head) is Fixture and declares):
                    names[key] = self._shadowing(key, found.value, function, scopes)
                    first.append((function, key, start))
                elif type(head) is Local:
                    late.append((head.qualname, found.value, scope))
                elif bound != found.value or (function, key) in changed:
                    changed.add((function, key))
                    again.append((found.node, found.value))
            elif found.value is not None:
                late.append((self.name_at(found.node), found.value, scope))
                if self.traits.reassigns:
                    top.setdefault(text_of(found.node), []).append((found.node, found.value))
        self._rebind(scopes, first, again, top, captures.get("narrowing", []))
        late += self._put(put, late, scopes)
        has_several = self.traits.follows_values or self.traits.calls_by_name
        several = MAX_ALTERNATIVES if has_several else 1
        for name, value, scope in late:
            _say(types, name, self.substitute(value, scope, scopes).text, several)
        self._say_parameters(types)
        listed = captures.get("parameters", [])
        self.overloads, arities = overloads(listed, self._owner, self._type)
        types |= arities
        for kind in ("returns", "value"):
            for given, node in (
                (each, choice) for each in captures.get(kind, ()) for choice in choices(each)
            ):
                owner = self._giver(given)
                if not owner:
                    continue
                gives = self._declared(node) if kind == "returns" else self._returned(node)
                if kind == "returns":
                    self._say_tuple(types, owner, node, scopes)
                known = self._outside(gives, node, scopes)
                if known is None:
                    continue
                if self.traits.follows_values and _is_yielded(given):
                    _say(types, yielded_by(owner), known.text, several)
                _say(types, result_of(owner), known.text, several if kind == "value" else 1)
        for node in captures.get("extended", ()):
            owner = self._extending(node)
            value, name = self._declared(node), text_of(node)
            if isinstance(scopes.binding(name, scopes.at(node.end_byte)), Unbound):
                value = Expression(Instance(Type((TypePart(TypeVariable(name)),))))
            elif value is None and name.isidentifier():  # one of the language's own
                value = Expression(Instance(Type((TypePart(TypeName(name)),))))
            known = self._outside(value, node, scopes)
            if owner and known is not None:
                types.setdefault(extended_by(owner), known.text)
        for name in self.shapes.results:
            shape = Expression(Instance(Type((TypePart(Shape(name)),))))
            types.setdefault(result_of(name), shape.text)
        for name, value, byte in self.shapes.aliases:
            whole = self.shapes.named(value)
            if whole is not None:
                whole = self.substitute(whole, scopes.at(byte), scopes)
                if not whole.is_unknown:
                    _say(types, name, whole.text, several)
        for name, value in self._results(captures.get("callable", []), scopes):
            types.setdefault(result_of(name), value.text)
        parameters = typed_parameters(listed, self._owner, self._type)
        for name, node, value in parameters:
            known = self._outside(value, node, scopes)
            if known is not None:
                types.setdefault(name, known.text)
        types |= self._taken_by(captures.get("takes", []), scopes)
        types |= self._generics(captures, scopes)
        for literal in (*captures.get("argument", ()), *unnamed):
            whole = self.shapes.named(literal_type(literal))
            scope = scopes.at(literal.start_byte)
            if whole is not None:
                self.taken += [(key, whole, scope) for key in literal_keys(literal)]
        return types, fields

    def _taken_by(self, prototypes: list[Node], scopes: Scopes) -> dict[str, str]:
        """What functions take that say it, by the places of their parameters."""
        found: dict[str, str] = {}
        read = self.traits.parameters
        for prototype in prototypes if read is not None else ():
            owner = self._taker(prototype)
            if owner and self.traits.arity is not None:
                arity = Arity(*self.traits.arity(prototype))
                found.setdefault(arities_of(owner), print_arities([arity]))
            for place, node, value in read(prototype) if read is not None and owner else ():
                known = self._outside(value, node, scopes)
                if known is not None:
                    found.setdefault(parameter_of(owner, Parameter(place)), known.text)
        return found

    def _rebind(
        self,
        scopes: Scopes,
        first: list[tuple[int, str, int]],
        again: list[tuple[Node, Expression]],
        top: dict[str, list[tuple[Node, Expression]]],
        tests: list[Node],
    ) -> None:
        """Gives names that are bound again their new values, in what is left of the block, and
        those whose type a test says that type where it holds.

        `first`: names with their first values, by (scope, name, byte). `top`: all that names of the
        file itself are given.
        """
        found: list[tuple[Rest, str, Expression]] = []
        for node, value in again:
            rest = rest_of_block(node)
            if rest is not None and (self.traits.reassigns or not rest.is_assigned):
                found.append((rest, text_of(node), value))
        for test in tests:
            said = narrowed(test)
            if said is None:
                continue
            known = scopes.binding(text_of(said.name), scopes.at(said.name.start_byte))
            if type(known) is Unbound or (
                type(known) is Expression and type(known.head) is not Local
            ):
                where = Rest(said.body.start_byte, said.body.end_byte, False, False)
                found.append((where, text_of(said.name), said.value))
        given_again = {name for name, given in top.items() if 1 < len(given) <= MAX_REBOUND}
        for name, given in top.items() if given_again else ():
            head = given[0][1].head
            if name not in given_again and not (
                len(given) == 1 and type(head) is Name and head.name in given_again
            ):
                continue
            rests = [rest_of_block(node) for node, _ in given]
            if all(rest is not None and rest.is_top for rest in rests):
                found += [
                    (rest, name, value)
                    for rest, (_, value) in zip(rests, given, strict=True)
                    if rest is not None
                ]
        if not found:
            return
        found.sort(key=lambda each: each[0].start)
        opened = scopes.open(
            [(rest.start, rest.end, REBOUND if rest.is_top else GENERIC) for rest, _, _ in found]
        )
        names = {name for _, name, _ in found}
        waiting = iter(sorted(first, key=lambda each: each[2]))
        bound = next(waiting, None)
        for index, (rest, name, value) in zip(opened, found, strict=True):
            while bound is not None and bound[2] < rest.start:  # in the order of the source
                self._settle(*bound, names, scopes)
                bound = next(waiting, None)
            if type(value.head) is Name and value.head.name in names:
                value = self.substitute(value, scopes.parents[index], scopes)
            scopes.names[index][name] = value
        while bound is not None:
            self._settle(*bound, names, scopes)
            bound = next(waiting, None)

    def _settle(self, scope: int, name: str, byte: int, names: set[str], scopes: Scopes) -> None:
        """What a name is bound to, where that is one of the names that are bound again."""
        bound = scopes.names[scope].get(name)
        if type(bound) is Expression and type(bound.head) is Name and bound.head.name in names:
            scopes.names[scope][name] = self.substitute(bound, scopes.at(byte), scopes)

    def _shadowing(self, name: str, value: Expression, scope: int, scopes: Scopes) -> Expression:
        """`if let Some(name) = name`: the value has the name's meaning outside of the scope."""
        if type(value.head) is not Name or value.head.name != name:
            return value
        outer = scopes.parents[scope]
        known = scopes.binding(name, outer) if outer >= 0 else None
        return self.substitute(value, outer, scopes) if known is not None else value

    def _bind_parameters(
        self,
        captures: dict[str, list[Node]],
        scopes: Scopes,
        late: list[tuple[str, Expression, int]],
    ) -> None:
        """Parameters without a type are what calls of the file hand over."""
        words = {symbol.name for symbol in self.symbols} | set().union(*scopes.names, ())
        calls: list[flows.Handing] = []
        for node in captures.get("handing", ()):
            if len(calls) < flows.MAX_HANDING and (call := flows.handing(node, words)) is not None:
                calls.append(call)
        decorated_definitions = captures.get("decorated", ())
        if not calls and not decorated_definitions:
            return
        for node in captures.get("scope", ()):
            name = flows.name_of(node)
            symbol = self.shapes.symbol(name) if name is not None else None
            if symbol is None:
                continue
            owner = qualified(symbol)
            names = self.parameters[owner] = []
            for parameter, place, default in flows.parameters_of(node):
                names.append(parameter)
                scope = scopes.function(scopes.at(place.start_byte))
                if parameter in self.receiver_keywords or place.type != "identifier":
                    continue
                variable = f"{owner}.{parameter}"
                if isinstance(scopes.names[scope].get(parameter), Unbound):
                    scopes.names[scope][parameter] = Expression(Variable(variable))
                    value = self.shapes.named(expression_of(default))
                    if value is not None:
                        late.append((variable, value, scopes.parents[scope]))
        self._calls = calls
        self._decorated = [(node, scopes.at(node.start_byte)) for node in decorated_definitions]
        self._scopes = scopes
        self._words = words

    def _say_parameters(self, types: dict[str, str]) -> None:
        """What is handed over, once local names are bound."""
        for call in self._calls:
            scope = self._scopes.at(call.node.start_byte)
            callee = self.substitute(call.callee, scope, self._scopes)
            arguments = [
                (where, known.text)
                for where, value in call.arguments
                if (known := self._outside(value, call.node, self._scopes)) is not None
            ]
            if arguments and not callee.is_unknown:
                enclosing = self.enclosing.at(call.node.start_point[0] + 1)
                self.handed.append(HandedOver(callee.text, enclosing, arguments))
        for node, scope in self._decorated:
            definition = node.child_by_field_name("definition")
            name = definition.child_by_field_name("name") if definition is not None else None
            symbol = self.shapes.symbol(name) if name is not None else None
            if symbol is None:
                continue
            value: Expression | None = local(qualified(symbol))
            applied: Expression | None
            enclosing = self.enclosing.at(symbol.start_line)
            enclosing = self.enclosing.parent(enclosing) if enclosing >= 0 else -1
            for decorator in flows.decorators(node):
                applied = self.substitute(decorator, scope, self._scopes) if decorator else None
                if value is None or applied is None or applied.is_unknown:
                    value = None
                    break
                if applied.last_word in self._words:
                    self.handed.append(HandedOver(applied.text, enclosing, [("0", value.text)]))
                value = applied.then(Call())
            if value is not None and value.steps:
                types[decorated(qualified(symbol))] = value.text

    def _put(
        self,
        put: list[tuple[Node, str, Expression, int]],
        late: list[tuple[str, Expression, int]],
        scopes: Scopes,
    ) -> Iterator[tuple[str, Expression, int]]:
        """`table["key"] = f`, where the table is written out in this file."""
        known = {name: value for name, value, _ in reversed(late)}
        for node, key, value, scope in put:
            text = text_of(node)
            owner, _, name = text.rpartition(".")
            bound: object = scopes.binding(text, scope) if scope >= 0 else None
            if bound is None and owner in self.traits.self_words:
                container = self._container(node)
                bound = known.get(f"{container}.{name}")
            elif bound is None and not owner:
                bound = known.get(text)
            head = bound.head if type(bound) is Expression and not bound.steps else None
            for part in head.type.parts if type(head) is Instance else ():
                if type(part.head) is Shape:
                    yield element_of(part.head.qualname, key), value, scope

    def _say_tuple(self, types: dict[str, str], owner: str, node: Node, scopes: Scopes) -> None:
        """What each place of a tuple is that a function is declared to give."""
        for index, each in enumerate(tuple_of(node)):
            known = self._outside(self._declared(each), each, scopes)
            if known is not None:
                types.setdefault(element_of(result_of(owner), str(index)), known.text)

    def _declared(self, node: Node) -> Expression | None:
        return (self.traits.declared or declared_type)(node)

    def _returned(self, node: Node) -> Expression | None:
        return (self.traits.value or returned)(node)

    def _outside(self, value: Expression | None, node: Node, scopes: Scopes) -> Expression | None:
        """What a value at a node is to others; None where that says nothing."""
        value = self.shapes.named(value)
        if value is None:
            return None
        value = self.substitute(value, scopes.at(node.start_byte), scopes)
        return None if value.is_unknown else value

    def _generics(self, captures: dict[str, list[Node]], scopes: Scopes) -> dict[str, str]:
        """Names of type parameters, and what bases are given."""
        found: dict[str, str] = {}
        listed = type_parameters(captures.get("generics", []), self._owner, self._type)
        for name, parameters, node in listed:
            scope = scopes.at(node.start_byte + 1)
            declared = [
                DeclaredParameter(each, self._default(default, scope, scopes))
                for each, default in parameters
            ]
            found.setdefault(name, print_type_parameters(declared))
        for name, base, node in given_bases(captures.get("heir", []), self._owner):
            value = self.shapes.named(base)
            if value is not None:
                value = self.substitute(value, scopes.at(node.start_byte), scopes)
                found.setdefault(name, value.text)
        return found

    def _default(self, default: Type, scope: int, scopes: Scopes) -> Type | None:
        """What a type parameter is where nothing says it."""
        if not default.parts:
            return None
        known = self.substitute(Expression(Instance(default)), scope, scopes)
        return next(known.types()).mapped(self.shapes.named_part)

    def _giver(self, node: Node) -> str:
        """The function that a declared result or a returned value is of."""
        if self.traits.nests:
            name = function_of(node)
            symbol = self.shapes.symbol(name) if name is not None else None
            return self._overload(qualified(symbol), name) if symbol is not None else ""
        if self.traits.extensions:
            index = self.enclosing.at(node.start_point[0] + 1)
            while index >= 0 and self.symbols[index].kind not in _FUNCTION_KINDS:
                index = self.enclosing.parent(index)
            return self._signature(index)
        owner = self.enclosing.of_kind(node.start_point[0] + 1, _FUNCTION_KINDS)
        return qualified(owner) if owner is not None else ""

    def _taker(self, prototype: Node) -> str:
        """The function, or the name of a type of functions, that is declared at a node."""
        index = self.enclosing.at(prototype.start_point[0] + 1)
        while index >= 0 and self.symbols[index].kind not in _TAKING_KINDS:
            index = self.enclosing.parent(index)
        if self.traits.extensions or index < 0:
            return self._signature(index)
        return qualified(self.symbols[index])

    def bind_receivers(self, captures: dict[str, list[Node]], scopes: Scopes) -> None:
        """What the functions are run on that are handed over: their scopes have it."""
        read = self.traits.block_receiver
        for node in captures.get("block", ()) if read is not None else ():
            value = read(node) if read is not None else None
            scope = scopes.at(node.start_byte)
            if value is None or scope < 0:
                continue
            known = self.substitute(value, scopes.parents[scope], scopes)
            if not known.is_unknown and " " not in known.text:
                self._receivers[scope] = known

    def receivers_at(self, scope: int, scopes: Scopes) -> Iterator[Expression]:
        """What bare names in a scope may be members of, the innermost first."""
        while scope >= 0 and self._receivers:
            if scope in self._receivers:
                yield self._receivers[scope]
            scope = scopes.parents[scope]

    def _extending(self, extended: Node) -> str:
        """The signature, or the named extension, that says which type it extends."""
        around = extended.parent
        name = around.child_by_field_name("name") if around is not None else None
        symbol = self.shapes.symbol(name) if name is not None else None
        if symbol is not None:
            return qualified(symbol)
        return self._signature(self.enclosing.at(extended.start_point[0] + 1))

    def _signature(self, index: int) -> str:
        """The signature at an index among the symbols; empty for none."""
        if index < 0:
            return ""
        if not self._signatures:
            numbers: dict[str, int] = {}
            for symbol in self.symbols:
                name = qualified(symbol)
                self._signatures.append(overload(name, numbers.get(name, 0)))
                numbers[name] = numbers.get(name, 0) + 1
        return self._signatures[index]

    def _overload(self, qualname: str, name: Node | None) -> str:
        """The signature, of several of the same name, that a name is in."""
        node = name.parent if name is not None else None
        return overload(qualname, self.overloads.get(node.start_byte, 0) if node else 0)

    def _owner(self, name: Node) -> str:
        """The qualified name of what is named at a node; empty for what no other file can see."""
        of_shape = self.shapes.owner(name)
        if of_shape is not None:
            return f"{of_shape}.{text_of(name)}"
        symbol = self.shapes.symbol(name)
        if symbol is not None:
            return self._overload(qualified(symbol), name)
        container = self._container(name)
        return self._overload(f"{container}.{text_of(name)}", name) if container else ""

    def _type(self, node: Node) -> str:
        owner = self.enclosing.of_kind(node.start_point[0] + 1, TYPE_KINDS)
        if not owner:
            return ""
        return overload(qualified(owner), self.overloads.get(node.start_byte, 0))

    def _results(self, nodes: list[Node], scopes: Scopes) -> Iterator[tuple[str, Expression]]:
        """What calling something gives that is declared with the type of a function."""
        for name, node, declared in callables(nodes):
            value = self._outside(script_type(declared), declared, scopes)
            if value is None:
                continue
            if name is None:
                if owner := self._type(node):
                    yield owner, value
            elif node.type == "property_signature" or node.type == "public_field_definition":
                container = self._container(name)
                if container:
                    yield f"{container}.{text_of(name)}", value
            elif scopes.function(scopes.at(name.start_byte)) < 0:
                yield self.name_at(name), value

    def substitute(self, expression: Expression, scope: int, scopes: Scopes) -> Expression:
        """An expression with local names replaced by what they are bound to."""
        return substitute(expression, scope, scopes, self.receiver_keywords)


def _say(types: dict[str, str], key: str, text: str, several: int) -> None:
    """One more thing that something is said to be."""
    for number in range(several):
        place = alternative(key, number)
        known = types.setdefault(place, text)
        if known == text:
            return


_MAX_BOUNDS = 4
"""Types that a type parameter has to be all of."""


def _bound(names: dict[str, Binding], parameter: str, text: str) -> None:
    """`T: A + B`, and `where T: C` beside it."""
    found = [name for each in text.split("+") if (name := type_name(each))]
    known = names.get(parameter)
    head = known.head if type(known) is Expression and not known.steps else None
    parts = list(head.type.parts) if type(head) is Instance else []
    parts += [part for name in found for part in type_called(name).parts]
    kept = tuple(dict.fromkeys(parts))[:_MAX_BOUNDS]
    names[parameter] = instance(Type(kept)) or UNBOUND if kept else UNBOUND


def _is_yielded(value: Node) -> bool:
    return value.parent is not None and value.parent.type in ("yield", "yield_expression")


def _in_full(symbols: Sequence[Symbol], source: bytes) -> list[Symbol]:
    """Symbols by their last name where one is dotted, and what is named by a text in quotes:
    no name means a test."""
    lines = source.split(b"\n")
    found = []
    quoted: dict[str, str] = {}
    for symbol in symbols:
        if symbol.container in quoted:
            symbol = structs.replace(symbol, container=quoted[symbol.container])
        before, _, last = symbol.name.rpartition(".")
        if before and symbol.kind in TYPE_KINDS:
            container = f"{symbol.container}.{before}" if symbol.container else before
            width = len(before.encode("utf-16-le")) // 2 + 1
            symbol = structs.replace(
                symbol, name=last, container=container, column=symbol.column + width
            )
        elif lines[symbol.line - 1][symbol.column - 1 : symbol.column] == b'"':
            said = qualified(symbol)
            symbol = structs.replace(symbol, name=f'"{symbol.name}"')
            quoted[said] = qualified(symbol)
        found.append(symbol)
    return found


def _callback_bindings(function: Node) -> Iterator[Bound]:
    for name, value in callback_parameters(function):
        if name.type == "object_pattern":
            yield from taken_apart(name, value)
        else:
            yield Bound(name, value)
