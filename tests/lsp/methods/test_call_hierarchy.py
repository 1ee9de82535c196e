from __future__ import annotations

from lsprotocol import types

from tests.lsp.methods.conftest import Editor


async def test_callers_and_callees(editor: Editor) -> None:
    items = await editor.text_document_prepare_call_hierarchy_async(
        types.CallHierarchyPrepareParams(**editor.at("shop/price.py", 3, 5))
    )
    assert items and items[0].name == "total"
    callers = await editor.call_hierarchy_incoming_calls_async(
        types.CallHierarchyIncomingCallsParams(item=items[0])
    )
    assert callers and "pay" in [call.from_.name for call in callers]
    callees = await editor.call_hierarchy_outgoing_calls_async(
        types.CallHierarchyOutgoingCallsParams(item=items[0])
    )
    assert callees and "sum" in [call.to.name for call in callees]
