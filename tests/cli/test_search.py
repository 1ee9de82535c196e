"""`surveyor search` and `symbols` on an indexed folder."""

import os
import re
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import msgspec
import pytest

from surveyor.cli.search import show_answer
from surveyor.client.blocking import Client, open_session
from surveyor.engine.agents.tools.search import render
from surveyor.protocol.search import (
    OtherPlace,
    Scores,
    SearchRequest,
    SearchResponse,
    SearchResult,
)
from surveyor.protocol.sessions import Hello
from surveyor.search.pipeline import WEAK_RESULTS, WEAK_TOKENS
from surveyor.search.snippets import estimate_tokens
from tests.product import Product, git, until, write_tree

Indexed = tuple[Product, Path]

RESULT_KEYS = {
    "path", "start_line", "end_line", "language", "kind", "symbol", "score", "confidence",
    "scores", "snippet", "project", "branch",
}  # fmt: skip


@pytest.mark.parametrize(
    ("query", "path"),
    [
        ("repeat a failing call after a growing pause", "shop/retry.py"),
        ("call_with_backoff", "shop/retry.py"),
        ("Cart.total_price", "shop/cart.py"),
        ("signCookie", "shop/session.ts"),
        ("where are session cookies signed", "shop/session.ts"),
    ],
)
def test_the_right_file_comes_first(indexed: Indexed, query: str, path: str) -> None:
    surveyor, shop = indexed
    assert surveyor.paths(query, shop)[0] == path


def test_json_has_the_promised_fields(indexed: Indexed) -> None:
    surveyor, shop = indexed
    answer = surveyor.search("shopping cart", shop)
    assert {"results", "status", "files_behind", "revision", "took_ms"} <= answer.keys()
    assert answer["status"] == "healthy"
    first = answer["results"][0]
    assert first.keys() >= RESULT_KEYS
    assert not Path(first["path"]).is_absolute()
    assert first["scores"].keys() == {"dense", "sparse"}
    assert 0 <= first["confidence"] <= 1


@pytest.mark.parametrize("mode", ["hybrid", "semantic", "keyword"])
def test_every_mode_answers(indexed: Indexed, mode: str) -> None:
    surveyor, shop = indexed
    assert "shop/cart.py" in surveyor.paths("total price of the cart", shop, "--mode", mode)


@pytest.mark.parametrize(
    ("options", "allowed"),
    [
        (["--language", "typescript"], {"shop/session.ts"}),
        (["--type", "test"], {"tests/test_cart.py"}),
        (["--path", "shop/*.py"], {"shop/cart.py", "shop/retry.py"}),
        (["--path", "!tests/", "--language", "python"], {"shop/cart.py", "shop/retry.py"}),
        (["--kind", "class"], {"shop/cart.py"}),
    ],
)
def test_filters_are_kept(indexed: Indexed, options: list[str], allowed: set[str]) -> None:
    surveyor, shop = indexed
    found = set(surveyor.paths("cart session price function", shop, *options))
    assert found and found <= allowed


def test_a_filter_by_kind_finds_a_method_inside_a_chunk(indexed: Indexed) -> None:
    surveyor, shop = indexed
    found = surveyor.search("sum of all lines with tax", shop, "--kind", "method")["results"]
    assert {result["kind"] for result in found} == {"method"}
    best = found[0]
    assert (best["path"], best["symbol"]) == ("shop/cart.py", "total_price")
    assert (best["start_line"], best["end_line"]) == (14, 16)
    assert best["snippet"].lstrip().startswith("def total_price")
    done = surveyor.run("search", "x", "--project", str(shop), "--kind", "methods", check=False)
    assert done.returncode == 2 and "method" in done.stderr


def test_symbols_of_a_kind_are_not_crowded_out_by_others(indexed: Indexed) -> None:
    surveyor, shop = indexed
    answer = surveyor.json("symbols", "c", "--project", str(shop), "--kind", "class", "-n", "1")
    assert [each["name"] for each in answer["results"]] == ["Cart"]


