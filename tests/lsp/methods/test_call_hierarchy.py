from __future__ import annotations

from lsprotocol import types

from tests.lsp.methods.conftest import Editor
from tests.servers.support import eventually


async def test_callers_and_callees(editor: Editor) -> None:
    place = types.CallHierarchyPrepareParams(**editor.at("shop/price.py", 3, 5))
    items = await eventually(lambda: editor.text_document_prepare_call_hierarchy_async(place))
    assert items and items[0].name == "total"
    incoming = types.CallHierarchyIncomingCallsParams(item=items[0])
    callers = await eventually(lambda: editor.call_hierarchy_incoming_calls_async(incoming))
    assert callers and "pay" in [call.from_.name for call in callers]
    outgoing = types.CallHierarchyOutgoingCallsParams(item=items[0])
    callees = await eventually(lambda: editor.call_hierarchy_outgoing_calls_async(outgoing))
    assert callees and "sum" in [call.to.name for call in callees]
