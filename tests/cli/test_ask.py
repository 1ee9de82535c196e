"""`surveyor ask` in a pipe and in a terminal, and what `make try` asks of a folder."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from pathlib import Path
from typing import Any

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


def test_what_is_asked_of_a_folder_is_what_it_can_answer(indexed: tuple[Product, Path]) -> None:
    product, shop = indexed
    script = Path(__file__).parents[2] / "scripts" / "questions.py"
    asked = subprocess.run(
        [sys.executable, str(script), str(shop)],
        env=product.environment, check=True, capture_output=True, text=True,
    ).stdout.splitlines()  # fmt: skip
    *questions, name = asked
    assert len(questions) > 1
    for question in questions:
        assert product.search(question, shop)["results"][0]["confidence"] >= 0.6
    assert product.json("refs", name, "--project", str(shop))["symbol"]
