"""Draw docs/images/main-job.svg: half a minute of the main job, played in a real terminal.

`python -m tests.e2e.first_use.film [FILE]` indexes a small project on an empty home, types the
commands of `SCENES` and keeps what the terminal shows. How long each picture stands is said here,
so that a busy machine makes the same film; nothing that is shown has a time or a date in it.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

from tests.e2e.first_use.drawing import Frame, Shot, film
from tests.e2e.first_use.newcomer import SURVEYOR, Newcomer, arrived
from tests.e2e.first_use.readme import ROOT
from tests.e2e.first_use.terminal import Terminal, opened

PICTURE = ROOT / "docs" / "images" / "main-job.svg"
SIZE = (124, 14)
KEYS = 8
"""Typed between two pictures."""
KEYS_S, READY_S = 0.18, 0.6
TITLE = "Surveyor in a terminal: search by meaning, callers, an edit with its receipt"
SCENES = (
    (
        'surveyor search "encode bytes so that they fit into a URL" --limit 1',
        r"base64_encode",
        7.0,
        "A question in plain words finds the function base64_encode.",
    ),
    (
        "surveyor callers base64_encode",
        r"call in",
        7.0,
        "Its callers are listed with file, line and the line's text.",
    ),
    (
        "surveyor edit src/itsdangerous/encoding.py"
        " --old 'base64_encode(string: str | bytes)'"
        " --new 'base64_encode(string: str | bytes, pad: bool)'",
        r"^tests: ",
        9.0,
        "An edit gives it another parameter; the receipt names each call that no longer fits, and"
        " the tests that reach the change.",
    ),
)
"""Command, what its answer has to show, seconds for reading it, and what a listener is told."""


def shot(terminal: Terminal, seconds: float) -> Shot:
    """What the terminal shows now."""
    return Shot(Frame(tuple(terminal.coloured.splitlines()), terminal.cursor), seconds)


def play(newcomer: Newcomer) -> list[Shot]:
    """Type the commands, and keep what is seen of it."""
    newcomer.shell(f"cd {newcomer.project} && {SURVEYOR} index .")
    shots = []
    with opened(newcomer.environment, newcomer.project, SIZE) as terminal:
        for command, answer, seconds, _ in SCENES:
            terminal.run("clear")
            terminal.wait(r"\A\$\s*\Z", newcomer.left_s)
            shots.append(shot(terminal, READY_S))
            for begin in range(0, len(command), KEYS):
                terminal.type(command[begin : begin + KEYS])
                # The screen breaks a long line anywhere.
                letters = map(re.escape, f"$ {command[: begin + KEYS]}".rstrip())
                terminal.wait(r"\A" + r"\n?".join(letters) + r"\s*\Z", newcomer.left_s)
                shots.append(shot(terminal, KEYS_S))
            shots.append(shot(terminal, READY_S))
            terminal.press("Enter")
            terminal.wait(answer, newcomer.left_s)
            terminal.wait(r"^\$\s*\Z", newcomer.left_s)
            shots.append(shot(terminal, seconds))
    return shots


def main() -> int:
    """Write the picture."""
    file = Path(sys.argv[1]) if sys.argv[1:] else PICTURE
    with arrived(None, [SURVEYOR]) as newcomer:
        shots = play(newcomer)
    described = " ".join(told for *_, told in SCENES)
    file.write_text(film(shots, SIZE, TITLE, described), "utf-8")
    seconds = sum(each.seconds for each in shots)
    print(f"{file}: {len(shots)} pictures, {seconds:.0f} s, {file.stat().st_size:,} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