@pytest.mark.parametrize(
    "query",
    ['"', "a AND (b OR", "NEAR/3 *", "🦄", "the of and", "x" * 10_000, "-- DROP TABLE;"],
)
def test_no_query_is_an_error(indexed: Indexed, query: str) -> None:
    surveyor, shop = indexed
    done = surveyor.run("search", "--project", str(shop), "--json", "--", query, check=False)
    assert done.returncode in (0, 1)
    assert "Traceback" not in done.stderr
    assert done.stdout.startswith('{"')


def test_explained_parts_add_up_to_the_score(indexed: Indexed) -> None:
    surveyor, shop = indexed
    for result in surveyor.search("total price of a cart", shop, "--explain")["results"]:
        score = 0.0
        for part in result["explain"]:
            score = score + part["value"] if part["operation"] == "add" else score * part["value"]
        assert score == pytest.approx(result["score"], abs=1e-5)


def test_a_budget_of_tokens_is_kept(indexed: Indexed) -> None:
    surveyor, shop = indexed
    answer = surveyor.search("cart", shop, "--tokens", "60")
    assert sum(len(result["snippet"]) for result in answer["results"]) <= 60 * 4


def test_a_folder_inside_scopes_the_search(indexed: Indexed) -> None:
    surveyor, shop = indexed
    assert set(surveyor.paths("cart", shop / "tests")) == {"tests/test_cart.py"}


@pytest.mark.parametrize(
    ("query", "name"),
    [("total_price", "total_price"), ("cwb", "call_with_backoff"), ("signcok", "signCookie"),
     ("Cart.add_item", "add_item"), ("backoff", "call_with_backoff"),
     ("call with backoff", "call_with_backoff")],
)  # fmt: skip
def test_symbols_are_found_loosely(indexed: Indexed, query: str, name: str) -> None:
    surveyor, shop = indexed
    answer = surveyor.json("symbols", query, "--project", str(shop))
    assert answer["results"][0]["name"] == name


def test_an_unknown_project_names_the_known_ones(indexed: Indexed, tmp_path: Path) -> None:
    surveyor, shop = indexed
    done = surveyor.run("search", "x", "--project", str(tmp_path), check=False)
    assert done.returncode == 3
    assert str(shop) in done.stderr and "surveyor index" in done.stderr


def test_a_path_of_the_callers_is_not_looked_for_where_the_engine_is(
    indexed: Indexed, tmp_path: Path
) -> None:
    surveyor, shop = indexed
    done = surveyor.run("search", "x", "--project", "no/such", cwd=tmp_path, check=False)
    assert done.returncode == 3 and f"there is no {tmp_path}/no/such" in done.stderr
    done = surveyor.run("search", "x", "--project", "README.md", cwd=shop, check=False)
    assert done.returncode == 2 and "README.md is a file" in done.stderr


def test_light_commands_load_nothing_heavy(indexed: Indexed) -> None:
    surveyor, shop = indexed
    surveyor.extra["PYTHONPROFILEIMPORTTIME"] = "1"
    heavy = (
        "numpy",
        "qdrant",
        "fastembed",
        "pygls",
        "mcp",
        "pydantic",
        "tokenizers",
        "tree_sitter",
    )
    try:
        for arguments in (
            ["--help"],
            ["--version"],
            ["queue", "--help"],
            ["status"],
            ["search", "x"],
        ):
            log = surveyor.run(*arguments, check=False, cwd=shop).stderr
            loaded = {
                line.rpartition("|")[2].strip().partition(".")[0] for line in log.splitlines()
            }
            assert not {name for name in loaded if name.startswith(heavy)}, arguments
    finally:
        surveyor.extra.clear()


