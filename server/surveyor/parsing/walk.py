"""Every file of a checkout that could be indexed, and every one that could not, with its reason.

Git lists the files where it can (tracked and untracked, without ignored ones); elsewhere the
folder is read here under the same rules. Repositories inside the checkout are named, not entered:
each is a project of its own. Symbolic links are not followed: what they point to inside the root
is found where it is, and what is outside does not belong to the project.

What cannot be looked at (a closed folder, a disk's error, a path that is too long) is skipped with
its reason and ends nothing; it is `UnseenPath`: whether it is there is not known. Only a root that
cannot be read ends a walk.
"""

from __future__ import annotations

import errno
import os
import re
import stat
from collections.abc import Generator, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from surveyor.errors import NotFoundError, SurveyorError
from surveyor.files.file_class import DEPENDENCY_FOLDERS
from surveyor.git.errors import GitError
from surveyor.git.runner import names
from surveyor.parsing.file_types import SkipReason, skip_reason
from surveyor.parsing.ignore import Ignore, WalkSettings, above, is_dependency_folder
from surveyor.paths import is_folder, is_there, real_path

__all__ = [
    "Ignore",
    "NestedRepository",
    "RootError",
    "SkippedPath",
    "UnseenPath",
    "WalkSettings",
    "WalkedFile",
    "gone",
    "walk",
]


class RootError(SurveyorError):
    """A checkout cannot be looked through: what is in it is not known."""

    code = "root_unreadable"


@dataclass(frozen=True, slots=True)
class WalkedFile:
    """A file to look at; `path` is relative to the root, with forward slashes."""

    path: str
    size: int
    mtime_ns: int


@dataclass(frozen=True, slots=True)
class SkippedPath:
    """A file or folder that is not indexed, and why."""

    path: str
    reason: SkipReason
    detail: str


@dataclass(frozen=True, slots=True)
class UnseenPath(SkippedPath):
    """A file or folder that could not be looked at: it, and all below it, may be as it was."""


@dataclass(frozen=True, slots=True)
class NestedRepository:
    """A repository inside the checkout, submodule or not: a project of its own."""

    path: str


Found = WalkedFile | SkippedPath | NestedRepository

MAX_PROBLEMS = 100
"""Most rules that are named because they are none."""

TOO_LONG = "its path is too long for the system"
_CLOSED = "warning: could not open directory '"
_CLOSED_FOLDER = re.compile(re.escape(_CLOSED) + r"(?P<folder>.+)/': (?P<why>.+)", re.DOTALL)
"""What git says (in the C locale) of a folder that it may not read."""


def walk(
    root: Path, settings: WalkSettings | None = None, ignore: Ignore | None = None
) -> Generator[Found]:
    """Go through a checkout. Order is stable where git lists the files, else by folder.

    Files that vanish meanwhile are left out. Raises `NotFoundError` when the root is not there,
    `RootError` when it cannot be read, or was replaced or went away meanwhile.
    """
    chosen = settings or (ignore.settings if ignore is not None else WalkSettings())
    if not is_folder(root):
        raise NotFoundError(f"there is no folder {root}", "it may be on a drive that is not there")
    before = _identity(root)
    rules = ignore or Ignore(root, chosen)
    walker = _FolderWalker(os.fspath(root), chosen, rules)
    yield from walker.files()
    for place, problem in islice(rules.problems.items(), MAX_PROBLEMS):
        yield SkippedPath(_shown(place), "pattern", problem)
    if _identity(root) != before:
        raise RootError(
            f"{root} was replaced or went away while it was looked through",
            "It is looked through again when it is back.",
        )


def gone(error: OSError) -> bool:
    """Whether an error says that nothing is at a place, and not that it could not be seen."""
    return isinstance(error, FileNotFoundError | NotADirectoryError)


def _identity(root: Path) -> tuple[int, int]:
    """Device and inode of the root. Raises `RootError`."""
    try:
        status = root.stat()
    except OSError as error:
        raise _unreadable(os.fspath(root), error) from error
    return (status.st_dev, status.st_ino)


