"""Uses for which no definition was found, and that may mean one of the project all the same.

Most uses without a definition are of something from elsewhere, and something says so: an import of
another package, the type of a receiver. Those of which nothing says so are kept by their names, so
that whoever asks for the uses of a definition is told of the places that were not followed.
"""

from __future__ import annotations

from collections.abc import Sequence

from surveyor.graph.expressions.bindings import CalledWith, Imported
from surveyor.graph.expressions.grammar import parse_qualifier
from surveyor.graph.expressions.keys import CALLED, OWN_VARIABLE, parse_module, without_arity
from surveyor.graph.expressions.model import (
    Call,
    Element,
    Expression,
    GivenArguments,
    Name,
    Unknown,
)
from surveyor.graph.facts import KIND_CODES
from surveyor.graph.left_uses import Standing
from surveyor.graph.resolve.candidates import NameCandidates
from surveyor.graph.resolve.collections import HOLDER, is_holder, may_hold
from surveyor.graph.resolve.evaluate import CheckoutEvaluation
from surveyor.graph.resolve.model import File
from surveyor.graph.resolve.values import NAMESPACE_KINDS, TYPE_KINDS, Value

__all__ = ["UnexplainedUses"]

_IMPORT, _IMPLICIT = KIND_CODES["import"], KIND_CODES["implicit"]
_OBJECTS = frozenset({"console", "document", "global", "globalThis", "process", "window"})
_MODULES = frozenset({"module", "package", "folder"})
_MAY_PASS_ON = frozenset({Call, Element, GivenArguments})
"""Steps behind which a value of a type from elsewhere may be the project's: an element of a list,
what an iterator gives."""


class UnexplainedUses:
    """Which uses without a definition nothing explains, in one checkout."""

    def __init__(self, meaning: CheckoutEvaluation, candidates: NameCandidates) -> None:
        self._meaning = meaning
        self._candidates = candidates

    def of(
        self, file: File, names: str, kind: int, qualifier: str, enclosing: int
    ) -> list[tuple[str, Standing]]:
        """The names that a use without a definition may mean, each with what it stands on."""
        if kind == _IMPLICIT or names == CALLED:
            return []
        plain = without_arity(names)
        every = plain.split("/") if "/" in plain else (plain,)
        wanted = [name for name in every if self._is_defined(name, file)]
        if not wanted:
            return []
        if kind == _IMPORT:
            return self._in_module(wanted, self._is_of_project(file, qualifier, wanted[0]))
        said = parse_qualifier(qualifier)
        before = said.before if isinstance(said, CalledWith) else said
        if type(before) is Imported:
            of_project = self._is_of_project(file, before.module, before.name)
            return self._in_module(wanted, of_project)
        if before is None:
            return self._in_module([n for n in wanted if self._is_brought(file, n)], True)
        if type(before) is not Expression or before.text == OWN_VARIABLE:
            return []
        standing = self._standing(file, before, enclosing)
        return [(name, standing) for name in wanted] if standing is not None else []

    def _in_module(self, names: Sequence[str], of_project: bool) -> list[tuple[str, Standing]]:
        return [(name, "module") for name in names] if of_project else []

    def _is_defined(self, name: str, file: File) -> bool:
        return bool(self._candidates.of(name, file.platform))

    def _is_of_project(self, file: File, module: str, name: str) -> bool:
        """Whether a module that something is imported from is one of the project."""
        module, _ = parse_module(module, name)
        return bool(module and self._meaning.modules.modules(module, file)[0])

    def _is_brought(self, file: File, name: str) -> bool:
        """Whether an import of a module of the project brings a name."""
        bound = self._meaning.names.bound(file, name)
        return bound is not None and self._is_of_project(file, bound[0].module, name)

    def _standing(self, file: File, before: Expression, enclosing: int) -> Standing | None:
        """What a use stands on; None where that is known to be something without the name."""
        if type(before.head) is Unknown:
            return None if _is_built_in(before, file) else "value"
        values, known = self._meaning.values.evaluate(before, file, enclosing)
        if not values:
            if not known:
                return None if _is_built_in(before, file) else "value"
            return "given" if self._may_be_given(file, before, enclosing) else None
        if any(each.tag in _MODULES or self._kind(each) in NAMESPACE_KINDS for each in values):
            return "module"
        if any(each.tag == HOLDER for each in values):
            return "given"
        return "value" if all(self._is_untyped(each) for each in values) else None

    def _may_be_given(self, file: File, before: Expression, enclosing: int) -> bool:
        """Whether what something from elsewhere gives may be of the project: that is, or holds,
        something of it."""
        if not any(type(step) in _MAY_PASS_ON for step in before.steps):
            return False
        head = before.head
        if may_hold(before) or (type(head) is Name and is_holder(head.name)):
            return True
        return bool(self._meaning.values.evaluate(Expression(head), file, enclosing)[0])

    def _is_untyped(self, value: Value) -> bool:
        """Whether it is a variable or the like of which no type is known."""
        return (
            value.tag == "node"
            and self._kind(value) not in TYPE_KINDS
            and not self._meaning.members.is_of_elsewhere(value)
        )

    def _kind(self, value: Value) -> str:
        return self._meaning.files.kind(value)


def _is_built_in(value: Expression, file: File) -> bool:
    """Whether a receiver is one of the language's own objects: `Array.isArray`, `console.log`."""
    if not file.traits.literal_objects:
        return False
    word = (value.head.name if type(value.head) is Name else value.text.lstrip("?")).split(".")[0]
    return word[:1].isupper() or word in _OBJECTS
