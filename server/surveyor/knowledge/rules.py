"""Memory rules as plain data: what is valid, how they are exported, imported and injected."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, cast, get_args

from surveyor.errors import UsageError
from surveyor.files.structured import StructureError, parse_json
from surveyor.protocol.enumerations import RULE_SCOPES, RuleScope

LABEL_MAX = 40
LABEL_ADVISED = 15
"""Agents pay for labels in every session; the seed's limit, now a warning."""
TITLE_MAX = 50
TAGS_MAX = 5
TAG_MAX = 20
PRIORITY_RANGE = (1, 10)
INJECTION_MAX_CHARS = 8000

RuleType = Literal["preference", "behaviour", "constraint", "pattern"]
RULE_TYPES: tuple[str, ...] = get_args(RuleType)

_LABEL = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_SPELLINGS = {"behavior": "behaviour"}
FORMAT = "surveyor-rules"
FORMAT_VERSION = 1


class RuleError(UsageError):
    """A rule that is not valid: which field, and what is allowed."""

    code = "invalid_rule"


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule. Dates are ISO 8601 in UTC; `anchor` is as the user wrote it."""

    label: str
    content: str
    scope: RuleScope = "global"
    title: str = ""
    tags: tuple[str, ...] = ()
    type: RuleType | None = None
    priority: int | None = None
    anchor: str = ""
    created_at: str = ""
    updated_at: str = ""


def checked(rule: Rule) -> tuple[Rule, list[str]]:
    """The rule in its stored form, and warnings.

    Raises `RuleError` naming the field and the limit.
    """
    warnings = []
    label = rule.label.strip()
    if not _LABEL.fullmatch(label):
        raise RuleError(
            f"label {rule.label!r} is not lower-case words joined by hyphens",
            f"for example {suggest_label(rule.label or rule.content)!r}",
        )
    if len(label) > LABEL_MAX:
        raise RuleError(f"label {label!r} has {len(label)} characters; {LABEL_MAX} are allowed")
    if len(label) > LABEL_ADVISED:
        warnings.append(
            f"label {label!r} has {len(label)} characters; up to {LABEL_ADVISED} read best"
        )
    content = _lines(rule.content).strip()
    if not content:
        raise RuleError(f"rule {label!r} has no content", "say in --content what the rule is")
    title = " ".join(rule.title.split())
    if len(title) > TITLE_MAX:
        raise RuleError(f"the title has {len(title)} characters; {TITLE_MAX} are allowed")
    tags = tuple(dict.fromkeys(" ".join(tag.split()) for tag in rule.tags if tag.strip()))
    if len(tags) > TAGS_MAX:
        raise RuleError(f"{len(tags)} tags are too many; {TAGS_MAX} are allowed")
    for tag in tags:
        if len(tag) > TAG_MAX or "," in tag:
            raise RuleError(f"tag {tag!r} is not valid: at most {TAG_MAX} characters and no comma")
    kind = _SPELLINGS.get(rule.type or "", rule.type)
    if kind is not None and kind not in RULE_TYPES:
        raise RuleError(f"type {kind!r} does not exist", f"one of {', '.join(RULE_TYPES)}")
    low, high = PRIORITY_RANGE
    if rule.priority is not None and not low <= rule.priority <= high:
        raise RuleError(f"priority {rule.priority} is not between {low} and {high}")
    return (
        replace(
            rule,
            label=label,
            content=content,
            title=title,
            tags=tags,
            type=cast("RuleType | None", kind),
            anchor=rule.anchor.strip(),
        ),
        warnings,
    )


def suggest_label(text: str) -> str:
    """Two or three words of a text as a label."""
    words: list[str] = re.findall(r"[a-z0-9]+", text.lower())
    label = "-".join(words[:3])
    return label[:LABEL_MAX].rstrip("-") or "my-rule"


def order(rules: Iterable[Rule]) -> list[Rule]:
    """Global rules first, then the project's, each by date of creation (then label)."""
    return sorted(rules, key=lambda one: (one.scope != "global", one.created_at, one.label))


def injection(
    rules: Sequence[Rule], project: str = "", *, max_chars: int = INJECTION_MAX_CHARS
) -> str:
    """The rules as text for an agent's session start; empty when there are none.

    Rules that do not fit are left out whole, lowest priority and newest first, and counted.
    """
    chosen = order(rules)
    by_weight = sorted(chosen, key=lambda one: (-(one.priority or 5), chosen.index(one)))
    room = max_chars
    kept: set[tuple[str, str]] = set()
    for rule in by_weight:
        if room >= (size := len(_injected(rule)) + 1):
            kept.add((rule.scope, rule.label))
            room -= size
    if not chosen:
        return ""
    lines = ["# Rules to follow"]
    for scope, heading in (("global", "In every project"), ("project", f"In {project or 'here'}")):
        part = [one for one in chosen if one.scope == scope and (scope, one.label) in kept]
        if part:
            lines += ["", f"## {heading}", "", *map(_injected, part)]
    if omitted := len(chosen) - len(kept):
        lines += ["", f"{omitted} more did not fit: `surveyor memory list` shows them."]
    return "\n".join(lines) + "\n"


