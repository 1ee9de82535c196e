"""A window with two folders, and the themes and the walkthrough that every window has."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect
from tests.e2e.conftest import Home
from tests.e2e.vscode.conftest import STATUS_MENU, Server, Workbench, open_window, picture


@pytest.fixture(scope="module")
def window(browser: Browser, server: Server, project: Path, home: Home) -> Iterator[Workbench]:
    second = home.folder / "code" / "ledgers"
    second.mkdir()
    (second / "ledger.py").write_text("def quokka_ledger(pages):\n    return len(pages)\n")
    workspace = home.folder / "both.code-workspace"
    folders = [{"path": str(project)}, {"path": str(second)}]
    workspace.write_text(json.dumps({"folders": folders, "settings": {}}))
    window = open_window(browser, server, workspace)
    window.ready()
    yield window
    window.page.close()


def test_both_folders_are_indexed_and_searched(window: Workbench) -> None:
    expect(window.said("Surveyor")).to_have_count(0)  # nothing but the quiet status item

    def both(timeout: float) -> None:
        for folder in ("signing", "ledgers"):
            shown = window.rows.filter(has_text=f"/{folder}").first
            expect(shown).to_be_visible(timeout=timeout)

    window.open(window.status.click, STATUS_MENU, shows=both)
    window.key("Escape")
    window.search("quokka_ledger")
    expect(window.rows.filter(has_text="ledger.py:1").first).to_be_visible()
    window.key("Escape")
    window.search("check whether a signature is too old")
    expect(window.rows.filter(has_text="timed.py").first).to_be_visible()
    window.key("Escape")


def test_a_search_keeps_to_the_active_file_s_folder_until_told_otherwise(
    window: Workbench,
) -> None:
    window.open_file("ledger.py")
    window.search("check whether a signature is too old")
    expect(window.rows.filter(has_text="timed.py")).to_have_count(0)
    window.quick_input.get_by_role("button", name=re.compile("search all folders")).click()
    expect(window.rows.filter(has_text="timed.py").first).to_be_visible()
    window.key("Escape")


def test_an_engine_that_ends_is_said_by_the_status_alone_and_comes_back(
    window: Workbench, home: Home
) -> None:
    home.run("engine", "stop")
    expect(window.status).to_have_attribute("aria-label", re.compile("The engine is down: "))
    window.ready()
    expect(window.said("engine")).to_have_count(0)


def test_the_walkthrough_has_four_steps(window: Workbench) -> None:
    window.run("Surveyor: Open Walkthrough")
    steps = window.page.locator(".gettingStartedContainer .step-title")
    expect(steps).to_have_text(
        [
            "Find or install the server",
            "Search by meaning",
            "See what depends on a symbol",
            "Give your agent the same map",
        ]
    )
    first = window.page.locator(".gettingStartedContainer .getting-started-step").first
    # A server was found before the walkthrough was opened for the first time.
    expect(first.locator(".codicon-getting-started-step-checked")).to_be_visible()
    picture(window, "vscode-walkthrough")


@pytest.mark.parametrize(
    ("name", "theme"),
    [
        ("light", "Default Light Modern"),
        ("contrast", "Default High Contrast"),
        ("contrast-light", "Default High Contrast Light"),
    ],
)
def test_the_views_are_readable_in_every_theme(window: Workbench, name: str, theme: str) -> None:
    window.server.configure(workbench__colorTheme=theme)
    kind = {"light": "vs", "contrast": "hc-black", "contrast-light": "hc-light"}[name]
    expect(window.page.locator(f".monaco-workbench.{kind}")).to_be_visible()
    window.search("derive a key from the secret")
    row = window.rows.filter(has_text="derive_key").first
    expect(row).to_be_visible()
    # The row has a name for a screen reader, and text that differs from what is behind it.
    expect(row).to_have_attribute("aria-label", re.compile(r"derive_key.*signer\.py:\d+"))
    colours = row.locator(".monaco-highlighted-label").first.evaluate(
        """(label) => {
          const behind = (node) => {
            const colour = getComputedStyle(node).backgroundColor;
            return colour !== "rgba(0, 0, 0, 0)" || !node.parentElement
              ? colour : behind(node.parentElement);
          };
          return [getComputedStyle(label).color, behind(label)];
        }"""
    )
    assert colours[0] != colours[1]
    picture(window, f"vscode-{name}")
    window.key("Escape")
