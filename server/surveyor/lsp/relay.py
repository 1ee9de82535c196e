"""Requests that a real language server answers: found, asked, and answered for when it cannot.

Params go through as they came and results come back as they are. What the index can answer, too,
is waited for until it has an answer and the server's time is over, or until the server has neither
said nor computed anything for a second; everything else until the editor cancels. Silence is no
answer: a server that starts, starts again or reads its files is waited for, and one that ended or
hangs is an error.
"""

from __future__ import annotations

import asyncio
import contextlib
import math
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, NoReturn

import msgspec

from surveyor import paths
from surveyor.lsp.host import EditorHost
from surveyor.lsp.item_origins import ItemOrigins
from surveyor.lsp.protocol import UNREADABLE, InvalidParamsError
from surveyor.lsp.roots import Roots, marked_root
from surveyor.lsp.settings import EditorSettings
from surveyor.protocol.wire import shown
from surveyor.servers import messages
from surveyor.servers.documents import OpenDocuments
from surveyor.servers.errors import (
    CONTENT_MODIFIED,
    METHOD_NOT_FOUND,
    REQUEST_FAILED,
    ResponseError,
    UnsupportedMethodError,
    UpstreamDeadError,
    UpstreamError,
    UpstreamLostError,
    UpstreamMissingError,
    UpstreamTimeoutError,
)
from surveyor.servers.manager import UpstreamManager
from surveyor.servers.methods import FEATURE_OF, METHODS, Feature, Relay
from surveyor.servers.upstream import LifecycleState, ServerAnswer, Upstream
from surveyor.servers.uris import to_path

SILENT_S = 1.0
"""After so long without a word of the server the index's answer is given, if it has one.

`timeouts.silent` of the server's table is another limit.
"""

LOSSES = 4
"""How often the host of a server may go away under one question."""

RESTART_WAIT_S = 5.0
"""A server that crashed is waited for if it is started again within so long."""

AHEAD_S = 0.5
"""After this long without an answer the index is asked too, in case there will be none."""

LOADING_S = {
    **dict.fromkeys(
        [
            "textDocument/hover",
            "textDocument/definition",
            "textDocument/declaration",
            "textDocument/typeDefinition",
            "textDocument/implementation",
            "textDocument/references",
            "textDocument/prepareCallHierarchy",
            "callHierarchy/incomingCalls",
            "callHierarchy/outgoingCalls",
            "textDocument/prepareTypeHierarchy",
            "typeHierarchy/supertypes",
            "typeHierarchy/subtypes",
            "textDocument/prepareRename",
            "textDocument/rename",
        ],
        10.0,
    ),
    "textDocument/completion": 2.0,
    "textDocument/signatureHelp": 2.0,
}
"""How long a server may still read its files where all it says of a name is nothing.

Who types waits less. Nothing is the usual answer to other methods, and servers ask editors to ask
those again.
"""

TYPED = frozenset({"textDocument/completion", "textDocument/signatureHelp"})
"""Asked where no name need be yet."""

INDEXED = frozenset(
    {
        "textDocument/definition",
        "textDocument/declaration",
        "textDocument/references",
        "textDocument/implementation",
        "textDocument/documentSymbol",
        "textDocument/prepareCallHierarchy",
        "callHierarchy/incomingCalls",
        "callHierarchy/outgoingCalls",
    }
)
"""What the index answers where no server does (`fallback.py`)."""

NO_FOLDER = "untitled"
"""Name of an empty folder in the data folder: where servers work for buffers of no file."""

NOTHING_BYTES = 256
"""A longer result says something."""

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
    """Our own answer to one request, begun while a slow server is still waited for.

    So that one that hangs costs the editor its patience, and not our time on top. `scope` is where
    the server is waited for: it is left with a `TimeoutError` when the server's time is over and
    there is something else to say.
    """

    def __init__(self, fallback: Fallback, method: str, target: RoutingParams) -> None:
        self._fallback, self._method, self._target = fallback, method, target
        self._asked: asyncio.Future[Any] | None = None
        self._loop = asyncio.get_running_loop()
        self._ahead = self._loop.call_later(AHEAD_S, self._begin)
        self._over: asyncio.TimerHandle | None = None
        self.scope = asyncio.timeout(None)

    def take_over_after(self, seconds: float) -> None:
        """Leave the scope after so long, or as soon from then on as there is an answer.

        A later wish replaces an earlier one whose time has not come.
        """
        if self._over is not None:
            self._over.cancel()
        self._over = self._loop.call_later(seconds, self.take_over)

    def _begin(self) -> asyncio.Future[Any]:
        if self._asked is None:
            self._asked = asyncio.ensure_future(self._fallback(self._method, self._target))
        return self._asked

    def take_over(self) -> None:
        """Leave the scope as soon as there is an answer."""
        self._begin().add_done_callback(self._take_over)

    def _take_over(self, asked: asyncio.Future[Any]) -> None:
        if not asked.cancelled() and asked.exception() is None and asked.result():
            # Its scope may have been left meanwhile.
            with contextlib.suppress(RuntimeError):
                self.scope.reschedule(self._loop.time())

    async def answer(self) -> Any:
        """What we have to say."""
        return await self._begin()

    def close(self) -> None:
        """It is not wanted any more."""
        for timer in (self._ahead, self._over):
            if timer is not None:
                timer.cancel()
        if self._asked is not None:
            self._asked.cancel()


