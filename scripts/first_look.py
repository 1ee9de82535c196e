"""What a folder can be asked, taken from what is in it: comments, headings, names and commits.

python scripts/first_look.py FOLDER prints lines of two words: what is to be done, and with what.
`search`, the number of results worth showing and a question (up to three), `refs` or `def` and a
name, `say` and a sentence for people, `nothing` and such a sentence where nothing is indexed.
A question is shown only where its first result is the place that it was taken from; for one of a
commit's, a file that the commit changed.
"""

from __future__ import annotations

import contextlib
import re
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice, takewhile
from pathlib import Path

from surveyor.client.blocking import Client, connect
from surveyor.errors import SurveyorError
from surveyor.files.file_class import file_type_of, labels_of, read_labels
from surveyor.protocol.graph import DefinitionRequest, MapRequest, MapSymbol, ReferencesRequest
from surveyor.protocol.history import HistorySearchRequest
from surveyor.protocol.passages import ChunksRequest
from surveyor.protocol.projects import ProjectsRequest, ProjectStatus
from surveyor.protocol.search import RetrieveRequest, SearchRequest, SearchResult

SURE = 0.6
"""Confidence of the first result of a question that is worth showing."""
LIKELY = 0.2
"""Confidence of a further result that is shown: what follows one below is noise to a stranger."""
QUESTIONS = 3
RESULTS = 3
"""Results of a question that are shown at most."""
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
USES = 50
"""Uses of a name that are looked at."""
FEW_USES = 2
"""Uses that tell less of a name than reading it."""
DEFINING = ["function", "method", "class", "struct", "trait", "interface", "enum"]
"""Kinds of chunks that hold a definition."""
DIRECTIVE = (
    r"(?:(?:end|el|un)?if(?:n?def)?|else|elif(?:n?def)?|define|undef|include(?:_next)?|import|error|warning"
    r"|pragma|line|region|endregion|nullable)\b"
)
"""What stands behind `#` where it begins no comment, in C and C#."""
MARKED = re.compile(rf"^\s*(?:///?!?|//!|#(?!\s*{DIRECTIVE}|[!\[])|--(?!\[\[)|;+|%+)\s*(.*)")
"""A comment of one line; what follows belongs to it only where it is marked as well."""
OPENED = re.compile(
    r"^\s*(?:@(?:module)?doc\s+)?[rRuU]?(/\*[*!]?|\"\"\"|\'\'\'|--\[\[|\{-\|?|\(\*+)\s*(.*)"
)
"""The first line of a comment or docstring that goes on until it is closed."""
CLOSED = {"/": "*/", '"': '"""', "'": "'''", "-": "]]", "{": "-}", "(": "*)"}
"""What closes it, by the first letter of what opens it."""
INNER = re.compile(r"^\s*\*(?!/)\s?(.*)")
"""A line inside of one, as most are written."""
LEGAL = re.compile(
    r"\b(?:licen[cs]ed?|copyright|warrant(?:y|ies)|all rights|spdx|this file|auto-?generated"
    r"|todo|fixme|xxx|hack|deprecated)\b",
    re.IGNORECASE,
)
"""What no question comes of."""
POINTING = re.compile(r"(?i)(?:these|this|those|it|they|note|see|we|i)\b")
"""What a sentence begins with that says nothing without what stands around it."""
PAPERS = re.compile(
    r"(?i)(?:^|/)(?:change|history|news|release|contribut|licen[cs]e|copying|code.of.conduct"
    r"|security|upgrad)[^/]*$"
)
"""Files about a project's life: none is what somebody looks for in code."""
COMMON = re.compile(
    r"""(?x) about|and|api|changes|changelog|code|conduct|contents|contribut(?:e|ing|ions?)
    |dependenc(?:y|ies)|development|docs|documentation|examples?|faq|features|for|from|getting|help|how
    |install(?:ation|ing)?|introduction|issues?|licen[cs]e|links|more|options|other|overview|project
    |pull|quick|references?|releases?|requests?|requirements|resources|run(?:ning)?|section|see|setup
    |start(?:ed)?|submitting|support|table|tests?|testing|the|this|tutorial|upgrading|usage|using|use
    |versions?|with|your"""
)
"""Words of headings that stand in any project."""
CHORES = re.compile(
    r"\b(merge|bump|release|version|changelog|typo|revert|lint|format|ci|deps|readme|wip)\b", re.I
)
PREFIX = re.compile(r"^(\w+(\([^)]*\))?!?:|\[[^]]*\])\s*")
"""`fix(parser):` and `[parser]` before a commit's subject."""
TAIL = re.compile(r"\s*\(?#\d+\)?\.?$")


