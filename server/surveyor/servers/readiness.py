"""When a server's answers are complete: asked too early, references are silently partial.

A strategy is data (`[server.NAME.readiness]` of the registry) and watches what the server says.
Measured cases are in docs/language-servers.md.

    immediate      complete at the first answer (ty, zuban)
    progress       ready when a `$/progress` whose token or title matches ends; also when none has
                   begun `grace_s` after the first document was opened and the server has answered
                   a question about it
    log            ready when a `window/logMessage` matches
    notification   ready when a notification's `field` equals `value`, without an error in `health`
    stable         ready when a request over the workspace has given the same count twice, or when
                   the server has answered about a document and then computed nothing for a while
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from surveyor.files.globs import LinearRegex

Kind = Literal["immediate", "progress", "log", "notification", "stable"]


@dataclass(frozen=True, slots=True)
class ReadinessStrategy:
    """How to tell that a server is ready. Times in seconds."""

    kind: Kind = "stable"
    pattern: str = ""
    """Regular expression: token or title of a progress, or text of a log message."""
    partial: Literal["all", "workspace"] = "all"
    """Which answers may have too little before: those over the workspace alone, or all."""
    method: str = ""
    field: str = ""
    value: Any = None
    health: str = ""
    """The field of `notification` that says `error` where the server could not read the project."""
    grace_s: float = 5.0
    """How long after the first open document a beginning is waited for (but `notification`)."""
    deadline_s: float = 120.0
    """After this long without being ready, and without progress, the server counts as degraded."""


class Readiness:
    """Whether a server is ready, from what it has said since it started."""

    def __init__(self, strategy: ReadinessStrategy) -> None:
        self.strategy = strategy
        self.ready = strategy.kind == "immediate"
        self.working = False
        """A matching progress has begun and not ended."""
        self.begun = 0
        """How often one has begun."""
        self.trouble = ""
        """Why a server that has ended its work has not read the project, in its own words."""
        self._pattern = LinearRegex(strategy.pattern or ".")
        self._matching: set[int | str] = set()
        self._last_count: int | None = None
        self._seen = False

    def feed(self, method: str, params: Any) -> bool:
        """Take a notification; `True` when it changed `ready`, `working` or `trouble`."""
        before = (self.ready, self.working, self.trouble)
        if isinstance(params, dict):
            match self.strategy.kind, method:
                case "progress", "$/progress":
                    self._progress(params)
                case "log", "window/logMessage":
                    if self._pattern.search(str(params.get("message", ""))):
                        self.ready = True
                case "notification", self.strategy.method:
                    self._notified(params)
        return before != (self.ready, self.working, self.trouble)

    def _notified(self, params: dict[str, Any]) -> None:
        found = params.get(self.strategy.field)
        if found == self.strategy.value:
            failed = bool(self.strategy.health) and params.get(self.strategy.health) == "error"
            self.trouble = str(params.get("message") or "it has failed") if failed else ""
            self.ready, self.working = not failed, False
        elif isinstance(found, bool) and isinstance(self.strategy.value, bool):
            self.ready, self.working, self.begun = False, True, self.begun + 1
            self.trouble = ""
        elif self.ready:
            self.working = False

    def grace_over(self) -> bool:
        """The grace has passed: ready unless work was seen. `True` when that changed `ready`."""
        waits = self.strategy.kind in ("progress", "log", "stable")
        if waits and not self.ready and not self.working and not self._seen:
            self.ready = True
            return True
        return False

    def count(self, number: int) -> bool:
        """Take the count of one answer over the workspace; `True` once it is stable."""
        if self.strategy.kind == "stable" and not self.ready:
            self.ready = number == self._last_count
            self._last_count = number
        return self.ready

    def _progress(self, params: dict[str, Any]) -> None:
        token, value = params.get("token"), params.get("value")
        if not isinstance(value, dict) or not isinstance(token, int | str):
            return
        kind = value.get("kind")
        if kind == "begin":
            text = f"{token}\n{value.get('title', '')}"
            if self._pattern.search(text):
                self._matching.add(token)
                self._seen = True
                self.ready, self.working, self.begun = False, True, self.begun + 1
        elif kind == "end" and token in self._matching:
            self._matching.discard(token)
            if not self._matching:
                self.ready, self.working = True, False
