"""`surveyor ask` in a pipe and in a terminal, and what `make try` asks of a folder."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from scripts.first_look import sentence_of

from tests.gitrepo import git, repository, write
from tests.product import Product, until


def test_what_comes_through_a_pipe_is_the_question(indexed: tuple[Product, Path]) -> None:
    product, shop = indexed
    done = product.run("ask", "--project", str(shop), input="how is an item put into the cart?\n")
    assert "[1] shop/cart.py:" in done.stdout
    assert product.run("ask", "--project", str(shop), input="", check=False).returncode == 2


def test_in_a_terminal_one_question_follows_another(indexed: tuple[Product, Path]) -> None:
    product, shop = indexed
    terminal, child = pty.openpty()
    command = [sys.executable, "-m", "surveyor", "ask", "--pieces", "--project", str(shop)]
    asking = subprocess.Popen(
        command, env=product.environment, stdin=child, stdout=subprocess.PIPE, text=True
    )
    os.close(child)
    os.write(terminal, b"how is an item put into the cart?\nwhat is retried?\n\x04")
    said, _ = asking.communicate(timeout=60)
    os.close(terminal)
    assert asking.returncode == 0
    assert said.index("shop/cart.py:") < said.rindex("shop/retry.py:")


def test_a_question_is_kept_with_its_steps_and_without_secrets(
    indexed: tuple[Product, Path],
) -> None:
    product, shop = indexed
    key = "ghp_" + "a8F3kQ9zLm2XvB7nR4tY" + "6wC1dE5hJ0pS2uG8"
    question = f"how is an item put into the cart with {key}?"
    product.run("ask", "--project", str(shop), question, check=False)

    def steps() -> list[dict[str, Any]]:
        answer = product.json("activity")
        session = answer["sessions"][0]["session"]
        calls: list[dict[str, Any]] = product.json("activity", session)["calls"]
        return calls if "cart with" in calls[0]["asked"] and calls[-1]["tool"] == "web" else []

    kept = until(steps)
    assert [each["tool"] for each in kept][:3] == ["ask", "memory", "code"]
    assert kept[0]["asked"].startswith("how is an item put into the cart with")
    assert "best 0." in kept[2]["outcome"] and kept[2]["places"]
    assert key not in json.dumps(product.json("activity"))
    assert "def " not in json.dumps(kept)
    assert "shop/" in product.run("activity", kept[0]["session"], "--mermaid").stdout


def first_look(product: Product, folder: Path) -> list[tuple[str, str]]:
    """What `make try` does with a folder, by command."""
    script = Path(__file__).parents[2] / "scripts" / "first_look.py"
    said = subprocess.run(
        [sys.executable, str(script), str(folder)],
        env=product.environment, check=True, capture_output=True, text=True,
    ).stdout.splitlines()  # fmt: skip
    return [(line.split(" ", 1)[0], line.split(" ", 1)[1]) for line in said]


def test_what_is_asked_of_a_folder_is_what_it_can_answer(indexed: tuple[Product, Path]) -> None:
    product, shop = indexed
    looked = first_look(product, shop)
    asked = [words.split(" ", 1) for command, words in looked if command == "search"]
    assert all(1 <= int(count) <= 3 for count, _ in asked)
    questions = [question for _, question in asked]
    assert len(questions) > 1
    for question in questions:
        assert product.search(question, shop)["results"][0]["confidence"] >= 0.6
    assert [command for command, _ in looked] == ["search"] * len(questions) + ["refs"]
    assert product.json("refs", looked[-1][1], "--project", str(shop))["results"]


MANUAL = """# Sluices

## Opening the upper gate by hand

Turn the wheel to the left until the water stands equally high on both sides.

## Oil for the bearings

