"""One question about one checkout: what a name in it means, and how fresh the answer is."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from surveyor.errors import NotFoundError
from surveyor.files.inside import read_below
from surveyor.graph.queries.items import Lines
from surveyor.graph.queries.lookup import Node, Stored
from surveyor.graph.queries.names import Meant, find, find_at, find_file
from surveyor.parsing.languages import language_of
from surveyor.protocol.base import Freshness
from surveyor.protocol.graph import GraphRequest

if TYPE_CHECKING:
    from surveyor.engine.projects.registry import Checkout
    from surveyor.graph.service import GraphService

__all__ = ["Asking"]

F = TypeVar("F", bound=Freshness)


class Asking:
    """One question about one checkout, while it is answered."""

    def __init__(self, service: GraphService, checkout: Checkout, *, pending: bool) -> None:
        self.service, self.checkout = service, checkout
        self.pending = pending
        self.outdated = ""
        """The server whose stored answer is not true any more, if there is one."""
        self.started = time.perf_counter()
        self.stored = Stored(service.engine.state, checkout.checkout_id)
        buffers = {
            overlay.path: text[0]
            for overlay in service.engine.overlays.of(checkout.checkout_id)
            if (text := service.engine.overlays.text(checkout.checkout_id, overlay.path))
        }
        self.lines = Lines(checkout.root, buffers)

    async def meant(self, request: GraphRequest) -> Meant:
        """What a request is about."""
        return await self.named(request.name, request.path, request.line, request.column)

    async def named(
        self, name: str, path: str | None, line: int | None, column: int | None
    ) -> Meant:
        """A symbol by name or by position; a file by its path.

        Raises:
            NotFoundError: there is none; or none yet, while the graph is being made.
        """
        try:
            return await self._named(name, path, line, column)
        except NotFoundError as error:
            if not self.pending:
                fresh = await self.service.engine.freshness(self.checkout)
                if fresh.status != "indexing":
                    raise
            raise NotFoundError(
                f"{error.message} so far: the graph of {self.checkout.root} is still being made",
                "Ask again in a moment; searches answer meanwhile.",
            ) from error

    async def _named(
        self, name: str, path: str | None, line: int | None, column: int | None
    ) -> Meant:
        if path is not None:
            found = await find_file(self.stored, self.relative(path))
            if found is None:
                raise NotFoundError(
                    f"{path} is not in the index of {self.checkout.root}",
                    "`surveyor status --skipped` says which files are left out, and why.",
                )
            if line is not None:
                return await find_at(self.stored, found, line, column)
            if name:
                return await find(self.stored, f"{found}:{name}")
            return Meant([await self.file(found)])
        file = await find_file(self.stored, self.relative(name)) if "." in name else None
        if file is not None:
            return Meant([await self.file(file)])
        return await find(self.stored, name)

    def relative(self, path: str) -> str:
        """A path from the root."""
        root = self.checkout.root.rstrip("/") + "/"
        return path.removeprefix(root)

    async def file(self, path: str) -> Node:
        """The node of an indexed file."""
        node = await self.stored.file(path)
        if node is None:
            raise NotFoundError(
                f"{path} has no graph",
                "Its language has no references query, or it is not indexed yet.",
            )
        return node

    async def freshen(self, answer: F) -> F:
        """Fill in how fresh the answer is."""
        fresh = await self.service.engine.freshness(self.checkout)
        for name in Freshness.__struct_fields__:
            setattr(answer, name, getattr(fresh, name))
        if self.pending and answer.status == "healthy":
            answer.status, answer.reason = "indexing", "graph"
            answer.message = "Edges are being resolved."
        return answer

    def with_hint_problems(self, notice: str | None) -> str | None:
        """A notice, and what is wrong in the files that say what imports mean."""
        from surveyor.graph.resolve.hints import IMPORT_MAP, IMPORT_TRACES, Hints

        texts: list[str | None] = []
        for name in (IMPORT_MAP, IMPORT_TRACES):
            try:
                data = read_below(Path(self.checkout.root), name)
                texts.append(data.decode("utf-8", "replace"))
            except OSError:
                texts.append(None)
        problems = Hints.read(texts[0], texts[1], ()).problems if any(texts) else []
        return "; ".join([*([notice] if notice else []), *problems[:3]]) or None

    def took_ms(self) -> float:
        """Milliseconds so far."""
        return round((time.perf_counter() - self.started) * 1000, 2)


def uses_unread(path: str) -> str | None:
    """Said of an empty answer where nothing is known of who uses what in a file's language."""
    language = language_of(path)
    if language is None or language.layout != "code" or language.query_files("references.scm"):
        return None
    return (
        f"Uses in {language.title} are not followed, only definitions:"
        " a search for the name in keyword mode finds where it is said"
    )
