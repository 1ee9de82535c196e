"""VS Code's part: install the package, paste the server's path, ask. Prints nothing when it works.

`python -m tests.e2e.first_use.vscode PROJECT QUESTION USEFUL`, in the editors' own environment.
"""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path

from playwright.sync_api import expect, sync_playwright
from tests.e2e.conftest import Home
from tests.e2e.first_use.readme import ROOT, said
from tests.e2e.vscode.conftest import (
    CHROMIUM_ARGUMENTS,
    open_window,
    picture,
    start_server,
    stop_server,
)

SURVEYOR = ROOT / ".venv" / "bin" / "surveyor"


def main(project: Path, question: str, useful: str) -> None:
    """The README's lines in a window that nobody has prepared."""
    home = Home(Path(os.environ["HOME"]), dict(os.environ), SURVEYOR)
    assert said(r"(code --install-extension .*)").endswith("surveyor.vsix")
    server = start_server(home, path=os.environ["PATH"])
    try:
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(
                executable_path="/usr/bin/chromium", args=CHROMIUM_ARGUMENTS
            )
            window = open_window(browser, server, project)
            asked = window.said("The server was not found")
            asked.get_by_role("button", name=said(r"choose \*([^*]+)\*")).click()
            box = window.quick_input.locator("input[type=text]").first
            box.fill(str(SURVEYOR))
            box.press("Enter")
            expect(window.quick_input).to_be_hidden()
            window.search(question)
            expect(window.quick_input).to_contain_text(re.compile(Path(useful).name))
            picture(window, "first-use-vscode")
            browser.close()
    finally:
        stop_server(server)


if __name__ == "__main__":
    main(Path(sys.argv[1]), *sys.argv[2:])