@dataclass(frozen=True)
class Candidate:
    """A question, and the place that it was taken from."""

    text: str
    path: str = ""
    line: int = 0
    changed: frozenset[str] = field(default_factory=frozenset)
    """Code that a commit changed: any of it may answer."""

    def is_from(self, result: SearchResult) -> bool:
        """Whether a result is the place."""
        if self.changed:
            return result.path in self.changed
        begins, ends = result.start_line - NEAR, result.end_line + NEAR
        return self.path == result.path and begins <= self.line <= ends


@dataclass(frozen=True)
class Question:
    """One that is answered, how surely, and how many of its first results are worth reading."""

    text: str
    confidence: float
    results: int


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

    def best(self, candidates: Iterable[Candidate], wanted: int) -> list[Question]:
        """Those that are answered surest by what they were taken from; none that is not sure."""
        sure: dict[str, Question] = {}
        for each in islice(candidates, TRIED):
            if time.monotonic() > self.until:
                break
            request = SearchRequest(query=each.text, cwd=self.root, limit=RESULTS)
            results = self.client.call(request).results
            if results and results[0].confidence >= SURE and each.is_from(results[0]):
                likely = list(takewhile(lambda result: result.confidence >= LIKELY, results))
                sure[each.text] = Question(each.text, results[0].confidence, len(likely))
        return sorted(sure.values(), key=lambda each: each.confidence, reverse=True)[:wanted]


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
            print(f"search {question.results} {question.text}")
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


def _questions(folder: Folder, definitions: list[Definition]) -> list[Question]:
    """Questions that the folder answers, of several kinds."""
    sources = (
        (_of_comments(folder, definitions), 2),
        (_of_headings(folder), 1),
        (_of_commits(folder), 1),
        (_of_text(folder), QUESTIONS),
        (_of_headings(folder), QUESTIONS),
        (_of_names(definitions), QUESTIONS),
    )
    chosen: dict[str, Question] = {}
    for candidates, wanted in sources:
        room = min(wanted, QUESTIONS - len(chosen))
        if room:
            fresh = (each for each in candidates if each.text not in chosen)
            chosen |= {each.text: each for each in folder.best(fresh, room)}
    return list(chosen.values())


def _definitions(folder: Folder) -> Iterator[Definition]:
    """The most important definition of each file, then the second of each, then the third; then
    what lies in all parts of the folder, also where the graph knows nothing yet."""
    mapped = folder.client.call(MapRequest(cwd=folder.root, tokens=4000)).results
    files = [file for file in mapped if _is_own(file.path)] or mapped
    for rank in range(3):
        for file in files:
            if rank < len(file.symbols):
                symbol: MapSymbol = file.symbols[rank]
                yield Definition(file.path, symbol.name, symbol.line)
    for path, first, name, text in folder.sample("code", DEFINING):
        if name and _is_own(path):
            lines = enumerate(text.splitlines(), first)
            code = ((at, line) for at, line in lines if not _begins_comment(line))
            yield Definition(path, name, next((at for at, line in code if name in line), first))


def _is_own(path: str) -> bool:
    """Whether a file is what the project is about: not a test, an example or somebody else's."""
    return not read_labels(labels_of(path)) & {"tests", "examples", "vendored", "generated"}


def _is_own_code(path: str) -> bool:
    return file_type_of(path) == "code" and _is_own(path)


def _begins_comment(line: str) -> bool:
    return bool(MARKED.match(line) or OPENED.match(line) or INNER.match(line))


def _of_comments(folder: Folder, definitions: list[Definition]) -> Iterator[Candidate]:
    """First sentences of what is written above definitions, or first in them."""
    for each in definitions:
        first = max(each.line - ABOVE, 1)
        text = folder.text(each.path, first, each.line + BELOW)
        inside = text[each.line - first + 1 :]
        above = _comment_above(text[: each.line - first])
        if len(above) == ABOVE:  # where it begins is not known
            above.clear()
        sentences = (sentence_of(block, each.name) for block in (above, _docstring(inside)))
        if sentence := next(filter(None, sentences), ""):
            yield Candidate(sentence, each.path, each.line)


def _comment_above(lines: list[str]) -> list[str]:
    """The lines of a comment that ends with the last of these."""
    above: list[str] = []
    is_block = bool(lines) and lines[-1].rstrip().endswith(tuple(CLOSED.values()))
    for line in reversed(lines):
        if not is_block and not _begins_comment(line):
            break
        above.insert(0, line)
        if is_block and OPENED.match(line):
            break
    return above


def _docstring(lines: list[str]) -> list[str]:
    """These lines from where a docstring begins, in languages that have it below the name.

    A comment that stands there is of a part of the definition.
    """
    opening = ('"""', "'''")
    found = (at for at, line in enumerate(lines) if line.strip().lstrip("rRuU").startswith(opening))
    return lines[next(found, len(lines)) :]