@pytest.mark.skipif(sys.platform == "win32", reason="Windows takes no such names")
def test_a_name_that_a_terminal_would_obey_stays_one_harmless_line(
    surveyor: Product, tmp_path: Path
) -> None:
    odd = "new\nline \x1b[31m\u202e.py"
    shop = write_tree(tmp_path / "shop", {odd: "def wombat_burrow():\n    return '\x1b[2J'\n"})
    surveyor.index(shop)
    assert surveyor.paths("wombat_burrow", shop) == [odd]
    written = "new\\nline \\x1b[31m\\u202e.py"
    for command in ("search", "symbols"):
        lines = surveyor.run(command, "wombat_burrow", "--project", str(shop)).stdout.split("\n")
        assert lines[0].startswith(f"{written}:1")
        assert not any("\x1b" in line or "\u202e" in line for line in lines)
    assert surveyor.run("outline", odd, "--project", str(shop)).stdout.startswith(written + "\n")

    def drawn() -> str:
        ours, theirs = os.openpty()
        command = [sys.executable, "-m", "surveyor", "search", "wombat_burrow"]
        environment = surveyor.environment | {"TERM": "xterm", "COLUMNS": "80"}
        with subprocess.Popen(
            command, stdout=theirs, stderr=theirs, env=environment, cwd=shop
        ) as process:
            os.close(theirs)
            said = b""
            with suppress(OSError):  # the other end is closed
                while part := os.read(ours, 4096):
                    said += part
            assert process.wait() == 0
        os.close(ours)
        return said.decode()

    said = drawn()
    assert written in said
    assert "file://" in said and "new%0Aline%20%1B" in said
    assert "\x1b[2J" not in said and "\u202e" not in said


def test_folders_that_are_not_indexed_are_named_beside_those_that_are(
    surveyor: Product, tmp_path: Path
) -> None:
    shop = write_tree(tmp_path / "shop")
    (tmp_path / "elsewhere").mkdir()
    surveyor.index(shop)
    connection = open_session(surveyor.data)
    assert connection is not None
    client = Client(connection)
    client.greet(Hello(client="lsp", version="1", pid=os.getpid(), roots=[str(shop)]))
    both = [str(shop), str(tmp_path / "elsewhere")]
    found = client.call(SearchRequest(query="total price of a cart", projects=both))
    client.close()
    assert found.results
    assert f"not indexed: {tmp_path / 'elsewhere'}" in (found.notice or "")


@pytest.mark.parametrize(
    ("mode", "query", "pattern"),
    [
        ("literal", "self.lines", r"self\.lines"),
        ("literal", "sqlite:///", "sqlite:///"),
        ("literal", "total", "total"),
        ("regex", r"def \w+\(self\b", r"def \w+\(self\b"),
        ("regex", r"^import|invoices", "^import|invoices"),
    ],
)
def test_exact_text_is_what_reading_the_files_finds(
    indexed: Indexed, mode: str, query: str, pattern: str
) -> None:
    surveyor, shop = indexed
    answer = surveyor.search(query, shop, "--mode", mode, "--limit", "100")
    expected = [
        (path.relative_to(shop).as_posix(), row, match.start() + 1)
        for path in sorted(shop.rglob("*"))
        if path.is_file()
        for row, line in enumerate(path.read_text().splitlines(), 1)
        for match in re.finditer(pattern, line)
    ]
    found = [(each["path"], each["line"], each["column"]) for each in answer["results"]]
    assert sorted(found) == sorted(expected)
    assert answer["matches"] == len(expected)
    assert answer["files"] == len({path for path, _, _ in expected})
    assert answer["incomplete"] == []


def test_what_a_file_in_another_encoding_may_say_is_not_said_to_be_nowhere(
    surveyor: Product, tmp_path: Path
) -> None:
    root = tmp_path / "mixed"
    root.mkdir()
    (root / "new.py").write_text("# Müller\n", encoding="utf-8")
    (root / "old.py").write_text("# Müller said hello\n", encoding="latin-1")
    surveyor.index(root)
    for mode in ("literal", "regex"):
        answer = surveyor.search("Müller", root, "--mode", mode)
        assert [each["path"] for each in answer["results"]] == ["new.py"]
        assert answer["incomplete"] == [
            "What is not ASCII is not found in what is not UTF-8: old.py."
        ]
    assert surveyor.search("said hello", root, "--mode", "literal")["incomplete"] == []
    only = ("--mode", "literal", "--path", "new.py")
    assert surveyor.search("Müller", root, *only)["incomplete"] == []


