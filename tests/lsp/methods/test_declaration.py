from __future__ import annotations

from lsprotocol import types

from tests.lsp.methods.conftest import Editor
from tests.servers.support import eventually


async def test_a_call_leads_to_its_declaration(editor: Editor) -> None:
    place = types.DeclarationParams(**editor.at("shop/cart.py", 7, 17))
    found = await eventually(lambda: editor.text_document_declaration_async(place))
    assert isinstance(found, list) and found
