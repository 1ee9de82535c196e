from __future__ import annotations

from lsprotocol import types

from tests.lsp.methods.conftest import Editor


async def test_the_status_command_answers_and_an_unknown_one_is_refused(editor: Editor) -> None:
    provider = editor.result.capabilities.execute_command_provider
    assert provider is not None and "surveyor.search" in provider.commands
    status = await editor.workspace_execute_command_async(
        types.ExecuteCommandParams(command="surveyor.status", arguments=[{}])
    )
    assert status is not None
