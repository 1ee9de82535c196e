"""Bytes become lines and columns that agree with an editor's."""

from hypothesis import given
from hypothesis import strategies as st

from surveyor.parsing.source import SourceText, Utf16Columns, utf16_length


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=12), max_size=6))
def test_columns_are_those_of_utf16(parts: list[str]) -> None:
    line = "".join(parts)
    data = ("é😀\n" + line).encode()
    columns = Utf16Columns(data)
    start = len("é😀\n".encode())
    before = ""
    for part in parts:
        width = len(before.encode())
        assert columns.of(start + width, width) == utf16_length(before)
        before += part


@given(st.binary(max_size=200))
def test_any_bytes_become_valid_text(data: bytes) -> None:
    source = SourceText.of(data)
    assert source.data.decode("utf-8").count("\n") == len(source.lines) - 1
    assert not any("\n" in line for line in source.lines)


def test_line_ends_of_three_kinds() -> None:
    assert SourceText.of(b"a\r\nb\r\n").lines == ["a", "b", ""]
    assert SourceText.of(b"a\nb").lines == ["a", "b"]
    assert SourceText.of(b"a\rb").lines == ["a", "b"]


def test_what_is_not_utf8_is_replaced_and_said() -> None:
    source = SourceText.of(b"caf\xe9 = 1\n")
    assert source.lines[0] == "caf� = 1"
    assert "byte 3" in source.problems[0]
