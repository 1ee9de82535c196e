"""A window with two folders, and the themes and the walkthrough that every window has."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect
from tests.e2e.conftest import Home
from tests.e2e.vscode.conftest import (
    SEARCH_BOX,
    STATUS_MENU,
    Server,
    Workbench,
    open_window,
    picture,
)


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


CONTRASTS = """(view) => {
  const parsed = (colour) => {
    const numbers = colour.match(/[\\d.]+/g).map(Number);
    const scale = colour.startsWith("color(") ? 255 : 1;
    return [...numbers.slice(0, 3).map((one) => one * scale), numbers[3] ?? 1];
  };
  const over = ([r, g, b, a], below) =>
    [r, g, b].map((one, at) => one * a + below[at] * (1 - a));
  const ancestors = (node) => (node ? [...ancestors(node.parentElement), node] : []);
  const luminance = (colour) => {
    const [r, g, b] = colour.map((one) => {
      const part = one / 255;
      return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const texts = ".label-name, .label-description, .pane-header .title, .message";
  return [...view.querySelectorAll(texts)].filter((label) => label.textContent).map((label) => {
    const chain = ancestors(label).map((node) => getComputedStyle(node));
    const colours = chain.map((style) => parsed(style.backgroundColor));
    const behind = colours.reduce((below, colour) => over(colour, below), [255, 255, 255]);
    const opacity = chain.reduce((all, s) => all * Number(s.opacity), 1);
    const [r, g, b, a] = parsed(chain.at(-1).color);
    const both = [luminance(over([r, g, b, a * opacity], behind)), luminance(behind)];
    return [(Math.max(...both) + 0.05) / (Math.min(...both) + 0.05), label.textContent];
  });
}"""
"""The contrast of each text in a view, as WCAG counts it, with the text."""
WCAG_AA = 4.5
"""Descriptions have seven tenths of the colour in every tree of VS Code: 5.5 in the light theme."""


@pytest.mark.parametrize("theme", ["Default High Contrast", "Default High Contrast Light"])
def test_the_trees_are_readable_in_high_contrast_and_at_double_size(
    window: Workbench, theme: str
) -> None:
    window.server.configure(workbench__colorTheme=theme)
    kind = "hc-light" if theme.endswith("Light") else "hc-black"
    expect(window.page.locator(f".monaco-workbench.{kind}")).to_be_visible()
    title = "Surveyor: Search by Meaning in the Search View"
    query = "derive a key from the secret"
    window.open(lambda: window.run(title), SEARCH_BOX, query).press("Enter")
    view = window.pane("search by meaning")
    expect(view.locator(".monaco-list-row", has_text="derive_key").first).to_be_visible()
    found = view.evaluate(CONTRASTS)
    assert len(found) > 5
    assert min(found)[0] >= WCAG_AA, min(found)
    # A browser that is zoomed to 200 % has half as many of its pixels.
    window.page.set_viewport_size({"width": 640, "height": 400})
    try:
        view.locator(".monaco-list").focus()
        window.key("Home", "End")
        focused = view.locator(".monaco-list-row.focused")
        expect(focused).to_be_in_viewport(ratio=1)
        picture(window, f"vscode-{kind}-zoomed")
    finally:
        window.page.set_viewport_size({"width": 1280, "height": 800})
