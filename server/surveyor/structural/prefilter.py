"""What the text of a match must look like, so that most files are passed over without a parse.

ast-grep compares trees: every token of a pattern stands in the match as it stands in the pattern
and in the same order; between two of them the text may have spaces, comments and tokens that the
grammar gives no name, and where a node of the pattern ends, anything
(https://ast-grep.github.io/advanced/match-algorithm.html, `smart`). A regular expression finds such
runs of tokens many times as fast as a parser. It errs only to the side of parsing.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache

from surveyor.parsing.languages.grammar import GrammarError, grammar
from surveyor.structural.errors import BadPatternError
from surveyor.structural.grammars import Grammar
from surveyor.structural.holes import required_patterns
from surveyor.structural.jobs import PatternSource
from surveyor.structural.patterns import READ_PATTERNS, Token, tokens_of

__all__ = ["Prefilter", "prefilter"]

_SIGNS: frozenset[str] = frozenset(
    ("=", "==", "===", "!=", "!==", "<=", ">=", "&&", "||", "=>", "->", ":=", "+=", "-=", "::")
) | set(".:()[]{}")
"""Tokens beside words that tell texts apart; not those that may be left out, as quotes and `;`."""
_WORD = re.compile(r"\w(?:\S*\w)?", re.ASCII)
_C_COMMENTS = ("//", "/*")
_COMMENTS: Mapping[Grammar, tuple[str, ...]] = {
    "bash": ("#",),
    "elixir": ("#",),
    "haskell": ("--", "{-"),
    "html": ("<!--",),
    "lua": ("--",),
    "nix": ("#", "/*"),
    "php": ("#", *_C_COMMENTS),
    "python": ("#",),
    "ruby": ("#", "=begin"),
}
"""How a comment begins where it is not as in C."""
_CASELESS: frozenset[Grammar] = frozenset({"php"})
"""Languages whose keywords are the same in capitals."""
_UNFILTERED: frozenset[Grammar] = frozenset({"json", "markdown", "yaml"})
"""Prose and data, of which a whole line may be one token."""

_Runs = Sequence[re.Pattern[bytes]]


class Prefilter:
    """The runs of tokens, in their order, of each pattern that a match has."""

    def __init__(self, patterns: Sequence[_Runs]) -> None:
        self._patterns = patterns

    def may_match(self, text: bytes) -> bool:
        """Whether a match can be in a text; False is certain."""
        return all(_stand_in(text, runs) for runs in self._patterns)


def prefilter(source: PatternSource, language: Grammar) -> Prefilter:
    """What a text must have to match; nothing where that is not known."""
    if language in _UNFILTERED:
        return Prefilter(())
    runs = (_runs(pattern, language) for pattern in required_patterns(source))
    return Prefilter([each for each in runs if each])


def _stand_in(text: bytes, runs: _Runs) -> bool:
    start = 0
    for run in runs:
        found = run.search(text, start)
        if found is None:
            return False
        start = found.start() + 1
    return True


@lru_cache(maxsize=READ_PATTERNS)
def _runs(pattern: str, language: Grammar) -> _Runs:
    """The expressions of a pattern's runs; none where its tokens are not sure."""
    try:
        runs, gap = _runs_of(tokens_of(pattern, language)), _gap(language)
    except (BadPatternError, GrammarError):
        return ()
    comment = "|".join(map(re.escape, _COMMENTS.get(language, _C_COMMENTS)))
    flags = re.IGNORECASE if language in _CASELESS else 0
    return tuple(re.compile(_run(run, gap, comment).encode(), flags) for run in runs)


def _runs_of(tokens: Sequence[Token]) -> list[list[str]]:
    """Tokens between which a match has nothing else.

    A run ends before a hole and where a node ends: in a match more may follow there. Behind `$$$`
    signs may be left out with what it stands for.
    """
    runs: list[list[str]] = [[]]
    is_loose = False
    for token in tokens:
        if token.hole:
            runs.append([])
            is_loose = token.hole.startswith("$$$")
        elif _WORD.fullmatch(token.text) or (token.text in _SIGNS and not is_loose):
            runs[-1].append(token.text)
            is_loose = False
        elif any(map(str.isalnum, token.text)):
            runs.append([])
        if token.ends_node:
            runs.append([])
    return [run for run in runs if run]


@lru_cache
def _gap(language: Grammar) -> str:
    """An expression for what may stand between two tokens, comments apart."""
    found = grammar(language)
    kinds = (
        found.node_kind_for_id(number)
        for number in range(found.node_kind_count)
        if not found.node_kind_is_named(number)
    )
    keywords = sorted({each for each in kinds if each and _WORD.fullmatch(each)})
    return rf"(?:\W|\b(?:{'|'.join(keywords)})\b)*?" if keywords else r"\W*?"


def _run(tokens: Sequence[str], gap: str, comment: str) -> str:
    """One expression for tokens behind each other; a comment between two stands for the rest."""
    last, *before = [_exactly(each) for each in reversed(tokens)]
    for each in before:
        last = f"{each}{gap}(?:{last}|{comment})"
    return last


def _exactly(token: str) -> str:
    found = re.escape(token)
    return rf"(?<!\w){found}(?!\w)" if _WORD.match(token) else found
