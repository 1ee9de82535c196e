"""The queue: who is next, however much waits."""

from pathlib import Path

import pytest

from surveyor.store.state import State, projects, queue
from surveyor.store.state.projects import NewCheckout
from surveyor.store.state.queue import FAIRNESS_INTERVAL, NewQueueItem


def item(path: str, checkout_id: str | None, priority: int = 5) -> NewQueueItem:
    """A file of a checkout, or what belongs to none."""
    return NewQueueItem(
        item_type="file" if checkout_id else "rule",
        op="ingest",
        tenant_id="p",
        collection="projects" if checkout_id else "memory",
        checkout_id=checkout_id,
        payload={"relative_path": path},
        priority=priority,
    )


async def taken(state: State, limit: int, turn: int = 0) -> list[str]:
    leased = await queue.lease(state, "w", limit, turn)
    return [each.payload["relative_path"] for each in leased]


@pytest.mark.parametrize("turn", [0, FAIRNESS_INTERVAL - 1])
async def test_active_projects_come_first_and_now_and_then_the_others(
    tmp_path: Path, turn: int
) -> None:
    state = await State.open(tmp_path / "state.db")
    try:
        async with state.transaction() as tx:
            for name in ("idle", "open", "still"):
                made = NewCheckout(name, "p", "p", None, f"/{name}", *[None] * 5)
                await projects.insert_checkout(tx, made)
            await projects.set_active(tx, "open", True)
            await projects.set_flags(tx, "still", {"paused": True})
            await queue.enqueue(tx, [item("i1", "idle", 9), item("i2", "idle")])
            await queue.enqueue(tx, [item("o1", "open"), item("o2", "open", 9)])
            await queue.enqueue(tx, [item("s1", "still", 9), item("rule", None)])
            await queue.enqueue(tx, [item("lost", "removed")])
        active, others = ["o2", "o1", "rule"], ["i1", "i2", "lost"]
        order = active + others if turn == 0 else others + active
        assert await taken(state, 2, turn) == order[:2]
        assert await taken(state, 100, turn) == order[2:]
        assert await taken(state, 100, turn) == [], "what is paused waits"
    finally:
        await state.close()


async def test_a_small_project_does_not_wait_for_a_large_one(tmp_path: Path) -> None:
    state = await State.open(tmp_path / "state.db")
    try:
        async with state.transaction() as tx:
            await queue.enqueue(tx, [item(f"large{n}", "large") for n in range(9)])
            await queue.enqueue(tx, [item(f"small{n}", "small") for n in range(2)])
            await queue.enqueue(tx, [item("typed", "large", 9)])
        assert await taken(state, 4) == ["typed", "large0", "small0", "large1"]
        assert await taken(state, 4) == ["large2", "small1", "large3", "large4"]
    finally:
        await state.close()


async def test_the_next_items_are_taken_without_sorting_all_that_wait(tmp_path: Path) -> None:
    state = await State.open(tmp_path / "state.db")
    try:
        asked: list[str] = []
        async with state.transaction() as tx:
            await queue.enqueue(tx, [item("a", "one"), item("b", "two")])
            plain = tx.read

            async def told(sql: str, parameters: tuple[object, ...] = ()) -> list[object]:
                plan = await plain(f"EXPLAIN QUERY PLAN {sql}", parameters)
                asked.extend(str(row["detail"]) for row in plan)
                return list(await plain(sql, parameters))

            tx.read = told  # type: ignore[method-assign, assignment]
            rows = await queue.next_items(tx, 2.0**40, 5)
        assert len(rows) == 2
        assert asked and not any("TEMP B-TREE" in each for each in asked)
        assert not any("SCAN unified_queue" in each for each in asked), asked
    finally:
        await state.close()
