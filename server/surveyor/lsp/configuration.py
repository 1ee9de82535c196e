"""The settings of a window: read from the user's file and the editor, applied when they change."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec

from surveyor import paths
from surveyor.lsp import settings as options
from surveyor.lsp import window_settings
from surveyor.lsp.host import EditorHost
from surveyor.lsp.protocol import Protocol
from surveyor.lsp.roots import Roots
from surveyor.lsp.settings import EditorSettings
from surveyor.servers import messages
from surveyor.servers.config import config_from
from surveyor.servers.errors import UpstreamError
from surveyor.servers.manager import UpstreamConfig
from surveyor.servers.trust import Trust, trust_file
from surveyor.servers.upstream import Upstream

CONFIGURATION_WAIT_S = 2.0

MADE_IN_TRUST = ("command", "env", "probe")
"""Keys of `upstream.<language>` that say what to run."""

log = logging.getLogger(__name__)


class Configuration:
    """Settings now; `changed` is called when they may have become others."""

    def __init__(self, protocol: Protocol, roots: Roots, changed: Callable[[], None]) -> None:
        self.settings = EditorSettings()
        self.loaded = asyncio.Event()
        """The user's file has been read: what depends on settings may begin."""
        self._protocol = protocol
        self._roots = roots
        self._changed = changed
        self._trust = Trust(trust_file(paths.data_dir()))
        self._file: dict[str, Any] = {}
        self._editor: dict[str, Any] = {}
        self._base = UpstreamConfig()

    def adopt(self, editor: dict[str, Any]) -> None:
        """Take `initializationOptions`."""
        self._editor = editor
        self._read()

    def vouch(self, roots: list[Path]) -> None:
        """The editor's word on trust holds for these folders."""
        for root in roots:
            self._trust.vouch(root, self.settings.trusted)

    async def load(self) -> None:
        """Read the user's file."""
        try:
            found = await asyncio.to_thread(window_settings.read)
            self._base = config_from(found.servers, self._trust, client="lsp")
            self._file = found.lsp
        except Exception:
            log.exception("the configuration cannot be read; defaults are used")
        finally:
            self._read()
            self.loaded.set()
        self._changed()

    async def ask(self) -> None:
        """Ask the editor for its section."""
        try:
            async with asyncio.timeout(CONFIGURATION_WAIT_S):
                items = {"items": [{"section": "surveyor"}]}
                raw = await self._protocol.ask("workspace/configuration", items)
        except (TimeoutError, UpstreamError):
            return
        values = messages.decode(raw)
        if isinstance(values, list) and values and isinstance(values[0], dict):
            self._overlay(values[0])

    async def pushed(self, params: msgspec.Raw, host: EditorHost) -> bool:
        """`workspace/didChangeConfiguration`; whether it is the upstreams' settings, not ours."""
        value = messages.decode(params)
        pushed = value.get("settings") if isinstance(value, dict) else None
        mine = pushed.get("surveyor") if isinstance(pushed, dict) else None
        if isinstance(mine, dict):
            self._overlay(mine)
        elif host.can("workspace.configuration"):
            await self.ask()
        return isinstance(pushed, dict) and not mine

    def is_confined(self, root: Path) -> bool:
        """Whether the editor has said that nothing of a folder may be run, and the user has not
        trusted it."""
        return self.settings.distrusted and not self._trust.is_trusted(root)

    def unasked(self, upstream: Upstream) -> str:
        """What a log says of a server that runs what a folder says, where nobody has said whether
        the folder is trusted; empty for others."""
        says = self.settings.trusted or self.settings.distrusted
        confined = upstream.spec.confined
        runs_nothing = confined is not None and confined.runs_nothing
        if says or runs_nothing or self._trust.is_trusted(upstream.root):
            return ""
        return (
            f"{upstream.name} may run what {upstream.root} says (build scripts, plugins,"
            " interpreters). This editor says nothing of trust; `trusted: false` in its settings of"
            " Surveyor, or `surveyor config set trust.editors false` for all such, keeps it from"
            " starting where `surveyor trust` has not allowed it."
        )

    def upstreams(self) -> UpstreamConfig:
        """What decides which servers run.

        Commands come from the user's own file, or from the editor of a trusted workspace.
        """
        tables = options.overlay(self._base.upstream, self.settings.upstream)
        if not self.settings.trusted:
            tables = {
                name: table
                if name in self._base.upstream
                else {k: v for k, v in table.items() if k not in MADE_IN_TRUST}
                for name, table in tables.items()
            }
        return UpstreamConfig(
            upstream=tables,
            user_path=self._base.user_path,
            installed=self._base.installed,
            probed=self._base.probed,
            trusted=self._trust.is_trusted,
            confined=self.is_confined,
            idle_stop_s=self._base.idle_stop_s,
            limits=self._base.limits,
            sharing=self._base.sharing,
        )

    def _overlay(self, section: dict[str, Any]) -> None:
        self._editor = options.overlay(self._editor, section)
        self._read()
        self._changed()

    def _read(self) -> None:
        self.settings = options.read([self._file, self._editor])
        self.vouch(self._roots.paths)


def starts_others(new: UpstreamConfig, old: UpstreamConfig) -> bool:
    """Whether two configurations would start different programs."""
    return (new.upstream, new.user_path, new.installed, new.idle_stop_s, new.sharing) != (
        old.upstream,
        old.user_path,
        old.installed,
        old.idle_stop_s,
        old.sharing,
    )
