"""What somebody works on: the files written lately, and none that a program wrote by the dozen."""

from __future__ import annotations

from surveyor.engine.index.recent_edits import FADES_S, KEPT, MOST_AT_ONCE, RecentEdits


def test_an_edit_counts_less_as_time_goes_by_and_then_nothing() -> None:
    now = [0.0]
    edits = RecentEdits(lambda: now[0])
    edits.add("c", ["a.py"])
    assert edits.weights("c") == {"a.py": 1.0}
    assert edits.weights("other") == {}
    now[0] = FADES_S / 2
    edits.add("c", ["b.py"])
    assert edits.weights("c") == {"a.py": 0.5, "b.py": 1.0}
    now[0] = FADES_S
    assert edits.weights("c") == {"b.py": 0.5}


def test_many_files_at_once_are_no_edits_and_few_are_remembered() -> None:
    edits = RecentEdits(lambda: 0.0)
    edits.add("c", [f"{n}.py" for n in range(MOST_AT_ONCE + 1)])
    assert edits.weights("c") == {}
    for n in range(KEPT + 5):
        edits.add("c", [f"{n}.py"])
    assert list(edits.weights("c")) == [f"{n}.py" for n in range(5, KEPT + 5)]
