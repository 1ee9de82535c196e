"""What an answer is worth: right, partly or wrong; and whether it claimed to be all and true.

Expected places are `path`, `path:line[,line…]`, `path:first-last` (for a search), `path#Name` (also
`path#Class.name`) or the beginning of a commit's hash; where a definition is told by one of two
places, both, with `|` between. `must` has all that are true (nothing: the name asked about does not
exist, and the answer says so); `may` what is acceptable beside them;
`never` what is false even where the question is open: where more may be true than was read.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from surveyor.knowledge.history.gitlog import PARTIAL_CLONE

Verdict = Literal["right", "partly", "wrong"]
Item = Mapping[str, Any]

FOUND_AT_ONCE = 3
"""A search or a question about history is answered by what stands among so many; what comes later
was only partly found."""
UNKNOWN_NAME = "nothing is called "
"""The right answer to a question about a name that does not exist."""
NOT_KNOWN = "no definition of "
"""Begins an answer that does not claim that there is none."""
GUESS_BELOW = 0.5
"""The description of `search` tells agents to treat less confident results as guesses."""


@dataclass(frozen=True, slots=True)
class Question:
    """One question, how an agent asks it, and its true answer."""

    id: str
    repository: str
    task: str
    question: str
    tool: str
    arguments: Mapping[str, Any]
    must: Sequence[str]
    may: Sequence[str] = ()
    never: Sequence[str] = ()
    open: bool = False


@dataclass(frozen=True, slots=True)
class Judgement:
    """What became of a question."""

    verdict: Verdict
    certain: bool
    """Whether the answer claims to be all there is, without a doubt."""
    missing: Sequence[str] = ()
    false: Sequence[str] = ()
    said: Mapping[str, Any] = field(default_factory=dict)
    """What the answer said of itself."""


def judge(question: Question, answer: Item, error: str = "") -> Judgement:
    """What an agent hears of an answer, judged; `error` is what a tool said that failed."""
    is_certain = not error.startswith(NOT_KNOWN)
    says_nothing = UNKNOWN_NAME in error or not is_certain
    if error and not question.must and not question.open and says_nothing:
        return Judgement("right", is_certain, (), (), {"error": error})
    if error:
        missing = tuple(each_place(question.must))
        return Judgement("wrong", is_certain, missing, (), {"error": error})
    rule = RULES.get(question.task, _places)
    return rule(question, answer)


def each_place(expected: Sequence[str]) -> list[str]:
    """Every place by itself: `a:1,2` is `a:1` and `a:2`."""
    places = []
    for entry in expected:
        path, colon, lines = entry.partition(":")
        several = colon and "|" not in entry
        places += [f"{path}:{line}" for line in lines.split(",")] if several else [entry]
    return places


def matches(place: str, item: Item) -> bool:
    """Whether an item of an answer is an expected place."""
    if "|" in place:
        return any(matches(each, item) for each in place.split("|"))
    if "#" in place:
        path, name = place.split("#", 1)
        said = _dotted(item.get("symbol") or item.get("name") or "")
        return item.get("path") == path and (said == name or said.endswith(f".{name}"))
    if ":" in place:
        path, line = place.rsplit(":", 1)
        return item.get("path") == path and item.get("line") == int(line)
    return item.get("path") == place


def _dotted(name: str) -> str:
    return re.sub(r"::|#|->|/", ".", name)


def _spans(place: str, item: Item) -> bool:
    """Whether a result shows some of the place's lines."""
    path, _, lines = place.partition(":")
    first, _, last = lines.partition("-")
    inside = item["start_line"] <= int(last) and int(first) <= item["end_line"]
    return bool(item["path"] == path and inside)


def _covers(place: str, item: Item) -> bool:
    """Whether a commit is the expected one."""
    return str(item["commit"]).startswith(place) or place.startswith(str(item["commit"]))


def _claims(answer: Item) -> dict[str, Any]:
    kept = ("status", "complete", "precision", "omitted", "notice", "message")
    return {name: answer[name] for name in kept if answer.get(name) is not None}


def _complete(answer: Item) -> bool:
    return (
        bool(answer.get("complete"))
        and answer.get("status") == "healthy"
        and answer.get("precision") != "text"
        and not answer.get("omitted")
    )


