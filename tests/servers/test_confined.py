"""Where nobody trusts a folder, only servers start that run nothing of it."""

from __future__ import annotations

import asyncio
import json
import os
from pathlib import Path
from typing import Any

import pytest

from surveyor.servers.discovery import Discovery
from surveyor.servers.errors import UpstreamHeldBackError, UpstreamMissingError
from surveyor.servers.manager import UpstreamConfig, UpstreamManager
from surveyor.servers.registry import builtin, with_user
from tests.servers.support import program


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    return folder


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder on the PATH."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", os.pathsep.join([str(folder), "/usr/bin", "/bin"]))
    return folder


async def found(language: str, root: Path, *, confined: bool, **user: Any) -> list[str]:
    registry = with_user(builtin(), {language: user} if user else {})
    programs = await Discovery().find(
        registry.candidates(language), root, trusted=False, confined=confined
    )
    return [each.spec.name for each in programs]


@pytest.mark.parametrize(
    ("language", "command", "server"),
    [
        ("rust", "rust-analyzer", "rust-analyzer"),
        ("java", "jdtls", "jdtls"),
        ("python", "pyrefly", "pyrefly"),
        ("python", "pylsp", "pylsp"),
        ("kotlin", "kotlin-lsp", "kotlin-lsp"),
        ("haskell", "haskell-language-server-wrapper", "haskell-language-server-wrapper"),
    ],
)
async def test_a_server_that_runs_what_a_project_says_needs_trust(
    root: Path, programs: Path, language: str, command: str, server: str
) -> None:
    program(programs, command)
    assert await found(language, root, confined=False) == [server]
    assert await found(language, root, confined=True) == []


async def test_a_server_that_runs_nothing_starts_anywhere_but_from_the_folder_itself(
    root: Path, programs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program(programs, "ty")
    assert await found("python", root, confined=True) == ["ty"]
    own = program(root / ".venv/bin", "gopls")
    monkeypatch.setenv("PATH", str(own.parent))  # of a shell that stood in the folder
    assert await found("go", root, confined=False) == ["gopls"]
    assert await found("go", root, confined=True) == []


async def test_typescript_is_that_beside_the_server_and_not_the_projects(
    root: Path, programs: Path, tmp_path: Path
) -> None:
    server = program(tmp_path / "npm/node_modules/typescript-language-server/lib", "cli.mjs")
    (programs / "typescript-language-server").symlink_to(server)
    trap = root / "node_modules/typescript/lib/tsserver.js"
    trap.parent.mkdir(parents=True)
    trap.touch()
    assert await found("typescript", root, confined=True) == []  # it would take the project's
    own = tmp_path / "npm/node_modules/typescript/lib/tsserver.js"
    own.parent.mkdir(parents=True)
    own.touch()
    spec = builtin().candidates("typescript")[0]
    (started,) = Discovery().places(spec, root, trusted=False, confined=True)
    assert started.spec.initialization_options["tsserver"] == {"path": str(own)}
    assert started.spec.initialization_options["hostInfo"] == "surveyor"
    (usual,) = Discovery().places(spec, root, trusted=False)
    assert "tsserver" not in usual.spec.initialization_options


async def test_a_command_of_the_users_starts_but_for_a_program_that_needs_trust(
    root: Path, tmp_path: Path
) -> None:
    own = [str(program(tmp_path / "mine", "cobol-ls"))]
    same = [str(program(tmp_path / "mine", "rust-analyzer"))]
    assert await found("cobol", root, confined=True, command=own, extensions=[".cob"])
    assert not await found("rust", root, confined=True, command=same)


async def test_what_is_held_back_is_said_with_the_way_to_let_it_start(
    root: Path, programs: Path, tmp_path: Path
) -> None:
    note = tmp_path / "was-started"
    program(programs, "rust-analyzer", f'[ "$1" = --version ] || touch "{note}"; exec cat')
    trusted: set[Path] = set()
    said: list[str] = []
    manager = UpstreamManager(
        UpstreamConfig(confined=lambda folder: folder not in trusted),
        on_missing=lambda language, message: said.append(message),
    )
    try:
        with pytest.raises(UpstreamHeldBackError) as refused:
            await manager.get("rust", root)
        assert refused.value.message.startswith(
            f"rust-analyzer is held back until `surveyor trust {root}`: "
        )
        assert manager.held_back("rust", root) == refused.value.message
        assert said == [refused.value.message] and not note.exists()
        with pytest.raises(UpstreamMissingError, match="No language server for java"):
            await manager.get("java", root)
        assert not manager.held_back("java", root)
        trusted.add(root)
        manager.configure(manager.config)
        upstream = await manager.get("rust", root)
        assert upstream.name == "rust-analyzer"
        async with asyncio.timeout(30):
            while not note.exists():
                await asyncio.sleep(0.02)
    finally:
        await manager.close()


def test_every_server_that_starts_anywhere_is_named_in_the_docs() -> None:
    page = (Path(__file__).parents[2] / "docs" / "language-servers.md").read_text()
    start = page.index("only those are\nstarted that are known to run nothing")
    part = page[start : page.index("(`confined`", start)]
    for spec in builtin().servers.values():
        name = spec.name.removeprefix("vscode-").removesuffix("-language-server")
        assert (name in part) == (spec.confined is not None), spec.name


def test_settings_of_the_user_do_not_change_which_servers_are_confined() -> None:
    table = json.loads('{"rust": {"settings": {"a": 1}}, "python": {"server": "pylsp"}}')
    registry = with_user(builtin(), table)
    assert registry.servers["rust-analyzer"].confined is None
    assert registry.candidates("python")[0].confined is None
