"""`edit`: changes to files, made in the editor where they are open there, and on disk otherwise.

Lines are 1-based, columns 0-based UTF-16 code units, paths relative to the project's root.
"""

from __future__ import annotations

from typing import Any, ClassVar, Literal

import msgspec

from surveyor.protocol.base import Freshness, Model, Request
from surveyor.protocol.check import CheckResponse

__all__ = [
    "CodeActionRequest",
    "EditRequest",
    "EditResponse",
    "EditStep",
    "EditedFile",
    "EditedPlace",
    "EditorApplied",
    "EditorChange",
    "EditorEdit",
    "EditorTexts",
    "OfferedCodeAction",
    "OpenText",
    "OpenTextsParams",
    "RenameRequest",
]

StepAction = Literal["replace", "before", "after"]


class EditStep(Model, kw_only=True, forbid_unknown_fields=True):
    """One change of one file; several of a file are made one after the other. Unknown fields are
    refused: a misspelt one would make another edit."""

    path: str = ""
    """Empty: of the file that defines `name`, if only one does."""
    action: StepAction = "replace"
    """`replace` what `old` or `name` says; put `new` `before` or `after` the definition `name`."""
    name: str = ""
    """Of a definition in that file."""
    old: str = ""
    new: str = ""
    count: int = 1
    """How often the file has `old`; all of them are replaced."""
    version: str | None = None
    """What the caller has read: the beginning of the SHA-256 of the file's bytes, or of its git
    blob's name. Another version is refused."""


class EditedPlace(Model, kw_only=True):
    """A place that was left as it is."""

    path: str
    line: int
    column: int
    text: str
    reason: str = ""


class EditedFile(Model, kw_only=True):
    """A file of an edit."""

    path: str
    where: Literal["disk", "editor"]
    """`editor`: in its buffer, where it can be undone and is not saved yet."""
    version: str
    """SHA-256 of its bytes (as they would be saved) now, the beginning."""
    lines: list[tuple[int, int]]
    """First and last of the lines that were written, as they are now."""
    diff: str
    """Unified, credentials masked; cut where it is long."""


class OfferedCodeAction(Model, kw_only=True):
    """A code action of a language server."""

    title: str
    kind: str = ""
    disabled: str = ""
    """Why it cannot be applied there, if so."""


class EditResponse(Freshness, kw_only=True):
    """What an edit did, or with `preview` would do."""

    files: list[EditedFile]
    applied: bool
    root: str
    receipt: CheckResponse | None = None
    """None for a preview."""
    left: list[EditedPlace] = msgspec.field(default_factory=list)
    """Of a rename: places that have the name and were not touched."""
    actions: list[OfferedCodeAction] = msgspec.field(default_factory=list)
    """Code actions that are offered at the place, where none was named."""
    precision: str = ""
    """Of a rename: `exact` by a language server, else `syntax`."""
    notice: str | None = None


class EditRequest(Request[EditResponse], kw_only=True):
    """Change files, all of them or none."""

    operation: ClassVar[str] = "edit"
    answer: ClassVar[type[Any]] = EditResponse

    steps: list[EditStep]
    preview: bool = False
    generated: bool = False
    """Generated files may be changed, too."""
    cwd: str | None = None
    project: str | None = None


class RenameRequest(Request[EditResponse], kw_only=True):
    """Give a definition another name, everywhere it is used."""

    operation: ClassVar[str] = "rename"
    answer: ClassVar[type[Any]] = EditResponse

    new_name: str
    name: str | None = None
    path: str | None = None
    line: int | None = None
    column: int | None = None
    preview: bool = False
    generated: bool = False
    cwd: str | None = None
    project: str | None = None


class CodeActionRequest(Request[EditResponse], kw_only=True):
    """Apply a language server's code action, in all files that it changes or in none."""

    operation: ClassVar[str] = "code_action"
    answer: ClassVar[type[Any]] = EditResponse

    title: str = ""
    """As the server calls it; empty: only say what is offered."""
    path: str | None = None
    name: str | None = None
    """Of a definition: the action is of its name."""
    line: int | None = None
    """1-based; without a column the whole line."""
    column: int | None = None
    """0-based UTF-16."""
    old: str = ""
    """A text that the file has once: the action is of it. Without any place: of the whole file."""
    preview: bool = False
    generated: bool = False
    cwd: str | None = None
    project: str | None = None


class OpenTextsParams(msgspec.Struct, rename="camel"):
    """`editor/openTexts`: which of these files (absolute) a window has open."""

    paths: list[str]


class OpenText(msgspec.Struct, rename="camel"):
    """A file that is open, as it is in its buffer."""

    path: str
    version: int
    text: str
    dirty: bool


class EditorTexts(msgspec.Struct, rename="camel"):
    """Answer of `editor/openTexts`."""

    documents: list[OpenText]


class EditorChange(msgspec.Struct, rename="camel"):
    """A buffer and what is to be in it."""

    path: str
    version: int
    """That the text was computed from."""
    text: str


class EditorEdit(msgspec.Struct, rename="camel"):
    """`editor/applyEdit`: change buffers, in one step that the editor can undo."""

    label: str
    documents: list[EditorChange]


class EditorApplied(msgspec.Struct, rename="camel"):
    """Answer of `editor/applyEdit`."""

    applied: bool
    changed: bool = False
    """Not applied because a buffer has moved on: the edit is to be computed anew."""
    reason: str = ""
    versions: dict[str, int] = {}
    """Of the buffers after it, by path."""
