"""Editors on real processes; whatever a test starts is gone after it."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from surveyor.servers.methods import METHODS
from tests.lsp.rawclient import CHECKOUT, RawEditor, environment
from tests.servers.real import search_path
from tests.servers.support import ALL, PATIENCE_S, Fake, make_fake

Start = Callable[..., Awaitable[RawEditor]]
MakeFake = Callable[..., Fake]

EVERYTHING = {
    **ALL,
    "declarationProvider": True,
    "typeDefinitionProvider": True,
    "implementationProvider": True,
    "documentHighlightProvider": True,
    "documentSymbolProvider": True,
    "callHierarchyProvider": True,
    "typeHierarchyProvider": True,
}
BY_DOCUMENT = [
    "textDocument/definition",
    "textDocument/declaration",
    "textDocument/typeDefinition",
    "textDocument/implementation",
    "textDocument/references",
    "textDocument/documentHighlight",
    "textDocument/documentSymbol",
    "textDocument/prepareCallHierarchy",
    "textDocument/prepareTypeHierarchy",
    "textDocument/hover",
]

PYTHON = {
    "shop/__init__.py": "",
    "shop/price.py": (
        '"""Prices."""\n\n\ndef total(items: list[int]) -> int:\n'
        '    """Add up what is in the cart."""\n    return sum(items)\n'
    ),
    "shop/cart.py": (
        "from shop.price import total\n\n\nclass Cart:\n    items: list[int] = []\n\n"
        "    def pay(self) -> int:\n        return total(self.items)\n"
    ),
    "shop/bill.py": "from shop.price import total\n\nprint(total([2]))\n",
    "shop/retry.py": (
        "import time\n\n\ndef call_again(action, attempts=5):\n"
        '    """Call an action until it works, waiting longer after every failure."""\n'
        "    for attempt in range(attempts):\n        try:\n            return action()\n"
        "        except OSError:\n            time.sleep(2**attempt)\n"
        "    raise TimeoutError('gave up')\n"
    ),
}


def write(root: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return root


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return write(tmp_path / "project", PYTHON)


@pytest.fixture
def data(tmp_path: Path) -> Path:
    folder = tmp_path / "d"
    folder.mkdir()
    return folder


@pytest.fixture
async def window(data: Path) -> AsyncIterator[Start]:
    """Starts editor windows on one data folder; `engine=True` lets them use an engine."""
    editors: list[RawEditor] = []
    engines = False

    async def start(
        *roots: Path,
        engine: bool = False,
        env: dict[str, str] | None = None,
        capabilities: dict[str, Any] | None = None,
        options: dict[str, Any] | None = None,
        initialize: bool = True,
    ) -> RawEditor:
        nonlocal engines
        engines = engines or engine
        editor = await RawEditor.start(data, env={"PATH": search_path(), **(env or {})})
        editors.append(editor)
        if initialize:
            wanted = {"engine": engine, **(options or {})}
            await editor.initialize(*roots, capabilities=capabilities, options=wanted)
        return editor

    yield start
    for editor in editors:
        await editor.close()
    if engines:
        stopping = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "surveyor", "engine", "stop"),
            env=environment(data),
            cwd=CHECKOUT,
            stdout=asyncio.subprocess.DEVNULL,
        )
        await asyncio.wait_for(stopping.wait(), 60)


def limits(**seconds: float) -> str:
    """A `timeouts` table that no busy machine exceeds, but for what is named."""
    table = {**dict.fromkeys([*METHODS, "silent", "initialize"], PATIENCE_S), **seconds}
    return "{ " + ", ".join(f'"{name}" = {value}' for name, value in table.items()) + " }"


@pytest.fixture
def fake(tmp_path: Path, data: Path) -> Callable[..., Fake]:
    """A scripted upstream, set up as the server of `.fake` files in the user's configuration."""

    def make(script: dict[str, Any], **table: Any) -> Fake:
        made = make_fake(tmp_path / "fakes", script)
        lines = [
            "[upstream.fake]",
            f"command = {json.dumps(list(made.spec.command))}",
            'extensions = [".fake"]',
            'readiness = { kind = "immediate" }',
        ]
        # A scripted server is never slow; a busy machine is.
        table = {"timeouts": limits(), **table}
        lines += [f"{key} = {value}" for key, value in table.items()]
        (data / "surveyor.toml").write_text("\n".join(lines) + "\n")
        return made

    return make
