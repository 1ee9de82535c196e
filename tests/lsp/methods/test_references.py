from __future__ import annotations

from lsprotocol import types

from tests.lsp.methods.conftest import Editor
from tests.servers.support import eventually


async def test_every_use_is_found_with_and_without_the_declaration(editor: Editor) -> None:
    for declaration in (True, False):
        place = types.ReferenceParams(
            **editor.at("shop/price.py", 3, 5),
            context=types.ReferenceContext(include_declaration=declaration),
        )
        found = await eventually(
            lambda place=place: editor.text_document_references_async(place)  # type: ignore[misc]
        )
        uris = {item.uri for item in found or []}
        assert uris >= {editor.uri("shop/cart.py"), editor.uri("shop/bill.py")}
        assert (editor.uri("shop/price.py") in uris) is declaration
