"""From the command to the running application."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from surveyor.client.asynchronous import AsyncClient, hello
from surveyor.tui.app import SurveyorApp


def run(folder: str, *, question: str, dark: bool, is_trusted: Callable[[Path], bool]) -> int:
    """Show the UI until it is left; returns the exit code."""
    app = SurveyorApp(
        AsyncClient(hello("cli")), folder, question=question, dark=dark, is_trusted=is_trusted
    )
    app.run()
    return app.return_code or 0
