from __future__ import annotations

import asyncio

import pytest

from surveyor.graph.update.bounded import all_done, batched


class Work:
    """Parts that end when they are told to, with what they are told."""

    def __init__(self, count: int) -> None:
        self.begun: list[int] = []
        self.cancelled: list[int] = []
        self.results: list[asyncio.Future[bool]] = [
            asyncio.get_running_loop().create_future() for _ in range(count)
        ]
        self._changed = asyncio.Event()

    @property
    def parts(self) -> list[list[int]]:
        return [[number] for number in range(len(self.results))]

    async def do(self, part: list[int]) -> bool:
        self.begun += part
        self._changed.set()
        try:
            return await self.results[part[0]]
        except asyncio.CancelledError:
            self.cancelled += part
            raise

    async def until_begun(self, count: int) -> None:
        while len(self.begun) < count:
            self._changed.clear()
            await self._changed.wait()


@pytest.mark.parametrize(
    ("count", "sizes"), [(0, []), (1, [1]), (6, [3, 3]), (7, [3, 3, 1])], ids=str
)
def test_batches_have_all_items_in_their_order(count: int, sizes: list[int]) -> None:
    found = list(batched(range(count), 3))
    assert [len(each) for each in found] == sizes
    assert [item for each in found for item in each] == list(range(count))


async def test_no_more_are_in_progress_than_may_be_and_the_next_begins_when_one_ends() -> None:
    work = Work(4)
    done = asyncio.ensure_future(all_done(work.do, work.parts, 2))
    await work.until_begun(2)
    assert work.begun == [0, 1]
    work.results[1].set_result(True)
    await work.until_begun(3)
    assert work.begun == [0, 1, 2]
    for number in (0, 2, 3):
        work.results[number].set_result(True)
    assert await done
    assert work.begun == [0, 1, 2, 3]


async def test_once_one_says_no_what_is_in_progress_ends_and_nothing_is_begun() -> None:
    work = Work(4)
    done = asyncio.ensure_future(all_done(work.do, work.parts, 2))
    await work.until_begun(2)
    work.results[0].set_result(False)
    await asyncio.wait({work.results[0]})
    assert not done.done()
    work.results[1].set_result(True)
    assert not await done
    assert work.begun == [0, 1]
    assert work.cancelled == []


async def test_what_one_raises_is_raised_and_the_others_are_given_up() -> None:
    work = Work(3)
    done = asyncio.ensure_future(all_done(work.do, work.parts, 2))
    await work.until_begun(2)
    work.results[0].set_exception(OSError("full"))
    with pytest.raises(OSError, match="full"):
        await done
    assert work.begun == [0, 1]
    assert work.cancelled == [1]
