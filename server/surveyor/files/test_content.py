"""Whether a text is of tests, by how a language's test frameworks have them written."""

from __future__ import annotations

import re

__all__ = ["says_tests"]

READ_BYTES = 100_000
"""Bytes of a file that are looked through."""
INLINE_SHARE = 0.3
"""Share of a Rust file before its own tests from which it is code that tests itself."""

_CALLED = r"^\s*(?:describe|it|test|suite)(?:\.\w+)*\s*\(\s*['\"`]"
_ANNOTATED = r"@(?:\w+Test|Test|RunWith|BeforeEach|TestFactory|Suite)\b"
_TESTS: dict[str, str] = {
    **dict.fromkeys(("js", "jsx", "ts", "tsx", "mjs", "cjs", "mts", "cts"), _CALLED),
    **dict.fromkeys(("java", "kt", "kts", "groovy"), rf"{_ANNOTATED}|\bextends TestCase\b"),
    **dict.fromkeys(
        ("c", "cc", "cpp", "cxx", "h", "hpp", "m", "mm"),
        r"\b(?:TEST\w*|BOOST_\w+_TEST\w*|CATCH_\w+|SCENARIO)\s*\(|XCTestCase|\bassert\s*\("
        r"|^int main\s*\(",
    ),
    "scala": r"\bextends \w*(?:Suite|Spec|Test|Properties)\b|^\s*test\(\s*\"",
    "cs": r"\[\s*(?:Fact|Theory|Test|TestMethod|TestCase|TestFixture|TestClass|Benchmark)\b",
    "swift": r"XCTestCase|@Test\b|@Suite\b",
    "rs": r"#\[(?:\w+::)*(?:test|rstest|cfg\(test\)|proptest)\b",
    "rb": r"^\s*(?:describe|context|it|test|should)\s+['\"]|<\s*[\w:.]*Test(?:Case)?\b|\bdef test_",
    "php": r"\bfunction test\w*|@test\b|#\[Test\b|\bextends \w*TestCase\b",
    "py": r"^\s*(?:async )?def test_|^class Test\w*|\bTestCase\b|^import pytest\b",
    "dart": r"^\s*(?:test|group|testWidgets)\(",
    "lua": r"\b(?:describe|it)\s*\(",
    "ex": r"\buse ExUnit\b",
    "exs": r"\buse \w+\.?\w*Case\b|\bExUnit\b",
    "hs": r"\b(?:describe|testCase|testProperty|testGroup|hspec)\b",
    "jl": r"@test(?:set)?\b",
    "zig": r"^\s*test\s+(?:\"|\{)",
    "go": r"^func (?:Test|Benchmark|Example|Fuzz)\w*\(",
    "sol": r"\bfunction test\w*\(|\bis \w*Test\b",
    **dict.fromkeys(
        ("sh", "bash", "zsh"), r"^\s*(?:function\s+)?test_\w+\s*\(\)|^@test\b|\bassert\w*\b"
    ),
}
"""By extension: what a file of tests says."""
_PATTERNS = {
    # Blanks of one line: thousands of empty ones would be read again from each.
    extension: re.compile(text.replace(r"^\s*", r"^[^\S\n]*"), re.MULTILINE)
    for extension, text in _TESTS.items()
}


def says_tests(path: str, data: bytes) -> bool:
    """Whether a file is of tests by its text; true for languages of which this is not known."""
    extension = path.rpartition(".")[2].lower()
    pattern = _PATTERNS.get(extension)
    if pattern is None:
        return True
    text = data[:READ_BYTES].decode("utf-8", "replace")
    found = pattern.search(text)
    if found is None:
        return False
    return extension != "rs" or found.start() < INLINE_SHARE * len(text)
