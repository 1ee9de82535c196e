"""The Neovim plugin on a real project with the real server and a real upstream."""

from __future__ import annotations

import os
import re
import signal
from collections.abc import Callable
from pathlib import Path

from tests.e2e.conftest import REPOSITORY, Agent, Home
from tests.e2e.neovim.conftest import PLUGIN, Editor

Start = Callable[..., Editor]

SIGNER = Path("src/itsdangerous/signer.py")
TIMED = Path("src/itsdangerous/timed.py")
LSPCONFIG = REPOSITORY / "packaging" / "nvim-lspconfig"


def find(path: Path, text: str) -> tuple[int, int]:
    """Line (1-based) and column (0-based) of the first occurrence of a text."""
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if text in line:
            return number, line.index(text)
    raise AssertionError(f"{text!r} is not in {path}")


def children(pid: int, word: bytes) -> list[int]:
    """Child processes with a word in their command line."""
    listed = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    found = [int(c) for c in listed if word in Path(f"/proc/{c}/cmdline").read_bytes()]
    assert found, f"{pid} has no child with {word!r}"
    return found


def open_ready(start: Start, project: Path, file: Path = SIGNER) -> Editor:
    editor = start(cwd=project)
    editor.edit(project / file)
    editor.ready()
    return editor


def test_enabling_is_the_whole_setup_and_progress_shows(start: Start, project: Path) -> None:
    editor = start(
        "H.record_status()\nvim.lsp.enable('surveyor')\n",
        cwd=project,
    )
    editor.edit(project / SIGNER)
    editor.ready()
    editor.wait("require('surveyor').statusline() == 'Surveyor'")
    assert editor.lua("return #lines") > 0


def test_search_by_meaning_opens_the_right_line(start: Start, project: Path) -> None:
    editor = open_ready(start, project)
    editor.command("Surveyor search check whether a signature is too old")
    shown = editor.wait("selected and selected.shown")
    index = next(i for i, text in enumerate(shown, 1) if "timed.py" in text)
    editor.lua("choose(...)", index)
    assert editor.nvim.current.buffer.name.endswith("timed.py")
    line = editor.nvim.current.window.cursor[0]
    assert f"timed.py:{line}" in shown[index - 1]
    editor.command("Surveyor! search check whether a signature is too old")
    editor.wait("#vim.fn.getqflist() > 0 and #H.floats() > 0", of="the list and its preview")
    editor.picture("neovim-search")


def test_who_asks_while_the_server_is_being_started_is_answered(
    start: Start, project: Path
) -> None:
    editor = start(cwd=project)
    editor.edit(project / SIGNER)
    assert editor.lua("return #vim.lsp.get_clients({name='surveyor'})") == 0
    editor.command("Surveyor search sign")
    assert not editor.lua("return H.said('not running')")
    assert editor.lua("return #vim.lsp.get_clients({name='surveyor'})") == 1


def test_filters_and_the_quickfix_list(start: Start, project: Path) -> None:
    editor = open_ready(start, project)
    editor.command("Surveyor! search path:tests/** signature expired")
    entries = editor.wait("#vim.fn.getqflist() > 0 and vim.fn.getqflist()")
    names = [editor.lua("return vim.api.nvim_buf_get_name(...)", e["bufnr"]) for e in entries]
    assert all("/tests/" in name for name in names)
    title = editor.lua("return vim.fn.getqflist({title=0}).title")
    assert title == "Surveyor: path:tests/** signature expired"
    # The preview follows the cursor in the list and goes with it.
    editor.lua("require('surveyor.preview').entry()")
    assert len(editor.lua("return H.floats()")) == 1
    assert editor.lua("return H.covered()") == 0
    editor.command("wincmd p")
    assert editor.lua("return H.floats()") == []


def test_the_location_list(start: Start, project: Path) -> None:
    editor = open_ready(start, project)
    editor.command("Surveyor search ++loc derive a key from the secret")
    editor.wait("#vim.fn.getloclist(0) > 0")
    assert editor.lua("return #vim.fn.getqflist()") == 0


def test_a_wrong_filter_says_what_is_right(start: Start, project: Path) -> None:
    editor = open_ready(start, project)
    editor.command("Surveyor search in:everywhere sign")
    editor.wait("H.said('in:everywhere')")


def test_similar_code_of_a_range(start: Start, project: Path) -> None:
    editor = open_ready(start, project)
    line, _ = find(project / SIGNER, "class HMACAlgorithm")
    editor.command(f"{line},{line + 12}Surveyor similar")
    assert editor.wait("selected and #selected.shown > 0 and selected.shown")


