"""How long `check` takes right after a change: real commits, replayed as working-tree changes.

The newest commits of a repository are walked, oldest first. What each changed is written into the
working tree of the one before it, and `surveyor check` is run at once: what is measured is what
whoever saved waits for, the index taking up the change included. `--touch` changes one line within
a function as well, which is a row of its own. At the end the engine is stopped: the first check
starts one. With `--seconds` a repository gets no more than that; the table says how many it did.

    python -m tests.bench.check_times --commits 50 --touch 10 --seconds 95 FOLDER…
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import psutil

from surveyor.change.languages import READERS
from surveyor.parsing.languages import language_of
from surveyor.parsing.parse import parse_file
from tests.bench.commands import git, surveyor

SEED = 7


@dataclass(slots=True)
class Times:
    """Of one repository, in milliseconds."""

    name: str
    files: int
    first: float = 0.0
    commits: Sample = field(default_factory=lambda: Sample())
    functions: Sample = field(default_factory=lambda: Sample())


@dataclass(slots=True)
class Sample:
    """Of one kind of change."""

    commands: list[float] = field(default_factory=list)
    processor: list[float] = field(default_factory=list)
    """Of the engine and what it has started, until the answer: not that of the command itself."""
    partial: int = 0
    """Answers that were not complete."""


def main() -> None:
    """Replay commits of each repository, and print a table of times."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--commits", type=int, default=50)
    parser.add_argument("--touch", type=int, default=0, help="functions to change, one at a time")
    parser.add_argument("--seconds", type=float, default=3600.0, help="for each repository")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="check-times") as temporary:
        home = Path(temporary)
        os.environ |= {
            "HOME": str(home),
            "SURVEYOR_DATA_DIR": str(home / "data"),
            "XDG_CONFIG_HOME": str(home / "config"),
        }
        rows = []
        try:
            for folder in given.folders:
                clone = home / folder.name.removesuffix(".git")
                subprocess.run(["git", "clone", "-q", folder.resolve(), clone], check=True)
                rows.append(_replayed(clone, given.commits, given.touch, given.seconds))
        finally:
            surveyor("engine", "stop")
    print(
        "\n| repository | files | change | how many | first ms | p50 ms | p95 ms | most | p95 cpu"
        " | partial |"
    )
    print("|---|---|---|---|---|---|---|---|---|---|")
    for row in rows:
        for what, sample in (("commit", row.commits), ("one function", row.functions)):
            told = [f"{_share(sample.commands, share):.0f}" for share in (0.5, 0.95, 1.0)]
            told.append(f"{_share(sample.processor, 0.95):.0f}")
            if sample.commands:
                print(f"| {row.name} | {row.files} | {what} | {len(sample.commands)} |",
                      f"{row.first:.0f} |", " | ".join(told), f"| {sample.partial} |")  # fmt: skip


def _share(times: Sequence[float], share: float) -> float:
    ordered = sorted(times)
    return ordered[int(share * (len(ordered) - 1))] if ordered else 0.0


def _replayed(clone: Path, commits: int, touch: int, seconds: float) -> Times:
    listed = _code_commits(clone, commits)
    git(clone, "checkout", "-q", "--detach", f"{listed[0]}~1")
    times = Times(clone.name, len(git(clone, "ls-files").splitlines()))
    surveyor("index", str(clone))
    until = time.monotonic() + seconds
    for path, line in _functions(clone, touch):
        with _changed(clone / path, line):
            _timed(clone, times.functions, f"{path}:{line}")
    for commit in listed:
        if time.monotonic() > until:
            break
        # Neighbours of a history differ by what lies between them: that is taken up first.
        git(clone, "checkout", "-q", "--force", f"{commit}~1")
        surveyor("index", str(clone))
        if not _apply(clone, commit):
            continue
        _timed(clone, times.commits, commit[:9])
        git(clone, "reset", "-q", "--hard")
        git(clone, "clean", "-q", "-f", "-d")
    path, line = _functions(clone, 1)[0]
    surveyor("engine", "stop")
    with _changed(clone / path, line):
        times.first = _timed(clone, None, "after an engine's start")
    return times


@contextlib.contextmanager
def _changed(file: Path, line: int) -> Iterator[None]:
    """A file with an empty line behind one of its lines, for a while."""
    data = file.read_bytes()
    lines = data.split(b"\n")
    lines.insert(line, b"")
    file.write_bytes(b"\n".join(lines))
    yield
    file.write_bytes(data)


def _timed(clone: Path, sample: Sample | None, what: str) -> float:
    """Ask, note what it took, and return that."""
    began, used = time.perf_counter(), _processor_s()
    answer = surveyor("check", "-C", str(clone), "--json")
    took, cpu = (time.perf_counter() - began) * 1000, (_processor_s() - used) * 1000
    if not answer:
        print(f"{clone.name} {what}: no answer", file=sys.stderr)
        return took
    report = json.loads(answer)
    if sample is not None:
        sample.commands.append(took)
        sample.processor.append(cpu)
        sample.partial += not report["complete"]
    print(f"{clone.name} {what} {report['changed_files']} files {took:.0f} ms {cpu:.0f} cpu"
          f" ({report['took_ms']:.0f}) {len(report['results'])} found"
          f" {report['notice'] or ''} {report['unasked'] or ''}", flush=True)  # fmt: skip
    return took


def _processor_s() -> float:
    """Seconds of processor that the engine, its workers and servers have taken, those that have
    ended too."""
    data, total = os.environ["SURVEYOR_DATA_DIR"], 0.0
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error):
            if process.environ().get("SURVEYOR_DATA_DIR") == data:
                total += sum(process.cpu_times()[:4])
    return total


def _code_commits(clone: Path, wanted: int) -> list[str]:
    """The newest commits that change code whose calls are read, oldest first."""
    chosen: list[str] = []
    for commit in git(clone, "rev-list", "--no-merges", "--min-parents=1", "HEAD").split():
        if len(chosen) == wanted:
            break
        names = git(clone, "diff", "--name-only", f"{commit}~1", commit).splitlines()
        if any((found := language_of(name)) and found.family in READERS for name in names):
            chosen.append(commit)
    return chosen[::-1]


def _apply(clone: Path, commit: str) -> bool:
    """Put a commit's files into the working tree, and leave HEAD and git's index as they are.

    False where its patch does not fit what was checked out, as with line ends that git converts.
    """
    patch = subprocess.run(
        ["git", "diff", "--binary", f"{commit}~1", commit],
        cwd=clone, check=True, capture_output=True,
    ).stdout  # fmt: skip
    applied = subprocess.run(
        ["git", "apply", "--whitespace=nowarn"], cwd=clone, input=patch, check=False
    )
    return applied.returncode == 0


def _functions(clone: Path, wanted: int) -> list[tuple[str, int]]:
    """Functions at random: path and first line."""
    found = [
        (name, each.line)
        for name in git(clone, "ls-files").splitlines()
        if (language := language_of(name)) and language.family in READERS
        for each in parse_file(name, (clone / name).read_bytes()).symbols
        if each.kind in ("function", "method") and each.end_line - each.start_line > 2
    ]
    return random.Random(SEED).sample(found, min(wanted, len(found)))


if __name__ == "__main__":
    main()
