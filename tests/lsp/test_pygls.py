"""What is relied on of pygls 2.1's private parts, and that what is advertised is served."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pygls.protocol import LanguageServerProtocol

from surveyor.lsp.initialize import COMMANDS, EditorInfo, settings_of
from surveyor.lsp.settings import read
from surveyor.servers.methods import FEATURES, LISTED

MORE = {
    "codeLensProvider": ["textDocument/codeLens", "codeLens/resolve"],
    "executeCommandProvider": ["workspace/executeCommand"],
}
NO_REQUEST = {"positionEncoding", "textDocumentSync", "workspace"}


@pytest.mark.parametrize(
    "name",
    [
        "structure_message",
        "handle_message",
        "_send_response",
        "_handle_cancel_notification",
        "lsp_shutdown",
        "set_writer",
    ],
)
def test_the_hooks_that_the_raw_lane_needs_are_there(name: str) -> None:
    assert callable(getattr(LanguageServerProtocol, name))


async def test_everything_that_is_advertised_is_served(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from surveyor.lsp.server import create

    class Nowhere:
        def write(self, data: bytes) -> None: ...

        def close(self) -> None: ...

    monkeypatch.setenv("SURVEYOR_DATA_DIR", str(tmp_path))
    options = {
        "lens": True,
        "mode": "full",
    }
    params = {"capabilities": {}, "initializationOptions": options}
    editor_info = EditorInfo(params, 1, settings_of(params))
    server = create(editor_info, Nowhere())
    served = {*server.protocol.raw_requests, *server.protocol.fm.features}
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
