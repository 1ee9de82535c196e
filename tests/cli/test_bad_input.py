"""What the command says to who has typed something wrong: what it is, what to do, and the code."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

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
        ("memory import no-such.json", 2, "no-such.json cannot be read: No such file or directory"),
        ("outline shop/no.py", 3, "is not in the index of"),
        ("impact total_price.py", 3, "nothing is called total_price.py"),
        ("similar shop/cart.py:999", 3, "shop/cart.py ends with line "),
        (
            "config set web.delay -5",
            2,
            "web.delay = -5: Input should be greater than or equal to 0",
        ),
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


@pytest.mark.parametrize(
    "typed",
    [
        ("search",), ("symbols",), ("def",), ("refs",), ("outline",), ("deps",), ("test",),
        ("library", "search"), ("memory", "recall"), ("models", "use"),
    ],
    ids=" ".join,
)  # fmt: skip
@pytest.mark.parametrize("given", ["", " "])
def test_an_empty_argument_is_no_question(typed: tuple[str, ...], given: str) -> None:
    """As of an unset variable: `test ""` ran all tests, and `outline ""` showed some file."""
    done = CliRunner().invoke(app, [*typed, given])
    assert done.exit_code == 2
    assert "it is empty" in done.output


def test_an_option_that_is_nearly_one_is_named_and_a_number_below_zero_is_a_value() -> None:
    done = CliRunner().invoke(app, ["search", "x", "--limt", "3"])
    assert done.exit_code == 2 and "--limit" in done.output and "behind `--`" not in done.output
    done = CliRunner().invoke(app, ["engine", "status", "-x"])
    assert done.exit_code == 2 and "behind `--`" not in done.output, "it takes no value"
