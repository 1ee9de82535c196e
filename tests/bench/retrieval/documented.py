"""Is the right chunk of a file first? Definitions are asked for by their own documentation.

The first sentence of what documents a definition is the question, and what documents it is taken
out of the file before it is indexed, so that only the code can answer. By the product's functions
in memory.
"""

from __future__ import annotations

import random
import re
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from surveyor.config.rank_settings import RankSettings
from surveyor.embedding.contract import Embedder
from surveyor.embedding.dense import load_embedder
from surveyor.embedding.tokens import split_words, stem
from surveyor.files.file_class import file_type_of
from surveyor.parsing.parse import parse_file
from surveyor.parsing.types import Symbol
from surveyor.parsing.walk import WalkedFile, walk
from surveyor.search.rank import RankContext, rank
from tests.bench.retrieval import asking, memory
from tests.bench.retrieval.dataset import Question, Target
from tests.bench.retrieval.names import KINDS

COMMENT = ("//", "/*", "*", "#", "--")
ATTRIBUTE = ("@", "[", "#[")
NOT_ASIDE = re.compile(r"test|spec|example|bench|vendor|third_party", re.IGNORECASE)
WORDS = range(5, 26)
"""Of a sentence that asks for something."""
LEAST_LINES = 3
"""Below the line of its name: what is shorter says nothing but its name."""
DOCSTRING_LINES = 12
"""Behind a head, until its docstring begins."""

Scores = tuple[float, float, float]


def sentence(symbol: Symbol) -> str:
    """What a definition's documentation says first; empty where it is no question."""
    plain = re.sub(r"\s*\n[ \t]*[*/#!-]*[ \t]*", " ", (symbol.docstring or "").strip())
    first = re.split(r"(?<=[.!?])\s|@\w+|:param", re.sub(r"^[/*#\s!-]+", "", plain))[0]
    said = re.sub(r"[`{}<>]|\\\w+", "", first).strip()
    is_asking = len(re.findall(r"[A-Za-z]{2,}", said)) in WORDS
    return said if is_asking and symbol.name.lower() not in said.lower() else ""


def without_documentation(lines: list[str], symbol: Symbol, path: str) -> list[str] | None:
    """A file's lines, empty where a definition is documented; None where nothing was found."""
    left = list(lines)
    above = symbol.line - 2
    while above >= 0 and left[above].strip().startswith((*COMMENT, *ATTRIBUTE)):
        if left[above].strip().startswith(COMMENT) and not left[above].strip().startswith("#["):
            left[above] = ""
        above -= 1
    if path.endswith(".py"):
        _empty_docstring(left, symbol.line)
    return left if left != lines else None


def _empty_docstring(lines: list[str], start: int) -> None:
    for begin in range(start, min(start + DOCSTRING_LINES, len(lines))):
        quotes = re.match(r"\s*[rbu]?(\"\"\"|''')", lines[begin])
        if quotes is None:
            continue
        end = begin
        if lines[begin].count(quotes[1]) < 2:
            end = next(
                (n for n in range(begin + 1, len(lines)) if quotes[1] in lines[n]), len(lines) - 1
            )
        lines[begin : end + 1] = [""] * (end + 1 - begin)
        return


def questions(folder: Path, sample: int) -> list[Question]:
    """Definitions at random; what documents them is taken out of the folder's files."""
    found = [
        (each.path, symbol, said)
        for each in walk(folder)
        if isinstance(each, WalkedFile)
        and file_type_of(each.path) == "code"
        and not NOT_ASIDE.search(each.path)
        for symbol in parse_file(each.path, (folder / each.path).read_bytes()).symbols
        if symbol.kind in KINDS
        and symbol.end_line - symbol.line >= LEAST_LINES
        and (said := sentence(symbol))
    ]
    random.Random(5).shuffle(found)
    asked: list[Question] = []
    for path, symbol, said in found:
        lines = (folder / path).read_text(encoding="utf-8", errors="replace").split("\n")
        left = without_documentation(lines, symbol, path)
        if left is None or said[:30].lower() in "\n".join(left).lower():
            continue
        (folder / path).write_text("\n".join(left), encoding="utf-8")
        target = Target(path, symbol.line, symbol.line)
        asked.append(Question(folder.name, said, "semantic", (target,)))
        if len(asked) == sample:
            break
    return asked


def judge(each: asking.Asked, settings: RankSettings) -> Scores:
    """Whether the right file is first, whether the right chunk is, and one by its place."""
    ranked = rank(each.query, each.candidates["hybrid"], settings, each.context)
    target = each.question.targets[0]
    files = [found.candidate.path == target.path for found in ranked]
    chunks = [
        is_there and found.candidate.start_line <= target.start_line <= found.candidate.end_line
        for is_there, found in zip(files, ranked, strict=True)
    ]
    place = chunks.index(True) + 1 if any(chunks) else 0
    return float(files[:1] == [True]), float(place == 1), 1.0 / place if place else 0.0


def report(
    folders: Sequence[Path], sample: int, cache: Path | None, say: Callable[[str], None]
) -> None:
    """Print the shares over all folders, as shipped and without the choice within a file."""
    embedder = load_embedder("")
    asked: list[asking.Asked] = []
    for folder in folders:
        asked += _ask(folder.resolve(), sample, embedder, cache)
        say(f"{folder.name}: {len(asked)} questions by now")
    for label, settings in (
        ("as shipped", RankSettings()),
        ("without choice", RankSettings(choice=False)),
    ):
        scores = [judge(each, settings) for each in asked]
        file, chunk, mrr = (sum(values) / len(scores) for values in zip(*scores, strict=True))
        say(f"{label}: right file first {file:.3f}, right chunk {chunk:.3f}, MRR of it {mrr:.3f}")


def _ask(root: Path, sample: int, embedder: Embedder, cache: Path | None) -> list[asking.Asked]:
    with TemporaryDirectory(prefix="surveyor-documented-") as scratch:
        copy = Path(scratch) / root.name
        shutil.copytree(root, copy, symlinks=True, ignore=shutil.ignore_patterns(".git"))
        drawn = questions(copy, sample)
        index = memory.build(copy, embedder, cache=cache)
    context = RankContext(subject=frozenset(map(stem, split_words(root.name))))
    return asking.ask_index(drawn, index, embedder, "", context, ("hybrid",))
