"""A real VS Code, served by code-server to a headless Chromium, with the packaged extension."""

from __future__ import annotations

import atexit
import contextlib
import functools
import json
import os
import re
import shutil
import signal
import subprocess
import tempfile
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from queue import Empty, Queue
from typing import Any
from urllib.parse import quote

import pytest
from playwright.sync_api import Browser, Error, Page, expect, sync_playwright
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
PATIENCE_S = 60
"""How long a test waits for what it expects; usually it comes at once."""

ATTEMPTS = 6
"""How often a box is opened that something else closes, or that has not yet what is looked for."""

SECONDS = 1000
"""Playwright counts in milliseconds."""

SEARCH_BOX = "What does the code do?"
STATUS_MENU = "What now?"


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


@functools.cache
def installed_extension() -> Path:
    """The folder of extensions with ours in it, as VS Code itself installs the package."""
    folder = Path(tempfile.mkdtemp(prefix="surveyor-e2e-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    subprocess.run(
        [
            str(CODE_SERVER),
            *("--config", str(folder / "code-server.yaml")),
            *("--user-data-dir", str(folder / "vscode")),
            *("--extensions-dir", str(folder / "extensions")),
            *("--install-extension", str(VSIX)),
        ],
        env=os.environ | {"HOME": str(folder), "EXTENSIONS_GALLERY": '{"serviceUrl":""}'},
        check=True,
        capture_output=True,
        timeout=240,
    )
    return folder / "extensions"


def start_server(
    home: Home, *, path: str | None = None, runs_tests: bool = False, asks_for_trust: bool = False
) -> Server:
    """Give this user the extension and serve VS Code on a free port.

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
    shutil.copytree(installed_extension(), extensions, dirs_exist_ok=True)
    process = subprocess.Popen(
        [
            str(CODE_SERVER),
            *("--config", str(home.folder / "code-server.yaml")),
            *("--user-data-dir", str(data)),
            *("--extensions-dir", str(extensions)),
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
            seen += lines.get(timeout=120)
        except Empty:
            raise AssertionError(f"code-server did not start: {seen}") from None
        if found := re.search(r"listening on (http://[\d.:]+)", seen):
            return found[1]


def stop_server(server: Server) -> None:
    """Stop code-server and everything it started."""
    group = server.process.pid  # it leads its session
    server.process.terminate()
    with contextlib.suppress(subprocess.TimeoutExpired):
        server.process.wait(timeout=20)
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

    def box(self, about: str) -> Any:
        """The field of the box that is open, if that is the one whose placeholder says this."""
        return self.quick_input.get_by_placeholder(about)

    def open(
        self,
        opens: Callable[[], object],
        about: str,
        text: str = "",
        shows: Callable[[float], object] = lambda _: None,
    ) -> Any:
        """Open a box, put a text in at once, wait for what it `shows` (within milliseconds).

        What had the focus before may take it once more, which closes the box, and a list may not
        have at once what is looked for: then it is opened again, as a person would.
        """
        patience = PATIENCE_S * SECONDS / 4
        box = self.box(about)
        for attempt in range(ATTEMPTS):
            opens()
            try:
                expect(box).to_be_focused(timeout=patience)
                box.fill(text, timeout=patience)
                shows(patience)
                return box
            except (AssertionError, Error) as error:
                if attempt == ATTEMPTS - 1:
                    raise AssertionError(f"{error}\n{self.server.log()}") from error
                self.key("Escape")
        raise AssertionError("unreachable")

    def search(self, text: str) -> None:
        """Open the search box, put a query in, and wait for its answer."""
        answered = re.compile(r"\d+ results? in")
        self.open(
            lambda: self.key("Control+Alt+m"),
            SEARCH_BOX,
            text,
            lambda timeout: expect(self.quick_input).to_contain_text(answered, timeout=timeout),
        )

    def _take(self, opens: Callable[[], object], about: str, text: str, entry: str) -> None:
        """Open a list, narrow it down and take an entry."""
        self.open(
            opens,
            about,
            text,
            lambda timeout: expect(self.focused).to_contain_text(entry, timeout=timeout),
        ).press("Enter")

    def run(self, title: str) -> None:
        """Run a command by its title, once its extension has announced it."""
        self._take(lambda: self.key("F1"), "Type the name of a command", f">{title}", title)

    def open_file(self, path: str, line: int | None = None, column: int = 1) -> None:
        """Open a file by quick open; where a line is given, wait until the cursor is there."""
        name = Path(path).name
        place = "" if line is None else f":{line}:{column}"
        # While files are looked for, the list has recent ones.
        self._take(lambda: self.key("Control+p"), "Search files by name", path + place, name)
        expect(self.active_tab).to_contain_text(name)
        if line is not None:
            expect(self.current_line).to_contain_text(f"Ln {line}, Col {column}")
            expect(self.page.locator(".monaco-editor.focused")).to_be_visible()

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
        self._take(self.status.click, STATUS_MENU, entry, entry)

    def choose_of(self, target: Any, entry: str) -> None:
        """Choose an entry of a context menu, which takes no click in its first 100 ms."""
        target.click(button="right")
        item = self.page.get_by_role("menuitem", name=entry)
        for _ in range(ATTEMPTS):
            item.click()
            try:
                expect(item).to_be_hidden(timeout=SECONDS)
                return
            except AssertionError:
                continue
        raise AssertionError(f"the menu with {entry!r} takes no click\n{self.server.log()}")

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

    def ready(self, seconds: int = 300) -> None:
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
