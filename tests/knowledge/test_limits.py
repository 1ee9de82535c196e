from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from surveyor.errors import DiskFullError
from surveyor.knowledge import limits
from surveyor.knowledge.limits import Kept, Limits, evictions

DAY = 86400.0
NOW = 1000 * DAY


def test_what_is_past_retention_goes_first_then_the_oldest() -> None:
    kept = [
        Kept("session-91", 10, NOW - 91 * DAY, ages=True, remakeable=True),
        Kept("session-30", 10, NOW - 30 * DAY, ages=True, remakeable=True),
        Kept("book", 10, NOW - 300 * DAY, ages=False, remakeable=True),
        Kept("pasted", 10, NOW - 400 * DAY, ages=False, remakeable=False),
    ]
    assert [(e.id, e.reason) for e in evictions(kept, 40, Limits(), NOW)] == [
        ("session-91", "retention")
    ]
    assert [e.id for e in evictions(kept, 40, Limits(max_size=20), NOW)] == ["session-91", "book"]


@given(
    st.lists(st.tuples(st.integers(0, 50), st.integers(0, 200), st.booleans(), st.booleans())),
    st.integers(0, 500),
)
def test_nothing_goes_that_cannot_be_made_again_and_no_more_than_needed(
    some: list[tuple[int, int, bool, bool]], max_size: int
) -> None:
    kept = [Kept(str(i), s, NOW - a * DAY, g, r) for i, (s, a, g, r) in enumerate(some)]
    by_id = {one.id: one for one in kept}
    used = sum(one.size for one in kept)
    gone = evictions(kept, used, Limits(max_size=max_size), NOW)
    assert all(by_id[one.id].remakeable for one in gone)
    assert len({one.id for one in gone}) == len(gone)
    left = used
    for one in gone:
        assert one.reason == "retention" or left > max_size
        left -= one.size
    remakeable_left = [one for one in kept if one.remakeable and one.id not in {e.id for e in gone}]
    assert left <= max_size or not remakeable_left


def test_writing_stops_before_the_disk_is_full(tmp_path: Path) -> None:
    assert limits.check_free_disk(tmp_path, Limits(min_free_disk=0)) is None
    with pytest.raises(DiskFullError, match="disk are free"):
        limits.check_free_disk(tmp_path, Limits(min_free_disk=1 << 60))


def test_unknown_free_space_is_a_warning(tmp_path: Path) -> None:
    warning = limits.check_free_disk(tmp_path / "missing", Limits())
    assert warning is not None
    assert "not known" in warning
