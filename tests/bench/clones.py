"""Whether code that does the same is found: clones of real functions, looked for in their projects.

Functions at random from a project's own code are renamed, reordered, rewritten (branches exchanged,
loops of another kind, values kept in variables) or given other literals (`clone_makers.py`); some
were written anew by hand (`clones.json`, with where they are from). The whole project is what they
are told from. A clone counts as found where the function that it was made of is the first result.
Repositories are fetched by hand:

    python -m tests.bench.clones FOLDER…             # through the product: the table
    python -m tests.bench.clones --fit FOLDER…       # weights of `clones/likeness.py`
"""

from __future__ import annotations

import argparse
import json
import math
import os
import random
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

from surveyor.clones.extract import take_fingerprints
from surveyor.clones.jobs import CodeRange, Fingerprint, FingerprintJob
from surveyor.clones.likeness import FEATURES, Weigh, features
from surveyor.parsing.languages import language_of
from surveyor.parsing.parse import parse_file
from tests.bench.clone_makers import FAMILIES, Source, function_at, make

KINDS: dict[str, tuple[str, ...]] = {
    "renamed": ("renamed",),
    "renamed, reordered": ("reordered", "renamed"),
    "renamed, rewritten": ("rewritten", "renamed"),
    "other literals": ("literals",),
    "all of it": ("reordered", "rewritten", "renamed", "literals"),
}
FITTED = [makers for makers in KINDS.values() if "literals" not in makers]
"""Of these weights are made: whoever does the same with other literals as a rule does another
thing, so what literals say is not unlearned."""
BY_HAND = Path(__file__).with_name("clones.json")
LINES = (5, 80)
"""Of the functions that are taken: shorter ones have twins in every project."""
LEAST_TOKENS = 25
ROUNDS = 3
"""How often what the last weights find nearest is learned to be told apart."""


class Definition(NamedTuple):
    """A function of a project."""

    path: str
    family: str
    name: str
    start_line: int
    end_line: int
    line: int
    column: int
    is_test: bool


