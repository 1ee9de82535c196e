"""Write the manual page from the commands' own help.

python scripts/man_page.py
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer.main

from surveyor.cli.main import app

TARGET = Path(__file__).parents[1] / "docs" / "surveyor.1"

HEAD = """\
.\\" Written by scripts/man_page.py.
.TH SURVEYOR 1 "" "Surveyor" "User Commands"
.SH NAME
surveyor \\- one map of the code for your editor and your coding agent
.SH SYNOPSIS
.B surveyor
.I COMMAND
.RI [ OPTIONS ]
.RI [ ARGUMENTS ]
.SH DESCRIPTION
Surveyor indexes folders of code and answers what is where, who uses it and what a change breaks:
in the terminal, in editors through the Language Server Protocol
.RB ( "surveyor lsp" )
and to coding agents through the Model Context Protocol
.RB ( "surveyor mcp" ).
Commands ask a background engine, which starts when it is needed and ends when it is not.
Everything stays on this machine unless you have configured something else.
.PP
Most commands are about the project that the working folder is in;
.B \\-\\-project
names another one.
.SH COMMANDS
"""
FOOT = """\
.SH EXIT STATUS
.TP
.B 0
Done; something was found.
.TP
.B 1
Nothing was found, there is something to do, or an error.
.TP
.B 2
A bad argument.
.TP
.B 3
No such folder, project or item.
.TP
.B 4
No engine can be reached or started.
.TP
.B 5
The vector store is damaged, or its server is away.
.SH ENVIRONMENT
.TP
.B SURVEYOR_DATA_DIR
Folder of everything that is stored.
.TP
.B SURVEYOR_CONFIG
The settings file.
.TP
.BI SURVEYOR_ SECTION __ KEY
A setting, as
.BR SURVEYOR_MCP__PORT .
.TP
.B QDRANT_URL
Address of a Qdrant server that holds the vectors.
.SH FILES
.TP
.I ~/.config/surveyor/surveyor.toml
Settings;
.B surveyor config path
names them all.
.TP
.I ~/.local/share/surveyor
The index, rules, notes and logs.
.TP
.I surveyor.toml
Settings of a project, in its root.
"""


def man_page() -> str:
    """The text of the page, as roff for man(7)."""
    return HEAD + "".join(_command(found) for found in _commands(_root())) + FOOT


def _root() -> Any:
    return typer.main.get_command(app)


def _commands(found: Any, parent: Any = None) -> Iterator[Any]:
    """The contexts of all commands that do something, in the order of `--help`."""
    context = found.context_class(found, info_name=found.name, parent=parent)
    if not hasattr(found, "list_commands"):
        yield context
        return
    for name in found.list_commands(context):
        yield from _commands(found.get_command(context, name), context)


def _command(context: Any) -> str:
    command = context.command
    usage = "".join(f" {_escaped(piece)}" for piece in command.collect_usage_pieces(context)[1:])
    lines = [f'.SS "{_escaped(context.command_path)}{usage}"']
    lines += _paragraphs(command.help or "")
    for parameter in command.params:
        if parameter.name == "help":
            continue
        record = parameter.get_help_record(context)
        if record is not None:
            lines += [".TP", f'.B "{_escaped(record[0])}"', *_paragraphs(record[1])]
    return "\n".join(lines) + "\n"


def _paragraphs(text: str) -> list[str]:
    """A text with `code` in bold, one line of roff for each paragraph."""
    lines: list[str] = []
    for paragraph in re.split(r"\n\s*\n", text.strip()):
        said = _escaped(" ".join(paragraph.replace("\b", "").split()))
        said = re.sub(r"`([^`]+)`", r"\\fB\1\\fR", said)
        lines += [".PP"] if lines else []
        lines.append(f"\\&{said}" if said.startswith((".", "'")) else said)
    return [line for line in lines if line]


def _escaped(text: str) -> str:
    return text.replace("\\", "\\e").replace("-", "\\-").replace('"', "\\(dq").replace("…", "...")


if __name__ == "__main__":
    TARGET.write_text(man_page(), encoding="utf-8")
