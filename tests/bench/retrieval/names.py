"""Are exact names found? Every sampled definition's name, asked of the product's functions."""

from __future__ import annotations

import random
import sys
from pathlib import Path

from surveyor.files.file_class import file_type_of
from surveyor.parsing.parse import parse_file
from surveyor.parsing.walk import WalkedFile, walk
from tests.bench.retrieval import product

CALLABLE = {"function", "method", "constructor", "macro"}
KINDS = CALLABLE | {"class", "interface", "struct", "enum", "trait", "type", "object"}
LEAST = 3
"""Characters of a name that somebody would look up."""


def definitions(root: Path) -> dict[str, list[tuple[str, int, int]]]:
    """Names defined in the code of a folder, with the places of all their definitions."""
    found: dict[str, list[tuple[str, int, int]]] = {}
    for each in walk(root):
        if isinstance(each, WalkedFile) and file_type_of(each.path) == "code":
            parsed = parse_file(each.path, (root / each.path).read_bytes())
            for symbol in parsed.symbols:
                if symbol.kind in KINDS and len(symbol.name) >= LEAST:
                    place = (each.path, symbol.start_line, symbol.end_line)
                    found.setdefault(symbol.name, []).append(place)
    return found


def first_is_right(root: Path, name: str, places: list[tuple[str, int, int]]) -> bool:
    """Whether the first result holds one of the name's definitions."""
    results, _ = product.search(root, name)
    return bool(results) and any(
        results[0].path == path and results[0].start_line <= end and results[0].end_line >= start
        for path, start, end in places
    )


def share(root: Path, sample: int) -> tuple[float, int, list[str]]:
    """Share of sampled names whose first result defines them, how many, and those that fail."""
    known = definitions(root)
    chosen = sorted(known)
    random.Random(0).shuffle(chosen)
    chosen = chosen[:sample]
    missed = [name for name in chosen if not first_is_right(root, name, known[name])]
    return 1.0 - len(missed) / max(len(chosen), 1), len(chosen), missed


def report(folders: list[Path], sample: int, data: Path | None = None) -> None:
    """Print the share for each folder, indexed by an engine of its own."""
    total = right = 0.0
    with product.engine(data):
        for folder in folders:
            root = folder.resolve()
            product.index(root, force=data is None)
            part, count, missed = share(root, sample)
            total += count
            right += part * count
            sys.stdout.write(
                f"{folder.name}: {round(part * count)} of {count} ({part:.3f}); "
                f"not first: {missed[:10]}\n"
            )
            sys.stdout.flush()
    sys.stdout.write(f"all: {round(right)} of {int(total)} ({right / max(total, 1):.4f})\n")
