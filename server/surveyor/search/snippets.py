"""What of a chunk is shown: the lines that matter for the query, within a budget of tokens."""

from __future__ import annotations

from dataclasses import dataclass

from surveyor.search.query import Query
from surveyor.search.said_words import most_telling, said_by_lines

__all__ = ["CHARS_PER_TOKEN", "Snippet", "allot", "estimate_tokens", "snippet", "telling_line"]

CHARS_PER_TOKEN = 3.5
"""Characters of code per token of a large model's tokeniser, rounded down so as not to overrun."""

GAP = "…"
"""Stands for lines left out."""

_NO_DEFINITION = ("@", "#", "//", "/*", "*", "--", '"', "'")
"""How decorators, comments and texts begin."""
LINE_LIMIT = 400
"""Characters of one line that are shown."""


@dataclass(frozen=True, slots=True)
class Snippet:
    """Lines of a chunk. `start_line` and `end_line` are those of the whole chunk."""

    text: str
    truncated: bool


def estimate_tokens(text: str) -> int:
    """About how many tokens a text costs a model; never less than 1."""
    return max(1, int(len(text) / CHARS_PER_TOKEN + 0.5))


def allot(texts: list[str], budget: int | None) -> list[int | None]:
    """Divide a budget of tokens over results: better ones first get what they need of a fair share.

    None means unbounded. What one does not need goes to those after it; a result whose share would
    be less than a line (12 tokens) gets 0: its place alone is shown.
    """
    if budget is None:
        return [None] * len(texts)
    shares: list[int | None] = []
    left = budget
    for i, text in enumerate(texts):
        # The first results get more: weights fall as 1 / (1 + position / 3).
        weights = [1.0 / (1.0 + j / 3.0) for j in range(i, len(texts))]
        share = min(estimate_tokens(text), int(left * weights[0] / sum(weights)))
        share = share if share >= 12 or share == estimate_tokens(text) else 0
        shares.append(share)
        left -= share
    return shares


def snippet(text: str, query: Query, budget: int | None = None, telling: int = 0) -> Snippet:
    """The lines of a chunk that matter within `budget` tokens; all of them where they fit.

    The line `telling` (the signature, as `telling_line` finds it) is always kept; then the lines
    that say words of the query, with one line around them, in order of how much they say.
    """
    stripped = text.lstrip("\n")
    telling -= len(text) - len(stripped)
    lines = [line.rstrip() for line in stripped.rstrip("\n").splitlines()]
    if max(map(len, lines), default=0) > LINE_LIMIT:
        lines = [_clip(line) for line in lines]
    whole = "\n".join(lines)
    if budget is None or estimate_tokens(whole) <= budget:
        return Snippet(whole, truncated=False)
    if budget <= 0 or not lines:
        return Snippet("", truncated=bool(lines))
    room = int(budget * CHARS_PER_TOKEN)
    said = said_by_lines(query.words, lines)
    order = sorted(range(len(lines)), key=lambda i: (-said[i], i < telling, i))
    kept = {max(0, min(telling, len(lines) - 1))}
    used = sum(len(lines[i]) + 1 for i in kept)
    for centre in order:
        for i in (centre, centre + 1, centre - 1):
            if 0 <= i < len(lines) and i not in kept:
                cost = len(lines[i]) + 1 + 2
                if used + cost <= room:
                    kept.add(i)
                    used += cost
    shown = [i for i in sorted(kept) if lines[i].strip() or {i - 1, i + 1} <= kept]
    return Snippet(_join(lines, shown)[: max(room, 1)], truncated=True)


def telling_line(text: str, symbol: str, query: Query) -> int:
    """Which line of a chunk to jump to, from 0: the one that names what the chunk defines.

    Where none does (the middle of a long function), the first that says most of the query.
    """
    lines = text.splitlines()
    name = symbol.rpartition(".")[2]
    for at, line in enumerate(lines if name and name in text else ()):
        if name in line and _names(line, name) and not line.lstrip().startswith(_NO_DEFINITION):
            return at
    return most_telling(query.words, lines)


def _names(line: str, name: str) -> bool:
    """Whether a name stands in a line as a whole word: each result has its own, and a pattern made
    of it costs more than all that it is looked for in."""
    at = line.find(name)
    while at >= 0:
        around = line[max(0, at - 1) : at] + line[at + len(name) : at + len(name) + 1]
        if not any(letter.isalnum() or letter == "_" for letter in around):
            return True
        at = line.find(name, at + 1)
    return False


def _clip(line: str) -> str:
    return line if len(line) <= LINE_LIMIT else line[: LINE_LIMIT - 1] + GAP


def _join(lines: list[str], kept: list[int]) -> str:
    shown: list[str] = []
    previous = -1
    for i in kept:
        if i != previous + 1:
            shown.append(GAP)
        shown.append(lines[i])
        previous = i
    if kept and kept[-1] != len(lines) - 1:
        shown.append(GAP)
    return "\n".join(shown)
