"""Documents are cut along their headings, notebooks by cell, markup by its scripts."""

import json

import pytest

from surveyor.parsing.cut import MAX_CHUNK_CHARS
from surveyor.parsing.parse import parse_file
from surveyor.parsing.types import ParsedFile


def parsed(path: str, text: str) -> ParsedFile:
    return parse_file(path, text.encode())


WORDS = "Cookies are signed with a key that never leaves the server, and checked in order. " * 8

MARKDOWN = f"""---
title: Shop
---
Before any heading.

# Shop

{WORDS}

## Paying

```sh
# not a heading
pay
```

{WORDS}

### With a card
short

### By transfer ###

{WORDS}

Refunds
-------

{WORDS}
"""


def test_markdown_is_cut_at_its_headings_outside_of_code() -> None:
    result = parsed("README.md", MARKDOWN)
    assert [(s.name, s.container) for s in result.symbols] == [
        ("Shop", ""),
        ("Paying", "Shop"),
        ("With a card", "Shop > Paying"),
        ("By transfer", "Shop > Paying"),
        ("Refunds", "Shop"),
    ]
    assert [(c.kind, c.symbol_name) for c in result.chunks] == [
        ("preamble", ""),
        ("section", "Shop"),
        ("section", "Paying"),
        ("section", "With a card"),
        ("section", "By transfer"),
        ("section", "Refunds"),
    ]
    paying = result.symbols[1]
    lines = MARKDOWN.split("\n")
    assert lines[paying.line - 1][paying.column : paying.end_column] == "Paying"
    assert lines[paying.end_line].startswith("Refunds")


@pytest.mark.parametrize(
    "code",
    [
        "```sh\n```python\n# not a heading\n```",  # what closes a fence says nothing behind it
        "```` `x` ````",  # a fence's language has no backticks: this is a line of text
        "~~~ a `b`\n# not a heading\n~~~",
    ],
)
def test_a_fence_is_closed_by_a_bare_one(code: str) -> None:
    result = parsed("README.md", f"# Shop\n\n{code}\n\n# Paying\n\n{WORDS}\n")
    assert [symbol.name for symbol in result.symbols] == ["Shop", "Paying"]


def test_a_heading_with_nothing_below_goes_with_its_first_subsection() -> None:
    result = parsed("a.md", "# One\n\n## Two\n\ntext\n\n## Three\n\nmore\n")
    assert [c.symbols for c in result.chunks] == [("One", "Two"), ("Three",)]


def test_a_long_section_is_cut_at_paragraphs_with_overlap() -> None:
    text = "# Long\n\n" + "".join(f"{i} {WORDS[:400]}\n\n" for i in range(30))
    result = parsed("a.md", text)
    assert len(result.chunks) > 5
    assert all(c.is_fragment and c.symbol_name == "Long" for c in result.chunks)
    assert all(len(c.text) <= MAX_CHUNK_CHARS for c in result.chunks)


@pytest.mark.parametrize(
    ("path", "text", "titles"),
    [
        ("a.rst", "Title\n=====\n\ntext\n\nSub\n---\n\ntext\n", ["Title", "Sub"]),
        ("a.rst", "=====\nTitle\n=====\n\nOther\n=====\n", ["Title", "Other"]),
        ("a.rst", "=====  =====\nA      B\n=====  =====\n1      2\n=====  =====\n", []),
        ("a.adoc", "= Title\n\ntext\n\n== Sub\n\ntext\n", ["Title", "Sub"]),
        ("a.org", "* Title\ntext\n** Sub\ntext\n", ["Title", "Sub"]),
        ("README", "Shop\n====\n\n* a point\n* another\n", ["Shop"]),
        ("a.txt", "* a point\n* another\n= 3\n", []),
    ],
)
def test_headings_of_other_formats(path: str, text: str, titles: list[str]) -> None:
    assert [s.name for s in parsed(path, text).symbols] == titles


BADGE = "[![Build](https://ci.example.org/b(1).svg)](https://ci.example.org)"


@pytest.mark.parametrize(
    ("path", "written", "shown"),
    [
        ("a.md", f"Shop {BADGE} {BADGE}", "Shop"),
        ("a.md", f"{BADGE} Shop", "Shop"),
        ("a.md", BADGE, "Build"),  # no words beside it: those that stand for the picture
        ("a.md", "![](logo.png)", "![](logo.png)"),
        ("a.md", "<img src='x.svg' width=3> Foo &amp; Bar<br/>", "Foo & Bar"),
        ("a.md", "`parse(**kw)` and **bold** _it_", "parse(**kw) and bold it"),
        ("a.md", "[`Vec<T>`](api.md#vec) of [x][1]", "Vec<T> of x"),
        ("a.md", "[1.2.0] - 2024, [2.0](u)", "[1.2.0] - 2024, 2.0"),
        (
            "a.md",
            "a \\* b \\*, 2 * 3 * 4, f(*a, **kw), *args",
            "a * b *, 2 * 3 * 4, f(*a, **kw), *args",
        ),
        ("a.md", "some_snake_case and __init__", "some_snake_case and __init__"),
        ("a.md", "Vec<T> at <https://example.org>", "Vec<T> at https://example.org"),
        ("a.rst", "|build| Shop of :class:`~a.Cart`", "Shop of a.Cart"),
        ("a.rst", "``pay`` by `Card <https://example.org>`_ a | b", "pay by Card a | b"),
        ("a.adoc", "Shop image:b.svg[Build] link:u[Text]", "Shop Text"),
        ("a.org", "The [[https://example.org][Shop]]", "The Shop"),
    ],
)
def test_a_heading_is_called_what_a_reader_sees(path: str, written: str, shown: str) -> None:
    begin = {"a.md": "# ", "a.adoc": "= ", "a.org": "* "}.get(path, "")
    line = f"{begin}{written}"
    text = f"{line}\n{'=' * len(line) if path == 'a.rst' else ''}\n\ntext\n"
    (symbol,) = parsed(path, text).symbols
    assert symbol.name == shown
    assert line[symbol.column : symbol.end_column] == written


