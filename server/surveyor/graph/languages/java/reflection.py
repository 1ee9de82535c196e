"""How the languages of the JVM reach members by names that are computed."""

from __future__ import annotations

__all__ = ["REFLECTION"]

REFLECTION = r"\bget(?:Declared)?Method\b|\bMethodHandles\b|\bfindVirtual\b"
