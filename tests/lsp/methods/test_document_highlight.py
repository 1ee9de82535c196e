from __future__ import annotations

from lsprotocol import types

from tests.lsp.methods.conftest import Editor
from tests.servers.support import eventually


async def test_uses_in_the_file_are_highlighted(editor: Editor) -> None:
    place = types.DocumentHighlightParams(**editor.at("shop/bill.py", 2, 7))
    found = await eventually(lambda: editor.text_document_document_highlight_async(place))
    assert found is not None and {item.range.start.line for item in found} == {0, 2}
