"""The parts of resolution, and what each offers to the others.

What a name means, what members a value has, what a type is of, what a call gives and what an
expression is are asked of one another in circles: each part is handed `ResolverParts` and reaches
the others through it, by the interfaces below.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple, Protocol

from surveyor.graph.expressions.model import Argument, Expression, Parameter, Type
from surveyor.graph.resolve.values import Value

if TYPE_CHECKING:
    from surveyor.graph.facts import DefinedName, ImportLink
    from surveyor.graph.resolve.model import File

__all__ = [
    "MACRO",
    "MACROS",
    "MAX_DEPTH",
    "CallSite",
    "Calls",
    "Flows",
    "Members",
    "Names",
    "ResolverParts",
    "Types",
    "Values",
]

MACRO = "__using__"
"""What runs where a module is used, in a language whose modules are."""
MACROS = frozenset({MACRO, "using"})
"""The same, and what a template of tests calls it."""
MAX_DEPTH = 12
"""Steps from a name to what it means; real code needs about five."""


class CallSite(NamedTuple):
    """A call as it is written."""

    told: Sequence[Type]
    """The types that it is told."""
    handed: Sequence[Argument] | None
    """What it is handed, as far as that says something; None where nothing is known of it."""
    file: File
    enclosing: int
    given: int


class Names(Protocol):
    """Interface: what bare and imported names mean."""

    def bare(
        self, file: File, name: str, enclosing: int, *, types_only: bool = False
    ) -> list[Value]:
        """What a name without qualifier means inside a definition (index, or -1)."""
        ...

    def module_beside(self, file: File, name: str) -> list[Value]:
        """The module that a file declares under a name which means something else as well."""
        ...

    def imported(self, file: File, link: ImportLink, name: str) -> list[Value]:
        """What an import binds a local name to."""
        ...

    def import_targets(self, file: File, module: str) -> list[Value]:
        """What an import is of: a module, or a type that the file knows by its name alone."""
        ...

    def brought_into(self, file: File, module: DefinedName, name: str) -> list[Value]:
        """What the imports in a module that stands in a file bring into it."""
        ...

    def fixture(self, name: str, file: File, enclosing: int) -> list[Value]:
        """pytest's fixture of a name, as a definition asks for it (index, or -1)."""
        ...

    def extension(
        self, file: File, name: str, enclosing: int, owners: Sequence[Value]
    ) -> list[Value]:
        """Functions that are called like a member of values, but stand outside of their types."""
        ...

    def signatures(self, value: Value) -> Iterator[Value]:
        """All definitions of one name in one place."""
        ...

    def owners(self, file: File, container: str) -> list[Value]:
        """The type that a member defined outside of it belongs to."""
        ...


class Members(Protocol):
    """Interface: the members of values."""

    def member(self, value: Value, name: str, file: File) -> list[Value]:
        """A member of a value by name; `file` is where it is asked from."""
        ...

    def of_all(self, values: Sequence[Value], name: str, file: File) -> list[Value]:
        """A member of several values by name; what else the name may stand for, where none has it
        with its number of type parameters."""
        ...

    def inherited(self, value: Value, name: str, asking: File) -> list[Value]:
        """A member that a class has from its bases."""
        ...

    def bases(self, value: Value, asking: File) -> tuple[list[Value], bool]:
        """The classes that a class extends or implements, and whether some are not known."""
        ...

    def is_open(self, value: Value, file: File) -> bool:
        """Whether a value may have members that the project does not define."""
        ...


class Types(Protocol):
    """Interface: what types and declarations mean."""

    def type(
        self, type: Type, file: File, enclosing: int, depth: int = 0, given: int = 0
    ) -> tuple[list[Value], bool]:
        """Instances of a type, and whether its meaning is known even if it has none here."""
        ...

    def named(self, name: str, file: File, depth: int) -> list[Value]:
        """Instances of a type by its name alone."""
        ...

    def declared(self, value: Value, depth: int, key: str = "") -> list[Value]:
        """What the type facts say about a definition, or of another `key` of its file."""
        ...

    def said(self, value: Value, depth: int, key: str) -> list[Value]:
        """What one fact of a definition's file says, without its alternatives."""
        ...

    def parameter(
        self, value: Value, which: Parameter, file: File, depth: int, call: CallSite | None = None
    ) -> list[Value]:
        """What a function is called with, `which` of its parameters."""
        ...

    def elements(self, value: Value, depth: int, key: str = "") -> list[Value]:
        """What a collection holds, under a key or any."""
        ...

    def yielded(self, value: Value, depth: int) -> list[Value]:
        """What walking through the result of a function gives that yields."""
        ...

    def around(self, file: File, enclosing: int) -> list[Value]:
        """The class around a definition."""
        ...

    def pointed_to(self, value: Value, file: File) -> list[Value]:
        """What an object points to, whose members it has as well."""
        ...

    def parameters_of(self, value: Value, key: str) -> list[str]:
        """Names of the type parameters that a fact declares."""
        ...

    def bound(
        self,
        names: Sequence[str],
        types: Sequence[Type],
        file: File,
        enclosing: int,
        depth: int,
        given: int,
        outer: int = 0,
    ) -> int:
        """What type parameters stand for that are told these types, on top of `outer`."""
        ...


class Calls(Protocol):
    """Interface: the values that calls return."""

    def called(
        self, value: Value, file: File, depth: int, call: CallSite | None = None
    ) -> list[Value]:
        """The result of calling a value."""
        ...

    def overloads(self, value: Value, call: CallSite | None) -> Sequence[str]:
        """The signatures of a value that a call may mean, as qualified names, likeliest first."""
        ...

    def given_by(self, value: Value, call: CallSite | None, depth: int, signature: str) -> Value:
        """A value that is called, with what the call says of its type parameters."""
        ...


class Values(Protocol):
    """Interface: the values of expressions."""

    def evaluate(
        self, expression: Expression, file: File, enclosing: int, depth: int = 0, given: int = 0
    ) -> tuple[list[Value], bool]:
        """Values of an expression, and whether its meaning is known even if it has none here."""
        ...


class Flows(Protocol):
    """What functions are handed."""

    def values(self, file: File, variable: str, depth: int) -> list[Value]:
        """What a variable of a file is, by its qualified name."""
        ...


class ResolverParts(Protocol):
    """All parts of one checkout's resolution."""

    open: set[tuple[object, ...]]
    """Questions that are being answered: one that comes up again inside of itself ends there."""

    @property
    def names(self) -> Names:
        """What bare names mean."""
        ...

    @property
    def members(self) -> Members:
        """What members values have."""
        ...

    @property
    def types(self) -> Types:
        """What types mean, and what is declared."""
        ...

    @property
    def calls(self) -> Calls:
        """What calling gives."""
        ...

    @property
    def flows(self) -> Flows:
        """What functions are handed."""
        ...

    @property
    def values(self) -> Values:
        """What expressions are."""
        ...
