"""A pasted issue taken apart: what it asks, what it names, where it points; the rest is chatter.

Pure functions over text. An issue is a title, prose, code, traces and versions. What is looked for
by meaning and by words is the title, the sentences that ask and the names; code and output are read
for names, places and messages alone.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from surveyor.search.stack_trace import Frame

__all__ = ["OUTER_SHARE", "IssuePlace", "IssueText", "is_issue", "read_issue"]

LEAST_CHARS = 200
"""Characters from which a text of several lines may be an issue."""
LEAST_TITLE, LEAST_PROSE = 3, 12
"""Words of a title above fenced code, and of prose below any, that make an issue."""
MOST_PROSE = 1_200
"""Characters of prose that are looked for beside the title."""
MOST_NAMES = 16
LEAST_NAME, MOST_NAME = 3, 160
"""Characters of what may be a name."""
MOST_PATHS, MOST_FRAMES = 8, 16
MOST_MESSAGES = 3
TITLE_COUNT = 3
"""How often the words of the title count."""

IN_TITLE, IN_TICKS, IN_PROSE, IN_CODE, IN_FRAME, LAST_FRAMES = 0.5, 0.4, 0.3, 0.15, 0.2, 0.35
"""What a name counts by where it stands; 1 is a query that is nothing else."""
PLAIN = 0.5
"""Factor on a name in back ticks that is a word like others."""
INNER_FRAMES = 3
"""The last frames of a trace, in which the fault mostly lies."""
PATH_SAID, INNERMOST, OUTER_SHARE = 0.25, 0.25, 0.6
"""What a place counts, as a share of one that is the whole query: one told in prose, and the
innermost of a trace's frames in the project; each further out counts that share of the next."""

