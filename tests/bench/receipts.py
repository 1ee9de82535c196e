"""`check` over commits that were made, and over signatures that are changed here.

Authors' commits compile and pass their tests as a rule, so what `check` says of one is mostly a
false alarm; each finding is printed to be read. With `--mutations` a function at random gets
another parameter, or what `--kind` says: one whose name is defined once, so that a search of the
text finds all its calls. Repositories are fetched by hand:

    python -m tests.bench.receipts --commits 20 FOLDER…
    python -m tests.bench.receipts --mutations 20 FOLDER…
    python -m tests.bench.receipts --mutations 20 --kind renamed FOLDER…
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

from surveyor.change.languages import READERS
from surveyor.files.file_class import file_type_of
from surveyor.parsing.languages import language_of
from surveyor.parsing.parse import parse_file
from tests.bench.commands import git, surveyor

SEED = 7
KINDS = ("added", "removed", "swapped", "renamed")
GROWTH = (30, 2000)
"""Lines of code more than before that a growing commit leaves: larger ones are imports."""


def main() -> None:
    """Clone each repository, replay commits of it, and print what `check` says of each."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--commits", type=int, default=20)
    parser.add_argument("--mutations", type=int, default=0)
    parser.add_argument("--kind", choices=KINDS, default="added", help="how functions are changed")
    parser.add_argument("--growing", action="store_true", help="commits that add much code")
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
                if given.mutations:
                    _mutate(folder.resolve(), home / folder.name, given.mutations, given.kind)
                else:
                    rows.append(
                        _replay(folder.resolve(), home / folder.name, given.commits, given.growing)
                    )
        finally:
            surveyor("engine", "stop")
    if given.mutations:
        return
    commits, findings = sum(row[1] for row in rows), sum(row[2] for row in rows)
    print("\n| repository | commits | functions added | findings | p50 ms | p95 ms |")
    print("|---|---|---|---|---|---|")
    for name, number, found, added, times in rows:
        p50, p95 = _share(times, 0.5), _share(times, 0.95)
        print(f"| {name} | {number} | {added} | {found} | {p50} | {p95} |")
    print(f"\n{findings / max(1, commits):.2f} findings a commit, of {commits}")


def _share(times: list[float], share: float) -> str:
    ordered = sorted(times)
    return f"{ordered[int(share * (len(ordered) - 1))]:.0f}" if ordered else "-"


def _replay(
    source: Path, clone: Path, wanted: int, growing: bool
) -> tuple[str, int, int, int, list[float]]:
    subprocess.run(["git", "clone", "-q", source, clone], check=True)
    commits = _commits(clone, wanted, growing)
    found, added, times = 0, 0, []
    for commit in commits:
        try:
            git(clone, "checkout", "-q", "--force", commit)
        except subprocess.CalledProcessError as error:  # a fetched copy may lack large files
            print(f"{clone.name} {commit[:9]}: {error.stderr}", file=sys.stderr)
            continue
        surveyor("index", str(clone))
        began = time.perf_counter()
        answer = surveyor("check", "HEAD~1..HEAD", "-C", str(clone), "--json")
        if not answer:
            print(f"{clone.name} {commit[:9]}: no answer", file=sys.stderr)
            continue
        report: dict[str, Any] = json.loads(answer)
        times.append(report["took_ms"] or (time.perf_counter() - began) * 1000)
        found += len(report["results"])
        added += report["added_functions"]
        for each in report["results"]:
            place = f"{each['path']}:{each['line']}:{each['column']}"
            print(f"{clone.name} {commit[:9]} {each['kind']} {each['certainty']} {place}")
            print(f"    {each['message']} ({each['about']})\n    {each['text']}", flush=True)
    shutil.rmtree(clone)
    return clone.name, len(times), found, added, times


def _commits(clone: Path, wanted: int, growing: bool) -> list[str]:
    """Commits at random, newest first, that change code whose calls are read; `growing`: those
    that add much more of it than they take away."""
    listed = git(clone, "rev-list", "--no-merges", "--min-parents=1", "HEAD").split()
    random.Random(SEED).shuffle(listed)
    chosen: list[str] = []
    for commit in listed:
        if len(chosen) == wanted:
            break
        lines = [
            line.split("\t")
            for line in git(clone, "diff", "--numstat", f"{commit}~1", commit).splitlines()
        ]
        read = [
            each for each in lines if (found := language_of(each[2])) and found.family in READERS
        ]
        more = sum(int(each[0]) - int(each[1]) for each in read if each[0].isdigit()
                   and file_type_of(each[2]) == "code")  # fmt: skip
        if read and (not growing or GROWTH[0] <= more <= GROWTH[1]):
            chosen.append(commit)
    order = {commit: number for number, commit in enumerate(git(clone, "rev-list", "HEAD").split())}
    return sorted(chosen, key=order.__getitem__)


ADDED: dict[str, str] = {
    "python": "added", "javascript": "added", "typescript": "added: number", "go": "added int",
    "rust": "added: u8", "java": "int added", "c": "int added", "cpp": "int added",
    "csharp": "int added", "php": "$added", "ruby": "added", "kotlin": "added: Int",
}  # fmt: skip
"""One more parameter, as each language writes it."""
INSTANCE = re.compile(
    r"\s*(self: [\w&<> ']+|self|cls|&?\s*(?:'\w+ )?(?:mut )?self|this \w+ \w+)\s*,?"
)
CALL = r"(?<![\w$]){name}\s*(?:::<[^>()]*>|<[\w, ]*>)?\("


