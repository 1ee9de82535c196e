"""What `--help` says: of every command, of every option, in one look."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import typer.main

from surveyor.cli.main import app


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