def test_impact_is_a_tree_that_folds_and_leads_to_the_code(start: Start, project: Path) -> None:
    editor = open_ready(start, project)
    line, column = find(project / SIGNER, "def get_signature")
    editor.edit(project / SIGNER, line, column + 4)
    editor.command("Surveyor impact")
    editor.wait("vim.bo.filetype == 'surveyor-impact'")
    assert "get_signature" in editor.lua("return vim.wo.winbar")
    shown = editor.lua("return vim.api.nvim_buf_get_lines(0, 0, -1, false)")
    depths = [len(text) - len(text.lstrip()) for text in shown]
    assert depths[0] == 0 and max(depths) >= 4
    assert any(text.lstrip().startswith("test ") for text in shown)
    parent = next(n for n, depth in enumerate(depths) if depth == 2 and depths[n + 1] == 4)
    editor.lua("vim.api.nvim_win_set_cursor(0, { ..., 0 })", parent + 1)
    editor.command("normal za")
    assert editor.lua("return vim.fn.foldclosed('.')") == parent + 1
    editor.picture("neovim-impact")
    place = shown[parent].split()[-1]
    editor.lua("vim.api.nvim_feedkeys(vim.keycode('<CR>'), 'xt', false)")
    editor.wait("vim.bo.filetype == 'python'")
    assert editor.nvim.current.buffer.name.endswith(place.rsplit(":", 1)[0])
    assert editor.nvim.current.window.cursor[0] == int(place.rsplit(":", 1)[1])
    editor.edit(project / SIGNER, line, column + 4)
    editor.command("Surveyor! impact")
    editor.wait("#vim.fn.getqflist() > 0")


def test_a_symbols_tests_and_history_and_a_servers_log(start: Start, project: Path) -> None:
    editor = open_ready(start, project)
    line, column = find(project / SIGNER, "def get_signature")
    editor.edit(project / SIGNER, line, column + 4)
    editor.command("Surveyor tests")
    editor.wait("vim.fn.getqflist({ title = 0 }).title:match('^Surveyor: tests of ')")
    files = editor.lua("return vim.tbl_map(function(e) return e.text end, vim.fn.getqflist())")
    assert files and all(text.startswith("test ") for text in files)
    assert editor.lua("return H.said('tests reach .*:Surveyor test .* runs them')")
    editor.command("cclose")

    editor.command("Surveyor history")
    (commit,) = editor.wait("selected and selected.shown")
    assert re.search(r"T  Import  \+\d+ -0  introduced here$", commit)
    editor.lua("choose(1)")
    editor.wait("vim.bo.filetype == 'diff'")
    shown = editor.lua("return vim.api.nvim_buf_get_lines(0, 0, -1, false)")
    assert any("def get_signature" in text for text in shown)
    editor.command("close")

    editor.lua("selected = nil")
    editor.command("Surveyor servers")
    servers = editor.wait("selected and selected.shown")
    assert [text.split(" of ")[0] for text in servers[:2]] == ["log", "restart"]
    editor.lua("choose(1)")
    editor.wait("vim.bo.filetype == 'log'")


def test_what_a_subcommand_does_not_take_is_refused(start: Start, project: Path) -> None:
    editor = open_ready(start, project)
    line, column = find(project / SIGNER, "def get_signature")
    editor.edit(project / SIGNER, line, column + 4)
    for typed, said in (
        ("impact Signer", ":Surveyor impact takes nothing after it, and not Signer"),
        ("++qf history Signer", "there is no :Surveyor %+%+qf"),
        ("reindex cleen", ":Surveyor reindex takes only clean after it, and not cleen"),
        ("status all", ":Surveyor status takes nothing after it, and not all"),
    ):
        editor.command(f"Surveyor {typed}")
        assert editor.lua("return H.said(...)", said), (typed, editor.lua("return messages"))
    assert editor.nvim.current.buffer.name.endswith(str(SIGNER))
    editor.command("Surveyor! impact")
    editor.wait("#vim.fn.getqflist() > 0")


def test_a_restart_is_no_failure(start: Start, project: Path) -> None:
    editor = open_ready(start, project)
    before = editor.lua("return vim.lsp.get_clients({ name = 'surveyor' })[1].id")
    editor.command("Surveyor restart")
    editor.wait(
        f"(vim.lsp.get_clients({{ name = 'surveyor' }})[1] or {{ id = {before} }}).id > {before}"
    )
    assert not editor.lua("return H.said('quit with exit code')")
    assert editor.lua("return #vim.lsp.get_clients({ name = 'surveyor' })") == 1


