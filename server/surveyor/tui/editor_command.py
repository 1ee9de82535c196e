"""How the user's own editor is told to open a file at a line."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from surveyor.errors import UsageError

PLUS_LINE = {
    "vi", "vim", "nvim", "view", "gvim", "mvim", "elvis", "vis", "nano", "pico", "micro", "emacs",
    "emacsclient", "xemacs", "jed", "joe", "mg", "ne", "kak", "gedit", "xed", "pluma",
}  # fmt: skip
"""`editor +LINE FILE`."""
GOTO = {"code", "code-insiders", "codium", "vscodium", "cursor", "windsurf"}
"""`editor --goto FILE:LINE:COLUMN`."""
COLON = {"hx", "helix", "zed", "zeditor", "subl", "sublime_text"}
"""`editor FILE:LINE:COLUMN`."""
LINE_OPTION = {
    "kate", "kwrite", "idea", "pycharm", "webstorm", "goland", "clion", "rubymine", "phpstorm",
    "rider", "rustrover", "mate",
}  # fmt: skip
"""`editor --line LINE FILE`."""
WINDOWED = {*GOTO, *LINE_OPTION, *COLON, "gvim", "mvim", "gedit", "xed", "pluma"} - {"hx", "helix"}
"""Editors with a window of their own: the terminal stays with us."""


@dataclass(frozen=True, slots=True)
class EditorCommand:
    """What to start."""

    arguments: list[str]
    windowed: bool
    at_line: bool
    """Whether this editor could be told the line."""


def chosen_editor(environment: Mapping[str, str]) -> str:
    """$VISUAL, else $EDITOR. Raises `UsageError` where neither says anything."""
    for variable in ("VISUAL", "EDITOR"):
        if chosen := environment.get(variable, "").strip():
            return chosen
    raise UsageError(
        "no editor is set", "Set one before starting, for instance: export EDITOR=nvim"
    )


def editor_command(editor: str, file: Path, line: int, column: int | None = None) -> EditorCommand:
    """The command that opens `file` at a line (1-based) and a column (0-based, if it is known).

    The path is absolute, so that no name of a file is taken for an option. Raises `UsageError`
    for an `editor` that is no command.
    """
    try:
        words = shlex.split(editor)
    except ValueError as error:
        raise UsageError(f"$EDITOR is no command ({error}): {editor}") from error
    if not words or not words[0]:
        raise UsageError(f"$EDITOR is no command: {editor}")
    words[0] = str(Path(words[0]).expanduser()) if words[0].startswith("~") else words[0]
    name = re.sub(r"(-?\d|\.).*$", "", Path(words[0]).name.lower())  # emacs-29.1, vim.basic
    path = str(file.absolute())
    place = f"{path}:{line}" + (f":{column + 1}" if column is not None else "")
    if name in PLUS_LINE:
        given = [f"+{line}", path]
    elif name in GOTO:
        given = ["--goto", place]
    elif name in COLON:
        given = [place]
    elif name in LINE_OPTION:
        given = ["--line", str(line), path]
    else:
        return EditorCommand([*words, path], windowed=False, at_line=False)
    # Emacs shows a window where there is a display, unless it is told not to.
    return EditorCommand([*words, *given], windowed=name in WINDOWED, at_line=True)