Every spring, before the first boats come, and never in frost.
"""


@pytest.mark.parametrize(
    ("file", "text", "wanted"),
    [
        ("manual.md", MANUAL, ("search", "oil for the bearings")),
        ("one.c", "int add(int a, int b) { return a + b; }\n", ("def", "add")),
        (
            "gate.c",
            "/* Lowers the gate()\n * until it touches the ground. */\n"
            "static int gate_lower(int gate)\n{\n\treturn gate - 1;\n}\n",
            ("search", "lowers the gate until it touches the ground"),
        ),
        (
            "gate.gleam",
            "pub const height = 3\n\n/// Lowers the gate until it touches the ground.\n///\n"
            "pub fn lower(gate: Int) -> Int {\n  gate - 1\n}\n",
            ("search", "lowers the gate until it touches the ground"),
        ),
        ("nothing.bin", "\0\1", ("nothing", "It has no text that can be searched")),
    ],
)
def test_a_first_look_fits_what_is_there(
    indexed: tuple[Product, Path], tmp_path: Path, file: str, text: str, wanted: tuple[str, str]
) -> None:
    folder = tmp_path / "Büro 1"
    folder.mkdir()
    (folder / file).write_text(text)
    indexed[0].run("index", str(folder))
    looked = first_look(indexed[0], folder)
    assert looked[0][0] == wanted[0]
    said = [each.lstrip("123 ") for _, each in looked]
    assert wanted[1] in [each[: len(wanted[1])] for each in said]


@pytest.mark.parametrize(
    ("text", "name", "wanted"),
    [
        # Code behind a comment is none of it, whatever the comment began with.
        ("# no conversion needed here now\nreturn box\n", "", "no conversion needed here now"),
        ("/** Always show the whole value */\nALWAYS,\n", "", "always show the whole value"),
        ("\"\"\"Open the gate by hand\"\"\"\nreturn 1\n", "", "open the gate by hand"),
        ("--[[ Open the gate\n by hand ]]\nlocal a\n", "", "open the gate by hand"),
        ("/* Open the gate\n   by hand. Never at night. */", "", "open the gate by hand"),
        ("/**\n * Open the gate\n * by hand\n *\n * @param a b\n */", "", "open the gate by hand"),
        ("// Open the gate\n// by hand\n//\n// and more\n", "", "open the gate by hand"),
        # Names stay as they are written, and the one that is described is not given away.
        ("// Write takes a PathKey by HTTP", "Disk.Write", "takes a PathKey by HTTP"),
        ("// Write is the one way to a disk", "Disk.Write", "the one way to a disk"),
        ("// Write function is the way to disk", "Write", "the way to disk"),
        # What no question comes of.
        ("#error GATE_16 is only supported here", "", ""),
        ("# pragma warning disable all of it", "", ""),
        ("#[derive Debug and Clone for it]", "", ""),
        ("// These are omnipresent so save typing", "", ""),
        ("// This file is part of the gate", "", ""),
        ("// TODO open the gate by hand", "", ""),
    ],
)  # fmt: skip
def test_a_question_is_a_sentence_of_a_comment(text: str, name: str, wanted: str) -> None:
    assert sentence_of(text.splitlines(), name) == wanted


def test_a_first_look_asks_for_nothing_that_is_not_the_folders_own(
    indexed: tuple[Product, Path], tmp_path: Path
) -> None:
    """Of a vendored class nothing is asked, nor what a commit says that another file answers."""
    root = repository(
        tmp_path / "sluice",
        {
            "vendor/loader.py": 'class Loader:\n    """Loads the given class or interface."""\n',
            "gate.py": 'def lower(gate):\n    """Lowers the gate until it touches the ground."""\n',
        },
    )
    write(root, {"weir.py": "def weir_levels(sluice):\n    return sluice\n"})
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "tidy the yard", "--", "weir.py")
    write(root, {"gate.py": (root / "gate.py").read_text() + "    return gate\n"})
    git(root, "commit", "-q", "-a", "-m", "read weir levels of the sluice")
    indexed[0].run("index", str(root))
    asked = [words for command, words in first_look(indexed[0], root) if command == "search"]
    assert "1 lowers the gate until it touches the ground" in asked
    assert not [each for each in asked if "class or interface" in each or "read weir" in each]
