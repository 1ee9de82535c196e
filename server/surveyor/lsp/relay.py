"""Requests that a real language server answers: found, asked, and answered for when it cannot.

Params go through as they came and results come back as they are. The editor waits for a server
that neither says nor computes anything for one second at most; then, or when there is no server,
the index answers.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from typing import Any

import msgspec

from surveyor.lsp.host import EditorHost
from surveyor.lsp.protocol import UNREADABLE, InvalidParamsError
from surveyor.lsp.roots import Roots, marked_root
from surveyor.lsp.settings import EditorSettings
from surveyor.servers.documents import OpenDocuments
from surveyor.servers.errors import (
    ResponseError,
    UnsupportedMethodError,
    UpstreamDeadError,
    UpstreamError,
    UpstreamMissingError,
    UpstreamSilentError,
    UpstreamTimeoutError,
)
from surveyor.servers.manager import UpstreamManager
from surveyor.servers.upstream import ServerAnswer, Upstream
from surveyor.servers.uris import to_path

SILENT_S = 1.0
"""A server that has said nothing at all for so long after a request is taken to hang.

`timeouts.silent` of the server's table is another limit.
"""

AHEAD_S = 0.5
"""After this long without an answer the index is asked too, in case there will be none."""

Fallback = Callable[[str, "RoutingParams"], Awaitable[Any]]
"""Answers a method from the index; `None` when it has nothing."""


class DocumentUri(msgspec.Struct):
    """The part of `textDocument` that is needed to route."""

    uri: str


class LspPosition(msgspec.Struct):
    """An LSP position."""

    line: int = 0
    character: int = 0


class LspRange(msgspec.Struct):
    """An LSP range, its start only."""

    start: LspPosition


class HierarchyItem(msgspec.Struct, rename="camel"):
    """A hierarchy item, as far as it routes."""

    uri: str
    selection_range: LspRange | None = None


class ReferenceContext(msgspec.Struct, rename="camel"):
    """A references request's context."""

    include_declaration: bool = False


class RoutingParams(msgspec.Struct, rename="camel"):
    """The parts of a request's params that route it; everything else stays raw."""

    text_document: DocumentUri | None = None
    item: HierarchyItem | None = None
    position: LspPosition | None = None
    work_done_token: int | str | None = None
    partial_result_token: int | str | None = None
    context: ReferenceContext | None = None

    @property
    def with_declaration(self) -> bool:
        """Whether references shall include the definition itself."""
        return self.context is not None and self.context.include_declaration

    @property
    def selection(self) -> LspPosition | None:
        """Where the hierarchy item's name is."""
        span = self.item.selection_range if self.item is not None else None
        return span.start if span is not None else None

    @property
    def uri(self) -> str:
        """The document that the request is about; empty when it names none."""
        if self.text_document is not None:
            return self.text_document.uri
        return self.item.uri if self.item is not None else ""


class FallbackAnswer:
    """The index's answer to one request, begun while a slow server is still waited for.

    So that one that hangs costs the editor its patience, and not the index's time on top.
    """

    def __init__(self, fallback: Fallback, method: str, target: RoutingParams) -> None:
        self._fallback, self._method, self._target = fallback, method, target
        self._asked: asyncio.Future[Any] | None = None
        self._timer = asyncio.get_running_loop().call_later(AHEAD_S, self._begin)

    def _begin(self) -> None:
        if self._asked is None:
            self._asked = asyncio.ensure_future(self._fallback(self._method, self._target))

    async def answer(self) -> Any:
        """What the index says."""
        self._begin()
        assert self._asked is not None
        return await self._asked

    def close(self) -> None:
        """It is not wanted any more."""
        self._timer.cancel()
        if self._asked is not None:
            self._asked.cancel()


