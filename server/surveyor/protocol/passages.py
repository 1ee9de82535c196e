"""What only agents ask of the engine: what matches metadata, without ranking, and documents."""

from __future__ import annotations

from typing import Any, ClassVar

from surveyor.protocol.base import Request
from surveyor.protocol.search import SearchResponse, TextRequest


class ChunksRequest(Request[SearchResponse], kw_only=True):
    """Chunks that match filters, by path and line."""

    operation: ClassVar[str] = "chunks"
    answer: ClassVar[type[Any]] = SearchResponse

    cwd: str | None = None
    project: str | None = None
    branch: str | None = None
    """A branch name, or `*` for all known ones; `None` is what is on disk."""
    paths: list[str] = []
    languages: list[str] = []
    types: list[str] = []
    kinds: list[str] = []
    limit: int = 10
    offset: int = 0
    token_budget: int | None = None


class PassagesRequest(Request[SearchResponse], kw_only=True):
    """Rules and pieces of documents with a tag, a label or of a library, by name and place."""

    operation: ClassVar[str] = "passages"
    answer: ClassVar[type[Any]] = SearchResponse

    cwd: str | None = None
    project: str | None = None
    tags: list[str] = []
    """Tags of rules, topics of documents; any of them."""
    labels: list[str] = []
    libraries: list[str] = []
    """Libraries, or dotted prefixes of names in them."""
    limit: int = 10
    offset: int = 0
    token_budget: int | None = None


class PassageRequest(TextRequest, kw_only=True):
    """A rule, a piece of a document or a commit by its id; or a whole document by its name.

    Its path is a document's dotted name, file or address, as search results show it.
    """

    operation: ClassVar[str] = "passage"
