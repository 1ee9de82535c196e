from __future__ import annotations

from lsprotocol import types

from tests.lsp.methods.conftest import Editor
from tests.servers.support import eventually


async def test_a_call_leads_to_its_definition(editor: Editor) -> None:
    at = types.DefinitionParams(**editor.at("shop/cart.py", 7, 17))
    found = await eventually(lambda: editor.text_document_definition_async(at))
    assert isinstance(found, list) and len(found) == 1
    place = found[0]
    uri = place.uri if isinstance(place, types.Location) else place.target_uri
    span = place.range if isinstance(place, types.Location) else place.target_selection_range
    assert (uri, span.start.line) == (editor.uri("shop/price.py"), 3)


async def test_nothing_is_defined_on_an_empty_line(editor: Editor) -> None:
    found = await editor.text_document_definition_async(
        types.DefinitionParams(**editor.at("shop/cart.py", 2, 0))
    )
    assert not found