_FENCE = re.compile(r"^[ \t]*(?:```|~~~)[^\n]*\n(.*?)(?:^[ \t]*(?:```|~~~)[ \t]*$|\Z)", re.M | re.S)
_PATH = re.compile(r"(?<![\w/.@-])(?:[\w.+-]+/)+[\w+-]+\.[a-z]{1,4}\b(?:(?:#L|:)(?P<line>\d+))?")
_MODULE = re.compile(r"\b[a-z_]\w*(?:\.[a-z_]\w*)+\b")
_TICKS = re.compile(r"`{1,2}([^`\n]{2,80})`{1,2}")
_NAME = re.compile(
    r"\b[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+\b"  # qualified
    r"|\b[A-Za-z_]\w*(?=\(\))"  # called
    r"|\b_*[A-Za-z][A-Za-z0-9]*_\w+\b|\b__\w+__\b"  # snake_case
    r"|\b(?:[a-z]+[A-Z]\w*|[A-Z][a-z0-9]+[A-Z]\w*|[A-Z]{2,}[a-z]\w*)\b"  # camelCase
)
_MESSAGE = re.compile(
    r"^\s*(?:E\s+)?(?:[\w.]*(?:Error|Exception|Warning)): (.{8,200})$", re.MULTILINE
)
_PLAIN_WORD = re.compile(r"[a-z]+$")
_PROMPT = re.compile(r"^\s*(?:>>>|\.\.\.|\$|In \[|Out\[|#!|>\s|\|)|^(?: {4}|\t)")
_ASKS = re.compile(
    r"\b(?:should|expect\w*|instead|want|would|must|need\w*|cannot|can't|doesn't|does not|fail\w*"
    r"|incorrect\w*|wrong\w*|raise[sd]?|crash\w*|error|bug|support|allow|missing|because|caused?|fix)\b",
    re.IGNORECASE,
)
_CHATTER = re.compile(
    r"^\s*(?:#+\s|[-*]\s*\[[ x]\]|(?:python|os|platform|version|environment|installed)\b.{0,60}$"
    r"|[\w.\-]+\s*[:=]?\s*v?\d+(?:\.\d+)+\S*\s*$|<!--|_no response_"
    r"|(?:thanks?|hi|hello)\b.{0,40}$)",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n{2,}")
_WORDS = re.compile(r"[A-Za-z]{2,}")
_OPENS = (
    r"^\s*(?:def|class|import|from|func|function|fn|public|private|const|let|var|return|if|for|while"
    r"|#include|@)\b.*[({:=<;]"
)
_TRACED = r"^Traceback \(most|^\s*at .+:\d+\)?$|^\s*File \".*\", line \d"
_CODE_TITLE = re.compile(rf"[{{}};]\s*$|{_OPENS}|{_TRACED}")
_CODE_LINE = re.compile(rf"{_CODE_TITLE.pattern}|^\s*[\w.]+\s*=\s*\S|^\s*[\w.]+\(.*\)\s*$")


@dataclass(frozen=True, slots=True)
class IssuePlace:
    """A file that an issue names; of frames in one file the innermost."""

    path: str
    line: int
    """1-based; 0 where none was given."""
    weight: float
    depth: int = 0
    """Of a trace's frame: its number from 1, the innermost first."""


@dataclass(frozen=True, slots=True)
class IssueText:
    """What of an issue is looked for."""

    meaning: str
    """The title and the sentences that ask."""
    keywords: str
    """These, the title more often, and the names."""
    names: tuple[tuple[str, float], ...]
    """As written, with what each counts, the weightiest first."""
    places: tuple[IssuePlace, ...]
    messages: tuple[str, ...]
    """Error messages, word for word."""


def is_issue(text: str) -> bool:
    """Whether a text is told by a person over several lines, not code or a trace alone."""
    if len(text) < LEAST_CHARS or "\n" not in text:
        return False
    first, _, rest = text.partition("\n")
    if len(_WORDS.findall(first)) < 2 or _CODE_TITLE.search(first):
        return False
    if _FENCE.search(rest) and len(_WORDS.findall(first)) >= LEAST_TITLE:
        return True
    prose = [line for line in _outside(rest).split("\n") if not _is_output(line)]
    return sum(len(_WORDS.findall(line)) for line in prose) >= LEAST_PROSE


def read_issue(
    text: str, frames: Sequence[Frame], is_file_name: Callable[[str], bool]
) -> IssueText:
    """Take an issue apart, of which the traces' frames are known. Never raises."""
    title, _, rest = text.partition("\n")
    blocks = _FENCE.findall(rest)
    lines = _outside(rest).split("\n")
    told = [line for line in lines if not _is_output(line)]
    code = "\n".join([*blocks, *(line for line in lines if _is_output(line))])
    prose = "\n".join(line for line in told if not _CHATTER.match(line))
    asking = _asking(prose)
    names = _names(title, prose, code, frames, is_file_name)
    said = " ".join([*[title] * TITLE_COUNT, asking, " ".join(name for name, _ in names)])
    return IssueText(
        meaning=f"{title}\n{asking}",
        keywords=said,
        names=names,
        places=_places(f"{title}\n{prose}", frames, is_file_name),
        messages=tuple(dict.fromkeys(_MESSAGE.findall(text)))[-MOST_MESSAGES:],
    )


def _outside(text: str) -> str:
    """A text without its fenced blocks."""
    return _FENCE.sub("\n", text)


def _is_output(line: str) -> bool:
    return bool(_PROMPT.match(line) or _CODE_LINE.search(line))


def _asking(prose: str) -> str:
    """The sentences of prose, those that ask or blame first, as many as count."""
    sentences = [each.strip() for each in _SENTENCE.split(prose) if _WORDS.search(each)]
    order = sorted(range(len(sentences)), key=lambda i: (not _ASKS.search(sentences[i]), i))
    kept: list[int] = []
    room = MOST_PROSE
    for i in order:
        room -= len(sentences[i])
        if room < 0 and kept:
            break
        kept.append(i)
    return " ".join(sentences[i] for i in sorted(kept))[:MOST_PROSE]


def _names(
    title: str,
    prose: str,
    code: str,
    frames: Sequence[Frame],
    is_file_name: Callable[[str], bool],
) -> tuple[tuple[str, float], ...]:
    weights: dict[str, float] = {}
    others: set[str] = set()

    def add(name: str, weight: float) -> None:
        name = name.strip("().,:;@ ")
        if name in weights:
            # Told again it counts a little more, wherever it was told first.
            weights[name] = max(weights[name], weight) + 0.02
        elif name not in others:
            if LEAST_NAME <= len(name) <= MOST_NAME and " " not in name and not is_file(name):
                weights[name] = weight
            else:
                others.add(name)

    def is_file(name: str) -> bool:
        return is_file_name(name.rpartition("/")[2])

    for part, weight in ((title, IN_TITLE), (prose, IN_TICKS)):
        for quoted in _TICKS.findall(part):
            add(quoted.split("(")[0], weight * (PLAIN if _PLAIN_WORD.match(quoted) else 1.0))
    for part, weight in ((title, IN_TITLE), (prose, IN_PROSE), (code, IN_CODE)):
        for match in _NAME.finditer(part):
            add(match.group(), weight)
    for position, frame in enumerate(frames):
        if frame.name and not frame.name.startswith("<"):
            add(frame.name, LAST_FRAMES if position < INNER_FRAMES else IN_FRAME)
    ranked = sorted(weights.items(), key=lambda each: -each[1])
    return tuple(ranked[:MOST_NAMES])


def _places(
    prose: str, frames: Sequence[Frame], is_file_name: Callable[[str], bool]
) -> tuple[IssuePlace, ...]:
    """Files that prose names, then the frames of a trace from the innermost, each file once."""
    said: dict[str, IssuePlace] = {}
    for match in _PATH.finditer(prose):
        path = match.group().split(":")[0].split("#")[0]
        if is_file_name(path.rpartition("/")[2]):
            said.setdefault(path, IssuePlace(path, int((match["line"] or "0")[:9]), PATH_SAID))
    inner: dict[str, IssuePlace] = {}
    for depth, frame in enumerate(frames, 1):
        if is_file_name(frame.path.rpartition("/")[2]):
            inner.setdefault(frame.path, IssuePlace(frame.path, frame.line, INNERMOST, depth))
    return (*list(said.values())[:MOST_PATHS], *list(inner.values())[:MOST_FRAMES])
