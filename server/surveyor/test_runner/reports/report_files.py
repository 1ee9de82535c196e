"""Reports as files: the tests that a runner runs may have written anything in their place."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from xml.etree import ElementTree
from xml.parsers import expat

import msgspec

from surveyor.files.safe_read import read_bytes

__all__ = ["MAX_REPORT_BYTES", "mappings", "number", "read_json", "read_xml", "texts"]

MAX_REPORT_BYTES = 64 << 20


class _EntityError(Exception):
    """Raised for a report that defines entities: a short one expands to gigabytes."""


def read_xml(file: Path) -> ElementTree.Element | None:
    """The root of a report; None for what is missing, is no regular file or is no such report.

    A namespace stands before a tag, parted from it by `}`.
    """
    builder = ElementTree.TreeBuilder()
    parser = expat.ParserCreate(namespace_separator="}")
    parser.buffer_text = True
    parser.StartElementHandler = builder.start
    parser.EndElementHandler = builder.end
    parser.CharacterDataHandler = builder.data
    parser.EntityDeclHandler = _refuse_entity
    try:
        parser.Parse(read_bytes(file, MAX_REPORT_BYTES), True)
        return builder.close()
    except (expat.ExpatError, OSError, LookupError, ValueError, _EntityError):
        return None


def _refuse_entity(*_: object) -> None:
    raise _EntityError


def read_json(file: Path) -> dict[str, Any] | None:
    """A report's object; None for what is missing, is no regular file or is no object."""
    try:
        found = msgspec.json.decode(read_bytes(file, MAX_REPORT_BYTES))
    except (OSError, msgspec.DecodeError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def mappings(value: Any) -> list[dict[str, Any]]:
    """The objects in a list, where it is one."""
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


def texts(value: Any) -> list[str]:
    """The strings in a list, where it is one."""
    return [each for each in value if isinstance(each, str)] if isinstance(value, list) else []


def number(value: Any) -> int:
    """A line as JSON or XML have it; 0 for what is none."""
    try:
        return max(0, int(value or 0))
    except (ValueError, TypeError, OverflowError):
        return 0
