"""Mine (description, code) pairs from the downloaded archives.

    python training/mine.py --work FOLDER --benchmark FOLDER...

Reads FOLDER/archives (fetch.py), writes FOLDER/pairs/<language>.jsonl and FOLDER/manifest.csv.
`--benchmark` names folders with the sources of benchmark repositories: a function whose text is in
one of them is left out wherever it was found, beside what `lineage.py` refuses by name.
"""

from __future__ import annotations

import argparse
import csv
import io
import json
import random
import re
import subprocess
import tarfile
import zipfile
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import lineage
import pairs

PAIRS_A_PACKAGE = 1_500
"""So that no package makes up more than a few per cent of its language."""
FILES_A_PACKAGE = 1_500
MAX_FILE_BYTES = 300_000
LANGUAGE = {
    "tsx": "typescript",
    **{name: name for name in ("python", "javascript", "typescript", "go", "rust", "java", "c")},
    "cpp": "cpp",
}
SKIPPED = re.compile(
    r"(^|/)(tests?|testing|testdata|__tests__|spec|fixtures?|examples?|demos?|docs?|benchmarks?"
    r"|node_modules|_?vendor(ed)?|third[-_]?party|external|deps|bundled|contrib|generated|locales?"
    r"|umd|cjs|esm5|fesm\w*|bundles|dist/(?!src)[^/]*(bundle|min)\w*)/"
    r"|(^|/)(test_|conftest)|_test\.|\.test\.|\.spec\.|_pb2|\.pb\.|\.min\.|zz_generated|_gen\.|Test\.java$",
    re.I,
)


@dataclass(slots=True)
class Package:
    """An archive that was read, as the manifest lists it."""

    registry: str
    language: str
    name: str
    version: str = ""
    licence: str = ""
    licence_from: str = ""
    status: str = "used"
    pairs: int = 0
    refused: list[str] = field(default_factory=list)


Entries = list[tuple[str, bytes]]

MANIFEST = (
    "registry",
    "language",
    "package",
    "version",
    "licence",
    "licence_from",
    "status",
    "pairs",
)


def manifest_row(package: Package) -> list[str | int]:
    """A package as a row of manifest.csv."""
    return [getattr(package, column if column != "package" else "name") for column in MANIFEST]


def read_archive(path: Path) -> Iterator[tuple[str, bytes]]:
    """Files of a wheel, npm tarball, Debian package or source archive: path and content."""
    if path.suffix in (".whl", ".zip"):
        with zipfile.ZipFile(path) as archive:
            for item in archive.infolist():
                if not item.is_dir() and _wanted(item.filename, item.file_size):
                    yield item.filename, archive.read(item)
        return
    with _tar(path) as stream:
        for member in stream:
            if member.isfile() and _wanted(member.name, member.size):
                file = stream.extractfile(member)
                if file is not None:
                    yield member.name, file.read()


def _tar(path: Path) -> tarfile.TarFile:
    if path.suffix != ".deb":
        return tarfile.open(path)
    command = ["dpkg-deb", "--fsys-tarfile", str(path)]
    done = subprocess.run(command, capture_output=True, check=True)
    return tarfile.open(fileobj=io.BytesIO(done.stdout))


def _wanted(name: str, size: int) -> bool:
    if size > MAX_FILE_BYTES:
        return False
    is_licence = re.search(
        r"(METADATA|package\.json|copyright|LICEN[CS]E[^/]*|COPYING[^/]*)$", name
    )
    return bool(is_licence) or pairs.language_of(name) is not None


def open_package(registry: str, language: str, folder: Path) -> tuple[Package, Entries]:
    """Read a package's archives and its licence."""
    package = Package(registry, language, folder.name.replace("__", "/"))
    entries: Entries = []
    for archive in sorted(folder.iterdir()):
        if registry == "debian-source" and ".orig" not in archive.name:
            continue
        if archive.name.endswith((".asc", ".dsc")):
            continue
        package.version = package.version or _version(archive.name)
        try:
            entries += read_archive(archive)
        except (tarfile.TarError, zipfile.BadZipFile, subprocess.CalledProcessError, OSError):
            package.status = "unreadable"
    metadata = ""
    if registry == "pypi":
        metadata = _first(entries, r"\.dist-info/METADATA$").split("\n\n", 1)[0]
        package.licence, package.licence_from = lineage.licence_of_wheel(metadata), "METADATA"
    elif registry == "npm":
        metadata = _first(entries, r"^package/package\.json$")
        package.licence, package.licence_from = lineage.licence_of_npm(metadata), "package.json"
        metadata = json.dumps(json.loads(metadata).get("repository", ""))
        package.version = json.loads(_first(entries, r"^package/package\.json$"))["version"]
    else:
        stated = _debian_copyright(folder) or _first(entries, r"usr/share/doc/[^/]+/copyright$")
        source = re.search(r"^Source:\s*(\S+)", stated, re.M)
        metadata = source.group(1) if source else ""
        package.licence, package.refused = lineage.licence_of_debian(stated)
        package.licence_from = "debian/copyright"
    if not package.licence:
        text = _first(entries, r"^(?:[^/]+/)?(LICEN[CS]E|COPYING)[^/]*$")
        package.licence, package.licence_from = lineage.licence_of_text(text), "LICENSE"
    if lineage.is_excluded_package(package.name, metadata):
        package.status = "excluded: benchmark repository"
    elif not lineage.is_permissive(package.licence):
        package.status = "refused: licence"
    return package, entries


