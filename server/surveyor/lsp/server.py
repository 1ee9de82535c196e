"""The language server: one object a window, made of the parts of this package.

Every method has a raw handler: JSON in, JSON out (`protocol.py`).
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable
from pathlib import Path
from typing import Any

import msgspec

from surveyor import __version__, paths
from surveyor.errors import SurveyorError
from surveyor.lsp import capabilities, symbols
from surveyor.lsp.agent_activity import AgentActivity
from surveyor.lsp.agent_edits import AgentEdits
from surveyor.lsp.buffers import Buffers
from surveyor.lsp.code_history import CodeHistory
from surveyor.lsp.configuration import Configuration, starts_others
from surveyor.lsp.engine_link import EngineLink
from surveyor.lsp.fallback import Fallback
from surveyor.lsp.host import EditorHost
from surveyor.lsp.hover import Hover
from surveyor.lsp.hover_section import HoverSection
from surveyor.lsp.initialize import EditorInfo
from surveyor.lsp.known_offers import KnownOffers, workspace_languages
from surveyor.lsp.lenses import Lenses, data_of
from surveyor.lsp.navigation import Navigation
from surveyor.lsp.projects import WorkspaceProjects
from surveyor.lsp.protocol import InvalidParamsError, Protocol
from surveyor.lsp.registrations import Registrations
from surveyor.lsp.relay import RequestRouter, parse_target
from surveyor.lsp.request_progress import RequestProgress
from surveyor.lsp.roots import Roots
from surveyor.lsp.server_extensions import ServerExtensions
from surveyor.lsp.server_logs import ServerLogs
from surveyor.lsp.servers import WindowUpstreams
from surveyor.lsp.settings import EditorSettings
from surveyor.lsp.status import StatusReporter
from surveyor.lsp.stdio import Writer
from surveyor.lsp.surveyor_requests import SurveyorRequests
from surveyor.lsp.test_runs import EditorTestRuns
from surveyor.lsp.workspace_methods import WorkspaceMethods
from surveyor.protocol.search import SEARCH_PROGRESS
from surveyor.protocol.sessions import OverlayRequest
from surveyor.protocol.test_runs import RUN_PROGRESS
from surveyor.servers import messages
from surveyor.servers.documents import OpenDocuments
from surveyor.servers.manager import UpstreamConfig, UpstreamManager
from surveyor.servers.methods import FEATURE_OF, Relay, capability, is_offered
from surveyor.servers.upstream import Upstream
from surveyor.servers.uris import to_path

log = logging.getLogger(__name__)


class LspServer:
    """`surveyor lsp` for one editor window."""

    def __init__(self, writer: Writer) -> None:
        self.protocol = Protocol(writer)
        self._tasks: set[asyncio.Future[Any]] = set()
        self._said: set[str] = set()
        self._relayed: dict[str, frozenset[str]] = {}
        self._closing = False
        self.roots = Roots()
        self.documents = OpenDocuments()
        self.configuration = Configuration(self.protocol, self.roots, self._configured)
        self.server_logs = ServerLogs(self._manager)
        self.host = EditorHost(
            self.protocol,
            self.documents,
            self._settings,
            self._upstream_changed,
            self.server_logs.said,
            self.configuration.is_confined,
        )
        self.manager = UpstreamManager(
            UpstreamConfig(), host=self.host, documents=self.documents, on_missing=self._missing
        )
        self.relay = RequestRouter(
            self.documents,
            self.roots,
            self.host,
            self._manager,
            self._settings,
            self.configuration.loaded,
        )
        self.workspace_methods = WorkspaceMethods(self.relay, self._manager, self._settings)
        self.extensions = ServerExtensions(self.relay, self._manager, self._settings)
        self.offers = KnownOffers(paths.data_dir() / "offers.json")
        self.navigation = Navigation(self.relay, self.documents)
        self.agent_edits = AgentEdits(
            self.protocol, self.host, self.documents, lambda: self.buffers
        )
        self.agent_activity = AgentActivity(
            self.protocol, lambda: self.index, self.roots, self._settings
        )
        self.index = EngineLink(
            on_state=self._engine_state,
            on_notification={
                "index_changed": self._index_changed,
                "progress": self._run_began,
                "agent_activity": self.agent_activity.heard,
                RUN_PROGRESS: lambda params: self.test_runs.progressed(params),
                SEARCH_PROGRESS: lambda params: self.surveyor_requests.search_progressed(params),
                "configuration_changed": lambda _: self.spawn(self.configuration.load()),
            },
            on_request={
                **self.navigation.handlers(),
                **self.agent_edits.handlers(),
                "editor/status": self._editor_status,
            },
        )
        self.relay.fallback = Fallback(
            self.index, self.documents, self.roots, self.host, self.say_once
        )
        self.projects = WorkspaceProjects(
            self.index,
            self.protocol,
            self.host,
            lambda: self.status.changed(),
            lambda: self.buffers.show_refused(),
        )
        self.status = StatusReporter(
            self.protocol,
            self.index,
            self.roots,
            self.projects,
            self.documents,
            self._manager,
            self._settings,
        )
        self.section = HoverSection(self.index, self.documents, self.roots, self.projects.root_of)
        self.hover = Hover(self.relay, self.documents, self._settings, self.section.compose)
        self.symbols = symbols.WorkspaceSymbols(
            self.index,
            self._searched,
            self._manager,
            self._settings,
            self.relay.until_configured,
        )
        self.servers = WindowUpstreams(
            self.protocol, self.host, self.relay, self.index, self._settings, self.spawn
        )
        self.registrations = Registrations(
            self.protocol, self.host, self._manager, self._settings, self.spawn
        )
        self.buffers = Buffers(
            self.documents,
            self._manager,
            opened=self.servers.opened,
            overlay=self._overlay,
            is_ours=lambda path: self.roots.of(path) is not None,
        )
        self.lenses = Lenses(self.index, self.roots, self._settings, self.servers.count_references)
        self.request_progress = RequestProgress(self.protocol.tell)
        self.test_runs = EditorTestRuns(
            self.index, self.request_progress, self.configuration.upstreams
        )
        self.surveyor_requests = SurveyorRequests(
            self.index,
            self.roots,
            self.documents,
            self.projects,
            self.status,
            self.hover,
            self.buffers.shown,
            self.agent_activity.serve,
            self.spawn,
            self.test_runs,
            self.request_progress,
            lambda: self.host.in_error,
            CodeHistory(self.index, self.documents, self.projects.root_of).history,
            self.server_logs.log,
            self.server_logs.restart,
        )
        self._install_handlers()

    # --- wiring -----------------------------------------------------------------------

    def _settings(self) -> EditorSettings:
        return self.configuration.settings

    def _manager(self) -> UpstreamManager:
        return self.manager

    def _searched(self) -> list[Path]:
        return self.roots.searched(document.uri for document in self.documents)

    def _install_handlers(self) -> None:
        raw = self.protocol.raw_requests
        for method, feature in FEATURE_OF.items():
            if feature.relay is not Relay.OURS:
                raw[method] = self.relay.handler(method)
        raw.update(self.workspace_methods.requests())
        raw["textDocument/codeLens"] = self._code_lens
        raw["codeLens/resolve"] = self._resolve_lens
        raw["textDocument/hover"] = self.hover.serve
        raw["textDocument/documentHighlight"] = self._highlight
        raw["workspace/symbol"] = self.symbols.serve
        raw["workspace/executeCommand"] = self._execute
        raw.update(self.surveyor_requests.handlers())
        self.protocol.other_requests = self.extensions.serve
        self.protocol.other_notifications = lambda method, params: self.spawn(
            self.extensions.tell(method, params)
        )
        notifications = self.protocol.raw_notifications
        notifications.update(self.workspace_methods.notifications())
        notifications["textDocument/didOpen"] = self.buffers.did_open
        notifications["textDocument/didChange"] = self.buffers.did_change
        notifications["textDocument/didSave"] = self.buffers.did_save
        notifications["textDocument/didClose"] = self.buffers.did_close
        notifications["workspace/didChangeWatchedFiles"] = self._watched
        notifications["workspace/didChangeWorkspaceFolders"] = self._folders_changed
        notifications["workspace/didChangeConfiguration"] = self._configuration_changed
        notifications["window/workDoneProgress/cancel"] = self.host.progress_cancelled
        notifications["initialized"] = lambda params: self.spawn(self._begin())
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

    def adopt(self, editor_info: EditorInfo) -> None:
        """Begin the session that was greeted."""
        self.roots.initialize(editor_info.params)
        self.configuration.adopt(editor_info.options)
        self.protocol.initialize_params = editor_info.params
        self.offers.editor = editor_info.capabilities
        log.info("surveyor %s for %s", __version__, editor_info.params.get("clientInfo"))
        if not editor_info.waits:
            self._answered(editor_info.result())

    async def introduce(self, editor_info: EditorInfo) -> None:
        """Answer `initialize` with what the workspace's servers offer."""
        self.protocol.hold()
        known: dict[str, capabilities.Offers] = {}
        late: list[str] = []
        try:
            await self.configuration.load()
            root = self.roots.first()
            if root is not None:
                wanted = await asyncio.to_thread(
                    workspace_languages, self.roots.paths, self.manager.registry, self._settings()
                )
                known, late = await self.offers.learn(self.manager, wanted, root)
        except Exception:
            log.exception("what the servers of the workspace offer")
        if late:
            text = (
                f"Surveyor: the language servers for {', '.join(late)} are still starting, and"
                " this editor cannot be told later what they offer beyond the usual. Restart"
                " Surveyor's language server once they are ready."
            )
            self.protocol.tell("window/showMessage", {"type": 2, "message": text})
        self._answered(editor_info.result(known))
        self.protocol.release(editor_info.answer(known))

    def _answered(self, result: dict[str, Any]) -> None:
        """Note what the editor was told that we can."""
        providers = result["capabilities"]
        self.relay.advertised = lambda feature: (
            (is_offered(capability(providers, feature.provider)) if feature.provider else False)
            or self.registrations.stands(feature.method)
        )

    async def _begin(self) -> None:
        if not self.configuration.loaded.is_set():
            await self.configuration.load()
        await self.registrations.watch_files()
        if self.host.can("workspace.configuration"):
            await self.configuration.ask()
        if self._settings().engine:
            self.index.start(self.roots.paths)
        else:
            self.index.leave("switched off by the editor's settings")
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

    def _configured(self) -> None:
        """Make what runs fit the settings."""
        config = self.configuration.upstreams()
        if starts_others(config, self.manager.config):
            try:
                self.manager.configure(config)
            except SurveyorError as error:
                said = {"type": 1, "message": error.sentence}
                self.protocol.tell("window/showMessage", said)
        self._warn()
        relayed = {name: self._settings().relayed(name) for name in self.manager.registry.languages}
        if relayed != self._relayed:
            self._relayed = relayed
            for upstream in self.manager.all():
                # What it offers depends on what the editor can, and that it has been told once.
                if upstream.running:
                    self.spawn(upstream.restart())
        for document in self.documents:
            self.servers.opened(document)
        self.hover.forget()
        self.registrations.refresh()
        self.status.changed()

    def _warn(self) -> None:
        """Tell of settings that mean nothing, each once."""
        for text in self._settings().warnings:
            if text not in self._said:
                self._said.add(text)
                said = {"type": 2, "message": f"Surveyor: {text}"}
                self.protocol.tell("window/showMessage", said)

    def _configuration_changed(self, params: msgspec.Raw) -> None:
        self.spawn(self._take_configuration(params))

    async def _take_configuration(self, params: msgspec.Raw) -> None:
        if await self.configuration.pushed(params, self.host):
            for upstream in self.manager.all():
                if not self.configuration.is_confined(upstream.root):
                    upstream.notify("workspace/didChangeConfiguration", params)

    # --- upstreams --------------------------------------------------------------------

    def _upstream_changed(self, upstream: Upstream) -> None:
        if self._closing:
            return
        self.server_logs.changed(upstream)
        text = self.configuration.unasked(upstream)
        if text and text not in self._said:
            self._said.add(text)
            self.protocol.tell("window/logMessage", {"type": 3, "message": f"Surveyor: {text}"})
        if upstream.running:
            self.registrations.offered(upstream)
            if self._settings().relayed(upstream.language):
                self.offers.record(upstream, self.manager.config.upstream.get(upstream.language))
        self.servers.show(upstream)
        if upstream.ready:
            self.hover.forget()
        self.status.changed()

    def _missing(self, language: str, message: str) -> None:
        self.servers.missing(message)
        self.status.changed()

    # --- the engine -------------------------------------------------------------------

    def _engine_state(self, up: bool, message: str) -> None:
        if up:
            self._said.discard("engine")
            self.protocol.tell(
                "window/logMessage", {"type": 3, "message": "Surveyor: the engine is connected."}
            )
            self.buffers.show_all()
            self.hover.forget()
            if self._settings().auto_index:
                for root in self.roots.paths:
                    self.projects.open(root)
        elif "engine" not in self._said and not self._closing:
            self._said.add("engine")
            self.protocol.tell(
                f"window/{'log' if self._settings().shows_status else 'show'}Message",
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

    async def _overlay(self, path: Path, version: int, text: str | None) -> None:
        if self.index.up:
            await self.index.call(OverlayRequest(path=str(path), version=version, text=text))

    async def _editor_status(self, params: Any) -> Any:
        return [dict(item) for item in self.manager.status()]

    # --- files, folders, commands -----------------------------------------------------

    def _watched(self, params: msgspec.Raw) -> None:
        value = messages.decode(params)
        changes = value.get("changes") if isinstance(value, dict) else None
        if isinstance(changes, list):
            self.manager.watched([change for change in changes if isinstance(change, dict)])

    def _folders_changed(self, params: msgspec.Raw) -> None:
        """Folders were added or removed while we run."""
        value = messages.decode(params)
        event = value.get("event") if isinstance(value, dict) else None
        if not isinstance(event, dict):
            return
        added, removed = self.roots.change(event.get("added") or [], event.get("removed") or [])
        self.configuration.vouch(added)
        self.spawn(self._folders(added, removed))

    async def _folders(self, added: list[Path], removed: list[Path]) -> None:
        for root in removed:
            self.projects.close(root)
            await self.manager.stop_root(root)
        await self.index.set_roots(self.roots.paths)
        self.buffers.folders_changed()
        for root in added:
            if self.index.up and self._settings().auto_index:
                self.projects.open(root)
        for document in self.documents:
            path = to_path(document.uri)
            if path is not None and self.roots.of(path) in added:
                self.servers.opened(document)
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
            return await self.surveyor_requests.command(command, value.get("arguments") or [])
        return await self.workspace_methods.execute(command, value.get("arguments"), params)

    async def _code_lens(self, params: msgspec.Raw) -> Any:
        """The server's lenses, where they are relayed, and ours."""
        uri = parse_target(params).uri
        if not uri:
            raise InvalidParamsError("textDocument.uri is missing")
        await self.relay.until_configured()
        theirs: Any = None
        if self.relay.relays(capabilities.CODE_LENS, uri):
            theirs = await self.relay.serve(capabilities.CODE_LENS, params)
        ours = await self.lenses.find(uri)
        if not ours:
            return theirs if theirs is not None else []
        value = messages.decode(messages.to_raw(theirs)) if theirs is not None else None
        return [*(value if isinstance(value, list) else []), *ours]

    async def _resolve_lens(self, params: msgspec.Raw) -> Any:
        item = messages.decode(params)
        data = data_of(item)
        if data is None:
            return await self.relay.serve("codeLens/resolve", params)
        return await self.lenses.resolve(item, data)


def create(editor_info: EditorInfo, writer: Writer) -> LspServer:
    """The server of a session that has been greeted; on the loop that will serve it."""
    server = LspServer(writer)
    server.adopt(editor_info)
    return server
