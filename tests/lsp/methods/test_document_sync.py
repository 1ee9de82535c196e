from __future__ import annotations

from lsprotocol import types

from tests.lsp.methods.conftest import Editor
from tests.servers.support import eventually


async def test_typed_text_is_what_answers_are_about_and_a_closed_buffer_is_the_disks(
    editor: Editor,
) -> None:
    uri = editor.uri("shop/bill.py")
    change = types.TextDocumentContentChangePartial(
        range=types.Range(types.Position(0, 0), types.Position(0, 0)), text="# 😀\n\n"
    )
    editor.text_document_did_change(
        types.DidChangeTextDocumentParams(
            types.VersionedTextDocumentIdentifier(version=2, uri=uri), [change]
        )
    )
    below = types.HoverParams(**editor.at("shop/bill.py", 4, 7))
    moved = await eventually(lambda: editor.text_document_hover_async(below))
    assert moved is not None and moved.range is not None and moved.range.start.line == 4
    identifier = types.TextDocumentIdentifier(uri)
    editor.text_document_did_save(types.DidSaveTextDocumentParams(identifier))
    editor.text_document_did_close(types.DidCloseTextDocumentParams(identifier))
    before = types.HoverParams(**editor.at("shop/bill.py", 2, 7))
    again = await eventually(lambda: editor.text_document_hover_async(before))
    assert again is not None and again.range is not None and again.range.start.line == 2
