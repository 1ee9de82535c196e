"""Parts of a large piece of work, a few in progress at a time."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from typing import TypeVar

__all__ = ["all_done", "batched"]

T = TypeVar("T")


def batched(items: Sequence[T], size: int) -> Iterator[list[T]]:
    """Lists of so many items, the last of what is left (`itertools.batched` of Python 3.12)."""
    for start in range(0, len(items), size):
        yield list(items[start : start + size])


async def all_done(
    do: Callable[[list[T]], Awaitable[bool]], parts: Iterable[list[T]], at_once: int
) -> bool:
    """Do parts in their order, so many in progress at a time; False once one of them says so, and
    no more is begun then.

    Raises what the first of them raises. None is in progress any more when this ends.
    """
    running: set[asyncio.Future[bool]] = set()
    try:
        for part in parts:
            if len(running) >= at_once:
                done, running = await asyncio.wait(running, return_when=asyncio.FIRST_COMPLETED)
                results = [task.result() for task in done]
                if not all(results):
                    return False
            running.add(asyncio.ensure_future(do(part)))
        return all(await asyncio.gather(*running))
    except BaseException:
        for task in running:
            task.cancel()
        raise
    finally:
        await asyncio.gather(*running, return_exceptions=True)
