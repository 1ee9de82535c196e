"""The command's root: global options and the groups below it."""

from __future__ import annotations

from typing import Annotated

import typer

from surveyor import __version__

app = typer.Typer(
    name="surveyor",
    help="One map of the code for your editor and your coding agent.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)


def show_version(wanted: bool) -> None:
    """Print the version and stop, when asked."""
    if wanted:
        typer.echo(f"surveyor {__version__}")
        raise typer.Exit


@app.callback()
def root(
    version: Annotated[
        bool,
        typer.Option("--version", callback=show_version, is_eager=True, help="Print the version."),
    ] = False,
) -> None:
    """One map of the code for your editor and your coding agent."""


def _register() -> None:
    from surveyor.cli import servers

    servers.register(app)


_register()
