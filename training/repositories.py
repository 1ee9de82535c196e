"""Mine cloned repositories: documented definitions, and commits with the code that they changed.

    python training/repositories.py --work FOLDER --benchmark FOLDER…

Reads FOLDER/archives/git (fetch.py), writes FOLDER/repositories/pairs.jsonl and a manifest of the
repositories beside it, in the form of manifest.csv. A repository is used when every licence file at
its root is a permissive one. Of each, up to 2.6 MB of sources are read, chosen by a fixed seed, and
up to 120 commits: a message describes the code around each change as it was before.
"""

from __future__ import annotations

import argparse
import csv
import json
import random
import re
import subprocess
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import layout
import lineage
import mine

from surveyor.embedding.chunk_text import path_text

MOST_BYTES = 2_600_000
PAIRS_A_LANGUAGE = 1_600
COMMITS_LOOKED_AT = 260
COMMITS_USED = 120
FILES_A_COMMIT = 2
SKIPPED = re.compile(
    mine.SKIPPED.pattern
    + r"|(^|/)(specs|samples?)/|_spec\.rb|Tests?\.\w+$|/[\w.]*Tests?/|\.d\.ts$",
    re.I,
)
LICENCE_FILE = re.compile(
    r"(LICENSES/)?(LICEN[CS]E|COPYING|UNLICENSE|MIT|Apache|BSD|ISC)[^/]*|[\w-]+/LICEN[CS]E(\.\w+)?",
    re.I,
)
NO_QUESTION = re.compile(
    r"^(merge|revert|bump|release|version|v?\d|update (deps|dependenc|changelog)|typo|lint|format"
    r"|cop|chore|changelog)|whitespace|copyright|rubocop",
    re.I,
)
"""Subjects of commits that ask for nothing."""
NOISE = re.compile(r"\(?#\d+\)?|\b[0-9a-f]{7,40}\b|^\w+(\([\w/.-]+\))?!?:\s*")


def git(clone: Path, *arguments: str, asked: str = "") -> bytes:
    """Output of a git command; nothing of the repository is run."""
    command = ["git", "-C", str(clone), *arguments]
    return subprocess.run(command, input=asked.encode(), capture_output=True, check=False).stdout


def tree(clone: Path) -> list[tuple[str, str, int]]:
    """Path, object and size of each file of the newest commit."""
    found = []
    for line in git(clone, "ls-tree", "-r", "-l", "HEAD").decode("utf-8", "replace").splitlines():
        head, _, path = line.partition("\t")
        mode, kind, identity, size = head.split()
        if kind == "blob" and mode != "120000":
            found.append((path, identity, int(size)))
    return found


def contents(clone: Path, identities: list[str]) -> list[str]:
    """Texts of objects; an empty one for what the clone does not hold."""
    data = git(clone, "cat-file", "--batch", asked="\n".join(identities) + "\n")
    found, at = [], 0
    for _ in identities:
        end = data.index(b"\n", at)
        head = data[at:end].split()
        if head[-1] == b"missing":
            found.append("")
            at = end + 1
            continue
        length = int(head[2])
        found.append(data[end + 1 : end + 1 + length].decode("utf-8", "replace"))
        at = end + 2 + length
    return found


def licence(clone: Path, files: list[tuple[str, str, int]]) -> str:
    """The licences at a repository's root, joined; empty where one is not permissive."""
    named = [each for each in files if LICENCE_FILE.fullmatch(each[0])]
    root = [each for each in named if "/" not in each[0]]
    root = root or [each for each in named if each[0].startswith("LICENSES/")] or named
    said = [lineage.licence_of_text(text) for text in contents(clone, [each[1] for each in root])]
    return " AND ".join(dict.fromkeys(said)) if said and all(said) else ""


def documented(
    clone: Path, name: str, files: list[tuple[str, str, int]]
) -> Iterator[dict[str, str]]:
    """Pairs of documented definitions in a sample of the sources."""
    files = [
        each
        for each in files
        if layout.language_of(each[0])
        and 200 <= each[2] <= 200_000
        and not SKIPPED.search(each[0])
        and not lineage.is_excluded_path(each[0])
    ]
    random.Random(name).shuffle(files)
    chosen, total = [], 0
    for each in files:
        if total + each[2] > MOST_BYTES:
            break
        chosen.append(each)
        total += each[2]
    taken: Counter[str] = Counter()
    for (path, _, _), text in zip(chosen, contents(clone, [e[1] for e in chosen]), strict=True):
        language = layout.language_of(path) or ""
        if lineage.COPYLEFT_HEADER.search(text[:3000]):
            continue
        for pair in layout.pairs_of(path, text):
            if taken[language] < PAIRS_A_LANGUAGE:
                taken[language] += 1
                code = pair.code
                if language == "python":
                    code = re.sub(
                        r'^(\s*)[rRuU]?("""|\'\'\')(?:.|\n)*?\2', "", code, count=1, flags=re.M
                    )
                yield {
                    "language": language,
                    "package": name,
                    "kind": pair.kind,
                    "query": pair.query,
                    "code": f"{pair.scope} {pair.name}\n{code}",
                    "path": path_text(path),
                    "hash": lineage.body_hash(pair.code),
                }


