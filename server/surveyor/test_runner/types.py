"""What is run, and what became of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

__all__ = [
    "CommandOutput",
    "FailedTest",
    "ReadReport",
    "RunTarget",
    "RunnerCommand",
    "RunnerPlan",
    "RunnerReport",
    "Unrunnable",
]


@dataclass(frozen=True, slots=True)
class RunTarget:
    """A test file, or one test of it."""

    path: str
    """From the project's root, with slashes."""
    name: str = ""
    """Qualified name of the one test; empty for all of the file."""


@dataclass(frozen=True, slots=True)
class Unrunnable:
    """A target that cannot be run, and why."""

    target: RunTarget
    reason: str


@dataclass(frozen=True, slots=True)
class FailedTest:
    """A test that failed, or a line that kept tests from being run."""

    test: str
    path: str
    """From the root; empty where the runner named no file of the project."""
    line: int
    """1-based; 0 where none is known."""
    message: str


@dataclass(slots=True)
class RunnerReport:
    """What a runner said; `is_read` is False where its output was not understood."""

    passed: int = 0
    skipped: int = 0
    failures: list[FailedTest] = field(default_factory=list)
    is_read: bool = True


@dataclass(frozen=True, slots=True)
class CommandOutput:
    """What a command left behind."""

    code: int
    text: str
    """What it printed, or the end of it."""
    root: Path
    cwd: Path
    report: Path
    """A file, or a folder of files, that the runner was told to write; it may be missing."""
    started: float
    """`time.time()` before it began."""


ReadReport = Callable[[CommandOutput], RunnerReport]


@dataclass(frozen=True, slots=True)
class RunnerCommand:
    """One start of a runner."""

    runner: str
    argv: tuple[str, ...]
    cwd: Path
    targets: Sequence[RunTarget]
    read: ReadReport
    report: Path
    env: Mapping[str, str] = field(default_factory=dict)
    before: tuple[tuple[str, ...], ...] = ()
    """Commands that have to succeed first: a build."""
    skips_others: bool = False
    """It was told one test by its name, and counts all others as skipped."""


@dataclass(slots=True)
class RunnerPlan:
    """How targets are run."""

    commands: list[RunnerCommand] = field(default_factory=list)
    unrunnable: list[Unrunnable] = field(default_factory=list)

    def refuse(self, targets: Sequence[RunTarget], reason: str) -> None:
        """These cannot be run."""
        self.unrunnable += [Unrunnable(target, reason) for target in targets]
