"""Without a server the extension says so, clearly, and offers what helps."""

from __future__ import annotations

import json
import re
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect
from tests.e2e.conftest import PREFIX, Home
from tests.e2e.vscode.conftest import (
    ATTEMPTS,
    SEARCH_BOX,
    SECONDS,
    Server,
    Workbench,
    open_window,
    picture,
    start_server,
    stop_server,
)


@pytest.fixture(scope="module")
def window(browser: Browser, home: Home, project: Path) -> Iterator[Workbench]:
    server: Server = start_server(home, path=f"{PREFIX / 'node24'}:/usr/bin:/bin")
    window = open_window(browser, server, project)
    yield window
    window.page.close()
    stop_server(server)


def test_a_missing_server_is_one_clear_message_with_ways_on(window: Workbench) -> None:
    toast = window.page.locator(".notification-toast", has_text="The server was not found")
    expect(toast).to_have_count(1)
    for action in ("Install…", "Set Path…", "Show Log"):
        expect(toast.get_by_role("button", name=action)).to_be_visible()
    expect(window.status).to_contain_text("No server")
    label = window.status.get_attribute("aria-label") or ""
    assert "managed environment" in label and "PATH" in label


def test_a_search_without_a_server_says_so_and_offers_what_helps(window: Workbench) -> None:
    window.open(
        lambda: window.key("Control+Alt+m"),
        SEARCH_BOX,
        "sign a value",
        lambda timeout: expect(window.rows).to_have_count(4, timeout=timeout),
    )
    said = [row.strip() for row in window.rows.all_inner_texts()]
    assert said == [
        "The server was not found",
        "Install the server…",
        "Set the server's path…",
        "Show the log",
    ]
    window.key("Escape")
    window.run("Surveyor: Focus on Search by Meaning View")
    view = window.pane("search by meaning")
    expect(view.get_by_role("button", name="Install Server…")).to_be_visible()


def test_a_program_that_is_no_language_server_is_told_with_its_last_words(
    window: Workbench, home: Home
) -> None:
    older = home.folder / "older"
    older.write_text(
        '#!/bin/sh\n[ "$1" = --version ] && exec echo surveyor 0.0.3\n'
        "echo \"surveyor: error: invalid choice: '$1'\" >&2\nexit 2\n"
    )
    older.chmod(0o755)
    window.server.configure(surveyor__server__path=str(older))
    said = window.said("invalid choice: 'lsp'")
    expect(said).to_contain_text("The server 0.0.3")
    expect(said).to_contain_text("this extension goes with")
    expect(said.get_by_role("button", name="Install…")).to_be_visible()
    expect(window.page.locator(".notification-toast:visible")).to_have_count(1)
    window.server.configure()
    expect(window.status).to_contain_text("No server")


def test_installing_without_a_package_asks_where_it_comes_from(window: Workbench) -> None:
    dialog = window.page.locator(".monaco-dialog-box")
    window.open(
        lambda: window.run("Surveyor: Install Server"),
        "Where does it come from?",
        shows=lambda timeout: expect(window.rows.first).to_be_visible(timeout=timeout),
    )
    origins = window.rows.all_inner_texts()
    assert "From PyPI" in origins[0] and "surveyor==" in origins[0]
    assert "A folder with Surveyor's source" in "".join(origins[1:])
    window.box("Where does it come from?").fill("another version")
    window.key("Enter")
    expect(window.quick_input).to_contain_text("Name and version")
    box = window.quick_input.locator("input[type=text]").first
    box.fill("surveyor")
    expect(window.quick_input).to_contain_text("a pinned name==version")
    box.fill("surveyor-of-nowhere==1.2.3")
    expect(window.quick_input).not_to_contain_text("a pinned name==version")
    box.press("Enter")
    expect(dialog).to_contain_text("-m pip install")
    expect(dialog).to_contain_text("surveyor-of-nowhere==1.2.3")
    picture(window, "vscode-install")
    dialog.get_by_role("button", name="Cancel").click()
    expect(dialog).to_have_count(0)
    kept = [file.read_text() for file in window.server.data.glob("*/settings.json")]
    assert not any("surveyor-of-nowhere" in text for text in kept)  # nothing was installed


def make_wheel(folder: Path, surveyor: Path) -> Path:
    """A wheel whose `surveyor` is the server under test: the real one takes minutes to build."""
    wheel = folder / "surveyor-0-py3-none-any.whl"
    about = "surveyor-0.dist-info"
    start = f"os.execv({str(surveyor)!r}, sys.argv)"
    files = {
        "surveyor_shim.py": f"import os, sys\n\n\ndef main():\n    {start}\n",
        f"{about}/METADATA": "Metadata-Version: 2.1\nName: surveyor\nVersion: 0\n",
        f"{about}/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        f"{about}/entry_points.txt": "[console_scripts]\nsurveyor = surveyor_shim:main\n",
    }
    files[f"{about}/RECORD"] = "".join(f"{name},,\n" for name in (*files, f"{about}/RECORD"))
    with zipfile.ZipFile(wheel, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return wheel


def test_installing_shows_the_commands_asks_and_starts_the_server(
    window: Workbench, home: Home, tmp_path: Path
) -> None:
    source = make_wheel(tmp_path, home.surveyor)
    window.server.configure(surveyor__server__package=str(source))
    dialog = window.page.locator(".monaco-dialog-box")
    command = f"-m pip install --disable-pip-version-check {source}"
    for _ in range(ATTEMPTS):  # the file is watched; until it is read again, the setting is old
        window.run("Surveyor: Install Server")
        try:
            expect(dialog).to_contain_text(command, timeout=10 * SECONDS)
            break
        except AssertionError:
            window.key("Escape")
    expect(dialog).to_contain_text("-m venv")
    expect(dialog).to_contain_text(command)
    dialog.get_by_role("button", name="Cancel").click()
    expect(dialog).to_have_count(0)
    assert not (home.folder / "data" / "environments").exists()
    window.run("Surveyor: Install Server")
    dialog.get_by_role("button", name="Install").click()
    window.ready()
    assert (home.folder / "data" / "environments" / "editor" / "bin" / "surveyor").exists()


def test_a_path_is_tried_before_it_is_kept(window: Workbench, home: Home) -> None:
    log = home.folder / "server.log"
    window.server.configure(surveyor__server__path="/nowhere/surveyor", surveyor__logFile=str(log))
    expect(window.status).to_have_attribute("aria-label", re.compile("/nowhere/surveyor"))
    expect(window.status).to_contain_text("No server")
    said = window.said("/nowhere/surveyor does not exist")
    expect(said).to_have_count(1)
    said.get_by_role("button", name="Set Path…").click()
    box = window.quick_input.locator("input[type=text]").first
    expect(box).to_have_value("/nowhere/surveyor")
    for wrong, told in (
        ("/usr/bin/true", "/usr/bin/true is another program"),
        (str(home.folder), "is a folder without surveyor in it"),
        (str(log), "does not exist"),
    ):
        box.fill(wrong)
        box.press("Enter")
        expect(window.quick_input).to_contain_text(told)
        picture(window, "vscode-set-path")
    box.fill(f'"{home.surveyor.parent}"')  # its folder, pasted as some systems copy a path
    box.press("Enter")
    window.ready()
    expect(window.page.locator(".notification-toast:visible")).to_have_count(0)
    kept = json.loads((window.server.data / "Machine" / "settings.json").read_text())
    assert kept["surveyor.server.path"] == str(home.surveyor)
    window.until(lambda: log.exists() and "surveyor" in log.read_text(), "the server's log file")