def test_data_and_unknown_files_are_overlapping_runs_of_lines() -> None:
    text = "".join(f'  "key_{i}": {{"value": {i}, "note": "about {i}"}},\n' for i in range(200))
    result = parsed("data.json", "{\n" + text + '  "end": 0\n}\n')
    assert len(result.chunks) > 4
    for one, other in zip(result.chunks, result.chunks[1:], strict=False):
        assert one.start_line < other.start_line <= one.end_line
    assert result.language == "json"
    assert parsed("strange.xyz", "some text\n").chunks[0].text == "some text"


def test_a_line_inserted_into_data_changes_few_chunks() -> None:
    rows = [f"{i:04d},{i * 7919 % 1009},{'x' * (i % 17)}" for i in range(3000)]
    before = {c.text for c in parsed("a.csv", "\n".join(rows)).chunks}
    after = [c.text for c in parsed("a.csv", "\n".join(["new", *rows])).chunks]
    assert len([text for text in after if text not in before]) <= 5


def notebook(*cells: tuple[str, str]) -> str:
    return json.dumps(
        {
            "cells": [
                {"cell_type": kind, "metadata": {}, "source": text.splitlines(keepends=True)}
                for kind, text in cells
            ],
            "metadata": {"kernelspec": {"language": "python", "name": "python3"}},
            "nbformat": 4,
        },
        indent=1,
        ensure_ascii=False,
    )


def test_a_notebook_gives_a_chunk_for_each_cell_and_symbols_at_their_place() -> None:
    text = notebook(
        ("markdown", "# Orders\n\nAbout orders."),
        (
            "code",
            '%matplotlib inline\nimport pandas as pd\n\nlabel = "größe"; x = 1\n'
            'def total(orders):\n    """Adds up."""\n    return orders.sum()\n',
        ),
        ("code", "total(pd.read_csv('orders.csv'))"),
    )
    result = parsed("a.ipynb", text)
    assert [c.kind for c in result.chunks] == ["cell"] * 3
    assert result.chunks[1].symbols == ("label", "x", "total")
    assert result.chunks[1].text.startswith("%matplotlib inline\nimport pandas")
    assert result.chunks[2].calls == ("total", "read_csv")
    assert result.imported_modules == ("pandas",)
    lines = text.split("\n")
    for symbol in result.symbols:
        if symbol.kind != "section":
            place = lines[symbol.line - 1][symbol.column : symbol.end_column]
            assert place == symbol.name
    total = result.symbols[-1]
    assert (total.kind, total.docstring) == ("function", "Adds up.")
    assert '"def total' in lines[total.start_line - 1]


@pytest.mark.parametrize("text", ["", "{", "[]", '{"cells": 3}', '{"cells": [1, {}]}', "nothing"])
def test_a_broken_notebook_is_cut_by_lines(text: str) -> None:
    result = parsed("a.ipynb", text)
    assert [c.text for c in result.chunks] in ([], [text])


VUE = """<template>
  <button @click="pay">{{ total }}</button>
</template>

<script setup lang="ts">
import { computed } from 'vue'

/** Adds up. */
function total(lines: Line[]): number {
  return lines.reduce((sum, line) => sum + line.price, 0)
}
const pay = async () => { await account.withdraw(total(lines)) }
</script>

<style>
button { color: red }
</style>
"""


@pytest.mark.parametrize("path", ["Order.vue", "Order.svelte", "order.html"])
def test_a_script_in_markup_keeps_the_lines_of_the_file(path: str) -> None:
    result = parsed(path, VUE)
    assert [(s.name, s.kind, s.line) for s in result.symbols] == [
        ("total", "function", 9),
        ("pay", "function", 12),
    ]
    assert result.imported_modules == ("vue",)
    text = "\n".join(c.text for c in result.chunks)
    assert "<button @click" in text
    assert "color: red" in text


def test_astro_front_matter_is_typescript() -> None:
    result = parsed("a.astro", "---\nconst name = 'x'\nfunction pay() {}\n---\n<p>{name}</p>\n")
    assert [s.name for s in result.symbols] == ["name", "pay"]


@pytest.mark.parametrize("opened", ["<script>", "<style>", "<script ", "<style a='", "<script/"])
def test_a_file_full_of_open_tags_is_read_once(opened: str) -> None:
    """Not once for each of them, which is an hour: the test's time is the limit."""
    assert parsed("a.vue", opened * 60_000).chunks


def test_a_quote_in_a_tag_that_is_left_open_hides_no_later_script() -> None:
    text = "<p>a <script it's</p>\n<script>function f() {}</script>"
    assert [symbol.name for symbol in parsed("a.html", text).symbols] == ["f"]


def test_data_in_a_script_tag_is_no_script() -> None:
    assert not parsed("a.html", '<script type="application/json">{"f": 1}</script>').symbols


@pytest.mark.parametrize(
    ("path", "begun"), [("a.md", "# a"), ("a.adoc", "= a"), ("a.org", "* a"), ("a.md", "# a {#")]
)
def test_a_title_of_a_hundred_thousand_blanks_is_read_once(path: str, begun: str) -> None:
    """Not from each of them on: the test's time is the limit."""
    blanks = " " * 100_000
    result = parsed(path, f"{begun}{blanks}b\n\n{begun} b\n\ntext\n")
    assert [symbol.name[-1:] for symbol in result.symbols][-1] == "b"
