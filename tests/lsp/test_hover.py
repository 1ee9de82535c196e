"""What a hover remembers of its section."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path
from typing import Any

import pytest

from surveyor.lsp import hover as module
from surveyor.lsp.hover import Hover, PendingSection
from surveyor.lsp.hover_section import SectionDraft
from surveyor.lsp.settings import EditorSettings
from surveyor.servers import messages
from surveyor.servers.documents import EDITOR, OpenDocuments
from surveyor.servers.uris import to_uri
from tests.lsp.conftest import Start, write
from tests.lsp.indexed import NO_SERVER, healthy
from tests.lsp.rawclient import place


class NoServer:
    """A relay for a buffer that another server serves."""

    async def until_configured(self) -> None: ...

    def relays(self, method: str, uri: str) -> bool:
        return False


async def test_a_section_that_was_empty_is_made_anew_soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """A hover came before the graph: what there is to say is shown once it is there."""
    monkeypatch.setattr(module, "FRESH_PART_S", 0.0)
    said: list[str] = ["", "Used 3 times"]

    async def compose(
        uri: str, line: int, character: int, parts: frozenset[str], draft: SectionDraft
    ) -> bool:
        draft.parts["references"] = said.pop(0)
        return True

    documents = OpenDocuments()
    documents.open("file:///a.py", "python", 1, "total = 1\n", EDITOR)
    hover = Hover(NoServer(), documents, EditorSettings, compose)  # type: ignore[arg-type]
    params: Any = messages.to_raw(place("file:///a.py", 0, 1))
    assert await hover.serve(params) is None
    second = await hover.serve(params)
    assert second["contents"]["value"] == "Used 3 times"
    assert await hover.serve(params) == second
    assert not said


async def test_what_takes_longer_than_the_first_part_is_left_for_the_next_hover() -> None:
    slow = asyncio.Event()

    async def compose(
        uri: str, line: int, character: int, parts: frozenset[str], draft: SectionDraft
    ) -> bool:
        draft.parts["references"] = "Used 3 times"
        draft.begin()
        await slow.wait()
        draft.parts["history"] = "Last change today"
        return True

    draft = SectionDraft()
    making = PendingSection(draft, asyncio.ensure_future(compose("", 0, 0, frozenset(), draft)))
    # A minute is waited for the first part, and nothing for the rest.
    assert (await module.settled(making, 60.0, 0.0)).text == "Used 3 times"
    assert not making.task.done()
    slow.set()
    whole = await module.settled(making, 60.0, 60.0)
    assert whole.text == "Used 3 times  \nLast change today"


async def test_a_section_is_made_anew_when_the_graph_has_changed(
    window: Start, project: Path
) -> None:
    editor = await window(project, engine=True, options=NO_SERVER)
    await healthy(editor, project)
    price = place(to_uri(project / "shop/price.py"), 3, 5)
    editor.open(project / "shop/price.py", "python")

    def used(times: int) -> Any:
        return lambda hover: hover and f"Used {times} times" in hover["contents"]["value"]

    def counted(hover: Any) -> bool:
        """It is known who uses it, and nobody is missing ("Used at least" until then)."""
        return bool(hover) and bool(re.search(r"Used \d", hover["contents"]["value"]))

    before = await editor.eventually("textDocument/hover", price, counted)
    (times,) = re.findall(r"Used (\d+)", before["contents"]["value"])
    count = int(times)
    assert before["contents"]["value"].startswith("`total`")
    # On what is no name there is nothing to say, though a definition is around it.
    text = (project / "shop/price.py").read_text().splitlines()
    for word in ("Add", "return"):
        line = next(n for n, found in enumerate(text) if word in found)
        at = place(to_uri(project / "shop/price.py"), line, text[line].index(word) + 1)
        assert await editor.request("textDocument/hover", at) is None
        assert not await editor.request("textDocument/definition", at)
    more = "from shop.price import total\n\n" + "".join(
        f"\n\ndef caller_{n}():\n    return total([])\n" for n in range(4)
    )
    write(project, {"more.py": more})
    after = await editor.eventually("textDocument/hover", price, used(count + 5))
    assert re.search(r"\) and \d+ more", after["contents"]["value"])
