"""JavaScript and TypeScript."""

from __future__ import annotations

__all__ = ["LANGUAGES"]

LANGUAGES = ("javascript", "typescript", "tsx")
