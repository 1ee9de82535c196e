"""Reading sites into libraries, for the user and never for agents."""

from __future__ import annotations

from surveyor.engine.operations import Caller, operation
from surveyor.knowledge.web_library import WebLibraries
from surveyor.protocol.web import (
    FetchProgress,
    LibraryFetchProgressRequest,
    LibraryFetchRequest,
    LibraryFetchStopRequest,
)

__all__ = ["WebOperations"]


class WebOperations:
    """Reading sites into libraries."""

    def __init__(self, libraries: WebLibraries) -> None:
        self._libraries = libraries

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
