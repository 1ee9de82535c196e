"""The language server: one object a window, made of the parts of this package.

Typed features go through pygls; what is relayed or custom has raw handlers (`protocol.py`).
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Awaitable
from pathlib import Path
from typing import Any

import msgspec
from lsprotocol import types
from pygls.lsp.server import LanguageServer
from pygls.protocol import default_converter

from surveyor import __version__, paths
from surveyor.errors import SurveyorError
from surveyor.graph.models import EnrichmentRequest
from surveyor.lsp import capabilities, symbols
from surveyor.lsp import settings as options
from surveyor.lsp.buffers import Buffers
from surveyor.lsp.custom import Custom
from surveyor.lsp.fallback import Fallback
from surveyor.lsp.greeting import Greeting
from surveyor.lsp.host import EditorHost
from surveyor.lsp.hover import Hover
from surveyor.lsp.index import Index
from surveyor.lsp.lenses import Lenses
from surveyor.lsp.navigation import Navigation
from surveyor.lsp.progress import Progress
from surveyor.lsp.projects import Projects
from surveyor.lsp.protocol import InvalidParamsError, Protocol
from surveyor.lsp.relay import Relay, parse_target
from surveyor.lsp.roots import Roots
from surveyor.lsp.section import Section
from surveyor.lsp.settings import Settings
from surveyor.lsp.status import StatusReporter
from surveyor.models import OverlayRequest
from surveyor.upstream import messages
from surveyor.upstream.documents import Document, Documents
from surveyor.upstream.errors import UpstreamError
from surveyor.upstream.manager import Config, Manager
from surveyor.upstream.methods import PROXIED
from surveyor.upstream.server import State, Upstream
from surveyor.upstream.trust import Trust, trust_file
from surveyor.upstream.uris import to_path

CONFIGURATION_WAIT_S = 2.0

log = logging.getLogger(__name__)


class Server(LanguageServer):
    """`surveyor lsp` for one editor window."""

    protocol: Protocol

    def __init__(self) -> None:
        super().__init__(
            "surveyor",
            __version__,
            protocol_cls=Protocol,
            converter_factory=default_converter,
        )
        self.settings = Settings()
        self.roots = Roots()
        self.documents = Documents()
        self.trust = Trust(trust_file(paths.data_dir()))
        self.configured = asyncio.Event()
        self._file_settings: dict[str, Any] = {}
        self._editor_settings: dict[str, Any] = {}
        self._base_config = Config()
        self._tasks: set[asyncio.Future[Any]] = set()
        self._registered: dict[str, dict[str, Any]] = {}
        self._offered: dict[str, dict[str, Any]] = {}
        self._starting: dict[int, Progress] = {}
        self._said: set[str] = set()
        self._closing = False
        self.host = EditorHost(self.protocol, lambda: self.settings, self._upstream_changed)
        self.manager = Manager(
            Config(), host=self.host, documents=self.documents, on_missing=self._missing
        )
        self.buffers = Buffers(
            self.documents, lambda: self.manager, opened=self._opened, overlay=self._overlay
        )
        self.relay = Relay(
            self.documents,
            self.roots,
            self.host,
            lambda: self.manager,
            lambda: self.settings,
            self.configured,
        )
        self.navigation = Navigation(self.relay, self.documents)
        self.index = Index(
            on_state=self._engine_state,
            hears={
                "index_changed": self._index_changed,
                "progress": self._run_began,
                "configuration_changed": self._file_changed,
            },
            serves={
                **self.navigation.handlers(),
                "editor/status": self._editor_status,
            },
        )
        self.relay.fallback = Fallback(
            self.index, self.documents, self.roots, self.host, self.say_once
        )
        self.projects = Projects(self.index, self.protocol, self.host, self._status_changed)
        self.status = StatusReporter(
            self.protocol,
            self.index,
            self.roots,
            self.projects,
            self.documents,
            lambda: self.manager,
            lambda: self.settings,
        )
        self.section = Section(self.index, self.documents, self.roots, self.projects.root_of)
        self.hover = Hover(self.relay, self.documents, lambda: self.settings, self.section.compose)
        self.symbols = symbols.WorkspaceSymbols(
            self.index, self.roots, lambda: self.manager, lambda: self.settings
        )
        self.lenses = Lenses(self.index, self.roots, lambda: self.settings, self._count_references)
        self.custom = Custom(
            self.index,
            self.roots,
            self.documents,
            self.projects,
            self.status,
            self.hover,
            self.spawn,
        )
        self._install_raw()
        register_features(self)

    # --- wiring -----------------------------------------------------------------------

    def _install_raw(self) -> None:
        raw = self.protocol.raw_requests
        for method in PROXIED:
            raw[method] = self.relay.handler(method)
        raw["textDocument/hover"] = self.hover.serve
        raw["textDocument/documentHighlight"] = self._highlight
        raw["workspace/executeCommand"] = self._execute
        raw.update(self.custom.handlers())
        notifications = self.protocol.raw_notifications
        notifications["textDocument/didOpen"] = self.buffers.did_open
        notifications["textDocument/didChange"] = self.buffers.did_change
        notifications["textDocument/didSave"] = self.buffers.did_save
        notifications["textDocument/didClose"] = self.buffers.did_close
        notifications["workspace/didChangeWatchedFiles"] = self._watched
        notifications["workspace/didChangeConfiguration"] = self._configuration_changed
        notifications["initialized"] = self._initialized
        for name in ("didOpen", "didChange", "didSave", "didClose"):
            # Not asked for, but sent by some editors all the same; a cell is no file of ours.
            notifications[f"notebookDocument/{name}"] = lambda params: None

    def spawn(self, work: Awaitable[Any]) -> None:
        """Run something in the background; its failure is logged."""
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._spawned)

    def _spawned(self, task: asyncio.Future[Any]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            if isinstance(error, SurveyorError):
                log.info("%s", error.message)
            else:
                log.error("in the background: %r", error, exc_info=error)

    def say_once(self, text: str) -> None:
        """Log something to the window, the first time only."""
        if text not in self._said:
            self._said.add(text)
            self.protocol.tell("window/logMessage", {"type": 3, "message": text})

    # --- life cycle -------------------------------------------------------------------

    def adopt(self, greeting: Greeting) -> None:
        """Begin the session that was greeted."""
        self.roots.initialize(greeting.params)
        self._editor_settings = greeting.options
        self._read_settings()
        self.protocol.adopt(greeting.params)
        log.info("surveyor %s for %s", __version__, greeting.params.get("clientInfo"))
        for method in capabilities.raw_methods(self.settings):
            self.protocol.raw_requests[method] = self.relay.handler(method)

    def _initialized(self, params: msgspec.Raw) -> None:
        self.spawn(self._begin())

    async def _begin(self) -> None:
        try:
            await self._load_configuration()
        finally:
            self.configured.set()
        self._apply_settings()
        await self._register_static()
        if self.host.can("workspace.configuration"):
            await self._ask_configuration()
        if self.settings.engine:
            self.index.start(self.roots.paths)
        else:
            self.index.message = "switched off by the editor's settings"
        self.status.changed()

    async def close(self) -> None:
        """End everything: the link to the engine, the upstreams."""
        self._closing = True
        self.status.close()
        self.projects.close_all()
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(self.index.close(), self.manager.close(), return_exceptions=True)

    def kill(self) -> None:
        """End the upstreams at once."""
        self.manager.kill()

    # --- settings ---------------------------------------------------------------------

    def _read_settings(self) -> None:
        self.settings = options.read([self._file_settings, self._editor_settings])
        for root in self.roots.paths:
            self.trust.vouch(root, self.settings.trusted)

    async def _load_configuration(self) -> None:
        """The user's file; pydantic is imported beside the loop, not before `initialize`."""

        def load() -> tuple[Config, dict[str, Any]]:
            from surveyor.config import load as load_settings
            from surveyor.upstream.config import config_from

            settings = load_settings().settings
            lsp = settings.lsp.model_dump(exclude_unset=True)
            return config_from(settings, self.trust), {
                **lsp,
                "auto_index": settings.indexing.auto_index,
                "proxy": settings.proxy.model_dump(),
            }

        try:
            self._base_config, self._file_settings = await asyncio.to_thread(load)
        except Exception:
            log.exception("the configuration cannot be read; defaults are used")
        self._read_settings()

    async def _ask_configuration(self) -> None:
        try:
            async with asyncio.timeout(CONFIGURATION_WAIT_S):
                raw = await self.protocol.ask(
                    "workspace/configuration", {"items": [{"section": "surveyor"}]}
                )
        except (TimeoutError, UpstreamError):
            return
        values = messages.decode(raw)
        if isinstance(values, list) and values and isinstance(values[0], dict):
            self._editor_settings = options.overlay(self._editor_settings, values[0])
            self._read_settings()
            self._apply_settings()

    def _configuration_changed(self, params: msgspec.Raw) -> None:
        value = messages.decode(params)
        pushed = value.get("settings") if isinstance(value, dict) else None
        mine = pushed.get("surveyor") if isinstance(pushed, dict) else None
        if isinstance(mine, dict):
            self._editor_settings = options.overlay(self._editor_settings, mine)
            self._read_settings()
            self._apply_settings()
        elif self.host.can("workspace.configuration"):
            self.spawn(self._ask_configuration())
        for upstream in self.manager.all():
            if isinstance(pushed, dict) and not mine:
                upstream.notify("workspace/didChangeConfiguration", params)

    def _apply_settings(self) -> None:
        """Make what runs fit the settings."""
        upstream = options.overlay(self._base_config.upstream, self.settings.upstream)
        if not self.settings.trusted:
            # Commands come from the user's own file or from a trusted workspace's editor.
            upstream = {
                name: table
                if name in self._base_config.upstream
                else {k: v for k, v in table.items() if k not in ("command", "env", "probe")}
                for name, table in upstream.items()
            }
        config = Config(
            upstream=upstream,
            user_path=self._base_config.user_path,
            installed=self._base_config.installed,
            trusted=self.trust.is_trusted,
            idle_stop_s=self._base_config.idle_stop_s,
            limits=self._base_config.limits,
        )
        if changed(config, self.manager.config):
            try:
                self.manager.configure(config)
            except SurveyorError as error:
                text = f"{error.message} {error.hint}".strip()
                self.protocol.tell("window/showMessage", {"type": 1, "message": text})
        for method in capabilities.raw_methods(self.settings):
            self.protocol.raw_requests[method] = self.relay.handler(method)
        for document in self.documents:
            self._opened(document)
        self.hover.forget()
        self._registrations_changed()
        self.status.changed()

    # --- registrations ----------------------------------------------------------------

    async def _register_static(self) -> None:
        if not self.host.can("workspace.didChangeWatchedFiles.dynamicRegistration"):
            return
        registration = {
            "id": "surveyor/watched",
            "method": "workspace/didChangeWatchedFiles",
            "registerOptions": {"watchers": [{"globPattern": "**/*"}]},
        }
        with contextlib.suppress(UpstreamError):
            await self.protocol.ask("client/registerCapability", {"registrations": [registration]})

    def _registrations_changed(self) -> None:
        wanted = capabilities.registrations(
            self.host.capabilities, self.settings, self.manager.registry, self._offered
        )
        gone = [item for key, item in self._registered.items() if wanted.get(key) != item]
        new = [item for key, item in wanted.items() if self._registered.get(key) != item]
        self._registered = wanted
        if gone or new:
            self.spawn(self._register(gone, new))

    async def _register(self, gone: list[dict[str, Any]], new: list[dict[str, Any]]) -> None:
        with contextlib.suppress(UpstreamError):
            if gone:
                items = [{"id": item["id"], "method": item["method"]} for item in gone]
                # The misspelling is the protocol's.
                await self.protocol.ask("client/unregisterCapability", {"unregisterations": items})
            if new:
                await self.protocol.ask("client/registerCapability", {"registrations": new})

    # --- upstreams --------------------------------------------------------------------

    def _opened(self, document: Document) -> None:
        """A buffer is open: start its language server, unless another one serves it."""
        self.spawn(self._attach(document))

    async def _attach(self, document: Document) -> None:
        await self.configured.wait()
        language = self.relay.language(document.uri)
        if not language or self.settings.mode(language) != "proxy":
            return
        with contextlib.suppress(UpstreamError):
            await self.relay.upstream_for(document.uri)

    def _upstream_changed(self, upstream: Upstream) -> None:
        if self._closing:
            return
        if upstream.running:
            offered = capabilities.offers(upstream)
            if offered != self._offered.get(upstream.language):
                self._offered[upstream.language] = offered
                self._registrations_changed()
        self._show_start(upstream)
        if upstream.state is State.DEAD:
            text = f"{upstream.name}: {upstream.reason}"
            self.protocol.tell("window/logMessage", {"type": 1, "message": text})
        if upstream.ready:
            self.hover.forget()
        self.status.changed()

    def _show_start(self, upstream: Upstream) -> None:
        """One progress item while a server gets ready."""
        key = id(upstream)
        if upstream.state in (State.STARTING, State.INITIALIZED, State.INDEXING):
            if key not in self._starting:
                title = f"{upstream.name} is getting ready"
                self._starting[key] = Progress(self.protocol, self.host, title)
            self._starting[key].report(upstream.reason or upstream.state.value)
        else:
            item = self._starting.pop(key, None)
            if item is not None:
                item.end(upstream.state.value)

    def _missing(self, language: str, message: str) -> None:
        text = f"{message} Definitions and references come from the index until then."
        self.protocol.tell("window/logMessage", {"type": 2, "message": text})
        self.status.changed()

    async def _count_references(self, uri: str, line: int, character: int) -> int | None:
        with contextlib.suppress(UpstreamError):
            upstream = await self.relay.upstream_for(uri)
            if upstream.ready:
                params = {
                    "textDocument": {"uri": uri},
                    "position": {"line": line, "character": character},
                    "context": {"includeDeclaration": False},
                }
                answer = await upstream.request("textDocument/references", params)
                return len(answer.value() or [])
        path = to_path(uri)
        if path is None:
            return None
        with contextlib.suppress(SurveyorError):
            known = await self.index.call(
                EnrichmentRequest(
                    path=str(path), line=line + 1, column=character, cwd=str(path.parent)
                ),
                limit_s=2,
            )
            return known.references if known.found else None
        return None

    # --- the engine -------------------------------------------------------------------

    def _engine_state(self, up: bool, message: str) -> None:
        if up:
            self._said.discard("engine")
            self.protocol.tell(
                "window/logMessage", {"type": 3, "message": "Surveyor: the engine is connected."}
            )
            self.buffers.show_all()
            self.hover.forget()
            if self.settings.auto_index:
                for root in self.roots.paths:
                    self.projects.open(root)
        elif "engine" not in self._said and not self._closing:
            self._said.add("engine")
            self.protocol.tell(
                "window/showMessage",
                {
                    "type": 2,
                    "message": f"Surveyor's engine is not there ({message}). Language servers "
                    "work on; search, meaning and hover sections are back when it is.",
                },
            )
        self.status.changed()

    def _index_changed(self, params: Any) -> None:
        self.hover.forget()
        self.status.changed()

    def _run_began(self, params: Any) -> None:
        if isinstance(params, dict):
            for follow in self.projects.began(str(params.get("root")), params.get("run")):
                self.spawn(follow)
        self._index_changed(params)

    def _file_changed(self, params: Any) -> None:
        """The user's configuration file has changed."""
        self.spawn(self._reload())

    async def _reload(self) -> None:
        await self._load_configuration()
        self._apply_settings()

    def _status_changed(self) -> None:
        self.status.changed()

    async def _overlay(self, path: Path, version: int, text: str | None) -> None:
        if self.roots.of(path) is not None and self.index.up:
            await self.index.call(OverlayRequest(path=str(path), version=version, text=text))

    async def _editor_status(self, params: Any) -> Any:
        return [dict(item) for item in self.manager.status()]

    # --- files, folders, commands -----------------------------------------------------

    def _watched(self, params: msgspec.Raw) -> None:
        value = messages.decode(params)
        changes = value.get("changes") if isinstance(value, dict) else None
        if isinstance(changes, list):
            self.manager.watched([change for change in changes if isinstance(change, dict)])

    def folders_changed(self, params: types.DidChangeWorkspaceFoldersParams) -> None:
        """Folders were added or removed while we run."""
        added, removed = self.roots.change(
            [{"uri": folder.uri} for folder in params.event.added],
            [{"uri": folder.uri} for folder in params.event.removed],
        )
        for root in added:
            self.trust.vouch(root, self.settings.trusted)
        self.spawn(self._folders(added, removed))

    async def _folders(self, added: list[Path], removed: list[Path]) -> None:
        for root in removed:
            self.projects.close(root)
            await self.manager.stop_root(root)
        await self.index.set_roots(self.roots.paths)
        for root in added:
            if self.index.up and self.settings.auto_index:
                self.projects.open(root)
        for document in self.documents:
            path = to_path(document.uri)
            if path is not None and self.roots.of(path) in added:
                self._opened(document)
        self.status.changed()

    async def _highlight(self, params: msgspec.Raw) -> Any:
        self.hover.prepare(parse_target(params))
        return await self.relay.serve("textDocument/documentHighlight", params)

    async def _execute(self, params: msgspec.Raw) -> Any:
        value = messages.decode(params)
        if not isinstance(value, dict) or not isinstance(value.get("command"), str):
            raise InvalidParamsError("command is missing")
        command = value["command"]
        if command.startswith("surveyor."):
            return await self.custom.command(command, value.get("arguments") or [])
        for upstream in self.manager.all():
            provider = upstream.capabilities.get("executeCommandProvider") or {}
            if upstream.running and command in provider.get("commands", []):
                return (await upstream.request("workspace/executeCommand", params)).raw
        raise InvalidParamsError(f"no command is called {command}")


