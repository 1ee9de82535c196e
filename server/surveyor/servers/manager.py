"""The upstreams of one Surveyor process: which server for which file, started when needed.

One upstream per language, method and root. Used by `surveyor lsp` (with the editor as host) and by
the engine (headless): `UpstreamManager(config)`, then `request(path, method, params)`.
"""

from __future__ import annotations

import asyncio
import contextlib
import math
import shlex
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from surveyor.files.safe_read import read_bytes
from surveyor.servers.discovery import Discovery, ServerProgram
from surveyor.servers.documents import EDITOR, OpenDocument, OpenDocuments
from surveyor.servers.errors import UpstreamError, UpstreamHeldBackError, UpstreamMissingError
from surveyor.servers.host.client import Sharing
from surveyor.servers.lsp_client import HeadlessHost, UpstreamHost
from surveyor.servers.lsp_globs import matches
from surveyor.servers.probes import Probes
from surveyor.servers.project_roots import project_root
from surveyor.servers.registry import LanguageSpec, Registry, builtin, with_user
from surveyor.servers.upstream import LifecycleState, LifecycleTimeouts, ServerAnswer, Upstream
from surveyor.servers.uris import is_inside, to_path, to_uri

IDLE_STOP_S = 600.0
"""A server that nobody has asked anything for so long is stopped; it starts again when needed."""

CHECK_EVERY_S = 60.0

ROOT_S = 5.0
"""How long the root that was found for a folder's files is taken for it."""
MISSING_RETRY_S = 30.0
"""How long a language without a runnable server is left alone before looking again."""

HEADLESS_OPEN_FILES = 32
"""Most files that headless questions keep open in one server."""

MAX_HEADLESS_FILE_BYTES = 4 * 1024 * 1024
"""A larger file is not sent to a server by a headless question."""


@dataclass(frozen=True, slots=True)
class UpstreamConfig:
    """Settings of upstreams: languages, programs, trust, time limits."""

    upstream: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """The user's `[upstream.<language>]` tables."""
    user_path: str = ""
    user_path_now: Callable[[], str] | None = None
    """What is recorded of the user's PATH by now: a server may be installed while this runs."""
    installed: Path | None = None
    probed: Path | None = None
    """Where it is kept which programs run (`probes.Probes`)."""
    trusted: Callable[[Path], bool] = lambda root: False
    confined: Callable[[Path], bool] = lambda root: False
    """Folders in which nothing may be run that is in them, by a server either."""
    idle_stop_s: float = IDLE_STOP_S
    limits: LifecycleTimeouts = field(default_factory=LifecycleTimeouts)
    sharing: Sharing | None = None
    """The way to servers that all windows and agents use; none: each process has its own."""