def _mutate(source: Path, clone: Path, wanted: int, kind: str) -> None:
    """Print, for a repository, how many of the calls of changed functions were found."""
    subprocess.run(["git", "clone", "-q", source, clone], check=True)
    surveyor("index", str(clone))
    texts = {
        name: text
        for name in git(clone, "ls-files").split("\n")
        if (language := language_of(name))
        and language.family in READERS
        and (text := _text(clone / name)) is not None
    }
    functions = [
        (path, each.name, each.line, each.column)
        for path, text in texts.items()
        for each in parse_file(path, text.encode()).symbols
        if each.kind in ("function", "method") and len(each.name) > 5 and each.name.isidentifier()
    ]
    counts = Counter(name for _, name, _, _ in functions)
    functions = [each for each in functions if counts[each[1]] == 1]
    random.Random(SEED).shuffle(functions)
    tried = expected = right = wrong = 0
    for path, name, line, column in functions:
        if tried == wanted:
            break
        calls = _calls(texts, name) - {(path, line)}
        mutated = _changed(kind, path, texts[path], name, line, column)
        if not calls or len(calls) > 40 or mutated is None:
            continue
        (clone / path).write_text(mutated)
        report: dict[str, Any] = json.loads(
            surveyor("check", "-C", str(clone), "--json", "--wait", "60") or "{}"
        )
        (clone / path).write_text(texts[path])
        found = {(each["path"], each["line"]) for each in report.get("results", ())}
        tried, expected = tried + 1, expected + len(calls)
        right, wrong = right + len(calls & found), wrong + len(found - calls)
        for missed_path, missed_line in sorted(calls - found):
            said = texts[missed_path].split("\n")[missed_line - 1].strip()[:100]
            print(f"  missed {name}: {missed_path}:{missed_line} {said}")
        for false_path, false_line in sorted(found - calls):
            said = texts[false_path].split("\n")[false_line - 1].strip()[:100]
            print(f"  false {name}: {false_path}:{false_line} {said}", flush=True)
    shutil.rmtree(clone)
    recall = right / max(1, expected)
    print(f"{clone.name}: {tried} functions, {expected} calls, recall {recall:.2f}, {wrong} false")


def _text(path: Path) -> str | None:
    try:
        return path.read_text()
    except (OSError, UnicodeDecodeError):
        return None


def _calls(texts: dict[str, str], name: str) -> set[tuple[str, int]]:
    pattern = re.compile(CALL.format(name=re.escape(name)))
    found = set()
    for path, text in texts.items():
        for match in pattern.finditer(text):
            line = text.count("\n", 0, match.start()) + 1
            said = text.split("\n")[line - 1].strip()
            begun = text.rfind("\n", 0, match.start()) + 1
            before = text[begun : match.start()]
            is_text = before.count('"') % 2 or before.count("'") % 2
            if not is_text and not said.startswith(("#", "//", "*", "/*", "--", "'", ">>>")):
                found.add((path, line))
    return found


def _changed(kind: str, path: str, text: str, name: str, line: int, column: int) -> str | None:
    """A text with one function changed; None where it cannot be so."""
    if kind == "added":
        return _with_parameter(path, text, name, line, column)
    start = sum(len(each) + 1 for each in text.split("\n")[: line - 1]) + column + len(name)
    if kind == "renamed":
        return f"{text[:start]}Anew{text[start:]}"
    opened = re.compile(r"\s*(?:<[^()]*?>)?\s*\(").match(text, start)
    closed = text.find(")", opened.end()) if opened is not None else -1
    if opened is None or closed < 0:
        return None
    listed = text[opened.end() : closed]
    instance = INSTANCE.match(listed)
    kept = instance[0] if instance else ""
    parts = [each.strip() for each in listed[len(kept) :].split(",") if each.strip()]
    least = 1 if kind == "removed" else 2
    if len(parts) < least or re.search(r"[=(<\[{*]|\.\.\.|\?", listed[len(kept) :]):
        return None  # defaults, types with commas: to be read by hand
    parts = parts[:-1] if kind == "removed" else [parts[1], parts[0], *parts[2:]]
    return f"{text[: opened.end()]}{kept} {', '.join(parts)}{text[closed:]}"


def _with_parameter(path: str, text: str, name: str, line: int, column: int) -> str | None:
    """A text with one more parameter in a function's list."""
    language = language_of(path)
    start = sum(len(each) + 1 for each in text.split("\n")[: line - 1]) + column + len(name)
    opened = re.compile(r"\s*(?:<[^()]*?>)?\s*\(").match(text, start)
    if language is None or opened is None:
        return None
    rest = text[opened.end() :]
    instance = INSTANCE.match(rest)
    kept = instance[0].rstrip().rstrip(",") + ", " if instance else ""
    after = rest[instance.end() :] if instance else rest
    comma = "" if after.lstrip().startswith(")") else ", "
    return text[: opened.end()] + kept + ADDED[language.family] + comma + after


if __name__ == "__main__":
    main()
