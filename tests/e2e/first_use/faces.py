"""The way from the README to the first useful answer, in each program.

Each is given somebody with an empty home and a project of their own, types what the page says, and
ends when the answer to their question is on the screen; one that names another file than it should
is none.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tests.e2e.conftest import PREFIX
from tests.e2e.first_use import model
from tests.e2e.first_use.newcomer import LIMIT_S, Newcomer, arrived
from tests.e2e.first_use.readme import ROOT, commands, said
from tests.e2e.first_use.terminal import Terminal, opened

QUESTION = "check whether a signature is too old"
USEFUL = r"itsdangerous/timed\.py"
"""What the answer to that question has to name, in the newcomer's project."""


@dataclass(frozen=True, slots=True)
class Face:
    """One program."""

    name: str
    play: Callable[[Newcomer], None]
    programs: Callable[[], list[Path | None]]
    """What has to be there; None for what is not."""


def _found(name: str, *elsewhere: Path) -> Path | None:
    for place in elsewhere:
        if os.access(place, os.X_OK):
            return place
    found = shutil.which(name)
    return Path(found) if found else None


def in_terminal(newcomer: Newcomer) -> None:
    """`make try`, the command's name, and a question of one's own."""
    with opened(newcomer.environment, ROOT) as terminal:
        newcomer.begin()
        terminal.run(f"clear; {said('(make try) ')} FOLDER={newcomer.project}")
        terminal.wait(r"^== surveyor search", newcomer.left_s)
        terminal.wait(r"See and stop .*\n(?:.*\n)*\$\s*\Z", newcomer.left_s)
        newcomer.keep(terminal, "first-use-make-try")
        terminal.run(commands("To have it under that name").strip())
        command = re.sub(r'".*"', f'"{QUESTION}"', said(r'(surveyor search "[^"]+")'))
        terminal.run(f"cd {newcomer.project}; clear; {command} --limit 3")
        terminal.wait(USEFUL, newcomer.left_s)
        terminal.wait(r"^\$\s*\Z", newcomer.left_s)
        newcomer.keep(terminal, "first-use-terminal")


def _type_settings(terminal: Terminal, newcomer: Newcomer, section: str) -> None:
    """What the README says of an editor, but for its last line, which opens this repository."""
    settings = commands(section).strip().rpartition("\n")[0]
    terminal.run(f"{settings}\ncd {newcomer.project}; clear; echo settings are made")
    terminal.wait("^settings are made", newcomer.left_s)


def _ask_until_indexed(
    terminal: Terminal, newcomer: Newcomer, ask: Callable[[], None], cancel: str
) -> None:
    """Ask, and cancel and ask again where the editor says that the index is being made."""
    while True:
        ask()
        shown = terminal.wait(f"{USEFUL}|Nothing (?:was )?found|files behind", newcomer.left_s)
        if re.fullmatch(USEFUL, shown):
            return
        terminal.press(cancel)
        time.sleep(2)  # as a person would: that it is ready shows in no answer but the next


def in_neovim(newcomer: Newcomer) -> None:
    """The README's lines, and its question."""
    with opened(newcomer.environment, ROOT) as terminal:
        newcomer.begin()
        _type_settings(terminal, newcomer, "**Neovim**")
        terminal.run("nvim README.md")
        terminal.wait(r"README\.md .*All|README\.md .*Top", newcomer.left_s)
        ask = re.sub("search .*", f"search {QUESTION}", said(r"`(:Surveyor search [^`]+)`"))
        _ask_until_indexed(terminal, newcomer, lambda: terminal.run(ask), "C-c")
        newcomer.keep(terminal, "first-use-neovim")


def in_emacs(newcomer: Newcomer) -> None:
    """The README's lines, its keys, and its question."""
    with opened(newcomer.environment, ROOT) as terminal:
        newcomer.begin()
        _type_settings(terminal, newcomer, "**Emacs**")
        terminal.run("emacs -nw README.md")
        terminal.wait(r"README\.md +", newcomer.left_s)

        def ask() -> None:
            terminal.press(*said(r"`(C-c s s)`").split())
            terminal.wait(r"^Search by meaning", newcomer.left_s)
            terminal.type(QUESTION)
            terminal.press("Enter")

        _ask_until_indexed(terminal, newcomer, ask, "C-g")
        newcomer.keep(terminal, "first-use-emacs")


def in_claude_code(newcomer: Newcomer) -> None:
    """`surveyor setup`, and a question to an agent whose model is a script."""
    with model.served() as address, opened(newcomer.environment, ROOT) as terminal:
        newcomer.begin()
        newcomer.shell(commands("To have it under that name"))
        terminal.run(f"cd {newcomer.project}; clear; {said('(surveyor setup claude-code)')}")
        terminal.wait(r"written(?:.*\n)+\$\s*\Z", newcomer.left_s)
        terminal.run("clear; claude mcp list")
        terminal.wait(r"surveyor: .*Connected(?:.*\n)+\$\s*\Z", newcomer.left_s)
        terminal.run(
            f"clear; export ANTHROPIC_BASE_URL={address} ANTHROPIC_API_KEY=none"
            " CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1; clear"
        )
        ask = f'claude -p "{QUESTION}" --allowedTools "mcp__surveyor__*"'
        terminal.run(f"clear; {ask} </dev/null | cut -c1-100 | head -24")
        terminal.wait(USEFUL, newcomer.left_s)
        terminal.wait(r"^\$\s*\Z", newcomer.left_s)
        newcomer.keep(terminal, "first-use-claude-code")


def in_vscode(newcomer: Newcomer) -> None:
    """The window is driven from the editors' own environment, which has Playwright."""
    environment = newcomer.environment | {"EDITORS_PREFIX": str(PREFIX), "PYTHONPATH": str(ROOT)}
    if newcomer.pictures is not None:
        environment["SURVEYOR_E2E_PICTURES"] = str(newcomer.pictures)
    environment["PATH"] = f"{PREFIX / 'node24'}:{environment['PATH']}"  # code-server's own
    python = PREFIX / "venv" / "bin" / "python"
    newcomer.begin()
    done = subprocess.run(
        [python, "-m", "tests.e2e.first_use.vscode", newcomer.project, QUESTION, USEFUL],
        cwd=ROOT, env=environment, capture_output=True, text=True, check=False,
        timeout=2 * LIMIT_S,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr


FACES = (
    Face("terminal", in_terminal, lambda: [_found("make")]),
    Face("neovim", in_neovim, lambda: [_found("nvim", PREFIX / "venv/bin/nvim")]),
    Face("emacs", in_emacs, lambda: [_found("emacs")]),
    Face(
        "claude-code",
        in_claude_code,
        lambda: [_found("claude", PREFIX / "claude/node_modules/.bin/claude")],
    ),
    Face(
        "vscode",
        in_vscode,
        lambda: [
            _found("code-server", PREFIX / "cs/bin/code-server"),
            _found("chromium"),
            _vsix(),
        ],
    ),
)


def _vsix() -> Path | None:
    built = ROOT / "clients" / "vscode" / "surveyor.vsix"
    return built if built.is_file() else None


def play(face: Face, pictures: Path | None) -> str:
    """Play one; returns what came of it as a row's end."""
    programs = [program for program in face.programs() if program is not None]
    if len(programs) < len(face.programs()):
        return "not played: the program is not there"
    try:
        with arrived(pictures, programs) as newcomer:
            face.play(newcomer)
            took = newcomer.took_s
    except AssertionError as error:
        print(error, file=sys.stderr)
        return "FAILED"
    return f"{took:.1f} s" if took < LIMIT_S else f"TOO LONG: {took:.1f} s"
