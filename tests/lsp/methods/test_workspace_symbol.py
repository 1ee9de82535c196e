from __future__ import annotations

from lsprotocol import types

from tests.lsp.methods.conftest import Editor
from tests.servers.support import eventually


async def test_without_the_index_names_come_from_the_server_and_each_once(editor: Editor) -> None:
    query = types.WorkspaceSymbolParams(query="total")
    found = await eventually(lambda: editor.workspace_symbol_async(query))
    assert found and [item.name for item in found] == ["total"]
    assert all(item.location for item in found), "whole from the start: nothing is to be resolved"
