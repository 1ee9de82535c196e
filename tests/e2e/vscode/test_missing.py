"""Without a server the extension says so, clearly, and offers what helps."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect
from tests.e2e.conftest import Home
from tests.e2e.vscode.conftest import Server, Workbench, open_window, start_server, stop_server


@pytest.fixture(scope="module")
def window(browser: Browser, home: Home, project: Path) -> Iterator[Workbench]:
    server: Server = start_server(home, path="/usr/bin:/bin")
    window = open_window(browser, server, project)
    yield window
    window.page.close()
    stop_server(server)


def test_a_missing_server_is_one_clear_message_with_ways_on(window: Workbench) -> None:
    toast = window.page.locator(".notification-toast", has_text="Surveyor's server was not found")
    expect(toast).to_have_count(1)
    for action in ("Install…", "Set Path", "Show Log"):
        expect(toast.get_by_role("button", name=action)).to_be_visible()
    expect(window.status).to_contain_text("No server")
    label = window.status.get_attribute("aria-label") or ""
    assert "managed environment" in label and "PATH" in label


def test_installing_without_a_package_says_what_to_set(window: Workbench) -> None:
    window.run("Surveyor: Install Server")
    expect(
        window.page.locator(".notification-toast", has_text="surveyor.server.package is empty")
    ).to_be_visible()


def test_installing_shows_the_command_and_asks_first(
    window: Workbench, home: Home, tmp_path: Path
) -> None:
    package = tmp_path / "source"
    package.mkdir()
    (package / "pyproject.toml").write_text('[project]\nname = "surveyor"\nversion = "0"\n')
    window.server.configure(surveyor__server__package=str(package))
    window.page.wait_for_timeout(1000)  # the file's watcher is the only way in
    window.run("Surveyor: Install Server")
    dialog = window.page.locator(".monaco-dialog-box")
    expect(dialog).to_contain_text("-m pip install")
    expect(dialog).to_contain_text(str(package))
    dialog.get_by_role("button", name="Cancel").click()
    assert not (home.folder / "data" / "environments").exists()


def test_a_path_set_later_starts_the_server(window: Workbench, home: Home) -> None:
    window.server.configure(surveyor__server__path=str(home.surveyor))
    window.ready()
