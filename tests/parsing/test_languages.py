"""The registry: every language's data is complete, and files find their language."""

import html
import json
import sys

import pytest

from surveyor.parsing.languages import find_language, language_of, languages
from surveyor.parsing.languages.grammar import GrammarError, grammar, parser, query
from surveyor.worker.index_version import index_version


@pytest.mark.parametrize("name", sorted(languages()))
def test_a_language_has_a_grammar_that_loads_and_queries_that_fit_it(name: str) -> None:
    language = languages()[name]
    if language.grammar is not None:
        grammar(language.grammar)
    for file in ("symbols.scm", "references.scm"):
        compiled = query(language, file)
        assert compiled is None or compiled.pattern_count > 0
    if language.layout == "code":
        assert query(language, "symbols.scm") is not None


def test_no_grammar_takes_the_place_of_a_standard_module() -> None:
    for name in ("json", "html"):
        grammar(name)
    assert sys.modules["json"] is json
    assert sys.modules["html"] is html


def test_no_extension_or_file_name_is_claimed_twice() -> None:
    claims = [
        claim
        for language in languages().values()
        for claim in (*language.extensions, *(name.lower() for name in language.filenames))
    ]
    assert sorted(claims) == sorted(set(claims))


@pytest.mark.parametrize(
    ("path", "first_bytes", "expected"),
    [
        ("a/b.py", b"", "python"),
        ("A.PY", b"", "python"),
        ("types/index.d.ts", b"", "typescript"),
        ("App.tsx", b"", "tsx"),
        ("bin/run", b"#!/usr/bin/env python3\n", "python"),
        ("bin/run", b"#!/usr/bin/env -S node --harmony\n", "javascript"),
        ("lib/box.service", b"#!/usr/bin/env sh\n", "bash"),
        ("lib/box.service", b"[Unit]\n", "ini"),
        ("lib/box.ts", b"#!/usr/bin/env -S bash\n", "typescript"),
        ("bin/run", b"\x00\x01", None),
        ("x.h", b"int f(void);\n", "c"),
        ("x.h", b"#pragma once\nnamespace foo {\nclass Bar;\n}\n", "cpp"),
        ("x.h", b'#ifdef __cplusplus\nextern "C" {\n#endif\nint f(void);\n', "c"),
        ("noext", b"", None),
        ("", b"", None),
    ],
)
def test_language_of(path: str, first_bytes: bytes, expected: str | None) -> None:
    language = language_of(path, first_bytes)
    assert (language and language.name) == expected


@pytest.mark.parametrize(
    ("said", "expected"),
    [("py", "python"), ("C++", "cpp"), ("TSX", "tsx"), (".rs", "rust"), ("golang", "go")],
)
def test_people_name_languages_in_their_way(said: str, expected: str) -> None:
    language = find_language(said)
    assert language is not None
    assert language.name == expected


def test_an_unknown_grammar_is_a_clear_error() -> None:
    with pytest.raises(GrammarError, match="klingon"):
        grammar("klingon")


def test_parsers_are_made_once() -> None:
    assert parser("python") is parser("python")


def test_the_index_version_names_chunker_and_grammars() -> None:
    assert index_version().startswith("chunker-")
    assert "grammars-0.13" in index_version()
