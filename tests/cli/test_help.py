"""What `--help` says: of every command, of every option, in one look."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer.main
from scripts import completions
from scripts.man_page import TARGET, man_page

from surveyor.cli.main import app
from tests.product import Product


def commands(found: Any, parent: Any = None, *names: str) -> Iterator[tuple[str, Any, str]]:
    context = found.context_class(found, info_name=found.name, parent=parent)
    yield " ".join(names), found, found.get_help(context)
    for name in found.list_commands(context) if hasattr(found, "list_commands") else []:
        yield from commands(found.get_command(context, name), context, *names, name)


ALL = list(commands(typer.main.get_command(app)))


@pytest.mark.parametrize(("name", "command", "text"), ALL, ids=[name or "-" for name, *_ in ALL])
def test_help_is_whole_and_plain(name: str, command: Any, text: str) -> None:
    assert not [p.name for p in command.params if not getattr(p, "help", None)]
    assert "─" not in text and "│" not in text
    listed = text.partition("Commands:")[2]
    assert "..." not in listed, "a line is cut"
    assert text.startswith("Usage:")
    assert name.count(" ") < 3


def test_the_manual_page_says_what_help_does() -> None:
    assert TARGET.read_text("utf-8") == man_page(), "python scripts/man_page.py writes it anew"


@pytest.mark.skipif(not shutil.which("groff"), reason="groff is not there")
def test_the_manual_page_is_sound() -> None:
    done = subprocess.run(
        ["groff", "-man", "-ww", "-Tutf8", str(TARGET)], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("shell", completions.FILES)
def test_the_packaged_completion_is_what_the_command_prints(shell: str) -> None:
    written = completions.target(shell).read_text("utf-8")
    assert written == completions.script(shell), "python scripts/completions.py writes it anew"
    if shutil.which(shell):
        subprocess.run([shell, "-n", completions.target(shell)], check=True)


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        ("surveyor se", {"search", "secrets", "servers", "setup"}),
        ("surveyor engine service ", {"install", "remove", "status"}),
        ("surveyor search cart --mode k", {"keyword"}),
        ("surveyor setup cl", {"claude-code", "claude-desktop"}),
        ("surveyor search x --type t", {"test"}),
        ("surveyor search x --in code,r", {"code,rules"}),
        ("surveyor refs x --kind in", {"inheritance", "instantiation"}),
        ("surveyor memory add --type pre", {"preference"}),
        ("surveyor config set ask.mo", {"ask.model"}),
        ("surveyor servers install gopl", {"gopls"}),
        ("surveyor languages py", set()),  # an engine that runs knows them; none is started for it
    ],
)
def test_a_shell_completes(surveyor: Product, typed: str, offered: set[str]) -> None:
    surveyor.extra |= {
        "_SURVEYOR_COMPLETE": "complete_bash",
        "COMP_WORDS": typed,
        "COMP_CWORD": str(typed.count(" ")),
    }
    command = Path(sys.executable).with_name("surveyor")  # by whose name the variable is called
    done = subprocess.run(
        [command], env=surveyor.environment, capture_output=True, text=True, check=False
    )
    assert set(done.stdout.split()) == offered
