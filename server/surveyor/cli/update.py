"""`surveyor update`: whether there is a newer release, and the command that installs it."""

from __future__ import annotations

from typing import Annotated

import typer

from surveyor.cli import output

app = output.group("Newer releases. Nothing is ever looked up or replaced by itself.")

NEWER = 1
"""Exit code where there is something to do, as `surveyor check` has it."""


@app.command()
def check(json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False) -> None:
    """Ask your package manager for the newest release; print the command that would install it.

    Exit code 0: there is no newer one. 1: there is. 2: it could not be found out.
    """
    from surveyor import __version__
    from surveyor.installation import releases
    from surveyor.installation.origin import DISTRIBUTION, origin

    installed = origin()
    with output.friendly_errors():
        newest = releases.newest()
    ours = newest if newest is not None and newest.is_ours else None
    is_newer = ours is not None and releases.is_newer(ours.version, __version__)
    if json:
        output.print_json(
            {
                "installed": __version__,
                "installed_by": installed.kind,
                "newest": ours.version if ours is not None else None,
                "newer": is_newer,
                "command": installed.update if is_newer else None,
            }
        )
    elif newest is None:
        output.say(
            f"{__version__} is installed ({installed.kind}). No release of {DISTRIBUTION} is"
            " published where your package manager looks."
        )
    elif ours is None:
        output.say(
            f"{__version__} is installed. Another project is called {DISTRIBUTION} where your"
            f" package manager looks ({newest.summary}): do not install that one."
        )
    elif not is_newer:
        output.say(f"{__version__} is the newest release ({installed.kind}).")
    else:
        output.say(f"{newest.version} is there, {__version__} is installed ({installed.kind}):")
        output.say(f"  {installed.update}")
        output.say("  surveyor engine restart")
    if is_newer:
        raise typer.Exit(NEWER)