def main() -> None:
    """Print the table, or the weights."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--functions", type=int, default=12, help="of each folder")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--fit", action="store_true")
    given = parser.parse_args()
    if given.fit:
        _fit(given.folders, given.functions, given.seed)
    else:
        _measure(given.folders, given.functions, given.seed)


def _files(folder: Path) -> Iterator[tuple[str, bytes]]:
    listed = subprocess.run(
        ["git", "ls-files"], cwd=folder, check=True, capture_output=True, text=True
    )
    for name in listed.stdout.split("\n"):
        language = language_of(name) if name else None
        path = folder / name
        if language is not None and language.family in FAMILIES and path.is_file():
            data = path.read_bytes().removeprefix(b"\xef\xbb\xbf").replace(b"\r\n", b"\n")
            if len(data) < 400_000:
                yield name, data


def _definitions(files: dict[str, bytes]) -> list[Definition]:
    found = []
    for path, data in files.items():
        parsed, language = parse_file(path, data), language_of(path, data)
        if language is None or language.family not in FAMILIES:
            continue
        is_test = parsed.file_type != "code"
        found += [
            Definition(
                path, language.family, s.name, s.start_line, s.end_line, s.line, s.column, is_test
            )
            for s in parsed.symbols
            if s.kind in ("function", "method", "constructor")
        ]
    return found


def _chosen(
    files: dict[str, bytes], definitions: list[Definition], wanted: int, seed: int
) -> list[tuple[Definition, Source]]:
    """Functions at random that do something."""
    order = [
        each for each in definitions
        if not each.is_test and LINES[0] <= each.end_line - each.start_line + 1 <= LINES[1]
    ]  # fmt: skip
    random.Random(seed).shuffle(order)
    chosen: list[tuple[Definition, Source]] = []
    for each in order:
        if len(chosen) == wanted:
            break
        lines = (each.start_line, each.end_line)
        source = function_at(
            each.path, each.family, files[each.path], each.line, each.column, lines
        )
        if source is not None and len(_tokens(source.text)) >= LEAST_TOKENS:
            chosen.append((each, source))
    return chosen


def _tokens(text: str) -> list[str]:
    return "".join(c if c.isalnum() or c == "_" else " " for c in text).split()


# --- through the product ------------------------------------------------------------------


def _measure(folders: list[Path], wanted: int, seed: int) -> None:
    from surveyor.client.blocking import call
    from surveyor.protocol.search import SimilarRequest

    tried: Counter[tuple[str, str]] = Counter()
    right: Counter[tuple[str, str]] = Counter()
    sure: list[tuple[float, bool]] = []
    times: list[float] = []

    def ask(root: Path, kind: str, clone: str, of: tuple[str, str, str]) -> None:
        family, path, name = of
        answer = call(SimilarRequest(cwd=str(root), text=clone, languages=[family], limit=3))
        first = answer.results[0] if answer.results else None
        found = first is not None and (first.path, first.symbol) == (path, name)
        tried[family, kind] += 1
        right[family, kind] += found
        times.append(answer.took_ms)
        if first is not None:
            sure.append((first.confidence, found))
        if not found:
            said = f"{first.path}:{first.start_line} {first.symbol}" if first else "nothing"
            print(f"{root.name} {kind}: {path} {name} -> {said}", file=sys.stderr)

    with tempfile.TemporaryDirectory(prefix="clones") as temporary:
        home = Path(temporary)
        os.environ |= {
            "HOME": str(home),
            "SURVEYOR_DATA_DIR": str(home / "data"),
            "XDG_CONFIG_HOME": str(home / "config"),
        }
        by_hand: list[dict[str, str]] = json.loads(BY_HAND.read_text())
        try:
            for folder in folders:
                root = home / folder.name
                subprocess.run(["git", "clone", "-q", folder.resolve(), root], check=True)
                _surveyor("index", str(root))
                files = dict(_files(root))
                definitions = _definitions(files)
                for each, source in _chosen(files, definitions, wanted, seed):
                    for kind, makers in KINDS.items():
                        clone = make(source, each.name, makers, seed)
                        if clone is not None:
                            ask(root, kind, clone.text, (each.family, each.path, each.name))
                for one in by_hand:
                    if folder.name.endswith(one["repository"].replace("/", "+")):
                        ask(root, "by hand", one["text"], (one["family"], one["path"], one["name"]))
        finally:
            _surveyor("engine", "stop")
    _print_table(tried, right)
    _print_bins(sure)
    times.sort()
    print(f"\np50 {times[len(times) // 2]:.0f} ms, p95 {times[int(0.95 * len(times))]:.0f} ms")


def _print_table(tried: Counter[tuple[str, str]], right: Counter[tuple[str, str]]) -> None:
    kinds = [*KINDS, "by hand"]
    print(f"| language | {' | '.join(kinds)} | all |")
    print("|---" * (len(kinds) + 2) + "|")
    for family in [*sorted({family for family, _ in tried}), "all"]:
        cells = []
        for kind in [*kinds, ""]:
            keys = [key for key in tried if family in (key[0], "all") and kind in (key[1], "")]
            n, k = sum(tried[key] for key in keys), sum(right[key] for key in keys)
            cells.append(f"{k / n:.2f} ({n})" if n else "")
        print(f"| {family} | {' | '.join(cells)} |")


def _print_bins(sure: list[tuple[float, bool]]) -> None:
    print("\n| certainty of the first | questions | right |\n|---|---|---|")
    for low in range(0, 10, 2):
        inside = [found for said, found in sure if low <= said * 10 < low + 2 + (low == 8)]
        if inside:
            share = sum(inside) / len(inside)
            print(f"| {low / 10:.1f}-{low / 10 + 0.2:.1f} | {len(inside)} | {share:.2f} |")


def _surveyor(*arguments: str) -> None:
    command = [sys.executable, "-m", "surveyor", *arguments]
    subprocess.run(command, check=False, capture_output=True)


# --- weights ------------------------------------------------------------------------------


def _fit(folders: list[Path], wanted: int, seed: int) -> None:
    """Print weights by which clones are told from what stands nearest, and how well they do."""
    projects = [_Project(folder, wanted, seed) for folder in folders]
    score = None
    for turn in range(ROUNDS):
        rows = [row for project in projects for row in project.rows(score)]
        x = np.array([[row[0][name] for name in FEATURES] for row in rows])
        y = np.array([row[1] for row in rows], dtype=float)
        score = _logistic(x, y)
        weights = dict(zip(FEATURES, score[:-1].round(2).tolist(), strict=True))
        print(f"round {turn}: {weights}, bias {score[-1]:.2f}", flush=True)
        first = [project.first(score) for project in projects]
        for project, (right, n) in zip(projects, first, strict=True):
            print(f"  {project.name}: {right} of {n}")
        print(f"  all: {sum(r for r, _ in first) / sum(n for _, n in first):.3f}", flush=True)


def _logistic(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Weights and bias, by Newton's method with a little ridge."""
    x = np.hstack([x, np.ones((len(x), 1))])
    w = np.zeros(x.shape[1])
    balance = np.where(y > 0, 0.5 / max(y.mean(), 1e-6), 0.5 / max(1 - y.mean(), 1e-6))
    for _ in range(30):
        p = 1 / (1 + np.exp(-(x @ w)))
        gradient = x.T @ (balance * (p - y)) + 1.0 * w
        hessian = (x * (balance * p * (1 - p))[:, None]).T @ x + 1.0 * np.eye(len(w))
        w -= np.linalg.solve(hessian, gradient)
    return w


