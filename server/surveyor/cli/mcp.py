"""`surveyor mcp`: shown here for its help; `__main__` starts the relay without this framework."""

from __future__ import annotations

from typing import Annotated

import typer


def mcp(
    project: Annotated[
        str | None,
        typer.Option(
            "--project", "-C", help="Folder of the project.", show_default="the working directory"
        ),
    ] = None,
) -> None:
    """Serve a coding agent over stdio (MCP); agents start this by themselves.

    `surveyor setup CLIENT` writes the configuration that does.
    """
    from surveyor.mcp.relay import main

    raise typer.Exit(main([] if project is None else ["--project", project]))
