"""What is kept of single reads is what reading them again would give."""

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from surveyor.store.state.change_counter import ChangeCounter
from surveyor.store.state.kept_reads import OVERHEAD_BYTES, KeptReads

CHANGE = "DELETE FROM chunks"
WRITES = st.tuples(st.just("write"), st.integers(0, 4), st.text(max_size=3))
READS = st.tuples(st.just("read"), st.lists(st.integers(0, 4)), st.none())
ENDS = st.tuples(st.just("end"), st.none(), st.none())


@given(st.lists(st.one_of(WRITES, READS, ENDS)), st.integers(0, 4))
def test_values_are_those_that_are_stored(steps: list[tuple[str, object, str]], room: int) -> None:
    catalog, stored = ChangeCounter(), {0: "zero", 1: ""}
    kept = KeptReads[int, str](catalog, room * (OVERHEAD_BYTES + 2))

    def read(keys: Sequence[int]) -> dict[int, str]:
        return {key: stored[key] for key in keys if key in stored}

    for what, about, value in steps:
        if what == "write":
            assert isinstance(about, int)
            catalog.before(CHANGE)
            stored[about] = value
        elif what == "end":
            catalog.after()
        else:
            assert isinstance(about, list)
            assert kept.of(about, read) == read(about)


def test_what_is_kept_is_not_read_again_and_has_its_bounds() -> None:
    catalog, asked = ChangeCounter(), list[int]()
    kept = KeptReads[int, str](catalog, 2 * (OVERHEAD_BYTES + 1))

    def read(keys: Sequence[int]) -> dict[int, str]:
        asked.extend(keys)
        return dict.fromkeys(keys, "x")

    kept.of([1, 2], read)
    kept.of([2, 1], read)
    assert asked == [1, 2]
    kept.of([3], read)
    kept.of([2, 3], read)
    assert asked == [1, 2, 3], "there is room for the last two"
    kept.of([1], read)
    assert asked == [1, 2, 3, 1], "what was read longest ago has gone"
    catalog.before(CHANGE)
    catalog.after()
    kept.of([3], read)
    assert asked == [1, 2, 3, 1, 3], "and everything goes with a change"
