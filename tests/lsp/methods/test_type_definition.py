from __future__ import annotations

from lsprotocol import types

from tests.lsp.methods.conftest import Editor
from tests.servers.support import eventually


async def test_a_value_leads_to_the_definition_of_its_type(editor: Editor) -> None:
    at = types.TypeDefinitionParams(**editor.at("shop/price.py", 5, 15))
    found = await eventually(lambda: editor.text_document_type_definition_async(at))
    assert isinstance(found, list) and found
    place = found[0]
    uri = place.uri if isinstance(place, types.Location) else place.target_uri
    assert uri.endswith("builtins.pyi")