def _version(archive: str) -> str:
    found = re.search(
        r"[-_](\d[\w.+~%-]*?)(?:-py\w+.*|[-_]cp\d.*|\.orig.*|_all.*|_amd64.*|\.tgz)", archive
    )
    return found.group(1).replace("%3a", ":") if found else ""


def _first(entries: Entries, pattern: str) -> str:
    found = (data for name, data in entries if re.search(pattern, name.removeprefix("./")))
    return next(found, b"").decode("utf-8", "replace")


def _debian_copyright(folder: Path) -> str:
    for archive in folder.glob("*.debian.tar.*"):
        try:
            with tarfile.open(archive) as stream:
                file = stream.extractfile("debian/copyright")
                return file.read().decode("utf-8", "replace") if file else ""
        except (tarfile.TarError, KeyError, OSError):
            continue
    return ""


def mine(
    package: Package, entries: Entries, known: set[str]
) -> tuple[list[dict[str, str]], Counter[str]]:
    """Pairs of one package, and why files or pairs were left out."""
    left_out: Counter[str] = Counter()
    files = []
    for name, data in entries:
        path = name.removeprefix("./")
        if pairs.language_of(path) is None or SKIPPED.search(path):
            continue
        if lineage.is_excluded_path(path):
            left_out["benchmark path"] += 1
        elif lineage.matches_any(path, package.refused):
            left_out["licence of the file in debian/copyright"] += 1
        elif lineage.COPYLEFT_HEADER.search(data[:3000].decode("utf-8", "replace")):
            left_out["licence in the file"] += 1
        else:
            files.append((path, data))
    generator = random.Random(package.name)
    generator.shuffle(files)
    found: list[dict[str, str]] = []
    for path, data in files[:FILES_A_PACKAGE]:
        for pair in pairs.pairs_of(path, data):
            identity = lineage.body_hash(pair.code)
            if identity in known:
                left_out["benchmark code"] += 1
                continue
            row = {
                "language": LANGUAGE.get(pairs.language_of(path) or "", package.language),
                "package": package.name,
                "kind": pair.kind,
                "query": pair.query,
                "name": pair.name,
                "scope": pair.scope,
                "code": pair.code,
                "hash": identity,
            }
            found.append(row)
        if len(found) >= PAIRS_A_PACKAGE:
            break
    return found[:PAIRS_A_PACKAGE], left_out


def benchmark_hashes(folders: Iterable[Path]) -> set[str]:
    """Hashes of every described function in benchmark repositories."""
    known: set[str] = set()
    for folder in folders:
        for path in folder.rglob("*"):
            if path.is_file() and pairs.language_of(path.name) is not None:
                data = path.read_bytes()
                if len(data) <= MAX_FILE_BYTES:
                    known.update(
                        lineage.body_hash(pair.code) for pair in pairs.pairs_of(path.name, data)
                    )
    return known


def main() -> None:
    """Mine every package in the work folder."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--benchmark", type=Path, nargs="*", default=[])
    arguments = parser.parse_args()
    known = benchmark_hashes(arguments.benchmark)
    print(f"{len(known)} functions of benchmark repositories are known by hash", flush=True)
    output = arguments.work / "pairs"
    output.mkdir(exist_ok=True)
    packages: list[Package] = []
    totals: Counter[str] = Counter()
    seen: set[str] = set()
    for folder in sorted((arguments.work / "archives").glob("*/*")):
        registry, language = folder.parent.name, folder.name
        if registry == "git":  # repositories.py reads these
            continue
        with (output / f"{language}.jsonl").open("w", encoding="utf-8") as stream:
            for place in sorted(folder.iterdir()):
                package, entries = open_package(registry, language, place)
                if package.status == "used":
                    found, left_out = mine(package, entries, known)
                    totals.update(left_out)
                    for row in found:
                        twins = {row["hash"], row["query"].lower()}
                        if seen & twins:
                            totals["seen before"] += 1
                            continue
                        seen |= twins
                        package.pairs += 1
                        stream.write(json.dumps(row) + "\n")
                packages.append(package)
        mined = sum(item.pairs for item in packages if item.language == language)
        print(f"{language}: {mined} pairs", flush=True)
    with (arguments.work / "manifest.csv").open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(MANIFEST)
        writer.writerows(manifest_row(item) for item in packages)
    for reason, count in totals.most_common():
        print(f"left out, {reason}: {count}")


if __name__ == "__main__":
    main()
