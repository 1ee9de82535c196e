"""Reading sites into libraries, for the user and never for agents."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from surveyor.config.settings import WebSection
from surveyor.engine.operations import Caller, operation
from surveyor.engine.operations.engine_callables import SpawnTask
from surveyor.knowledge.document_reading import ReadDocuments
from surveyor.knowledge.library_store import LibraryStore
from surveyor.knowledge.write_queue import WriteQueue
from surveyor.protocol.web import (
    FetchProgress,
    LibraryFetchProgressRequest,
    LibraryFetchRequest,
    LibraryFetchStopRequest,
)
from surveyor.store.state import State

if TYPE_CHECKING:
    from surveyor.knowledge.web_library import WebLibraries

__all__ = ["WebOperations"]


class WebOperations:
    """Reading sites into libraries."""

    def __init__(
        self,
        state: State,
        read: ReadDocuments,
        writes: WriteQueue,
        store: LibraryStore,
        settings: Callable[[], WebSection],
        spawn: SpawnTask,
    ) -> None:
        self._made: WebLibraries | None = None
        self._parts = (state, read, writes, store, settings, spawn)

    @property
    def _libraries(self) -> WebLibraries:
        if self._made is None:
            # By whoever goes to the web: an engine that does not starts without it.
            from surveyor.knowledge.web_library import WebLibraries

            self._made = WebLibraries(*self._parts)
        return self._made

    @operation(LibraryFetchRequest)
    async def library_fetch(self, request: LibraryFetchRequest, _: Caller) -> FetchProgress:
        """Begin to read, go on with, or refresh a library of the web."""
        return await self._libraries.fetch(request)

    @operation(LibraryFetchProgressRequest)
    async def library_fetch_progress(
        self, request: LibraryFetchProgressRequest, _: Caller
    ) -> FetchProgress:
        """How far it is."""
        return await self._libraries.progress(request.name, request.wait_ms)

    @operation(LibraryFetchStopRequest)
    async def library_fetch_stop(
        self, request: LibraryFetchStopRequest, _: Caller
    ) -> FetchProgress:
        """End it; what was read stays."""
        return await self._libraries.stop(request.name)