RESOLVED = frozenset(
    feature.method for name, feature in FEATURE_OF.items() if name.endswith("/resolve")
)
"""Features whose items can be asked about further."""


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
        self.advertised: Callable[[Feature], bool] = lambda feature: False
        """Whether the editor was told that a feature is served."""
        self._origins = ItemOrigins()
        self._start_by: dict[str, float] = {}
        """Until when (of the loop's clock) the starting servers of a language are waited for."""

    def handler(self, method: str) -> Callable[[msgspec.Raw], Awaitable[Any]]:
        """The raw handler of a proxied method."""

        async def serve(params: msgspec.Raw) -> Any:
            return await self.serve(method, params)

        return serve

    async def serve(self, method: str, params: msgspec.Raw) -> Any:
        """Answer a relayed request: raw from the upstream, else from the index where that can.

        Raises `ResponseError`, with "method not found" for what nobody serves or relays.
        """
        about_document = method.startswith("textDocument/")
        target = document_target(params) if about_document else parse_target(params)
        await self.until_configured()
        if method.endswith("/resolve"):
            return await self._resolve(method, params)
        if not self.relays(method, target.uri):
            if FEATURE_OF[method].relay is Relay.USUAL:
                return None  # another server's to answer
            return self.nobody_serves(method)
        try:
            if method in INDEXED:
                return await self._with_index(method, target, params)
            return await self._alone(method, target, params)
        except ResponseError:
            if to_path(target.uri) is not None or not target.uri:
                raise
            return None  # some servers read files only, and say so at every untitled buffer

    def relays(self, method: str, uri: str) -> bool:
        """Whether a method is relayed for a document."""
        feature, language = FEATURE_OF[method], self.language(uri)
        if feature.relay is Relay.LISTED:
            return feature.method in self._settings().relayed(language)
        return not self._settings().is_companion(language, method)

    def nobody_serves(self, method: str) -> None:
        """The answer where no server has one: nothing, to what the editor was told is served.

        Raises `ResponseError` (method not found) elsewhere.
        """
        if not self.advertised(FEATURE_OF[method]):
            raise ResponseError(METHOD_NOT_FOUND, f"No language server here serves {method}")

    async def _with_index(self, method: str, target: RoutingParams, params: msgspec.Raw) -> Any:
        """The upstream's answer, else the index's; `null` where no server serves it.

        Raises `ResponseError` where only a server could answer that has ended or hangs.
        """
        instead = FallbackAnswer(self.fallback, method, target)
        try:
            async with instead.scope:
                answer = await self.ask(method, target, params, instead)
            if not answer.complete and is_empty(answer.raw):
                return await instead.answer() or answer.raw
            return answer.raw
        except (TimeoutError, UnsupportedMethodError, UpstreamMissingError):
            return await instead.answer()
        except (UpstreamDeadError, UpstreamTimeoutError) as error:
            return await instead.answer() or failed(error)
        finally:
            instead.close()

    async def _alone(self, method: str, target: RoutingParams, params: msgspec.Raw) -> Any:
        """The upstream's answer, whenever it comes."""

        async def ask(upstream: Upstream) -> ServerAnswer:
            answer = await self._request(upstream, method, params, target)
            if await self._has_loaded(upstream, method, target, answer):
                answer = await self._request(upstream, method, params, target)
            return answer

        try:
            upstream, answer = await self._of_one_running(method, target, ask)
        except (UnsupportedMethodError, UpstreamMissingError):
            return self.nobody_serves(method)
        except (UpstreamDeadError, UpstreamTimeoutError) as error:
            return failed(error)
        feature, raw = FEATURE_OF[method].method, answer.raw
        return self._origins.mark(feature, upstream, raw) if feature in RESOLVED else raw

    async def _resolve(self, method: str, params: msgspec.Raw) -> Any:
        """An item with the rest of it, from the server that gave the item."""
        feature = FEATURE_OF[method]
        key, item = self._origins.of(feature.method, params)
        if key is None:
            return self.nobody_serves(method)
        try:
            upstream = await self._manager().get(*key)
            answer = (await self.request(upstream, method, item)).raw
        except UnsupportedMethodError:
            return params  # there is no more to it
        except UpstreamMissingError as error:
            raise ResponseError(REQUEST_FAILED, error.message) from error
        return self._origins.mark_one(feature.method, upstream, answer)

    async def until_configured(self) -> None:
        """Wait for the configuration, which is read right after `initialized`."""
        if not self._configured.is_set():
            await self._configured.wait()

    async def ask(
        self,
        method: str,
        target: RoutingParams,
        params: msgspec.Raw,
        instead: FallbackAnswer,
    ) -> ServerAnswer:
        """Ask the upstream of a document what there is another answer to, too.

        Raises `UpstreamError`s, and `TimeoutError` where the other answer shall be given.
        """

        async def ask(upstream: Upstream) -> ServerAnswer:
            instead.take_over_after(upstream.timeout_of(method))
            silence = {"patience": patience(upstream), "on_silence": instead.take_over}
            answer = await self._request(upstream, method, params, target, **silence)
            if not answer.complete and is_empty(answer.raw):
                instead.take_over()
                if await self._has_loaded(upstream, method, target, answer):
                    answer = await self._request(upstream, method, params, target, **silence)
            return answer

        return (await self._of_one_running(method, target, ask, instead))[1]

    async def _of_one_running(
        self,
        method: str,
        target: RoutingParams,
        ask: Callable[[Upstream], Awaitable[ServerAnswer]],
        instead: FallbackAnswer | None = None,
    ) -> tuple[Upstream, ServerAnswer]:
        """Ask the upstream of a document once it runs, or the one that comes in its place.

        A server is stopped where a setting wants another, or its folder has gone and may be back:
        what was asked of it is asked of what comes in its place. So is what was asked of one whose
        host went away.
        """
        lost: list[tuple[UpstreamLostError, int | None]] = []
        while True:
            upstream = await self.once_running(target.uri, method, instead)
            await upstream.until_offered(method)
            if lost and lost[-1][1] != self._version(target.uri):
                raise ResponseError(CONTENT_MODIFIED, lost[-1][0].message)
            try:
                version = self._version(target.uri)
                return upstream, await ask(upstream)
            except UpstreamLostError as error:
                lost.append((error, version))
                if len(lost) == LOSSES:
                    raise

    def _version(self, uri: str) -> int | None:
        document = self._documents.get(uri)
        return document.version if document is not None else None

    async def _has_loaded(
        self, upstream: Upstream, method: str, target: RoutingParams, answer: ServerAnswer
    ) -> bool:
        """Whether a server that said nothing while it read its files has read them."""
        limit = LOADING_S.get(method, 0.0)
        if not limit or answer.complete or not is_empty(answer.raw):
            return False
        if upstream.spec.readiness.partial == "workspace" and not METHODS[method].over_workspace:
            return False
        document, at = self._documents.get(target.uri), target.position
        if document is None or at is None or method in TYPED:
            return await upstream.wait_ready(limit)
        return bool(document.word_at(at.line, at.character)) and await upstream.wait_ready(limit)

    async def request(
        self,
        upstream: Upstream,
        method: str,
        params: Any,
        target: RoutingParams | None = None,
    ) -> ServerAnswer:
        """Ask a server what nobody else can answer: it is waited for until the editor cancels.

        Raises `ResponseError`, also where the server ends; `UnsupportedMethodError`.
        """
        tokens = target or parse_target(msgspec.Raw(messages.to_raw(params)))
        try:
            return await self._request(upstream, method, params, tokens)
        except (UpstreamDeadError, UpstreamTimeoutError) as error:
            return failed(error)

    async def _request(
        self, upstream: Upstream, method: str, params: Any, target: RoutingParams, **silence: Any
    ) -> ServerAnswer:
        tokens = {target.work_done_token, target.partial_result_token}
        with self._host.relaying(upstream, tokens):
            return await upstream.request(method, params, timeout=math.inf, retries=0, **silence)

    async def once_running(
        self, uri: str, method: str = "", instead: FallbackAnswer | None = None
    ) -> Upstream:
        """The upstream of a document, once it can be asked.

        `instead` may take over meanwhile: the servers of a language that are starting are waited
        for `SILENT_S` in all, from the first question on, where there is another answer. One that
        never gets so far as to answer `initialize` costs that once, and no later question anything.

        Raises `UpstreamMissingError`; `UpstreamDeadError` for one that is not started again soon.
        """
        await self.until_configured()
        if not uri or self._is_running(uri):
            # Without a pause: what is asked reaches the server before the next edit does.
            return await self.upstream_for(uri, method)
        language = self.language(uri)
        loop = asyncio.get_running_loop()
        until = self._start_by.setdefault(language, loop.time() + SILENT_S)
        if instead is not None:
            instead.take_over_after(max(0.0, until - loop.time()))
        try:
            upstream = await self._started(uri, method, instead, until)
        except UpstreamError:
            # No server, or a dead one: the next to be started is waited for like the first, unless
            # this one has used up the time.
            if loop.time() < until:
                self._start_by.pop(language, None)
            raise
        self._start_by.pop(language, None)
        return upstream

    async def _started(
        self, uri: str, method: str, instead: FallbackAnswer | None, until: float
    ) -> Upstream:
        loop = asyncio.get_running_loop()
        while True:
            finding = asyncio.ensure_future(self.upstream_for(uri, method))
            # Found in the background if nobody waits: what it is started with is not lost.
            finding.add_done_callback(lambda task: task.cancelled() or task.exception())
            upstream = await asyncio.shield(finding)
            if upstream.running:
                return upstream
            longer = patience(upstream) - SILENT_S
            if instead is not None and longer > 0:
                instead.take_over_after(max(until - loop.time(), longer))
            try:
                await upstream.wait_running(math.inf, RESTART_WAIT_S)
            except UpstreamDeadError as error:
                if upstream.given_up and instead is not None:
                    # The window was told so: from now on this language has the index alone.
                    raise UpstreamMissingError(error.message) from error
                if upstream.started_ever and upstream.state is not LifecycleState.STOPPED:
                    raise
                # A program that is no server: the next one is tried, until there is none. One that
                # was stopped is started.

    def _is_running(self, uri: str) -> bool:
        """Whether the upstream of a document can be asked now."""
        path = to_path(uri)
        root = self._roots.of(path) if path is not None else self._roots.first()
        manager, language = self._manager(), self.language(uri)
        if path is None and self._is_shown(uri):
            root = None
        if root is not None and path is not None and language:
            root = manager.root_of(manager.registry.languages[language], path, root)
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

    def _is_shown(self, uri: str) -> bool:
        """Whether a document is a text that only its language's server has, and shows."""
        return self._manager().registry.language_of_scheme(uri) is not None

    async def upstream_for(self, uri: str, method: str = "") -> Upstream:
        """The upstream of a document, started if need be, with the document open in it.

        Raises `UpstreamMissingError` where there is none (no server, or no kind of document that
        one could read).
        """
        await self.until_configured()
        manager = self._manager()
        document = self._documents.get(uri)
        spec = manager.language_of(uri, document.language_id if document else "")
        path = to_path(uri)
        shown_by_server = path is None and self._is_shown(uri)
        if spec is None or (
            path is None and not shown_by_server and not uri.startswith("untitled:")
        ):
            raise UpstreamMissingError(f"No language server reads {uri or method}")
        near = manager.any_for(spec.name) if path is None else None
        if shown_by_server and near is not None:
            root: Path | None = near.root
        elif path is None:
            root = self._roots.first() or (near.root if near is not None else self._no_folder())
        else:
            root = self._roots.of(path)
            if root is None:
                near = manager.any_for(spec.name)
                markers = manager.registry.servers[spec.servers[0]].markers if spec.servers else ()
                root = near.root if near is not None else marked_root(path, markers)
            else:
                root = manager.root_of(spec, path, root)
        if root is None:
            raise UpstreamMissingError("There is no folder to start a language server in")
        upstream = await manager.get(spec.name, root)
        if document is not None:
            upstream.attach(document)
        elif path is not None:
            with contextlib.suppress(OSError):
                manager.open_headless(upstream, path)
        return upstream

    def _no_folder(self) -> Path | None:
        """An empty folder: the root for buffers of no file in a window of no folder."""
        folder = paths.data_dir() / NO_FOLDER
        with contextlib.suppress(OSError):
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            return folder
        return None


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


def document_target(params: msgspec.Raw) -> RoutingParams:
    """What routes a request about a document; raises `InvalidParamsError` where none is named."""
    target = parse_target(params)
    if not target.uri:
        raise InvalidParamsError("textDocument.uri is missing")
    if ":" not in target.uri:
        raise InvalidParamsError(f"{shown(target.uri)} is no URI: it has no scheme")
    return target


def is_empty(raw: msgspec.Raw) -> bool:
    """Whether a result says nothing."""
    if len(raw) > NOTHING_BYTES:
        return False
    value = messages.decode(raw)
    if isinstance(value, dict):  # of completions, signatures, a hover
        value = [value[name] for name in ("items", "signatures", "contents") if name in value]
        return bool(value) and not any(value)
    return not value


def failed(error: UpstreamError) -> NoReturn:
    """Tell the editor why the one who could answer does not. Raises `ResponseError`."""
    raise ResponseError(REQUEST_FAILED, error.message) from error
