"""A real Neovim, driven over its own API."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pynvim
import pytest
from tests.e2e.conftest import PREFIX, REPOSITORY, Home
from tests.e2e.neovim.screen import CHROMIUM, Screen

PLUGIN = REPOSITORY / "clients" / "neovim"
NVIM = Path(os.environ.get("SURVEYOR_E2E_NVIM") or PREFIX / "venv" / "bin" / "nvim")
CONFIGURATION = "vim.lsp.enable('surveyor')\n"

HELPERS = Path(__file__).with_name("helpers.lua")


class Editor:
    """One Neovim and how a test waits in it."""

    def __init__(self, nvim: Any) -> None:
        self.nvim = nvim

    def lua(self, code: str, *arguments: object) -> Any:
        return self.nvim.exec_lua(code, *arguments)

    def command(self, text: str) -> None:
        self.nvim.command(text)

    def wait(self, condition: str, *, seconds: float = 90, of: str = "") -> Any:
        """Wait until a Lua expression is true, letting Neovim work meanwhile; return its value."""
        code = (
            f"local value; vim.wait({int(seconds * 1000)}, "
            f"function() value = ({condition}); return value and true or false end, 20) "
            "return value"
        )
        value = self.lua(code)
        assert value, f"{of or condition} did not come; messages: {self.lua('return messages')}"
        return value

    def edit(self, path: Path, line: int | None = None, column: int = 0) -> None:
        self.command(f"edit {path}")
        if line is not None:
            self.nvim.api.win_set_cursor(0, (line, column))

    def picture(self, name: str) -> None:
        """Keep what is shown where SURVEYOR_E2E_PICTURES says; docs/images are made so."""
        folder = os.environ.get("SURVEYOR_E2E_PICTURES")
        if folder and CHROMIUM.exists():
            screen = Screen(self.nvim)
            screen.update()
            screen.picture(Path(folder) / f"{name}.png")
            self.nvim.ui_detach()

    def ready(self, seconds: float = 300) -> None:
        """Wait until the project is indexed and nothing is behind."""
        self.wait("#vim.lsp.get_clients({name='surveyor'}) == 1", of="the client")
        self.wait("H.ready()", seconds=seconds, of="a complete index")


@pytest.fixture
def start(home: Home, tmp_path: Path) -> Iterator[Callable[..., Editor]]:
    """Start a Neovim with an init.lua; it is closed after the test."""
    running: list[Any] = []

    def begin(
        configuration: str = CONFIGURATION,
        *,
        plugin: bool = True,
        environment: dict[str, str] | None = None,
        cwd: Path | None = None,
    ) -> Editor:
        init = tmp_path / f"init{len(running)}.lua"
        add = f"vim.opt.runtimepath:prepend({str(PLUGIN)!r})\n" if plugin else ""
        init.write_text(f"dofile({str(HELPERS)!r})\n" + add + configuration)
        # pynvim passes its own environment on; the child gets the test's through env(1).
        variables = [f"{k}={v}" for k, v in (home.environment | (environment or {})).items()]
        nvim = pynvim.attach(
            "child",
            argv=[
                "/usr/bin/env",
                "-i",
                *([f"--chdir={cwd}"] if cwd else []),
                *variables,
                str(NVIM),
                "--embed",
                "--headless",
                "-n",
                *("-i", "NONE"),
                *("-u", str(init)),
            ],
        )
        running.append(nvim)
        return Editor(nvim)

    yield begin
    for nvim in running:
        with contextlib.suppress(OSError, EOFError):  # it has gone, which is what was asked
            nvim.command("qall!")
        nvim.close()


@pytest.fixture(scope="session", autouse=True)
def _is_installed() -> None:
    assert os.access(NVIM, os.X_OK), f"no Neovim in {PREFIX}: run tests/e2e/install-editors.sh"
