from __future__ import annotations

from lsprotocol import types

from tests.lsp.methods.conftest import Editor


async def test_supertypes(editor: Editor) -> None:
    items = await editor.text_document_prepare_type_hierarchy_async(
        types.TypeHierarchyPrepareParams(**editor.at("shop/cart.py", 3, 8))
    )
    assert items and items[0].name == "Cart"
    above = await editor.type_hierarchy_supertypes_async(
        types.TypeHierarchySupertypesParams(item=items[0])
    )
    assert above and above[0].name == "object"
    below = await editor.type_hierarchy_subtypes_async(
        types.TypeHierarchySubtypesParams(item=items[0])
    )
    assert not below
