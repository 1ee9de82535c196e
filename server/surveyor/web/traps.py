"""What looks like pages and never ends: calendars, sorted tables, folders within themselves."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field

from surveyor.web.addresses import PageAddress

__all__ = ["TrapGuard"]

MAX_SEGMENTS = 20
MAX_REPEATS = 2
"""How often a name may stand in a path: `a/b/a/b/a/b` is a folder that leads into itself."""
MAX_QUERIES = 30
"""Addresses of one path that differ in their queries."""
MAX_NUMBERED = 300
"""Addresses that differ in numbers alone, as the days of a calendar do."""
_NUMBER = re.compile(r"\d+")


@dataclass(slots=True)
class TrapGuard:
    """Counts what was taken, by its shape."""

    _queries: Counter[str] = field(default_factory=Counter)
    _numbered: Counter[str] = field(default_factory=Counter)

    def refusal(self, address: PageAddress) -> str:
        """Why an address is not worth asking for; empty where it is, and then it counts."""
        segments = [each for each in address.path.split("/") if each]
        if len(segments) > MAX_SEGMENTS:
            return "with a path without end"
        if segments and max(Counter(segments).values()) > MAX_REPEATS:
            return "with a path that repeats itself"
        if address.query and self._queries[address.path] >= MAX_QUERIES:
            return f"beyond {MAX_QUERIES} queries of one page"
        shape = _NUMBER.sub("#", f"{address.path}?{address.query}")
        if "#" in shape and self._numbered[shape] >= MAX_NUMBERED:
            return f"beyond {MAX_NUMBERED} that differ in numbers alone"
        if address.query:
            self._queries[address.path] += 1
        if "#" in shape:
            self._numbered[shape] += 1
        return ""
