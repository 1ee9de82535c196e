"""How surely two pieces of code do the same, and what says so.

The certainty is a logistic function of what two fingerprints share; its weights are fitted by
`python -m tests.bench.clones fit` on clones of real functions and on what stands nearest to them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple, TypeVar

from surveyor.clones.jobs import Fingerprint

K = TypeVar("K")

__all__ = ["FEATURES", "Likeness", "Weigh", "features", "likeness", "weigh_evenly"]

Weigh = Callable[[str], float]
"""How telling a name is: that much more the fewer files of the project use it."""

WEIGHTS = {
    "names": 3.84,
    "apart": -3.1,
    "calls": 2.3,
    "literals": 0.45,
    "literals_apart": -1.39,
    "shape": 1.64,
    "words": 0.29,
    "size": -0.05,
    "parameters": 0.28,
    "known": 0.28,
}
BIAS = -5.88

FEATURES = tuple(WEIGHTS)
LOOPING = frozenset({
    "each", "map", "forEach", "for_each", "iter", "into_iter", "iterator", "hasNext", "next",
    "range", "enumerate", "entries", "items", "len", "length", "size", "count", "Count", "append",
    "push", "push_back", "add", "Add", "collect", "toList", "ToList", "to_a", "list", "List",
})  # fmt: skip
"""With what loops are written: a rewriting exchanges these, whatever the loop is for."""
LOOPING_WEIGHT = 0.25
COMMON_LITERALS = frozenset({"0", "1", "2", "-1", "true", "false", "null", "none", "nil", '"'})
KNOWN_WEIGHT = 12.0
"""Telling names whose sum is half of all that names can say."""
ALIKE = 0.8
"""Share from which two sets are called the same."""


class Likeness(NamedTuple):
    """How alike two pieces of code are."""

    certainty: float
    """Between 0 and 1."""
    reasons: tuple[str, ...]
    """What is the same, most telling first."""
    features: dict[str, float]
    shared: float = 0.0
    """What both name and say, by how telling that is."""

    @property
    def odds(self) -> float:
        """The logarithm of how much surer it is than not."""
        return math.log(self.certainty / (1 - self.certainty))


def weigh_evenly(_: str) -> float:
    """Where nothing is known of a project's names."""
    return 1.0


def likeness(one: Fingerprint, other: Fingerprint, weigh: Weigh = weigh_evenly) -> Likeness:
    """How surely two pieces of code do the same."""
    found, shared = _compared(one, other, weigh)
    sum_ = BIAS + sum(WEIGHTS[name] * value for name, value in found.items())
    return Likeness(1 / (1 + math.exp(-sum_)), _reasons(one, other, found), found, shared)


def features(one: Fingerprint, other: Fingerprint, weigh: Weigh) -> dict[str, float]:
    """What is compared, each between 0 and 1."""
    return _compared(one, other, weigh)[0]


def _compared(one: Fingerprint, other: Fingerprint, weigh: Weigh) -> tuple[dict[str, float], float]:
    """What is compared, and how telling it is together what both name and say."""

    def weigh_name(name: str) -> float:
        return weigh(name) * (LOOPING_WEIGHT if name in LOOPING else 1.0)

    names = _Overlap(one.names, other.names, weigh_name)
    calls = _Overlap(dict.fromkeys(one.calls, 1), dict.fromkeys(other.calls, 1), weigh_name)
    literals = _Overlap(one.literals, other.literals, _literal_weight)
    shape = _Overlap(one.shape, other.shape)
    words = _Overlap(one.words, other.words)
    found = {
        "names": names.share,
        "apart": names.exchanged,
        "calls": calls.share,
        "literals": literals.share,
        "literals_apart": literals.exchanged,
        "shape": shape.share,
        "words": words.share,
        "size": min(one.tokens, other.tokens) / max(one.tokens, other.tokens, 1),
        "parameters": float(one.parameters == other.parameters),
        "known": names.both / (names.both + KNOWN_WEIGHT),
    }
    return found, names.both + literals.both


class _Overlap:
    """What two bags have in common, by weight."""

    def __init__(
        self,
        one: Mapping[K, int],
        other: Mapping[K, int],
        weigh: Callable[[K], float] | None = None,
    ) -> None:
        self.both = self.first = self.second = 0.0
        for key in one.keys() | other.keys():
            weight = 1.0 if weigh is None else weigh(key)
            # How often matters less than whether: a loop that is unrolled names things twice.
            a, b = math.sqrt(one.get(key, 0)), math.sqrt(other.get(key, 0))
            self.both += weight * min(a, b)
            self.first += weight * max(a - b, 0.0)
            self.second += weight * max(b - a, 0.0)

    @property
    def share(self) -> float:
        """Of all that either has, what both have; 1 where neither has anything."""
        union = self.both + self.first + self.second
        return self.both / union if union else 1.0

    @property
    def exchanged(self) -> float:
        """Of all that either has, what stands in the one in place of something in the other:
        `readInt` and `readLong` do not do the same, however alike they look."""
        union = self.both + self.first + self.second
        return 2 * min(self.first, self.second) / union if union else 0.0


def _literal_weight(literal: str) -> float:
    if literal in COMMON_LITERALS:
        return 0.3
    return min(3.0, 1.0 + len(literal) / 8) if literal.startswith('"') else 1.0


def _reasons(one: Fingerprint, other: Fingerprint, found: Mapping[str, float]) -> tuple[str, ...]:
    reasons = []
    if one.calls and other.calls and found["calls"] >= ALIKE:
        reasons.append("same calls")
    elif shared := _shared(one.calls, other.calls):
        reasons.append(f"both call {shared}")
    telling = [each for each in one.literals if each not in COMMON_LITERALS]
    if telling and found["literals"] >= ALIKE:
        reasons.append("same literals")
    if found["shape"] >= ALIKE:
        reasons.append("same shape")
    if found["words"] >= ALIKE:
        reasons.append("same words")
    elif found["words"] >= ALIKE / 2:
        reasons.append("similar words")
    return tuple(reasons)


def _shared(one: Sequence[str], other: Sequence[str]) -> str:
    both = set(other)
    found = [name for name in one if name in both]
    return ", ".join(found[:3]) + (" …" if len(found) > 3 else "")