def _injected(rule: Rule) -> str:
    title = f"{rule.title}: " if rule.title and rule.title != rule.content else ""
    anchor = f" (about {rule.anchor})" if rule.anchor else ""
    content = rule.content.replace("\n", "\n  ")
    return f"- **{rule.label}**{anchor}: {title}{content}"


# --- export and import --------------------------------------------------------------------


def to_json(rules: Iterable[Rule]) -> str:
    """All fields, one rule after the other, stable for review in git."""
    entries = []
    for rule in order(rules):
        entry: dict[str, Any] = {
            "label": rule.label,
            "scope": rule.scope,
            "title": rule.title,
            "content": rule.content,
            "tags": list(rule.tags),
            "type": rule.type,
            "priority": rule.priority,
            "anchor": rule.anchor,
            "created_at": rule.created_at,
            "updated_at": rule.updated_at,
        }
        entries.append(
            {name: value for name, value in entry.items() if value not in ("", [], None)}
        )
    document = {"format": FORMAT, "version": FORMAT_VERSION, "rules": entries}
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


def from_json(text: str) -> list[Rule]:
    """Rules of an export, or of a plain list of rules.

    Raises `RuleError` when the text is neither.
    """
    try:
        document = parse_json(text, len(text))
    except StructureError as error:
        raise RuleError(f"this is not JSON: {error}") from error
    entries = document.get("rules") if isinstance(document, dict) else document
    if not isinstance(entries, list):
        raise RuleError("no list of rules in this JSON", 'expected {"rules": [...]}')
    return [_from_fields(entry, number) for number, entry in enumerate(entries, 1)]


def to_markdown(rules: Iterable[Rule]) -> str:
    """One section per rule: its fields as a list, its content quoted so that nothing is lost."""
    parts = ["# Memory rules\n"]
    for rule in order(rules):
        fields = [
            ("scope", rule.scope),
            ("title", rule.title),
            ("tags", ", ".join(rule.tags)),
            ("type", rule.type or ""),
            ("priority", str(rule.priority or "")),
            ("anchor", rule.anchor),
            ("created", rule.created_at),
            ("updated", rule.updated_at),
        ]
        shown = "\n".join(f"- {name}: {value}" for name, value in fields if value)
        quoted = "\n".join(f"> {line}" if line else ">" for line in rule.content.split("\n"))
        parts.append(f"## {rule.label}\n\n{shown}\n\n{quoted}\n")
    return "\n".join(parts)


_FIELD = re.compile(r"- (scope|title|tags|type|priority|anchor|created|updated): ?(.*)")


def from_markdown(text: str) -> list[Rule]:
    """Rules of an export, also after editing by hand (content need not be quoted).

    Raises `RuleError` when a section cannot be a rule.
    """
    rules = []
    sections = re.split(r"^## (.+)$", _lines(text), flags=re.MULTILINE)
    for number, (label, body) in enumerate(zip(sections[1::2], sections[2::2], strict=True), 1):
        entry: dict[str, Any] = {"label": label.strip()}
        content: list[str] = []
        for line in body.strip("\n").split("\n"):
            if not content and (match := _FIELD.fullmatch(line)):
                entry[match[1]] = match[2].strip()
            elif content or line.strip():
                content.append(line)
        while content and not content[-1].strip():
            content.pop()
        if content and all(line.startswith(">") for line in content):
            content = [line[1:].removeprefix(" ") for line in content]
        entry["content"] = "\n".join(content)
        entry["tags"] = [tag for tag in entry.get("tags", "").split(",") if tag.strip()]
        entry["created_at"] = entry.pop("created", "")
        entry["updated_at"] = entry.pop("updated", "")
        rules.append(_from_fields(entry, number))
    return rules


def parse(text: str) -> list[Rule]:
    """Rules of an export in either form, told apart by the first character."""
    return from_json(text) if text.lstrip()[:1] in ("{", "[") else from_markdown(text)


def _from_fields(entry: Any, number: int) -> Rule:
    if not isinstance(entry, dict):
        raise RuleError(f"rule {number} is not an object with label and content")
    scope: Any = entry.get("scope") or "global"
    if scope not in RULE_SCOPES:
        raise RuleError(f"rule {number}: scope {scope!r} is neither global nor project")
    tags = entry.get("tags") or []
    if not isinstance(tags, list) or not all(isinstance(tag, str) for tag in tags):
        raise RuleError(f"rule {number}: tags must be a list of words")
    priority = entry.get("priority")
    if isinstance(priority, str) and priority:
        if not priority.isdecimal():
            raise RuleError(f"rule {number}: priority {priority!r} is not a number")
        priority = int(priority)
    if priority and (isinstance(priority, bool) or not isinstance(priority, int)):
        raise RuleError(f"rule {number}: priority {priority!r} is not a number")
    texts: dict[str, str] = {}
    for name in ("label", "content", "title", "anchor", "created_at", "updated_at"):
        value = entry.get(name) or ""
        if not isinstance(value, str):
            raise RuleError(f"rule {number}: {name} must be text")
        texts[name] = value
    kind = entry.get("type") or None
    return checked(
        Rule(scope=scope, tags=tuple(tags), type=kind, priority=priority or None, **texts)
    )[0]


def _lines(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")
