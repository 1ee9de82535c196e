"""C, C++ and CUDA."""

from __future__ import annotations

__all__ = ["LANGUAGES"]

LANGUAGES = ("c", "cpp", "cuda")
