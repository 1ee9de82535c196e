"""Which files may be changed: inside the root, text, neither ignored nor secret nor generated."""

from __future__ import annotations

import os
import re
import stat
from dataclasses import dataclass
from pathlib import Path

from surveyor.errors import NotFoundError, Quoting, UsageError
from surveyor.files.contained_paths import below, open_below
from surveyor.parsing.file_types import HEAD_BYTES, skip_reason
from surveyor.parsing.ignore import Ignore, WalkSettings
from surveyor.paths import is_there

__all__ = ["EditTarget", "EditTargets", "MissingFileError"]

MAX_BYTES = 64 << 20
"""Larger files are nobody's to edit by text."""
_SETTINGS_OF_TOOLS = re.compile(
    r"(?:.*/)?(?:"
    r"\.claude/(?:settings(?:\.local)?\.json|hooks/.*)"
    r"|\.(?:codex|opencode|gemini|cursor|windsurf|qwen|roo|kiro|amazonq)/"
    r"(?:(?:settings/)?[^/]*\.(?:json|jsonc|toml)|(?:hooks|plugins?)/.*)"
    r"|\.(?:vscode|zed)/[^/]*\.json|\.helix/[^/]*\.toml|[^/]*\.code-workspace"
    r"|\.nvim\.lua|\.nvimrc|\.exrc|\.dir-locals(?:-2)?\.el"
    r")|\.mcp\.json|opencode\.jsonc?"
)
"""What agents and editors read of a project to know what they may do and what they start: an agent
is not to change that by a tool which is allowed for code."""
_WRITTEN_BY_PROGRAMS = frozenset({"generated", "minified", "lock_file"})


class MissingFileError(NotFoundError):
    """Raised for a file that is not there."""

    def __init__(self, path: str) -> None:
        super().__init__(f"{path} is not there (any more)", "search finds where it is now.")
        self.path = path


@dataclass(frozen=True, slots=True)
class EditTarget:
    """A file that may be changed, and what it holds on disk."""

    path: str
    """Relative to the root, links resolved."""
    file: Path
    data: bytes


class EditTargets:
    """The files of one checkout that may be changed. Reads the disk: for a thread."""

    def __init__(self, root: str, settings: WalkSettings) -> None:
        self._root = Path(root).resolve()
        self._settings = settings
        self._ignore: Ignore | None = None

    def target(self, named: str, *, generated: bool) -> EditTarget:
        """The file that a path names. Raises `UsageError` and `NotFoundError` for what is refused.

        A link is followed where it leads to a file of the project.
        """
        path = below(self._root, named)
        if any(map(_is_git, path.split("/"))) or path in ("", "."):
            raise UsageError(f"{path or '.'} is not edited", "Give a file of the project.")
        if _SETTINGS_OF_TOOLS.fullmatch("/".join(map(_on_disk, path.split("/")))):
            raise UsageError(
                f"{path} is not edited: it says what agents or editors may do", "The user has to."
            )
        secret = skip_reason(path, 0)
        if secret is not None and secret.reason == "secret":
            raise UsageError(f"{path} is not edited: {secret.detail}", "The user has to.")
        if self._ignore is None:
            self._ignore = Ignore(self._root, self._settings)
        if (own := self._repository_within(path)) is not None:
            raise UsageError(
                f"{path} belongs to {own}, a repository of its own",
                Quoting(f"Open {own} as a project and edit it there."),
            )
        if self._ignore.ignores_file(path):
            raise UsageError(f"{path} is ignored and not edited", "The user has to.")
        data = self._read(path)
        self._check_content(path, data, generated=generated)
        return EditTarget(path, self._root / path, data)

    def _repository_within(self, path: str) -> str | None:
        """The nearest folder around a file that is a repository itself: a submodule, a clone."""
        folder = (self._root / path).parent
        while self._root in folder.parents:
            if is_there(f"{folder}/.git"):
                return folder.relative_to(self._root).as_posix()
            folder = folder.parent
        return None

    def _read(self, path: str) -> bytes:
        try:
            descriptor = open_below(self._root, path)
        except FileNotFoundError as error:
            raise MissingFileError(path) from error
        except OSError as error:
            raise UsageError(f"{path} cannot be read: {error.strerror}") from error
        with os.fdopen(descriptor, "rb") as opened:
            status = os.fstat(opened.fileno())
            if status.st_size > MAX_BYTES:
                raise UsageError(f"{path} is larger than {MAX_BYTES >> 20} MB and not edited")
            if not stat.S_IMODE(status.st_mode) & 0o222 or not os.access(
                self._root / path, os.W_OK
            ):
                raise UsageError(f"{path} is read-only", "The user makes it writable.")
            return opened.read()

    def _check_content(self, path: str, data: bytes, *, generated: bool) -> None:
        skip = skip_reason(path, len(data), data[:HEAD_BYTES], MAX_BYTES)
        if skip is None or skip.reason not in ("secret", *_WRITTEN_BY_PROGRAMS):
            return
        if skip.reason == "secret":
            raise UsageError(f"{path} is not edited: {skip.detail}", "The user has to.")
        if not generated:
            raise UsageError(
                f"{path} is not edited: {skip.detail}",
                "Change what it is made from; generated=true edits it all the same.",
            )


def _on_disk(part: str) -> str:
    """A name where case, dots at the end and streams are all the same to the system."""
    return part.partition(":")[0].rstrip(". ").casefold()


def _is_git(part: str) -> bool:
    """Whether a name is that of git's own folder, also by its short name."""
    return _on_disk(part) in (".git", "git~1")
