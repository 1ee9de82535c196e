"""Picker plugins that are present show the results, search as one types and open what is chosen."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.e2e.neovim.conftest import Editor
from tests.e2e.neovim.test_plugin import SIGNER, find

STAND_INS = Path(__file__).with_name("pickers.lua")


@pytest.mark.parametrize("picker", ["telescope", "fzf-lua", "snacks"])
def test_a_picker_plugin_is_used_when_it_is_present(
    start: Callable[..., Editor], project: Path, picker: str
) -> None:
    editor = start(
        f"dofile({str(STAND_INS)!r})\nP.install[{picker!r}]()\nvim.lsp.enable('surveyor')\n",
        cwd=project,
    )
    assert editor.lua("return require('surveyor.pickers').name()") == picker
    editor.edit(project / SIGNER)
    editor.ready()

    editor.command("Surveyor search check whether a signature is too old")
    shown = editor.wait("P.texts()")
    index = next(i for i, text in enumerate(shown, 1) if "timed.py" in text)
    editor.lua("P.choose(...)", index)
    line = editor.nvim.current.window.cursor[0]
    assert editor.nvim.current.buffer.name.endswith("timed.py")
    assert f"timed.py:{line}" in shown[index - 1]

    editor.lua("P.open = false")
    editor.command("Surveyor search")
    editor.wait("P.open", of="the live picker")
    # An answer that takes too long is left out: typing goes on, as a person's would.
    query = "derive a key from the secret"
    shown = editor.wait(f"(function() P.type('{query}') return P.texts() end)()")
    index = next(i for i, text in enumerate(shown, 1) if "derive_key" in text and "src/" in text)
    editor.lua("P.choose(...)", index)
    assert editor.nvim.current.buffer.name == str(project / SIGNER)
    assert editor.nvim.current.window.cursor[0] == find(project / SIGNER, "def derive_key")[0]


def test_fzf_luas_preview_shows_a_rule_that_is_no_file(
    start: Callable[..., Editor], project: Path
) -> None:
    editor = start(
        f"dofile({str(STAND_INS)!r})\nP.install['fzf-lua']()\nvim.lsp.enable('surveyor')\n",
        cwd=project,
    )
    editor.edit(project / SIGNER)
    editor.ready()
    editor.command("Surveyor remember ++global Umbrellas are counted twice")
    editor.wait("H.said('umbrellas%-are%-counted%-twice')")
    ask = "{ query = 'umbrellas counted', ['in'] = { 'rules' }, uri = vim.uri_from_bufnr(0) }"
    editor.wait(f"#(H.ask('surveyor/search', {ask}) or {{ results = {{}} }}).results > 0")
    editor.command("Surveyor search in:rules umbrellas counted")
    editor.wait("P.texts()")
    assert "Umbrellas are counted twice" in editor.lua("return P.place(1).content")
    editor.lua("P.choose(1)")
    assert "Umbrellas are counted twice" in editor.nvim.current.buffer[:]
    assert editor.lua("return vim.bo.buftype") == "nofile"
