"""What the pages tell a newcomer to type: taken from the pages, so that they are what is tried."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]


def commands(after: str, page: str = "README.md") -> str:
    """The first block of shell commands below a piece of text of a page."""
    text = (ROOT / page).read_text("utf-8")
    assert after in text, f"{page} says nothing of {after!r}"
    found = re.search(r"^```sh\n(.*?)^```", text.partition(after)[2], re.MULTILINE | re.DOTALL)
    assert found, f"{page} has no commands below {after!r}"
    return found[1]


def said(pattern: str, page: str = "README.md") -> str:
    """What a page says to type, by a regular expression with one group."""
    found = re.search(pattern, (ROOT / page).read_text("utf-8"))
    assert found, f"{page} does not say {pattern!r}"
    return found[1]
