"""What a page of the web says beside its text, and whether there is what reads one."""

from __future__ import annotations

import importlib.util
import sys

import msgspec

from surveyor.errors import SurveyorError

__all__ = ["PageFacts", "check_installed"]


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
    if importlib.util.find_spec("trafilatura") is None:
        raise SurveyorError(
            "reading pages of the web needs trafilatura, which is not installed",
            f'Install it: `{sys.executable} -m pip install "surveyor[web]"`, or'
            f' `{sys.executable} -m pip install "trafilatura>=2,<3"`.',
        )
