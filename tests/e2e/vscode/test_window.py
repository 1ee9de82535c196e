"""The packaged extension in a real window: what a person sees and types."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect
from tests.e2e.conftest import Home
from tests.e2e.vscode.conftest import Server, Workbench, open_window

SIGNER = "src/itsdangerous/signer.py"


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


def picture(window: Workbench, name: str) -> None:
    """Keep a screenshot where SURVEYOR_E2E_PICTURES says; that is how docs/images are made."""
    folder = os.environ.get("SURVEYOR_E2E_PICTURES")
    if folder:
        window.page.wait_for_timeout(500)
        window.page.screenshot(path=str(Path(folder) / f"{name}.png"))


def line_of(project: Path, text: str) -> int:
    lines = (project / SIGNER).read_text().splitlines()
    return next(n for n, line in enumerate(lines, 1) if text in line)


def test_the_status_item_counts_files_and_opens_the_menu(window: Workbench) -> None:
    window.status.click()
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
        window.input.fill(entry)
        expect(window.rows.filter(has_text=entry).first).to_be_visible()
    window.input.fill("")
    picture(window, "vscode-status")


def test_a_search_by_meaning_ends_in_the_open_file(window: Workbench) -> None:
    window.search("check whether a signature is too old")
    row = window.rows.filter(has_text="timed.py").first
    expect(row).to_be_visible()
    place = re.search(r"timed\.py:(\d+)", row.inner_text())
    assert place
    # Move to it: the preview opens behind the list, the list keeps the focus.
    for _ in range(20):
        if "timed.py" in window.quick_input.locator(".monaco-list-row.focused").inner_text():
            break
        window.key("ArrowDown")
    window.key("ArrowDown", "ArrowUp")
    expect(window.active_tab).to_contain_text("timed.py")
    picture(window, "vscode-search")
    window.key("Enter")
    expect(window.active_tab).to_contain_text("timed.py")
    expect(window.current_line).to_contain_text(f"Ln {place[1]},")


def test_escape_puts_the_editor_back(window: Workbench) -> None:
    window.open_file(SIGNER, 20)
    expect(window.current_line).to_contain_text("Ln 20,")
    window.search("serialize json compactly")
    window.key("ArrowDown", "ArrowDown")
    expect(window.active_tab).not_to_contain_text("signer.py")
    window.key("Escape")
    expect(window.active_tab).to_contain_text("signer.py")
    expect(window.current_line).to_contain_text("Ln 20,")


def test_a_query_is_in_the_history(window: Workbench) -> None:
    window.key("Control+Alt+m")
    expect(window.input).to_be_focused()
    expect(window.rows.filter(has_text="check whether a signature is too old")).to_be_visible()


def test_filters_narrow_down(window: Workbench) -> None:
    window.search("path:tests/** bad signature")
    expect(window.rows.filter(has_text="tests/").first).to_be_visible()
    expect(window.rows.filter(has_text="src/")).to_have_count(0)


def test_the_search_view_shows_files_hits_and_snippets(window: Workbench) -> None:
    window.run("Surveyor: Search by Meaning in the Search View")
    window.answer("derive a key from the secret")
    window.key("Enter")
    view = window.page.locator(".pane", has_text=re.compile("search by meaning", re.I)).first
    expect(view.locator(".monaco-list-row", has_text="signer.py").first).to_be_visible()
    expect(view.locator(".monaco-list-row", has_text="derive_key").first).to_be_visible()
    picture(window, "vscode-search-view")


def test_impact_is_a_tree_with_tests_marked(window: Workbench, project: Path) -> None:
    line = line_of(project, "def get_signature(self, value: ")
    window.open_file(SIGNER, line)
    expect(window.current_line).to_contain_text(f"Ln {line},")
    window.key("Home")
    for _ in range(6):
        window.key("ArrowRight")
    window.run("Surveyor: Show Impact of Symbol")
    view = window.page.locator(
        ".pane", has_text=re.compile("impact of .*get_signature", re.I)
    ).first
    expect(view).to_be_visible()
    expect(view.locator(".monaco-list-row", has_text="Uses it directly")).to_be_visible()
    expect(view.locator(".monaco-list-row .codicon-beaker").first).to_be_visible()
    picture(window, "vscode-impact")


def test_a_hover_shows_both_sections(window: Workbench, project: Path) -> None:
    line = line_of(project, "def get_signature(self, value: ")
    window.open_file(SIGNER, line)
    expect(window.current_line).to_contain_text(f"Ln {line},")
    window.key("Home")
    for _ in range(6):
        window.key("ArrowRight")
    hover = window.page.locator(".monaco-hover:visible", has_text="Returns the signature").first
    ours = hover.get_by_text(re.compile(r"Used \d+ times|Similar:|Last change")).first
    for _ in range(5):  # the first one may come before the language server is ready
        window.key("Control+k", "Control+i")
        try:
            expect(ours).to_be_visible(timeout=4000)
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
    window.run("Surveyor: Find Similar Code")
    expect(window.rows.filter(has_text=re.compile(r"\.py:\d+")).first).to_be_visible()


def test_remembering_adds_a_rule_to_the_view(window: Workbench, project: Path) -> None:
    line = line_of(project, "def derive_key")
    window.open_file(SIGNER, line)
    window.run("Surveyor: Remember This")
    window.answer("Keys are never logged")
    window.key("Enter")
    expect(window.rows.filter(has_text="This project")).to_be_visible()
    window.key("Enter")
    expect(window.input).to_have_value("keys-are-never-logged")
    window.key("Enter")
    window.run("Surveyor: Focus on Rules View")
    expect(
        window.page.locator(".pane .monaco-list-row", has_text="keys-are-never-logged").first
    ).to_be_visible()


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
    home.run("reindex", str(project), "--clean")
    window.page.wait_for_function("() => window.seen.some((label) => /ndexing|behind/.test(label))")
    window.ready()
