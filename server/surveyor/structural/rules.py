"""What somebody looks for: a pattern, or one of ast-grep's rules in YAML."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from surveyor.structural.errors import BadPatternError
from surveyor.structural.holes import HOLE, holes_of
from surveyor.structural.jobs import PatternSource
from surveyor.structural.rule_places import key_place

__all__ = ["StructuralQuery", "source_of"]

MAX_RULE_CHARS = 64_000
MAX_RULE_PARTS = 20_000
"""Aliases are counted as often as they stand: a few lines of them can mean terabytes."""
MAX_RULE_DEPTH = 100
_RULES_KEY = re.compile(r"^(?:rule|id|language):", re.MULTILINE)
"""What a line of a rule begins with, and hardly one of a pattern."""
_NO_YAML = (RecursionError, ValueError, LookupError, AttributeError, TypeError)
"""Raised by PyYAML beside its own errors; the last four by its constructors, as for `!!int ''`."""
_LOOKED_FOR = ("rule", "constraints", "utils", "transform")
_READ_HERE = frozenset({"language", "fix", "files", "ignores"})
_SAID_ONLY = frozenset({"id", "message", "note", "severity", "url", "metadata", "labels"})
"""Keys of a rule that do not decide what it matches."""


@dataclass(frozen=True, slots=True)
class StructuralQuery:
    """What a text asks for."""

    source: PatternSource
    language: str | None = None
    """The one that a rule names."""
    paths: tuple[str, ...] = ()
    """Globs of a rule: its `files`, and its `ignores` with a `!`."""


def source_of(text: str, rewrite: str | None = None) -> StructuralQuery:
    """What a text asks for: a rule, if it is YAML with a `rule`, else a pattern.

    A rule's `fix` is its rewriting where none is given. Raises `BadPatternError`.
    """
    told = _rule_in(text)
    if told is None:
        return StructuralQuery(_whole(PatternSource(pattern=text.strip("\n"), rewrite=rewrite)))
    unknown = sorted(set(map(str, told)) - {*_LOOKED_FOR, *_READ_HERE, *_SAID_ONLY})
    if unknown:
        raise BadPatternError(
            f"a rule with {', '.join(unknown)} is not understood here{_in(text, unknown[0])}"
        )
    fix = _template(told.get("fix"), text)
    language = told.get("language")
    return StructuralQuery(
        _whole(
            PatternSource(
                rule=_bounded({key: told[key] for key in _LOOKED_FOR if key in told}),
                rule_text=text,
                rewrite=fix if rewrite is None else rewrite,
            ),
            is_own=rewrite is None,
        ),
        None if language is None else str(language),
        (*_globs(told, "files", text), *(f"!{each}" for each in _globs(told, "ignores", text))),
    )


def _whole(source: PatternSource, *, is_own: bool = False) -> PatternSource:
    """A source whose rewriting, the rule's own or not, has only holes that its pattern fills; any
    other would be rewritten to nothing. Raises `BadPatternError`."""
    made = source.rule.get("transform")
    known = {each.lstrip("$") for each in holes_of(source)} | set(made if made else ())
    asked = {each[0] for each in HOLE.finditer(source.rewrite or "")}
    unknown = sorted(each for each in asked if each.lstrip("$") not in known)
    if unknown:
        where = _in(source.rule_text, "fix") if is_own else ""
        raise BadPatternError(
            f"the rewriting has {', '.join(unknown)}, and the pattern has no such hole{where}",
            f"It has {', '.join(holes_of(source)) or 'none'}.",
        )
    return source


def _template(fix: Any, text: str) -> str | None:
    """What a rule's `fix` makes of a match."""
    if isinstance(fix, dict) and set(fix) <= {"template", "title"}:
        fix = fix.get("template", "")
    if fix is not None and not isinstance(fix, str):
        raise BadPatternError(
            f"a rule's `fix` is understood as a text, or as its `template`{_in(text, 'fix')}"
        )
    return fix


def _globs(told: dict[str, Any], key: str, text: str) -> tuple[str, ...]:
    """The globs that stand under a key: texts, or objects with a `glob`."""
    value = told.get(key)
    each = [] if value is None else value if isinstance(value, list) else [value]
    globs = [one.get("glob") if isinstance(one, dict) else one for one in each]
    if not all(isinstance(one, str) and one for one in globs):
        raise BadPatternError(f"a rule's `{key}` is a list of globs{_in(text, key)}")
    return tuple(str(one).removeprefix("./") for one in globs)


def _rule_in(text: str) -> dict[str, Any] | None:
    """A rule that a text is; None for a pattern."""
    if "rule:" not in text:
        return None
    if len(text) > MAX_RULE_CHARS:
        raise BadPatternError(f"the rule is longer than {MAX_RULE_CHARS} characters")
    import yaml  # takes as long to load as a query, and patterns do without

    try:
        documents = [each for each in yaml.safe_load_all(text) if each is not None]
    except (yaml.YAMLError, *_NO_YAML) as error:
        if not _RULES_KEY.search(text):
            return None
        said = _place_and_problem(error) if isinstance(error, yaml.YAMLError) else ""
        raise BadPatternError(f"the rule is no YAML{said}") from None
    rules = [each for each in documents if isinstance(each, dict)]
    if not rules or not all(isinstance(each.get("rule"), dict) for each in rules):
        if rules and _RULES_KEY.search(text) and any("language" in each for each in rules):
            where = _in(text, "rule")
            raise BadPatternError(f"a rule's `rule` has parts, such as `pattern` and `kind`{where}")
        return None
    if len(documents) > 1:
        raise BadPatternError(f"there are {len(documents)} rules, and one is looked for at a time")
    return rules[0]


def _in(text: str, key: str) -> str:
    """Where a key of the rule stands, behind a sentence about it."""
    place = key_place(text, key)
    return f" ({place})" if place else ""


def _place_and_problem(error: Exception) -> str:
    """Where a text is no YAML, and why; a marked error of PyYAML's names a stream and quotes it."""
    mark = getattr(error, "problem_mark", None)
    where = "" if mark is None else f" in line {mark.line + 1}, column {mark.column + 1}"
    why = getattr(error, "problem", None) or (str(error) if mark is None else "")
    return f"{where}: {' '.join(why.split())}" if why else where


def _bounded(rule: dict[str, Any]) -> dict[str, Any]:
    """A rule that can be sent to workers. Raises `BadPatternError` for any other."""
    left = MAX_RULE_PARTS
    waiting: list[tuple[Any, int]] = [(rule, 0)]
    while waiting:
        value, depth = waiting.pop()
        left -= 1
        if left < 0 or depth > MAX_RULE_DEPTH:
            raise BadPatternError("the rule has too many parts, or refers to itself")
        if isinstance(value, dict):
            waiting += ((each, depth + 1) for pair in value.items() for each in pair)
        elif isinstance(value, list):
            waiting += ((each, depth + 1) for each in value)
        elif not _is_sent(value):
            raise BadPatternError(f"a rule has no {type(value).__name__} such as {value!r:.80}")
    return rule


def _is_sent(value: Any) -> bool:
    if isinstance(value, str):
        return not any("\ud800" <= each <= "\udfff" for each in value)
    if isinstance(value, int):
        return abs(value) < 1 << 63
    return value is None or isinstance(value, float)
