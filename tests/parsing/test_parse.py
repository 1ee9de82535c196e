"""parse_file: from bytes to chunks and symbols that name the right places, whatever it is given."""

import itertools
import textwrap
from itertools import pairwise
from pathlib import Path

import psutil
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from surveyor.parsing import parse, preprocessor, yacc_grammars
from surveyor.parsing.cut import MAX_CHUNK_CHARS
from surveyor.parsing.languages import languages
from surveyor.parsing.parse import parse_file
from surveyor.parsing.source import SourceText
from surveyor.parsing.types import ParsedFile

PYTHON = textwrap.dedent('''\
    """Sign and check session cookies."""

    import hmac
    from app.settings import KEY as SECRET

    ALGORITHM = "sha256"
    """The digest that cookies are signed with, long enough not to be joined with a neighbour."""


    class Signer(Base):
        """Signs values."""

        salt: str = "cookie"
        digest = ALGORITHM

        def __init__(self, key):
            self.key = key or SECRET
            self.cache = {}
            self.cache["none"] = None  # asked for so often that it is worth a place
            self.cache["first"] = derive_key(self.key, self.salt, rounds=100_000, length=32)

        @property
        def name(self):
            """The salt."""
            return self.salt

        def sign(self, value: str) -> str:
            """Appends the signature."""
            if not value:
                raise ValueError("empty values cannot be signed: the reader would not notice")
            mac = hmac.new(self.key, value, self.digest)
            return value + "." + encode(mac.hexdigest())


    # Checks one.
    # Twice.
    def check(value, *, strict=True):
        def inner():
            return Signer(None).sign(value)

        return inner() == value
    ''')


def parsed(path: str, text: str) -> ParsedFile:
    return parse_file(path, text.encode())


def test_python_symbols_have_kinds_containers_and_places() -> None:
    symbols = {s.name: s for s in parsed("a.py", PYTHON).symbols}
    assert {(s.name, s.kind, s.container) for s in symbols.values()} == {
        ("ALGORITHM", "constant", ""),
        ("Signer", "class", ""),
        ("salt", "field", "Signer"),
        ("digest", "field", "Signer"),
        ("__init__", "constructor", "Signer"),
        ("name", "method", "Signer"),
        ("sign", "method", "Signer"),
        ("check", "function", ""),
        ("inner", "function", "check"),
    }
    sign = symbols["sign"]
    assert sign.signature == "def sign(self, value: str) -> str"
    assert sign.docstring == "Appends the signature."
    assert PYTHON.split("\n")[sign.line - 1][sign.column : sign.end_column] == "sign"
    assert symbols["check"].docstring == "Checks one.\nTwice."
    name = symbols["name"]
    assert (name.start_line, name.line) == (name.line - 1, name.start_line + 1)  # its decorator


def test_chunks_follow_symbols() -> None:
    chunks = parsed("a.py", PYTHON).chunks
    assert [(c.kind, c.symbol_name, c.parent_symbol) for c in chunks] == [
        ("preamble", "", ""),
        ("class", "Signer", ""),
        ("method", "name", "Signer"),
        ("method", "sign", "Signer"),
        ("function", "check", ""),
    ]
    # The class's head and its constructor say together what the class is.
    assert chunks[1].symbols == ("Signer", "salt", "digest", "__init__")
    check = chunks[-1]
    assert check.text.startswith("# Checks one.\n")
    assert set(check.calls) == {"Signer", "sign", "inner"}
    assert chunks[1].docstring == "Signs values."
    assert parsed("a.py", PYTHON).imported_modules == ("hmac", "app.settings")


def test_columns_count_utf16_units() -> None:
    result = parsed("a.py", "class Ä:\n    '''😀'''\nx = '😀'; größe = 1\n")
    by_name = {s.name: s for s in result.symbols}
    assert by_name["Ä"].end_column == 7
    assert by_name["größe"].column == 10


def test_windows_line_ends_and_a_byte_order_mark_change_nothing() -> None:
    plain = parsed("a.py", PYTHON)
    windows = parse_file("a.py", b"\xef\xbb\xbf" + PYTHON.replace("\n", "\r\n").encode())
    assert windows.chunks == plain.chunks
    assert windows.symbols == plain.symbols
    assert parse_file("a.py", PYTHON.encode("utf-16")).chunks == plain.chunks


def test_a_line_inserted_on_top_changes_one_chunk_at_most() -> None:
    body = "".join(
        f"def function_{i}(a, b):\n    '''Does {i}.'''\n"
        + "".join(f"    a = call_{j}(b, {i})\n" for j in range(i % 60))
        + "    return a\n\n\n"
        for i in range(200)
    )
    before = {c.text for c in parsed("a.py", "import os\n\n\n" + body).chunks}
    after = [c.text for c in parsed("a.py", "# a comment\nimport os\n\n\n" + body).chunks]
    assert len([text for text in after if text not in before]) <= 1
    shifted = [c.text for c in parsed("a.py", "\nimport os\n\n\n" + body).chunks]
    assert set(shifted) == before


