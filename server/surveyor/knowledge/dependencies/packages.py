"""What a dependency is: an ecosystem's package in one version, at one place on disk."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

Ecosystem = Literal["python", "npm", "cargo", "go"]
ECOSYSTEMS: tuple[Ecosystem, ...] = ("python", "npm", "cargo", "go")


@dataclass(frozen=True, slots=True)
class Package:
    """An installed package. `root` is its folder; for Python, the site-packages folder."""

    ecosystem: Ecosystem
    name: str
    version: str
    root: Path

    @property
    def key(self) -> str:
        """`python.requests@2.32.5`: the same on every project, so that it is read once."""
        return f"{self.ecosystem}.{self.name}@{self.version}"


def normalised(name: str) -> str:
    """A Python package's name in the form in which names are compared (PEP 503)."""
    return re.sub(r"[-_.]+", "-", name).lower()
