"""Drive the real product: the `surveyor` command with a data folder of its own."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psutil

from surveyor.paths import runtime_dir

SERVER = Path(__file__).resolve().parent.parent / "server"
DEADLINE_S = 120.0


@dataclass
class Product:
    """One user's Surveyor."""

    home: Path
    extra: dict[str, str] = field(default_factory=dict)

    @property
    def data(self) -> Path:
        return self.home / "data"

    @property
    def runtime(self) -> Path:
        """Where its engine's sockets are: elsewhere where a test's folder has a long path."""
        return runtime_dir(self.data)

    @property
    def environment(self) -> dict[str, str]:
        inherited = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith(("SURVEYOR_", "QDRANT_", "FASTEMBED_", "GIT_"))
        }
        return inherited | {
            "HOME": str(self.home),
            "XDG_CONFIG_HOME": str(self.home / ".config"),
            "SURVEYOR_DATA_DIR": str(self.data),
            "SURVEYOR_SERVERS__GRACE": "0",
            "PYTHONPATH": str(SERVER),
            **self.extra,
        }

    def start(self, *arguments: str, **options: Any) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-m", "surveyor", *arguments],
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            **options,
        )

    def run(
        self, *arguments: str, check: bool = True, **options: Any
    ) -> subprocess.CompletedProcess[str]:
        done = subprocess.run(
            [sys.executable, "-m", "surveyor", *arguments],
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=DEADLINE_S,
            check=False,
            **options,
        )
        if check and done.returncode not in (0,):
            raise AssertionError(f"{arguments}: {done.returncode}\n{done.stdout}\n{done.stderr}")
        return done

    def json(self, *arguments: str, **options: Any) -> Any:
        done = self.run(*arguments, "--json", check=False, **options)
        if not done.stdout:
            raise AssertionError(f"{arguments}: {done.returncode}\n{done.stderr}")
        return json.loads(done.stdout)

    def index(self, folder: Path, *options: str) -> Any:
        return json.loads(self.run("index", str(folder), "--json", *options).stdout)

    def search(self, query: str, folder: Path, *options: str) -> Any:
        return self.json("search", query, "--project", str(folder), *options)

    def paths(self, query: str, folder: Path, *options: str) -> list[str]:
        return [result["path"] for result in self.search(query, folder, *options)["results"]]

    def engine_pid(self) -> int | None:
        pid: int | None = self.json("engine", "status").get("pid")
        return pid

    def kill_engine(self) -> None:
        pid = self.engine_pid()
        assert pid is not None
        engine = psutil.Process(pid)
        os.kill(pid, signal.SIGKILL)
        engine.wait(DEADLINE_S)

    def settle(self, folder: Path) -> dict[str, Any]:
        """Wait until nothing is queued for a folder."""

        def calm() -> dict[str, Any] | None:
            project: dict[str, Any] = self.json("status", str(folder))["projects"][0]
            return project if project["status"] == "healthy" else None

        settled: dict[str, Any] = until(calm)
        return settled

    def processes(self) -> list[psutil.Process]:
        """What is alive of this product, workers included."""
        found = []
        for process in psutil.process_iter():
            try:
                if process.environ().get("SURVEYOR_DATA_DIR") == str(self.data):
                    found.append(process)
            except psutil.Error:
                continue
        return found

    def engines(self) -> list[psutil.Process]:
        """Engines that are alive; one that has lost the race for the lock is for a moment."""
        found = []
        for process in self.processes():
            with suppress(psutil.Error):
                if {"engine", "run"} <= set(process.cmdline()):
                    found.append(process)
        return found

    def close(self) -> None:
        self.run("engine", "stop", check=False)
        for process in self.processes():
            with suppress(psutil.Error):
                process.kill()


def until(condition: Callable[[], Any], timeout_s: float = DEADLINE_S) -> Any:
    """Poll another process until it says what is hoped for, for a third of the time at most: a
    condition that starts a command would take the processor from whom it waits for."""
    deadline = time.monotonic() + timeout_s
    while (begun := time.monotonic()) < deadline:
        if found := condition():
            return found
        time.sleep(max(0.05, 2 * (time.monotonic() - begun)))
    raise AssertionError("it did not come true in time")


@contextmanager
def product(home: Path, **extra: str) -> Iterator[Product]:
    made = Product(home, dict(extra))
    try:
        yield made
    finally:
        made.close()


def git(folder: Path, *arguments: str) -> str:
    return subprocess.run(
        ["git", "-c", "user.name=T", "-c", "user.email=t@example.org", *arguments],
        cwd=folder,
        check=True,
        capture_output=True,
        text=True,
    ).stdout.strip()


SHOP = {
    "shop/cart.py": '''"""The shopping cart."""


class Cart:
    """Holds what a customer wants to buy."""

    def __init__(self) -> None:
        self.lines = []

    def add_item(self, article, quantity):
        """Put an article into the cart."""
        self.lines.append((article, quantity))

    def total_price(self):
        """Sum of all lines including value added tax."""
        return sum(a.price * q for a, q in self.lines)
''',
    "shop/retry.py": '''import time


def call_with_backoff(function, attempts=5):
    """Call a function again after a growing pause when it fails."""
    for attempt in range(attempts):
        try:
            return function()
        except ConnectionError:
            time.sleep(2**attempt)
''',
    "shop/session.ts": """export function signCookie(value: string, secret: string): string {
  // HMAC over the session id
  return value + "." + hash(value + secret);
}
""",
    "tests/test_cart.py": """from shop.cart import Cart


def test_total_price_of_an_empty_cart():
    assert Cart().total_price() == 0
""",
    "README.md": "# Shop\n\nSells things.\n\n## Payment\n\nCards and invoices are accepted.\n",
    "config.toml": '[database]\nurl = "sqlite:///shop.db"\n',
}


def write_tree(folder: Path, files: dict[str, str] = SHOP) -> Path:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder
