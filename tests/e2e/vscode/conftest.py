"""A real VS Code, served by code-server to a headless Chromium, with the packaged extension."""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
import subprocess
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from queue import Empty, Queue
from typing import Any
from urllib.parse import quote

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright
from tests.e2e.conftest import PREFIX, REPOSITORY, Home

EXTENSION = REPOSITORY / "clients" / "vscode"
VSIX = EXTENSION / "surveyor.vsix"
CODE_SERVER = PREFIX / "cs" / "bin" / "code-server"
CHROMIUM_ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
QUIET: dict[str, Any] = {
    "workbench.startupEditor": "none",
    "security.workspace.trust.enabled": False,
    "telemetry.telemetryLevel": "off",
    "git.enabled": False,
    "extensions.autoUpdate": False,
    "update.mode": "none",
    "chat.disableAIFeatures": True,
    "chat.commandCenter.enabled": False,
    "editor.minimap.enabled": False,
    "workbench.secondarySideBar.defaultVisibility": "hidden",
    "workbench.tips.enabled": False,
}
TRUST: dict[str, Any] = {
    "security.workspace.trust.enabled": True,
    "security.workspace.trust.startupPrompt": "never",
    "security.workspace.trust.banner": "never",
}
PATIENCE_S = 40
"""How long a test waits for what it expects; usually it comes at once."""

SECONDS = 1000
"""Playwright counts in milliseconds."""


@dataclass(slots=True)
class Server:
    """One code-server: its address, its user's settings and logs."""

    address: str
    data: Path
    process: subprocess.Popen[str]

    def configure(self, **settings: object) -> None:
        """Write the user's settings; VS Code takes them up by itself."""
        write_settings(self.data, {name.replace("__", "."): v for name, v in settings.items()})

    def address_of(self, folder: Path, *, payload: list[list[str]] | None = None) -> str:
        kind = "workspace" if folder.suffix == ".code-workspace" else "folder"
        address = f"{self.address}/?{kind}={quote(str(folder))}"
        return address + (f"&payload={quote(json.dumps(payload))}" if payload else "")

    def log(self) -> str:
        """The extension's own log, for a failure's message."""
        files = sorted((self.data / "logs").glob("*/exthost*/surveyor.surveyor/*.log"))
        return "\n".join(f"--- {file.name}\n{file.read_text()[-4000:]}" for file in files[-3:])


def write_settings(data: Path, settings: dict[str, object]) -> None:
    """Write them where each scope is read: the server is a remote machine for the window."""
    for scope in ("User", "Machine"):
        folder = data / scope
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "settings.json").write_text(json.dumps(QUIET | settings, indent=2))


def start_server(
    home: Home, *, path: str | None = None, runs_tests: bool = False, asks_for_trust: bool = False
) -> Server:
    """Install the extension for this user and serve VS Code on a free port.

    `runs_tests` lets the extension host run a test module; VS Code then hides messages and dialogs.
    """
    data, extensions = home.folder / "vscode", home.folder / "extensions"
    write_settings(data, TRUST if asks_for_trust else {})
    environment = home.environment | {
        "EXTENSIONS_GALLERY": '{"serviceUrl":""}',
        "VSCODE_CLI": "1",  # or the PATH of a login shell replaces the one given here
    }
    if path is not None:
        environment["PATH"] = path
    common = [
        str(CODE_SERVER),
        *("--config", str(home.folder / "code-server.yaml")),
        *("--user-data-dir", str(data)),
        *("--extensions-dir", str(extensions)),
    ]
    subprocess.run(
        [*common, "--install-extension", str(VSIX)],
        env=environment,
        check=True,
        capture_output=True,
        timeout=60,
    )
    process = subprocess.Popen(
        [
            *common,
            *("--auth", "none"),
            *("--bind-addr", "127.0.0.1:0"),
            "--disable-telemetry",
            "--disable-update-check",
            *(() if asks_for_trust else ("--disable-workspace-trust",)),
            "--disable-getting-started-override",
            *(("--vscode-option", "enable-smoke-test-driver=true") if runs_tests else ()),
        ],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    return Server(listening_at(process), data, process)


def listening_at(process: subprocess.Popen[str]) -> str:
    """Read code-server's output until it says where it listens; keep reading after that."""
    lines: Queue[str] = Queue()
    assert process.stdout is not None
    output = process.stdout

    def read() -> None:
        for line in output:
            lines.put(line)

    threading.Thread(target=read, daemon=True).start()
    seen = ""
    while True:
        try:
            seen += lines.get(timeout=60)
        except Empty:
            raise AssertionError(f"code-server did not start: {seen}") from None
        if found := re.search(r"listening on (http://[\d.:]+)", seen):
            return found[1]


def stop_server(server: Server) -> None:
    """Stop code-server and everything it started."""
    group = server.process.pid  # it leads its session
    server.process.terminate()
    try:
        server.process.wait(timeout=20)
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(group, signal.SIGKILL)
        server.process.wait()


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Debian's Chromium, headless."""
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(
            executable_path="/usr/bin/chromium", args=CHROMIUM_ARGUMENTS
        )
        yield running
        running.close()


@pytest.fixture(scope="module")
def server(home: Home) -> Iterator[Server]:
    assert VSIX.is_file(), "build the extension first: npm run package"
    running = start_server(home)
    yield running
    stop_server(running)


class Workbench:
    """The window and what a person does in it."""

    def __init__(self, page: Page, server: Server) -> None:
        self.page = page
        self.server = server

    def key(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)

    def type(self, text: str) -> None:
        self.page.keyboard.type(text, delay=10)

    @property
    def quick_input(self) -> Any:
        return self.page.locator(".quick-input-widget:visible")

    @property
    def rows(self) -> Any:
        return self.quick_input.locator(".monaco-list-row")

    @property
    def focused(self) -> Any:
        """The entry of the list that Enter takes."""
        return self.quick_input.locator(".monaco-list-row.focused")

    @property
    def status(self) -> Any:
        return self.page.locator(".statusbar-item[id='surveyor.surveyor.surveyor.status']")

    @property
    def input(self) -> Any:
        return self.quick_input.locator("input[type=text]").first

    def answer(self, text: str) -> None:
        """Type into the box that is open, once it listens."""
        expect(self.input).to_be_focused()
        self.type(text)

    def search(self, text: str) -> None:
        """Open the search box, put a query in at once, and wait for its answer."""
        self.key("Control+Alt+m")
        expect(self.input).to_be_focused()
        self.input.fill(text)  # one change, so that the only answer is this query's
        expect(self.quick_input).to_contain_text(re.compile(r"\d+ results in"))

    def _take(self, opens: Callable[[], None], text: str, entry: str) -> None:
        """Open a list, narrow it down and take an entry; it may not have it at once, and what
        closed the list before may still close this one."""
        patience = PATIENCE_S * SECONDS / 5
        for _ in range(10):
            opens()
            try:
                expect(self.input).to_be_focused(timeout=patience)
                self.input.fill(text)
                expect(self.focused).to_contain_text(entry, timeout=patience)
            except AssertionError:
                self.key("Escape")
                continue
            self.key("Enter")
            return
        raise AssertionError(f"the list never had {entry}\n{self.server.log()}")

    def run(self, title: str) -> None:
        """Run a command by its title, once its extension has announced it."""
        self._take(lambda: self.key("F1"), f">{title}", title)

    def open_file(self, path: str, line: int | None = None) -> None:
        """Open a file by quick open, at a line where one is given."""
        name = Path(path).name
        for _ in range(3):  # while files are looked for, the list has recent ones
            self.key("Control+p")
            self.answer(path)
            try:
                expect(self.rows.first).to_contain_text(name, timeout=PATIENCE_S * SECONDS / 3)
                if line is not None:
                    self.type(f":{line}")
                self.key("Enter")
                expect(self.active_tab).to_contain_text(name, timeout=PATIENCE_S * SECONDS / 3)
                if line is not None:
                    expect(self.current_line).to_contain_text(f"Ln {line},")
                return
            except AssertionError:
                self.key("Escape")
        raise AssertionError(f"{path} could not be opened")

    @property
    def active_tab(self) -> Any:
        return self.page.locator(".tab.active").first

    @property
    def current_line(self) -> Any:
        return self.page.locator("[id='status.editor.selection']")

    def until(self, condition: Callable[[], bool], what: str) -> None:
        """Wait for what only the machine shows, letting the browser work meanwhile."""
        for _ in range(PATIENCE_S * 10):
            if condition():
                return
            self.page.wait_for_timeout(SECONDS / 10)
        raise AssertionError(f"{what} did not come\n{self.server.log()}")

    def choose(self, entry: str) -> None:
        """Choose an entry of the status item's menu, which shows the state when it is opened."""
        self._take(self.status.click, entry, entry)

    @property
    def clipboard(self) -> str:
        return str(self.page.evaluate("navigator.clipboard.readText()"))

    def wait_for_clipboard(self, start: str) -> None:
        """Wait until what is copied begins so."""
        self.until(lambda: self.clipboard.startswith(start), f"{start!r} in the clipboard")

    def pane(self, title: str) -> Any:
        """A view of ours, by what its title says."""
        return self.page.locator(".pane", has_text=re.compile(title, re.I)).first

    def said(self, text: str) -> Any:
        """A message at the lower right."""
        return self.page.locator(".notification-toast", has_text=text)

    def ready(self, seconds: int = 90) -> None:
        """Wait until the status item says that everything is indexed."""
        expect(self.status).to_have_attribute(
            "aria-label",
            re.compile(r"Surveyor: \d[\d,]* files? indexed"),
            timeout=seconds * SECONDS,
        )


def open_window(browser: Browser, server: Server, folder: Path) -> Workbench:
    """A window on a folder, or on a `.code-workspace` file."""
    page = browser.new_page(
        viewport={"width": 1280, "height": 800}, permissions=["clipboard-read", "clipboard-write"]
    )
    page.set_default_timeout(PATIENCE_S * SECONDS)
    expect.set_options(timeout=PATIENCE_S * SECONDS)
    page.goto(server.address_of(folder), wait_until="commit", timeout=120 * SECONDS)
    page.locator(".monaco-workbench").wait_for(timeout=120 * SECONDS)
    return Workbench(page, server)


def picture(window: Workbench, name: str) -> None:
    """Keep a screenshot where SURVEYOR_E2E_PICTURES says; that is how docs/images are made."""
    folder = os.environ.get("SURVEYOR_E2E_PICTURES")
    if folder:
        window.page.wait_for_timeout(500)
        window.page.screenshot(path=str(Path(folder) / f"{name}.png"))
