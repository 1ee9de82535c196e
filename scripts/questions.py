"""Questions that a folder can answer, taken from what is in it: comments, names and commits.

python scripts/questions.py FOLDER    prints up to three questions, then a name, one a line
"""

from __future__ import annotations

import contextlib
import re
import sys
from collections.abc import Iterable, Iterator
from itertools import islice

from surveyor.client.blocking import Client, connect
from surveyor.errors import SurveyorError
from surveyor.protocol.graph import MapFile, MapRequest, MapSymbol
from surveyor.protocol.history import HistorySearchRequest
from surveyor.protocol.search import RetrieveRequest, SearchRequest

SURE = 0.6
"""Confidence of the first result of a question that is worth showing."""
QUESTIONS = 3
TRIED = 25
"""Candidates of a kind that are asked at most."""
WORDS = range(4, 13)
COMMENT = re.compile(
    r"^\s*(?:///?!?|//!|#(?!\s*(?:(?:end|el)?if|else|define|include|undef))|\*|/\*\*?|--+|;+|\"\"\"|''')\s*(.*)"
)
"""A line of a comment or the first of a docstring, in most languages."""
CHORES = re.compile(
    r"\b(merge|bump|release|version|changelog|typo|revert|lint|format|ci|deps|readme|wip)\b", re.I
)
PREFIX = re.compile(r"^(\w+(\([^)]*\))?!?:|\[[^]]*\])\s*")
"""`fix(parser):` and `[parser]` before a commit's subject."""
TAIL = re.compile(r"\s*\(?#\d+\)?\.?$")


def main() -> int:
    """Print what can be asked of the folder that is named."""
    folder = sys.argv[1]
    with connect() as client:
        mapped = client.call(MapRequest(cwd=folder, tokens=4000)).results
        files = [file for file in mapped if "test" not in file.path.lower()] or mapped
        kinds = (_of_comments(client, folder, files), _of_commits(client, folder), _of_names(files))
        chosen: list[str] = []
        for candidates, wanted in zip(kinds, (2, 1, QUESTIONS), strict=True):
            room = min(wanted, QUESTIONS - len(chosen))
            fresh = dict.fromkeys(each for each in islice(candidates, TRIED) if each not in chosen)
            chosen += islice((each for each in fresh if _is_sure(client, folder, each)), room)
    for question in chosen:
        print(question)
    for name in _names(files)[:1]:
        print(name)
    return 0


def _symbols(files: Iterable[MapFile]) -> Iterator[tuple[MapFile, MapSymbol]]:
    """The most important definition of each file, then the second of each."""
    for rank in range(3):
        for file in files:
            if rank < len(file.symbols):
                yield file, file.symbols[rank]


def _names(files: Iterable[MapFile]) -> list[str]:
    return [symbol.name for _, symbol in _symbols(files) if "_" not in symbol.name[:1]]


def _of_comments(client: Client, folder: str, files: list[MapFile]) -> Iterator[str]:
    """First sentences of what is written above definitions, or first in them."""
    for file, symbol in _symbols(files):
        with contextlib.suppress(SurveyorError):
            first = max(symbol.line - 12, 1)
            text = client.call(
                RetrieveRequest(
                    cwd=folder, path=file.path, start_line=first, end_line=symbol.line + 4
                )
            ).text.splitlines()
            inside = text[symbol.line - first + 1 :]
            above: list[str] = []
            for line in reversed(text[: symbol.line - first]):
                if not COMMENT.match(line):
                    break
                above.insert(0, line)
            for block in (inside, above):
                if sentence := _sentence(block):
                    yield sentence
                    break


def _sentence(lines: list[str]) -> str:
    """The first sentence of a comment; empty where there is none that could be asked."""
    said: list[str] = []
    for line in lines:
        found = COMMENT.match(line)
        if said and not found and line.strip():
            said.append(line.strip())
        elif found and found[1].strip(" */\"'"):
            said.append(found[1].strip(" */\"'"))
        elif said:
            break
    sentence = re.split(r"(?<=[a-z)])[.:;](?:\s|$)|\"\"\"|'''", " ".join(said))[0].strip()
    plain = re.fullmatch(r"[A-Za-z][A-Za-z0-9 ,'`_-]+", sentence)
    return sentence.lower() if plain and len(sentence.split()) in WORDS else ""


def _of_commits(client: Client, folder: str) -> Iterator[str]:
    """What the newest commits say that they did."""
    try:
        request = HistorySearchRequest(cwd=folder, limit=100, wait_ms=10_000)
        commits = client.call(request).results
    except SurveyorError:
        return
    for commit in commits:
        subject = TAIL.sub("", PREFIX.sub("", commit.subject)).strip(" .")
        if len(subject.split()) in WORDS and subject.isascii() and not CHORES.search(subject):
            yield subject.lower()


def _of_names(files: Iterable[MapFile]) -> Iterator[str]:
    """Names of several words, as words."""
    for name in _names(files):
        last = name.replace("::", ".").rpartition(".")[2]
        words = re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", last)
        if len(words) > 1:
            yield " ".join(words).lower()


def _is_sure(client: Client, folder: str, question: str) -> bool:
    request = SearchRequest(query=question, cwd=folder, limit=1)
    return any(each.confidence >= SURE for each in client.call(request).results)


if __name__ == "__main__":
    raise SystemExit(main())
