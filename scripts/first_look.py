"""What a folder can be asked, taken from what is in it: comments, headings, names and commits.

python scripts/first_look.py FOLDER prints lines of two words: what is to be done, and with what.
`search` and a question (up to three), `refs` or `def` and a name, `say` and a sentence for people,
`nothing` and such a sentence where nothing of the folder is indexed.
A question is shown only where its first result is the place that it was taken from.
"""

from __future__ import annotations

import contextlib
import re
import sys
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from surveyor.client.blocking import Client, connect
from surveyor.errors import SurveyorError
from surveyor.protocol.graph import DefinitionRequest, MapRequest, MapSymbol, ReferencesRequest
from surveyor.protocol.history import HistorySearchRequest
from surveyor.protocol.passages import ChunksRequest
from surveyor.protocol.projects import ProjectsRequest, ProjectStatus
from surveyor.protocol.search import RetrieveRequest, SearchRequest, SearchResult

SURE = 0.6
"""Confidence of the first result of a question that is worth showing."""
QUESTIONS = 3
TRIED = 25
"""Candidates of a kind that are asked at most."""
LIMIT_S = 20.0
"""A first look ends then, with what it has."""
SAMPLES = 12
"""Parts of a folder that definitions and sections are taken from."""
SAMPLE = 15
"""Chunks of each."""
ABOVE = 12
"""Lines above a definition that its comment is looked for in."""
BELOW = 8
"""Lines below its name."""
NEAR = 3
"""Lines between a place and what is still counted as it: a comment may be a chunk's own."""
WORDS = range(4, 15)
SAYING = 3
"""Letters of a word in a name that says something: `sb_put` is no question."""
HEADING_WORDS = range(2, 9)
DEFINING = ["function", "method", "class", "struct", "trait", "interface", "enum"]
"""Kinds of chunks that hold a definition."""
COMMENT = re.compile(
    r"^\s*(?:///?!?|//!|#(?!\s*(?:(?:end|el)?if|else|define|include|undef))|\*|/\*\*?|--+|;+|%+|\"\"\"|''')\s*(.*)"
)
"""A line of a comment or the first of a docstring, in most languages."""
CHORES = re.compile(
    r"\b(merge|bump|release|version|changelog|typo|revert|lint|format|ci|deps|readme|wip)\b", re.I
)
PREFIX = re.compile(r"^(\w+(\([^)]*\))?!?:|\[[^]]*\])\s*")
"""`fix(parser):` and `[parser]` before a commit's subject."""
TAIL = re.compile(r"\s*\(?#\d+\)?\.?$")


@dataclass(frozen=True)
class Candidate:
    """A question, and the place that it was taken from; no path where any may answer."""

    text: str
    path: str = ""
    line: int = 0

    def is_from(self, result: SearchResult) -> bool:
        """Whether a result is the place."""
        begins, ends = result.start_line - NEAR, result.end_line + NEAR
        return not self.path or (self.path == result.path and begins <= self.line <= ends)


@dataclass(frozen=True)
class Definition:
    """A name, and where it is defined."""

    path: str
    name: str
    line: int


