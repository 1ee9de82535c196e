"""Where a word stands as code: not in comments and strings, in any language."""

from __future__ import annotations

import pytest

from surveyor.parsing.code_words import code_word_lines

CASES: dict[str, tuple[str, list[int]]] = {
    "c": ('// open\n/* open\n open */ open();\nputs("open \\" open"); char c = \'"\'; open();\n'
          "#define A(x) open_##x\n#define B open\n", [3, 4, 6]),
    "cpp": ('auto s = R"x(open\nopen)x"; open();\nlong n = 1\'000; open();\n', [2, 3]),
    "csharp": ('var s = @"open \\";\nvar t = """\nopen\n"""; Open(); open();\n$"{open}";\n',
               [4, 5]),
    "rust": ("fn f<'a, 'b>(x: &'a str) { open(x) }\nlet s = r#\"open \" open\"#; open();\n"
             "#[serde(with = \"open\")]\nprintln!(\"{open}\");\n", [1, 2, 4]),
    "go": ("s := `open\nopen`; open()\nr := 'o'; t := \"open\"\n", [2]),
    "swift": ('let s = """\nopen\n"""\nopen() // open\nprint("\\(open)")\n', [4, 5]),
    "zig": ("const s =\n    \\\\open\n;\nopen(); // open\n", [4]),
    "haskell": (
        "{- open\n open -}\nopen' = 1 -- open\nf = open --> g\n{-# INLINE open #-}\n", [4, 5],
    ),
    "python": ('"""open\nopen"""\n# open\nopen()\ns = \'open\'\nf"{open}"\n', [4, 6]),
    "ruby": ("=begin\nopen\n=end\nopen # open\n\"#{open}\"\n", [4, 5]),
    "typescript": ("const s = `open ${open}\nopen`;\n// open\nopen();\n", [1, 4]),
    "lua": ("--[[ open\nopen ]]\n--[==[ ]] open ]==] open()\n-- open\n", [3]),
    "php": ("<?php\n# open\n#[Attr(open)]\n$open = 'open';\nopen();\n", [3, 5]),
    "elixir": ('@doc """\nopen\n"""\nopen() # open\n', [4]),
    "a language that is not known": ("# open\n-- open\n sub open { open; }\n\"open\"\n", [3]),
}  # fmt: skip


@pytest.mark.parametrize("language", CASES)
def test_comments_and_strings_do_not_count(language: str) -> None:
    text, lines = CASES[language]
    assert list(code_word_lines(text.encode(), "open", language)) == lines


def test_longer_words_are_other_words() -> None:
    text = b"reopen(); opened; open_; _open; $open; open2\nx.open?.y\n"
    assert list(code_word_lines(text, "open", "typescript")) == [2]


@pytest.mark.parametrize("sign", ["'", '"', '"""', "`", "/*", "{-", "--[[", 'r#"', 'R"('])
def test_what_is_never_ended_is_read_once(sign: str) -> None:
    """A regular expression that tries each sign again to the end of a text takes its square."""
    text = (sign * 40_000 + " open ").encode()
    for language in CASES:
        list(code_word_lines(text, "open", language))
