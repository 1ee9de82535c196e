"""What agents need of the engine that serves them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass
from typing import Any

from surveyor.engine.agents.folder_opener import FolderOpener
from surveyor.engine.operations import Caller
from surveyor.engine.operations.ask import AskOperations
from surveyor.engine.operations.engine_callables import AllCheckouts, ResolveCheckout, SpawnTask
from surveyor.engine.process.sessions import Session
from surveyor.engine.session_readings import SessionReadings
from surveyor.protocol.sessions import Hello
from surveyor.store.state import State
from surveyor.store.state.agent_log import LoggedCall


@dataclass(frozen=True, slots=True)
class AgentServices:
    """Functions and parts of the engine that every agent's session is given."""

    answer: Callable[[str, bytes, Caller], Awaitable[Any]]
    """Serves an operation: its name, its request as JSON, and who asks."""
    has_operation: Callable[[str], bool]
    state: State
    resolve: ResolveCheckout
    checkouts: AllCheckouts
    opener: FolderOpener
    roots_changed: Callable[[Session, list[str]], Awaitable[None]]
    """Told which folders a session has open now."""
    request_timeout: Callable[[], float]
    """Seconds that a request may take, as the settings are now."""
    touch: Callable[[], None]
    """Told that somebody uses the engine."""
    spawn: SpawnTask
    ask: AskOperations
    """For chat clients, which are served beside agents over HTTP."""
    readings: SessionReadings
    """What sessions have read."""
    log_call: Callable[[LoggedCall], Coroutine[Any, Any, None]]
    """Notes a call for the user."""


@dataclass(frozen=True, slots=True)
class SessionHooks:
    """Sessions without a connection of their own, counted among the engine's while they last."""

    session_of: Callable[[Hello], Session]
    add: Callable[[Session], None]
    discard: Callable[[Session], None]
    opened: Callable[[Session], Awaitable[None]]
    closed: Callable[[Session], Coroutine[Any, Any, None]]