class Folder:
    """An indexed folder, and how it is asked."""

    def __init__(self, client: Client, root: str) -> None:
        self.client = client
        self.root = str(Path(root).resolve())
        self.until = time.monotonic() + LIMIT_S

    def status(self) -> ProjectStatus:
        """What is indexed of it."""
        projects = self.client.call(ProjectsRequest()).projects
        return next(project for project in projects if project.root == self.root)

    def sample(self, type_: str, kinds: list[str]) -> Iterator[tuple[str, int, str | None, str]]:
        """Path, first line, symbol and text of some chunks, from all parts of the folder."""
        every = max(self.status().chunks // SAMPLES, SAMPLE)
        for offset in range(0, SAMPLES * every, every):
            found = self.client.call(
                ChunksRequest(
                    cwd=self.root, types=[type_], kinds=kinds, limit=SAMPLE, offset=offset
                )
            ).results
            if not found:
                return
            for each in found:
                yield each.path, each.start_line, each.symbol, each.snippet

    def text(self, path: str, first: int, last: int) -> list[str]:
        """Lines of a file; none where they cannot be had."""
        with contextlib.suppress(SurveyorError):
            request = RetrieveRequest(cwd=self.root, path=path, start_line=first, end_line=last)
            return self.client.call(request).text.splitlines()
        return []

    def best(self, candidates: Iterable[Candidate], wanted: int) -> list[str]:
        """Those that are answered surest by what they were taken from; none that is not sure."""
        sure: dict[str, float] = {}
        for each in islice(candidates, TRIED):
            if time.monotonic() > self.until:
                break
            request = SearchRequest(query=each.text, cwd=self.root, limit=1)
            for first in self.client.call(request).results:
                if first.confidence >= SURE and each.is_from(first):
                    sure[each.text] = first.confidence
        return sorted(sure, key=sure.__getitem__, reverse=True)[:wanted]


def main() -> int:
    """Print what can be asked of the folder that is named."""
    with connect() as client:
        folder = Folder(client, sys.argv[1])
        status = folder.status()
        if not status.files or status.reason == "nothing_to_index":
            print("say" if status.files_behind else "nothing", _nothing(status))
            return 0
        definitions = list(_definitions(folder))
        for question in _questions(folder, definitions):
            print(f"search {question}")
        for line in _about_a_name(folder, definitions, status):
            print(line)
    return 0


def _nothing(status: ProjectStatus) -> str:
    if status.files_behind:
        return "None of its files has been indexed yet: ask in a moment, as below."
    return (
        "It has no text that can be searched, for the reason that is given above."
        " Try one with code or documents: make try FOLDER=/path/to/a/project"
    )


def _questions(folder: Folder, definitions: list[Definition]) -> list[str]:
    """Questions that the folder answers, of several kinds."""
    sources = (
        (_of_comments(folder, definitions), 2),
        (_of_headings(folder), 1),
        (_of_commits(folder), 1),
        (_of_text(folder), QUESTIONS),
        (_of_headings(folder), QUESTIONS),
        (_of_names(definitions), QUESTIONS),
    )
    chosen: dict[str, None] = {}
    for candidates, wanted in sources:
        room = min(wanted, QUESTIONS - len(chosen))
        if room:
            fresh = (each for each in candidates if each.text not in chosen)
            chosen |= dict.fromkeys(folder.best(fresh, room))
    return list(chosen)


def _definitions(folder: Folder) -> Iterator[Definition]:
    """The most important definition of each file, then the second of each, then the third; then
    what lies in all parts of the folder, also where the graph knows nothing yet."""
    mapped = folder.client.call(MapRequest(cwd=folder.root, tokens=4000)).results
    files = [file for file in mapped if "test" not in file.path.lower()] or mapped
    for rank in range(3):
        for file in files:
            if rank < len(file.symbols):
                symbol: MapSymbol = file.symbols[rank]
                yield Definition(file.path, symbol.name, symbol.line)
    for path, first, name, text in folder.sample("code", DEFINING):
        if name:
            lines = enumerate(text.splitlines(), first)
            code = ((at, line) for at, line in lines if not COMMENT.match(line))
            yield Definition(path, name, next((at for at, line in code if name in line), first))


def _of_comments(folder: Folder, definitions: list[Definition]) -> Iterator[Candidate]:
    """First sentences of what is written above definitions, or first in them."""
    for each in definitions:
        first = max(each.line - ABOVE, 1)
        text = folder.text(each.path, first, each.line + BELOW)
        inside = text[each.line - first + 1 :]
        above: list[str] = []
        for line in reversed(text[: each.line - first]):
            if not COMMENT.match(line):
                break
            above.insert(0, line)
        if len(above) == ABOVE:  # where it begins is not known
            above.clear()
        sentences = (_sentence(block) for block in (inside, above))
        if sentence := next(filter(None, sentences), ""):
            yield Candidate(sentence, each.path, each.line)


def _of_text(folder: Folder) -> Iterator[Candidate]:
    """First sentences of comments in code that no grammar takes apart."""
    for path, first, _, text in folder.sample("code", ["text"]):
        lines = text.splitlines()
        for at, line in enumerate(lines):
            begins = COMMENT.match(line) and not (at and COMMENT.match(lines[at - 1]))
            # What a chunk begins with may have begun before it.
            if begins and (at or first == 1) and (sentence := _sentence(lines[at:])):
                yield Candidate(sentence, path, first + at)
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
    first = re.split(r"(?<=[^\W\d_A-Z][a-z)])[.:;](?:\s|$)|\"\"\"|'''", " ".join(said))[0]
    sentence = first.replace("()", "").replace("`", "").strip()
    plain = re.fullmatch(r"[^\W\d_][\w ,'-]+", sentence)
    return sentence.lower() if plain and len(sentence.split()) in WORDS else ""


def _of_headings(folder: Folder) -> Iterator[Candidate]:
    """What sections of documents are about."""
    for path, first, heading, _ in folder.sample("doc", ["section"]):
        plain = re.fullmatch(r"[^\W\d_][\w ,'-]+", heading or "")
        if heading and plain and len(heading.split()) in HEADING_WORDS:
            yield Candidate(heading.lower(), path, first)


def _of_commits(folder: Folder) -> Iterator[Candidate]:
    """What the newest commits say that they did."""
    try:
        request = HistorySearchRequest(cwd=folder.root, limit=100, wait_ms=10_000)
        commits = folder.client.call(request).results
    except SurveyorError:
        return
    for commit in commits:
        subject = TAIL.sub("", PREFIX.sub("", commit.subject)).strip(" .")
        plain = re.fullmatch(r"[^\W\d_][\w ,'-]+", subject)
        if plain and len(subject.split()) in WORDS and not CHORES.search(subject):
            yield Candidate(subject.lower())


def _of_names(definitions: Iterable[Definition]) -> Iterator[Candidate]:
    """Names of several words, as words."""
    for each in definitions:
        last = each.name.replace("::", ".").rpartition(".")[2]
        words = re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", last)
        if sum(len(word) >= SAYING for word in words) > 1:
            yield Candidate(" ".join(words).lower(), each.path, each.line)


def _about_a_name(
    folder: Folder, definitions: list[Definition], status: ProjectStatus
) -> Iterator[str]:
    """Uses of a definition; where none is used, the place of one."""
    if status.edges_behind or status.files_behind:
        yield "say Who uses what is still being worked out: `surveyor refs NAME` knows it then."
        return
    names = [each.name for each in definitions if re.fullmatch(r"[^\W_][\w.:]*", each.name)][:TRIED]
    for name in names:
        with contextlib.suppress(SurveyorError):
            uses = ReferencesRequest(cwd=folder.root, name=name, limit=1)
            if folder.client.call(uses).results:
                yield f"refs {name}"
                return
    for name in names:
        with contextlib.suppress(SurveyorError):
            defined = DefinitionRequest(cwd=folder.root, name=name, limit=1)
            if folder.client.call(defined).results:
                yield f"def {name}"
                return


if __name__ == "__main__":
    raise SystemExit(main())
