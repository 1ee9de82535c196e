from __future__ import annotations

from lsprotocol import types

from tests.lsp.methods.conftest import Editor
from tests.servers.support import eventually


async def test_the_outline_has_classes_with_their_methods(editor: Editor) -> None:
    about = types.DocumentSymbolParams(types.TextDocumentIdentifier(editor.uri("shop/cart.py")))
    found = await eventually(lambda: editor.text_document_document_symbol_async(about))
    assert found and isinstance(found[0], types.DocumentSymbol)
    cart = next(item for item in found if item.name == "Cart")
    assert isinstance(cart, types.DocumentSymbol) and cart.children
    assert "pay" in [child.name for child in cart.children]
