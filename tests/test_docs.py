"""The pages agree with the house: links lead somewhere, the picture has only allowed arrows."""

import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from xml.etree import ElementTree

import pytest

import surveyor
from tests.e2e.first_use import film
from tests.test_structure import MAY_IMPORT

ROOT = Path(__file__).parents[1]
PAGES = [*sorted(ROOT.glob("*.md")), ROOT / "llms.txt", *sorted((ROOT / "docs").rglob("*.md"))]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_to_files(page: Path) -> None:
    targets = re.findall(r"\]\(([^)#\s]+)[^)]*\)", page.read_text(encoding="utf-8"))
    missing = [
        target for target in targets if "://" not in target and not (page.parent / target).exists()
    ]
    assert missing == []


def _slugs(page: Path) -> set[str]:
    """Anchors of a page's headings, as GitHub and mkdocs make them."""
    text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.M | re.S)
    headings = re.findall(r"^#+ (.+)$", text, re.M)
    plain = (re.sub(r"[^\w\- ]", "", each).strip().lower() for each in headings)
    return {each.replace(" ", "-") for each in plain}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_anchors_lead_to_headings(page: Path) -> None:
    targets = re.findall(r"\]\(([^)#\s]*\.md)?#([^)\s]+)\)", page.read_text(encoding="utf-8"))
    missing = [
        f"{file}#{anchor}"
        for file, anchor in targets
        if "://" not in file and anchor not in _slugs(page.parent / file if file else page)
    ]
    assert missing == []


def test_the_site_is_built_without_a_warning(tmp_path: Path) -> None:
    pytest.importorskip("mkdocs")
    done = subprocess.run(
        [sys.executable, ROOT / "scripts" / "site.py", tmp_path],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (done.returncode, re.findall("WARNING.*", done.stderr)) == (0, [])
    home = (tmp_path / "index.html").read_text("utf-8")
    assert 'href="docs/mcp/"' in home and (tmp_path / "docs/images/vscode-search.png").is_file()
    assert re.findall(r'(?:<script[^>]* src|<link[^>]* href)="(?:https?:)?//', home) == []


def test_the_moving_picture_is_what_its_script_plays_and_can_be_heard() -> None:
    file = ROOT / "docs" / "images" / "main-job.svg"
    text = file.read_text("utf-8")
    assert len(text) < 500_000 and "(docs/images/main-job.svg)" in (ROOT / "README.md").read_text(
        "utf-8"
    )
    root = ElementTree.fromstring(text)
    space = "{http://www.w3.org/2000/svg}"
    assert root.findtext(f"{space}title") == film.TITLE
    assert root.findtext(f"{space}desc") == " ".join(told for *_, told in film.SCENES)
    assert re.findall(r"https?://(?!www\.w3\.org/2000/svg)|@import|href|<script", text) == []
    screens = ["".join(screen.itertext()) for screen in root.iter(f"{space}g") if screen.get("id")]
    for command, answer, *_ in film.SCENES:
        asked = [screen for screen in screens if f"$ {command}" in screen]
        assert len(asked) > 1 and answer.strip("^") in asked[-1]


def test_the_picture_of_packages_has_only_arrows_that_are_allowed() -> None:
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    picture = page.split("```mermaid")[2].partition("```")[0]
    names = {"app": "engine", "rgraph": "graph"}
    arrows = [
        (names.get(start, start), names.get(end, end))
        for start, end in re.findall(r"^ *(\w+)\S* --> (\w+)", picture, re.MULTILINE)
        if "roots" not in (start, end)
    ]
    wrong = [(start, end) for start, end in arrows if end not in MAY_IMPORT[start] | {start}]
    assert arrows and wrong == []


def test_the_table_of_packages_is_whole() -> None:
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    described = set(re.findall(r"^\| `(\w+)[/.]", page, re.MULTILINE))
    assert described == MAY_IMPORT.keys() - {"__main__"}


def test_the_version_is_one_everywhere_and_the_registry_finds_the_readme() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    server = json.loads((ROOT / "server.json").read_text("utf-8"))
    (package,) = server["packages"]
    extension = json.loads((ROOT / "clients/vscode/package.json").read_text("utf-8"))
    locked = json.loads((ROOT / "clients/vscode/package-lock.json").read_text("utf-8"))
    agents = ROOT / "clients/agents"
    plugin = json.loads((agents / "claude-code/.claude-plugin/plugin.json").read_text("utf-8"))
    market = json.loads((agents / ".claude-plugin/marketplace.json").read_text("utf-8"))
    zed = ROOT / "clients/zed"
    emacs = (ROOT / "clients/emacs/surveyor.el").read_text("utf-8")
    versions = {
        tomllib.loads((zed / "extension.toml").read_text("utf-8"))["version"],
        tomllib.loads((zed / "Cargo.toml").read_text("utf-8"))["package"]["version"],
        *re.findall(r"^;; Version: (.+)$", emacs, re.MULTILINE),
        plugin["version"],
        market["plugins"][0]["version"],
        server["version"],
        package["version"],
        extension["version"],
        locked["version"],
    }
    assert versions == {project["version"]} == {surveyor.__version__}
    assert package["identifier"] == project["name"]
    assert f"<!-- mcp-name: {server['name']} -->" in (ROOT / "README.md").read_text("utf-8")
    assert len(server["description"]) <= 100
    assert package["packageArguments"] == [{"type": "positional", "value": "mcp"}]