def _unreadable(root: str, error: OSError) -> RootError:
    return RootError(
        f"{root} cannot be read: {reason_of(error)}",
        "Give your user read access to it; what was indexed of it is kept.",
    )


def reason_of(error: OSError) -> str:
    """What is said of an entry that could not be looked at."""
    if error.errno == errno.ENAMETOOLONG:
        return TOO_LONG
    return (error.strerror or str(error)).lower()


class _FolderWalker:
    def __init__(self, root: str, settings: WalkSettings, ignore: Ignore) -> None:
        self._root = root
        self._settings = settings
        self._ignore = ignore
        self._seen: set[str] = set()
        self._folder_verdicts: dict[str, bool] = {"": False}

    def files(self) -> Iterator[Found]:
        """Everything in the folder, as git lists it where it can."""
        if self._ignore.in_git:
            try:
                yield from self.by_git()
                return
            except GitError:
                pass  # not installed, or a repository that this git cannot read
        yield from self.by_folder()

    # --- with git ---------------------------------------------------------------------------

    def by_git(self) -> Iterator[Found]:
        """Files as git lists them; those yielded before a failure are not repeated later."""
        complaints: list[str] = []
        listed = names(
            Path(self._root),
            "ls-files",
            "-z",
            "--cached",
            "--others",
            "--exclude-standard",
            *(f"--exclude={name}/" for name in sorted(DEPENDENCY_FOLDERS)),
            complaints=complaints,
        )
        for name in listed:
            path = name.rstrip("/")
            if not _is_inside(path):  # an index can be written by hand
                continue
            if path in self._seen:  # a file in conflict is listed for each side
                continue
            self._seen.add(path)
            outside = self._outside(path.rpartition("/")[0])
            if outside is None:
                yield from self._look(path)
            elif outside.path and outside.path not in self._seen:
                self._seen.add(outside.path)
                yield outside
        for complaint in complaints:
            folder, why = _closed(complaint)
            if folder and not self._left_out(folder):
                yield UnseenPath(_shown(folder), "unreadable", why)

    def _outside(self, folder: str) -> SkippedPath | None:
        """None when files of a folder count; else the folder that leaves them out, and why.

        Its path is empty where that is nothing to tell: our own data.
        """
        if not self._left_out(folder):
            return None
        parts = folder.split("/")
        around = ["/".join(parts[: depth + 1]) for depth in range(len(parts))]
        for path, name in zip(around, parts, strict=True):
            if name in DEPENDENCY_FOLDERS:
                return SkippedPath(path, "dependencies", "other people's code")
        for path in around:
            if reason := self._ignore.why_excluded(path, is_folder=True):
                return SkippedPath(path, "excluded", reason)
        return SkippedPath("", "excluded", "")

    def _left_out(self, folder: str) -> bool:
        """Whether our own rules leave out a folder that git lists, or it is behind a link."""
        known = self._folder_verdicts.get(folder)
        if known is None:
            known = False
            for each in above(folder, self._folder_verdicts):
                known = self._folder_verdicts[each.rpartition("/")[0]] or self._is_excluded(each)
                self._folder_verdicts[each] = known
        return known

    def _is_excluded(self, folder: str) -> bool:
        return (
            folder.rpartition("/")[2] in DEPENDENCY_FOLDERS
            or self._ignore.excludes_folder(folder)
            or os.path.islink(f"{self._root}/{folder}")  # noqa: PTH114 - of every folder
        )

    # --- without git ------------------------------------------------------------------------

    def by_folder(self) -> Iterator[Found]:
        """Files by reading folders, under the same rules."""
        waiting = [""]
        while waiting:
            folder = waiting.pop()
            full = f"{self._root}/{folder}" if folder else self._root
            try:
                with os.scandir(full) as entries:
                    listed = sorted(entries, key=lambda entry: entry.name)
            except OSError as error:
                if not folder:
                    raise _unreadable(self._root, error) from error
                if not gone(error):
                    yield UnseenPath(_shown(folder), "unreadable", reason_of(error))
                continue
            deeper = []
            for entry in listed:
                path = f"{folder}/{entry.name}" if folder else entry.name
                if _is_folder(entry):
                    if is_there(f"{entry.path}/.git"):
                        yield NestedRepository(path)
                    elif not self._ignore.ignores_folder(path):
                        deeper.append(path)
                    elif entry.name != ".git" and is_dependency_folder(entry.name, entry.path):
                        yield SkippedPath(path, "dependencies", "other people's code")
                    elif reason := self._ignore.why_excluded(path, is_folder=True):
                        yield SkippedPath(path, "excluded", reason)
                elif path not in self._seen and not self._ignore.ignores_file(path):
                    yield from self._look(path)
                elif path not in self._seen:
                    yield from self._left_out_file(path)
            waiting.extend(reversed(deeper))

    # --- one path ---------------------------------------------------------------------------

    def _look(self, path: str) -> Iterator[Found]:
        full = f"{self._root}/{path}"
        try:
            status = os.lstat(full)
        except OSError as error:
            if not gone(error):  # else deleted, but still in git's index
                yield UnseenPath(_shown(path), "unreadable", reason_of(error))
            return
        if stat.S_ISDIR(status.st_mode):
            if is_there(f"{full}/.git"):
                yield NestedRepository(path)
            return  # else a submodule that is not checked out
        if self._ignore.excludes(path):
            yield from self._left_out_file(path)
            return
        if stat.S_ISLNK(status.st_mode):
            yield SkippedPath(_shown(path), "symlink", self._link_detail(full))
        elif not stat.S_ISREG(status.st_mode):
            yield SkippedPath(_shown(path), "special", "it is not a regular file")
        elif not is_valid_name(path):
            yield SkippedPath(_shown(path), "file_name", "its name is not valid UTF-8")
        elif not os.access(full, os.R_OK):
            yield SkippedPath(path, "unreadable", "permission denied")
        else:
            skip = skip_reason(path, status.st_size, max_file_size=self._settings.max_file_size)
            if skip is not None:
                yield SkippedPath(path, skip.reason, skip.detail)
            else:
                yield WalkedFile(path, status.st_size, status.st_mtime_ns)

    def _left_out_file(self, path: str) -> Iterator[Found]:
        """A file that our own rules leave out, if they do; what git ignores is no news."""
        if is_valid_name(path) and (reason := self._ignore.why_excluded(path, is_folder=False)):
            yield SkippedPath(path, "excluded", reason)

    def _link_detail(self, full: str) -> str:
        try:
            os.stat(full)  # noqa: PTH116 - says what the system thinks of it, loops included
        except FileNotFoundError:
            return "a link to nothing"
        except OSError as error:
            if error.errno == errno.ELOOP:
                return "a link in a circle, or through too many others"
            return f"a link that cannot be followed: {reason_of(error)}"
        if real_path(Path(full)).is_relative_to(real_path(Path(self._root))):
            return "a link to another place in this project"
        return "a link out of the project"


def _closed(complaint: str) -> tuple[str, str]:
    """The folder that git could not open, and why; nothing where it complains of something else.

    Git cuts what it says at 4,096 bytes, which is where a path is too long.
    """
    said = _CLOSED_FOLDER.match(complaint)
    if said is not None:
        return said["folder"], said["why"].lower()
    if not complaint.startswith(_CLOSED):
        return "", ""
    return complaint.removeprefix(_CLOSED).rpartition("/")[0], TOO_LONG


def _is_inside(path: str) -> bool:
    """Whether a path that git names lies in the folder, and not in its git folder."""
    parts = path.split("/")
    return not path.startswith("/") and not {"", ".", "..", ".git"} & {
        part.lower() for part in parts
    }


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir(follow_symlinks=False)
    except OSError:
        return False  # a file system that does not say, and fails when asked: `_look` says why


def is_valid_name(path: str) -> bool:
    """Whether a name is text, so that it can be stored and sent: some systems allow any bytes."""
    return _shown(path) == path


def _shown(path: str) -> str:
    """A name that can be stored and printed, whatever bytes it is made of."""
    return path.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
