"""Which lines a change wrote, where only two texts are known."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from surveyor.engine.file_versions import MAX_COMPARED_LINES, touched_lines

texts = st.lists(st.sampled_from("abcd"), max_size=12)


@given(texts, texts)
def test_lines_that_are_not_touched_are_those_of_before_in_their_order(
    before: list[str], after: list[str]
) -> None:
    touched = touched_lines("\n".join(before).encode(), "\n".join(after).encode())
    assert all(1 <= first <= last <= len(after) for first, last in touched)
    written = {line for first, last in touched for line in range(first, last + 1)}
    kept = [text for number, text in enumerate(after, 1) if number not in written]
    old = iter(before)
    assert all(text in old for text in kept)
    if before == after:
        assert not written


def test_what_is_too_long_to_be_compared_counts_as_written() -> None:
    before = [f"{number}" for number in range(2 * MAX_COMPARED_LINES)]
    after = ["0", *(f"new {line}" for line in before[1:-1]), before[-1]]
    touched = touched_lines("\n".join(before).encode(), "\n".join(after).encode())
    assert touched == [(2, len(after) - 1)]
