"""A person with an empty home, and what they see first."""

from __future__ import annotations

import contextlib
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from tests.e2e.conftest import unpack_sample
from tests.e2e.first_use.drawing import Frame, picture
from tests.e2e.first_use.readme import ROOT
from tests.e2e.first_use.terminal import COLUMNS, Terminal

SURVEYOR = ROOT / ".venv" / "bin" / "surveyor"
LIMIT_S = 120
"""From the first step to the first useful answer, what is installed apart."""


@dataclass(slots=True)
class Newcomer:
    """Their home, their variables, and how long it has taken them."""

    home: Path
    project: Path
    pictures: Path | None
    environment: dict[str, str] = field(default_factory=dict)
    _began: float = field(default_factory=time.monotonic)

    def begin(self) -> None:
        """What was before is not counted."""
        self._began = time.monotonic()

    @property
    def took_s(self) -> float:
        """Since they began."""
        return time.monotonic() - self._began

    @property
    def left_s(self) -> float:
        """Until it has taken too long."""
        return max(LIMIT_S - self.took_s, 1)

    def shell(self, command: str) -> str:
        """Give a shell commands, in this repository's folder; returns what it said."""
        done = subprocess.run(
            ["bash", "--noprofile", "--norc", "-ec", command],
            cwd=ROOT, env=self.environment, capture_output=True, text=True,
            check=False, timeout=self.left_s,
        )  # fmt: skip
        assert done.returncode == 0, (command, done.stdout, done.stderr)
        return done.stdout + done.stderr

    def keep(self, terminal: Terminal, name: str) -> None:
        """Keep what a terminal shows, where pictures are wanted."""
        if self.pictures is not None:
            lines = tuple(terminal.coloured.splitlines())
            frame = Frame(lines, terminal.cursor)
            (self.pictures / f"{name}.svg").write_text(picture(frame, COLUMNS), "utf-8")


@contextlib.contextmanager
def arrived(pictures: Path | None, programs: Iterable[Path]) -> Iterator[Newcomer]:
    """Somebody with a project in an otherwise empty home, the system's programs and those named."""
    home = Path(tempfile.mkdtemp(prefix="newcomer-"))
    brought = home / "programs"  # only these, not what lies beside them
    brought.mkdir()
    for program in programs:
        (brought / program.name).symlink_to(program)
    newcomer = Newcomer(home, unpack_sample(home / "code"), pictures)
    newcomer.environment = {
        "HOME": str(home),
        "PATH": f"{home}/.local/bin:{brought}:/usr/local/bin:/usr/bin:/bin",
        "LANG": "C.UTF-8",
        "TERM": "tmux-256color",
        "COLORTERM": "truecolor",
        "PS1": "$ ",
        # No terminal's line editor waits for a history file that an empty home has not.
        "HISTFILE": "",
    }
    try:
        yield newcomer
    finally:
        stop = [str(SURVEYOR), "engine", "stop"]
        with contextlib.suppress(subprocess.TimeoutExpired):
            subprocess.run(stop, env=newcomer.environment, capture_output=True, timeout=60)
        shutil.rmtree(home, ignore_errors=True)
