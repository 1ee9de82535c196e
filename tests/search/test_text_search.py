"""Exact text: a literal is what a naive scan finds, a pattern what `re` finds, line by line."""

from __future__ import annotations

import random
import re
import zlib
from collections import Counter
from collections.abc import AsyncIterator, Mapping
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from surveyor.embedding.ngrams import SignatureTable, SoughtString, signature
from surveyor.errors import UsageError
from surveyor.parsing.hashing import digest
from surveyor.parsing.stored_text import stored_text
from surveyor.search import exact_text, pattern_matches, text_catalog, text_search
from surveyor.search.exact_text import chunks_saying
from surveyor.search.scope import Conditions, Overlay, SearchTarget
from surveyor.search.text_catalog import TextCatalog
from surveyor.search.text_pattern import TextPattern, literal, regular, required_strings
from surveyor.search.text_search import TextAnswer, TextSearcher, UnsavedText
from surveyor.store.state import State, document_texts, documents
from surveyor.store.state.content_digests import find_damage
from surveyor.store.state.files import FileChange, delete_branch, remember_branch, set_files
from surveyor.store.vectors.contract import Space

PLACE = SearchTarget("c", "p", "/r", "r", None, Space("projects", "p", "m", 4))
ALPHABET = "abAB_ .é\n"
TEXTS = st.text(ALPHABET, max_size=60)

ATOMS = st.sampled_from(
    [r"a", r"b", r"A", "ab", "abA_", "é", r"\.", ".", r"[ab]", r"[^a]", r"[a-bA]", r"\w", r"\s",
     r"\d", r"^", r"$", r"\x61", r"\n", r"\b", r"\W", r"[^\W\d_]", r"[\Wa]"]
)  # fmt: skip