class UpstreamManager:
    """Starts, finds and ends upstreams, one for each root and server."""

    def __init__(
        self,
        config: UpstreamConfig,
        *,
        host: UpstreamHost[Upstream] | None = None,
        documents: OpenDocuments | None = None,
        on_missing: Callable[[str, str], None] | None = None,
    ) -> None:
        self.host: UpstreamHost[Upstream] = host or HeadlessHost()
        self.documents = documents if documents is not None else OpenDocuments()
        self._on_missing = on_missing or (lambda language, message: None)
        self._upstreams: dict[tuple[str, Path], Upstream] = {}
        self._starting: dict[tuple[str, Path], asyncio.Future[Upstream]] = {}
        self._missing: dict[tuple[str, Path], tuple[float, UpstreamMissingError]] = {}
        self._failed: set[tuple[str, tuple[str, ...], Path]] = set()
        self._leaving: dict[Upstream, asyncio.Future[None]] = {}
        """Those that another configuration has no use for, being stopped."""
        self._headless: dict[str, float] = {}
        self._within: dict[Path, Path] = {}
        """Roots, and the workspace that each is of."""
        self._roots: dict[tuple[str, Path, Path], tuple[float, Path]] = {}
        """When the root of a language's files in a folder of a workspace was found, and which."""
        self._reaper: asyncio.Task[None] | None = None
        self._closed = False
        self.config = config
        self.configure(config)

    def configure(self, config: UpstreamConfig) -> None:
        """Use another configuration; servers of languages that it says otherwise of are stopped.

        They start anew, or others in their place, with the next question or open buffer.
        """
        before, self.config = self.config, config
        self.registry: Registry = with_user(builtin(), config.upstream)
        self.discovery = Discovery(config.user_path, config.installed, Probes(config.probed))
        self._missing.clear()
        self._failed.clear()
        for key in list(self._upstreams):
            if before.upstream.get(key[0]) != config.upstream.get(key[0]):
                upstream = self._upstreams.pop(key)
                self._leaving[upstream] = asyncio.ensure_future(self._leave(upstream))

    async def _leave(self, upstream: Upstream) -> None:
        try:
            await upstream.stop()
        finally:
            self._leaving.pop(upstream, None)

    # --- which one --------------------------------------------------------------------

    def language_of(self, uri: str, language_id: str = "") -> LanguageSpec | None:
        """The language of a document, by its identifier or its name."""
        path = to_path(uri)
        if path is None and (shown := self.registry.language_of_scheme(uri)) is not None:
            return shown
        return self.registry.language_of(language_id, path.as_posix() if path else uri)

    def root_of(self, language: LanguageSpec, path: Path, workspace: Path) -> Path:
        """The folder that a server works on for a file: the workspace's, or that of a project in it
        (`project_root`), for a server looks for what is installed, and for sources, in its root."""
        if not language.environments and not language.projects:
            return workspace
        key = (language.name, path.parent, workspace)
        looked_at, root = self._roots.get(key, (-math.inf, workspace))
        if time.monotonic() - looked_at > ROOT_S:  # each key that is typed asks
            root = project_root(language, path.parent, workspace)
            self._roots[key] = time.monotonic(), root
            self._within[root] = workspace
        return root

    def on(self, workspace: Path) -> list[Upstream]:
        """Upstreams that were started for a workspace."""
        return [self._upstreams[key] for key in self._keys_on(workspace)]

    def _keys_on(self, workspace: Path) -> list[tuple[str, Path]]:
        return [key for key in self._upstreams if workspace in (key[1], self._within.get(key[1]))]

    def all(self) -> list[Upstream]:
        """Every upstream that was started and not stopped."""
        return list(self._upstreams.values())

    def missing(self) -> dict[str, str]:
        """Languages for which no server was found, and what was said of each."""
        return {language: error.message for (language, _), (_, error) in self._missing.items()}

    def sought(self) -> list[asyncio.Future[Upstream]]:
        """Those whose program is being looked for."""
        return list(self._starting.values())

    async def until_started(
        self, limit_s: float, wanted: Callable[[Upstream], bool] = lambda upstream: True
    ) -> None:
        """Wait for servers that are starting, or are about to be started again: what they offer is
        not known before."""

        async def wait(upstream: Upstream) -> None:
            with contextlib.suppress(UpstreamError):
                await upstream.wait_running(limit_s, limit_s)

        for found in self.sought():
            with contextlib.suppress(UpstreamError):
                await asyncio.shield(found)
        starting = [up for up in self.all() if not up.running and wanted(up)]
        await asyncio.gather(*map(wait, starting))

    def running_for(self, language: str, root: Path) -> Upstream | None:
        """The upstream of a language on a root, if there is one already."""
        return self._upstreams.get((language, root))

    def any_for(self, language: str) -> Upstream | None:
        """Some upstream of a language: for files outside every root, the one last used."""
        mine = [up for (name, _), up in self._upstreams.items() if name == language]
        return max(mine, key=lambda up: up.last_used, default=None)

    async def get(self, language: str, root: Path) -> Upstream:
        """The upstream for a language on a root, started if need be (but not waited for).

        Raises `UpstreamMissingError` when no server of the language runs.
        """
        key = (language, root)
        upstream = self._upstreams.get(key)
        if upstream is not None and not self._given_up(upstream):
            if upstream.state is LifecycleState.STOPPED:
                upstream.start()
            return upstream
        if key in self._missing:
            when, error = self._missing[key]
            if time.monotonic() - when < MISSING_RETRY_S:
                raise error
        pending = self._starting.get(key)
        if pending is None:
            pending = asyncio.ensure_future(self._start(language, root))
            self._starting[key] = pending
            pending.add_done_callback(lambda _: self._starting.pop(key, None))
        return await asyncio.shield(pending)

    def _given_up(self, upstream: Upstream) -> bool:
        """A program that never answered `initialize` is no server: the next one is tried."""
        return upstream.state is LifecycleState.DEAD and not upstream.started_ever

    async def _start(self, language: str, root: Path) -> Upstream:
        key = (language, root)
        old = self._upstreams.pop(key, None)
        why = ""
        if old is not None:
            why = f" ({old.name} {old.reason})"
            self._failed.add((old.name, old.command, root))
            await old.stop()
        while True:
            table = self.config.upstream.get(language)
            found = await self._find(language, root)
            if table == self.config.upstream.get(language):  # else told otherwise meanwhile
                break
        known = self._missing.pop(key, None)
        if found is not None:
            return self._launch(language, root, found)
        error = await self._missing_error(language, root, why)
        self._failed = {item for item in self._failed if item[2] != root}
        self._missing[key] = (time.monotonic(), error)
        if known is None or known[1].message != error.message:  # it is looked for every minute
            self._on_missing(language, error.message)
        raise error

    def held_back(self, language: str, root: Path) -> str:
        """Why no server was started where one is here and its folder has to be trusted first."""
        _, error = self._missing.get((language, root), (0.0, None))
        return error.message if isinstance(error, UpstreamHeldBackError) else ""

    async def _missing_error(self, language: str, root: Path, why: str) -> UpstreamMissingError:
        candidates = self.registry.candidates(language)
        if self.config.confined(root):
            held = [each.name for each in candidates if await self.discovery.held_back(each, root)]
            if held:
                return UpstreamHeldBackError(
                    f"{' and '.join(held)} {'is' if len(held) == 1 else 'are'} held back until"
                    f" `surveyor trust {shlex.quote(str(root))}`: what the folder says would run"
                    " (build scripts, plugins, interpreters)."
                )
        names = ", ".join(spec.name for spec in candidates)
        return UpstreamMissingError(
            f"No language server for {language} runs here{why}. Looked for: {names or 'none'}.",
            f"Install one, for example: surveyor servers install {language}",
        )

    async def _find(self, language: str, root: Path) -> ServerProgram | None:
        """The first server of a language that runs and has not failed on this root."""
        trusted, confined = self.config.trusted(root), self.config.confined(root)
        if self.config.user_path_now is not None:
            self.discovery.user_path = self.config.user_path_now() or self.config.user_path
        for spec in self.registry.candidates(language):
            for found in self.discovery.places(spec, root, trusted=trusted, confined=confined):
                if (spec.name, found.command, root) in self._failed:
                    continue
                if await self.discovery.runs(found):
                    return found
        fetched = None if confined else await self._from_multilspy(language, root)
        if fetched and (fetched.spec.name, fetched.command, root) not in self._failed:
            return fetched
        return None

    async def _from_multilspy(self, language: str, root: Path) -> ServerProgram | None:
        from surveyor.servers import multilspy_provider  # only where nothing else is found

        spec = self.registry.languages.get(language)
        if spec is None or not spec.servers:
            return None
        try:
            return await multilspy_provider.launch(self.config.installed, spec, root)
        except (UpstreamError, OSError) as error:
            self._on_missing(language, str(error))
            return None

    def _launch(self, language: str, root: Path, found: ServerProgram) -> Upstream:
        env = {**self.discovery.environment(), **(found.env or {})}
        upstream = Upstream(
            found.spec,
            found.command,
            root,
            host=self.host,
            documents=self.documents,
            language=language,
            env=env,
            limits=self.config.limits,
            sharing=self.config.sharing,
        )
        self._upstreams[(language, root)] = upstream
        upstream.start()
        if self._reaper is None:
            self._reaper = asyncio.ensure_future(self._reap())
        return upstream

    # --- headless questions -----------------------------------------------------------

    async def request(
        self,
        path: Path,
        root: Path,
        method: str,
        params: Mapping[str, Any],
        *,
        timeout: float | None = None,
        wait_ready: float = 0.0,
    ) -> tuple[Upstream, ServerAnswer]:
        """Ask about a file on disk (or an open buffer): opened for the server as needed.

        `params` need no `textDocument`. `wait_ready` is how long in seconds to wait for complete
        answers first. Raises `UpstreamError`s; `OSError` when the file cannot be read.
        """
        uri = self.documents.uri_of(path)
        language = self.language_of(uri)
        if language is None:
            raise UpstreamMissingError(f"No language server knows {path.name}")
        upstream = await self.get(language.name, self.root_of(language, path, root))
        self.open_headless(upstream, path)
        if wait_ready:
            await upstream.wait_ready(wait_ready)
        answer = await upstream.request(
            method, {"textDocument": {"uri": uri}, **params}, timeout=timeout
        )
        return upstream, answer

    def open_headless(self, upstream: Upstream, path: Path) -> OpenDocument:
        """Make sure that a server knows a file: the editor's buffer if open, else the disk."""
        uri = self.documents.uri_of(path)
        owner = f"headless:{upstream.language}:{upstream.root}"
        document = self.documents.get(uri)
        if document is not None and EDITOR not in document.owners:
            document.owners.add(owner)
        if document is None or document.owners == {owner}:
            text = read_text(path)
            if document is None:
                identifier = self.registry.language_id(path.as_posix())
                document = self.documents.open(uri, identifier, 1, text, owner)
            elif text != document.text:
                document.version += 1
                document.replace(text)
                upstream.change(
                    document,
                    {
                        "textDocument": {"uri": uri, "version": document.version},
                        "contentChanges": [{"text": text}],
                    },
                )
        if owner in document.owners:
            self._headless[uri] = time.monotonic()
        upstream.attach(document)
        self._close_oldest(upstream, owner)
        return document

    def _close_oldest(self, upstream: Upstream, owner: str) -> None:
        opened = {uri: self.documents.get(uri) for uri in self._headless}
        for uri in [uri for uri, document in opened.items() if document is None]:
            del self._headless[uri]  # an editor has opened it since
        mine = [uri for uri, each in opened.items() if each is not None and owner in each.owners]
        mine.sort(key=lambda uri: self._headless[uri])
        for uri in mine[: max(0, len(mine) - HEADLESS_OPEN_FILES)]:
            self._headless.pop(uri, None)
            if self.documents.close(uri, owner):
                upstream.detach(uri)

    # --- files and folders ------------------------------------------------------------

    def watched(self, changes: Iterable[Mapping[str, Any]]) -> None:
        """Route file events (LSP's `FileEvent`s) by what each server registered."""
        events = [(change, to_path(str(change.get("uri", "")))) for change in changes]
        for upstream in self.all():
            watchers = [
                watcher
                for item in upstream.registrations.values()
                if item.get("method") == "workspace/didChangeWatchedFiles"
                for watcher in (item.get("registerOptions") or {}).get("watchers", [])
            ]
            wanted = [
                change
                for change, path in events
                if path is not None and any(matches(w, path, upstream.root) for w in watchers)
            ]
            if wanted:
                upstream.notify("workspace/didChangeWatchedFiles", {"changes": wanted})
            if upstream.spec.reopen_created and upstream.running:
                self._reopen_created(upstream, events)

    def changed_on_disk(self, changes: Mapping[Path, int]) -> None:
        """Files changed (LSP's `FileChangeType`) where no editor tells of it.

        A file that a server was shown for a question alone is shown anew, or put away: what is
        open counts for it before what is on disk.
        """
        for path in changes:
            uri = self.documents.uri_of(path)
            for upstream in self.all() if uri in self._headless else ():
                owner = f"headless:{upstream.language}:{upstream.root}"
                document = self.documents.get(uri)
                if document is None or owner not in document.owners:
                    continue
                try:
                    self.open_headless(upstream, path)
                except OSError:  # it is gone
                    self._headless.pop(uri, None)
                    if self.documents.close(uri, owner):
                        upstream.detach(uri)
        self.watched({"uri": to_uri(path), "type": kind} for path, kind in changes.items())

    def _reopen_created(
        self, upstream: Upstream, events: list[tuple[Mapping[str, Any], Path | None]]
    ) -> None:
        for change, path in events:
            if change.get("type") != 1 or path is None or not is_inside(path, upstream.root):
                continue
            language = self.registry.language_of(path=path.as_posix())
            uri = self.documents.uri_of(path)
            if language is None or language.name != upstream.language or upstream.knows(uri):
                continue
            with contextlib.suppress(OSError):
                upstream.notify(
                    "textDocument/didOpen",
                    {
                        "textDocument": {
                            "uri": uri,
                            "languageId": language.ids[0],
                            "version": 0,
                            "text": read_text(path),
                        }
                    },
                )
                upstream.notify("textDocument/didClose", {"textDocument": {"uri": uri}})

    async def restart(self, upstream: Upstream) -> None:
        """Give a server another process, whatever was tried before in vain."""
        self._failed = {each for each in self._failed if each[2] != upstream.root}
        await upstream.renew()

    async def stop_root(self, root: Path) -> None:
        """Stop what works on a root (its project became inactive, its folder was removed)."""
        mine = self._keys_on(root)
        await asyncio.gather(*(self._upstreams.pop(key).stop() for key in mine))

    async def stop_all(self) -> None:
        """Stop everything; what is asked later starts again."""
        mine, self._upstreams = list(self._upstreams.values()), {}
        stopping = [upstream.stop() for upstream in mine]
        await asyncio.gather(*stopping, *self._leaving.values(), return_exceptions=True)

    async def close(self) -> None:
        """Stop everything for good."""
        self._closed = True
        for pending in list(self._starting.values()):
            pending.cancel()
        if self._reaper is not None:
            self._reaper.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._reaper
        await self.stop_all()

    def kill(self) -> None:
        """End all server processes at once."""
        for upstream in (*self._upstreams.values(), *self._leaving):
            upstream.kill()

    def status(self) -> list[dict[str, Any]]:
        """State of every upstream."""
        return [upstream.status() for upstream in self.all()]

    async def _reap(self) -> None:
        while not self._closed:
            await asyncio.sleep(min(CHECK_EVERY_S, self.config.idle_stop_s))
            now = time.monotonic()
            for key, upstream in list(self._upstreams.items()):
                if upstream.running and now - upstream.idle_since > self.config.idle_stop_s:
                    with contextlib.suppress(UpstreamError):
                        await upstream.stop()
                    if upstream.attached_count == 0:
                        self._upstreams.pop(key, None)


def read_text(path: Path) -> str:
    """A file's text as an editor would open it. Raises `OSError`; refuses huge files."""
    if path.stat().st_size > MAX_HEADLESS_FILE_BYTES:
        raise OSError(f"{path} is too large to open in a language server")
    data = read_bytes(path, MAX_HEADLESS_FILE_BYTES)
    return data.decode("utf-8-sig", errors="replace")
