"""What ast-grep is told to look for, and what is wrong with what somebody asked for."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from ast_grep_py import SgRoot

from surveyor.structural.errors import BadPatternError
from surveyor.structural.grammars import Grammar
from surveyor.structural.holes import patterns_of
from surveyor.structural.jobs import PatternSource
from surveyor.structural.patterns import is_whole, rule_of
from surveyor.structural.rule_places import refused_place

__all__ = ["read_source"]

_CAUSE = re.compile(r"^\s*\d+: ", re.MULTILINE)


def read_source(source: PatternSource, grammar: Grammar) -> dict[str, Any]:
    """What ast-grep looks for. Raises `BadPatternError`, which says where it cannot be read."""
    config = source.rule if source.rule else {"rule": rule_of(source.pattern, grammar)}
    problem = _problem(config, grammar)
    if problem is None:
        return config
    where = ""
    if source.rule_text:
        where = refused_place(
            source.rule_text, config, problem, lambda part: _problem(part, grammar)
        )
    place = f" in {where}" if where else ""
    raise BadPatternError(f"the rule cannot be read for {grammar}{place}: {problem}")


def _problem(config: dict[str, Any], grammar: Grammar) -> str | None:
    """What is wrong with a rule; None where ast-grep takes it and can find something by it."""
    try:
        SgRoot("", grammar).root().find(config)  # type: ignore[call-overload]
    except Exception as error:
        return _cause(error)
    return next(_wrong_patterns(config, grammar), None)


def _wrong_patterns(config: dict[str, Any], grammar: Grammar) -> Iterator[str]:
    """What is wrong with the patterns in a rule that nothing is: ast-grep takes them with an error
    in their tree, which no code has that is right."""
    for pattern in dict.fromkeys(patterns_of(config)):
        if is_whole(pattern, grammar):
            continue
        try:
            rule_of(pattern, grammar)
        except BadPatternError as error:
            yield error.message


def _cause(error: Exception) -> str:
    """What ast-grep says of a rule, without its stack."""
    said = str(error).partition("Stack backtrace")[0].strip()
    said = said.removeprefix("cannot get matcher").strip().removeprefix("Caused by:")
    causes = [" ".join(each.split()) for each in _CAUSE.split(said)]
    return "; ".join(causes[-2:]) if said else "it is not said why"
