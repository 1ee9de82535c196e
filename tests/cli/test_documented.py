"""Commands that the pages show are commands that there are, with options that these have."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import Any

import pytest
import typer.main
from typer import Context

from surveyor.cli.main import app

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
BLOCK = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
INLINE = re.compile(r"`(surveyor [^`\n]+)`")
LINE = re.compile(r"^(?:    |\$ )?(surveyor .*)$", re.MULTILINE)
"""A command on a line of its own, in a block or indented as one."""
SEVERAL = re.compile(r"\s{3,}(?=surveyor )| · |\s+[|&<]+\s| && |…")
"""Between commands on one line, and before what is not Surveyor's."""

OWN = {"surveyor servers run --detached"}
"""What Surveyor starts by itself, as a list of processes shows it."""


def shown(page: Path) -> list[str]:
    """The commands on a page, without the notes behind them."""
    text = page.read_text("utf-8")
    lines = [line for block in BLOCK.findall(text) for line in LINE.findall(block)]
    lines += LINE.findall(BLOCK.sub("", text)) + INLINE.findall(BLOCK.sub("", text))
    commands = (re.sub(r"\s+#\s.*", "", line) for line in lines)
    return [
        part
        for each in commands
        for part in SEVERAL.split(each)
        if part.startswith("surv") and part not in OWN
    ]


def wrong(command: str, root: Any) -> str | None:
    """What of a command there is not; None where all of it is there."""
    try:
        words = shlex.split(command)[1:]
    except ValueError:  # a sentence with an apostrophe
        words = command.split()[1:]
    here = root
    context = Context(root, resilient_parsing=True)
    while words and hasattr(here, "list_commands"):
        if words[0].startswith("-"):
            break
        name = words.pop(0)
        if not re.fullmatch(r"[a-z-]+", name):
            return None
        inner = here.get_command(context, name)
        if inner is None:
            return f"no command {name}"
        here = inner
    options = {name for each in here.params for name in [*each.opts, *each.secondary_opts]}
    for word in words:
        option = re.match(r"\[?(--[a-z][a-z-]*)", word)
        if option and option[1] not in options | {"--help"}:
            return f"no option {option[1]}"
    return None


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_what_a_page_shows_can_be_typed(page: Path) -> None:
    root = typer.main.get_command(app)
    found = {command: what for command in shown(page) if (what := wrong(command, root))}
    assert found == {}


def test_the_commands_are_found() -> None:
    assert "surveyor status" in shown(ROOT / "docs" / "cli.md")
    assert sum(len(shown(page)) for page in PAGES) > 250
    root = typer.main.get_command(app)
    assert wrong("surveyor serch x", root) == "no command serch"
    assert wrong("surveyor search x --limits 3", root) == "no option --limits"
    assert wrong("surveyor memory ad --label x", root) == "no command ad"