def test_check_lists_what_an_unsaved_change_leaves_behind(
    start: Start, make_project: Callable[[str], Path]
) -> None:
    project = make_project("changed")
    editor = open_ready(start, project)
    line, _ = find(project / SIGNER, "def derive_key")
    editor.edit(project / SIGNER, line, 0)
    editor.command("s/def derive_key(/def derive_key_again(/")
    editor.command("Surveyor check")  # at once: Neovim has not sent the change by itself yet
    editor.wait("#vim.fn.getqflist() > 0")
    texts = editor.lua("return vim.tbl_map(function(e) return e.text end, vim.fn.getqflist())")
    assert any("derive_key" in text and "gone" in text for text in texts)
    assert any("test to run" in text for text in texts)


def test_an_agents_edit_is_made_in_the_buffer_can_be_undone_and_is_listed(
    start: Start, home: Home, make_project: Callable[[str], Path]
) -> None:
    project = make_project("edited")
    editor = open_ready(start, project)
    line, _ = find(project / SIGNER, "def derive_key")
    editor.edit(project / SIGNER, 1, 0)
    editor.command("normal! O# typed")
    agent = Agent(home, project)
    try:
        agent.call("map")
        editor.wait(  # a call is logged beside its answer
            "(function() if not asked or vim.uv.now() - asked > 2000 then asked = vim.uv.now();"
            " vim.cmd('Surveyor activity') end; return #vim.fn.getqflist() > 0 end)()"
        )
        editor.command("wincmd p")
        said = agent.call("edit", path=str(SIGNER), old="def derive_key(", new="def derive_it(")
        assert "Changed in the editor's buffer, not saved yet." in said
        lines = editor.lua("return vim.api.nvim_buf_get_lines(0, 0, -1, false)")
        assert lines[0] == "# typed"
        assert "def derive_it(" in lines[line]
        assert "def derive_key(" in (project / SIGNER).read_text()
        texts = "vim.tbl_map(function(e) return e.text end, vim.fn.getqflist())"
        editor.wait(f"vim.iter({texts}):any(function(t) return t:find('edited', 1, true) end)")
        assert any("robot  edit " in text for text in editor.lua(f"return {texts}"))
        editor.picture("neovim-activity")
        editor.command("undo")
        lines = editor.lua("return vim.api.nvim_buf_get_lines(0, 0, -1, false)")
        assert lines[0] == "# typed" and "def derive_key(" in lines[line]
    finally:
        agent.close()


def test_references_come_from_the_upstream_once(start: Start, project: Path) -> None:
    editor = open_ready(start, project)
    line, column = find(project / SIGNER, "def derive_key")
    editor.edit(project / SIGNER, line, column + 4)
    places = editor.wait("H.places('textDocument/references')")
    assert len(places) > 1
    assert len(places) == len(set(places))


def test_hover_has_both_sections(start: Start, project: Path) -> None:
    editor = open_ready(start, project)
    line, column = find(project / SIGNER, "def derive_key")
    editor.edit(project / SIGNER, line, column + 4)
    text = editor.wait("H.hover('derive_key', 'used')").lower()
    assert text.index("derive_key") < text.index("used")
    editor.lua("vim.lsp.buf.hover()")
    editor.wait("H.floats()[1]", of="the hover's window")
    editor.picture("neovim-hover")


def test_an_unsaved_edit_is_found_and_found_again_when_saved(start: Start, project: Path) -> None:
    editor = open_ready(start, project)
    editor.edit(project / TIMED)
    lines = ["", "", "def zebra_crossing_ledger(pages):", "    return len(pages)"]
    editor.lua("vim.api.nvim_buf_set_lines(0, -1, -1, false, ...)", lines)
    unsaved = editor.wait("H.hit('zebra_crossing_ledger', true)")
    editor.command("write")
    saved = editor.wait("H.hit('zebra_crossing_ledger', false)")
    assert unsaved["startLine"] == saved["startLine"] == find(project / TIMED, "zebra")[0]


