"""The parts without a process: framing, positions, documents, globs, readiness, registry."""

from __future__ import annotations

import asyncio
from bisect import bisect_right
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from surveyor.errors import UsageError
from surveyor.servers import messages
from surveyor.servers.documents import EDITOR, OpenDocument, OpenDocuments
from surveyor.servers.errors import FramingError
from surveyor.servers.lsp_globs import matches
from surveyor.servers.positions import line_starts, offset_at, utf16_length
from surveyor.servers.registry import builtin, with_user
from surveyor.servers.transport import frame, read_frame
from surveyor.servers.uris import to_path, to_uri

text_with_everything = st.text(alphabet=st.sampled_from("ab \n\r\té日本😀𝒳\u2028\x0c"), max_size=60)


def stream(data: bytes) -> asyncio.StreamReader:
    reader = asyncio.StreamReader()
    reader.feed_data(data)
    reader.feed_eof()
    return reader


@given(st.lists(st.binary(max_size=200), max_size=5))
async def test_frames_come_back_as_they_were_sent(bodies: list[bytes]) -> None:
    reader = stream(b"".join(frame(body) for body in bodies))
    assert [await read_frame(reader) for _ in bodies] == bodies
    assert await read_frame(reader) is None


async def test_header_case_other_headers_bare_newlines_and_a_banner_are_forgiven() -> None:
    data = b"Server 1.0 starting\n\ncontent-length: 2\nContent-Type: x; charset=utf-8\n\n{}"
    assert await read_frame(stream(data)) == b"{}"


@pytest.mark.parametrize("value", [b"-1", b"two", b"", b"99999999999999"])
async def test_a_length_that_is_none_is_refused(value: bytes) -> None:
    with pytest.raises(FramingError):
        await read_frame(stream(b"Content-Length: " + value + b"\r\n\r\n{}"))


async def test_a_stream_that_ends_within_a_body_is_at_its_end() -> None:
    assert await read_frame(stream(b"Content-Length: 10\r\n\r\n{}")) is None


def position_at(text: str, starts: Sequence[int], offset: int) -> tuple[int, int]:
    """Line and column of an index, as the protocol defines them."""
    line = bisect_right(starts, offset) - 1
    return line, len(text[starts[line] : offset].encode("utf-16-le")) // 2


@given(text_with_everything, st.data())
def test_offset_and_position_are_inverse(text: str, data: st.DataObject) -> None:
    starts = line_starts(text)
    offset = data.draw(st.integers(0, len(text)))
    inside_crlf = 0 < offset < len(text) and text[offset - 1 : offset + 1] == "\r\n"
    line, column = position_at(text, starts, offset)
    if not inside_crlf:
        assert offset_at(text, starts, line, column) == offset
    assert column == utf16_length(text[starts[line] : offset])


def test_a_column_inside_a_surrogate_pair_is_the_start_of_its_character() -> None:
    assert offset_at("a😀b", [0], 0, 2) == 1
    assert offset_at("a😀b", [0], 0, 3) == 2


@given(text_with_everything, text_with_everything, st.data())
def test_an_incremental_change_equals_cutting_and_pasting(
    text: str, new: str, data: st.DataObject
) -> None:
    document = OpenDocument("file:///a", "x", 1, text)
    ends = sorted(data.draw(st.tuples(st.integers(0, len(text)), st.integers(0, len(text)))))
    if any(0 < e < len(text) and text[e - 1 : e + 1] == "\r\n" for e in ends):
        return  # no position lies between the two halves of a line's end
    places = [position_at(text, document.starts, end) for end in ends]
    where = {
        name: {"line": line, "character": column}
        for name, (line, column) in zip(("start", "end"), places, strict=True)
    }
    document.apply([{"range": where, "text": new}])
    assert document.text == text[: ends[0]] + new + text[ends[1] :]
    assert document.starts == line_starts(document.text)


def test_the_editors_text_wins_and_the_last_owner_closes() -> None:
    documents = OpenDocuments()
    documents.open("file:///a", "x", 1, "disk", "agent")
    documents.open("file:///a", "x", 5, "editor", EDITOR)
    documents.open("file:///a", "x", 1, "disk", "agent")
    document = documents.get("file:///a")
    assert document is not None and (document.text, document.version) == ("editor", 5)
    assert not documents.close("file:///a", EDITOR)
    assert documents.close("file:///a", "agent") and len(documents) == 0


