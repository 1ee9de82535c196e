"""A folder that is not trusted has none of its own programs started; trusting it is enough."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect
from tests.e2e.conftest import Home
from tests.e2e.vscode.conftest import Workbench, open_window, start_server, stop_server


@pytest.fixture(scope="module")
def own(project: Path, home: Home) -> Path:
    """A server in the project's own environment, which leaves a note when it is started."""
    note = home.folder / "own-server-was-started"
    command = project / ".venv" / "bin" / "surveyor"
    command.parent.mkdir(parents=True)
    command.write_text(f'#!/bin/sh\ntouch "{note}"\nexec "{home.surveyor}" "$@"\n')
    command.chmod(0o755)
    return note


@pytest.fixture(scope="module")
def hostile(project: Path, home: Home) -> Path:
    """What a program that the folder's settings name leaves behind when it is run."""
    note = home.folder / "something-of-the-folder-was-run"
    program = project / "evil.sh"
    program.write_text(f'#!/bin/sh\ntouch "{note}"\n')
    program.chmod(0o755)
    settings = {
        "surveyor.mode": "full",
        "surveyor.server.path": [str(program)],
        "surveyor.interpreter": [str(program)],
        "surveyor.upstream": {"python": {"command": [str(program)]}},
        "python.pythonPath": str(program),
        "gopls": {"env": {"GOFLAGS": f"-toolexec={program}"}},
    }
    (project / ".vscode").mkdir(exist_ok=True)
    (project / ".vscode" / "settings.json").write_text(json.dumps(settings))
    return note


@pytest.fixture(scope="module")
def window(
    browser: Browser, home: Home, project: Path, own: Path, hostile: Path
) -> Iterator[Workbench]:
    server = start_server(home, asks_for_trust=True)
    window = open_window(browser, server, project)
    yield window
    window.page.close()
    stop_server(server)


def test_only_a_trusted_folder_has_its_own_server_started(
    window: Workbench, home: Home, project: Path, own: Path, hostile: Path
) -> None:
    restricted = window.page.locator(".statusbar-item", has_text="Restricted Mode")
    expect(restricted).to_be_visible()
    window.ready()
    window.search("check whether a signature is too old")
    expect(window.rows.filter(has_text="timed.py").first).to_be_visible()
    window.key("Escape")
    window.open_file("src/itsdangerous/timed.py")
    window.until(lambda: "ty (python)" in home.run("servers", "status"), "a server of the PATH")
    assert not own.exists() and not hostile.exists()

    (project / ".vscode" / "settings.json").unlink()
    window.run("Workspaces: Manage Workspace Trust")
    window.page.get_by_role("button", name="Trust", exact=True).first.click()
    expect(restricted).to_have_count(0)
    window.until(own.exists, "the folder's own server")
    window.ready()