def test_rules_are_remembered_and_listed(start: Start, project: Path) -> None:
    editor = open_ready(start, project)
    line, column = find(project / SIGNER, "def derive_key")
    editor.edit(project / SIGNER, line, column + 4)
    editor.command("Surveyor remember Keys are never logged")
    editor.wait("H.said('keys%-are%-never%-logged')")
    ask = "H.ask('surveyor/rules', { uri = vim.uri_from_bufnr(0) })"
    editor.wait(f"#({ask} or {{ rules = {{}} }}).rules > 0")  # it may be queued
    editor.command("Surveyor rules")
    shown = editor.wait("selected and #selected.shown > 0 and selected.shown")
    (number,) = (n for n, text in enumerate(shown, 1) if "keys-are-never-logged" in text)
    editor.lua("choose(...)", number)
    assert editor.nvim.current.buffer.name.endswith("surveyor://rules/keys-are-never-logged")
    assert editor.nvim.current.buffer[:] == ["Keys are never logged"]
    editor.command("normal gf")
    assert editor.nvim.current.window.cursor[0] == line
    editor.command("wincmd p")
    editor.nvim.current.buffer[:] = ["Keys are never logged,", "nor shown"]
    editor.command("wq")
    contents = f"vim.tbl_map(function(r) return r.content end, {ask}.rules)"
    assert editor.wait(contents) == ["Keys are never logged,\nnor shown"]
    editor.lua("vim.fn.confirm = function() return 1 end")
    editor.lua("selected = nil")
    editor.command("Surveyor rules")
    editor.wait("selected and #selected.shown == 2")
    editor.lua("choose(1)")
    editor.nvim.current.buffer[:] = []
    editor.command("write")
    editor.wait(f"#{ask}.rules == 0")


def test_the_entry_for_nvim_lspconfig_needs_no_plugin(start: Start, project: Path) -> None:
    add = f"vim.opt.runtimepath:prepend({str(LSPCONFIG)!r})\nvim.lsp.enable('surveyor')\n"
    editor = start(add, plugin=False, cwd=project)
    editor.edit(project / SIGNER)
    editor.wait("H.ready()", seconds=300)
    ask = "H.ask('workspace/symbol', { query = 'check whether a signature is too old' })"
    names = f"vim.iter({ask} or {{}}):map(function(s) return s.name end):join(' ')"
    editor.wait(f"({names}):find('unsign')")
    assert editor.lua("return vim.fn.exists(':Surveyor')") == 0
    assert editor.lua("return H.client().server_capabilities.definitionProvider") in (None, False)


def test_status_shows_counts_and_the_buffers_mode(start: Start, project: Path) -> None:
    editor = open_ready(start, project)
    editor.command("Surveyor status")
    text = editor.wait("H.floats()[1]", of="the status window")
    assert "chunks" in text
    assert "This buffer: proxy" in text
    editor.picture("neovim-status")
    for action, said in (("pause", "Surveyor paused"), ("resume", "Surveyor")):
        editor.command(f"Surveyor {action}")
        editor.wait(f"require('surveyor').statusline() == '{said}'")


def test_a_reindex_in_a_terminal_shows_in_the_editor(
    start: Start, project: Path, home: Home
) -> None:
    editor = open_ready(start, project)
    editor.lua("H.record_status()")
    for _ in range(5):  # a small project's run may end between two looks at it
        home.run("reindex", str(project), "--clean", timeout=180)
        editor.ready()
        if editor.lua("return _G.indexing"):
            break
    assert editor.lua("return _G.indexing")


def test_another_server_makes_surveyor_a_companion(start: Start, project: Path) -> None:
    editor = start(
        "vim.lsp.enable('surveyor')\n"
        "vim.lsp.config('basedpyright', { cmd = { 'basedpyright-langserver', '--stdio' },"
        " filetypes = { 'python' }, root_markers = { '.git' } })\n"
        "vim.lsp.enable('basedpyright')\n",
        cwd=project,
    )
    line, column = find(project / SIGNER, "def derive_key")
    editor.edit(project / SIGNER, line, column + 4)
    editor.ready()
    editor.wait("#vim.lsp.get_clients({bufnr=0}) == 2", of="both clients")
    mode, reason = editor.wait(
        "(function() local m, r = require('surveyor.companion').decide(0)"
        " return m == 'companion' and { m, r } end)()",
        of="companion mode",
    )
    assert (mode, reason) == ("companion", "basedpyright serves this buffer")
    for method in ("definition", "references"):
        places = editor.wait(f"H.places('textDocument/{method}')")
        assert len(places) == len(set(places))
        if method == "definition":
            assert len(places) == 1
    editor.command("Surveyor search derive a key")
    assert editor.wait("selected and #selected.shown > 0 and selected.shown")


