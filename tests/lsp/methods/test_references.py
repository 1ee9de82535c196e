from __future__ import annotations

from lsprotocol import types

from tests.lsp.methods.conftest import Editor


async def test_every_use_is_found_with_and_without_the_declaration(editor: Editor) -> None:
    for declaration in (True, False):
        found = await editor.text_document_references_async(
            types.ReferenceParams(
                **editor.at("shop/price.py", 3, 5),
                context=types.ReferenceContext(include_declaration=declaration),
            )
        )
        assert found is not None
        uris = {place.uri for place in found}
        assert uris >= {editor.uri("shop/cart.py"), editor.uri("shop/bill.py")}
        assert (editor.uri("shop/price.py") in uris) is declaration
