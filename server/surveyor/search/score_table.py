"""Candidates by columns while their scores are made.

A step of the ranking is one pass over a list of numbers; what only the file of a chunk decides is
computed once a file. Each step is kept, so that the parts of a score can be told for the few
candidates that are listed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from operator import attrgetter
from typing import Literal, overload

from surveyor.files.file_class import read_labels
from surveyor.protocol.enumerations import FileLabel
from surveyor.search.path_facts import PathFacts, path_facts
from surveyor.search.rank_types import Candidate, ScoreStep

__all__ = ["ScoreTable"]

_WITHIN_FILE = attrgetter("start_line", "id")


class ScoreTable:
    """Scores of candidates by their number, which follows root, path and line: among equal scores
    the smaller number comes first."""

    def __init__(self, candidates: Sequence[Candidate]) -> None:
        self.candidates: list[Candidate] = []
        self.file: list[int] = []
        """The number of each candidate's file."""
        self.chunks: list[range] = []
        """Candidates of each file."""
        self.paths: list[str] = []
        """By file."""
        self.facts: list[PathFacts] = []
        """By file."""
        self.labels: list[frozenset[FileLabel]] = []
        """By file."""
        self._steps: list[tuple[str, Literal["add", "multiply"], Mapping[int, float]]] = []
        by_file: dict[tuple[str, str], list[Candidate]] = {}
        for candidate in candidates:
            place = candidate.root, candidate.path
            if place in by_file:
                by_file[place].append(candidate)
            else:
                by_file[place] = [candidate]
        for number, place in enumerate(sorted(by_file)):
            held, first = by_file[place], len(self.candidates)
            if len(held) > 1:
                held.sort(key=_WITHIN_FILE)
            self.candidates += held
            self.file += [number] * len(held)
            self.chunks.append(range(first, first + len(held)))
            self.paths.append(place[1])
            self.facts.append(path_facts(place[1]))
            self.labels.append(read_labels(held[0].labels))
        self.scores = [0.0] * len(self.candidates)
        self.defines = [0.0] * len(self.candidates)
        """How well each defines a name of the query."""

    def add(self, name: str, values: Mapping[int, float]) -> None:
        """Add to the scores of some, by number."""
        if values:
            scores = self.scores
            for number, value in values.items():
                scores[number] += value
            self._steps.append((name, "add", values))

    def multiply(self, name: str, values: Mapping[int, float]) -> None:
        """Multiply the scores of some, by number."""
        if values:
            scores = self.scores
            for number, value in values.items():
                scores[number] *= value
            self._steps.append((name, "multiply", values))

    def multiply_files(self, name: str, values: Mapping[int, float]) -> None:
        """Multiply the scores of all candidates of some files."""
        chunks = self.chunks
        self.multiply(
            name, {number: value for file, value in values.items() for number in chunks[file]}
        )

    def best(self, file: int) -> int:
        """The candidate of a file with the highest score."""
        numbers = self.chunks[file]
        if len(numbers) == 1:
            return numbers[0]
        return max(numbers, key=self.scores.__getitem__)

    def order(self) -> list[int]:
        """Numbers by score, best first."""
        return sorted(range(len(self.scores)), key=self.scores.__getitem__, reverse=True)

    def parts(self, number: int) -> Sequence[ScoreStep]:
        """The steps that made a score, without those that changed nothing."""
        return _Steps(self, number)

    def steps_of(self, number: int) -> tuple[ScoreStep, ...]:
        """The same, made now."""
        made: list[ScoreStep] = []
        score = 0.0
        for name, operation, values in self._steps:
            if operation == "multiply":
                factor = values.get(number, 1.0)
                if factor != 1.0 and score:
                    score *= factor
                    made.append(ScoreStep(name, operation, factor, score))
            elif value := values.get(number, 0.0):
                score += value
                made.append(ScoreStep(name, operation, value, score))
        return tuple(made)


class _Steps(Sequence[ScoreStep]):
    """The steps of a score, made once somebody looks at them: of few results anybody does."""

    __slots__ = ("_made", "_number", "_table")

    def __init__(self, table: ScoreTable, number: int) -> None:
        self._table = table
        self._number = number
        self._made: tuple[ScoreStep, ...] | None = None

    def _steps(self) -> tuple[ScoreStep, ...]:
        if self._made is None:
            self._made = self._table.steps_of(self._number)
        return self._made

    def __len__(self) -> int:
        return len(self._steps())

    @overload
    def __getitem__(self, index: int) -> ScoreStep: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[ScoreStep]: ...
    def __getitem__(self, index: int | slice) -> ScoreStep | Sequence[ScoreStep]:
        return self._steps()[index]
