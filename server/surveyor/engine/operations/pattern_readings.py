"""In which languages a file is read for a pattern: its own, or those of the scripts inside it."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from surveyor.search.text_search import TextSource
from surveyor.structural.grammars import (
    MARKUPS,
    PARTS,
    PROGRAMMING,
    Grammar,
    grammar_of,
    grammar_of_file,
)

__all__ = ["Reading", "Readings", "searched_languages"]


@dataclass(frozen=True, slots=True)
class Reading:
    """How a file is matched."""

    grammar: Grammar | None = None
    """Of all of it; None where only its scripts and styles are."""
    markup: str = ""
    parts: tuple[Grammar, ...] = ()


class Readings:
    """How files are matched, by the languages that were asked for; without any, every program."""

    def __init__(self, asked: Collection[str]) -> None:
        self._asked = asked

    def of(self, source: TextSource, fitting: Collection[Grammar] | None = None) -> Reading | None:
        """How a file is; None where no language is left of those that can read the pattern."""
        language = source.language or ""
        grammar = grammar_of_file(source.path, language)
        if language not in MARKUPS:
            is_read = grammar is not None and (fitting is None or grammar in fitting)
            return Reading(grammar) if is_read else None
        parts = tuple(
            each
            for each in PARTS
            if self._takes(each, language) and (fitting is None or each in fitting)
        )
        if language not in self._asked or (fitting is not None and grammar not in fitting):
            grammar = None
        return Reading(grammar, language, parts) if parts or grammar else None

    def grammars(self, sources: Iterable[TextSource]) -> set[Grammar]:
        """Those that some files are read in."""
        found: set[Grammar] = set()
        for reading in {self.of(each) for each in sources}:
            if reading is not None:
                found |= {*reading.parts, *((reading.grammar,) if reading.grammar else ())}
        return found

    def whole(self, sources: Iterable[TextSource]) -> set[Grammar]:
        """Those that some files are read in from their beginning to their end."""
        found = {self.of(each) for each in sources}
        return {each.grammar for each in found if each is not None and each.grammar}

    def named(self) -> set[Grammar]:
        """Those that were asked for."""
        own = {grammar for each in self._asked if (grammar := grammar_of(each))}
        scripts = set(PARTS) - {"css"} if MARKUPS & set(self._asked) else set()
        return own | scripts

    def _takes(self, part: Grammar, markup: str) -> bool:
        if not self._asked:
            return part in PROGRAMMING
        family = "typescript" if part == "tsx" else part
        return family in self._asked or (markup in self._asked and part != "css")


def searched_languages(asked: Collection[str]) -> tuple[str, ...]:
    """Languages of the index whose files may hold code of those that were asked for."""
    wanted = tuple(asked) or PROGRAMMING
    return (*wanted, *sorted(MARKUPS - set(wanted))) if set(PARTS) & set(wanted) else wanted
