"""`surveyor ui`: the terminal user interface."""

from __future__ import annotations

import os
import sys
from typing import Annotated

import typer

from surveyor.cli import output
from surveyor.cli.project_option import ProjectOption, project_folder
from surveyor.errors import SurveyorError, UsageError

LIGHT_BACKGROUNDS = ("7", "15")
"""Of COLORFGBG, which some terminals set: the colour of the text and of what is behind it."""


def ui(
    query: Annotated[str, typer.Argument(help="What to search for first.")] = "",
    project: ProjectOption = None,
    light: Annotated[
        bool | None,
        typer.Option("--light/--dark", help="Colours. [default: as COLORFGBG says, else dark]"),
    ] = None,
) -> None:
    """Search as you type, symbols, impact, agents and status; Enter opens $VISUAL or $EDITOR.

    Exit codes: 0 left, 1 an error, 2 no terminal, 3 no such project, 4 no engine.
    """
    with output.friendly_errors():
        if not (sys.stdin.isatty() and sys.stderr.isatty() and output.is_terminal()):
            raise UsageError(
                "`surveyor ui` needs a terminal", "In a script: `surveyor search`, with `--json`."
            )
        try:
            from surveyor.tui.run import run
        except ModuleNotFoundError as error:
            if (error.name or "").partition(".")[0] != "textual":
                raise
            raise SurveyorError(
                "Textual, which draws it, is not in this environment",
                f"Install it: {sys.executable} -m pip install textual",
            ) from error
        folder = str(project_folder(project))
    from surveyor import paths
    from surveyor.servers.trust import Trust, trust_file

    trust = Trust(trust_file(paths.data_dir()))
    dark = not (_terminal_is_light() if light is None else light)
    raise typer.Exit(run(folder, question=query, dark=dark, is_trusted=trust.is_trusted))


def _terminal_is_light() -> bool:
    return os.environ.get("COLORFGBG", "").rpartition(";")[2] in LIGHT_BACKGROUNDS