def test_files_with_masked_credentials_are_named_where_a_pattern_cannot_see_them(
    surveyor: Product, tmp_path: Path
) -> None:
    root = tmp_path / "masked"
    root.mkdir()
    (root / "login.py").write_text('password = "tr0ub4dor&3x"\nretries = 12345\n')
    (root / "plain.py").write_text("retries = 54321\n")
    surveyor.index(root)
    said = "1 file has masked parts, credentials, that no search sees: login.py."
    answer = surveyor.search(r"\d{5}", root, "--mode", "regex")
    assert answer["matches"] == 2 and answer["incomplete"] == [said]
    literal = surveyor.search("retries", root, "--mode", "literal")
    assert literal["incomplete"] == [] and said in literal["notice"]
    elsewhere = surveyor.search(r"\d{5}", root, "--mode", "regex", "--path", "plain.py")
    assert elsewhere["incomplete"] == []
    assert "are masked" not in surveyor.run("status", str(root)).stdout


def test_exact_text_is_printed_with_its_place_and_the_number_of_all(indexed: Indexed) -> None:
    surveyor, shop = indexed
    options = ("--project", str(shop), "--mode", "literal", "-n", "1")
    done = surveyor.run("search", "SELF.LINES", "-i", *options)
    assert done.stdout.splitlines()[0] == "shop/cart.py:8:9  constructor Cart.__init__"
    assert "self.lines = []" in done.stdout
    assert "3 matches in 1 file." in done.stderr
    assert "Continue with --offset 1." in done.stderr
    wrong = surveyor.run("search", "a)b", *options[:-4], "--mode", "regex", check=False)
    assert wrong.returncode == 2
    assert "at column 2: unexpected )" in wrong.stderr
    none = surveyor.run("search", "no such text anywhere", *options, check=False)
    assert none.returncode == 1
    assert "0 matches in 0 files." in none.stderr


def test_a_pattern_is_matched_rewritten_as_a_diff_and_refused_with_the_place(
    indexed: Indexed, tmp_path: Path
) -> None:
    surveyor, shop = indexed
    at = ("--project", str(shop))
    done = surveyor.run("match", "def $F(self): $$$BODY", "--lang", "py", *at)
    assert done.stdout.splitlines()[0] == "shop/cart.py:14:5  method Cart.total_price"
    assert "  $F = total_price" in done.stdout and "1 match in 1 file." in done.stderr
    rewritten = surveyor.run("match", "self.lines", "--rewrite", "self.rows", *at)
    (tmp_path / "patch").write_text(rewritten.stdout)
    git(shop, "apply", "--check", str(tmp_path / "patch"))
    assert rewritten.stdout.count("\n+") - 1 == rewritten.stdout.count("self.rows") == 3
    assert "self.rows" not in (shop / "shop/cart.py").read_text()
    (shop / "notes.py").write_text("old(1)\nkept\nold(2)")
    asked = ("match", "old($A)", "--rewrite", "new($A)", "--path", "notes.py", *at)
    until(lambda: "+new(2)" in surveyor.run(*asked, check=False).stdout)
    surveyor.run(*asked, "--apply")
    assert (shop / "notes.py").read_text() == "new(1)\nkept\nnew(2)"
    (shop / "notes.py").unlink()
    bad = surveyor.run("match", "foo(", "--lang", "python", *at, check=False)
    assert bad.returncode == 2 and "column 5" in bad.stderr
    none = surveyor.run("match", "no_such_call($A)", *at, check=False)
    assert none.returncode == 1 and "0 matches in 0 files." in none.stderr


