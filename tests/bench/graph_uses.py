"""Calls in real repositories whose targets a person has read, against those of the graph.

    python -m tests.bench.graph_uses LANGUAGE FOLDER… [--show] [--count N] [--skip FOLDER…]
    python -m tests.bench.graph_uses LANGUAGE FOLDER --judge "3=src/a.kt::Box.open 7=-"

What is judged is in `tests/bench/uses/LANGUAGE.json`: by repository the commit, and of each place
(`path:line:column`) the definition that is called, or `-` where none of the repository is. Places
are drawn by the hash of where they stand from all tokens that have the name of something callable
in the repository and look like a call, whether the graph knows them or not. `--show` prints the
sample with what the graph says; `--judge` writes it down, with the graph's word for all places that
are neither named nor judged before (`=` in the sample).
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from surveyor.graph.facts import KIND_CODES
from surveyor.graph.library import MemoryGraph, build
from surveyor.graph.resolve.certainty import CERTAIN
from surveyor.graph.resolve.values import CALLABLE_KINDS, TYPE_KINDS
from surveyor.parsing.languages import language_of
from surveyor.parsing.languages.grammar import grammar
from tests.bench.graph_sample import read, sample

JUDGED = Path(__file__).parent / "uses"
NOTHING = "-"
"""The place calls nothing of the repository."""
CALLS = frozenset({KIND_CODES["call"], KIND_CODES["instantiation"]})
BARE_CALLS = frozenset({"bash", "haskell"})
"""Languages whose calls need no brackets."""
_PROSE = re.compile("comment|string|char|doc|heredoc_body|quoted_content|haddock")

Place = tuple[str, int, int, str]
Known = dict[tuple[str, int, int], list[str]]
Judged = dict[str, dict[str, dict[str, str] | str]]


def tokens(path: str, source: bytes) -> Iterator[Place]:
    """All names in a file that are neither in a comment nor in a string."""
    from tree_sitter import Parser

    language = language_of(path)
    if language is None or not language.grammar:
        return
    stack = [Parser(grammar(language.grammar)).parse(source).root_node]
    while stack:
        node = stack.pop()
        if _PROSE.search(node.type) and "interpol" not in node.type and node.child_count == 0:
            continue
        if node.child_count:
            stack += node.children
        elif node.text:
            row, column = node.start_point
            yield (path, row + 1, column, node.text.decode("utf-8", "replace"))


def places(files: dict[str, bytes], graph: MemoryGraph, language: str) -> list[Place]:
    """Where something seems to be called that the repository defines under that name."""
    names = {
        name.name
        for facts in graph.facts.values()
        for name in facts.names
        if name.kind in CALLABLE_KINDS or (name.kind in TYPE_KINDS and language != "elixir")
    }
    defined = {
        (path, name.line, name.column)
        for path, facts in graph.facts.items()
        for name in facts.names
    }
    found = []
    for path in graph.facts:
        lines = files[path].decode("utf-8", "replace").splitlines()
        calls = {
            (line, column)
            for _, kind, line, column, _, _, _ in graph.references[path]
            if kind in CALLS
        }
        for place in tokens(path, files[path]):
            _, line, column, name = place
            if name not in names or place[:3] in defined or line > len(lines):
                continue
            after = lines[line - 1].encode()[column + len(name.encode()) :]
            looks = (line, column) in calls or after.startswith(b"(")
            if looks or language in BARE_CALLS:
                found.append(place)
    return found


def said(graph: MemoryGraph) -> Known:
    """What the graph is certain of, by place."""
    found: Known = {}
    for path, resolution in graph.resolutions.items():
        for edge in resolution.edges:
            if edge.score >= CERTAIN:
                target = f"{edge.target.path}::{edge.target.qualname}"
                found.setdefault((path, edge.line, edge.column), []).append(target)
    return found


def commit_of(root: Path) -> str:
    """The commit that is checked out."""
    return subprocess.run(
        ["git", "-C", str(root), "rev-parse", "HEAD"], capture_output=True, text=True, check=True
    ).stdout.strip()


def load(language: str) -> Judged:
    """What has been judged of a language."""
    path = JUDGED / f"{language}.json"
    return json.loads(path.read_text()) if path.exists() else {}


def calls_of(judged: Judged, root: Path) -> dict[str, str]:
    """What has been judged of a repository: the place of a use, and what it means."""
    return judged.get(root.name, {}).get("calls", {})  # type: ignore[return-value]


def show(files: dict[str, bytes], drawn: list[Place], known: Known, judged: dict[str, str]) -> None:
    """The sample, numbered, with the line and what the graph says, or what was judged before."""
    for number, (path, line, column, name) in enumerate(drawn):
        text = files[path].decode("utf-8", "replace").splitlines()[line - 1].strip()[:110]
        ours = known.get((path, line, column), [NOTHING])
        before = judged.get(f"{path}:{line}:{column}")
        says = f"-> {' '.join(ours[:3])}" if before is None else f"=  {before}"
        sys.stdout.write(f"{number} {path}:{line} [{name}] {text}\n      {says}\n")


def judge(language: str, root: Path, drawn: list[Place], known: Known, text: str) -> None:
    """Write the sample down with what the reader says of some."""
    corrections = dict(item.split("=", 1) for item in text.split())
    kept = load(language)
    judged = dict(calls_of(kept, root))
    for number, (path, line, column, _) in enumerate(drawn):
        place = f"{path}:{line}:{column}"
        ours = judged.get(place, known.get((path, line, column), [NOTHING])[0])
        judged[place] = corrections.get(str(number), ours)
    kept[root.name] = {"commit": commit_of(root), "calls": judged}
    JUDGED.mkdir(exist_ok=True)
    out = json.dumps(kept, indent=1, sort_keys=True, ensure_ascii=False)
    (JUDGED / f"{language}.json").write_text(out + "\n")


def score(calls: dict[str, str], known: Known) -> dict[str, float]:
    """Precision and recall on what was judged."""
    right = ours = theirs = 0
    wrong = []
    for place, meant in calls.items():
        path, line, column = place.rsplit(":", 2)
        targets = known.get((path, int(line), int(column)), [])
        hit = meant in targets
        right += hit
        ours += bool(targets)
        theirs += meant != NOTHING
        if bool(targets) != (meant != NOTHING) or (targets and not hit):
            wrong.append(f"{place} meant {meant} said {targets[:3]}")
    for line_ in wrong:
        sys.stderr.write(line_ + "\n")
    return {
        "calls": len(calls),
        "precision": right / ours if ours else 1.0,
        "recall": right / theirs if theirs else 1.0,
    }


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("language")
    parser.add_argument("roots", nargs="+", type=Path)
    parser.add_argument("--count", type=int, default=34)
    parser.add_argument("--show", action="store_true")
    parser.add_argument("--judge")
    parser.add_argument("--skip", nargs="*", default=[])
    options = parser.parse_args()
    judged = load(options.language)
    for root in options.roots:
        root = root.resolve()
        files = read(root, options.language, frozenset(options.skip))
        graph = build(files)
        known = said(graph)
        if options.show or options.judge is not None:
            drawn = sample(places(files, graph, options.language), options.count)
            if options.show:
                show(files, drawn, known, calls_of(judged, root))
            if options.judge is not None:
                judge(options.language, root, drawn, known, options.judge)
            continue
        row = score(calls_of(judged, root), known)
        figures = f"{row['precision']:.2f} / {row['recall']:.2f}"
        sys.stdout.write(f"| {root.name} | {len(graph.facts)} | {row['calls']} | {figures} |\n")


if __name__ == "__main__":
    main()
