from __future__ import annotations

from lsprotocol import types

from tests.lsp.methods.conftest import Editor


async def test_a_call_leads_to_its_declaration(editor: Editor) -> None:
    found = await editor.text_document_declaration_async(
        types.DeclarationParams(**editor.at("shop/cart.py", 7, 17))
    )
    assert isinstance(found, list) and found
