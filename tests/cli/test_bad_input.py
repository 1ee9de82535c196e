"""What the command says to who has typed something wrong: what it is, what to do, and the code."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from surveyor.__main__ import main
from surveyor.cli.command import EMPTY_QUESTIONS, EMPTY_VALUES, named_change
from surveyor.cli.main import app
from tests.product import Product

Indexed = tuple[Product, Path]


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("serach", "Did you mean 'search'?"),
        ("frobnicate", "There are: index, reindex, search"),
        ("memory delete", "There are: add, update, remove"),
        ("engine strat", "Did you mean 'start' or 'status' or 'restart'?"),
        ("engine service frob", "There are: install, remove, status"),
    ],
)
def test_an_unknown_command_names_what_may_be_meant(typed: str, said: str) -> None:
    done = CliRunner().invoke(app, typed.split())
    assert done.exit_code == 2
    assert f"No such command {typed.split()[-1]!r}. {said}" in done.output


@pytest.mark.parametrize(
    ("typed", "code", "said"),
    [
        ("index no/such", 3, "there is no folder"),
        ("languages pyhton", 2, "Did you mean python?"),
        ("match f($A) --lang pyhton", 2, "Did you mean python?"),
        ("search cart --kind frob", 2, "One of: "),
        ("config set search.frob 1", 2, "there is no setting search.frob"),
        ("servers install frob", 2, "No language or server is called 'frob'"),
        ("lsp --tcp 127.0.0.1:99999", 2, "--tcp is HOST:PORT"),
        ("lsp --tcp frob", 2, "--tcp is HOST:PORT"),
        ("lsp --log-level loud", 2, "'loud' is not one of"),
        ("setup", 2, "There are: claude-code, claude-desktop"),
        ("setup frob", 2, "no client is called 'frob'"),
        ("models use frob", 2, "No embedding model is called 'frob'"),
        ("check frob..HEAD", 2, "git knows no revision 'frob' here"),
        (
            "check frob.py",
            2,
            "git knows no revision 'frob.py' here, and there is no file 'frob.py'",
        ),
        ("search cart --branch frob", 3, "nothing is indexed of a branch 'frob'"),
        ("servers remove frob", 3, "frob is not installed by Surveyor"),
        ("search cart --project frob", 3, "no project is called 'frob'"),
        ("def frobnicated", 3, "nothing is called frobnicated"),
        ("history symbol frobnicated", 3, "nothing is called frobnicated"),
        ("memory remove --global --label frob", 3, "there is no rule 'frob'"),
        ("library remove frob", 3, "there is no library 'frob'"),
        ("activity frob", 3, "no session begins with frob"),
        ("queue show frob", 3, "no queue item frob"),
        ("status ../no/such", 3, "there is no "),
        ("trust no/such", 3, "there is no folder"),
        ("trust README.md", 2, "is a file"),
        ("search cart --language pyhton", 2, "Did you mean python? One of: "),
        ("search cart --project ../no/such", 3, "there is no "),
        ("search cart --project shop/no/such", 3, "there is no "),
        ("status no/such", 3, "there is no "),
        ("impact shop/nowhere.py", 3, "`surveyor status --skipped` says which files"),
        ("match --rule no-such.yml", 2, "no-such.yml cannot be read: No such file or directory\n"),
        ("edit --steps no-such.json", 2, "no-such.json: No such file or directory\n"),
        ("edit shop/cart.py", 2, "  Give it in `--old`, or a `--name`."),
        ("memory import no-such.json", 2, "no-such.json cannot be read: No such file or directory"),
        ("outline shop/no.py", 3, "/shop: there is no such file"),
        ("outline shop", 3, "/shop: it is a folder\n  Name a file in it"),
        ("impact shop", 3, "nothing is called shop: it is a folder\n  Name a file in it"),
        ("deps /etc/passwd", 3, "/shop: it lies outside\n  Name a file of this project"),
        ("impact /etc/passwd", 3, "/etc/passwd: it lies outside\n  Name a file of this"),
        ("config set ask.model caf\udce9", 2, "is not valid UTF-8"),
        ("impact total_price.py", 3, "nothing is called total_price.py"),
        ("similar shop/cart.py:8 --type frob", 2, "no file type 'frob'\n  One of: code, "),
        ("library deps --environment no/such", 3, "there is no folder no/such"),
        ("memory recall ***", 1, "The query has no words"),
        ("similar shop/cart.py:999", 3, "shop/cart.py ends with line "),
        (
            "config set web.delay -5",
            2,
            "web.delay = -5: Input should be greater than or equal to 0",
        ),
        ("search cart --context 2", 2, "go with `--mode literal`, `regex` and `pattern`"),
        (
            "search -Wall",
            2,
            "No such option: -W. A value that begins with a dash goes behind `--`.",
        ),
        ("history search -Wall", 2, "A value that begins with a dash goes behind `--`."),
        ("models use all-minilm", 2, "No embedding model is called 'all-minilm'"),
    ],
)
def test_what_is_wrong_is_said_with_what_to_do(
    indexed: Indexed, typed: str, code: int, said: str
) -> None:
    product, shop = indexed
    done = product.run(*typed.split(), check=False, cwd=shop)
    assert (done.returncode, done.stdout) == (code, "")
    assert said in done.stderr
    # Not as the system numbers it, nor where in our source it was noticed.
    assert "[Errno" not in done.stderr and "Traceback" not in done.stderr


def leaves(command: Any, name: str) -> Iterator[tuple[str, Any]]:
    """Every command with its parameters, by the words that call it."""
    if not hasattr(command, "list_commands"):
        yield name, command
        return
    for each in command.list_commands(None):
        yield from leaves(command.get_command(None, each), f"{name} {each}".strip())


COMMANDS = dict(leaves(typer.main.get_command(app), ""))
STARTED_BY_OTHERS = ("mcp", "lsp", "hint")


@pytest.mark.parametrize("name", [each for each in COMMANDS if each not in STARTED_BY_OTHERS])
def test_what_is_empty_is_no_question_no_name_and_no_folder(name: str) -> None:
    """As of an unset variable: `test ""` ran all tests, `index ""` indexed the folder it was in."""
    for param in COMMANDS[name].params:
        may_be_empty = param.name in EMPTY_VALUES or (
            f" {name}" in EMPTY_QUESTIONS and param.name == "query"
        )
        if getattr(param, "is_flag", False) or may_be_empty:
            continue
        for given in ("", " "):
            said = [given] if param.param_type_name == "argument" else [param.opts[0], given]
            done = CliRunner().invoke(app, [*name.split(), *said])
            assert (done.exit_code, "it is empty" in done.output) == (2, True), done.output


def test_no_amount_is_without_end_or_no_number() -> None:
    """`--wait inf` ended with a traceback, `--threshold nan` let everything through, and of other
    numbers the engine said what its messages call them."""
    for name, command in COMMANDS.items():
        needed = [each for each in command.params if each.required]
        options = [each for each in needed if each.param_type_name == "option"]
        others = [text for each in options for text in (each.opts[0], "1")]
        values = ["x" for each in needed if each not in options]
        for param in command.params:
            kind = param.type.name.split()[0]
            for given in {"float": ("nan",), "integer": ("1" * 20,)}.get(kind, ()):
                typed = [*name.split(), *others, param.opts[0], given, "--", *values]
                done = CliRunner().invoke(app, typed)
                assert done.exit_code == 2 and param.opts[0] in done.output, done.output


@pytest.mark.parametrize(
    ("typed", "code"),
    [
        ("search cart", 0),
        ("ask", 2),
        ("similar --text -", 2),
        ("match --rule -", 2),
        ("edit shop/cart.py --old - --new x", 2),
        ("memory add --label a-b --content - --global", 2),
    ],
)
def test_a_closed_stdin_has_nothing_in_it(indexed: Indexed, typed: str, code: int) -> None:
    """As of a service or a scheduled command: no traceback, and no file in the stream's place."""
    product, shop = indexed
    command = f"exec {shlex.quote(sys.executable)} -m surveyor {typed} <&-"
    done = subprocess.run(
        ["sh", "-c", command], env=product.environment, cwd=shop, capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    assert (done.returncode, "Traceback" in done.stderr) == (code, False), done.stderr


def test_a_locale_without_a_character_has_another_in_its_place(indexed: Indexed) -> None:
    """Latin-1 has no `…`: that ended with a traceback. JSON is UTF-8 wherever it is written."""
    product, shop = indexed
    environment = {**product.environment, "PYTHONIOENCODING": "latin-1"}
    for typed in (["languages", "…"], ["languages", "…", "--json"]):
        done = subprocess.run(
            [sys.executable, "-m", "surveyor", *typed],
            env=environment, cwd=shop, capture_output=True, check=False,
        )  # fmt: skip
        assert (done.returncode, b"Traceback" in done.stderr) == (2, False), done.stderr
        assert not done.stdout or "…" in json.loads(done.stdout.decode())["error"]["message"]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="only /dev/full has never room")
