"""Local names: which region of a file binds them, and what they are bound to.

Built once per file from the captures of `references.scm`. A local name that is no definition of
its own is dropped when it is used; one that is (a function inside a function) is bound to its own
qualified name, so that it is found from inside its scope and from nowhere else.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from msgspec import structs

from surveyor.graph.expressions.bindings import Binding, Imported
from surveyor.graph.expressions.model import Call, Expression, Local, Name, local
from surveyor.parsing.types import Symbol

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["CLASS", "FUNCTION", "GENERIC", "REBOUND", "Scopes", "qualified", "scoped", "scopes_of"]

CLASS, GENERIC, FUNCTION, REBOUND = 1, 2, 3, 4
"""`REBOUND`: what stands behind another value that a name of the file itself is given."""
_OWN = frozenset({CLASS, REBOUND})
"""Whose names what is inside of them does not see."""
_REGIONS = (("scope", FUNCTION), ("class", CLASS), ("generic", GENERIC))
_MEMBERS = frozenset({"method", "constructor", "field", "property", "enum_member"})
"""Definitions that a bare name does not mean: they belong to a class or an object literal."""
_ANONYMOUS = "lambda$"
"""Before the number of a function without a name, in the names of what it defines (as in Java)."""


class Rests:
    """The scopes that say only what one name is by then: what is left of a block.

    Each assignment of a function may open one, in the one before: thousands are around each other,
    and are not walked through.
    """

    def __init__(self, bases: list[int], places: list[int]) -> None:
        self.bases = bases
        """Of each scope, the innermost around it that is of another kind, itself among them; -1 for
        none."""
        self._places = places
        """Of each scope, its place in the order in which they begin, the outer ones first."""
        self._found: dict[tuple[str, int], tuple[list[int], list[int]]] = {}
        """By name and kind: from which place on which scope is the innermost of them."""

    @classmethod
    def of(
        cls,
        order: Sequence[int],
        parents: Sequence[int],
        kinds: Sequence[int],
        names: dict[int, str],
    ) -> Rests:
        """Of all scopes, the outer ones first, and the name that each of these is for."""
        bases, places = [-1] * len(order), [0] * len(order)
        last = list(range(len(order)))
        for place, scope in enumerate(order):
            places[scope] = place
            parent = parents[scope]
            bases[scope] = scope if scope not in names else bases[parent] if parent >= 0 else -1
        for place in range(len(order) - 1, -1, -1):
            if (parent := parents[order[place]]) >= 0:
                last[places[parent]] = max(last[places[parent]], last[place])
        alike: dict[tuple[str, int], list[int]] = {}
        for scope in order:
            if scope in names:
                alike.setdefault((names[scope], kinds[scope]), []).append(scope)
                if kinds[scope] == REBOUND:
                    alike.setdefault(("", REBOUND), []).append(scope)
        made = cls(bases, places)
        for key, scopes in alike.items():
            spans = [(places[scope], last[places[scope]] + 1) for scope in scopes]
            _, starts, owners = _nested(spans, range(len(spans)))
            made._found[key] = starts, [scopes[each] if each >= 0 else -1 for each in owners]
        return made

    def next(self, name: str, scope: int, kind: int) -> int:
        """The innermost scope around one of these, itself among them, that is of such a kind and
        for this name, or is none of these; -1 for none."""
        base = self.bases[scope]
        starts, owners = self._found.get((name, kind), _NONE)
        index = bisect_right(starts, self._places[scope]) - 1
        found = owners[index] if index >= 0 else -1
        if found < 0 or (base >= 0 and self._places[found] < self._places[base]):
            return base
        return found


_NONE: tuple[list[int], list[int]] = ([], [])


@dataclass(slots=True)
class Scopes:
    """The scopes of a file, and the names that each binds."""

    kinds: list[int]
    parents: list[int]
    names: list[dict[str, Binding]]
    starts: list[int]
    owners: list[int]
    spans: list[tuple[int, int]] = field(default_factory=list)
    """Of each scope: its first byte, and the one behind it."""
    named: dict[int, int] = field(default_factory=dict)
    """Byte of a name -> the scope that this name's definition opens around it."""
    rebinds: bool = False
    """Whether there are scopes of the kind `REBOUND`."""
    calls_no_variables: bool = False
    bound_behind: bool = False
    """As in `languages.traits.Traits`."""
    variables: set[str] = field(default_factory=set)
    """Names of variables that mean no type, where types are told apart by where they stand."""
    makes_types: bool = False
    """Whether a type may be the value of a variable, and is told apart from type parameters."""
    declarations: dict[tuple[int, str], list[Node]] = field(default_factory=dict)
    """Where names are declared that a scope has of variables only, by (scope, name), in languages
    whose variables are known in their blocks."""
    reach: Callable[[Node, tuple[int, int]], tuple[int, int]] | None = None
    """Where a variable is known within its function: the first byte, and the one behind it."""
    declared: int = -1
    """Scopes before those that say only what a name is by then; -1 where there are none such."""
    rests: Rests | None = None
    """Those, where there are any."""

    def at(self, byte: int) -> int:
        """The innermost scope around a byte; -1 outside of all."""
        index = bisect_right(self.starts, byte) - 1
        return self.owners[index] if index >= 0 else -1

    def outside(self, byte: int) -> int:
        """The innermost scope around a definition, given the byte of its name."""
        scope = self.at(byte)
        return self.parents[scope] if scope >= 0 and self.named.get(byte) == scope else scope

    def binding(self, name: str, scope: int, byte: int = -1) -> Binding | None:
        """What a local name is bound to, where it is called at a byte; None when it is not
        local."""
        if scope < 0:
            return None
        names, kinds, parents = self.names, self.kinds, self.parents
        bound = names[scope].get(name) if kinds[scope] != REBOUND else None
        rests = self.rests
        while bound is None or (byte >= 0 and not self._is_known(name, scope, byte)):
            scope = parents[scope]
            if rests is not None and scope >= self.declared:
                scope = rests.next(name, scope, GENERIC)
            if scope < 0:
                return None
            bound = names[scope].get(name) if kinds[scope] not in _OWN else None
        return bound

    def _is_known(self, name: str, scope: int, byte: int) -> bool:
        """Whether a name that is bound somewhere in a scope is known at a byte of it."""
        nodes = self.declarations.get((scope, name))
        if nodes is None or self.reach is None:
            return True
        function = self.spans[scope]
        reaches = (self.reach(node, function) for node in nodes)
        return any(first <= byte < end for first, end in reaches)

    def is_of_block(self, value: Expression, scope: int, byte: int) -> bool:
        """Whether a bare name is bound in a block of the function that a byte is outside of."""
        if value.steps or type(value.head) is not Name or not self.declarations:
            return False
        name = value.head.name
        return self.binding(name, scope) is not self.binding(name, scope, byte)

    def is_outside(self, name: str, bound: Binding) -> bool:
        """Whether a name that is called is what stands outside of a local one of its name."""
        if self.calls_no_variables:
            return type(bound) is not Imported and type(getattr(bound, "head", None)) is not Local
        return self.bound_behind and _calls(bound, name)

    def is_given_only(self, name: str, scope: int) -> bool:
        """Whether no function around declares a name that has a value there: it is the file's."""
        if self.rests is None:
            return False
        while (scope := self.rests.bases[scope] if scope >= 0 else -1) >= 0:
            if name in self.names[scope]:
                return False
            scope = self.parents[scope]
        return True

    def rebound(self, name: str, scope: int) -> Expression | None:
        """What a name of the file was given last before code that is in no function."""
        if self.rests is None or not self.rebinds:
            return None
        while scope >= 0 and self.kinds[scope] != FUNCTION:
            if scope >= self.declared:
                scope = self.rests.next(name, scope, REBOUND)
                if scope >= self.declared and name in self.names[scope]:
                    found = self.names[scope][name]
                    return found if type(found) is Expression else None
                if scope < 0 or scope < self.declared:
                    continue
            scope = self.parents[scope]
        return None

    def open(self, regions: Sequence[tuple[int, int, int, str]]) -> range:
        """Adds scopes for one name each, which they do not bind yet: (first byte, byte behind it,
        kind, name). Returns their indexes."""
        first = len(self.kinds)
        self.declared = first if self.declared < 0 else self.declared
        for start, end, kind, _ in regions:
            self.kinds.append(kind)
            self.spans.append((start, end))
            self.names.append({})
            self.rebinds = self.rebinds or kind == REBOUND
        order = sorted(
            range(len(self.kinds)), key=lambda each: (self.spans[each][0], -self.spans[each][1])
        )
        self.parents, self.starts, self.owners = _nested(self.spans, order)
        opened = range(first, len(self.kinds))
        names = dict(zip(opened, (name for _, _, _, name in regions), strict=True))
        self.rests = Rests.of(order, self.parents, self.kinds, names)
        return opened

    def function(self, scope: int) -> int:
        """The scope that a local binding belongs to; -1 at file or class level."""
        while scope >= 0 and self.kinds[scope] == GENERIC:
            scope = self.parents[scope]
            if self.rests is not None and scope >= self.declared:
                scope = self.rests.next("", scope, REBOUND)
        return scope if scope >= 0 and self.kinds[scope] == FUNCTION else -1

    def functions(self, scope: int) -> list[int]:
        """All functions around a scope and itself, the innermost first."""
        found = []
        while scope >= 0:
            if self.kinds[scope] == FUNCTION:
                found.append(scope)
            scope = self.parents[scope]
        return found


