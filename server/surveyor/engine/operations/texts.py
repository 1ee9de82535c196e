"""Reading text: a chunk by its id, a file or a range of it by its path."""

from __future__ import annotations

import asyncio
from pathlib import Path

from surveyor.engine.index.unsaved_buffers import EditorBuffers
from surveyor.engine.operations import Caller, operation
from surveyor.engine.operations.engine_callables import FreshnessOf, ResolveCheckout
from surveyor.engine.projects.checkouts import Checkout
from surveyor.engine.projects.registry import ProjectRegistry
from surveyor.errors import NotFoundError, UsageError
from surveyor.files.contained_paths import below, read_below, shown
from surveyor.files.similar_paths import similar_paths
from surveyor.protocol.search import RetrieveRequest, RetrieveResponse
from surveyor.secrets import mask_bytes
from surveyor.store.state import State
from surveyor.store.state.chunk_rows import (
    BranchFile,
    branch_chunk,
    branch_file,
    chunk_place,
    document_text,
)
from surveyor.store.state.files import file_state, indexed_paths
from surveyor.units import counted


class IndexedTexts:
    """The texts of indexed files, as they are in the editor or on disk."""

    def __init__(self, state: State, editor_buffers: EditorBuffers, freshness: FreshnessOf) -> None:
        self._state = state
        self._editor_buffers = editor_buffers
        self._freshness = freshness

    async def read(self, checkout: Checkout, path: str) -> tuple[str, int | None]:
        """An indexed file's text: the unsaved buffer, else what is on disk.

        Raises `NotFoundError` for what the index does not hold: secrets and ignored files are not
        read for anybody.
        """
        buffer = self._editor_buffers.text(checkout.checkout_id, path)
        if buffer is not None:
            return buffer
        known = await file_state(self._state, checkout.checkout_id, path)
        if known is None or known.status != "indexed":
            why, hint = "", "See `surveyor status --skipped` for what is not."
            if known is not None and known.reason:
                why = f" ({known.reason})"
            elif (await self._freshness(checkout)).status == "indexing":
                why, hint = " so far: it is still being made", "Ask again in a moment."
            error = NotFoundError(f"{shown(path)} is not in the index{why}", hint)
            error.details["near"] = await self.near(checkout, path)
            raise error
        try:
            data = await asyncio.to_thread(read_below, Path(checkout.root), path)
        except OSError as error:
            raise NotFoundError(
                f"{path} cannot be read: {error.strerror}", "It may have changed: search again."
            ) from error
        # A key in the middle of code is shown to nobody either.
        return mask_bytes(data, path).decode("utf-8-sig", errors="replace"), None

    async def near(self, checkout: Checkout, path: str) -> list[str]:
        """Indexed files that may have been meant."""
        return similar_paths(path, await indexed_paths(self._state, checkout.checkout_id))


class TextOperations:
    """Reading text: a chunk by its id, a file or a range of it by its path."""

    def __init__(
        self,
        state: State,
        resolve: ResolveCheckout,
        freshness: FreshnessOf,
        projects: ProjectRegistry,
        editor_buffers: EditorBuffers,
        texts: IndexedTexts,
    ) -> None:
        self._state = state
        self._resolve = resolve
        self._freshness = freshness
        self._projects = projects
        self._editor_buffers = editor_buffers
        self._texts = texts

    @operation(RetrieveRequest)
    async def retrieve(self, request: RetrieveRequest, _: Caller) -> RetrieveResponse:
        """The text of a chunk by id, or of a file or range by path."""
        if request.id is not None:
            return await self._retrieve_chunk(request)
        if request.path is None:
            raise UsageError("neither id nor path given", "Give one of them.")
        checkout = await self._resolve(request.cwd, request.project)
        path = relative(checkout, request.path)
        branch = None if request.branch == "*" else request.branch
        if branch not in (None, checkout.branch):
            return await self._of_branch(checkout, path, branch, request)
        try:
            text, version = await self._texts.read(checkout, path)
        except NotFoundError:
            if await branch_file(self._state, checkout.checkout_id, path, None) is None:
                raise
            return await self._of_branch(checkout, path, None, request)
        return await self._range(
            checkout, path, text, version, request.start_line, request.end_line
        )

    async def _retrieve_chunk(self, request: RetrieveRequest) -> RetrieveResponse:
        for checkout in await self._projects.all():
            overlaid = self._editor_buffers.chunk(checkout.checkout_id, request.id or "")
            if overlaid is not None:
                overlay, chunk = overlaid
                text, version = await self._texts.read(checkout, overlay.path)
                where = chunk.row
                return await self._range(
                    checkout, overlay.path, text, version, where.start_line, where.end_line
                )
        place = await chunk_place(self._state, request.id or "")
        if place is None and (kept := await branch_chunk(self._state, request.id or "")):
            checkout = await self._projects.get(kept.checkout_id)
            return await self._kept(checkout, kept, kept.start_line, kept.end_line)
        if place is None:
            raise NotFoundError(
                f"no chunk {request.id}", "It may have changed since: search again, or give a path."
            )
        checkout = await self._projects.get(place.checkout_id)
        text, version = await self._texts.read(checkout, place.path)
        return await self._range(
            checkout, place.path, text, version, place.start_line, place.end_line
        )

    async def _of_branch(
        self, checkout: Checkout, path: str, branch: str | None, request: RetrieveRequest
    ) -> RetrieveResponse:
        kept = await branch_file(self._state, checkout.checkout_id, path, branch)
        if kept is None:
            raise NotFoundError(
                f"{shown(path)} is not kept of branch {branch}",
                "A branch is indexed once it is checked out, and kept when another is.",
            )
        return await self._kept(checkout, kept, request.start_line, request.end_line)

    async def _kept(
        self, checkout: Checkout, kept: BranchFile, start: int, end: int | None
    ) -> RetrieveResponse:
        """The text of a file of another branch, as it was indexed."""
        text = await document_text(self._state, kept.doc_id)
        answer = await self._range(checkout, kept.path, text, None, start, end)
        answer.branch = kept.branch
        return answer

    async def _range(
        self,
        checkout: Checkout,
        path: str,
        text: str,
        version: int | None,
        start: int,
        end: int | None,
    ) -> RetrieveResponse:
        lines = text.splitlines()
        last = min(end or len(lines), len(lines))
        if start < 1 or (lines and start > len(lines)):
            raise UsageError(
                f"{path} has {counted(len(lines), 'line')}", f"Ask for lines 1 to {len(lines)}."
            )
        if lines and last < start:
            raise UsageError(
                f"line {end} comes before line {start}", "Ask for the earlier line first."
            )
        fresh = await self._freshness(checkout)
        return RetrieveResponse(
            path=path,
            root=checkout.root,
            start_line=start,
            end_line=last,
            total_lines=len(lines),
            text="\n".join(lines[start - 1 : last]),
            unsaved_version=version,
            **fresh.freshness(),
        )


def relative(checkout: Checkout, path: str) -> str:
    """A path relative to the root. Raises `UsageError` for one outside it."""
    return below(Path(checkout.root), path)
