"""`surveyor ui` itself: the process in a terminal, with a real engine and a real editor."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.product import Product

DEADLINE_S = 60.0


class Terminal:
    """A terminal of 80x24 with a program in it; what it draws, without what moves and colours."""

    def __init__(self, product: Product, folder: Path, *arguments: str) -> None:
        self._ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        self.process = subprocess.Popen(
            [sys.executable, "-m", "surveyor", "ui", *arguments],
            env=product.environment | {"TERM": "xterm-256color"},
            cwd=folder,
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            start_new_session=True,
        )
        os.close(theirs)
        self.drawn = ""

    def press(self, keys: str) -> None:
        os.write(self._ours, keys.encode())

    def read(self, wait_s: float = 0.1) -> None:
        """What is drawn within `wait_s`."""
        if select.select([self._ours], [], [], wait_s)[0]:
            try:
                data = os.read(self._ours, 1 << 16).decode(errors="replace")
            except OSError:  # the program has ended
                return
            self.drawn += re.sub(r"\x1b(\[[0-9;?=<>$]*[a-zA-Z]|\][^\x07]*\x07|[=>PX^_])", "", data)

    def until(self, text: str) -> None:
        deadline = time.monotonic() + DEADLINE_S
        while text not in self.drawn:
            assert time.monotonic() < deadline, self.drawn[-3000:]
            self.read()

    def end(self) -> int:
        """Read what is left, and close."""
        deadline = time.monotonic() + DEADLINE_S
        while self.process.poll() is None and time.monotonic() < deadline:
            self.read()
        if self.process.poll() is None:
            self.process.kill()
        os.close(self._ours)
        return self.process.wait()


@pytest.fixture
def product(tmp_path: Path) -> Iterator[Product]:
    product = Product(tmp_path)
    yield product
    product.run("engine", "stop", check=False)


def test_a_person_indexes_finds_opens_and_leaves(product: Product, tmp_path: Path) -> None:
    shop = tmp_path / "shop"
    shop.mkdir()
    (shop / "cart.py").write_text("RATE = 1\n\n\ndef total_price(items):\n    return sum(items)\n")
    opened = tmp_path / "opened"
    editor = tmp_path / "nvim"
    editor.write_text(f'#!/bin/sh\necho the editor has the terminal\necho "$@" > {opened}\n')
    editor.chmod(0o755)
    product.extra["EDITOR"] = str(editor)
    screen = Terminal(product, shop, "total price", "--light")
    try:
        screen.until("not indexed: Ctrl+Y")
        screen.press("\x19")
        screen.until("total_price")
        screen.until("return sum")
        screen.press("\r")
        screen.until("the editor has the terminal")
        screen.drawn = ""
        screen.until("F1 Search")
    finally:
        screen.press("\x03")
        code = screen.end()
    assert code == 0
    assert opened.read_text() == f"+4 {shop}/cart.py\n"
    refused = product.run("ui", check=False, stdin=subprocess.DEVNULL)
    assert refused.returncode == 2 and "needs a terminal" in refused.stderr