def _calls(bound: Binding, name: str) -> bool:
    """Whether a name is bound to what a function of its name gives."""
    return (
        type(bound) is Expression
        and bound.head == Name(name)
        and len(bound.steps) > 0
        and type(bound.steps[0]) is Call
    )


def scopes_of(captures: dict[str, list[Node]]) -> Scopes:
    """The regions of a file that have local names."""
    regions = [
        (node.start_byte, -node.end_byte, kind, node)
        for capture, kind in _REGIONS
        for node in captures.get(capture, ())
    ]
    for head in captures.get("head", ()):
        body = head.next_named_sibling
        end = body.end_byte if body is not None else head.end_byte
        regions.append((head.start_byte, -end, FUNCTION, head))
    regions.sort(key=lambda region: region[:3])
    kinds = [kind for _, _, kind, _ in regions]
    spans = [(start, -negative_end) for start, negative_end, _, _ in regions]
    parents, starts, owners = _nested(spans, range(len(spans)))
    scopes = Scopes(
        kinds=kinds,
        parents=parents,
        names=[{} for _ in regions],
        starts=starts,
        owners=owners,
        spans=spans,
    )
    for index, (_, _, _, node) in enumerate(regions):
        name = node.child_by_field_name("name")
        if name is not None:
            scopes.named[name.start_byte] = index
    return scopes