@pytest.mark.parametrize("mode", ["hybrid", "keyword"])
@pytest.mark.parametrize(
    ("query", "path"),
    [
        ("invoices", "README.md"),
        ('"sqlite:///shop.db"', "config.toml"),
        ('"including value added"', "shop/cart.py"),
        ("total_price", "shop/cart.py"),
        ("sqlite", "config.toml"),
        ("sqlite:///shop.db", "config.toml"),
    ],
)
def test_a_name_or_a_quotation_is_first_found_where_it_stands(
    indexed: Indexed, mode: str, query: str, path: str
) -> None:
    surveyor, shop = indexed
    assert surveyor.paths(query, shop, "--mode", mode)[0] == path


def test_where_nothing_matches_few_results_are_shown_shortened_and_it_is_said(
    indexed: Indexed,
) -> None:
    surveyor, shop = indexed
    absent = "render a triangle mesh with shadow mapping"
    answer = surveyor.search(absent, shop)
    assert len(answer["results"]) == WEAK_RESULTS
    assert "matches this well" in answer["notice"]
    assert sum(estimate_tokens(each["snippet"]) for each in answer["results"]) <= (
        WEAK_RESULTS * WEAK_TOKENS
    )
    every = surveyor.search(absent, shop, "--threshold", "0")
    assert len(every["results"]) == len(answer["results"]) + answer["omitted"]
    assert "matches this well" in every["notice"]


def test_what_an_editor_shows_counts_a_little_more(indexed: Indexed) -> None:
    surveyor, shop = indexed
    connection = open_session(surveyor.data)
    assert connection is not None
    client = Client(connection)
    client.greet(Hello(client="lsp", version="1", pid=os.getpid(), roots=[str(shop)]))

    def lifted(opened: str) -> set[str]:
        found = client.call(
            SearchRequest(query="total price", cwd=str(shop), open_files=[opened], explain=True)
        )
        return {
            each.path
            for each in found.results
            if any(part.name == "working set" for part in each.explain or [])
        }

    assert lifted(str(shop / "shop/cart.py")) == {"shop/cart.py"}
    assert lifted("shop/cart.py") == {"shop/cart.py"}
    assert lifted("/elsewhere/shop/cart.py") == set()
    client.close()


def test_further_places_of_a_results_file_are_printed_below_it(
    capsys: pytest.CaptureFixture[str],
) -> None:
    answer = SearchResponse(
        status="healthy",
        files_behind=0,
        revision=1,
        took_ms=1.0,
        results=[
            SearchResult(
                path="shop/cart.py",
                start_line=3,
                end_line=9,
                language="python",
                kind="function",
                symbol="add",
                score=1.0,
                confidence=0.5,
                scores=Scores(),
                snippet="def add(): ...",
                project="shop",
                branch=None,
                also=[
                    OtherPlace(start_line=20, end_line=30, symbol="remove\x1b[2J"),
                    OtherPlace(start_line=40, end_line=44),
                ],
            )
        ],
    )
    show_answer(answer, full=False)
    printed = capsys.readouterr().out.splitlines()
    assert printed[2].startswith("    also: remove") and printed[2].endswith(":20, lines 40-44")
    assert "\x1b" not in printed[2]
    text = render(msgspec.to_builtins(answer), 1000).text
    assert "also in this file: remove" in text
    assert "20-30, lines 40-44" in text


@pytest.mark.parametrize("mode", ["hybrid", "keyword"])
def test_a_name_of_one_letter_and_a_path_that_is_gone_are_found_where_they_stand(
    indexed: Indexed, mode: str
) -> None:
    surveyor, shop = indexed
    area = "# as old/area_of.py had it\ndef area(height, Q):\n    return height * Q\n"
    (shop / "shop/area.py").write_text(area)

    def first(query: str) -> str | None:
        results = surveyor.search(query, shop, "--mode", mode)["results"]
        return results[0]["path"] if results else None

    until(lambda: first("area") == "shop/area.py")
    assert first("Q") == "shop/area.py"
    assert first("old/area_of.py") == "shop/area.py"
    (shop / "shop/area.py").unlink()
