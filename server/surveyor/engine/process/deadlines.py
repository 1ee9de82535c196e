"""How long a request may take, and which ones take as long as they need."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager

from surveyor.errors import SurveyorError

LONG = frozenset(
    {
        "ask",
        "index",
        "index_progress",
        "doctor",
        "history_index",
        "knowledge_refresh",
        "library_add",
        "library_deps",
        "library_fetch_stop",
        "library_ingest",
        "library_restore",
        "memory_import",
        "write_wait",
        "remove_project",
        "run_tests",
    }
)
"""Operations, and tools of the same names, that have no deadline: what they do is as much as there
is, and whoever asked sees how far it is or cancels it."""


class DeadlineError(SurveyorError):
    """A request was not answered in time; what it did is stopped."""

    code = "timeout"


@asynccontextmanager
async def deadline(name: str, seconds: float | None) -> AsyncIterator[None]:
    """Cancel what is done in here when time is up (None: never), and raise `DeadlineError`."""
    try:
        async with asyncio.timeout(seconds) as limit:
            yield
    except TimeoutError as error:
        if not limit.expired():
            raise
        raise DeadlineError(
            f"{name} was not answered within {seconds:g} s and is stopped",
            "Ask for less, or again later; `surveyor engine logs` has what the engine was at."
            " `engine.request_timeout` is the limit.",
        ) from error


@contextmanager
def task_named(name: str) -> Iterator[None]:
    """Call the running task so: the log names it when it holds the event loop."""
    task = asyncio.current_task()
    before = task.get_name() if task is not None else ""
    if task is not None:
        task.set_name(name)
    try:
        yield
    finally:
        if task is not None:
            task.set_name(before)
