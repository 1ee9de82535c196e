"""The packaged extension in a real window: what a person sees and types."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, expect
from tests.e2e.conftest import Agent, Home
from tests.e2e.vscode.conftest import (
    ATTEMPTS,
    SEARCH_BOX,
    SECONDS,
    STATUS_MENU,
    Server,
    Workbench,
    open_window,
    picture,
)

SIGNER = "src/itsdangerous/signer.py"
NARROW_DOWN = "Type to narrow down"


@pytest.fixture(scope="module")
def window(browser: Browser, server: Server, project: Path) -> Iterator[Workbench]:
    """One window for all tests of this module, as a person would keep it."""
    window = open_window(browser, server, project)
    window.ready()
    yield window
    window.page.close()


@pytest.fixture(autouse=True)
def _closed(window: Workbench) -> Iterator[None]:
    yield
    for _ in range(3):
        window.key("Escape")


def line_of(project: Path, text: str) -> int:
    lines = (project / SIGNER).read_text().splitlines()
    return next(n for n, line in enumerate(lines, 1) if text in line)


def test_the_status_item_counts_files_and_opens_the_menu(window: Workbench) -> None:
    box = window.open(window.status.click, STATUS_MENU)
    for entry in (
        "Search by meaning",
        "Pause indexing",
        "Files skipped and why",
        "Disk used",
        "Skip this folder",
        "Remove index",
        "Restart",
        "Copy a support report",
    ):
        box.fill(entry)
        expect(window.rows.filter(has_text=entry).first).to_be_visible()
    box.fill("")
    picture(window, "vscode-status")


def test_a_search_by_meaning_ends_in_the_open_file(window: Workbench) -> None:
    window.search("check whether a signature is too old")
    row = window.rows.filter(has_text="timed.py").first
    expect(row).to_be_visible()
    place = re.search(r"timed\.py:(\d+)", row.inner_text())
    assert place
    # Move to it: the preview opens behind the list, the list keeps the focus.
    for _ in range(20):
        if "timed.py" in window.focused.inner_text():
            break
        window.key("ArrowDown")
    window.key("ArrowDown", "ArrowUp")
    expect(window.active_tab).to_contain_text("timed.py")
    picture(window, "vscode-search")
    window.key("Enter")
    expect(window.active_tab).to_contain_text("timed.py")
    expect(window.current_line).to_contain_text(f"Ln {place[1]},")


def test_a_result_opens_to_the_side(window: Workbench) -> None:
    window.open_file(SIGNER)
    groups = window.page.locator(".editor-group-container")
    expect(groups).to_have_count(1)
    window.search("serialize json compactly")
    row = window.rows.filter(has_text=".py:").first
    row.hover()
    row.get_by_role("button", name="Open to the Side").click()
    expect(groups).to_have_count(2)
    expect(groups.nth(1).locator(".monaco-editor[data-uri]")).to_be_visible()
    window.run("View: Join All Editor Groups")
    expect(groups).to_have_count(1)


def test_go_to_symbol_has_names(window: Workbench) -> None:
    row = window.rows.filter(has_text="TimestampSigner").filter(has_text="timed.py").first
    window.open(
        lambda: window.key("Control+t"),
        "Type the name of a symbol",
        "#TimestampSigner",
        lambda timeout: expect(row).to_be_visible(timeout=timeout),
    )
    row.click()
    expect(window.active_tab).to_contain_text("timed.py")


def test_escape_puts_the_editor_back(window: Workbench) -> None:
    window.run("View: Close All Editors")
    tabs = window.page.locator(".tab")
    expect(tabs).to_have_count(0)
    window.search("serialize json compactly")
    window.key("ArrowDown", "ArrowDown")
    expect(tabs).to_have_count(1)
    window.key("Escape")
    expect(tabs).to_have_count(0)

    window.open_file(SIGNER, 20)
    window.search("serialize json compactly")
    window.key("ArrowDown", "ArrowDown")
    expect(window.active_tab).not_to_contain_text("signer.py")
    window.key("Escape")
    expect(window.active_tab).to_contain_text("signer.py")
    expect(window.current_line).to_contain_text("Ln 20,")
    expect(window.page.locator(".monaco-editor.focused")).to_be_visible()


def test_results_come_as_one_types_and_a_query_is_in_the_history(window: Workbench) -> None:
    box = window.open(lambda: window.key("Control+Alt+m"), SEARCH_BOX)
    box.press_sequentially("derive a key", delay=10)
    expect(window.rows.filter(has_text="derive_key").first).to_be_visible()
    box.press_sequentially(" with padding", delay=10)
    row = window.rows.filter(has_text="derive_key").filter(has_text="signer.py").first
    place = re.search(r"signer\.py:(\d+)", row.inner_text())
    assert place
    row.click()
    expect(window.current_line).to_contain_text(f"Ln {place[1]},")
    known = window.rows.filter(has_text="derive a key with padding")
    window.open(
        lambda: window.key("Control+Alt+m"),
        SEARCH_BOX,
        shows=lambda timeout: expect(known).to_be_visible(timeout=timeout),
    )


def test_filters_narrow_down(window: Workbench) -> None:
    window.search("path:tests/** bad signature")
    expect(window.rows.filter(has_text="tests/").first).to_be_visible()
    expect(window.rows.filter(has_text="src/")).to_have_count(0)
    window.search("lang:py kind:class path:src/** signer")
    expect(window.rows.filter(has_text="TimestampSigner").first).to_be_visible()
    expect(window.rows.filter(has_text="README")).to_have_count(0)


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("lang:elm sign", "Nothing found"),
        ("lang:cobol sign", "no language 'cobol'"),
        ("kind:nonsense sign", "no kind 'nonsense'"),
        ("in:everywhere sign", "in:everywhere is unknown"),
        ("zxqv wibble frobnicate", "what follows is the nearest"),
    ],
)
def test_a_search_without_good_results_says_why(window: Workbench, query: str, said: str) -> None:
    window.open(
        lambda: window.key("Control+Alt+m"),
        SEARCH_BOX,
        query,
        lambda timeout: expect(window.quick_input).to_contain_text(said, timeout=timeout),
    )


def show_in_view(window: Workbench, query: str) -> Any:
    """Search in the view and wait until it has the answer and the focus."""
    title = "Surveyor: Search by Meaning in the Search View"
    window.open(lambda: window.run(title), SEARCH_BOX, query).press("Enter")
    view = window.pane("search by meaning")
    row = view.locator(".monaco-list-row", has_text=query).first
    expect(row).to_contain_text(re.compile(r"\d+ (results|matches)"))
    expect(view.locator(".monaco-list")).to_be_focused()
    return view


def test_the_search_view_shows_files_hits_and_snippets(window: Workbench) -> None:
    view = show_in_view(window, "derive a key from the secret")
    expect(view.locator(".monaco-list-row", has_text="signer.py").first).to_be_visible()
    expect(view.locator(".monaco-list-row", has_text="derive_key").first).to_be_visible()
    picture(window, "vscode-search-view")
    view = show_in_view(window, "mode:literal self")
    found = view.get_by_role("treeitem", name=re.compile(r"^search mode:literal self, 30 of \d+ m"))
    expect(found).to_be_visible()
    view.locator(".monaco-list").focus()
    window.key("End")
    view.get_by_role("treeitem", name="Show More Results").click()
    window.key("Home")
    expect(view.get_by_role("treeitem", name=re.compile("self, [^3]"))).to_be_visible()


def test_results_of_the_view_are_pinned_refreshed_copied_and_cleared(
    window: Workbench, project: Path
) -> None:
    view = show_in_view(window, "derive a key from the secret")
    first = view.locator(".monaco-list-row", has_text="derive a key from the secret").first

    def press(row: Any, button: str) -> None:
        row.hover()
        row.get_by_role("button", name=button).click()

    window.choose_of(first, "Pin")  # as the keyboard does, which has no buttons in a row
    show_in_view(window, "sign with a timestamp")
    second = view.locator(".monaco-list-row", has_text="sign with a timestamp").first
    for button, start in (("Copy as Agent Context", "Code found for"), ("Copy as Markdown", "## ")):
        window.choose_of(second, button)
        window.wait_for_clipboard(start)
        assert "sign with a timestamp" in window.clipboard
        assert "timed.py:" in window.clipboard

    (project / "stamps.py").write_text(
        "def sign_with_a_timestamp_twice(value):\n    return value\n"
    )
    added = view.locator(".monaco-list-row", has_text="sign_with_a_timestamp_twice")
    for _ in range(ATTEMPTS):  # until the index has the file
        press(second, "Refresh")
        try:
            expect(added.first).to_be_visible(timeout=10 * SECONDS)
            break
        except AssertionError:
            continue
    expect(added.first).to_be_visible()

    view.locator(".pane-header").first.hover()
    view.get_by_role("button", name="Clear Results").click()
    expect(second).to_have_count(0)
    expect(first).to_be_visible()  # it is pinned


def test_impact_is_a_tree_with_tests_marked(window: Workbench, project: Path) -> None:
    line = line_of(project, "def get_signature(self, value: ")
    window.open_file(SIGNER, line, column=10)
    window.run("Surveyor: Show Impact of Symbol")
    view = window.pane("^impact.*Signer.get_signature")
    expect(view).to_be_visible()
    expect(view.locator(".monaco-list-row", has_text="Uses it directly")).to_be_visible()
    expect(view.locator(".monaco-list-row .codicon-beaker").first).to_be_visible()
    picture(window, "vscode-impact")


def test_a_symbol_has_a_history_whose_commits_show_what_they_did(
    window: Workbench, project: Path
) -> None:
    line = line_of(project, "def get_signature(self, value: ")
    window.open_file(SIGNER, line, column=10)
    window.run("Surveyor: Show History of Symbol")
    view = window.pane("^history.*Signer.get_signature")
    row = view.get_by_role(
        "treeitem", name=re.compile("^commit .*, Import, by T, .* introduced here")
    )
    row.click()
    expect(window.active_tab).to_contain_text("Signer.get_signature in")
    expect(window.page.locator(".modified-in-monaco-diff-editor .view-line").first).to_contain_text(
        "def get_signature"
    )
    picture(window, "vscode-history")
    view.locator(".pane-header").first.hover()
    view.get_by_role("button", name="Close History").click()
    expect(window.page.locator(".pane", has_text=re.compile("^history", re.I))).to_have_count(0)


def test_tests_that_reach_a_symbol_are_listed_and_run(window: Workbench, project: Path) -> None:
    settings = project / "pyproject.toml"
    before = settings.read_text()
    # Else the first warning of any plugin that is installed here ends pytest.
    runnable = before.replace('"error",', "").replace(
        "testpaths", 'pythonpath = ["src"]\ntestpaths'
    )
    assert runnable != before
    settings.write_text(runnable)
    try:
        line = line_of(project, "def get_signature(self, value: ")
        window.open_file(SIGNER, line, column=10)
        window.run("Surveyor: Run Related Tests")
        explorer = window.page.locator(".test-explorer")
        listed = re.compile("tests of Signer.get_signature")
        expect(explorer.get_by_role("treeitem", name=listed).first).to_be_visible()
        ran = explorer.get_by_role("treeitem", name=re.compile(r"test_signer\.py \(Passed\)"))
        expect(ran.first).to_be_visible()
        picture(window, "vscode-tests")
    finally:
        settings.write_text(before)
    window.run("Surveyor: Focus on Search by Meaning View")


def inside_of(window: Workbench) -> Any:
    """The page of the graph that is open."""
    return window.page.frame_locator("iframe.webview.ready").frame_locator("#active-frame")


def test_callers_are_a_graph_that_is_searched_and_opened_with_the_keyboard(
    window: Workbench, project: Path
) -> None:
    line = line_of(project, "def get_signature(self, value: ")
    window.open_file(SIGNER, line, column=10)
    window.run("Surveyor: Show Callers as a Graph")
    page = inside_of(window)
    expect(page.locator(".node.subject")).to_contain_text("Signer.get_signature")
    expect(page.get_by_role("heading", name="Callers of Signer.get_signature")).to_be_visible()
    search = page.get_by_role("searchbox")
    search.fill("no such name")
    expect(page.get_by_text("0 found")).to_be_visible()
    search.fill("Signer.sign")
    search.press("Enter")
    expect(page.locator(".node.chosen:not(.dim)")).to_contain_text("Signer.sign")
    expect(page.get_by_role("heading", name="Uses (")).to_be_visible()
    search.fill("")
    page.locator(".node.chosen").focus()
    page.locator(".node.chosen").press("ArrowRight")  # to what it uses
    expect(page.locator(".node.chosen.subject")).to_be_visible()
    picture(window, "vscode-graph")
    page.locator(".node.chosen").press("Enter")
    groups = window.page.locator(".editor-group-container")
    expect(groups).to_have_count(2)
    expect(groups.nth(1).locator(".tab.active")).to_contain_text("signer.py")
    window.run("View: Close All Editors")
    expect(groups).to_have_count(1)


def test_an_agents_edit_is_made_in_the_editor_and_followed_in_a_view(
    window: Workbench, home: Home, project: Path
) -> None:
    line = line_of(project, "def derive_key")
    window.open_file(SIGNER, line, column=1)
    window.run("Surveyor: Focus on Agents View")
    view = window.pane("^Agents")
    agent = Agent(home, project)
    try:
        agent.call("search", query="derive a key", limit=2)
        expect(view.locator(".monaco-list-row", has_text="robot")).to_be_visible()
        expect(view.locator(".monaco-list-row", has_text="derive a key")).to_be_visible()
        said = agent.call("edit", path=SIGNER, old="def derive_key(", new="def derive_it(")
        assert "Changed in the editor's buffer, not saved yet." in said
        expect(window.page.locator(".view-line", has_text="def derive_it(").first).to_be_visible()
        expect(view.locator(".monaco-list-row", has_text=SIGNER)).to_be_visible()
        picture(window, "vscode-agents")
        window.run("Surveyor: Show Path of Agent")
        expect(inside_of(window).locator(".node.edited")).to_contain_text("signer.py")
        picture(window, "vscode-agent-path")
        window.key("Control+w")
        window.open_file(SIGNER, line, column=1)
        window.key("Control+z")
        expect(window.page.locator(".view-line", has_text="def derive_key(").first).to_be_visible()
        window.key("Control+s")
        window.until(lambda: "def derive_key(" in (project / SIGNER).read_text(), "the old text")
    finally:
        agent.close()


def test_check_is_a_tree_whose_entries_open_and_whose_tests_run(
    window: Workbench, project: Path
) -> None:
    file = project / SIGNER
    before = file.read_text()
    file.write_text(before.replace("def derive_key(", "def derive_key_again("))
    try:
        window.open_file("setup.cfg" if (project / "setup.cfg").exists() else "pyproject.toml")
        window.run("Surveyor: Check What the Change Leaves Behind")
        view = window.pane("^check")
        left = view.locator(".monaco-list-row", has_text="derive_key").first
        expect(left).to_be_visible()
        left.click()
        window.until(lambda: ".py" in window.active_tab.inner_text(), "the place")
        picture(window, "vscode-check")
        view.locator(".monaco-list").focus()
        window.key("End")  # the list is short where other views are open
        expect(view.get_by_role("treeitem", name="test file").last).to_be_visible()
        view.locator(".pane-header").first.hover()
        view.get_by_role("button", name="Run Tests").first.click()
        expect(window.said("passed")).to_be_visible()
    finally:
        file.write_text(before)


def test_a_hover_shows_both_sections(window: Workbench, project: Path) -> None:
    line = line_of(project, "def get_signature(self, value: ")
    window.open_file(SIGNER, line, column=10)
    hover = window.page.locator(".monaco-hover:visible", has_text="Returns the signature").first
    ours = hover.get_by_text(re.compile(r"Used \d+ times|Similar:|Last change")).first
    for _ in range(ATTEMPTS):  # the first one may come before the language server is ready
        window.key("Control+k", "Control+i")
        try:
            expect(ours).to_be_visible(timeout=10 * SECONDS)
            break
        except AssertionError:
            window.key("Escape")
    expect(ours).to_be_visible()
    expect(hover.locator("a").first).to_be_visible()
    picture(window, "vscode-hover")


def test_similar_code_of_a_selection(window: Workbench, project: Path) -> None:
    line = line_of(project, "class HMACAlgorithm")
    window.open_file(SIGNER, line)
    for _ in range(8):
        window.key("Shift+ArrowDown")
    expect(window.current_line).to_contain_text(f"Ln {line + 8}, ")  # each key has arrived
    before = window.current_line.inner_text()
    found = window.rows.filter(has_text=re.compile(r"\.py:\d+")).first
    window.open(
        lambda: window.run("Surveyor: Find Similar Code"),
        NARROW_DOWN,
        shows=lambda timeout: expect(found).to_be_visible(timeout=timeout),
    )
    expect(window.current_line).not_to_have_text(before)  # the first one is shown
    window.key("Escape")
    expect(window.current_line).to_have_text(before)


def test_remembering_adds_a_rule_to_the_view(window: Workbench, project: Path) -> None:
    line = line_of(project, "def derive_key")
    window.open_file(SIGNER, line)
    text = "Keys are never logged"
    ask = "Amounts are in cents"
    window.open(lambda: window.run("Surveyor: Remember This"), ask, text).press("Enter")
    expect(window.focused).to_contain_text("This project")
    window.box("Where does it apply?").press("Enter")
    expect(window.quick_input).to_contain_text("A short label")
    label = window.quick_input.locator("input[type=text]").first
    expect(label).to_have_value("keys-are-never-logged")
    label.press("Enter")
    expect(window.said("as keys-are-never-logged.")).to_be_visible()
    window.run("Surveyor: Focus on Rules View")
    row = window.page.locator(".pane .monaco-list-row", has_text="keys-are-never-logged").first
    row.click()
    expect(window.active_tab).to_contain_text("keys-are-never-logged.md")
    expect(
        window.page.locator(".view-line", has_text="Keys are never logged").first
    ).to_be_visible()
    expect(window.page.locator(".tab.dirty")).to_have_count(0)
    row.hover()
    row.get_by_role("button", name="Go to Code of Rule").click()
    expect(window.current_line).to_contain_text(f"Ln {line},")
    row.hover()
    row.get_by_role("button", name="Edit Rule").click()
    box = window.quick_input.locator("input[type=text]").first
    expect(box).to_have_value(text)
    box.fill("Keys are never printed")
    box.press("Enter")
    # The next box would close this one before it is taken.
    changed = window.page.locator(".pane .monaco-list-row[aria-label*='Keys are never printed']")
    expect(changed.first).to_be_visible()
    window.open_file(SIGNER, line, column=10)
    hover = window.page.locator(".monaco-hover:visible", has_text="Keys are never printed").first
    for _ in range(ATTEMPTS):
        window.key("Control+k", "Control+i")
        try:
            expect(hover.get_by_text("delete", exact=True)).to_be_attached(timeout=10 * SECONDS)
            break
        except AssertionError:
            window.key("Escape")
    expect(hover.get_by_text("delete", exact=True)).to_be_attached()
    picture(window, "vscode-rule")
    window.key("Escape")
    row.hover()  # a hover goes when the mouse moves to it past other code
    row.get_by_role("button", name="Delete Rule").click()
    dialog = window.page.locator(".monaco-dialog-box")
    expect(dialog).to_contain_text("Keys are never printed")
    dialog.get_by_role("button", name="Delete").click()
    expect(row).to_have_count(0)


def test_a_reindex_in_a_terminal_shows_in_the_status_item(
    window: Workbench, home: Home, project: Path
) -> None:
    window.page.evaluate(
        """() => {
          const item = document.getElementById('surveyor.surveyor.surveyor.status');
          window.seen = [];
          const note = () => window.seen.push(
            document.getElementById('surveyor.surveyor.surveyor.status').getAttribute('aria-label'));
          new MutationObserver(note).observe(item, { attributes: true, subtree: true });
        }"""
    )
    seen = "window.seen.some((label) => /ndexing|behind/.test(label))"
    more = project / "many"
    more.mkdir()
    for number in range(200):  # a small project's run ends between two looks at it
        functions = (f"def step_{number}_{each}():\n    return {each}\n" for each in range(40))
        (more / f"steps_{number}.py").write_text("\n\n".join(functions))
    try:
        for _ in range(ATTEMPTS):
            home.run("reindex", str(project), "--clean", timeout=180)
            window.ready()
            if window.page.evaluate(seen):
                break
        assert window.page.evaluate(seen)
    finally:
        shutil.rmtree(more)


def test_the_menu_pauses_and_resumes(window: Workbench) -> None:
    window.choose("Pause indexing")
    paused = re.compile("^Surveyor: Indexing is paused")  # perhaps with files behind
    expect(window.status).to_have_attribute("aria-label", paused)
    window.choose("Resume indexing")
    window.ready()


def test_the_menu_shows_skipped_files_disk_use_and_logs(window: Workbench) -> None:
    window.choose("Disk used")
    said = window.said("Surveyor's index of signing")
    expect(said).to_contain_text(re.compile(r"\d+(\.\d)? [KM]B on disk"))
    reasons = re.compile("binary|generated|lock|large|secret")
    window.open(
        lambda: window.choose("Files skipped and why"),
        NARROW_DOWN,
        shows=lambda timeout: expect(window.rows.first).to_contain_text(reasons, timeout=timeout),
    )
    window.key("Escape")
    offered = window.rows.filter(has_text="bash-language-server").first
    window.open(
        lambda: window.run("Surveyor: Add Language Server"),
        "Which one?",
        "bash",
        lambda timeout: expect(offered).to_be_visible(timeout=timeout),
    )
    window.key("Escape")
    for action in ("Restart", "Show Log"):
        window.open(
            lambda: window.run("Surveyor: Language Servers"),
            "Which language server?",
            shows=lambda timeout: expect(window.focused).to_contain_text(
                "(python)", timeout=timeout
            ),
        ).press("Enter")
        window.box("What about it?").fill(action)
        window.key("Enter")
    log = window.page.locator(".part.panel .view-lines")
    expect(log).to_contain_text(re.compile("ty\\s+is\\s+ready"))
    window.choose("Show server log")
    expect(
        window.page.locator(".panel .output-view-container, .panel .monaco-editor").first
    ).to_be_visible()
    window.run("View: Toggle Panel Visibility")


def test_a_support_report_has_states_and_no_code(window: Workbench, project: Path) -> None:
    window.choose("Copy a support report")
    window.wait_for_clipboard('{\n  "editor"')
    report = json.loads(window.clipboard)
    assert report["state"] == "running"
    assert report["server"]["version"]
    assert report["modes"]["*"]["mode"] == "proxy"
    assert "def " not in window.clipboard


def test_an_index_is_removed_after_a_question_and_made_again(window: Workbench) -> None:
    dialog = window.page.locator(".monaco-dialog-box")
    window.choose("Remove index")
    expect(dialog).to_contain_text("Remove the index of signing?")
    dialog.get_by_role("button", name="Remove").click()
    expect(window.status).to_have_attribute("aria-label", "Surveyor: No folder is indexed")
    expect(window.status).to_contain_text("Not indexed")
    window.run("Surveyor: Reindex Folder")
    window.ready()


def test_a_folder_is_skipped_until_it_is_reindexed(window: Workbench) -> None:
    dialog = window.page.locator(".monaco-dialog-box")
    window.choose("Skip this folder")
    expect(dialog).to_contain_text("Skip signing?")
    dialog.get_by_role("button", name="Skip").click()
    expect(window.status).to_have_attribute("aria-label", "Surveyor: No folder is indexed")
    starts = window.server.log().count("Starting the server")
    window.choose("Restart")
    window.until(lambda: window.server.log().count("Starting the server") > starts, "another start")
    expect(window.status).to_have_attribute("aria-label", "Surveyor: No folder is indexed")
    window.choose("Index this folder")
    window.ready()
