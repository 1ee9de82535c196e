"""Where in its text a rule is wrong: ast-grep says what it refuses, and not where that stands."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import yaml

__all__ = ["key_place", "refused_place"]

MAX_TRIES = 500
"""Parts of a rule that are tried on their own."""
_ANY = {"regex": "."}
"""A rule that stands for parts which are not the ones in question."""
_WHOLE = frozenset({"pattern", "nthChild", "range", "stopBy"})
"""Parts whose own parts are no rules."""
_RELATION_ONLY = frozenset({"stopBy", "field"})
"""Parts of a relation that are no rule without another beside them."""
_QUOTED = re.compile(r"`([^`]+)`")

Refuses = Callable[[dict[str, Any]], str | None]
"""What is wrong with a rule and its parts; None where they are taken."""
_Build = Callable[[Any], dict[str, Any]]


def key_place(text: str, key: str) -> str:
    """Where a key of a rule itself stands, as `line 2, column 1`; empty where it is not found."""
    found = _named(_root(text), key)
    return "" if found is None else _shown(found[0])


def refused_place(text: str, config: dict[str, Any], whole: str, refuses: Refuses) -> str:
    """Where the part stands for which a rule is refused, as `line 2, column 3`.

    `whole` is what is said of all of it. Each part is tried without those beside it; where they are
    only wrong together, it is the place of what that quotes. Empty where that does not tell.
    """
    root = _root(text)
    search = _Search(refuses)
    for part in _parts(config):
        problem = search.problem(part.build(part.value))
        if problem is None:
            continue
        found = _named(root, part.key)
        if found is not None and part.name is not None:
            found = _named(found[1], part.name)
        if found is not None and part.name and search.problem(part.build(_ANY)) is not None:
            return _shown(found[0])  # there is nothing of that name, or it is no rule at all
        if found is not None:
            return _shown(search.innermost(*found, part.value, part.build, problem))
    if root is None:
        return ""
    place = _quoted(root, root, whole)
    return "" if place is root else _shown(place)


@dataclass(frozen=True, slots=True)
class _RulePart:
    """A part of a rule that can be tried when those before it are taken."""

    key: str
    name: str | None
    """Under which it stands below the key; None where it is all that stands there."""
    value: Any
    build: _Build
    """What a value of it is tried as."""


def _parts(config: dict[str, Any]) -> Iterator[_RulePart]:
    rule, utils = config.get("rule"), _dict(config.get("utils"))
    known = dict.fromkeys(utils, _ANY)
    for name, each in utils.items():

        def of_util(value: Any, name: str = name) -> dict[str, Any]:
            return {"rule": _ANY, "utils": {**known, name: value}}

        yield _RulePart("utils", name, each, of_util)
    yield _RulePart("rule", None, rule, lambda value: {"rule": value, "utils": known})
    base = {"rule": rule, "utils": known}
    for name, each in _dict(config.get("constraints")).items():

        def of_constraint(value: Any, name: str = name) -> dict[str, Any]:
            return {**base, "constraints": {name: value}}

        yield _RulePart("constraints", name, each, of_constraint)
    changes = _dict(config.get("transform"))
    for at, (name, each) in enumerate(changes.items()):
        before = dict(islice(changes.items(), at))

        def of_change(
            value: Any, name: str = name, before: dict[str, Any] = before
        ) -> dict[str, Any]:
            return {**base, "transform": {**before, name: value}}

        yield _RulePart("transform", name, each, of_change)


class _Search:
    """Tries parts of a rule, as many as may be."""

    def __init__(self, refuses: Refuses) -> None:
        self._refuses = refuses
        self._left = MAX_TRIES

    def problem(self, config: dict[str, Any]) -> str | None:
        self._left -= 1
        return self._refuses(config) if self._left >= 0 else None

    def innermost(
        self, key: yaml.Node, node: yaml.Node, value: Any, build: _Build, problem: str
    ) -> yaml.Node:
        """The key or value of the innermost part that is refused, of one that is."""
        for inner_key, inner_node, inner, inner_build in _inside(node, value, build):
            inner_problem = self.problem(inner_build(inner))
            if inner_problem is not None:
                name = getattr(inner_key, "value", None)
                if isinstance(name, str) and name in _WHOLE:
                    return _quoted(inner_key, inner_node, inner_problem)
                return self.innermost(inner_key, inner_node, inner, inner_build, inner_problem)
        return _quoted(key, node, problem)


def _inside(
    node: yaml.Node, value: Any, build: _Build
) -> Iterator[tuple[yaml.Node, yaml.Node, Any, _Build]]:
    """The parts of a part: key, node, value, and what a value of it is tried as."""
    if isinstance(value, list) and isinstance(node.value, list):
        for each, inner in zip(node.value, value, strict=False):
            yield each, each, inner, lambda one: build([one])
    elif isinstance(value, dict):
        for name, inner in value.items():
            found = _named(node, name)
            beside = _ANY if name in _RELATION_ONLY else {}

            def alone(
                one: Any, name: str = name, beside: dict[str, str] = beside
            ) -> dict[str, Any]:
                return build({**beside, name: one})

            if found is not None:
                yield *found, inner, alone


def _quoted(key: yaml.Node, node: yaml.Node, problem: str) -> yaml.Node:
    """What a problem quotes of a part, else its key."""
    texts = [each for each in (key, *_scalars(node)) if isinstance(each.value, str)]
    quoted = _QUOTED.findall(problem)
    found = (each for word in quoted for each in texts if each.value == word)
    return next(found, key)


def _scalars(node: yaml.Node) -> Iterator[yaml.Node]:
    """The texts of a tree, keys included; an anchor's once for each place that names it, but never
    within itself."""
    waiting = [(node, 0)]
    left = MAX_TRIES
    while waiting and left:
        left -= 1
        now, depth = waiting.pop()
        if isinstance(now.value, str):
            yield now
        elif depth < MAX_TRIES:
            inner = [part for each in now.value for part in (each if _is_pair(each) else (each,))]
            waiting += [(each, depth + 1) for each in reversed(inner)]


def _is_pair(value: Any) -> bool:
    return isinstance(value, tuple)


def _named(node: yaml.Node | None, name: Any) -> tuple[yaml.Node, yaml.Node] | None:
    """A key of a mapping and its value."""
    pairs = node.value if node is not None and isinstance(node.value, list) else ()
    for each in pairs:
        if _is_pair(each) and each[0].value == str(name):
            return each[0], each[1]
    return None


def _root(text: str) -> yaml.Node | None:
    """The tree of the first rule in a text that is known to be YAML."""
    import yaml  # takes as long to load as a query, and only what is wrong needs it

    documents = yaml.compose_all(text, Loader=yaml.SafeLoader)
    return next((each for each in documents if _named(each, "rule") is not None), None)


def _shown(node: yaml.Node) -> str:
    mark = node.start_mark
    return f"line {mark.line + 1}, column {mark.column + 1}"


def _dict(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}