def test_a_killed_server_comes_back(start: Start, project: Path) -> None:
    editor = open_ready(start, project)
    first = editor.lua("return H.client().id")
    for server in children(editor.lua("return vim.fn.getpid()"), b"lsp"):
        os.kill(server, signal.SIGKILL)
    editor.wait(f"H.client() and H.client().id ~= {first}", of="a new client")
    editor.ready()


def test_no_server_is_one_clear_message(start: Start, project: Path) -> None:
    editor = start(environment={"PATH": "/usr/bin:/bin"}, cwd=project)
    editor.edit(project / SIGNER)
    editor.edit(project / TIMED)
    editor.wait("H.said('was not found')")
    found = [m for m in editor.lua("return messages") if "was not found" in m]
    assert len(found) == 1
    assert "PATH" in found[0] and "managed environment" in found[0]
    editor.command("checkhealth surveyor")
    health = "\n".join(editor.nvim.current.buffer[:])
    assert "ERROR" in health and "was not found" in health


def test_two_roots_share_one_client(
    start: Start, project: Path, make_project: Callable[[str], Path]
) -> None:
    second = make_project("second")
    editor = open_ready(start, project)
    editor.edit(second / SIGNER)
    editor.wait("#vim.lsp.get_clients({bufnr=0, name='surveyor'}) == 1")
    assert editor.lua("return #vim.lsp.get_clients({name='surveyor'})") == 1
    projects = editor.wait("H.ready() and #H.ready() == 2 and H.ready()", of="two projects")
    assert {p["root"] for p in projects} == {str(project), str(second)}


def test_the_same_entry_elsewhere_on_the_runtimepath_starts_no_second_client(
    start: Start, project: Path, tmp_path: Path
) -> None:
    other = tmp_path / "nvim-lspconfig" / "lsp"
    other.mkdir(parents=True)
    (other / "surveyor.lua").write_text(
        "return { cmd = { 'surveyor', 'lsp' }, root_markers = { '.git' } }\n"
    )
    editor = start(
        f"vim.opt.runtimepath:append({str(other.parent)!r})\nvim.lsp.enable('surveyor')\n",
        cwd=project,
    )
    editor.edit(project / SIGNER)
    editor.ready()
    assert editor.lua("return #vim.lsp.get_clients()") == 1


def test_a_plain_package_is_enough(start: Start, project: Path, home: Home) -> None:
    site = home.folder / "share" / "nvim" / "site" / "pack" / "tools" / "start"
    site.mkdir(parents=True, exist_ok=True)
    (site / "surveyor").symlink_to(PLUGIN)
    try:
        editor = start(plugin=False, cwd=project)
        editor.edit(project / SIGNER)
        editor.ready()
        assert editor.lua("return vim.fn.exists(':Surveyor')") == 2
        editor.command("silent! helptags ALL")
    finally:
        (site / "surveyor").unlink()


def test_options_are_checked_and_take_effect_live(start: Start, project: Path) -> None:
    editor = open_ready(start, project)
    wrong = editor.lua("local ok, e = pcall(require('surveyor').setup, { pickr = 'x' }) return e")
    assert "pickr" in wrong and "picker" in wrong
    for given in ("{ 'picker' }", "'telescope'", "true", "{ limit = '3' }", "{ picker = 'x' }"):
        said = editor.lua(f"local ok, e = pcall(require('surveyor').setup, {given}) return e")
        assert said.startswith("surveyor: ")
    editor.lua("require('surveyor').setup({ mode = { python = 'companion' } })")
    supports = "return H.client():supports_method('textDocument/definition', 0)"
    assert editor.lua(supports) is False
    editor.lua("require('surveyor').setup({ limit = 2 })")
    editor.command("Surveyor search sign")
    assert len(editor.wait("selected and #selected.shown > 0 and selected.shown")) <= 2


def test_an_older_neovim_is_told_what_is_needed(start: Callable[..., Editor]) -> None:
    editor = start("", plugin=False)
    editor.lua("vim.fn.has = function() return 0 end")
    said = editor.nvim.command_output(f"source {PLUGIN / 'plugin' / 'surveyor.lua'}")
    assert re.search(r"Surveyor needs Neovim 0\.11 or newer; this is \d+\.\d+\.\d+", said)
    assert editor.lua("return vim.fn.exists(':Surveyor')") == 0


def test_the_log_opens(start: Start, project: Path) -> None:
    editor = open_ready(start, project)
    editor.command("Surveyor log")
    assert editor.nvim.current.buffer.name.endswith("lsp.log")
