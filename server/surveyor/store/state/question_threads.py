"""Questions of many queries, each answered in one thread from its beginning to its end.

A query goes to a reader's thread and comes back (`readers`), which takes ten milliseconds and more
where others want the processor, and an impact has some twenty of them. A coroutine that waits for
rows only needs no event loop: it is run through in a thread that has a connection of its own.
"""

from __future__ import annotations

import asyncio
import contextvars
import sqlite3
import threading
from collections.abc import Callable, Coroutine, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

__all__ = ["QuestionThreads", "aside", "rows_here"]

MOST_THREADS = 3
"""More of them would wait for the interpreter lock."""

T = TypeVar("T")

_thread = threading.local()
"""`connection`: where this thread reads rows, if it is one of ours."""


class QuestionThreads:
    """Runs coroutines that only read rows, and what is computed from them."""

    def __init__(self, connect: Callable[[], sqlite3.Connection]) -> None:
        """`connect` opens a connection that another thread may close."""
        self._connect = connect
        self._threads = ThreadPoolExecutor(MOST_THREADS, thread_name_prefix="question")
        self._opened: list[sqlite3.Connection] = []

    async def run(self, question: Coroutine[Any, Any, T]) -> T:
        """What a coroutine returns or raises; it may wait for rows and `aside`, nothing else."""
        context = contextvars.copy_context()
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._threads, context.run, self._answer, question)

    def close(self) -> None:
        """Wait for what is running, then close the connections."""
        self._threads.shutdown()
        for connection in self._opened:
            connection.close()

    def _answer(self, question: Coroutine[Any, Any, T]) -> T:
        if not hasattr(_thread, "connection"):
            _thread.connection = self._connect()
            self._opened.append(_thread.connection)
        try:
            question.send(None)
        except StopIteration as done:
            answer: T = done.value
            return answer
        question.close()
        raise RuntimeError(f"{question} waited for more than rows")


def rows_here(sql: str, parameters: Sequence[Any]) -> list[sqlite3.Row] | None:
    """Rows, where this thread has a connection of its own to read them from."""
    connection: sqlite3.Connection | None = getattr(_thread, "connection", None)
    return None if connection is None else connection.execute(sql, parameters).fetchall()


async def aside(work: Callable[..., T], *arguments: Any, **named: Any) -> T:
    """Compute away from the event loop: in another thread, or here where this is one already."""
    if hasattr(_thread, "connection"):
        return work(*arguments, **named)
    return await asyncio.to_thread(work, *arguments, **named)