def changed(new: Config, old: Config) -> bool:
    """Whether two configurations would start different programs."""
    return (new.upstream, new.user_path, new.installed, new.idle_stop_s) != (
        old.upstream,
        old.user_path,
        old.installed,
        old.idle_stop_s,
    )


def register_features(server: Server) -> None:
    """The typed features that pygls serves."""

    @server.feature(types.WORKSPACE_SYMBOL, types.WorkspaceSymbolOptions(resolve_provider=True))
    async def workspace_symbol(
        params: types.WorkspaceSymbolParams,
    ) -> list[types.WorkspaceSymbol]:
        return await server.symbols.find(params.query)

    @server.feature(types.WORKSPACE_SYMBOL_RESOLVE)
    def workspace_symbol_resolve(symbol: types.WorkspaceSymbol) -> types.WorkspaceSymbol:
        return symbols.resolve(symbol)

    @server.feature(types.TEXT_DOCUMENT_CODE_LENS, types.CodeLensOptions(resolve_provider=True))
    async def code_lens(params: types.CodeLensParams) -> list[types.CodeLens]:
        return await server.lenses.find(params.text_document.uri)

    @server.feature(types.CODE_LENS_RESOLVE)
    async def code_lens_resolve(item: types.CodeLens) -> types.CodeLens:
        return await server.lenses.resolve(item)

    @server.feature(types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS)
    def folders_changed(params: types.DidChangeWorkspaceFoldersParams) -> None:
        server.folders_changed(params)


def create(greeting: Greeting, writer: Any) -> Server:
    """The server of a session that has been greeted; on the loop that will serve it."""
    server = Server()
    server.protocol.set_writer(writer)
    server.adopt(greeting)
    return server