@pytest.mark.parametrize("typed", ["search cart", "status --json", "--help"])
def test_output_that_has_no_room_is_said_and_no_traceback(indexed: Indexed, typed: str) -> None:
    product, shop = indexed
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "surveyor", *typed.split()],
            env=product.environment, cwd=shop, stdout=full, stderr=subprocess.PIPE, text=True,
            check=False,
        )  # fmt: skip
    assert done.returncode == 1
    assert done.stderr.endswith("the answer cannot be written: No space left on device\n")
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("typed", ["search cart", "status --json", "--help"])
def test_a_reader_that_has_left_is_neither_nothing_found_nor_done(
    indexed: Indexed, typed: str
) -> None:
    product, shop = indexed
    reads, writes = os.pipe()
    os.close(reads)
    with os.fdopen(writes, "wb") as left:
        done = subprocess.run(
            [sys.executable, "-m", "surveyor", *typed.split()],
            env=product.environment, cwd=shop, stdout=left, stderr=subprocess.PIPE, text=True,
            check=False,
        )  # fmt: skip
    assert (done.returncode, done.stderr) == (141, "")


@pytest.mark.parametrize(
    ("typed", "serves"),
    [
        ("mcp", "surveyor.mcp.relay.main"),
        ("lsp --stdio", "surveyor.lsp.main.serve"),
        ("servers run --detached", "surveyor.servers.host.main.run"),
        ("status", "surveyor.cli.main.run"),
    ],
)
def test_ctrl_c_ends_what_waits_without_a_traceback(
    typed: str, serves: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(serves, interrupted)
    monkeypatch.setattr("surveyor.__main__._compile_less", lambda: None)
    monkeypatch.setattr(sys, "argv", ["surveyor", *typed.split()])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 130


def test_what_may_be_empty_is_taken(surveyor: Product) -> None:
    assert surveyor.run("config", "set", "ask.model", "").returncode == 0


def test_an_option_means_the_same_in_every_command() -> None:
    for name, command in COMMANDS.items():
        for param in command.params:
            others = [each for each in command.params if each is not param]
            for each in param.opts:
                assert not any(each in other.opts for other in others), f"{name} {each}"
            if "-C" in param.opts:
                assert param.opts[0] == "--project", name
    change = {"diff", "staged", "revisions"}
    takes = {
        name: change & {each.name for each in command.params} for name, command in COMMANDS.items()
    }
    assert {name for name, taken in takes.items() if taken} == {
        "search", "ask", "impact", "check", "test",
    }  # fmt: skip
    assert all(taken in (set(), change) for taken in takes.values())


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        (["q", "--diff"], ["q", "--diff"]),
        (["--diff", "rename a file"], ["--diff", "rename a file"]),
        (["--diff", "rename"], ["--diff", "rename"]),
        (["--diff", "staged", "q"], ["--staged", "q"]),
        (["--diff=working", "q"], ["--diff", "q"]),
        (["--diff", "main..HEAD", "q"], ["--range", "main..HEAD", "q"]),
        (["--diff", "HEAD~2", "q"], ["--range", "HEAD~2", "q"]),
        (["--diff=topic", "q"], ["--range", "topic", "q"]),
        (["--diff", "../other"], ["--diff", "../other"]),
        (["--diff", "a/../b"], ["--diff", "a/../b"]),
        (["--", "--diff", "a..b"], ["--", "--diff", "a..b"]),
        (["--diff", "--", "a..b"], ["--diff", "--", "a..b"]),
    ],
)
def test_a_change_is_named_in_one_way(given: list[str], meant: list[str]) -> None:
    assert named_change(given) == meant


