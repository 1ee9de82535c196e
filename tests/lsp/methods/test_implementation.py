from __future__ import annotations

from lsprotocol import types

from tests.lsp.methods.conftest import Editor


async def test_a_method_that_the_server_does_not_offer_is_an_empty_answer(editor: Editor) -> None:
    found = await editor.text_document_implementation_async(
        types.ImplementationParams(**editor.at("shop/cart.py", 3, 8))
    )
    assert not found or isinstance(found, list)
