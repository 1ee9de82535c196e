"""`check` over commits that were made: what it says of them is mostly a false alarm.

Authors' commits compile and pass their tests as a rule, so a call that is said not to fit is worth
reading; each finding is printed for that. Repositories are fetched by hand:

    python -m tests.bench.receipts --commits 20 FOLDER…
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from surveyor.change.languages import READERS
from surveyor.parsing.languages import language_of

SEED = 7


def main() -> None:
    """Clone each repository, replay commits of it, and print what `check` says of each."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--commits", type=int, default=20)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="receipts") as temporary:
        home = Path(temporary)
        os.environ |= {
            "HOME": str(home),
            "SURVEYOR_DATA_DIR": str(home / "data"),
            "XDG_CONFIG_HOME": str(home / "config"),
        }
        rows = []
        try:
            for folder in given.folders:
                rows.append(_replay(folder.resolve(), home / folder.name, given.commits))
        finally:
            _surveyor("engine", "stop")
    commits, findings = sum(row[1] for row in rows), sum(row[2] for row in rows)
    print("\n| repository | commits | findings | p50 ms | p95 ms |\n|---|---|---|---|---|")
    for name, number, found, times in rows:
        print(f"| {name} | {number} | {found} | {_share(times, 0.5)} | {_share(times, 0.95)} |")
    print(f"\n{findings / max(1, commits):.2f} findings a commit, of {commits}")


def _share(times: list[float], share: float) -> str:
    ordered = sorted(times)
    return f"{ordered[int(share * (len(ordered) - 1))]:.0f}" if ordered else "-"


def _replay(source: Path, clone: Path, wanted: int) -> tuple[str, int, int, list[float]]:
    subprocess.run(["git", "clone", "-q", source, clone], check=True)
    commits = _commits(clone, wanted)
    found, times = 0, []
    for commit in commits:
        try:
            _git(clone, "checkout", "-q", "--force", commit)
        except subprocess.CalledProcessError as error:  # a fetched copy may lack large files
            print(f"{clone.name} {commit[:9]}: {error.stderr}", file=sys.stderr)
            continue
        _surveyor("index", str(clone))
        began = time.perf_counter()
        answer = _surveyor("check", "HEAD~1..HEAD", "-C", str(clone), "--json")
        if not answer:
            print(f"{clone.name} {commit[:9]}: no answer", file=sys.stderr)
            continue
        report: dict[str, Any] = json.loads(answer)
        times.append(report["took_ms"] or (time.perf_counter() - began) * 1000)
        found += len(report["results"])
        for each in report["results"]:
            place = f"{each['path']}:{each['line']}:{each['column']}"
            print(f"{clone.name} {commit[:9]} {each['kind']} {each['certainty']} {place}")
            print(f"    {each['message']} ({each['about']})\n    {each['text']}", flush=True)
    shutil.rmtree(clone)
    return clone.name, len(times), found, times


def _commits(clone: Path, wanted: int) -> list[str]:
    """Commits at random, newest first, that change code whose calls are read."""
    listed = _git(clone, "rev-list", "--no-merges", "--min-parents=1", "HEAD").split()
    random.Random(SEED).shuffle(listed)
    chosen: list[str] = []
    for commit in listed:
        if len(chosen) == wanted:
            break
        names = _git(clone, "diff", "--name-only", f"{commit}~1", commit).split("\n")
        if any((found := language_of(name)) and found.family in READERS for name in names if name):
            chosen.append(commit)
    order = {
        commit: number for number, commit in enumerate(_git(clone, "rev-list", "HEAD").split())
    }
    return sorted(chosen, key=order.__getitem__)


def _git(clone: Path, *arguments: str) -> str:
    return subprocess.run(
        ["git", *arguments], cwd=clone, check=True, capture_output=True, text=True
    ).stdout


def _surveyor(*arguments: str) -> str:
    """What a command prints; its code says whether something was found."""
    command = [sys.executable, "-m", "surveyor", *arguments]
    return subprocess.run(command, check=False, capture_output=True, text=True).stdout


if __name__ == "__main__":
    main()
