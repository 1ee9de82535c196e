"""What is left of speed, disk and memory after long use, as ratios within one run.

    python -m tests.bench.endurance [--rewrites 20] [--files 300] [--projects 8]

Every file of a project is rewritten again and again, so that all its text is new each time; then
the same project is built from nothing and compared. Then several projects are indexed, searched and
edited in turn, and the engine's anonymous memory is read.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from tests.bench.engine import corpus
from tests.product import Product, product, until

QUERIES = (
    "read the configuration file", "parse arguments", "open a connection", "escape html",
    "retry after an error", "compare versions", "decode bytes", "write to a log", "close the file",
    "cache a result", "sort the keys", "validate the input", "split a path", "hash a password",
)  # fmt: skip
ROUNDS = 5
MAINTENANCE_S = 90.0
"""Dead points are reclaimed when nothing is queued, at most so long after."""


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rewrites", type=int, default=20)
    parser.add_argument("--files", type=int, default=300)
    parser.add_argument("--projects", type=int, default=8)
    options = parser.parse_args()
    rows: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as scratch:
        home = Path(scratch) / "home"
        home.mkdir()
        with product(home) as surveyor:
            rows |= rewrites(surveyor, corpus(Path(scratch) / "one", options.files), options)
        second = Path(scratch) / "second"
        second.mkdir()
        with product(second) as surveyor:
            rows |= projects(surveyor, Path(scratch), options)
    width = max(map(len, rows))
    for name, value in rows.items():
        sys.stdout.write(f"{name:<{width}}  {value}\n")


def rewrites(surveyor: Product, folder: Path, options: argparse.Namespace) -> dict[str, Any]:
    """A project whose every text changed many times, and the same built from nothing."""
    texts = {path: path.read_text(errors="replace") for path in folder.rglob("*.py")}
    index(surveyor, folder)
    surveyor.run("watch", "disable", str(folder))
    for number in range(1, options.rewrites + 1):
        for path, text in texts.items():
            renamed = text.replace("\ndef ", f"\ndef v{number}_").replace("self", f"s{number}")
            path.write_text(renamed)
        index(surveyor, folder)
    before = disk(surveyor)
    used = settled(surveyor)
    slow = query_ms(surveyor, folder)
    chunks = surveyor.json("status", str(folder))["projects"][0]["chunks"]
    surveyor.close()
    fresh_home = surveyor.home / "fresh"
    fresh_home.mkdir()
    with product(fresh_home) as fresh:
        index(fresh, folder)
        settled(fresh)
        size, fast = disk(fresh), query_ms(fresh, folder)
    return {
        "rewrites / files / chunks": f"{options.rewrites} / {options.files} / {chunks}",
        "query, median ms in the engine: rewritten, fresh, ratio": (
            f"{slow:.2f}, {fast:.2f}, {slow / fast:.2f}"
        ),
        "disk, MB: at once, settled, fresh, ratio": (
            f"{before / 1e6:.0f}, {used / 1e6:.0f}, {size / 1e6:.0f}, {used / size:.2f}"
        ),
    }


def projects(surveyor: Product, scratch: Path, options: argparse.Namespace) -> dict[str, Any]:
    """Several projects in use at once."""
    folders = [
        corpus(scratch / f"project-{number}", options.files) for number in range(options.projects)
    ]
    for number, folder in enumerate(folders):
        for path in folder.rglob("*.py"):  # no text in common with another
            path.write_text(path.read_text(errors="replace").replace("self", f"self_{number}"))
        index(surveyor, folder)
    peak = 0
    for turn in range(3):
        for folder in folders:
            query_ms(surveyor, folder, rounds=1)
            (folder / f"fresh_{turn}.py").write_text(f"def fresh_{turn}():\n    return {turn}\n")
            peak = max(peak, surveyor.json("status")["anonymous_bytes"])
    status = surveyor.json("status")
    return {
        "projects / chunks in all / open shards": (
            f"{options.projects} / {sum(p['chunks'] for p in status['projects'])}"
            f" / at most {status['limits']['open_shards']}"
        ),
        "engine, anonymous MB: at the end, at most": (
            f"{status['anonymous_bytes'] / 2**20:.0f}, {peak / 2**20:.0f}"
        ),
    }


def index(surveyor: Product, folder: Path) -> None:
    """Bring a folder up to date, however long it takes."""
    running = surveyor.start("index", str(folder), "--json")
    said = running.communicate()
    assert running.returncode == 0, said


def settled(surveyor: Product) -> int:
    """Disk in use once it has not shrunk or grown for a while."""
    seen: list[tuple[float, int]] = []

    def calm() -> bool:
        now = time.monotonic()
        seen.append((now, disk(surveyor)))
        return now - seen[0][0] > MAINTENANCE_S and len({size for _, size in seen[-40:]}) == 1

    until(calm, 600)
    return seen[-1][1]


def disk(surveyor: Product) -> int:
    """Bytes on disk, in blocks: vectors are sparse files. Some vanish while they are counted."""
    total = 0
    for folder, _, names in os.walk(surveyor.data):
        for name in names:
            with contextlib.suppress(OSError):
                total += Path(folder, name).lstat().st_blocks * 512
    return total


def query_ms(surveyor: Product, folder: Path, rounds: int = ROUNDS) -> float:
    """Median time of a query in the engine."""
    for query in QUERIES[:2]:
        surveyor.search(query, folder)
    return statistics.median(
        float(surveyor.search(query, folder)["took_ms"]) for query in QUERIES for _ in range(rounds)
    )


if __name__ == "__main__":
    main()
