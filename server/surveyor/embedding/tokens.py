"""Words of code: how identifiers and prose become the terms that keyword search compares.

Owns tokenising for the sparse side (`tokenize`, `terms`) and the splitting of identifiers that the
dense side and the query parser share (`split_words`). Runs over every chunk while indexing, so
everything that depends on one word alone is computed once per distinct word and remembered.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

__all__ = [
    "STOP_WORDS",
    "ascii_parts",
    "join_words",
    "raw_words",
    "split_words",
    "stem",
    "terms",
    "tokenize",
    "words_of",
]

MAX_WORD = 64
"""Characters of a word that count; what is longer is data (base64, hashes), not a name."""

CACHED_WORDS = 200_000
"""Distinct words remembered (about 40 MB when full; a project of 10,000 files has fewer)."""

_WORD = re.compile(r"\w+")
_ASCII_WORD = re.compile(r"[A-Za-z0-9_]+")
"""The same on ASCII text, a third faster."""

_PART = re.compile(
    r"[A-Z]+(?=[A-Z][a-z])"  # HTTP of HTTPServer
    r"|[A-Z]?[a-z]+"  # Server, get
    r"|[A-Z]+"  # ID
    r"|[0-9]+"
    r"|[^\W\d_A-Za-z]+"  # letters of other scripts stay together
)
_CJK = re.compile(
    "["
    "\u3040-\u30ff"  # kana
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"  # Chinese characters
    "\u0e00-\u0e7f"  # Thai, written without spaces as well
    "]+"
)
_VOWEL = re.compile("[aeiouy]")

_FUNCTION_WORDS = """
a about above after again all also am an and any are as at be because been before being
between both but by can could did do does doing done each every few for from further get gets
given had has have having he her here hers him his how i if in into is it its itself just like
made make makes me more most my no nor not of off on once only or other our out over own s same
she should so some such t than that the their them then there these they this those through to
too under until up us use used uses using very via was we were what when where whether which
while who whom whose why will with within without would you your
"""
"""English function words and the words that questions are made of."""

STOP_WORDS = frozenset(_FUNCTION_WORDS.split())
"""Left out of queries unless nothing else is left; documents keep them (IDF makes them cheap)."""


@lru_cache(maxsize=CACHED_WORDS)
def stem(word: str) -> str:
    """Fold plural, -ing and -ed forms of a lower-case English word; other words come back as are.

    Light on purpose (Harman's S stemmer, then -ing, -ed and a final -e): over-stemming merges
    identifiers that code keeps distinct.
    """
    n = len(word)
    if n < 4 or not word.isascii() or not word.isalpha():
        return word
    if word.endswith(("ies", "sses", "shes", "ches", "xes", "zzes")):
        word = word[:-2]
    elif word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word[:-1]
    for suffix in ("ing", "ed"):
        if word.endswith(suffix):
            root = word[: -len(suffix)]
            if len(root) >= 3 and _VOWEL.search(root) and not root.endswith("e"):
                if len(root) > 3 and root[-1] == root[-2] and root[-1] not in "lsz":
                    root = root[:-1]
                word = root
            break
    if len(word) > 4 and word.endswith("e"):
        word = word[:-1]
    if len(word) > 3 and word.endswith("y") and word[-2] not in "aeiou":
        word = word[:-1] + "i"  # query and queries, cookie and cookies meet here
    return word


@lru_cache(maxsize=CACHED_WORDS)
def split_words(identifier: str) -> tuple[str, ...]:
    """Split an identifier at humps, underscores and digits, in lower case.

    `getHTTPResponse` -> get, http, response; `utf8_decode` -> utf, 8, decode.
    """
    identifier = identifier[:MAX_WORD]
    if not identifier.isascii():
        identifier = _fold_accents(identifier)
    return tuple(part.lower() for part in _PART.findall(identifier))


def ascii_parts(word: str) -> list[str]:
    """The parts of an ASCII identifier as written, by the same rules."""
    parts: list[str] = _PART.findall(word[:MAX_WORD])
    return parts


def _fold_accents(word: str) -> str:
    """`naïve` as naive; scripts whose marks are vowels are left alone."""
    plain = "".join(c for c in unicodedata.normalize("NFKD", word) if not "\u0300" <= c <= "\u036f")
    return unicodedata.normalize("NFKC", plain)


def words_of(text: str) -> list[str]:
    """All words of a text, identifiers split, in order: what the dense model reads."""
    found: list[str] = []
    for word in raw_words(text):
        found.extend(split_words(word))
    return found


@lru_cache(maxsize=CACHED_WORDS)
def join_words(identifier: str) -> str:
    """An identifier without case and underscores, so that `user_id`, `userId`, `UserID` agree."""
    return identifier.replace("_", "").lower()[:MAX_WORD]


@lru_cache(maxsize=CACHED_WORDS)
def terms(word: str) -> tuple[str, ...]:
    """The terms that one word (a run of letters, digits and underscores) is found by.

    The whole identifier without case and underscores, then its parts, stemmed. Scripts written
    without spaces give overlapping pairs of characters.
    """
    if not word.isascii():
        word = unicodedata.normalize("NFKC", word)
        if _CJK.search(word):
            return _pairs(word)
    parts = split_words(word)
    if not parts:
        return ()
    if len(parts) == 1:
        return _keep(stem(parts[0]))
    found = [join_words(word)]
    for part in parts:
        if len(part) > 1:
            found.extend(_keep(stem(part)))
    return tuple(found)


def _keep(term: str) -> tuple[str, ...]:
    return (term,) if len(term) > 1 or not term.isascii() else ()


def _pairs(word: str) -> tuple[str, ...]:
    found: list[str] = []
    position = 0
    for run in _CJK.finditer(word):
        if run.start() > position:
            found.extend(terms(word[position : run.start()]))
        text = run.group()
        found.extend([text] if len(text) == 1 else [text[i : i + 2] for i in range(len(text) - 1)])
        position = run.end()
    if position < len(word):
        found.extend(terms(word[position:]))
    return tuple(found)


def raw_words(text: str) -> list[str]:
    """Runs of letters, digits and underscores, in order, as written."""
    return (_ASCII_WORD if text.isascii() else _WORD).findall(text)


def tokenize(text: str) -> list[str]:
    """All terms of a text in order, with repeats: identifiers whole and in parts, stemmed."""
    found: list[str] = []
    for word in raw_words(text):
        found.extend(terms(word))
    return found
