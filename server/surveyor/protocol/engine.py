"""The engine itself: its state, its queue, its checks and its end."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

from surveyor.protocol.base import Done, Freshness, Model, Request
from surveyor.protocol.projects import ProjectStatus, SkippedFile


class StatusResponse(Freshness, kw_only=True):
    """The engine and its projects."""

    engine_version: str
    pid: int
    uptime_s: float
    data_dir: str
    store: str
    model: str
    projects: list[ProjectStatus]
    queue: dict[str, int]
    sessions: int
    memory_bytes: int
    anonymous_bytes: int
    worker_bytes: int
    disk_free_bytes: int
    limits: dict[str, Any] = {}
    skipped: list[SkippedFile] = []
    upstreams: list[dict[str, Any]] = []
    knowledge: dict[str, Any] = {}
    asks: str | None = None
    """Where `ask` sends questions with the pieces of code they need; None: nowhere."""
    web: str | None = None
    """Which hosts pages are fetched from, and where questions are sent to find them; None: the web
    is off."""


class StatusRequest(Request[StatusResponse], kw_only=True):
    """Ask for the state of the engine, of one project (`path`) and of what was skipped."""

    operation: ClassVar[str] = "status"
    answer: ClassVar[type[Any]] = StatusResponse

    path: str | None = None
    skipped: bool = False


class QueueItem(Model, kw_only=True):
    """An item of the queue with its error history."""

    queue_id: str
    item_type: str
    op: str
    status: str
    collection: str
    tenant_id: str
    retry_count: int
    created_at: float
    payload: dict[str, Any]
    errors: list[dict[str, Any]]


class QueueResponse(Model, kw_only=True):
    """Items and how many there are in each state."""

    items: list[QueueItem]
    counts: dict[str, int]


class QueueRequest(Request[QueueResponse], kw_only=True):
    """Look at the queue, retry failed items or drop them."""

    operation: ClassVar[str] = "queue"
    answer: ClassVar[type[Any]] = QueueResponse

    action: Literal["list", "show", "retry", "clean"] = "list"
    queue_id: str | None = None
    failed: bool = False
    limit: int = 50


class Finding(Model, kw_only=True):
    """Something a check found."""

    check: str
    ok: bool
    message: str
    hint: str = ""
    repaired: bool = False


class DoctorResponse(Model, kw_only=True):
    """All checks, in the order in which they were made."""

    findings: list[Finding]


class DoctorRequest(Request[DoctorResponse], kw_only=True):
    """Check the engine's state and store; repair what is derived when asked to."""

    operation: ClassVar[str] = "doctor"
    answer: ClassVar[type[Any]] = DoctorResponse

    repair: bool = False


class StopRequest(Request[Done], kw_only=True):
    """End the engine."""

    operation: ClassVar[str] = "stop"
    answer: ClassVar[type[Any]] = Done
