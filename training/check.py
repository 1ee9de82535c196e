"""Check what the model was trained on, and that the export is what was trained.

    python training/check.py --manifest training/manifest.csv
    python training/check.py --manifest … --work FOLDER --benchmark FOLDER… --model FOLDER

The first form needs nothing but the repository and runs in the tests. With the work folder every
training pair is compared, by the hash of its code, with the functions of the benchmark
repositories under the given folders. Exit code 1 and a list where something is wrong.
"""

from __future__ import annotations

import argparse
import csv
import json
import sys
from collections.abc import Iterator
from pathlib import Path

import lineage


def problems_of_manifest(path: Path) -> Iterator[str]:
    """Packages that must not have been used, by licence or by name."""
    with path.open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    if not rows:
        yield f"{path} lists no package"
    for row in rows:
        if row["status"] != "used":
            if row["pairs"] != "0":
                yield f"{row['package']}: {row['status']}, and yet it gave pairs"
        elif not lineage.is_permissive(row["licence"]):
            yield f"{row['package']}: licence {row['licence']!r}"
        elif lineage.is_excluded_package(row["package"], ""):
            yield f"{row['package']}: a repository of the benchmark"


def problems_of_pairs(work: Path, benchmark: list[Path]) -> Iterator[str]:
    """Training pairs whose code is in a benchmark repository."""
    import mine

    known = mine.benchmark_hashes(benchmark)
    if not known:
        yield "no function was found under the benchmark folders"
    count = 0
    for path in sorted((work / "pairs").glob("*.jsonl")):
        for line in path.read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            count += 1
            if lineage.body_hash(row["code"]) in known:
                yield f"{row['package']}: {row['name']} is benchmark code"
    print(f"{count} pairs compared with {len(known)} functions of {len(benchmark)} folders")


def problems_of_export(work: Path, name: str, model: Path) -> Iterator[str]:
    """Whether the shipped vectors are the trained ones, within int8."""
    import numpy as np
    from tokenizers import Tokenizer

    from surveyor.embedding.dense import load_embedder
    from surveyor.embedding.static_model import LibraryTokens, WordIds

    table = np.load(work / f"{name}.npy")
    tokenizer = Tokenizer.from_file(str(model / "tokenizer.json"))
    ids = WordIds(LibraryTokens(tokenizer))
    texts = [path.read_text(encoding="utf-8") for path in Path(__file__).parent.glob("*.py")]
    expected = np.stack([table[ids.ids(text)[:2046]].sum(axis=0) for text in texts])
    expected /= np.linalg.norm(expected, axis=1, keepdims=True)
    cosine = (load_embedder(str(model)).embed_documents(texts) * expected).sum(axis=1)
    print(f"exported against trained: cosine {cosine.min():.5f} at least")
    if cosine.min() < 0.999:
        yield f"the export differs from {name}.npy: cosine {cosine.min():.4f}"


def main() -> None:
    """Run the checks that the arguments allow."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--manifest", type=Path, required=True)
    parser.add_argument("--work", type=Path)
    parser.add_argument("--benchmark", type=Path, nargs="*", default=[])
    parser.add_argument("--model", type=Path)
    parser.add_argument("--name", default="trained")
    arguments = parser.parse_args()
    found = list(problems_of_manifest(arguments.manifest))
    if arguments.work and arguments.benchmark:
        found += problems_of_pairs(arguments.work, arguments.benchmark)
    if arguments.work and arguments.model:
        found += problems_of_export(arguments.work, arguments.name, arguments.model)
    for problem in found:
        print(problem, file=sys.stderr)
    print("ok" if not found else f"{len(found)} problems")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
