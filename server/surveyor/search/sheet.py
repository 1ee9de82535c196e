"""Candidates by columns while their scores are made.

A step of the ranking is one pass over a list of numbers; what only the file of a chunk decides is
computed once a file. Each step is kept, so that the parts of a score can be told for the few
candidates that are listed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from operator import attrgetter
from typing import Literal

from surveyor.search.pathfacts import PathFacts, path_facts
from surveyor.search.ranktypes import Candidate, Part

__all__ = ["Sheet"]

_BY_PLACE = attrgetter("root", "path", "start_line", "id")


class Sheet:
    """Scores of candidates by their number, which follows root, path and line: among equal scores
    the smaller number comes first."""

    def __init__(self, candidates: Sequence[Candidate]) -> None:
        self.candidates = sorted(candidates, key=_BY_PLACE)
        self.scores = [0.0] * len(self.candidates)
        self.defines = [0.0] * len(self.candidates)
        """How well each defines a name of the query."""
        self.file: list[int] = []
        """The number of each candidate's file."""
        self.chunks: list[list[int]] = []
        """Candidates of each file."""
        self.paths: list[str] = []
        """By file, as the following."""
        self.facts: list[PathFacts] = []
        self._steps: list[
            tuple[str, Literal["add", "multiply"], Sequence[float] | Mapping[int, float]]
        ] = []
        at = ("", "")
        for number, candidate in enumerate(self.candidates):
            path = candidate.path
            if not self.paths or at != (candidate.root, path):
                at = candidate.root, path
                self.paths.append(path)
                self.facts.append(path_facts(path))
                self.chunks.append([])
            self.file.append(len(self.paths) - 1)
            self.chunks[-1].append(number)

    def add(self, name: str, values: Sequence[float]) -> None:
        """Add a number to each score."""
        self.scores = [score + value for score, value in zip(self.scores, values, strict=True)]
        self._steps.append((name, "add", values))

    def add_some(self, name: str, values: Mapping[int, float]) -> None:
        """Add to the scores of some."""
        if values:
            scores = self.scores
            for number, value in values.items():
                scores[number] += value
            self._steps.append((name, "add", values))

    def multiply_some(self, name: str, values: Mapping[int, float]) -> None:
        """Multiply the scores of some."""
        if values:
            scores = self.scores
            for number, value in values.items():
                scores[number] *= value
            self._steps.append((name, "multiply", values))

    def multiply_files(self, name: str, values: Mapping[int, float]) -> None:
        """Multiply the scores of all candidates of some files."""
        chunks = self.chunks
        self.multiply_some(
            name, {number: value for file, value in values.items() for number in chunks[file]}
        )

    def best(self, file: int) -> int:
        """The candidate of a file with the highest score."""
        return max(self.chunks[file], key=self.scores.__getitem__)

    def order(self) -> list[int]:
        """Numbers by score, best first."""
        return sorted(range(len(self.scores)), key=self.scores.__getitem__, reverse=True)

    def parts(self, number: int) -> tuple[Part, ...]:
        """The steps that made a score, without those that changed nothing."""
        made: list[Part] = []
        score = 0.0
        for name, operation, values in self._steps:
            if operation == "add":
                value = (
                    values.get(number, 0.0) if isinstance(values, Mapping) else values[number]
                )
                if value:
                    score += value
                    made.append(Part(name, operation, value, score))
            else:
                value = values.get(number, 1.0) if isinstance(values, Mapping) else values[number]
                if value != 1.0 and score:
                    score *= value
                    made.append(Part(name, operation, value, score))
        return tuple(made)
