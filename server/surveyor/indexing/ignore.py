"""Which paths of a checkout are ignored, decided in this process: for events and for pruning.

Asking `git check-ignore` costs a process a time, and a storm of new folders brings thousands of
questions. The rules are git's (`.gitignore` at every level, `.git/info/exclude`, the user's
excludes file), then `.surveyorignore` at every level and the configured patterns on top. What git
tracks although it is ignored stays: git is asked for those once.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from pathspec import GitIgnoreSpec
from pathspec.patterns.gitignore.spec import GitIgnoreSpecPattern

from surveyor.indexing.filetypes import DEPENDENCY_FOLDERS, MAX_FILE_SIZE_BYTES
from surveyor.indexing.git import GitError, list_names
from surveyor.paths import is_there
from surveyor.project import describe, read_config

GIT_IGNORE = ".gitignore"
OWN_IGNORE = ".surveyorignore"
RULE_FILES = (GIT_IGNORE, OWN_IGNORE)


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
    return name in DEPENDENCY_FOLDERS or is_there(Path(path, "pyvenv.cfg"))


class Ignore:
    """The rules of one checkout. Paths are relative to its root, with forward slashes."""

    def __init__(self, root: Path, settings: WalkSettings | None = None) -> None:
        self._lock = threading.RLock()  # the watcher asks from its own thread
        self.root = root
        self.settings = settings or WalkSettings()
        self._only = _spec(self.settings.patterns) if self.settings.patterns else None
        self._configured = (
            [_spec(self.settings.ignore_patterns)] if self.settings.ignore_patterns else []
        )
        self.reload()

    def reload(self) -> None:
        """Read the rules again, after a rule file or git's index has changed."""
        with self._lock:
            self._reload()

    def _reload(self) -> None:
        info = describe(self.root)
        self.in_git = info.git_root is not None and not _is_left_out(self.root, info.git_root)
        """Whether git decides; not for a folder that its own repository ignores, such as an
        installed package: who names it explicitly wants it all the same."""
        self._prefix: tuple[str, ...] = ()
        base = self.root
        if self.in_git and info.git_root is not None:
            base = info.git_root
            self._prefix = self.root.relative_to(base).parts
        self._base = base
        self._common: list[GitIgnoreSpec] = []
        if self.in_git and info.common_dir is not None:
            self._common = [
                spec
                for path in (info.common_dir / "info" / "exclude", _user_excludes())
                if (spec := _read_spec(path)) is not None
            ]
        self._git_specs: dict[str, GitIgnoreSpec | None] = {}
        self._own_specs: dict[str, GitIgnoreSpec | None] = {}
        self._folders: dict[str, bool] = {"": False}
        self._kept_files, self._kept_folders = self._tracked_though_ignored()

    def _tracked_though_ignored(self) -> tuple[frozenset[str], frozenset[str]]:
        if not self.in_git:
            return (frozenset(), frozenset())
        try:
            files = frozenset(
                list_names(self.root, "ls-files", "-z", "-c", "-i", "--exclude-standard")
            )
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
        if self._only is not None and not self._only.match_file(_bytewise(path)):
            return True
        with self._lock:
            return self._own_says(path, is_folder=False)

    def excludes_folder(self, path: str) -> bool:
        """Whether our own rules leave a folder and all below out."""
        with self._lock:
            return self._own_says(path, is_folder=True)

    def ignores_folder(self, path: str) -> bool:
        """Whether a folder is ignored, or lies in one that is, or is a repository of its own."""
        with self._lock:
            known = self._folders.get(path)
            if known is None:
                parent, _, name = path.rpartition("/")
                known = self.ignores_folder(parent) or self._ignores_this_folder(path, name)
                self._folders[path] = known
            return known

    def _ignores_this_folder(self, path: str, name: str) -> bool:
        full = f"{self.root}/{path}"
        if is_dependency_folder(name, full) or self._own_says(path, is_folder=True):
            return True
        if is_there(Path(full, ".git")) or Path(full).is_symlink():
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
        return self._decide(
            [*self._prefix, *path.split("/")],
            is_folder,
            self._base,
            GIT_IGNORE,
            self._git_specs,
            self._common,
        )

    def _own_says(self, path: str, *, is_folder: bool) -> bool:
        return self._decide(
            path.split("/"), is_folder, self.root, OWN_IGNORE, self._own_specs, self._configured
        )

    @staticmethod
    def _decide(
        parts: list[str],
        is_folder: bool,
        base: Path,
        rule_file: str,
        specs: dict[str, GitIgnoreSpec | None],
        last: list[GitIgnoreSpec],
    ) -> bool:
        """The innermost rule file that has an opinion decides; then the common rules."""
        wise = [_bytewise(part) for part in parts]
        for depth in range(len(parts) - 1, -1, -1):
            folder = "/".join(parts[:depth])
            if folder not in specs:
                specs[folder] = _read_spec(base / folder / rule_file)
            spec = specs[folder]
            if spec is not None:
                said = _says(spec, "/".join(wise[depth:]), is_folder)
                if said is not None:
                    return said
        for spec in last:
            said = _says(spec, "/".join(wise), is_folder)
            if said is not None:
                return said
        return False