def _places(question: Question, answer: Item) -> Judgement:
    """All places, and no other: callers, references, implementations, types, files, outlines."""
    results: list[Item] = list(answer["results"])
    if question.task == "tests":
        results = [{"path": path} for path in answer.get("tests") or []]
    if question.task == "importers":
        results = [each for each in results if each["depth"] == 1]
    subject = answer.get("symbol") or {}
    must, may = each_place(question.must), each_place(question.may)
    found = [place for place in must if any(matches(place, item) for item in results)]
    missing = [place for place in must if place not in found]
    wrongly = each_place(question.never) if question.open else []
    false = [
        item
        for item in results
        if item.get("precision") != "text"  # told as a guess
        and (
            any(matches(place, item) for place in wrongly)
            if question.open
            else not any(matches(place, item) for place in (*must, *may))
            and not _same(item, subject)
        )
    ]
    claims = _claims(answer) | {"results": len(results)}
    said_false = tuple(dict.fromkeys(_named(item) for item in false))
    if not missing and not false:
        return Judgement("right", _complete(answer), (), (), claims)
    nothing = not found if must else bool(false)
    verdict: Verdict = "wrong" if nothing else "partly"
    return Judgement(verdict, _complete(answer), tuple(missing), said_false, claims)


def _same(item: Item, subject: Item) -> bool:
    return bool(subject) and (item.get("path"), item.get("line")) == (
        subject.get("path"),
        subject.get("line"),
    )


def _named(item: Item) -> str:
    name = item.get("symbol") or item.get("name")
    return f"{item.get('path')}:{item.get('line', '')}{f' {name}' if name else ''}"


def _first(question: Question, answer: Item) -> Judgement:
    """The definition that answers is the one that is meant."""
    results, others = list(answer["results"]), list(answer.get("candidates") or [])
    must, may = each_place(question.must), each_place(question.may)
    claims = _claims(answer) | {"results": len(results), "candidates": len(others)}
    if results and any(matches(place, results[0]) for place in (*must, *may)):
        return Judgement("right", _complete(answer), (), (), claims)
    false = (_named(results[0]),) if results else ()
    beside = any(matches(place, item) for place in must for item in (*results[1:], *others))
    verdict: Verdict = "partly" if beside else "wrong"
    return Judgement(verdict, _complete(answer) and not beside, tuple(must), false, claims)


def _found(question: Question, answer: Item) -> Judgement:
    """A search has it near the top."""
    results = list(answer["results"])
    confidence = results[0].get("confidence", 0.0) if results else 0.0
    claims = _claims(answer) | {"confidence": round(confidence, 2)}
    certain = confidence >= GUESS_BELOW and answer.get("status") == "healthy"
    return _ranked(question, results, _spans, certain, claims)


def _explained(question: Question, answer: Item) -> Judgement:
    """History by meaning has the commit near the top."""
    results = list(answer["results"])
    return _ranked(question, results, _covers, _undoubted(answer), _claims(answer))


def _undoubted(answer: Item) -> bool:
    """Whether history claims to be all; that a clone is partial says nothing of that."""
    doubts = (answer.get("notice") or "").replace(PARTIAL_CLONE, "").strip()
    return answer.get("status") == "healthy" and not doubts


def _ranked(
    question: Question,
    results: list[Item],
    match: Callable[[str, Item], bool],
    certain: bool,
    claims: Mapping[str, Any],
) -> Judgement:
    wanted = [*each_place(question.must), *each_place(question.may)]
    rank = next(
        (at for at, item in enumerate(results, 1) if any(match(each, item) for each in wanted)), 0
    )
    claims = {**claims, "rank": rank}
    if 1 <= rank <= FOUND_AT_ONCE:
        return Judgement("right", certain, (), (), claims)
    verdict: Verdict = "partly" if rank else "wrong"
    return Judgement(verdict, certain and not rank, tuple(wanted), (), claims)


def _begun(question: Question, answer: Item) -> Judgement:
    """The oldest commit that is told is the one that brought it."""
    results = list(answer["results"])
    certain = _undoubted(answer)
    claims = _claims(answer) | {"commits": len(results)}
    wanted = [*question.must, *question.may]
    if results and any(_covers(each, results[-1]) for each in wanted):
        return Judgement("right", certain, (), (), claims)
    among = any(_covers(each, item) for each in wanted for item in results)
    false = (str(results[-1]["commit"])[:12],) if results else ()
    return Judgement("partly" if among else "wrong", certain, tuple(wanted), false, claims)


RULES: dict[str, Callable[[Question, Item], Judgement]] = {
    "define": _first,
    "where": _found,
    "why": _explained,
    "since": _begun,
}
