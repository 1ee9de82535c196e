"""The pages agree with the house: links lead somewhere, the picture has only allowed arrows."""

import re
from pathlib import Path

import pytest

from tests.test_structure import MAY_IMPORT

ROOT = Path(__file__).parents[1]
PAGES = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md"))]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_to_files(page: Path) -> None:
    targets = re.findall(r"\]\(([^)#\s]+)[^)]*\)", page.read_text(encoding="utf-8"))
    missing = [
        target for target in targets if "://" not in target and not (page.parent / target).exists()
    ]
    assert missing == []


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
