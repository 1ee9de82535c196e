"""Shells: files that are sourced, and scripts that are run."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from surveyor.graph.languages.readers import NOT_CONSTANT, Found, line, text
from surveyor.parsing.types import Import

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["RUN", "read", "run"]

RUN = "run:"
"""Before the path or name of a script that is run: none of its definitions is seen."""
_SOURCING = frozenset({"source", ".", "load"})
_RUNNERS = frozenset(
    {"bash", "command", "env", "exec", "nohup", "run", "sh", "sudo", "time", "zsh"}
)
"""Commands that run the command behind them, bats' `run` among them."""
_SCRIPT = re.compile(r"(?:~|\.{1,2})?/?\w[\w./-]*")
_EXPANSION = re.compile(r"^.*[)}]|^.*\$\w+|[\"']")
"""What stands before the constant end of a path: `$(dirname "$0")/`, `${HERE}/`, `$HERE/`."""


def read(node: Node) -> Found:
    """`source path`, `. path`, `load path` of bats: all that the file defines."""
    argument = node.child_by_field_name("argument")
    written = text(argument)
    path = _EXPANSION.sub("", written).strip("\"'").lstrip("/")
    if not path or "$" in path or path.startswith("-"):
        return [
            Import(written, line=line(node), kind="dynamic", unresolved_reason=NOT_CONSTANT)
        ], []
    return [Import(path, (("*", "*"),), line=line(node))], []


def run(node: Node) -> list[str]:
    """The script that a command is, or that it runs: `./build.sh`, `exec app-help`; none where it
    is no script's name."""
    command = text(node.child_by_field_name("name"))
    words = [command]
    if command in _SOURCING:
        return []
    if command in _RUNNERS:
        given = node.children_by_field_name("argument")
        words = [text(each) for each in given if each.type == "word"]
    for word in words:
        path = _EXPANSION.sub("", word).strip("\"'").lstrip("/")
        if word.startswith("-") or "=" in word or not _SCRIPT.fullmatch(path):
            continue  # an option of the command
        return [RUN + path] if re.search(r"[-/.]", word) else []
    return []