class _Project:
    """All functions of a project, and clones of some."""

    def __init__(self, folder: Path, wanted: int, seed: int) -> None:
        self.name = folder.name
        files = dict(_files(folder))
        definitions = _definitions(files)
        self.all: list[tuple[Definition, Fingerprint]] = []
        by_path: dict[str, list[Definition]] = defaultdict(list)
        for each in definitions:
            by_path[each.path].append(each)
        names: Counter[str] = Counter()
        for path, listed in by_path.items():
            ranges = [CodeRange(each.start_line, each.end_line, each.name) for each in listed]
            taken = take_fingerprints(FingerprintJob(path, files[path], ranges))
            self.all += zip(listed, taken, strict=True)
            names.update({name for each in taken for name in each.names})
        total = len(by_path)

        def weigh(name: str) -> float:
            return max(0.1, math.log((total + 1.5) / (names[name] + 0.5)))

        self.weigh: Weigh = weigh
        self.clones: list[tuple[Definition, Fingerprint]] = []
        for each, source in _chosen(files, definitions, wanted, seed):
            for makers in FITTED:
                clone = make(source, each.name, makers, seed)
                if clone is not None:
                    data = clone.text.encode()
                    within = CodeRange(1, data.count(b"\n") + 1)
                    (one,) = take_fingerprints(
                        FingerprintJob(each.path, data, [within], is_part=True)
                    )
                    self.clones.append((each, one))
        print(f"{self.name}: {len(self.all)} functions, {len(self.clones)} clones", flush=True)
        self._features: dict[int, list[dict[str, float]]] = {}

    def _against_all(self, number: int) -> list[dict[str, float]]:
        if number not in self._features:
            clone = self.clones[number][1]
            self._features[number] = [features(clone, each, self.weigh) for _, each in self.all]
        return self._features[number]

    def _order(self, number: int, score: np.ndarray | None) -> list[int]:
        said = self._against_all(number)
        if score is None:
            values = [likeness_of(each) for each in said]
        else:
            matrix = np.array([[each[name] for name in FEATURES] for each in said])
            values = (matrix @ score[:-1]).tolist()
        return sorted(range(len(said)), key=lambda at: -values[at])

    def rows(self, score: np.ndarray | None) -> Iterator[tuple[dict[str, float], int]]:
        """What clones share with what they are of, and with what stands nearest beside it."""
        for number, (of, _) in enumerate(self.clones):
            said = self._against_all(number)
            others: list[int] = []
            for at in self._order(number, score):
                if self.all[at][0] == of:
                    yield said[at], 1
                elif len(others) < 4 and not self._is_twin(of, at):
                    others.append(at)
            for at in others:
                yield said[at], 0

    def _is_twin(self, of: Definition, at: int) -> bool:
        """Whether a function says the same as the one that the clone is of."""
        own = next(taken for each, taken in self.all if each == of)
        other = self.all[at][1]
        return own.names == other.names and own.shape == other.shape

    def first(self, score: np.ndarray) -> tuple[int, int]:
        """How many clones have what they are of nearest, of how many."""
        right = sum(
            self.all[self._order(number, score)[0]][0] == of
            for number, (of, _) in enumerate(self.clones)
        )
        return right, len(self.clones)


def likeness_of(said: dict[str, float]) -> float:
    """A beginning: what is the same counts as much as the rest."""
    return said["names"] + said["shape"] + said["words"] + 0.5 * said["literals"]


if __name__ == "__main__":
    main()
