"""What stands in the head of a function and is looked up around it: decorators, defaults, types.

`def run(self, timeout=timeout, kind: Kind = DEFAULT)`: none of these names is the function's own,
even where a parameter has it; of a method, they may be what the class has defined for itself.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple

from surveyor.graph.expressions.model import Expression, Local, Name
from surveyor.graph.extract.file_definitions import FileDefinitions

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["FunctionHeads"]

_SAME = -2
"""The scope of a head is the one that its text is in."""
_ACCESSORS = frozenset({"setter", "getter", "deleter"})
"""What the language's own properties have."""


class _Head(NamedTuple):
    start: int
    negative_end: int
    scope: int
    owner: str
    """The class whose body it stands in; empty for none."""
    line: int


class FunctionHeads:
    """The heads of a file's functions, asked in the order of the source."""

    def __init__(self, definitions: FileDefinitions, functions: list[Node]) -> None:
        self._definitions = definitions
        self._members: dict[str, dict[str, int]] = defaultdict(dict)
        """Of each container, its members with the line where each is first defined."""
        for symbol in definitions.symbols:
            self._members[symbol.container].setdefault(symbol.name, symbol.line)
        self._heads = sorted(head for each in functions for head in self._heads_of(each))
        self._next = 0
        self._around: list[_Head] = []

    def _heads_of(self, function: Node) -> list[_Head]:
        listed = function.child_by_field_name("parameters")
        around, owner = function.parent, ""
        decorators: list[Node] = []
        if around is not None and around.type == "decorated_definition":
            decorators = [each for each in around.named_children if each.type == "decorator"]
            around = around.parent
        above = around.parent if around is not None and around.type == "block" else None
        if above is not None and above.type == "class_definition":
            name = above.child_by_field_name("name")
            owner = self._definitions.defined_at(name) if name is not None else ""
        line = function.start_point[0] + 1
        found = [_Head(each.start_byte, -each.end_byte, _SAME, owner, line) for each in decorators]
        if listed is not None and function.child_by_field_name("type_parameters") is None:
            last = function.child_by_field_name("return_type") or listed
            scope = self._definitions.scopes.at(function.start_byte - 1)
            found.append(_Head(listed.start_byte, -last.end_byte, scope, owner, line))
        return found

    def at(self, byte: int, scope: int) -> int:
        """The scope that a name at a byte is looked up in, outside of a class."""
        heads, around = self._heads, self._around
        while self._next < len(heads) and heads[self._next].start <= byte:
            around.append(heads[self._next])
            self._next += 1
        while around and -around[-1].negative_end <= byte:
            around.pop()
        if not around or around[-1].scope == _SAME:
            return scope
        return around[-1].scope

    def member(self, name: str) -> Local | None:
        """What the class around the head that was asked for last has defined by then."""
        head = self._around[-1] if self._around else None
        if head is None or not head.owner:
            return None
        first = self._members.get(head.owner, {}).get(name, head.line)
        return Local(f"{head.owner}.{name}") if first < head.line else None

    def owned(self, value: Expression) -> Expression | None:
        """A value whose first name is of the class."""
        head = self.member(value.head.name) if type(value.head) is Name else None
        return Expression(head, value.steps) if head is not None else None

    @staticmethod
    def is_of_property(name: str, value: Expression) -> bool:
        """Whether a member is one of a property, not of what this gives: `@size.setter`."""
        return name in _ACCESSORS and type(value.head) is Local and not value.steps
