"""pytest-lsp's client as VS Code and as Neovim, on one real project with a real server."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types
from pytest_lsp import ClientServerConfig, LanguageClient, client_capabilities

from surveyor.servers.process import close_pipes
from surveyor.servers.uris import to_uri
from tests.lsp.conftest import PYTHON, write
from tests.lsp.rawclient import environment
from tests.servers.real import search_path
from tests.servers.support import eventually

PROFILES = ["visual_studio_code", "neovim"]


class Editor(LanguageClient):
    """A client with the project open in it."""

    root: Path
    result: types.InitializeResult

    def uri(self, name: str) -> str:
        return to_uri(self.root / name)

    def at(self, name: str, line: int, character: int) -> dict[str, Any]:
        return {
            "text_document": types.TextDocumentIdentifier(self.uri(name)),
            "position": types.Position(line, character),
        }


@pytest.fixture(params=PROFILES)
async def editor(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Editor]:
    root = write(tmp_path / "project", PYTHON)
    from pytest_lsp import make_test_lsp_client

    def make() -> Editor:
        client = make_test_lsp_client()
        client.__class__ = Editor
        return client  # type: ignore[return-value]

    env = environment(tmp_path / "d", {"PATH": search_path()})
    config = ClientServerConfig(
        server_command=[sys.executable, "-m", "surveyor", "lsp"],
        server_env=env,
        client_factory=make,
    )
    client = await config.start()
    assert isinstance(client, Editor)
    client.root = root
    client.result = await client.initialize_session(
        types.InitializeParams(
            capabilities=client_capabilities(request.param),
            root_uri=to_uri(root),
            workspace_folders=[types.WorkspaceFolder(uri=to_uri(root), name="project")],
            initialization_options={"engine": False},
        )
    )
    for name, text in PYTHON.items():
        if text:
            item = types.TextDocumentItem(to_uri(root / name), "python", 1, text)
            client.text_document_did_open(types.DidOpenTextDocumentParams(item))
    await eventually(lambda: ready(client))
    yield client
    await client.shutdown_session()
    await client.stop()  # type: ignore[no-untyped-call]
    if client._server is not None:  # its stderr is read no more, so asyncio never closes it
        await close_pipes(client._server)


async def ready(client: Editor) -> bool:
    """Whether the Python server is."""
    status = await client.protocol.send_request_async(  # type: ignore[no-untyped-call]
        "surveyor/status", {}
    )
    return any(upstream.ready for upstream in status.upstreams)
