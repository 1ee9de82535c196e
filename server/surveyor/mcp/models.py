"""What only agents ask of the engine: chunks by metadata, without ranking."""

from __future__ import annotations

from typing import Any, ClassVar

from surveyor.models import Request, SearchResponse


class ChunksRequest(Request[SearchResponse], kw_only=True):
    """Chunks that match filters, by path and line."""

    operation: ClassVar[str] = "chunks"
    answer: ClassVar[type[Any]] = SearchResponse

    cwd: str | None = None
    project: str | None = None
    branch: str | None = None
    paths: list[str] = []
    languages: list[str] = []
    types: list[str] = []
    kinds: list[str] = []
    tags: list[str] = []
    limit: int = 10
    offset: int = 0
    token_budget: int | None = None
