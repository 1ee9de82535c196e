"""Ids of chunks."""

import uuid

from hypothesis import given
from hypothesis import strategies as st

from surveyor.embedding.embedded import Embedded
from surveyor.engine.index.catalog import POINT_NAMESPACE, point_ids


def of(*hashes: bytes) -> list[Embedded]:
    return [Embedded(text_hash=each, dense=b"", indices=b"", values=b"") for each in hashes]


@given(st.text("ab/é"), st.lists(st.binary(min_size=16, max_size=16), max_size=5))
def test_ids_are_uuids_of_project_path_text_and_ordinal(path: str, hashes: list[bytes]) -> None:
    twice = hashes + hashes
    expected = [
        str(uuid.uuid5(POINT_NAMESPACE, f"p\0{path}\0{h.hex()}\0{twice[:i].count(h)}"))
        for i, h in enumerate(twice)
    ]
    assert list(point_ids("p", path, of(*twice))) == expected


def test_a_line_above_changes_no_id_but_that_of_an_equal_text() -> None:
    same, other = bytes(16), bytes([1] * 16)
    assert point_ids("p", "a.py", of(other, same))[1] == point_ids("p", "a.py", of(same))[0]
    assert len(set(point_ids("p", "a.py", of(same, same, other)))) == 3
