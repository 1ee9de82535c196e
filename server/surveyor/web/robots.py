"""A site's robots.txt (RFC 9309): what may be fetched, and how slowly."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import lru_cache

__all__ = ["AGENT", "MAX_ROBOTS_BYTES", "RobotRules", "parse_robots"]

AGENT = "surveyor"
"""What robots.txt calls us by."""
MAX_ROBOTS_BYTES = 500 << 10
MAX_RULES = 5000


@dataclass(slots=True)
class RobotRules:
    """The rules of one site for us. Without any, everything may be fetched."""

    rules: list[tuple[str, bool]] = field(default_factory=list)
    """Patterns of paths, and whether they allow."""
    delay_s: float = 0.0

    def allows(self, path: str) -> bool:
        """Whether a path with its query may be fetched: the longest pattern says; of two that are
        as long the one that allows."""
        if path == "/robots.txt":
            return True
        best = (-1, True)
        for pattern, is_allowed in self.rules:
            if _compiled(pattern).match(path):
                best = max(best, (len(pattern), is_allowed))
        return best[1]


FORBIDDEN = RobotRules([("/", False)])
"""What counts where robots.txt cannot be had: nothing may be fetched until it can."""


@lru_cache(maxsize=MAX_RULES)
def _compiled(pattern: str) -> re.Pattern[str]:
    """`*` is anything, `$` at the end the end. What a wildcard took is not given back: a pattern
    costs no more than the path is long, and the first place where the rest fits is enough."""
    has_end = pattern.endswith("$")
    first, *others = map(re.escape, pattern.removesuffix("$").split("*"))
    if not has_end:
        return re.compile(first + "".join(f"(?>.*?{each})" for each in others), re.DOTALL)
    last = f".*{others.pop()}" if others else ""
    return re.compile(first + "".join(f"(?>.*?{each})" for each in others) + f"{last}$", re.DOTALL)


def parse_robots(text: str) -> RobotRules:
    """The rules of the groups that name us; of those for all where none does."""
    ours, everyones = RobotRules(), RobotRules()
    groups: list[RobotRules] = []
    is_named, in_heads = False, False
    for line in text.lstrip("\ufeff").splitlines():
        name, colon, value = line.partition("#")[0].partition(":")
        name, value = name.strip().lower(), value.strip()
        if not colon:
            continue
        if name == "user-agent":
            if not in_heads:
                groups = []
            in_heads = True
            if value == "*":
                groups.append(everyones)
            elif value.lower().partition("/")[0] == AGENT:
                groups.append(ours)
                is_named = True
            continue
        if name not in ("allow", "disallow", "crawl-delay"):
            continue  # a sitemap stands anywhere, and ends no group
        in_heads = False
        for group in groups:
            _add(group, name, value)
    return ours if is_named else everyones


def _add(group: RobotRules, name: str, value: str) -> None:
    if name == "crawl-delay":
        try:
            group.delay_s = max(0.0, float(value))
        except ValueError:
            return
    elif value and len(group.rules) < MAX_RULES:
        pattern = value if value.startswith(("/", "*")) else f"/{value}"
        group.rules.append((re.sub(r"\*{2,}", "*", pattern), name == "allow"))
