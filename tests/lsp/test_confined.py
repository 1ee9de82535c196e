"""A window that says its folder is not trusted starts nothing that would run what is in it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.lsp.conftest import Start, write
from tests.lsp.rawclient import RawEditor, place
from tests.servers.real import search_path
from tests.servers.support import Fake, eventually, program, until


@pytest.fixture
def note(tmp_path: Path) -> Path:
    """What is written when something of the project is run."""
    return tmp_path / "was-run"


@pytest.fixture
def hostile(tmp_path: Path, note: Path) -> Path:
    """A project that brings programs along where servers look for them."""
    run = f"require('fs').appendFileSync({str(note)!r}, 'ran\\n');\n"
    root = write(
        tmp_path / "hostile",
        {
            "web/app.ts": "export function price(n: number) {\n  return n;\n}\nprice(3);\n",
            "tsconfig.json": '{"compilerOptions": {"plugins": [{"name": "evil"}]}}',
            "node_modules/typescript/lib/tsserver.js": run,
            "node_modules/typescript/lib/typescript.js": run,
            "node_modules/typescript/package.json": '{"name": "typescript", "version": "5.9.0"}',
            "node_modules/evil/index.js": run,
            "node_modules/evil/package.json": '{"name": "evil", "version": "1.0.0"}',
            "shop.py": "def total() -> int:\n    return 1\n\n\ntotal()\n",
            "json.py": f"open({str(note)!r}, 'a').write('ran')\n",
            ".venv/pyvenv.cfg": "home = /usr/bin\nversion = 3.11.2\n",
            "pyrefly.toml": 'python-interpreter-path = "./.venv/bin/python"\n',
            "src/lib.rs": "pub fn add(a: i32) -> i32 { a }\n",
            "Cargo.toml": '[package]\nname = "evil"\nversion = "0.1.0"\nedition = "2021"\n',
            "build.rs": f'fn main() {{ std::fs::write("{note}", "ran").unwrap(); }}\n',
            "surveyor.toml": '[upstream.python]\ncommand = ["./.venv/bin/ty", "server"]\n',
        },
    )
    for name in ("python", "python3", "ty", "basedpyright-langserver"):
        program(root / ".venv/bin", name, f'touch "{note}"')
    program(root / "node_modules/.bin", "typescript-language-server", f'touch "{note}"')
    return root


def rust_analyzer(folder: Path, started: Path) -> Path:
    """The folder of one that notes its start, and not that it is asked whether it runs at all."""
    body = f'[ "$1" = --version ] && exit 0; touch "{started}"; exec cat'
    return program(folder, "rust-analyzer", body).parent


async def until_answered(editor: RawEditor, method: str, uri: str, line: int, at: int) -> object:
    return await editor.eventually(method, place(uri, line, at))


async def test_a_distrusted_folders_programs_are_not_run_by_servers_either(
    window: Start, hostile: Path, note: Path, tmp_path: Path
) -> None:
    started = tmp_path / "rust-analyzer-was-started"
    own = rust_analyzer(tmp_path / "bin", started)
    path = {"PATH": f"{own}:{search_path()}"}
    options = {"trusted": False, "mode": "full"}
    editor = await window(hostile, engine=False, env=path, options=options)
    app = editor.open(hostile / "web/app.ts", "typescript")
    shop = editor.open(hostile / "shop.py", "python")
    rust = editor.open(hostile / "src/lib.rs", "rust")
    assert await until_answered(editor, "textDocument/definition", app, 3, 1)
    assert await until_answered(editor, "textDocument/definition", shop, 4, 1)
    assert not await editor.request("textDocument/definition", place(rust, 0, 8))
    said = await editor.wait_told(
        "window/logMessage", lambda told: "rust-analyzer is held back" in told["message"]
    )
    assert str(hostile) in said["message"]
    for language in ("python", "typescript"):
        await editor.wait_upstream(language)
    status = await editor.request("surveyor/status")
    assert {each["name"] for each in status["upstreams"] if each["ready"]} == {
        "ty", "typescript-language-server",
    }  # fmt: skip
    assert not note.exists() and not started.exists()


async def test_an_editor_that_says_nothing_of_trust_has_every_server_of_its_path(
    window: Start, hostile: Path, tmp_path: Path
) -> None:
    started = tmp_path / "rust-analyzer-was-started"
    own = rust_analyzer(tmp_path / "bin", started)
    editor = await window(hostile, env={"PATH": f"{own}:{search_path()}"})
    rust = editor.open(hostile / "src/lib.rs", "rust")
    pending = asyncio.ensure_future(editor.request("textDocument/definition", place(rust, 0, 8)))
    async with asyncio.timeout(60):
        while not started.exists():
            await asyncio.sleep(0.02)
    said = await editor.wait_told(
        "window/logMessage", lambda told: "rust-analyzer may run" in told["message"]
    )
    assert "trust.editors false" in said["message"]
    pending.cancel()


async def test_a_user_may_want_every_silent_editor_to_start_nothing_of_a_folder(
    window: Start, hostile: Path, data: Path, tmp_path: Path
) -> None:
    """As agents that start `surveyor lsp`: what they say of trust is in their own settings."""
    started = tmp_path / "rust-analyzer-was-started"
    own = rust_analyzer(tmp_path / "bin", started)
    (data / "surveyor.toml").write_text("[trust]\neditors = false\n")
    editor = await window(hostile, env={"PATH": f"{own}:{search_path()}"})
    rust = editor.open(hostile / "src/lib.rs", "rust")
    assert not await editor.request("textDocument/definition", place(rust, 0, 8))
    await editor.wait_told(
        "window/logMessage", lambda told: "rust-analyzer is held back" in told["message"]
    )
    assert not started.exists()


@pytest.mark.parametrize("trusted", [True, False])
async def test_a_server_is_not_told_settings_that_a_distrusted_folder_may_have_set(
    window: Start, fake: Callable[..., Fake], tmp_path: Path, trusted: bool
) -> None:
    items = {"items": [{"section": "gopls"}]}
    asking = {"id": 7, "method": "workspace/configuration", "params": items}
    none = [{"result": None}]
    made = fake({"initialized": [asking], "answers": {"textDocument/definition": none}})
    (tmp_path / "a.fake").write_text("x")
    editor = await window(
        tmp_path,
        capabilities={"workspace": {"configuration": True}},
        options={"trusted": trusted},
    )
    evil = {"env": {"GOFLAGS": "-toolexec=./evil.sh"}}
    editor.answers["workspace/configuration"] = [evil]
    uri = editor.open(tmp_path / "a.fake", "fake")
    await editor.request("textDocument/definition", place(uri, 0, 0))
    answered = await eventually(lambda: _soon(made.answered(7)))
    assert answered["result"] == [evil if trusted else None]
    changed = {"settings": {"gopls": evil}}
    before = len(editor.asked)
    editor.session.notify("workspace/didChangeConfiguration", changed)
    await until(lambda: len(editor.asked) > before)  # the window reads its own settings again
    await editor.request("textDocument/definition", place(uri, 0, 0))

    def heard() -> bool:
        told = made.received("workspace/didChangeConfiguration")
        return changed in [each["params"] for each in told]

    if trusted:
        await until(heard)
    else:
        assert not heard()


async def _soon(value: Any) -> Any:
    return value