def _of_text(folder: Folder) -> Iterator[Candidate]:
    """First sentences of comments in code that no grammar takes apart."""
    for path, first, _, text in folder.sample("code", ["text"]):
        lines = text.splitlines() if _is_own(path) else []
        for at, line in enumerate(lines):
            begins = _begins_comment(line) and not (at and _begins_comment(lines[at - 1]))
            # What a chunk begins with may have begun before it.
            if begins and (at or first == 1) and (sentence := sentence_of(lines[at:])):
                yield Candidate(sentence, path, first + at)
                break


def sentence_of(lines: list[str], name: str = "") -> str:
    """The first sentence of a comment, as it would be typed; empty where none could be asked.

    Go's "Write writes …" begins with the `name`, which would make the question an easy one.
    """
    text = " ".join(filter(None, (line.strip(" */\"'\t") for line in _said(lines))))
    first = re.split(r"(?<=[^\W\d_A-Z][a-z)])[.:;](?:\s|$)", text)[0]
    sentence = first.replace("()", "").replace("`", "").strip()
    begins, _, rest = sentence.partition(" ")
    if begins == re.split(r"[.:#]", name)[-1]:
        sentence = re.sub(r"^(?:(?:function|method|type)\s+)?(?:is|are)\s+", "", rest)
    plain = re.fullmatch(r"[^\W\d_][\w ,'-]+\w", sentence)
    if not plain or POINTING.match(sentence) or LEGAL.search(sentence):
        return ""
    if len(sentence.split()) not in WORDS:
        return ""
    return _as_typed(sentence)


def _said(lines: list[str]) -> Iterator[str]:
    """What a comment says, line by line, until it ends or a paragraph of it does."""
    closing, has_said = "", False
    for line in lines:
        opened = None if closing else OPENED.match(line)
        if opened:
            closing = CLOSED[opened[1][0]]
            said = opened[2]
        elif closing:
            inner = INNER.match(line) if closing == "*/" else None
            said = inner[1] if inner else line.strip()
        else:
            found = MARKED.match(line)
            if not found:
                return
            said = found[1]
        said, closed, _ = said.partition(closing) if closing else (said, "", "")
        if has_said and not said.strip():
            return
        has_said = has_said or bool(said.strip())
        yield said.strip()
        if closed:
            return


def _as_typed(text: str) -> str:
    """In small letters, but for names and abbreviations."""
    return re.sub(r"\b[A-Z][a-z\W]*(?!\w)", lambda word: word[0].lower(), text)


def _of_headings(folder: Folder) -> Iterator[Candidate]:
    """What sections of documents are about."""
    sections = list(folder.sample("doc", ["section"]))
    places = {(path, (heading or "").lower()) for path, _, heading, _ in sections}
    times = Counter(heading for _, heading in places)
    seen: set[str] = set()
    for path, first, heading, _ in sections:
        plain = re.fullmatch(r"[^\W\d_][\w ,'-]+", heading or "")
        if not heading or not plain or PAPERS.search(path) or not _is_own(path):
            continue
        # What each document has says nothing of one; a long section is in several parts.
        if times[heading.lower()] > 1 or heading in seen:
            continue
        seen.add(heading)
        words = heading.lower().replace(Path(folder.root).name.lower(), "").split()
        telling = [word for word in words if len(word) >= SAYING and not COMMON.fullmatch(word)]
        if len(heading.split()) in HEADING_WORDS and telling:
            yield Candidate(_as_typed(heading), path, first)


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
        changed = frozenset(each.path for each in commit.files if _is_own_code(each.path))
        if plain and changed and len(subject.split()) in WORDS and not CHORES.search(subject):
            yield Candidate(_as_typed(subject), changed=changed)


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
    named = (each for each in definitions if re.fullmatch(r"[^\W_][\w.:]*", each.name))
    names = list(dict.fromkeys(each.name for each in named))[:TRIED]
    if used := _most_telling(folder, names):
        yield f"refs {used}"
        return
    for name in names:
        with contextlib.suppress(SurveyorError):
            defined = DefinitionRequest(cwd=folder.root, name=name, limit=1)
            if folder.client.call(defined).results:
                yield f"def {name}"
                return


def _most_telling(folder: Folder, names: Iterable[str]) -> str:
    """The first name of one definition that several files use; else the one that is used most."""
    most, found = 0.0, ""
    for name in names:
        if time.monotonic() > folder.until + LIMIT_S:
            break
        with contextlib.suppress(SurveyorError):
            request = ReferencesRequest(cwd=folder.root, name=name, limit=USES)
            answer = folder.client.call(request)
            files = {each.path for each in answer.results}
            if len(files) > 1 and len(answer.results) > FEW_USES and not answer.candidates:
                return name
            told = len(answer.results) / (1 + len(answer.candidates))
            if told > most:
                most, found = told, name
    return found


if __name__ == "__main__":
    raise SystemExit(main())
