"""What the workspace's servers offer, for an editor that has to be told of it at once.

An editor that takes no registrations learns from the answer to `initialize` alone what it may ask.
A server says what it offers when it has started; what it said the last time is kept for that.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import logging
import os
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from surveyor.lsp.capabilities import Offers, offers
from surveyor.lsp.settings import EditorSettings
from surveyor.servers import messages
from surveyor.servers.errors import UpstreamDeadError, UpstreamError
from surveyor.servers.manager import UpstreamManager
from surveyor.servers.methods import own_client_keys
from surveyor.servers.registry import Registry
from surveyor.servers.upstream import Upstream

FIRST_WAIT_S = 10.0
"""How long `initialize` waits for a server of which nothing is kept."""

REGISTERED_WITHIN_S = 0.2
"""How long after its start a server may register what it did not say at once."""

MAX_LANGUAGES = 3
LEAST_SHARE = 0.05
"""Languages of a workspace whose servers are asked: the commonest, none rarer than this."""

MAX_FILES = 3000
"""Files that are looked at to see which languages those are."""

SKIPPED_FOLDERS = frozenset({"node_modules", "vendor", "target", "build", "dist", "__pycache__"})

KEPT = 64
"""Most servers of which offers are kept."""

log = logging.getLogger(__name__)


class KnownOffers:
    """Offers of servers by language, kept between sessions in one file."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self.editor: Mapping[str, Any] = {}
        """The editor's ClientCapabilities: what a server offers depends on them."""

    def recorded(self, language: str, table: Any) -> Offers | None:
        """What the server of a language offered when it last ran for such an editor."""
        found = self._read().get(self._key(language, table))
        return found if isinstance(found, dict) else None

    def record(self, upstream: Upstream, table: Any) -> None:
        """Note what a running server offers."""
        found, key, now = self._read(), self._key(upstream.language, table), offers(upstream)
        if found.get(key) == now:
            return
        found.pop(key, None)
        newest = dict([*found.items(), (key, now)][-KEPT:])
        part = self._file.with_suffix(f".{os.getpid()}.part")
        try:
            part.write_bytes(messages.encode(newest))
            part.replace(self._file)
        except OSError as error:
            log.warning("what %s offers is not kept: %s", upstream.name, error)

    async def learn(
        self, manager: UpstreamManager, languages: Sequence[str], root: Path
    ) -> tuple[dict[str, Offers], list[str]]:
        """Offers by language, and the languages whose servers have not said theirs in time.

        Servers of which nothing is kept are started for it.
        """
        upstream = manager.config.upstream
        known = {
            language: found
            for language in languages
            if (found := self.recorded(language, upstream.get(language))) is not None
        }
        late: list[str] = []

        async def ask(language: str) -> None:
            with contextlib.suppress(UpstreamError):
                known[language] = await self._ask(manager, language, root)

        asking = {
            language: asyncio.ensure_future(ask(language))
            for language in languages
            if language not in known
        }
        if asking:
            await asyncio.wait(asking.values(), timeout=FIRST_WAIT_S)
            late = [language for language, task in asking.items() if not task.done()]
            for task in asking.values():
                task.cancel()
        return known, late

    async def _ask(self, manager: UpstreamManager, language: str, root: Path) -> Offers:
        while True:
            upstream = await manager.get(language, root)
            try:
                await upstream.wait_running(FIRST_WAIT_S)
                await asyncio.sleep(REGISTERED_WITHIN_S)
                return offers(upstream)
            except UpstreamDeadError:
                if upstream.started_ever:
                    raise

    def _read(self) -> dict[str, Any]:
        try:
            found = messages.decode(self._file.read_bytes())
        except (OSError, msgspec.DecodeError, UnicodeDecodeError):
            return {}
        return found if isinstance(found, dict) else {}

    def _key(self, language: str, table: Any) -> str:
        own = own_client_keys(self.editor)
        features = [self.editor.get("textDocument"), self.editor.get("workspace"), own, table]
        return f"{language} {hashlib.sha256(messages.encode(features)).hexdigest()[:16]}"


def workspace_languages(
    roots: Sequence[Path], registry: Registry, settings: EditorSettings
) -> list[str]:
    """The languages of a workspace of which more than the usual is relayed, commonest first.

    Those that the settings name, where these name all that are meant.
    """
    known = registry.languages.keys()
    named = [name for name in settings.modes if name in known and settings.relayed(name)]
    if not settings.relayed(""):
        return named
    seen: Counter[str] = Counter()
    left = MAX_FILES
    for root in roots:
        for _, folders, names in os.walk(root):
            folders[:] = [f for f in folders if f[0] != "." and f not in SKIPPED_FOLDERS]
            for name in names:
                language = registry.language_of(path=name)
                if language is not None and language.servers and settings.relayed(language.name):
                    seen[language.name] += 1
            left -= len(names)
            if left <= 0:
                break
    common = [name for name, n in seen.most_common() if n >= LEAST_SHARE * seen.total()]
    return list(dict.fromkeys([*named, *common]))[: max(MAX_LANGUAGES, len(named))]
