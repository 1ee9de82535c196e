"""Lines of the saved text in an edited one."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from surveyor.lsp.line_mapping import LineMappings
from surveyor.servers.documents import EDITOR, OpenDocuments
from surveyor.servers.line_mapping import LineMapping, lines_of

LINES = st.lists(st.sampled_from(["a", "b", "c", "def f():", ""]), max_size=30)


@given(LINES, LINES)
def test_a_line_that_is_found_again_is_the_same_line_there_and_back(
    saved: list[str], now: list[str]
) -> None:
    line_mapping = LineMapping("\n".join(saved), "\n".join(now))
    old, new = lines_of("\n".join(saved)), lines_of("\n".join(now))
    for line in range(len(new)):
        before = line_mapping.to_saved(line)
        if before is not None:
            assert old[before] == new[line]
            assert line_mapping.to_buffer(before) == line


@given(LINES, st.integers(0, 30), LINES)
def test_what_stands_before_and_behind_an_insertion_is_found(
    saved: list[str], at: int, added: list[str]
) -> None:
    old = [f"{number} {text}" for number, text in enumerate(saved)]
    at = min(at, len(old))
    new = [*old[:at], *added, *old[at:]]
    line_mapping = LineMapping("\n".join(old), "\n".join(new))
    for line in range(len(old)):
        now = line if line < at else line + len(added)
        assert line_mapping.to_saved(now) == line
        assert line_mapping.to_buffer(line) == now


def test_a_clean_buffer_does_not_drift_and_an_edited_one_does() -> None:
    documents = OpenDocuments()
    document = documents.open("file:///a.py", "python", 1, "one\ntwo\n", EDITOR)
    line_mappings = LineMappings(documents)
    assert line_mappings.to_saved(document.uri, 1) == 1
    document.saved, document.dirty, document.version = document.text, True, 2
    document.replace("new\none\ntwo\n")
    assert line_mappings.to_saved(document.uri, 2) == 1
    assert line_mappings.to_saved(document.uri, 0) is None
    assert line_mappings.to_buffer(document.uri, 1) == 2
    assert line_mappings.to_buffer("file:///other.py", 7) == 7
