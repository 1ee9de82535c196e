"""What the names are bound to that a file's functions define for themselves."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from surveyor.graph.expressions.bindings import UNBOUND, Binding, Imported, Unbound
from surveyor.graph.expressions.model import (
    Call,
    Expression,
    Fixture,
    Instance,
    Local,
    Module,
    Name,
    Type,
    TypePart,
    TypeVariable,
    instance,
    type_called,
)
from surveyor.graph.extract.file_definitions import FileDefinitions
from surveyor.graph.extract.narrowing import MEMBERS, narrowed
from surveyor.graph.extract.rebinding import Rest, rest_of_block
from surveyor.graph.extract.scopes import GENERIC, REBOUND
from surveyor.graph.extract.type_names import type_name
from surveyor.graph.extract.type_parameters import type_parameter
from surveyor.graph.extract.written_types import expression_of, text_of
from surveyor.graph.languages.traits import LocalImportReader

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["LocalNames"]

MAX_REBOUND = 40
"""Values of one name of the file itself: with more it is data."""
_MAX_BOUNDS = 4
"""Types that a type parameter has to be all of."""


class LocalNames:
    """Enters names into the scopes of one file, with what they are bound to."""

    def __init__(self, definitions: FileDefinitions) -> None:
        self._definitions = definitions
        self._scopes = definitions.scopes
        self._scopes.makes_types = definitions.traits.separate_types
        self.fixtures: list[Node] = []
        """Parameters that stand for a pytest fixture."""
        self._receivers: dict[int, Expression] = {}
        """By scope: what the function is run on that it is of."""
        self._has_rest_with_receiver = False
        self._first: list[tuple[int, str, int]] = []
        """Names with their first values, by (scope, name, byte)."""
        self._again: list[tuple[Node, Expression]] = []
        self.tested_members: list[tuple[str, Rest, Expression]] = []
        """Members that a test says the type of, as they are written, and where that holds."""
        self._changed: set[tuple[int, str]] = set()
        """Names that have more than one value, by (scope, name)."""
        self._top: dict[str, list[tuple[Node, Expression]]] = {}
        """All that names of the file itself are given."""

    def bind(self, captures: dict[str, list[Node]]) -> dict[int, Node]:
        """Enters local names into their scopes; returns module-level bindings by byte."""
        scopes = self._scopes
        outside: dict[int, Node] = {}
        taken: set[tuple[int, str]] = set()
        for node in captures.get("global", ()):
            scope = scopes.function(scopes.at(node.start_byte))
            taken.add((scope, text_of(node)))
        traits = self._definitions.traits
        scopes.reach = self._reach if traits.blocks else None
        apart = traits.tagged_types
        forward: dict[str, list[int]] = {}
        if self._definitions.traits.declares_ahead:
            for symbol in self._definitions.symbols:
                forward.setdefault(symbol.name, []).append(symbol.line)
        for node in captures.get("local", ()):
            start = node.start_byte
            scope = scopes.function(scopes.at(start))
            name = text_of(node)
            if apart:
                scopes.variables.add(name)
            if scope < 0 or (scope, name) in taken:
                outside[start] = node
                continue
            point = node.start_point
            column = self._definitions.columns(point[0], point[1], 0)[0]
            if name in forward and _is_defined_behind(node, forward[name]):
                continue
            if (point[0], column) not in self._definitions.places:
                if scopes.reach is not None:
                    if name not in scopes.names[scope]:
                        scopes.declarations[scope, name] = [node]
                    elif (nodes := scopes.declarations.get((scope, name))) is not None:
                        nodes.append(node)
                scopes.names[scope].setdefault(name, UNBOUND)
        for node in captures.get("named", ()):
            scope = scopes.function(scopes.outside(node.start_byte))
            if scope >= 0:
                scopes.names[scope].setdefault(text_of(node), UNBOUND)
                scopes.declarations.pop((scope, text_of(node)), None)
        keeps = self._definitions.traits.keeps_type_parameters
        for node in captures.get("typevar", ()):
            scope = scopes.at(node.start_byte)
            if scope >= 0:
                name = text_of(node)
                variable = Expression(Instance(Type((TypePart(TypeVariable(name)),))))
                scopes.names[scope].setdefault(name, variable if keeps else UNBOUND)
        for node in captures.get("fixture", ()):
            scope = scopes.function(scopes.at(node.start_byte))
            name = text_of(node)
            if scope >= 0 and name not in self._definitions.receiver_keywords:
                scopes.names[scope][name] = Expression(Fixture(name), (Call(),))
                self.fixtures.append(node)
        self.fixtures += captures.get("asked", ())
        for node in captures.get("bounded", ()):
            parts = node.named_children
            scope = scopes.at(node.start_byte)
            if scope >= 0 and node.type == "type_parameter" and keeps:
                name, known = type_parameter(node)
                scopes.names[scope][name] = self._definitions.shapes.named(known) or UNBOUND
            elif scope >= 0 and len(parts) > 1:
                text = text_of(parts[1]).lstrip(": ").removeprefix("extends ")
                _bound(scopes.names[scope], text_of(parts[0]), text)
        if (read := self._definitions.traits.type_bounds) is not None:
            for node, parameter, text in read(captures.get("generic", ())):
                scope = scopes.at(node.start_byte + 1)
                if scope >= 0 and parameter in scopes.names[scope]:
                    _bound(scopes.names[scope], parameter, text)
        if self._definitions.traits.local_imports is not None:
            self._bind_imports(captures, self._definitions.traits.local_imports)
        return outside

    def _reach(self, name: Node, function: tuple[int, int]) -> tuple[int, int]:
        """Where a variable is known, given the function that it is of: in the block that declares
        it, from there on where what stands before means something else."""
        traits = self._definitions.traits
        around = name.parent
        while around is not None and function[0] <= around.start_byte:
            span = around.start_byte, around.end_byte
            if span == function or around.type in traits.hoisted:
                break
            if around.type in traits.blocks:
                return (span[0] if traits.hoisted else name.start_byte), span[1]
            around = around.parent
        return function

    def _bind_imports(self, captures: dict[str, list[Node]], read: LocalImportReader) -> None:
        """What a function imports is what its parameter of that name becomes:
        `if Response is None: from .wrappers import Response`. Where the module defines the name
        itself, the import hides that; so it does in languages whose functions import by calls, each
        its own."""
        scopes, traits = self._scopes, self._definitions.traits
        hidden = {symbol.name for symbol in self._definitions.symbols if not symbol.container}
        inside: list[tuple[int, Node]] = []
        for node in captures.get("import", ()):
            scope = scopes.function(scopes.at(node.start_byte))
            if scope >= 0:
                inside.append((scope, node))
            elif traits.binds_top_package:
                hidden |= {alias for alias, _, _ in read(node)}
        for scope, node in inside:
            for alias, module, original in read(node):
                scopes.names[scope].pop(alias, None)
                if module and (alias in hidden or traits.exports_names):
                    scopes.names[scope][alias] = Imported(module, original)
                elif traits.binds_top_package and not module:
                    top, _, below = original.partition(".")
                    name = alias if alias != original else top
                    if name in hidden:  # by its whole name, or by the package that it is in
                        loaded = Module(original if alias != original or not below else top, False)
                        scopes.names[scope][name] = Expression(loaded)

    def bind_receivers(self, captures: dict[str, list[Node]]) -> None:
        """What the functions are run on that are handed over: their scopes have it."""
        scopes, read = self._scopes, self._definitions.traits.block_receiver
        for node in captures.get("block", ()) if read is not None else ():
            value = read(node) if read is not None else None
            scope = scopes.at(node.start_byte)
            if value is None or scope < 0:
                continue
            known = self._definitions.substitute(value, scopes.parents[scope])
            if not known.is_unknown and " " not in known.text:
                self._receivers[scope] = known
                if 0 <= scopes.declared <= scope:
                    self._has_rest_with_receiver = True

    def tested(self, value: Expression, at: int) -> Expression:
        """What a test says that a member is at a byte of the file, else the member itself."""
        for text, where, narrowed_to in reversed(self.tested_members):
            if text == value.text and where.start <= at < where.end:
                return narrowed_to
        return value

    def receivers_at(self, scope: int) -> Iterator[Expression]:
        """What bare names in a scope may be members of, the innermost first."""
        rests, declared = self._scopes.rests, self._scopes.declared
        while scope >= 0 and self._receivers:
            if scope in self._receivers:
                yield self._receivers[scope]
            elif rests is not None and scope >= declared and not self._has_rest_with_receiver:
                scope = rests.bases[scope]
                continue
            scope = self._scopes.parents[scope]

    def _shadowing(self, name: str, value: Expression, scope: int) -> Expression:
        """`if let Some(name) = name`: the value has the name's meaning outside of the scope."""
        if type(value.head) is not Name or value.head.name != name:
            return value
        outer = self._scopes.parents[scope]
        known = self._scopes.binding(name, outer) if outer >= 0 else None
        return self._definitions.substitute(value, outer) if known is not None else value

    def give(self, node: Node, value: Expression, function: int) -> str:
        """Gives a function's local name a value.

        Returns the qualified name of a definition of its own: what it is given others may ask for.
        """
        scopes = self._scopes
        names, name = scopes.names[function], text_of(node)
        bound = names.get(name)
        head = bound.head if type(bound) is Expression else None
        declares = type(value.head) is Instance
        if type(bound) is Unbound or (type(head) is Fixture and declares):
            names[name] = self._shadowing(name, value, function)
            self._first.append((function, name, node.start_byte))
        elif type(head) is Local:
            return head.qualname
        elif type(bound) is Imported and type(value.head) is Module:
            return ""  # what it is has been read as an import
        elif bound != value or (function, name) in self._changed:
            self._changed.add((function, name))
            self._again.append((node, value))
        return ""

    def give_at_top(self, node: Node, value: Expression) -> None:
        """One more value of a name of the file itself."""
        if self._definitions.traits.reassigns:
            self._top.setdefault(text_of(node), []).append((node, value))

    def rebind(self, tests: list[Node]) -> None:
        """Gives names that are bound again their new values, in what is left of the block, and
        those whose type a test says that type where it holds."""
        scopes, top = self._scopes, self._top
        found: list[tuple[Rest, str, Expression]] = []
        for node, value in self._again:
            rest = rest_of_block(node)
            if rest is not None and (self._definitions.traits.reassigns or not rest.is_assigned):
                found.append((rest, text_of(node), value))
        for said in (each for test in tests for each in narrowed(test)):
            if said.name.type in MEMBERS:
                if (whole := expression_of(said.name)) is not None:
                    self.tested_members.append((whole.text, said.where, said.value))
                continue
            tested = text_of(said.name).lstrip("$")  # of PHP
            known = scopes.binding(tested, scopes.at(said.name.start_byte))
            if type(known) is Unbound or (
                type(known) is Expression and type(known.head) is not Local
            ):
                found.append((said.where, tested, said.value))
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
            [
                (rest.start, rest.end, REBOUND if rest.is_top else GENERIC, name)
                for rest, name, _ in found
            ]
        )
        names = {name for _, name, _ in found}
        waiting = iter(sorted(self._first, key=lambda each: each[2]))
        bound = next(waiting, None)
        for index, (rest, name, value) in zip(opened, found, strict=True):
            while bound is not None and bound[2] < rest.start:  # in the order of the source
                self._settle(*bound, names)
                bound = next(waiting, None)
            if type(value.head) is Name and value.head.name in names:
                value = self._definitions.substitute(value, scopes.parents[index])
            scopes.names[index][name] = value
        while bound is not None:
            self._settle(*bound, names)
            bound = next(waiting, None)

    def _settle(self, scope: int, name: str, byte: int, names: set[str]) -> None:
        """What a name is bound to, where that is one of the names that are bound again."""
        scopes = self._scopes
        bound = scopes.names[scope].get(name)
        if type(bound) is Expression and type(bound.head) is Name and bound.head.name in names:
            scopes.names[scope][name] = self._definitions.substitute(bound, scopes.at(byte))


def _is_defined_behind(node: Node, lines: Sequence[int]) -> bool:
    """Whether one of the definitions on some lines is of a name that is declared before it in the
    same block: `local walk; function walk() … end`."""
    block = node.parent
    while block is not None and block.type not in ("block", "chunk"):
        block = block.parent
    last = block.end_point[0] + 1 if block is not None else 0
    return any(node.start_point[0] + 1 < line <= last for line in lines)


def _bound(names: dict[str, Binding], parameter: str, text: str) -> None:
    """`T: A + B`, and `where T: C` beside it."""
    found = [name for each in text.split("+") if (name := type_name(each))]
    known = names.get(parameter)
    head = known.head if type(known) is Expression and not known.steps else None
    parts = list(head.type.parts) if type(head) is Instance else []
    parts += [part for name in found for part in type_called(name).parts]
    kept = tuple(dict.fromkeys(parts))[:_MAX_BOUNDS]
    names[parameter] = instance(Type(kept)) or UNBOUND if kept else UNBOUND
