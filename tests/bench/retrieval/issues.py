"""Issues of SWE-bench Lite asked of the product: are the files of the real fix found?

One clone a repository; its instances by date: check out the base commit, wait until the index is
fresh, ask with the whole text. The way from commit to commit is also a test of branch switches:
`switched` says how long it took until the answers were fresh.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Literal

from surveyor.client.blocking import call
from surveyor.protocol.search import SearchRequest, SearchResult
from tests.bench.retrieval.metrics import mean_interval
from tests.bench.retrieval.product import index

DEPTHS = (1, 3, 5, 10)
RESULTS = 100
Half = Literal["tuned", "held out"]


@dataclass(frozen=True, slots=True)
class Issue:
    """An instance: a text, and what the fix changed."""

    id: str
    repository: str
    commit: str
    text: str
    files: tuple[str, ...]
    definitions: frozenset[tuple[str, str]]
    """(path, name) of the definitions that the fix changed, without `imports` and whole files."""

    @property
    def half(self) -> Half:
        """The constants were chosen on one half of the instances, by a hash of their ids."""
        return "held out" if blake2b(self.id.encode()).digest()[0] % 2 else "tuned"


@dataclass(frozen=True, slots=True)
class Outcome:
    """Where the last of an issue's files and definitions is, from 0; `RESULTS` where it is not."""

    issue: Issue
    files: int
    definitions: int | None
    milliseconds: float
    switched: float
    """Seconds from the checkout to fresh answers."""


def load_issues(benchmark: Path, only: Sequence[str], most: int = 0) -> list[Issue]:
    """The instances of some repositories (`flask`), or of all; `most` of each, evenly spaced."""
    found = []
    lines = (benchmark / "issues" / "lite.jsonl").read_text(encoding="utf-8").splitlines()
    for entry in map(json.loads, lines):
        name = entry["repo"].rpartition("/")[2]
        if only and name not in only:
            continue
        definitions = frozenset(
            (path, symbol)
            for path, symbols in entry["symbols"].items()
            for symbol in symbols
            if symbol not in ("imports", "impl")
        )
        found.append(
            Issue(
                entry["id"],
                name,
                entry["base_commit"],
                entry["text"],
                tuple(entry["files"]),
                definitions,
            )
        )
    if not most:
        return found
    kept: list[Issue] = []
    for name in dict.fromkeys(each.repository for each in found):
        own = [each for each in found if each.repository == name]
        kept += own[:: max(len(own) // most, 1)][:most]
    return kept


def run(issues: Iterable[Issue], clones: Path) -> list[Outcome]:
    """Ask all of them, repository by repository, the oldest first."""
    outcomes = []
    by_repository: dict[str, list[Issue]] = {}
    for issue in issues:
        by_repository.setdefault(issue.repository, []).append(issue)
    for name, own in by_repository.items():
        clone = clones / name
        for issue in sorted(
            own, key=lambda each: int(_git(clone, "show", "-s", "--format=%ct", each.commit))
        ):
            _git(clone, "checkout", "--force", "--quiet", issue.commit)
            switched = index(clone, force=False)
            outcomes.append(_ask(issue, clone, switched))
            last = outcomes[-1]
            _say(
                f"{issue.id}: file {last.files}, {last.milliseconds:.0f} ms,"
                f" fresh after {switched:.1f} s"
            )
    return outcomes


def _ask(issue: Issue, clone: Path, switched: float) -> Outcome:
    answer = call(SearchRequest(query=issue.text, project=str(clone), limit=RESULTS))
    files = list(dict.fromkeys(result.path for result in answer.results))
    definitions = list(dict.fromkeys(_definition(result) for result in answer.results))
    return Outcome(
        issue,
        max((_position(files, path) for path in issue.files), default=RESULTS),
        max((_position(definitions, each) for each in issue.definitions), default=None),
        answer.took_ms,
        switched,
    )


def _definition(result: SearchResult) -> tuple[str, str]:
    name = ".".join(part for part in (result.container, result.symbol) if part)
    return result.path, name


def _position(found: Sequence[object], wanted: object) -> int:
    return found.index(wanted) if wanted in found else RESULTS


def report(outcomes: Sequence[Outcome]) -> None:
    """Accuracy at each depth, by half, with 95 % intervals; milliseconds and seconds."""
    halves: tuple[Half, ...] = ("tuned", "held out")
    for label, own in (
        ("all", outcomes),
        *((half, [each for each in outcomes if each.issue.half == half]) for half in halves),
    ):
        _say(f"{label}: {len(own)} issues; files {_accuracy([each.files for each in own])}")
        placed = [each.definitions for each in own if each.definitions is not None]
        _say(f"  definitions of {len(placed)} {_accuracy(placed)}")
    took = sorted(each.milliseconds for each in outcomes)
    fresh = sorted(each.switched for each in outcomes)
    if outcomes:
        _say(
            f"query p50 {took[len(took) // 2]:.0f} ms, most {took[-1]:.0f} ms; fresh after p50"
            f" {fresh[len(fresh) // 2]:.1f} s, most {fresh[-1]:.1f} s"
        )


def _accuracy(positions: Sequence[int]) -> str:
    parts = []
    for depth in DEPTHS:
        mean, low, high = mean_interval([float(position < depth) for position in positions])
        parts.append(f"@{depth} {100 * mean:.1f} [{100 * low:.0f}, {100 * high:.0f}]")
    return "  ".join(parts)


def _git(clone: Path, *arguments: str) -> str:
    done = subprocess.run(
        ["git", "-C", str(clone), *arguments], check=True, capture_output=True, text=True
    )
    return done.stdout.strip()


def _say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()
