"""What a chunk holds: a definition with what describes it, and never braces or comments alone."""

import re
from pathlib import Path

import pytest

from surveyor.parsing.parse import parse_file
from surveyor.parsing.types import Chunk

SAMPLES = sorted((Path(__file__).parents[1] / "data" / "languages").glob("sample.*"))

FUNCTIONS = {
    "a.py": (
        "# Joins words.",
        "def other(a, b):\n    return 1",
        "def join(a, b):\n    return a + b",
    ),
    "a.ts": ("// Joins words.", "function other() {\n  f();\n}", "function join() {\n  g();\n}"),
    "a.js": ("/* Joins words. */", "function other() {\n  f();\n}", "function join() {\n  g();\n}"),
    "a.go": ("// Joins words.", "func other() {\n\tf()\n}", "func join() {\n\tg()\n}"),
    "a.rs": ("// Joins words.", "fn other() {\n    f();\n}", "#[inline]\nfn join() {\n    g();\n}"),
    "A.java": ("// Joins words.", "class Other {\n  int a;\n}", "@Api\nclass Join {\n  int b;\n}"),
    "a.kt": (
        "// Joins words.",
        "fun other() {\n  f()\n}",
        '@Suppress("x")\n@Api\nfun join() {\n  g()\n}',
    ),
    "a.cs": (
        "// Joins words.",
        "class Other {\n  int a;\n}",
        "[Serializable]\nclass Join {\n  int b;\n}",
    ),
    "a.c": (
        "/* Joins words. */",
        "int other(void) {\n  return 1;\n}",
        "int join(void) {\n  return 2;\n}",
    ),
    "a.cc": ("// Joins words.", "int other() {\n  return 1;\n}", "int join() {\n  return 2;\n}"),
    "a.rb": ("# Joins words.", "def other\n  f\nend", "def join\n  g\nend"),
    "a.php": ("// Joins words.", "function other() {\n  f();\n}", "function join() {\n  g();\n}"),
    "a.swift": (
        "// Joins words.",
        "func other() {\n  f()\n}",
        "@inlinable\nfunc join() {\n  g()\n}",
    ),
    "a.scala": ("// Joins words.", "class Other {\n  val a = 1\n}", "class Join {\n  val b = 1\n}"),
    "a.lua": (
        "-- Joins words.",
        "local function other()\n  f()\nend",
        "local function join()\n  g()\nend",
    ),
    "a.sh": ("# Joins words.", "other() {\n  f\n}", "join() {\n  g\n}"),
    "a.ex": ("# Joins words.", "defmodule Other do\n  @a 1\nend", "defmodule Join do\n  @b 1\nend"),
    "a.hs": (
        "-- Joins words.",
        "other :: Int -> Int\nother a = a",
        "join :: Int -> Int\njoin b = b",
    ),
    "a.zig": ("// Joins words.", "fn other() void {\n    f();\n}", "fn join() void {\n    g();\n}"),
    "a.dart": ("// Joins words.", "int other() {\n  return 1;\n}", "int join() {\n  return 2;\n}"),
    "a.jl": ("# Joins words.", "function other(a)\n  a\nend", "function join(b)\n  b\nend"),
}
"""By file name: a comment, a definition before it, and the one that it describes."""


def chunks_of(path: str, text: str) -> tuple[Chunk, ...]:
    return parse_file(path, text.encode()).chunks


@pytest.mark.parametrize("path", FUNCTIONS)
def test_a_comment_is_in_the_chunk_of_what_it_describes(path: str) -> None:
    comment, before, described = FUNCTIONS[path]
    # So many lines that the chunk is not one of tiny neighbours, which would hold it anyway.
    comments = "\n".join([comment] * 20)
    opening = "<?php\n" if path.endswith(".php") else ""
    chunks = chunks_of(path, f"{opening}{before}\n\n{comments}\n\n{described}\n")
    holding = [chunk for chunk in chunks if "Joins words." in chunk.text]
    assert [chunk.symbol_name.lower() for chunk in holding] == ["join"]
    assert described in holding[0].text


@pytest.mark.parametrize(
    ("path", "stubs", "defined"),
    [
        ("a.py", "@overload\ndef join(a: int) -> int: ...\n" * 2, "def join(a):\n{}    return a\n"),
        (
            "a.ts",
            "function join(a: string): string;\n\n",
            "function join(a: any) {{\n{}  return a;\n}}\n",
        ),
    ],
)
def test_overloads_share_the_chunk_of_their_function(path: str, stubs: str, defined: str) -> None:
    body = "".join(f"    a = step(a, {number})\n" for number in range(20))
    chunks = chunks_of(path, stubs + defined.format(body))
    assert [(chunk.symbol_name, chunk.start_line) for chunk in chunks] == [("join", 1)]


def test_a_long_comment_beside_a_function_that_fills_a_chunk_is_labelled_by_it() -> None:
    comment = "# says much about it\n" * 30
    body = "".join(f"    a = step(a, {number})\n" for number in range(55))
    chunks = chunks_of("a.py", f"import os\n\n{comment}\ndef join(a):\n{body}    return a\n")
    assert [(chunk.kind, chunk.symbol_name) for chunk in chunks[1:]] == [("function", "join")] * 2
    assert chunks[2].text.startswith("def join") and not chunks[2].is_fragment


def test_what_ends_a_class_joins_a_chunk_that_is_full() -> None:
    body = "".join(f"        a = step(a, {number:03});\n" for number in range(100))
    one = f"    int one() {{\n{body}    }}\n"
    chunks = chunks_of("A.java", f"class A {{\n{one}\n{one}}}\n\nclass B {{\n  int b;\n}}\n")
    assert len(chunks) > 4
    assert not [chunk for chunk in chunks if chunk.text.lstrip().startswith("}")]


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda path: path.suffix)
def test_no_chunk_is_without_words(sample: Path) -> None:
    for chunk in parse_file(sample.name, sample.read_bytes()).chunks:
        assert re.search(r"\w", chunk.text), chunk
