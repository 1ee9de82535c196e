from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from surveyor.errors import DiskFullError
from surveyor.knowledge import limits, settings_guard
from surveyor.knowledge.limits import Evictable, StorageLimits, evictions

DAY = 86400.0
NOW = 1000 * DAY


def test_what_is_past_retention_goes_first_then_the_oldest_of_the_kind_that_is_too_much() -> None:
    kept = [
        Evictable("session-91", "sessions", 10, NOW - 91 * DAY, ages=True, remakeable=True),
        Evictable("session-30", "sessions", 10, NOW - 30 * DAY, ages=True, remakeable=True),
        Evictable("package-old", "packages", 10, NOW - 300 * DAY, ages=False, remakeable=True),
        Evictable("package-new", "packages", 10, NOW - 3 * DAY, ages=False, remakeable=True),
        Evictable("session-gone", "sessions", 10, NOW - 60 * DAY, ages=True, remakeable=False),
    ]
    assert [(e.id, e.reason) for e in evictions(kept, StorageLimits(), NOW)] == [
        ("session-91", "retention")
    ]
    tight = StorageLimits(sizes={"packages": 10, "sessions": 15})
    assert [e.id for e in evictions(kept, tight, NOW)] == [
        "session-91", "package-old", "session-30",
    ]  # fmt: skip


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["packages", "sessions", "history", "libraries", "rules", "notes"]),
            st.integers(0, 50), st.integers(0, 200), st.booleans(), st.booleans(),
        )
    ),
    st.integers(0, 200),
)  # fmt: skip
def test_nothing_goes_that_the_user_stored_and_no_more_than_needed(
    some: list[tuple[str, int, int, bool, bool]], max_size: int
) -> None:
    kept = [Evictable(str(i), k, s, NOW - a * DAY, g, r) for i, (k, s, a, g, r) in enumerate(some)]
    by_id = {one.id: one for one in kept}
    gone = evictions(kept, StorageLimits(max_size=max_size), NOW)
    assert len({one.id for one in gone}) == len(gone)
    assert all(by_id[one.id].kind in limits.GATHERED for one in gone)
    for kind in limits.GATHERED:
        here = [one for one in gone if by_id[one.id].kind == kind]
        left = sum(one.size for one in kept if one.kind == kind)
        left -= sum(one.size for one in here if one.reason == "retention")
        for one in (each for each in here if each.reason == "size"):
            assert by_id[one.id].remakeable and left > max_size
            left -= one.size
        may_go = [
            one for one in kept
            if one.kind == kind and one.remakeable and one.id not in {e.id for e in gone}
        ]  # fmt: skip
        assert left <= max_size or not may_go


class Settings:
    """Enough of a `State` for the guard."""

    def __init__(self) -> None:
        self.rows: dict[str, str] = {}

    async def read(self, sql: str, parameters: object) -> list[tuple[str, str]]:
        return list(self.rows.items())

    @asynccontextmanager
    async def transaction(self) -> AsyncIterator[Settings]:
        yield self

    async def execute(self, sql: str, parameters: tuple[str, str]) -> None:
        self.rows |= dict([parameters])


def test_a_smaller_limit_counts_a_day_later_and_a_larger_one_at_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    at = 1_000_000.0
    monkeypatch.setattr(time, "time", lambda: at)
    state = Settings()

    def counts(wanted: float) -> float:
        asked = settings_guard.LimitGuard(state).in_force({"storage.retention": wanted})  # type: ignore[arg-type]
        return asyncio.run(asked)["storage.retention"]

    assert counts(365) == 365  # what is found first is no change
    assert counts(90) == 365
    at += DAY - 1
    assert counts(90) == 365
    assert counts(60) == 365  # another one: it waits anew
    at += 2
    assert counts(60) == 365
    assert counts(400) == 400
    assert counts(60) == 400
    at += DAY
    assert counts(60) == 60
    assert counts(90) == 90
    assert counts(60) == 90
    at -= 10 * DAY  # the clock was put back
    assert counts(60) == 90
    at += DAY
    assert counts(60) == 60


def test_writing_stops_before_the_disk_is_full(tmp_path: Path) -> None:
    assert limits.check_free_disk(tmp_path, StorageLimits(min_free_disk=0)) is None
    with pytest.raises(DiskFullError, match="disk are free"):
        limits.check_free_disk(tmp_path, StorageLimits(min_free_disk=1 << 60))


def test_unknown_free_space_is_a_warning(tmp_path: Path) -> None:
    warning = limits.check_free_disk(tmp_path / "missing", StorageLimits())
    assert warning is not None
    assert "not known" in warning
