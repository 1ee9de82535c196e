"""What a file's calls hand to functions that say no types."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

from surveyor.graph.expressions.bindings import Unbound
from surveyor.graph.expressions.keys import decorated
from surveyor.graph.expressions.model import Call, Expression, Variable, local
from surveyor.graph.extract import flows
from surveyor.graph.extract.extracted import HandedOver
from surveyor.graph.extract.file_definitions import FileDefinitions
from surveyor.graph.extract.scopes import qualified
from surveyor.graph.extract.written_types import expression_of, text_of

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["HandedValues", "Late"]

_WORD = re.compile(rb"\w+")
Late = tuple[str, Expression, int]
"""Something that a definition is, said once all local names are bound: (its key, value, scope)."""


class HandedValues:
    """Calls of one file, and decorators, that hand over functions and objects."""

    def __init__(self, definitions: FileDefinitions) -> None:
        self._definitions = definitions
        self._scopes = definitions.scopes
        self.handed: list[HandedOver] = []
        """What functions of the file are handed that say no types."""
        self.parameters: dict[str, list[str]] = {}
        """Qualified name of such a function -> the names of its parameters."""
        self._calls: list[flows.Handing] = []
        self._decorated: list[tuple[Node, int]] = []
        self._words: set[str] = set()
        self._calls_of: dict[bytes, list[Node]] | None = None
        """Calls that hand something over, by the text of what is called."""
        self._counts: Counter[bytes] = Counter()
        """How often words stand in the file."""

    def bind_parameters(self, captures: dict[str, list[Node]]) -> list[Late]:
        """Parameters without a type are what calls of the file hand over: they are variables from
        here on. Returns the values that they have by default."""
        scopes = self._scopes
        words = {symbol.name for symbol in self._definitions.symbols}
        words = words.union(*scopes.names)
        defaults: list[Late] = []
        calls: list[flows.Handing] = []
        for node in captures.get("handing", ()):
            if len(calls) < flows.MAX_HANDING and (call := flows.handing(node, words)) is not None:
                calls.append(call)
        decorated_definitions = captures.get("decorated", ())
        if not calls and not decorated_definitions:
            return defaults
        for node in captures.get("scope", ()):
            name = flows.name_of(node)
            symbol = self._definitions.shapes.symbol(name) if name is not None else None
            if symbol is None:
                continue
            owner = qualified(symbol)
            names = self.parameters[owner] = []
            for parameter, place, default in flows.parameters_of(node):
                names.append(parameter)
                scope = scopes.function(scopes.at(place.start_byte))
                if parameter in self._definitions.receiver_keywords or place.type != "identifier":
                    continue
                variable = f"{owner}.{parameter}"
                if isinstance(scopes.names[scope].get(parameter), Unbound):
                    scopes.names[scope][parameter] = Expression(Variable(variable))
                    value = self._definitions.shapes.named(expression_of(default))
                    if value is not None and not self._is_always_handed(node, len(names), captures):
                        defaults.append((variable, value, scopes.parents[scope]))
        self._calls = calls
        self._decorated = [(node, scopes.at(node.start_byte)) for node in decorated_definitions]
        self._words = words
        return defaults

    def _is_always_handed(
        self, function: Node, count: int, captures: dict[str, list[Node]]
    ) -> bool:
        """Whether all that can call a function hand it so many arguments: it is named in calls of
        this file only. Nobody says so in Python, where any file may import it."""
        around = function.parent
        if not self._definitions.traits.exports_names or around is None:
            return False
        if function.type == "method_definition":
            body = around.parent
            own = function.child_by_field_name("name")
            is_constructor = own is not None and text_of(own) == "constructor"
            if not is_constructor or body is None or body.parent is None:
                return False
            function, around = body, body.parent
        name = function.child_by_field_name("name")
        if name is None or around.type != "program":
            return False
        if self._calls_of is None:
            self._calls_of = {}
            for call in captures.get("handing", ()):
                called = call.child_by_field_name("function")
                called = called or call.child_by_field_name("constructor")
                if called is not None:
                    self._calls_of.setdefault(called.text or b"", []).append(call)
            self._counts = Counter(_WORD.findall(self._definitions.source))
        calls = self._calls_of.get(name.text or b"", [])
        named = self._counts[name.text or b""]
        if not _WORD.fullmatch(name.text or b""):  # `$`: a mark to some, a letter to others
            named = len(
                re.findall(rb"\b%s\b" % re.escape(name.text or b""), self._definitions.source)
            )
        return named == len(calls) + 1 and all(
            len(listed.named_children) >= count
            and not any(each.type == "spread_element" for each in listed.named_children)
            for call in calls
            if (listed := call.child_by_field_name("arguments")) is not None
        )

    def read_calls(self) -> None:
        """What is handed over, once local names are bound."""
        for call in self._calls:
            scope = self._scopes.at(call.node.start_byte)
            callee = self._definitions.substitute(call.callee, scope)
            arguments = [
                (where, known.text)
                for where, value in call.arguments
                if (known := self._definitions.outside(value, call.node)) is not None
            ]
            if arguments and not callee.is_unknown:
                enclosing = self._definitions.enclosing.at(call.node.start_point[0] + 1)
                self.handed.append(HandedOver(callee.text, enclosing, arguments))

    def read_decorators(self) -> dict[str, str]:
        """Facts of what decorators make of functions; what they are handed is handed over, too."""
        facts: dict[str, str] = {}
        for node, scope in self._decorated:
            definition = node.child_by_field_name("definition")
            name = definition.child_by_field_name("name") if definition is not None else None
            symbol = self._definitions.shapes.symbol(name) if name is not None else None
            if symbol is None:
                continue
            value: Expression | None = local(qualified(symbol))
            applied: Expression | None
            enclosing = self._definitions.enclosing.at(symbol.start_line)
            enclosing = self._definitions.enclosing.parent(enclosing) if enclosing >= 0 else -1
            for decorator in flows.decorators(node):
                applied = self._definitions.substitute(decorator, scope) if decorator else None
                if value is None or applied is None or applied.is_unknown:
                    value = None
                    break
                if applied.last_word in self._words:
                    self.handed.append(HandedOver(applied.text, enclosing, [("0", value.text)]))
                value = applied.then(Call())
            if value is not None and value.steps:
                facts[decorated(qualified(symbol))] = value.text
        return facts