def _nested(
    spans: Sequence[tuple[int, int]], order: Iterable[int]
) -> tuple[list[int], list[int], list[int]]:
    """Of regions in the order of where they begin, the outer ones first: the region around each,
    where the innermost region changes, and which it is from there on."""
    parents = [-1] * len(spans)
    edges: list[tuple[int, int]] = []
    stack: list[tuple[int, int]] = []  # (end, index)
    for index in order:
        start, last = spans[index]
        while stack and stack[-1][0] <= start:
            end, _ = stack.pop()
            edges.append((end, stack[-1][1] if stack else -1))
        parents[index] = stack[-1][1] if stack else -1
        edges.append((start, index))
        stack.append((last, index))
    while stack:
        end, _ = stack.pop()
        edges.append((end, stack[-1][1] if stack else -1))
    edges.sort(key=lambda edge: edge[0])  # stable: a scope that ends here before one that starts
    return parents, [byte for byte, _ in edges], [owner for _, owner in edges]


def qualified(symbol: Symbol) -> str:
    """Container and name, dotted."""
    return f"{symbol.container}.{symbol.name}" if symbol.container else symbol.name


def scoped(
    symbols: Sequence[Symbol], bytes_of: Sequence[int], scopes: Scopes, source: bytes
) -> list[Symbol]:
    """Symbols with qualified names that differ where the functions around them do.

    What an anonymous function defines gets that function's number among those of its container,
    `describe.lambda$2.helper`, so that callbacks may use the same names; a definition that is
    local to a function is bound in its scope, but for what is put into another thing there
    (`this.Box = class { … }`). `bytes_of` has the byte of each symbol's name, in
    the symbols' order: parents before what they contain.
    """
    made: list[Symbol] = []
    last: dict[str, int] = {}
    numbers: dict[tuple[str, int], str] = {}
    counts: dict[str, int] = {}
    for index, (symbol, byte) in enumerate(zip(symbols, bytes_of, strict=True)):
        around = last.get(symbol.container, -1) if symbol.container else -1
        last[qualified(symbol)] = index
        container = symbol.container if around < 0 else qualified(made[around])
        home = scopes.function(scopes.outside(byte))
        if home >= 0 and (around >= 0 or not symbol.container):
            anonymous = scopes.functions(home)
            if around >= 0:
                outer = set(scopes.functions(scopes.at(bytes_of[around])))
                anonymous = [scope for scope in anonymous if scope not in outer]
                if anonymous and bytes_of[around] not in scopes.named:
                    anonymous.pop()  # its own: const container = () => …
            if anonymous:
                key = (container, anonymous[0])
                if key not in numbers:
                    counts[container] = counts.get(container, 0) + 1
                    number = f"{_ANONYMOUS}{counts[container]}"
                    numbers[key] = f"{container}.{number}" if container else number
                container = numbers[key]
        new = (
            symbol
            if container == symbol.container
            else structs.replace(symbol, container=container)
        )
        made.append(new)
        if home >= 0 and symbol.kind not in _MEMBERS and source[byte - 1 : byte] != b".":
            scopes.names[home][symbol.name] = local(qualified(new))
    return made
