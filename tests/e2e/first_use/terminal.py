"""A real terminal (tmux) in which a script types, waits for what it shows, and takes pictures."""

from __future__ import annotations

import contextlib
import re
import shlex
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

COLUMNS, ROWS = 110, 32
LOOK_S = 0.1
"""Between two looks at the screen: a terminal tells of no change."""


class Terminal:
    """One tmux server of its own with one window."""

    def __init__(
        self, environment: dict[str, str], folder: Path, size: tuple[int, int] = (COLUMNS, ROWS)
    ) -> None:
        self._sockets = tempfile.TemporaryDirectory(prefix="surveyor-tmux-")
        self._server = ["tmux", "-f", "/dev/null", "-S", f"{self._sockets.name}/tmux"]
        # The shell of a person, with that person's variables and no others.
        variables = [f"{name}={value}" for name, value in environment.items()]
        shell = ["env", "-i", *variables, "bash", "--noprofile", "--norc", "-i"]
        self._tmux(
            *("set", "-g", "default-terminal", "tmux-256color", ";"),
            *("set", "-ag", "terminal-overrides", ",*:RGB", ";"),
            *("set", "-g", "status", "off", ";", "set", "-g", "escape-time", "0", ";"),
            *("new-session", "-d", "-x", str(size[0]), "-y", str(size[1]), "-c", str(folder)),
            shlex.join(shell),
        )

    def _tmux(self, *arguments: str) -> str:
        done = subprocess.run(
            [*self._server, *arguments], capture_output=True, text=True, check=False, timeout=60
        )
        assert done.returncode == 0, (arguments, done.stderr)
        return done.stdout

    def type(self, text: str) -> None:
        """Type a text as it is."""
        self._tmux("send-keys", "-l", "--", text)

    def press(self, *keys: str) -> None:
        """Press keys by tmux's names for them: Enter, C-c, Escape."""
        self._tmux("send-keys", *keys)

    def run(self, command: str) -> None:
        """Give the shell a command, which may have several lines."""
        self.type(command)
        self.press("Enter")

    @property
    def text(self) -> str:
        """The screen's lines."""
        return self._tmux("capture-pane", "-p")

    @property
    def coloured(self) -> str:
        """The same with the escape sequences of its colours."""
        return self._tmux("capture-pane", "-p", "-e")

    @property
    def cursor(self) -> tuple[int, int]:
        """Row and column of the cursor."""
        row, column = self._tmux("display", "-p", "#{cursor_y} #{cursor_x}").split()
        return int(row), int(column)

    def wait(self, pattern: str, seconds: float) -> str:
        """Wait until the screen shows what a regular expression matches; returns the match."""
        end = time.monotonic() + seconds
        while True:
            shown = self.text
            if found := re.search(pattern, shown, re.MULTILINE):
                return found[0]
            if time.monotonic() > end:
                raise AssertionError(f"{pattern!r} did not come within {seconds} s:\n{shown}")
            time.sleep(LOOK_S)

    def close(self) -> None:
        """End everything that runs in it."""
        with contextlib.suppress(AssertionError):  # it has ended by itself
            self._tmux("kill-server")
        self._sockets.cleanup()


@contextlib.contextmanager
def opened(
    environment: dict[str, str], folder: Path, size: tuple[int, int] = (COLUMNS, ROWS)
) -> Iterator[Terminal]:
    """A terminal that is closed at the end."""
    terminal = Terminal(environment, folder, size)
    try:
        terminal.wait(r"\$ ?$", 20)
        yield terminal
    finally:
        terminal.close()