def test_a_large_function_becomes_overlapping_fragments_of_whole_statements() -> None:
    body = "".join(
        f"    if step_{i}(state):\n        state = finish(state, {i})\n" for i in range(100)
    )
    result = parsed("a.py", f"def run(state):\n    '''Runs.'''\n{body}    return state\n")
    assert len(result.chunks) > 3
    for chunk in result.chunks:
        assert chunk.is_fragment
        assert (chunk.kind, chunk.symbol_name) == ("function", "run")
        assert chunk.docstring == "Runs."
        assert len(chunk.text) <= MAX_CHUNK_CHARS
    for one, other in zip(result.chunks, result.chunks[1:], strict=False):
        assert one.start_line < other.start_line <= one.end_line


def test_tiny_neighbours_share_a_chunk_and_keep_their_names() -> None:
    text = "".join(f"class Error{i}(Exception):\n    pass\n\n\n" for i in range(6))
    chunks = parsed("errors.py", text).chunks
    assert len(chunks) == 1
    assert chunks[0].symbols == tuple(f"Error{i}" for i in range(6))


def test_a_minified_line_is_cut_and_capped() -> None:
    result = parsed("a.js", "var a=1;" + "f(a);" * 20_000 + "\nfunction g() {}\n")
    assert all(len(chunk.text) <= MAX_CHUNK_CHARS for chunk in result.chunks)
    assert len(result.chunks) < 20
    assert any("g" in chunk.symbols for chunk in result.chunks)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\n\n  \n",
        b"\x00" * 1000,
        b"\xff\xfe\x00",
        b"\xff" * 500,
        b"(" * 100_000,
        b"[" * 50_000 + b"]" * 50_000,
        b"{" * 20_000,
        b"def f(" * 5_000,
        b"class A { " * 5_000,
        b"function f() { " * 3_000,
        b"a" * 2_000_000,
        b"\r" * 5000 + b"x",
        "\u2028\u2029\x85 x = 1".encode(),
        b"x = '" + b"\xf0\x9f\x98" * 100,
    ],
    ids=range(15),
)
@pytest.mark.parametrize("name", ["a.py", "a.ts", "a.c", "a.cpp", "a.go", "a.rs", "a.java", "a.md"])
def test_bad_input_never_raises(name: str, data: bytes) -> None:
    result = parse_file(name, data)
    assert_sound(data, result)


def test_a_file_of_fifty_megabytes_is_cut_by_lines_and_says_so() -> None:
    result = parse_file("a.py", b"value = compute(1, 2, 3)\n" * 2_000_000)
    assert result.problems
    assert result.chunks


def assert_sound(data: bytes, result: ParsedFile) -> None:
    """What must hold of any file."""
    lines = SourceText.of(data).lines
    covered = {
        line for chunk in result.chunks for line in range(chunk.start_line, chunk.end_line + 1)
    }
    assert covered.issuperset(i for i, line in enumerate(lines, 1) if line.strip())
    for chunk in result.chunks:
        assert 1 <= chunk.start_line <= chunk.end_line <= len(lines)
        assert 0 < len(chunk.text) <= MAX_CHUNK_CHARS
        assert chunk.text.strip()
        assert chunk.text in "\n".join(lines[chunk.start_line - 1 : chunk.end_line])
    whole = [chunk for chunk in result.chunks if not chunk.is_fragment]
    for one, other in pairwise(whole):
        assert one.end_line < other.start_line or len(lines[one.end_line - 1]) > MAX_CHUNK_CHARS
    for symbol in result.symbols:
        assert 1 <= symbol.start_line <= symbol.line <= symbol.end_line <= len(lines)
        assert 0 <= symbol.column <= symbol.end_column
        line = lines[symbol.line - 1]
        assert symbol.end_column <= len(line.encode("utf-16-le", "replace")) // 2


SAMPLES = sorted((Path(__file__).parents[1] / "data" / "languages").glob("sample.*"))
SOME_TOKENS = (
    "def class function if { } ( ) [ ] : ; , . = => -> < > \" ' ` # // /* */ \\ import from return "
    "struct enum impl fn func type interface namespace template public static const let var x y "
    "Foo bar 1 \x00 é 😀 @ ! ~ async export default -- {- -}"
)
TOKENS = st.sampled_from([*SOME_TOKENS.split(" "), "\n", "\r\n", "\r", "\t", "\u2028", "    "])


NAMES = sorted({f"a{e}" for language in languages().values() for e in language.extensions[:1]})


