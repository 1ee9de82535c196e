"""Helpers of the upstream tests: a fake server as a spec, and a host that remembers."""

from __future__ import annotations

import asyncio
import json
import os
import stat
import sys
import time
from collections.abc import Awaitable, Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from surveyor.servers import messages
from surveyor.servers.documents import EDITOR, OpenDocument, OpenDocuments
from surveyor.servers.host.client import Sharing
from surveyor.servers.methods import METHODS
from surveyor.servers.readiness import ReadinessStrategy
from surveyor.servers.registry import ServerSpec
from surveyor.servers.upstream import LifecycleTimeouts, Upstream

FAKE = Path(__file__).with_name("fake_server.py")

ALL = {
    "textDocumentSync": {"openClose": True, "change": 2, "save": {"includeText": True}},
    "hoverProvider": True,
    "definitionProvider": True,
    "referencesProvider": True,
}

PATIENCE_S = 90.0
"""How long a test waits for what must happen: a busy machine is no failure."""

FAST = LifecycleTimeouts(
    backoff_s=(0.05, 0.1), max_restarts=3, window_s=600, initialize_s=PATIENCE_S
)


@dataclass
class Editor:
    """A host with an editor that answers as told and remembers what it was shown."""

    attached: bool = True
    capabilities: Mapping[str, Any] = field(default_factory=dict)
    features: Collection[str] = ()
    answers: dict[str, Any] = field(default_factory=dict)
    asked: list[tuple[str, Any]] = field(default_factory=list)
    told: list[tuple[str, Any]] = field(default_factory=list)
    states: list[str] = field(default_factory=list)

    def relayed(self, upstream: Upstream) -> Collection[str]:
        return self.features

    async def forward(self, upstream: Upstream, method: str, params: msgspec.Raw) -> Any:
        self.asked.append((method, messages.decode(params)))
        return self.answers.get(method)

    def notified(self, upstream: Upstream, method: str, params: msgspec.Raw) -> None:
        self.told.append((method, messages.decode(params)))

    def changed(self, upstream: Upstream) -> None:
        self.states.append(upstream.state.value)


@dataclass
class Fake:
    """A scripted server that can be started more than once."""

    folder: Path
    script: dict[str, Any]
    spec: ServerSpec

    @property
    def log_file(self) -> Path:
        return self.folder / "fake.log"

    def log(self) -> list[dict[str, Any]]:
        if not self.log_file.exists():
            return []
        # The last line may be half written.
        lines = self.log_file.read_text().split("\n")[:-1]
        return [json.loads(line) for line in lines]

    def received(self, method: str) -> list[dict[str, Any]]:
        return [
            entry["received"]
            for entry in self.log()
            if "received" in entry and entry["received"].get("method") == method
        ]

    def answered(self, number: Any) -> dict[str, Any] | None:
        for entry in self.log():
            message = entry.get("received", {})
            if message.get("id") == number and "method" not in message:
                return dict(message)
        return None

    def pids(self) -> list[int]:
        return [e["pid"] for e in self.log() if "pid" in e] + [
            e["child"] for e in self.log() if "child" in e
        ]


def program(folder: Path, name: str, body: str = "exit 0") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


def make_fake(folder: Path, script: dict[str, Any], **changes: Any) -> Fake:
    script = {"capabilities": ALL, **script}
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / "script.json"
    file.write_text(json.dumps(script))
    spec = ServerSpec(
        name="fake",
        command=(sys.executable, str(FAKE), str(file), str(folder / "fake.log")),
        languages=("fake",),
        readiness=ReadinessStrategy(kind="immediate"),
        probe=(),
        timeouts=dict.fromkeys(METHODS, PATIENCE_S),
    )
    return Fake(folder, script, replace(spec, **changes))


def start(
    fake: Fake,
    *,
    host: Editor | None = None,
    documents: OpenDocuments | None = None,
    limits: LifecycleTimeouts = FAST,
    sharing: Sharing | None = None,
) -> Upstream:
    from surveyor.servers.lsp_client import HeadlessHost

    upstream = Upstream(
        fake.spec,
        fake.spec.command,
        fake.folder,
        host=host or HeadlessHost(),
        documents=documents if documents is not None else OpenDocuments(),
        language="fake",
        limits=limits,
        sharing=sharing,
    )
    upstream.start()
    return upstream


def open_in(upstream: Upstream, documents: OpenDocuments, name: str, text: str) -> OpenDocument:
    from surveyor.servers.uris import to_uri

    document = documents.open(to_uri(upstream.root / name), "fake", 1, text, EDITOR)
    upstream.attach(document)
    return document


T = TypeVar("T")


async def eventually(
    ask: Callable[[], Awaitable[T]],
    good: Callable[[T], object] = bool,
    seconds: float = PATIENCE_S,
) -> T:
    """Ask until the answer is good, and return it.

    For whatever is made in the background, or is left out when a server is slow: a first answer,
    even a non-empty one, says nothing about the next.
    """
    deadline = time.monotonic() + seconds
    while not good(answer := await ask()):
        assert time.monotonic() < deadline, f"the last answer was {answer!r}"
        await asyncio.sleep(0.05)
    return answer


async def until(condition: Callable[[], object], seconds: float = PATIENCE_S) -> None:
    """Wait for a condition that another process brings about."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "what was waited for did not happen"
        await asyncio.sleep(0.02)


def alive(pid: int) -> bool:
    """Whether a process runs (a zombie does not)."""
    try:
        os.kill(pid, 0)
        stat = Path(f"/proc/{pid}/stat")
        return not stat.exists() or stat.read_text().rpartition(")")[2].split()[0] != "Z"
    except (ProcessLookupError, FileNotFoundError):
        return False