def _is_left_out(root: Path, git_root: Path) -> bool:
    """Whether a folder below the top of a repository is ignored there and holds nothing tracked."""
    if root == git_root:
        return False
    try:
        tracked = next(iter(list_names(root, "ls-files", "-z", "--cached")), None)
        if tracked is not None:
            return False
        return next(iter(list_names(root, "ls-files", "-zo", "--exclude-standard")), None) is None
    except GitError:
        return False


def _says(spec: GitIgnoreSpec, path: str, is_folder: bool) -> bool | None:
    """Whether the last rule that names this very path ignores it; None when no rule does.

    A spec answers for whole paths, where a rule for a folder covers all below. Here the folders
    above were asked before, so that a rule which brings a folder back says nothing about those in
    it (gitignore(5)).
    """
    parent, _, _ = path.rpartition("/")
    subject = path + "/" if is_folder else path
    for pattern in reversed(spec.patterns):
        if not isinstance(pattern, GitIgnoreSpecPattern) or pattern.regex is None:
            continue
        regex, rule = pattern.regex, str(pattern.pattern).rstrip()
        if regex.pattern == ".":  # `*`, `**`: everything
            named = True
        elif regex.pattern == "(?P<ps_d>/)":  # `*/`: every folder
            named = is_folder
        elif regex.pattern.endswith("/") or rule.endswith("/**/"):  # what is below, at any depth
            named = bool(parent) and regex.search(parent + "/") is not None
            named = named and (is_folder or not rule.endswith("/"))
        else:
            named = regex.fullmatch(subject) is not None
        if named:
            return pattern.include
    return None


_PRIVATE = {byte: 0xE000 + byte for byte in range(0x80, 0x100)}


def _bytewise(text: str) -> str:
    """A character for each byte: git matches bytes, so that `?` is a part of an "ü" only.

    Bytes above ASCII become private characters, which no rule takes for a space.
    """
    if text.isascii():
        return text
    return text.encode("utf-8", "surrogateescape").decode("latin-1").translate(_PRIVATE)


def _spec(lines: Iterable[str]) -> GitIgnoreSpec:
    return GitIgnoreSpec.from_lines(_bytewise(line) for line in lines)


def _read_spec(path: Path) -> GitIgnoreSpec | None:
    """The rules in a file; None when there are none. A pattern that is no pattern is dropped."""
    try:
        text = path.read_text(encoding="utf-8-sig", errors="surrogateescape")
    except OSError:
        return None
    lines = [line.removesuffix("\r") for line in text.split("\n")]
    lines = [line for line in lines if line.strip() and not line.startswith("#")]
    if not lines:
        return None
    try:
        return _spec(lines)
    except ValueError:
        good = []
        for line in lines:
            try:
                _spec([line])
            except ValueError:
                continue
            good.append(line)
        return _spec(good)


def _user_excludes() -> Path:
    """The user's own ignore file: `core.excludesFile`, else git's default place."""
    home = Path.home()
    places = [Path(os.environ.get("XDG_CONFIG_HOME") or home / ".config") / "git", home]
    chosen = os.environ.get("GIT_CONFIG_GLOBAL")
    files = [Path(chosen)] if chosen else [places[0] / "config", places[1] / ".gitconfig"]
    value = ""
    for file in files:
        value = read_config(file).get(("core", ""), {}).get("excludesfile", value)
    return Path(value).expanduser() if value else places[0] / "ignore"
