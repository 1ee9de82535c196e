"""The queue: who is next, however much waits."""

from dataclasses import replace
from pathlib import Path

import pytest

from surveyor.store.state import State, projects, queue
from surveyor.store.state.projects import NewCheckout
from surveyor.store.state.queue import FAIRNESS_INTERVAL, PROJECTS_AT_ONCE, NewQueueItem


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
        order = active + others if turn == 0 else ["i1", "lost", "i2", *active]
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


async def test_more_projects_than_a_take_has_items_all_have_their_turn(tmp_path: Path) -> None:
    state = await State.open(tmp_path / "state.db")
    try:
        async with state.transaction() as tx:
            for project in range(7):
                files = [item(f"{project}/{n}", f"large{project}") for n in range(40)]
                await queue.enqueue(tx, files)
        begun = set()
        for turn in range(7):
            paths = await taken(state, 8, turn)
            assert len({path[0] for path in paths}) == PROJECTS_AT_ONCE, "and a commit has several"
            assert paths == sorted(paths, key=lambda path: int(path[2:]) // 2), "each in its order"
            begun |= {path[0] for path in paths}
        assert len(begun) == 7
    finally:
        await state.close()


async def test_a_file_is_not_in_progress_twice(tmp_path: Path) -> None:
    state = await State.open(tmp_path / "state.db")
    try:
        gone, again = replace(item("a", "one"), op="delete"), item("a", "one", 7)
        elsewhere = item("a", "two")
        elsewhere.payload["file_path"] = "/two/a"
        async with state.transaction() as tx:
            await queue.enqueue(tx, [gone, again, item("b", "one"), elsewhere])
        (first,) = await queue.lease(state, "w", 1, 0)
        assert (first.op, first.payload) == ("ingest", {"relative_path": "a"})
        others = await queue.lease(state, "w", 9, 0)
        assert [(each.op, each.checkout_id) for each in others] == [
            ("ingest", "one"), ("ingest", "two"),
        ]  # fmt: skip
        assert await taken(state, 9) == []
        async with state.transaction() as tx:
            await queue.finish(tx, [first.queue_id])
        (last,) = await queue.lease(state, "w", 9, 0)
        assert last.op == "delete"
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
