"""Which paths of a checkout are ignored, decided in this process: for events and for pruning.

Asking `git check-ignore` costs a process a time, and a storm of new folders brings thousands of
questions. The rules are git's (`.gitignore` at every level, `.git/info/exclude`, the user's
excludes file), then `.surveyorignore` at every level and the configured patterns on top. What git
tracks although it is ignored stays: git is asked for those once.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Container, Iterable
from dataclasses import dataclass
from pathlib import Path

from surveyor.files.file_class import DEPENDENCY_FOLDERS
from surveyor.git.config_file import user_excludes
from surveyor.git.errors import GitError
from surveyor.git.project import describe
from surveyor.git.runner import names
from surveyor.parsing.file_types import MAX_FILE_SIZE_BYTES
from surveyor.parsing.ignore_rules import IgnoreRule, IgnoreRules, as_written, bytewise, read_rules
from surveyor.paths import data_dir, is_there, real_path

GIT_IGNORE = ".gitignore"
OWN_IGNORE = ".surveyorignore"
RULE_FILES = (GIT_IGNORE, OWN_IGNORE)
PATTERNS, IGNORE_PATTERNS = "watching.patterns", "watching.ignore_patterns"


@dataclass(frozen=True, slots=True)
class WalkSettings:
    """What the user wants indexed (`[indexing]` and `[watching]` of the configuration)."""

    max_file_size: int = MAX_FILE_SIZE_BYTES
    patterns: tuple[str, ...] = ()
    """Only files that match one of these (gitignore syntax); empty: all."""
    ignore_patterns: tuple[str, ...] = ()
    """Files and folders that match one of these are left out."""


def is_dependency_folder(name: str, path: str) -> bool:
    """Whether a folder holds other people's code or a tool's own files."""
    return name in DEPENDENCY_FOLDERS or is_there(f"{path}/pyvenv.cfg")


class Ignore:
    """The rules of one checkout. Paths are relative to its root, with forward slashes."""

    def __init__(self, root: Path, settings: WalkSettings | None = None) -> None:
        self._lock = threading.RLock()  # the watcher asks from its own thread
        self.root = root
        self.settings = settings or WalkSettings()
        self._only = IgnoreRules(self.settings.patterns) if self.settings.patterns else None
        self._configured = (
            [IgnoreRules(self.settings.ignore_patterns, IGNORE_PATTERNS)]
            if self.settings.ignore_patterns
            else []
        )
        self._own_data = _below(root, data_dir())
        self.reload()

    @property
    def problems(self) -> dict[str, str]:
        """Rules that are left out, and why, by `file:line`; those of files read so far."""
        with self._lock:
            found = {
                f"{name}:{number}": why
                for files in (self._own_rules, self._git_rules)
                for name, rules in files.read
                for number, why in rules.problems.items()
            }
        for name, listed in (
            (PATTERNS, [self._only] if self._only else []),
            (IGNORE_PATTERNS, self._configured),
        ):
            for rules in listed:
                found |= {f"{name}:{number}": why for number, why in rules.problems.items()}
        return found

    def reload(self) -> None:
        """Read the rules again, after a rule file or git's index has changed."""
        with self._lock:
            self._reload()

    def _reload(self) -> None:
        info = describe(self.root)
        self.in_git = info.git_root is not None and not _is_left_out(self.root, info.git_root)
        """Whether git decides; not for a folder that its own repository ignores, such as an
        installed package: who names it explicitly wants it all the same."""
        self._prefix = ""
        base = self.root
        if self.in_git and info.git_root is not None:
            base = info.git_root
            self._prefix = "".join(f"{part}/" for part in self.root.relative_to(base).parts)
        self._common: list[IgnoreRules] = []
        if self.in_git and info.common_dir is not None:
            self._common = [
                spec
                for path in (info.common_dir / "info" / "exclude", user_excludes())
                if (spec := read_rules(path, str(path))) is not None
            ]
        self._git_rules = _RuleFiles(base, GIT_IGNORE)
        self._own_rules = _RuleFiles(self.root, OWN_IGNORE)
        self._folders: dict[str, bool] = {"": False}
        self._kept_files, self._kept_folders = self._tracked_though_ignored()

    def _tracked_though_ignored(self) -> tuple[frozenset[str], frozenset[str]]:
        if not self.in_git:
            return (frozenset(), frozenset())
        try:
            files = frozenset(names(self.root, "ls-files", "-z", "-c", "-i", "--exclude-standard"))
        except GitError:
            return (frozenset(), frozenset())
        folders = set()
        for path in files:
            while "/" in path:
                path = path.rsplit("/", 1)[0]
                folders.add(path)
        return (files, frozenset(folders))

    def matches(self, paths: Iterable[str]) -> set[str]:
        """Those of the given files that are ignored."""
        return {path for path in paths if self.ignores_file(path)}

    def ignores_file(self, path: str) -> bool:
        """Whether a file is ignored, or lies in a folder that is."""
        with self._lock:
            return self._ignores_file(path)

    def _ignores_file(self, path: str) -> bool:
        parent, _, _ = path.rpartition("/")
        if self.ignores_folder(parent):
            return True
        if self.excludes(path):
            return True
        if path in self._kept_files:
            return False
        return self._git_says(path, is_folder=False) or self._is_entered_for_others(parent)

    def excludes(self, path: str) -> bool:
        """Whether our own rules leave a file out: `.surveyorignore` and the configuration."""
        if self._only is not None and not self._only.spec.match_file(bytewise(path)):
            return True
        with self._lock:
            return self._own_says(path, is_folder=False)

    def why_excluded(self, path: str, *, is_folder: bool) -> str:
        """Which of our own rules leaves a file or folder out; empty when none does."""
        with self._lock:
            if is_folder and path == self._own_data:
                return ""
            only = None if is_folder else self._only
            if only is not None and not only.spec.match_file(bytewise(path)):
                return f"{PATTERNS} does not name it"
            if not self._own_says(path, is_folder=is_folder):
                return ""
            by_file = self._own_rules.naming(path, is_folder, [])
            if by_file is None or not by_file[1].include:
                return f"{IGNORE_PATTERNS} names it"
            rules, rule = by_file
            place = Path(rules.source).relative_to(self.root).as_posix()
            return f"`{as_written(rule.written)}` ({place}:{rule.line}) names it"

    def which_rule(self, path: str, *, is_folder: bool) -> RuleAt | None:
        """The rule that leaves out a file or folder in one that is not; None where no rule does."""
        with self._lock:
            if not is_folder and self.excludes(path) and not self._own_says(path, is_folder=False):
                return RuleAt(PATTERNS, 0, ", ".join(self.settings.patterns), by_git=False)
            by_us = self._own_rules.naming(path, is_folder, self._configured)
            if by_us is not None and by_us[1].include:
                return RuleAt.of(*by_us, by_git=False)
            if path in self._kept_files or path in self._kept_folders:
                return None
            by_git = self._git_rules.naming(self._prefix + path, is_folder, self._common)
            if by_git is not None and by_git[1].include:
                return RuleAt.of(*by_git, by_git=True)
            return None

    def excludes_folder(self, path: str) -> bool:
        """Whether our own rules leave a folder and all below out."""
        with self._lock:
            return self._own_says(path, is_folder=True)

    def ignores_folder(self, path: str) -> bool:
        """Whether a folder is ignored, or lies in one that is, or is a repository of its own."""
        with self._lock:
            known = self._folders.get(path)
            if known is None:
                known = False
                for each in above(path, self._folders):
                    parent, _, name = each.rpartition("/")
                    known = self._folders[parent] or self._ignores_this_folder(each, name)
                    self._folders[each] = known
            return known

    def _ignores_this_folder(self, path: str, name: str) -> bool:
        full = f"{self.root}/{path}"
        if is_dependency_folder(name, full) or self._own_says(path, is_folder=True):
            return True
        if is_there(f"{full}/.git") or os.path.islink(full):  # noqa: PTH114
            return True
        if path in self._kept_folders:
            return False
        parent, _, _ = path.rpartition("/")
        return self._git_says(path, is_folder=True) or self._is_entered_for_others(parent)

    def _is_entered_for_others(self, folder: str) -> bool:
        """Whether git's rules ignore a folder that is entered only for what it tracks in there."""
        while folder in self._kept_folders:
            if self._git_says(folder, is_folder=True):
                return True
            folder, _, _ = folder.rpartition("/")
        return False

    def forget_folder(self, path: str, *, below: bool = False) -> None:
        """Decide about a folder anew (and with `below` about all in it): it came or went."""
        with self._lock:
            if path:
                self._folders.pop(path, None)
            if below:
                prefix = path + "/"
                for known in [each for each in self._folders if each.startswith(prefix)]:
                    del self._folders[known]

    def _git_says(self, path: str, *, is_folder: bool) -> bool:
        return self._git_rules.say(self._prefix + path, is_folder, self._common)

    def _own_says(self, path: str, *, is_folder: bool) -> bool:
        if is_folder and path == self._own_data:
            return True
        return self._own_rules.say(path, is_folder, self._configured)


