"""Zig."""

from __future__ import annotations

__all__ = ["LANGUAGES"]

LANGUAGES = ("zig",)