@settings(max_examples=200, deadline=None)
@given(
    name=st.sampled_from(NAMES),
    data=st.one_of(
        st.binary(max_size=400),
        st.lists(TOKENS, max_size=200).map(lambda parts: " ".join(parts).encode()),
    ),
)
def test_any_bytes_give_sound_chunks_and_symbols(name: str, data: bytes) -> None:
    assert_sound(data, parse_file(name, data))


@settings(max_examples=100, deadline=None)
@given(
    sample=st.sampled_from(SAMPLES),
    cuts=st.lists(st.tuples(st.integers(0, 2000), st.integers(0, 200)), min_size=1, max_size=4),
    inserted=st.sampled_from([b"", b"{", b"}", b"(", b'"', b"/*", b"\n", b"\0", b"\xff", b"end\n"]),
)
def test_damaged_source_gives_sound_chunks_and_symbols(
    sample: Path, cuts: list[tuple[int, int]], inserted: bytes
) -> None:
    data = sample.read_bytes()
    for at, length in cuts:
        data = data[:at] + inserted + data[at + length :]
    result = parse_file(sample.name, data)
    assert not [problem for problem in result.problems if "UTF-8" not in problem]
    assert_sound(data, result)


@pytest.mark.parametrize(
    ("line", "signature"),
    [
        ("MYLIB_API Map<int, Set<int>> Logger::all() {}", "Map<int, Set<int>> Logger::all()"),
        ("MYLIB_API Map<int, int> all();", "Map<int, int> all()"),
        ("struct A {\n  MYLIB_API Map<int, int> all();\n};", "Map<int, int> all()"),
    ],
)
def test_cpp_is_read_through_macros_before_a_type_with_arguments(line: str, signature: str) -> None:
    found = parse_file("a.cc", f"int first;\n{line}\nint after() {{ return 1; }}\n".encode())
    assert {symbol.name: symbol.signature for symbol in found.symbols}["all"] == signature


@pytest.mark.parametrize(
    "condition",
    ["const char* p = next(a)", "std::vector<int>::iterator p = begin(a)", "int p = f()"],
)
def test_cpp_is_read_behind_a_for_whose_condition_declares(condition: str) -> None:
    source = (
        f"int first() {{ for (; {condition}; ++a) {{ use(p); }} return 0; }}\nint after() {{}}\n"
    )
    found = parse_file("a.cc", source.encode())
    assert [symbol.name for symbol in found.symbols] == ["first", "after"]


@pytest.mark.parametrize(
    ("line", "stays"),
    [
        ("static void printflike(2, 3) report(const char *s, ...);", False),
        ("int f(int x) { return cost(2) *rate(x); }", True),
        ("int f(int x) { if (1) rate(x); return 1; }", True),
        ("alignof(4) rate(x);", True),
    ],
)
def test_numbers_in_brackets_are_an_attribute_only_before_a_name(line: str, stays: bool) -> None:
    assert (preprocessor.without_marks(line.encode()) == line.encode()) == stays


@pytest.mark.parametrize("part", [b"%{\n", b"/* ", b"%token\n"])
def test_a_grammar_whose_parts_have_no_end_is_read_once(part: bytes) -> None:
    """With a pattern that looks for an end from each of them this would take minutes."""
    for source in (part * 50_000 + b"\n%%\n", b"%token A\n%%\n" + part * 50_000):
        assert len(yacc_grammars.opened(source)) == len(source)


def test_strings_without_an_end_are_passed_over_once() -> None:
    """With a pattern that looks for an end from each of their quotes this would take minutes."""
    source = b'"\\' * 50_000
    assert {len(mend(source)) for mend in preprocessor.MENDS} == {len(source)}


def test_a_file_that_is_read_again_and_again_costs_its_memory_once() -> None:
    """The Scala grammar asks for the text 39,000 times here, and the binding keeps every answer."""
    method = """
  /** Makes one of them. */
  def made{0}[A, B >: A](first: Int, second: java.util.function.Supplier[B]): Option[B] =
    if (first > {0}) Some(second.get())
    else None
"""
    text = "object Made {\n" + "".join(method.format(number) for number in range(700)) + "}\n"
    process = psutil.Process()
    before = process.memory_info().rss
    parsed = parse_file("Made.scala", text.encode())
    assert len(parsed.symbols) == 701
    assert process.memory_info().rss - before < 300 << 20


def test_a_busy_machine_leaves_no_file_without_its_tree(monkeypatch: pytest.MonkeyPatch) -> None:
    """By the clock a worker that gives way to everything else has no time for a long file."""
    clock = itertools.count(0.0, 100.0)
    monkeypatch.setattr(parse, "monotonic", lambda: next(clock))
    exceeded = parse._budget()
    assert not exceeded(0, False) and not exceeded(0, False)
    monkeypatch.setattr(parse, "thread_time", lambda: 1e9)
    assert exceeded(0, False)