def _grown(parts: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    repeat = st.sampled_from(["*", "+", "?", "{2}", "{1,3}", "{0,1}", "{2,}", "*?", "+?"])
    return st.one_of(
        st.lists(parts, min_size=2, max_size=4).map("".join),
        st.lists(parts, min_size=2, max_size=3).map(lambda some: f"(?:{'|'.join(some)})"),
        st.tuples(parts, repeat).map(lambda pair: f"({pair[0]}){pair[1]}"),
        parts.map(lambda part: f"(?i:{part})"),
    )


PATTERNS = st.recursive(ATOMS, _grown, max_leaves=8)


@given(PATTERNS, st.lists(TEXTS, min_size=1, max_size=4), st.booleans())
def test_no_text_with_a_match_is_passed_over(
    pattern: str, texts: list[str], ignore_case: bool
) -> None:
    made = regular(pattern, ignore_case=ignore_case)
    data = [text.encode() for text in texts]
    may = SignatureTable([signature(each) for each in data]).may_hold(made.clauses)
    for each, possible in zip(data, may, strict=True):
        assert possible or not list(made.spans(each))


@given(PATTERNS, TEXTS, st.booleans())
def test_a_pattern_matches_in_each_line_what_re_matches(
    pattern: str, text: str, ignore_case: bool
) -> None:
    assume(r"\n" not in pattern)
    plain = re.compile(pattern, re.I if ignore_case else 0)
    expected = []
    at = 0
    lines = text.split("\n")
    for line in lines if lines[-1] else lines[:-1]:
        spans = [m.span() for m in plain.finditer(line)]
        assume(all(start < end for start, end in spans))  # `re` tries again behind an empty match
        expected += [
            (at + len(line[:start].encode()), at + len(line[:end].encode())) for start, end in spans
        ]
        at += len(line.encode()) + 1
    assert list(regular(pattern, ignore_case=ignore_case).spans(text.encode())) == expected


@pytest.mark.parametrize(
    ("pattern", "found"),
    [
        (r"\büber\b", ["über"]),
        (r"\bb\w+", []),
        (r"gr\w+", ["größer"]),
        (r"\Bß", ["ß"]),
        (r"r\B", ["r"]),
        (r"\b\w+?\b", ["über", "größer", "_٣", "हिन्दी"]),
        (r"(\w)\b\.", ["r."]),
        (r"[^\W\d_]+", ["über", "größer", "हिन्दी"]),
        (r"[\W_]+", ["\u3000", "._", "² "]),
        (r"\d+", ["٣"]),
        (r"\S+$", ["हिन्दी"]),
        (r"\bहिन्दी\b$", ["हिन्दी"]),
        (r"\b\bgr.*?er\b", ["größer"]),
        (r"(?i)\bÜBER\W", ["über\u3000"]),
        (r"\Q.\E\P{L}", ["._"]),
    ],
)
def test_letters_beyond_ascii_are_letters(pattern: str, found: list[str]) -> None:
    data = "über\u3000größer._٣² हिन्दी\nplain ascii".encode()
    every = list(regular(pattern).spans(data))
    first = len(data) - len(b"\nplain ascii")
    spans = [span for span in every if span[0] < first]
    assert [data[start:stop].decode() for start, stop in spans] == found
    assert regular(pattern).count(data) == len(every)


@given(PATTERNS, st.lists(TEXTS, max_size=4).map("\n".join), st.booleans())
def test_lines_tried_one_by_one_have_the_matches_of_the_whole_text(
    pattern: str, text: str, ignore_case: bool
) -> None:
    made, data = regular(pattern, ignore_case=ignore_case), text.encode()
    found = {}
    for least in (0, 1, 1_000):
        with patch.object(pattern_matches, "LEAST_TRIED", least):
            found[least] = list(made.spans(data))
    without = replace(made, _needs_beyond=False)
    assert found[0] == found[1] == found[1_000] == list(without.spans(data))
    assert made.count(data) == len(found[0])


@pytest.mark.parametrize(
    ("pattern", "anchor", "beyond"),
    [
        (r"\w+@\w+\.\w+", b"@", False),
        (r"[A-Z]\w+Error\b", b"Error", False),
        (r"(?i)[a-z]\w+Error\b", b"", False),
        (r"^import\b", b"import", False),
        (r"import\b", b"", False),  # RE2 itself looks for what a pattern begins with
        (r"\s\x{E9}", "é".encode(), True),
        (r"[^\x00-\x7f]+", b"", True),
        (r"\p{Han}", b"", True),
        (r"(?i)É\w+", b"", True),
        (r"(?i)[kſ]+", b"", False),
        (r"\w*[äöü]x?", b"", True),
        (r"ä|b", b"", False),
    ],
)
def test_what_stands_in_every_match_is_known(pattern: str, anchor: bytes, beyond: bool) -> None:
    made = regular(pattern)
    assert made._matcher is not None
    assert (made._matcher.anchor, made._needs_beyond) == (anchor, beyond)


def test_lines_of_ascii_and_others_keep_their_order() -> None:
    data = "an if\nein if für\nan if, if\n".encode()
    spans = list(regular(r"\bif\b").spans(data))
    assert spans == sorted(spans)
    assert [data[start:stop] for start, stop in spans] == [b"if"] * 4


def test_matches_are_the_same_by_the_public_interface_of_the_library(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    data = "ab é_b\nx = 1\n\nab".encode()
    patterns = [regular(each) for each in ("a|b", r"\b", "^", "x*", r"\w+", "z")]
    before = [list(each.spans(data)) for each in patterns]
    monkeypatch.setattr(pattern_matches, "re2", SimpleNamespace())  # without what is its own
    assert [list(each.spans(data)) for each in patterns] == before


def test_an_empty_match_counts_once_for_its_place() -> None:
    assert list(regular("^$").spans(b"a\n\nb\n")) == [(2, 2)]
    assert regular("^").count(b"a\nb\n") == 2


def test_a_pattern_crosses_lines_only_where_it_says_so() -> None:
    assert not list(regular(r"a\s+b").spans(b"a\nb"))
    assert not list(regular("a[^x]b").spans(b"a\nb"))
    assert list(regular(r"a\nb").spans(b"a\nb")) == [(0, 3)]
    assert list(literal("a\nb").spans(b"a\nb")) == [(0, 3)]


@pytest.mark.parametrize(
    ("pattern", "strings"),
    [
        ("needle", [{"needle"}]),
        (r"foo\(.*bar_\d+", [{"foo("}, {"bar_"}]),
        ("(?:get|set)_item", [{"get_item", "set_item"}]),
        (r"\bclass [A-Z]\w*Error\b", [{"class "}, {"Error"}]),
        ("(abc)+d", [{"abc"}]),
        ("abc|x.*yz_", [{"abc", "yz_"}]),
        (r"\Qa.b\E[cd]", [{"a.bc", "a.bd"}]),
        ("abc?", []),
        (".*", []),
        ("abc|d", []),
    ],
)
def test_what_every_match_contains_is_known(pattern: str, strings: list[set[str]]) -> None:
    assert [set(each) for each in required_strings(pattern)] == strings


@pytest.mark.parametrize(
    ("pattern", "column"),
    [("a(b", 2), ("a)b", 2), ("[a", 1), ("x*+**", 0), (r"ab\q", 3), ("(?=a)", 1), ("ab(c[)]", 3)],
)
def test_a_bad_pattern_says_where_it_is_bad(pattern: str, column: int) -> None:
    with pytest.raises(UsageError) as caught:
        regular(pattern)
    assert (f"at column {column}:" in caught.value.message) == bool(column)


def test_the_two_letters_whose_other_case_is_not_ascii_are_found() -> None:
    for text, query in (("ſome text", "some text"), ("a \u212aelvin", "a kelvin")):
        made = literal(query, ignore_case=True)
        bits = signature(text.encode())
        assert SignatureTable([bits]).may_hold(made.clauses).all()
        assert SoughtString(query).may_stand_in(bits)
        assert made.count(text.encode()) == 1


def test_a_text_that_ends_is_told_from_one_that_begins() -> None:
    """A signature of many runs is larger, and still says no."""
    texts = [bytes(f"{n:07d}", "ascii") * 50 for n in range(2000)]
    signatures = [signature(each) for each in texts]
    assert len({len(each) for each in signatures}) == 1
    held = SignatureTable(signatures).may_hold(literal("0001234000").clauses).tolist()
    sought = SoughtString("0001234000")
    assert held == [sought.may_stand_in(each) for each in signatures]
    assert held[1234]
    assert sum(held) < 60


# --- over stored texts ------------------------------------------------------------------------


@pytest.fixture
async def state(tmp_path: Path) -> AsyncIterator[State]:
    opened = await State.open(tmp_path / "state.db")
    async with opened.transaction() as tx:
        await tx.execute("INSERT INTO projects (project_id, name) VALUES ('p', 'r')")
        await tx.execute(
            "INSERT INTO checkouts (checkout_id, project_id, root) VALUES ('c', 'p', '/r')"
        )
    yield opened
    await opened.close()


async def put(
    state: State, texts: Mapping[str, str], *, stored: bool = True, language: str = "python"
) -> dict[str, int]:
    """Index files that say something; their documents."""
    async with state.transaction() as tx:
        ids = await documents.upsert_documents(
            tx,
            [
                documents.NewDocumentRow(
                    "p", path, digest(text.encode()), language, "code", "v", False, "[]", ""
                )
                for path, text in texts.items()
            ],
        )
        made = [stored_text(text.encode()) for text in texts.values()]
        if stored:
            await document_texts.put_texts(
                tx,
                [
                    document_texts.NewTextRow(doc_id, each.text, each.ngrams)
                    for doc_id, each in zip(ids, made, strict=True)
                ],
            )
        before = await set_files(
            tx,
            "c",
            [
                FileChange(path, "indexed", content_hash=digest(text.encode()), doc_id=doc_id)
                for (path, text), doc_id in zip(texts.items(), ids, strict=True)
            ],
        )
        await documents.drop_unused(tx, [each for each in before if each is not None])
    return dict(zip(texts, ids, strict=True))


async def find(state: State, pattern: TextPattern, **given: Any) -> TextAnswer:
    unsaved = given.pop("unsaved", ())
    searcher = TextSearcher(state, lambda _: unsaved)
    given = {"conditions": Conditions(), "limit": 1000, **given}
    return await searcher.find(pattern, [PLACE], **given)


def places(answer: TextAnswer) -> list[tuple[str, int, int]]:
    return [(each.source.path, each.line, each.column) for each in answer.matches]


FILES = {
    "b.py": "def one():\n    return 'needle' + needle\n",
    "a/conf.yaml": "# a Needle\r\nneedle: 1\r\n",
    "z.md": "𝒳 needle",
    "none.py": "nothing here\n",
    "empty.py": "",
}


async def test_every_match_is_found_in_the_order_of_paths_with_its_place(state: State) -> None:
    await put(state, FILES)
    found = await find(state, literal("needle"))
    assert places(found) == [
        ("a/conf.yaml", 2, 0),
        ("b.py", 2, 12),
        ("b.py", 2, 22),
        ("z.md", 1, 3),
    ]
    assert (found.total, found.files, found.read) == (4, 3, 3)
    assert found.matches[0].shown == "needle: 1"
    assert len(places(await find(state, literal("NEEDLE", ignore_case=True)))) == 5


async def test_pages_together_are_all_matches(state: State) -> None:
    await put(state, {f"{n}.txt": "x y x\nx\n" * n for n in range(6)})
    whole = places(await find(state, literal("x")))
    assert len(whole) == 45
    pages = []
    for offset in range(0, 50, 7):
        page = await find(state, literal("x"), limit=7, offset=offset)
        assert (page.total, page.files) == (45, 5)
        pages += places(page)
    assert pages == whole


async def test_context_and_filters(state: State) -> None:
    await put(state, FILES)
    await put(state, {"c.go": "one\ntwo needle\nthree\n"}, language="go")
    go = Conditions(languages=("go",))
    found = await find(state, literal("needle"), conditions=go, context=1)
    assert [(m.first_line, m.last_line, m.shown) for m in found.matches] == [
        (1, 3, "one\ntwo needle\nthree")
    ]
    without = Conditions(paths=("!*.py", "!*.go"))
    found = await find(state, literal("needle"), conditions=without)
    assert {each.source.path for each in found.matches} == {"a/conf.yaml", "z.md"}
    assert (await find(state, literal("needle"), conditions=Conditions(types=("doc",)))).total == 0


async def test_only_matches_inside_definitions_of_a_kind(state: State) -> None:
    ids = await put(state, {"a.py": "x = 1\ndef f():\n    x = 2\n"})
    async with state.transaction() as tx:
        await tx.execute(
            "INSERT INTO symbols (doc_id, ordinal, name, name_lower, kind, container, start_line,"
            ' end_line, line, "column", end_column)'
            " VALUES (?, 0, 'f', 'f', 'function', '', 2, 3, 2, 4, 5)",
            (ids["a.py"],),
        )
    found = await find(state, literal("x = "), conditions=Conditions(kinds=("function",)))
    assert places(found) == [("a.py", 3, 4)]
    assert found.total == 1
    assert found.matches[0].symbol is not None
    assert found.matches[0].symbol.name == "f"


async def test_an_unsaved_buffer_replaces_its_file(state: State) -> None:
    await put(state, FILES)
    overlay = Overlay("b.py", 3, (), ())
    buffer = UnsavedText(overlay, b"no more\nneedle\n", "python", "code")
    found = await find(state, literal("needle"), unsaved=[buffer])
    assert ("b.py", 2, 0) in places(found)
    assert found.total == 3
    assert not (await find(state, literal("def one"), unsaved=[buffer])).total


async def test_what_is_masked_in_an_unsaved_buffer_counts_in_place_of_its_file(
    state: State,
) -> None:
    await put(state, FILES)
    overlay = Overlay("b.py", 3, (), ())
    for masked in (True, False):
        buffer = UnsavedText(overlay, b"key = *****\n", "python", "code", is_masked=masked)
        searcher = TextSearcher(state, {PLACE.checkout_id: [buffer]}.__getitem__)
        assert await searcher.masked(PLACE) == ["b.py"] * masked


async def test_a_changed_file_is_found_by_what_it_says_now(state: State) -> None:
    await put(state, {"a.py": "old text here"})
    await put(state, {"a.py": "new words here"})
    assert not (await find(state, literal("old text"))).total
    assert (await find(state, literal("new words"))).total == 1
    assert await state.value("SELECT count(*) FROM document_texts") == 1
    assert await state.value("SELECT count(*) FROM document_ngrams") == 1


async def test_what_is_kept_of_earlier_searches_is_never_out_of_date(state: State) -> None:
    """One searcher, as the engine has it: files change, go and come between its searches."""
    chance = random.Random(8)
    searcher = TextSearcher(state)
    texts: dict[str, str] = {}
    for _ in range(40):
        path = f"{chance.randrange(6)}.py"
        if path in texts and chance.random() < 0.3:
            del texts[path]
            async with state.transaction() as tx:
                await tx.execute("DELETE FROM files WHERE path = ?", (path,))
        else:
            texts[path] = " ".join(chance.choices(["one", "two", "three"], k=3))
            await put(state, {path: texts[path]})
        for needle in ("o", "one", "three"):
            found = await searcher.find(
                literal(needle), [PLACE], conditions=Conditions(), limit=100
            )
            expected = {path: n for path, text in texts.items() if (n := text.count(needle))}
            assert Counter(each.source.path for each in found.matches) == expected
            assert (found.total, found.files) == (sum(expected.values()), len(expected))


async def test_masking_anew_leaves_no_text_to_be_found(state: State) -> None:
    await put(state, {"a.py": "password = hunter2"})
    searcher = TextSearcher(state)
    documents = await state.read("SELECT doc_id FROM documents")
    for expected in (1, 0):
        found = await searcher.find(literal("hunter2"), [PLACE], conditions=Conditions(), limit=9)
        assert found.total == expected
        async with state.transaction() as tx:
            await document_texts.delete_texts(tx, [row[0] for row in documents])


async def test_more_texts_than_are_kept_leave_those_that_the_next_search_begins_with(
    state: State, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(text_catalog, "TEXT_BYTES", 30)
    catalog = TextCatalog(state)
    for _ in range(2):
        catalog.begin()
        catalog.store({number: (number, b"x" * 10) for number in range(5)})
        assert set(catalog.texts((number, number) for number in range(5))) == {0, 1, 2}
    assert not catalog.texts([(0, 7)]), "it says something else now"
    catalog.begin()
    catalog.store({9: (9, b"y" * 30)})
    assert set(catalog.texts((number, number) for number in range(10))) == {9}
    catalog.forget()
    assert not catalog.texts([(9, 9)])


async def test_a_branch_that_is_not_checked_out_is_searched_as_it_was(state: State) -> None:
    await put(state, {"a.py": "on main", "same.py": "on both"})
    async with state.transaction() as tx:
        await remember_branch(tx, "p", "main", "c")
    await put(state, {"a.py": "on topic"})
    for branch, paths in (("main", ["a.py", "same.py"]), ("*", ["a.py", "a.py", "same.py"])):
        place = replace(PLACE, other_branch=branch)
        answer = await TextSearcher(state).find(
            literal("on "), [place], conditions=Conditions(), limit=10
        )
        assert [each.source.path for each in answer.matches] == paths
    assert [each.shown for each in (await find(state, literal("on "))).matches] == [
        "on topic",
        "on both",
    ]
    async with state.transaction() as tx:
        await documents.drop_unused(tx, await delete_branch(tx, "p", "main"))
    assert await state.value("SELECT count(*) FROM document_texts") == 2
    assert await state.value("SELECT count(*) FROM document_ngrams") == 2


async def test_a_transaction_that_fails_leaves_the_texts_as_they_were(state: State) -> None:
    await put(state, {"a.py": "the old text"})
    with pytest.raises(RuntimeError):
        async with state.transaction() as tx:
            made = stored_text(b"the new text")
            ids = [each for each, _ in await document_texts.signatures_in(state, PLACE)]
            new = [document_texts.NewTextRow(ids[0], made.text, made.ngrams)]
            await document_texts.put_texts(tx, new)
            raise RuntimeError
    assert (await find(state, literal("the old text"))).total == 1
    assert not (await find(state, literal("the new text"))).total


async def test_damage_to_a_stored_text_is_found(state: State, tmp_path: Path) -> None:
    ids = await put(state, FILES)
    async with state.transaction() as tx:
        await tx.execute(
            "UPDATE document_texts SET text = zeroblob(20) WHERE doc_id = ?", (ids["b.py"],)
        )
    assert find_damage(tmp_path / "state.db").documents == {ids["b.py"]}


async def test_what_an_earlier_version_indexed_is_found_by_its_chunks(state: State) -> None:
    ids = await put(state, {"old.py": "unused"}, stored=False)
    async with state.transaction() as tx:
        await tx.execute("INSERT INTO texts (text_hash, text) VALUES (x'01', 'from a chunk')")
        await tx.execute(
            "INSERT INTO chunks (doc_id, ordinal, point_id, text_hash, kind, start_line, end_line)"
            " VALUES (?, 0, 'x', x'01', 'block', 7, 7)",
            (ids["old.py"],),
        )
    found = await find(state, literal("a chunk"))
    assert places(found) == [("old.py", 7, 5)]
    assert found.from_chunks == 1


async def test_a_damaged_text_is_named_and_never_searched(state: State) -> None:
    ids = await put(state, FILES)
    async with state.transaction() as tx:
        await tx.execute(
            "UPDATE document_texts SET text = ? WHERE doc_id = ?",
            (zlib.compress(b"needle needle"), ids["z.md"]),
        )
    found = await find(state, literal("needle"))
    assert found.unreadable == ["z.md"]
    assert found.total == 3


async def test_an_answer_that_runs_out_of_time_says_so(
    state: State, monkeypatch: pytest.MonkeyPatch
) -> None:
    await put(state, FILES)
    monkeypatch.setattr(text_search, "TIME_LIMIT_S", -1.0)
    found = await find(state, literal("needle"))
    assert found.out_of_time
    assert (found.read, found.candidates) == (0, 3)


async def test_a_long_line_is_shown_around_its_match(state: State) -> None:
    await put(state, {"a.js": "x" * 5000 + "needle" + "y" * 5000})
    (match,) = (await find(state, literal("needle"))).matches
    assert match.is_cut
    assert match.column == 5000
    assert "needle" in match.shown
    assert len(match.shown) < 500


async def test_a_literal_is_what_a_naive_scan_finds(state: State) -> None:
    chance = random.Random(4)
    texts = {
        f"{number}.py": "".join(chance.choices(ALPHABET, k=chance.randrange(80)))
        for number in range(60)
    }
    await put(state, texts)
    for _ in range(60):
        needle = "".join(chance.choices(ALPHABET[:-1], k=chance.randrange(1, 5)))
        fold = bool(chance.randrange(2))
        looked = re.compile(re.escape(needle), re.I if fold else 0)
        expected = [
            (
                path,
                text.count("\n", 0, m.start()) + 1,
                m.start() - text.rfind("\n", 0, m.start()) - 1,
            )
            for path, text in sorted(texts.items())
            for m in looked.finditer(text)
        ]
        found = await find(state, literal(needle, ignore_case=fold))
        assert places(found) == expected
        assert found.total == len(expected)
        assert found.files == len({path for path, _, _ in expected})


async def put_chunks(state: State, texts: Mapping[str, str]) -> None:
    """Documents of one chunk each."""
    ids = await put(state, texts)
    async with state.transaction() as tx:
        for number, (path, text) in enumerate(texts.items()):
            await tx.execute(
                "INSERT INTO texts (text_hash, text) VALUES (?, ?)", (bytes([number]), text)
            )
            await tx.execute(
                "INSERT INTO chunks (doc_id, ordinal, point_id, text_hash, kind, start_line,"
                " end_line) VALUES (?, 0, ?, ?, 'block', 1, 1)",
                (ids[path], path, bytes([number])),
            )


async def test_chunks_that_say_a_text_are_looked_up_where_no_candidate_does(state: State) -> None:
    await put_chunks(state, {"a.py": "x = NO_COLOR", "b.py": "no_color", "c.py": "colors"})
    none, catalog = frozenset[str](), TextCatalog(state)
    found = await chunks_saying(catalog, PLACE, "NO_COLOR", Conditions(), none)
    assert set(found) == {"a.py"}, "b.py says it in another case"
    assert not await chunks_saying(catalog, PLACE, "NO_COLOR", Conditions(types=("doc",)), none)
    within = Conditions(paths=("b*",))
    assert set(await chunks_saying(catalog, PLACE, "NO_COLOR", within, none)) == {"b.py"}
    unsaved = frozenset(["a.py", "b.py"])
    assert not await chunks_saying(catalog, PLACE, "NO_COLOR", Conditions(), unsaved)
    assert not await chunks_saying(catalog, PLACE, "NO", Conditions(), none)


async def test_a_short_text_is_looked_for_until_a_document_says_it_in_its_own_case(
    state: State, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(exact_text, "MOST_DOCUMENTS", 2)
    texts = {f"a{n}.py": "for w in words: pass" for n in range(9)} | {"later.py": "W = 1"}
    await put_chunks(state, texts)
    found = await chunks_saying(TextCatalog(state), PLACE, "W", Conditions(), frozenset())
    assert set(found) == {"later.py"}
    found = await chunks_saying(TextCatalog(state), PLACE, "FO", Conditions(), frozenset())
    assert not found


async def test_a_text_is_looked_for_until_a_document_says_it_as_a_word_of_its_own(
    state: State, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(exact_text, "MOST_DOCUMENTS", 2)
    texts = {f"a{n}.py": "isLast = getLastLine()" for n in range(9)} | {"later.py": "Las = 1"}
    await put_chunks(state, texts)
    none = frozenset[str]()
    assert set(await chunks_saying(TextCatalog(state), PLACE, "Las", Conditions(), none)) == {
        "later.py"
    }
    within = await chunks_saying(TextCatalog(state), PLACE, "astLin", Conditions(), none)
    assert set(within) == {"a0.py", "a1.py"}, "the first that say it as a part"


async def test_an_operator_is_found_beside_letters(state: State) -> None:
    await put_chunks(state, {"a.py": "x=1", "b.ts": "f=>y", "c.ts": "a ->> b"})
    none, catalog = frozenset[str](), TextCatalog(state)
    for wanted, path in (("=>", "b.ts"), ("->>", "c.ts"), (">>", "c.ts")):
        assert set(await chunks_saying(catalog, PLACE, wanted, Conditions(), none)) == {path}


async def test_what_stands_in_a_line_behind_its_chunks_is_found_with_what_stands_around(
    state: State,
) -> None:
    line = f"first\n{'data ' * 900}GAPI_HOST={'more ' * 900}\nlast"
    ids = await put(state, {"data.json": line, "isGAPI_HOSTS.py": "isGAPI_HOSTS"})
    async with state.transaction() as tx:
        for number, (path, text) in enumerate(
            [("data.json", "data data"), ("isGAPI_HOSTS.py", "isGAPI_HOSTS")]
        ):
            hashed = bytes([number])
            await tx.execute("INSERT INTO texts (text_hash, text) VALUES (?, ?)", (hashed, text))
            await tx.execute(
                "INSERT INTO chunks (doc_id, ordinal, point_id, text_hash, kind, start_line,"
                " end_line) VALUES (?, 0, ?, ?, 'text', 1, 3)",
                (ids[path], path, hashed),
            )
    found = await chunks_saying(TextCatalog(state), PLACE, "GAPI_HOST", Conditions(), frozenset())
    row = found["data.json"].row
    assert (row.start_line, row.end_line) == (2, 2)
    assert row.text is not None and "data GAPI_HOST=more" in row.text
    assert len(row.text) < 700
