"""Reference documents: adding, listing, removing and searching them."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path

from surveyor.engine.operations import Caller, operation
from surveyor.engine.operations.checkout_finder import CheckoutFinder
from surveyor.engine.operations.engine_callables import AllCheckouts, CorpusAnswer
from surveyor.engine.projects import boundary
from surveyor.engine.projects.checkouts import Checkout
from surveyor.errors import UsageError
from surveyor.files import contained_paths
from surveyor.knowledge.document_search import LibraryScope
from surveyor.knowledge.documents import DocumentFacts
from surveyor.knowledge.names import holds_secrets
from surveyor.knowledge.packages import ingest_packages
from surveyor.knowledge.points import PointHit
from surveyor.knowledge.service import Knowledge
from surveyor.protocol.knowledge import (
    DependenciesResponse,
    DocumentHit,
    DocumentsResponse,
    EvictedRequest,
    EvictedResponse,
    LibrariesResponse,
    LibraryAddRequest,
    LibraryDepsRequest,
    LibraryIngestRequest,
    LibraryListRequest,
    LibraryRemoveRequest,
    LibraryRestoreRequest,
    LibrarySearchRequest,
    Written,
)
from surveyor.protocol.search import Scores, SearchRequest, SearchResult

EVERY_PROJECT = "all"


class LibraryOperations:
    """Reference documents: adding, listing, removing and searching them."""

    def __init__(
        self,
        knowledge: Knowledge,
        places: CheckoutFinder,
        checkouts: AllCheckouts,
    ) -> None:
        self._knowledge = knowledge
        self._places = places
        self._checkouts = checkouts

    @operation(LibraryAddRequest)
    async def library_add(self, request: LibraryAddRequest, _: Caller) -> Written:
        """Register a folder and read it."""
        return await self._knowledge.libraries.add(
            request.folder, request.name, request.mode, request.wait_ms
        )

    @operation(LibraryIngestRequest)
    async def library_ingest(self, request: LibraryIngestRequest, _: Caller) -> Written:
        """Store one document."""
        if (request.path is None) == (request.content is None):
            raise UsageError("neither a file nor a text is given, or both", "Give one of them.")
        if request.path is not None:
            await self._check_file(request.path)
        project_id = None
        if request.project is not None:
            project_id = (
                await self._places.registered(request.project, request.project)
            ).project_id
        name = _document_name(request)
        is_derived = name != request.name and (
            request.path is not None or not (request.title or request.url)
        )
        if is_derived:  # of two files of one name in different folders, neither replaces the other
            name = await self._knowledge.libraries.free_name(
                name, project_id, path=request.path, url=request.url, content=request.content
            )
        source = request.source or ("file" if request.path is not None else "user_input")
        facts = DocumentFacts(
            library=request.name.partition(".")[0],
            name=name,
            project_id=project_id,
            source=source,
            title=request.title,
            url=request.url,
            topics=tuple(request.topics),
            metadata=request.metadata,
            content=request.content,
        )
        return await self._knowledge.libraries.ingest(facts, request.path, request.wait_ms)

    async def _check_file(self, path: str) -> None:
        """Raises `UsageError` for a file that holds secrets, or that an agent may not read."""
        boundary.check_document(path, [each.root for each in await self._checkouts()])
        if holds_secrets(contained_paths.real(path)) or holds_secrets(Path(path)):
            raise UsageError(
                f"{contained_paths.shown(path)} is not stored: its name says that it holds secrets",
                "Store its text without them: `surveyor library ingest -` reads from stdin.",
            )

    @operation(LibraryListRequest)
    async def library_list(self, request: LibraryListRequest, _: Caller) -> LibrariesResponse:
        """Libraries with their sizes."""
        place = await self._places.known(request.cwd, request.project)
        items = await self._knowledge.libraries.listed(
            place.project_id if place else None,
            packages=request.packages,
            include_deleted=request.include_deleted,
        )
        return LibrariesResponse(libraries=items)

    @operation(EvictedRequest)
    async def library_evicted(self, request: EvictedRequest, _: Caller) -> EvictedResponse:
        """What was let go of by itself, and whether it can come back."""
        return EvictedResponse(evicted=await self._knowledge.retention.evicting.evicted())

    @operation(LibraryRemoveRequest)
    async def library_remove(self, request: LibraryRemoveRequest, _: Caller) -> Written:
        """Mark as deleted, or purge."""
        return await self._knowledge.libraries.mark(
            request.name, deleted=True, purge=request.purge, wait_ms=request.wait_ms
        )

    @operation(LibraryRestoreRequest)
    async def library_restore(self, request: LibraryRestoreRequest, _: Caller) -> Written:
        """Take the delete mark away."""
        return await self._knowledge.libraries.mark(
            request.name, deleted=False, purge=False, wait_ms=request.wait_ms
        )

    @operation(LibraryDepsRequest)
    async def library_deps(self, request: LibraryDepsRequest, _: Caller) -> DependenciesResponse:
        """Read what the project's dependencies say of themselves."""
        place = await self._places.registered(request.cwd, request.project)
        return await ingest_packages(
            self._knowledge.state,
            self._knowledge.writes,
            place,
            variables=request.variables,
            environments=request.environments,
            transitive=request.transitive,
            wait_ms=request.wait_ms,
        )

    @operation(LibrarySearchRequest)
    async def library_search(self, request: LibrarySearchRequest, _: Caller) -> DocumentsResponse:
        """Pieces of documents, best first."""
        started = time.perf_counter()
        every = request.project == EVERY_PROJECT
        place = await self._places.known(request.cwd, None if every else request.project)
        scope = LibraryScope(
            place.project_id if place else None,
            every=every,
            library=request.library,
            notes=request.notes,
            include_deleted=request.include_deleted,
        )
        found, lacking = await self._knowledge.document_search.find(
            request.query, scope, limit=request.limit
        )
        return DocumentsResponse(
            results=[hit for hit, _ in found],
            notice=lacking or None,
            took_ms=round((time.perf_counter() - started) * 1000, 2),
        )

    async def find_libraries(
        self, request: SearchRequest, checkouts: Sequence[Checkout]
    ) -> CorpusAnswer:
        """Pieces of documents as search results."""
        return await self._found(request, checkouts, notes=False)

    async def find_notes(
        self, request: SearchRequest, checkouts: Sequence[Checkout]
    ) -> CorpusAnswer:
        """Pieces of notes and of sessions as search results."""
        return await self._found(request, checkouts, notes=True)

    async def _found(
        self, request: SearchRequest, checkouts: Sequence[Checkout], *, notes: bool
    ) -> CorpusAnswer:
        scope = LibraryScope(
            checkouts[0].project_id if checkouts else None,
            every=request.scope == "all",
            library=None if notes else request.library,
            notes=notes,
            include_deleted=request.include_deleted,
            tags=tuple(request.tags),
        )
        found, lacking = await self._knowledge.document_search.find(
            request.query, scope, limit=request.limit, mode=request.mode
        )
        results = [
            _result(hit, one, notes)
            for hit, one in found
            if one.confidence >= (request.score_threshold or 0.0)
        ]
        return CorpusAnswer(results, lacking)


