"""Questions in other natural languages: the words that programmers use, in English.

The shipped model and most code know English alone. A question in German, French, Spanish,
Portuguese, Italian, Russian, Chinese or Japanese is recognised by its function words or its script,
and its technical words are put into English; what is not in the glossary stays as it was written.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from surveyor.embedding.tokens import STOP_WORDS

__all__ = ["english"]

FILE = Path(__file__).with_name("glossary.txt")

_WORD = re.compile(r"[^\W_]+")
_OTHER_SCRIPT = re.compile("[\u0400-\u04ff\u3040-\u30ff\u3400-\u9fff]")
_UNSPACED = re.compile("[\u3040-\u30ff\u3400-\u9fff]")

LONGEST_ENDING = 6
"""Letters by which a written form may be longer than its entry: plural, case, conjugation."""

LEAST_PIECE = 4
"""Letters that a part of a compound has at least."""


@dataclass(frozen=True, slots=True)
class Glossary:
    """The parsed glossary: English words for those of other languages."""

    begins: dict[str, tuple[str, ...]]
    """Beginnings of words -> English words."""
    pieces: dict[str, tuple[str, ...]]
    """The same of scripts without spaces, found anywhere."""
    function: frozenset[str]
    """Words that only other languages have."""
    question: frozenset[str]
    """Those that alone show a question at its beginning."""
    small: frozenset[str]
    """Left out of a question that is known to be in another language; English has them, too."""


@lru_cache(maxsize=1)
def _glossary() -> Glossary:
    begins: dict[str, tuple[str, ...]] = {}
    pieces: dict[str, tuple[str, ...]] = {}
    lists: dict[str, frozenset[str]] = {}
    for line in FILE.read_text(encoding="utf-8").splitlines():
        if line.startswith("@"):
            name, *words = line[1:].split()
            lists[name] = frozenset(words)
        elif ":" in line and not line.startswith("#"):
            meant, _, forms = line.partition(":")
            for form in forms.split():
                into = pieces if _UNSPACED.search(form) else begins
                into.setdefault(form, tuple(meant.split()))
    return Glossary(begins, pieces, lists["function"], lists["question"], lists["small"])


def english(text: str) -> str:
    """The text with its technical words in English; empty where it is English, or not known."""
    if not (_OTHER_SCRIPT.search(text) or _is_foreign(text)):
        return ""
    glossary = _glossary()
    said: dict[str, None] = {}
    translated = False
    for word in _WORD.findall(text):
        plain = _plain(word)
        if plain in glossary.function or plain in glossary.small:
            continue
        if _UNSPACED.search(word):
            found = _in_unspaced(word, glossary.pieces)
        else:
            found = (
                _of_word(plain, glossary.begins)
                or _of_compound(plain, glossary.begins)
                or _of_participle(plain, glossary.begins)
            )
        translated = translated or bool(found)
        said.update(dict.fromkeys(found or (word,)))
    return " ".join(said) if translated else ""


def _is_foreign(text: str) -> bool:
    """Whether another language's function words outnumber English ones."""
    glossary = _glossary()
    words = [_plain(word) for word in _WORD.findall(text)]
    own = sum(word in STOP_WORDS for word in words)
    strange = sum(word in glossary.function and word not in STOP_WORDS for word in words)
    asks = bool(words) and words[0] in glossary.question
    if strange > own and (strange >= 2 or asks or not text.isascii()):
        return True
    hints = strange > own or not (own or text.isascii())
    return hints and any(_is_strange(word, glossary.begins) for word in words)


def _is_strange(word: str, begins: dict[str, tuple[str, ...]]) -> bool:
    """Whether a long word is in the glossary and looks unlike what it means in English."""
    if len(word) <= LONGEST_ENDING:
        return False
    meant = _of_word(word, begins)
    return bool(meant) and not any(each[:LEAST_PIECE] == word[:LEAST_PIECE] for each in meant)


def _plain(word: str) -> str:
    """Lower case, German umlauts written out, other accents dropped."""
    word = word.lower().translate(_UMLAUTS)
    return "".join(c for c in unicodedata.normalize("NFD", word) if not "\u0300" <= c <= "\u036f")


_UMLAUTS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss"})


def _of_word(word: str, begins: dict[str, tuple[str, ...]]) -> tuple[str, ...]:
    """The longest entry that the word begins with, if not much follows."""
    for length in range(len(word), 2, -1):
        if len(word) - length > LONGEST_ENDING:
            break
        found = begins.get(word[:length])
        if found and (length > 3 or length == len(word)):
            return found
    return ()


def _of_compound(word: str, begins: dict[str, tuple[str, ...]]) -> tuple[str, ...]:
    """A German word made of two or more: `konfigurationsdatei` is configuration and file."""
    for length in range(len(word) - LEAST_PIECE, LEAST_PIECE - 1, -1):
        first = _of_word(word[:length], begins)
        if first:
            rest = _of_word(word[length:], begins) or _of_compound(word[length:], begins)
            if rest:
                return first + rest
    return ()


def _of_participle(word: str, begins: dict[str, tuple[str, ...]]) -> tuple[str, ...]:
    """A German participle: `geprueft` is a form of what begins with `pruef`."""
    return _of_word(word[2:], begins) if word.startswith("ge") else ()


def _in_unspaced(word: str, pieces: dict[str, tuple[str, ...]]) -> tuple[str, ...]:
    """English words of all entries in a run of characters, longer entries first."""
    found: dict[str, None] = {}
    at = 0
    while at < len(word):
        for length in range(min(8, len(word) - at), 0, -1):
            meant = pieces.get(word[at : at + length])
            if meant:
                found.update(dict.fromkeys(meant))
                at += length
                break
        else:
            at += 1
    return tuple(found)
