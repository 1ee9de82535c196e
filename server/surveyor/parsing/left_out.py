"""What leaves out everything in a folder of which nothing can be indexed, and what to do."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from surveyor.parsing.ignore import PATTERNS, Ignore, RuleAt, is_dependency_folder
from surveyor.paths import is_there
from surveyor.units import counted

MAX_ENTRIES = 2000
"""Most entries of a folder that are looked at: the rule of the first ones is that of the rest."""
MAX_FOLDERS = 200
NAMED = 3
"""Rules, and repositories of their own, that are named."""


@dataclass(slots=True)
class _LeftOut:
    by_rule: dict[RuleAt, list[str]] = field(default_factory=dict)
    """The entries that each rule names; what is below a folder is not counted."""
    repositories: list[str] = field(default_factory=list)
    dependencies: list[str] = field(default_factory=list)


def why_nothing(root: Path, ignore: Ignore) -> str:
    """One line on the rules that leave a folder's entries out and on what else is no part of it.

    Empty where neither does. The folder is read: for a thread.
    """
    found = _look(root, ignore)
    said = [_of_rule(rule, names) for rule, names in _by_weight(found)[:NAMED]]
    if (more := len(found.by_rule) - NAMED) > 0:
        said.append(
            f"{counted(more, 'more rule')} {'leaves' if more == 1 else 'leave'} out others."
        )
    if found.dependencies:
        said.append(f"Not looked into: {_some(found.dependencies)} (other people's code).")
    if found.repositories:
        first = shlex.quote(str(root / found.repositories[0]))
        many = len(found.repositories) > 1
        said.append(
            f"{_some(found.repositories)} {'are repositories' if many else 'is a repository'} of"
            f" {'their' if many else 'its'} own: index {'each' if many else 'it'} by itself, as"
            f" with `surveyor index {first}`."
        )
    return " ".join(said + _remedy(root, [rule for rule, _ in _by_weight(found)]))


def _by_weight(found: _LeftOut) -> list[tuple[RuleAt, list[str]]]:
    return sorted(found.by_rule.items(), key=lambda each: -len(each[1]))


def _of_rule(rule: RuleAt, names: list[str]) -> str:
    if rule.source == PATTERNS:
        return f"`{PATTERNS}` ({rule.text}) names none of {_some(names)}."
    place = f"{rule.source}:{rule.line}" if os.sep in rule.source else f"`{rule.source}`"
    return f"The rule `{rule.text}` ({place}) leaves out {_some(names)}."


def _remedy(root: Path, rules: list[RuleAt]) -> list[str]:
    if not rules:
        return []
    what = "rule" if any(os.sep in rule.source for rule in rules) else "setting"
    said = f"Change that {what}" if len(rules) == 1 else f"Change these {what}s"
    if any(rule.by_git for rule in rules):
        add = f"git -C {shlex.quote(str(root))} add -f FILE"
        said += f", or have git track what is to be found (`{add}`): that is indexed all the same"
    return [f"{said}."]


def _some(names: list[str]) -> str:
    shown = ", ".join(names[:NAMED])
    return f"{shown} and {len(names) - NAMED:,} more" if len(names) > NAMED else shown


def _look(root: Path, ignore: Ignore) -> _LeftOut:
    found = _LeftOut()
    for path, is_folder in _entries(root, ignore):
        if is_folder and is_there(root / path / ".git"):
            found.repositories.append(f"{path}/")
        elif is_folder and is_dependency_folder(path.rpartition("/")[2], str(root / path)):
            found.dependencies.append(f"{path}/")
        elif rule := ignore.which_rule(path, is_folder=is_folder):
            found.by_rule.setdefault(rule, []).append(f"{path}/" if is_folder else path)
    return found


def _entries(root: Path, ignore: Ignore) -> Iterator[tuple[str, bool]]:
    """The first entries of a folder and of those below that are not left out."""
    waiting, looked, seen = [""], 0, 0
    while waiting and looked < MAX_FOLDERS:
        folder = waiting.pop(0)
        looked += 1
        try:
            with os.scandir(root / folder) as listed:
                entries = sorted(listed, key=lambda entry: entry.name)
        except OSError:
            continue  # what cannot be read is said of each
        for entry in entries:
            if entry.name == ".git":
                continue
            seen += 1
            if seen > MAX_ENTRIES:
                return
            path = f"{folder}/{entry.name}" if folder else entry.name
            is_folder = entry.is_dir(follow_symlinks=False)
            yield path, is_folder
            if is_folder and not ignore.ignores_folder(path):
                waiting.append(path)
