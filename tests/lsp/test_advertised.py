"""That what is advertised is served, and what a window's process is made of."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types

from surveyor.lsp.initialize import COMMANDS, EditorInfo, settings_of
from surveyor.lsp.protocol import NOTIFICATIONS
from surveyor.lsp.settings import read
from surveyor.servers.methods import FEATURES, LISTED
from tests.lsp.rawclient import environment

MORE = {
    "codeLensProvider": ["textDocument/codeLens", "codeLens/resolve"],
    "executeCommandProvider": ["workspace/executeCommand"],
}
NO_REQUEST = {"positionEncoding", "textDocumentSync", "workspace"}


def test_notifications_are_those_of_the_protocol() -> None:
    answered_by_nobody = {m for m, found in types.METHOD_TO_TYPES.items() if found[1] is None}
    assert answered_by_nobody == NOTIFICATIONS


def test_a_window_goes_without_the_libraries_that_take_half_of_its_start(
    tmp_path: Path,
) -> None:
    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, *arguments]
        env = environment(tmp_path)
        none = subprocess.DEVNULL
        return subprocess.run(command, capture_output=True, text=True, env=env, stdin=none)

    loaded = run("-c", "import sys, surveyor.lsp.main, surveyor.lsp.server; print(*sys.modules)")
    heavy = ("pygls", "lsprotocol", "cattrs", "attrs", "pydantic", "typer", "rich", "mcp", "httpx")
    assert "surveyor.lsp.server" in loaded.stdout
    assert not {name.partition(".")[0] for name in loaded.stdout.split()}.intersection(heavy)
    # As editors start it, and as the host of servers is: asyncio imports it where it may.
    for command in (["lsp"], ["servers", "run", "--detached"]):
        started = run("-X", "importtime", "-m", "surveyor", *command)
        names = {line.rpartition("|")[2].strip() for line in started.stderr.splitlines()}
        assert "asyncio" in names and "_ssl" not in names, command


async def test_everything_that_is_advertised_is_served(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from surveyor.lsp.server import create

    class Nowhere:
        def write(self, data: bytes) -> None: ...

        def close(self) -> None: ...

        async def flushed(self) -> None: ...

    monkeypatch.setenv("SURVEYOR_DATA_DIR", str(tmp_path))
    options = {
        "lens": True,
        "mode": "full",
    }
    params = {"capabilities": {}, "initializationOptions": options}
    editor_info = EditorInfo(params, 1, settings_of(params))
    server = create(editor_info, Nowhere())
    served = {*server.protocol.raw_requests}
    known: dict[str, Any] = {"python": {method: {} for method in LISTED}}
    providers: dict[str, Any] = editor_info.result(known)["capabilities"]
    for provider in providers.keys() - NO_REQUEST:
        wanted = MORE.get(provider) or [
            request.name
            for feature in FEATURES.values()
            if feature.provider == provider
            for request in feature.requests
        ]
        assert wanted and set(wanted) <= served, provider
    commands = providers["executeCommandProvider"]["commands"]
    assert commands == [f"surveyor.{name}" for name in COMMANDS]
    await server.close()


@pytest.mark.parametrize(
    ("layers", "language", "method", "mode"),
    [
        ([], "python", "textDocument/hover", "proxy"),
        ([{"mode": "companion"}], "python", "textDocument/hover", "companion"),
        ([{"mode": "auto"}], "python", "", "proxy"),
        ([{"mode": {"python": "companion"}}], "go", "", "proxy"),
        ([{"mode": {"python": "companion"}}], "python", "", "companion"),
        ([{"mode": "companion"}, {"mode": {"python": "proxy"}}], "go", "", "companion"),
        ([{"mode": {"python": "proxy"}}, {"mode": "companion"}], "python", "", "companion"),
        (
            [{"mode": {"*": {"mode": "companion", "methods": {"a/b": "proxy"}}}}],
            "go",
            "a/b",
            "proxy",
        ),
        ([{"mode": 5}, {"mode": None}], "go", "", "proxy"),
    ],
)
def test_modes_of_several_layers(
    layers: list[dict[str, Any]], language: str, method: str, mode: str
) -> None:
    assert read(layers).mode(language, method) == mode


@pytest.mark.parametrize(
    ("hover", "parts"),
    [
        (None, {"references", "rules", "similar", "history"}),
        (False, set()),
        ({"similar": False}, {"references", "rules", "history"}),
        ({"all": False, "rules": True}, {"rules"}),
        ("nonsense", {"references", "rules", "similar", "history"}),
    ],
)
def test_hover_parts_are_switched_one_by_one(hover: Any, parts: set[str]) -> None:
    assert read([{"hover": hover}]).hover == parts
