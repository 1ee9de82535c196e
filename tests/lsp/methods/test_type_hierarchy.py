from __future__ import annotations

from lsprotocol import types

from tests.lsp.methods.conftest import Editor
from tests.servers.support import eventually


async def test_supertypes(editor: Editor) -> None:
    place = types.TypeHierarchyPrepareParams(**editor.at("shop/cart.py", 3, 8))
    items = await eventually(lambda: editor.text_document_prepare_type_hierarchy_async(place))
    assert items and items[0].name == "Cart"
    up = types.TypeHierarchySupertypesParams(item=items[0])
    above = await eventually(lambda: editor.type_hierarchy_supertypes_async(up))
    assert above and above[0].name == "object"
    below = await editor.type_hierarchy_subtypes_async(
        types.TypeHierarchySubtypesParams(item=items[0])
    )
    assert not below