def _document_name(request: LibraryIngestRequest) -> str:
    """A dotted name is the document's own; a library's name gets the file's or title's added."""
    import re
    from pathlib import PurePath

    if "." in request.name:
        return request.name
    said = request.title or request.url or (request.content or "").strip().split("\n")[0][:60]
    stem = PurePath(request.path).stem if request.path is not None else said
    word = re.sub(r"[^\w]+", "-", stem).strip("-").lower()[:80]
    return f"{request.name}.{word}" if word else request.name


def _result(hit: DocumentHit, found: PointHit, notes: bool) -> SearchResult:
    page = f" p. {hit.page_number}" if hit.page_number else ""
    return SearchResult(
        path=hit.path or hit.url or hit.tenant,
        start_line=hit.start_line or 1,
        end_line=hit.end_line or hit.start_line or 1,
        language=None,
        kind="note" if notes else "document",
        symbol=None,
        score=hit.score,
        confidence=hit.confidence,
        scores=Scores(dense=found.dense, sparse=found.sparse),
        snippet=hit.snippet,
        project=hit.library,
        branch=None,
        id=hit.id,
        source="notes" if notes else "libraries",
        file_type="note" if notes else "doc",
        container=" > ".join(hit.headings) or None,
        title=f"{hit.title}{page}",
    )
