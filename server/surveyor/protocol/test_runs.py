"""Running a project's own tests: what is asked for, how far it is, and what came of it.

Lines are 1-based, paths relative to the project's root.
"""

from __future__ import annotations

from typing import Any, ClassVar

import msgspec

from surveyor.protocol.base import Model, Request
from surveyor.protocol.enumerations import RunState

__all__ = [
    "RUN_PROGRESS",
    "FailureItem",
    "RunTestsProgress",
    "RunTestsRequest",
    "RunTestsResponse",
    "RunnerResult",
    "UnrunTest",
]

RUN_PROGRESS = "run_tests/progress"
"""Notification of `RunTestsProgress` to the session that asked."""


class FailureItem(Model, kw_only=True):
    """A test that failed, or a line that kept tests from being run."""

    test: str
    """As the runner names it; empty for a file that could not be built or loaded."""
    path: str
    """Empty where the runner named no place in the project."""
    line: int
    message: str
    text: str = ""
    """The line itself."""
    symbol: str = ""
    """Qualified name of the definition around it."""
    symbol_line: int = 0
    """Where that begins."""


class RunnerResult(Model, kw_only=True):
    """One start of a test runner."""

    runner: str
    command: list[str]
    cwd: str
    """From the root; empty for the root itself."""
    paths: list[str]
    """The test files that it was for."""
    state: RunState
    passed: int
    failed: int
    skipped: int
    took_ms: float
    output: str = ""
    """The end of what it printed, where the failures do not say what went wrong."""


class UnrunTest(Model, kw_only=True):
    """A test file that was not run, and why."""

    path: str
    reason: str


class RunTestsResponse(Model, kw_only=True):
    """What came of a run."""

    root: str
    runs: list[RunnerResult]
    failures: list[FailureItem]
    not_run: list[UnrunTest]
    passed: int
    failed: int
    skipped: int
    ok: bool
    """Whether all that was to be run was run, and nothing failed."""
    notice: str | None = None
    took_ms: float = 0.0


class RunTestsRequest(Request[RunTestsResponse], kw_only=True):
    """Run tests with the project's own runner, in a trusted folder only."""

    operation: ClassVar[str] = "run_tests"
    answer: ClassVar[type[Any]] = RunTestsResponse

    targets: list[str] = msgspec.field(default_factory=list)
    """Files and folders (absolute or from the root), `file::test`, or names of definitions: tests
    themselves, else what tests reach. Empty: the tests that reach the change `diff`."""
    diff: str = "working"
    cwd: str | None = None
    project: str | None = None
    timeout_s: int = 300
    """For all of it."""
    vouched: str | None = None
    """A folder that an editor vouches for; nothing that an agent can say."""
    env: dict[str, str] | None = None
    """The environment of whoever asks; the engine's own without it."""
    token: str = ""
    """Repeated in `RunTestsProgress`."""
    wait_until_fresh_ms: int = 0


class RunTestsProgress(Model, kw_only=True):
    """How far a run is."""

    token: str
    done: int
    total: int
    """Starts of runners."""
    runner: str
    line: str
    """The last that it printed."""
