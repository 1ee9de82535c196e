"""`check`: what a change leaves behind that does not fit it any more.

Lines are 1-based, columns 0-based UTF-16 code units, paths relative to the project's root.
"""

from __future__ import annotations

from typing import Any, ClassVar

import msgspec

from surveyor.protocol.base import Freshness, Model, Request
from surveyor.protocol.enumerations import Certainty, FindingKind
from surveyor.protocol.knowledge import RuleItem

__all__ = ["CheckFinding", "CheckRequest", "CheckResponse"]


class CheckFinding(Model, kw_only=True):
    """One place that is wrong, or has to be looked at."""

    kind: FindingKind
    """`call`: passes what its function does not take any more; `override`: has the parameters
    that the overridden method had; `removed`: names what is gone; `syntax`: cannot be read;
    `diagnostic`: a language server finds it wrong, and did not before; `duplicate`: does what an
    existing function does, which `about` is."""
    certainty: Certainty
    path: str
    line: int
    column: int
    message: str
    symbol: str = ""
    """Qualified name of the definition around it ('' at file level)."""
    about: str = ""
    """`path:line` of the definition that changed."""
    text: str = ""
    """The line itself."""
    is_test: bool = False
    unsaved_version: int | None = None
    """Of the editor's buffer that this is read from."""


class CheckResponse(Freshness, kw_only=True):
    """The receipt of a change."""

    results: list[CheckFinding]
    """The certain ones first, code before its tests."""
    tests: list[str]
    """Test files that reach what changed, nearest first."""
    rules: list[RuleItem]
    """Anchored at what changed."""
    changed_files: int
    changed_signatures: int
    added_functions: int
    """Those that were compared with what there is."""
    complete: bool
    """False where something was not looked at; `notice` says what."""
    unasked: list[str] = msgspec.field(default_factory=list)
    """What language servers did not look at, and why; it does not make `complete` false."""
    omitted: int = 0
    notice: str | None = None
    took_ms: float = 0.0
    root: str = ""


class CheckRequest(Request[CheckResponse], kw_only=True):
    """Look at a change, unsaved buffers included."""

    operation: ClassVar[str] = "check"
    answer: ClassVar[type[Any]] = CheckResponse

    diff: str = "working"
    """`working` (against HEAD), `staged` or a git range."""
    paths: list[str] = msgspec.field(default_factory=list)
    """Only changes in these files and folders; absolute or from the root."""
    cwd: str | None = None
    project: str | None = None
    diagnostics: bool = True
    """Ask language servers as well."""
    limit: int = 100
    told_to: str = ""
    """An agent's session, as the agent calls it: what this told it before is left out."""
    wait_until_fresh_ms: int = 0
    """How long the index may take to know what was saved last."""
    wait_users_ms: int = 1500
    """How long the uses in files that did not change may take to be worked out anew after that;
    what was known of them is compared where they take longer, and the answer is not `complete`."""