def changed(clone: Path, name: str) -> Iterator[dict[str, str]]:
    """Pairs of a commit's subject and the code around what it changed, before it did."""
    suffixes = [f"*{suffix}" for suffix in layout.EXTENSIONS]
    log = git(
        clone, "log", "--no-merges", "--no-renames", f"-n{COMMITS_LOOKED_AT}", "--diff-filter=M",
        "-p", "-U7", "--format=%x1e%s%x1f", "HEAD", "--", *suffixes,
    ).decode("utf-8", "replace")  # fmt: skip
    used = 0
    for entry in log.split("\x1e")[1:]:
        subject, _, patch = entry.partition("\x1f")
        query = " ".join(NOISE.sub(" ", subject.strip()).split())
        if NO_QUESTION.search(subject.strip()) or len(query.split()) < 3:
            continue
        parts = re.split(r"^diff --git a/(.+?) b/.+$", patch, flags=re.M)
        found = []
        for path, diff in zip(parts[1::2], parts[2::2], strict=True):
            code = _before(diff)
            if len(code) > 120 and not SKIPPED.search(path) and not lineage.is_excluded_path(path):
                found.append((path, code))
        if not 1 <= len(found) <= 4:
            continue
        used += 1
        if used > COMMITS_USED:
            return
        for path, code in found[:FILES_A_COMMIT]:
            yield {
                "language": layout.language_of(path) or "",
                "package": name,
                "kind": "commit",
                "query": query,
                "code": code,
                "path": path_text(path),
                "hash": lineage.body_hash(code),
            }


def _before(diff: str) -> str:
    """The old side of a diff, each hunk under the line that git names it by."""
    hunks = re.split(r"^@@ .*?@@ ?(.*)$", diff, flags=re.M)
    old = []
    for where, hunk in zip(hunks[1::2], hunks[2::2], strict=True):
        lines = [line[1:] for line in hunk.splitlines() if line[:1] in (" ", "-")]
        old.append(where + "\n" + "\n".join(lines))
    return "\n".join(old)[:1500]


def benchmark_hashes(folders: list[Path]) -> set[str]:
    """Hashes of documented definitions in benchmark repositories, as this miner cuts them."""
    known: set[str] = set()
    for folder in folders:
        for path in folder.rglob("*"):
            if path.is_file() and layout.language_of(path.name) and path.stat().st_size < 300_000:
                text = path.read_text("utf-8", "replace")
                known.update(lineage.body_hash(p.code) for p in layout.pairs_of(path.name, text))
    return known


def main() -> None:
    """Mine every clone in the work folder."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--benchmark", type=Path, nargs="*", default=[])
    arguments = parser.parse_args()
    known = benchmark_hashes(arguments.benchmark)
    print(f"{len(known)} definitions of benchmark repositories are known by hash", flush=True)
    output = arguments.work / "repositories"
    output.mkdir(exist_ok=True)
    seen: set[str] = set()
    packages = []
    with (output / "pairs.jsonl").open("w", encoding="utf-8") as stream:
        for clone in sorted((arguments.work / "archives" / "git" / "mixed").iterdir()):
            name = clone.name.replace("__", "/")
            package = mine.Package("git", "mixed", name, licence_from="LICENSE")
            package.version = git(clone, "rev-parse", "HEAD").decode().strip()
            packages.append(package)
            files = tree(clone)
            package.licence = licence(clone, files)
            if lineage.is_excluded_package(name.split("/")[-1], f"github.com/{name}"):
                package.status = "excluded: benchmark repository"
            elif not lineage.is_permissive(package.licence):
                package.status = "refused: licence"
            if package.status != "used":
                continue
            for row in documented(clone, name, files):
                twins = {row["hash"], row["query"].lower()}
                if row["hash"] not in known and not seen & twins:
                    seen |= twins
                    package.pairs += 1
                    stream.write(json.dumps(row) + "\n")
            for row in changed(clone, name):
                package.pairs += 1
                stream.write(json.dumps(row) + "\n")
    with (output / "manifest.csv").open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(mine.MANIFEST)
        writer.writerows(mine.manifest_row(package) for package in packages)
    print(f"{sum(package.pairs for package in packages)} pairs of {len(packages)} repositories")


if __name__ == "__main__":
    main()