class RequestRouter:
    """Routes requests to upstreams."""

    def __init__(
        self,
        documents: OpenDocuments,
        roots: Roots,
        host: EditorHost,
        manager: Callable[[], UpstreamManager],
        settings: Callable[[], EditorSettings],
        configured: asyncio.Event,
    ) -> None:
        self._configured = configured
        self._documents = documents
        self._roots = roots
        self._host = host
        self._manager = manager
        self._settings = settings
        self.fallback: Fallback = no_fallback
        self._origin: Upstream | None = None
        self._start_by: dict[str, float] = {}
        """Until when (of the loop's clock) the starting servers of a language are waited for."""

    def handler(self, method: str) -> Callable[[msgspec.Raw], Awaitable[Any]]:
        """The raw handler of a proxied method."""

        async def serve(params: msgspec.Raw) -> Any:
            return await self.serve(method, params)

        return serve

    async def serve(self, method: str, params: msgspec.Raw) -> Any:
        """Answer a proxied request: raw from the upstream, else from the index, else `null`."""
        target = parse_target(params)
        await self.until_configured()
        if self.mode(target.uri, method) == "companion":
            return None
        instead = FallbackAnswer(self.fallback, method, target)
        try:
            answer = await self.ask(method, target, params)
            if not answer.complete and is_empty(answer.raw):
                return await instead.answer() or answer.raw
            return answer.raw
        except (
            UnsupportedMethodError,
            UpstreamMissingError,
            UpstreamDeadError,
            UpstreamTimeoutError,
        ):
            return await instead.answer()
        except ResponseError:
            if to_path(target.uri) is not None or not target.uri:
                raise
            return None  # some servers read files only, and say so at every untitled buffer
        finally:
            instead.close()

    async def until_configured(self) -> None:
        """Wait for the configuration, which is read right after `initialized`."""
        if not self._configured.is_set():
            await self._configured.wait()

    async def ask(self, method: str, target: RoutingParams, params: msgspec.Raw) -> ServerAnswer:
        """Ask the upstream of a document. Raises `UpstreamError`s."""
        upstream = await self._running(target.uri, method)
        tokens = {target.work_done_token, target.partial_result_token} - {None}
        self._host.relayed_tokens |= tokens
        try:
            return await upstream.request(method, params, patience=patience(upstream))
        finally:
            self._host.relayed_tokens -= tokens

    async def _running(self, uri: str, method: str) -> Upstream:
        """The upstream of a document, once it can be asked.

        Raises `UpstreamSilentError` where it cannot yet: for the servers of a language that are
        starting the editor waits `SILENT_S` in all, from its first question on. One that never gets
        so far as to answer `initialize` costs that once, and no question after it anything.
        """
        await self.until_configured()
        if not uri or self._is_running(uri):
            # Without a pause: what is asked reaches the server before the next edit does.
            return await self.upstream_for(uri, method)
        language = self.language(uri)
        loop = asyncio.get_running_loop()
        until = self._start_by.setdefault(language, loop.time() + SILENT_S)
        finding = asyncio.ensure_future(self.upstream_for(uri, method))
        # Found in the background if not in time: what it is started with is not lost.
        finding.add_done_callback(lambda task: task.cancelled() or task.exception())
        try:
            await asyncio.wait({finding}, timeout=max(0.0, until - loop.time()))
            if not finding.done():
                raise UpstreamSilentError(f"the language server for {language} is looked for")
            upstream = finding.result()
            if not upstream.running:
                left = max(until - loop.time(), patience(upstream) - SILENT_S, 0.0)
                await upstream.wait_running(left)
        except UpstreamTimeoutError:  # silence, too
            raise
        except UpstreamError:
            # No server, or a dead one: the next to be started is waited for like the first, unless
            # this one has used up the time.
            if loop.time() < until:
                self._start_by.pop(language, None)
            raise
        self._start_by.pop(language, None)
        return upstream

    def _is_running(self, uri: str) -> bool:
        """Whether the upstream of a document can be asked now."""
        path = to_path(uri)
        root = self._roots.of(path) if path is not None else self._roots.first()
        manager, language = self._manager(), self.language(uri)
        if root is not None:
            upstream = manager.running_for(language, root)
        else:
            upstream = manager.any_for(language)
        return upstream is not None and upstream.running

    def language(self, uri: str) -> str:
        """Registry name of a document's language; empty when it has none."""
        document = self._documents.get(uri)
        spec = self._manager().language_of(uri, document.language_id if document else "")
        return spec.name if spec else ""

    def mode(self, uri: str, method: str) -> str:
        """`proxy` or `companion` for a method on a document."""
        return self._settings().mode(self.language(uri), method)

    async def upstream_for(self, uri: str, method: str = "") -> Upstream:
        """The upstream of a document, started if need be, with the document open in it.

        Raises `UpstreamMissingError` where there is none (no server, or no kind of document that
        one could read).
        """
        await self.until_configured()
        if not uri and method.endswith("/resolve") and self._origin is not None:
            return self._origin
        manager = self._manager()
        document = self._documents.get(uri)
        spec = manager.language_of(uri, document.language_id if document else "")
        path = to_path(uri)
        if spec is None or (path is None and not uri.startswith("untitled:")):
            raise UpstreamMissingError(f"No language server reads {uri or method}")
        if path is None:
            root = self._roots.first()
        else:
            root = self._roots.of(path)
            if root is None:
                near = manager.any_for(spec.name)
                markers = manager.registry.servers[spec.servers[0]].markers if spec.servers else ()
                root = near.root if near is not None else marked_root(path, markers)
        if root is None:
            raise UpstreamMissingError("There is no folder to start a language server in")
        upstream = await manager.get(spec.name, root)
        if document is not None:
            upstream.attach(document)
        elif path is not None:
            with contextlib.suppress(OSError):
                manager.open_headless(upstream, path)
        if method in ("textDocument/completion", "textDocument/codeAction"):
            self._origin = upstream
        return upstream


async def no_fallback(method: str, target: RoutingParams) -> Any:
    """Until there is an index."""
    return None


def patience(upstream: Upstream) -> float:
    """How long a server may say nothing, and not work, while the editor waits."""
    return float(upstream.spec.timeouts.get("silent", SILENT_S))


def parse_target(params: msgspec.Raw) -> RoutingParams:
    """What routes a request; raises `InvalidParamsError` when that is not there to be read."""
    try:
        return msgspec.json.decode(bytes(params) or b"{}", type=RoutingParams)
    except UNREADABLE as error:
        raise InvalidParamsError(str(error)) from error


def is_empty(raw: msgspec.Raw) -> bool:
    """Whether a result says nothing."""
    return bytes(raw) in (b"", b"null", b"[]")