@given(st.text(alphabet=st.characters(codec="utf-8", exclude_characters="\0/"), min_size=1))
def test_uris_and_paths_are_inverse(name: str) -> None:
    if name in (".", ".."):
        return
    path = Path("/some where") / name
    assert to_path(to_uri(path)) == path


def test_other_schemes_have_no_path() -> None:
    assert to_path("untitled:Untitled-1") is None
    assert to_path("vscode-notebook-cell:/a/b.ipynb#x") is None


@pytest.mark.parametrize("rest", ["///%ff%fe.py", "///a%00.py", "relative.py", "", "//[::1/a.py"])
def test_what_can_be_no_file_has_no_path(rest: str) -> None:
    assert to_path(f"file:{rest}") is None


@pytest.mark.parametrize(
    ("pattern", "path", "expected"),
    [
        ("**/*.py", "/r/a/b.py", True),
        ("**/*.{ts,js}", "/r/x.js", True),
        ("**/*.{ts,js}", "/r/x.jsx", False),
        ("**/tsconfig*.json", "/r/tsconfig.base.json", True),
        ("src/[!a]?.c", "/r/src/bx.c", True),
        ("src/[!a]?.c", "/r/src/ax.c", False),
        ({"baseUri": "file:///r/sub", "pattern": "*.py"}, "/r/sub/a.py", True),
        ({"baseUri": {"uri": "file:///r/sub", "name": "s"}, "pattern": "*.py"}, "/r/a.py", False),
    ],
)
def test_globs(pattern: object, path: str, expected: bool) -> None:
    assert matches({"globPattern": pattern}, Path(path), Path("/r")) is expected


def test_every_language_of_the_registry_has_servers_that_exist_with_a_way_to_get_one() -> None:
    registry = builtin()
    assert len(registry.languages) >= 20
    for language in registry.languages.values():
        specs = registry.candidates(language.name)
        assert specs
        for spec in specs:
            assert spec.install.pypi or spec.install.npm or spec.install.hint
            assert spec.markers


def test_python_tries_its_servers_in_the_documented_order() -> None:
    names = [spec.name for spec in builtin().candidates("python")]
    expected = ["ty", "basedpyright", "pyright", "pyrefly", "pylsp", "jedi-language-server"]
    assert names == expected


def test_an_editors_settings_of_a_server_may_be_camel_case() -> None:
    editors: dict[str, dict[str, Any]] = {
        "java": {
            "initializationOptions": {"a": 1},
            "memoryLimit": 9,
            "command": ["jdt"],
            "readiness": {"kind": "log", "graceS": 7},
        },
        "rust": {"initializationOptions": {"b": 2}},
    }
    registry = with_user(builtin(), editors)
    java, rust = registry.candidates("java")[0], registry.candidates("rust")[0]
    assert (java.initialization_options, java.memory_limit) == ({"a": 1}, 9)
    assert java.readiness.grace_s == 7 and rust.initialization_options == {"b": 2}


def test_configuration_names_another_server_adds_one_and_turns_a_language_off() -> None:
    registry = with_user(
        builtin(),
        {
            "python": {"server": "basedpyright", "settings": {"python": {"x": 1}}},
            "cobol": {"command": ["cobol-ls", "--stdio"], "extensions": [".cob"]},
            "go": {"enabled": False},
        },
    )
    assert [s.name for s in registry.candidates("python")] == ["basedpyright"]
    assert registry.servers["basedpyright"].settings == {"python": {"x": 1}}
    found = registry.language_of(path="a/b.cob")
    assert found is not None and found.name == "cobol"
    assert registry.candidates("cobol")[0].command == ("cobol-ls", "--stdio")
    assert registry.candidates("go") == []


def test_a_server_that_does_not_exist_is_an_error_with_the_known_ones() -> None:
    with pytest.raises(UsageError) as caught:
        with_user(builtin(), {"python": {"server": "tie"}})
    assert "basedpyright" in caught.value.hint


def test_splicing_keeps_bytes() -> None:
    body = messages.splice_result('id"1', b'{"a": 1.50,  "b":"\\u00e9"}')
    assert body == b'{"jsonrpc":"2.0","id":"id\\"1","result":{"a": 1.50,  "b":"\\u00e9"}}'