@dataclass(frozen=True, slots=True)
class RuleAt:
    """A rule, and where it stands."""

    source: str
    """A file, or a setting."""
    line: int
    """Counted from 1; in a setting the place in its list, 0 for all of that."""
    text: str
    by_git: bool
    """Whether it is git's, and does not count for what git tracks."""

    @classmethod
    def of(cls, rules: IgnoreRules, rule: IgnoreRule, *, by_git: bool) -> RuleAt:
        """A rule among those of a file or setting."""
        return cls(rules.source, rule.line, as_written(rule.written), by_git)


class _RuleFiles:
    """Rule files of one name at every level below a folder; each is read once."""

    def __init__(self, base: Path, name: str) -> None:
        self._base = os.fspath(base)
        self._name = name
        self._chains: dict[str, tuple[tuple[int, IgnoreRules], ...]] = {}
        self.read: list[tuple[str, IgnoreRules]] = []
        """The files that were read, by their paths."""

    def say(self, path: str, is_folder: bool, last: list[IgnoreRules]) -> bool:
        """Whether a path is left out."""
        found = self.naming(path, is_folder, last)
        return found is not None and found[1].include

    def naming(
        self, path: str, is_folder: bool, last: list[IgnoreRules]
    ) -> tuple[IgnoreRules, IgnoreRule] | None:
        """What decides about a path: the innermost rule file that has an opinion, then the common
        rules."""
        chain = self._chain(path.rpartition("/")[0])
        if not chain and not last:
            return None
        wise = bytewise(path)
        for depth, rules in chain:
            rule = rules.naming(wise.split("/", depth)[depth], is_folder)
            if rule is not None:
                return rules, rule
        for rules in last:
            rule = rules.naming(wise, is_folder)
            if rule is not None:
                return rules, rule
        return None

    def _chain(self, folder: str) -> tuple[tuple[int, IgnoreRules], ...]:
        """Rule files that hold in a folder, innermost first, with the depth of their folders."""
        if not self._chains:
            self._chains[""] = self._chain_with("", ())
        known = self._chains.get(folder)
        if known is None:
            known = ()
            for each in above(folder, self._chains):
                known = self._chains[each.rpartition("/")[0]]
                known = self._chain_with(each, known)
                self._chains[each] = known
        return known

    def _chain_with(
        self, folder: str, outer: tuple[tuple[int, IgnoreRules], ...]
    ) -> tuple[tuple[int, IgnoreRules], ...]:
        name = f"{folder}/{self._name}" if folder else self._name
        rules = read_rules(f"{self._base}/{name}", f"{self._base}/{name}")
        if rules is None:
            return outer
        self.read.append((name, rules))
        return ((folder.count("/") + 1 if folder else 0, rules), *outer)


def above(folder: str, known: Container[str]) -> list[str]:
    """A folder and those above it that are not known yet, the outermost first.

    The top (an empty name) has to be known. Paths may be deeper than Python lets functions nest.
    """
    unknown = []
    while folder not in known:
        unknown.append(folder)
        folder = folder.rpartition("/")[0]
    return unknown[::-1]


def _below(root: Path, folder: Path) -> str | None:
    """Where a folder lies below a root, if it does.

    Our own data in a project (a home folder, say) would be written whenever it is indexed.
    """
    top, real = real_path(root), real_path(folder)
    return real.relative_to(top).as_posix() if top in real.parents else None


def _is_left_out(root: Path, git_root: Path) -> bool:
    """Whether a folder below the top of a repository is ignored there and holds nothing tracked."""
    if root == git_root:
        return False
    try:
        tracked = next(iter(names(root, "ls-files", "-z", "--cached")), None)
        if tracked is not None:
            return False
        return next(iter(names(root, "ls-files", "-zo", "--exclude-standard")), None) is None
    except GitError:
        return False
