"""What a page of the web says beside its text, and whether there is what reads one."""

from __future__ import annotations

import importlib.util
import sys

import msgspec

from surveyor.errors import SurveyorError

__all__ = ["PageFacts", "check_installed"]

NEEDED = {"trafilatura": "trafilatura>=2,<3", "lxml_html_clean": "lxml-html-clean>=0.4"}
"""Modules and what installs them: the second comes with the first by pip from 23.3 on, and without
it the first cannot be imported."""


class PageFacts(msgspec.Struct):
    """What a page says beside its text."""

    links: list[str] = []
    """As they are written, or made whole where the page has a base of its own."""
    canonical: str = ""
    """The address that the page wants to be known by."""
    is_indexed: bool = True
    """False where it asks that nobody keeps it."""
    is_followed: bool = True
    """False where it asks that nobody follows its links."""


def check_installed() -> None:
    """Raises `SurveyorError` with the command that helps, where what reads pages is missing."""
    missing = [name for name in NEEDED if importlib.util.find_spec(name) is None]
    if missing:
        wanted = " ".join(f'"{NEEDED[name]}"' for name in missing)
        raise SurveyorError(
            f"reading pages of the web needs {' and '.join(missing)}, not installed here",
            f'Install it: `{sys.executable} -m pip install "surveyor[web]"`, or'
            f" `{sys.executable} -m pip install {wanted}`.",
        )
