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
