from __future__ import annotations

from lsprotocol import types

from tests.lsp.methods.conftest import Editor
from tests.servers.support import eventually


async def test_a_hover_is_the_servers_in_the_editors_format(editor: Editor) -> None:
    place = types.HoverParams(**editor.at("shop/cart.py", 7, 17))
    hover = await eventually(lambda: editor.text_document_hover_async(place))
    assert hover is not None and isinstance(hover.contents, types.MarkupContent)
    assert hover.contents.kind == types.MarkupKind.Markdown
    assert "def total" in hover.contents.value