@pytest.mark.parametrize(
    ("typed", "code", "kind"),
    [
        ("search cart --project ../no/such", 3, "not_found"),
        ("search cart --language pyhton", 2, "bad_request"),
        ("search cart --limit nine", 2, "bad_request"),
        ("search", 2, "bad_request"),
        ("impact", 2, "bad_request"),
        ("check nothing..HEAD", 2, "bad_request"),
        ("edit shop/cart.py --old nowhere-there --new x", 2, "not_found"),
        ("match def(", 2, "bad_pattern"),
        ("memory list -C nosuch", 3, "not_found"),
        ("memory add --label a-b --content x -C nosuch", 3, "not_found"),
        ("library deps -C nosuch", 3, "not_found"),
        ("servers list nonsense", 2, "bad_request"),
        ("queue show nonsense", 3, "not_found"),
        ("index no/such", 3, "not_found"),
    ],
)
def test_json_is_one_document_also_of_an_error(
    indexed: Indexed, typed: str, code: int, kind: str
) -> None:
    product, shop = indexed
    done = product.run(*typed.split(), "--json", check=False, cwd=shop)
    error = json.loads(done.stdout)["error"]
    assert (done.returncode, error["code"]) == (code, kind)
    assert error["message"] and error["message"].split(":")[0] in done.stderr


@pytest.mark.parametrize(
    "typed",
    ["refs total_price", "callers total_price", "map", "outline shop/cart.py", "activity"],
)
def test_a_project_is_named_in_every_command_in_one_way(
    indexed: Indexed, typed: str, tmp_path: Path
) -> None:
    """By its folder and by its name, from wherever one is."""
    product, shop = indexed
    by_folder = product.run(*typed.split(), "-C", str(shop), check=False, cwd=tmp_path)
    by_name = product.run(*typed.split(), "-C", shop.name, check=False, cwd=tmp_path)
    assert (by_name.returncode, by_name.stdout) == (by_folder.returncode, by_folder.stdout)
    assert by_name.returncode in (0, 1), by_name.stderr


def test_an_option_that_is_nearly_one_is_named_and_a_number_below_zero_is_a_value() -> None:
    done = CliRunner().invoke(app, ["search", "x", "--limt", "3"])
    assert done.exit_code == 2 and "--limit" in done.output and "behind `--`" not in done.output
    done = CliRunner().invoke(app, ["engine", "status", "-x"])
    assert done.exit_code == 2 and "behind `--`" not in done.output, "it takes no value"
