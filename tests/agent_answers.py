"""An agent's answer read back: what its text says of each result, as an agent reads it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from surveyor.protocol.tools import META

Item = dict[str, Any]

_FENCE = re.compile(r"^`{3,}$")
_RESULT = re.compile(
    r"\d+\. (?:(?P<project>[^\s:]+): )?(?P<path>[^·]+?)"
    r"(?::(?P<first>\d+)(?:-(?P<last>\d+))?)? · (?P<rest>.*)"
)
"""Rules and pages have no lines."""
_USE = re.compile(r"(?P<indent> *)(?P<path>\S.*?):(?P<line>\d+):(?P<column>\d+)  (?P<rest>.*)")
_OUTLINED = re.compile(r"(?P<first>\d+)(?:-(?P<last>\d+))?  (?P<text>.*)")
_REACHED = re.compile(
    r"(?P<indent> *)(?P<path>\S.*?):(?P<first>\d+)(?:-(?P<last>\d+))?  (?P<rest>.*)"
)
_SUBJECT = re.compile(r"(?P<symbol>\S+) \(\w+\) at (?P<path>.+):(?P<line>\d+)(?:  \[.*)?")
_COMMIT = re.compile(r"(?P<commit>[0-9a-f]{12})  (?P<date>\d{4}-\d\d-\d\d)  (?P<author>.*)")
_SURE = re.compile(r"^[^\n]*[ (](?P<precision>exact|partial|syntax|text)\b")
_UNSAVED = re.compile(r"unsaved, version (\d+)")
_LEFT_OUT = re.compile(r"^(\d+) lines left out", re.MULTILINE)
_STATED = re.compile(r"\S+ \((/[^)]*)\): \d+ files?,")
_ROOT = re.compile(r"\S+: (/.*)")
_RULE = re.compile(r"(?P<label>\S+)(?: — .*)? \(.*\)")


def text_of(answer: Any) -> str:
    """The text of an answer, as the SDK's type or as it came over the wire."""
    parts = answer["content"] if isinstance(answer, dict) else answer.content
    return "\n".join(part["text"] if isinstance(part, dict) else part.text for part in parts)


def data_of(answer: Any) -> Item:
    """What an answer says of itself: beside its text, and in its first line where it does."""
    sure = _SURE.search(text_of(answer))
    said = {"precision": sure["precision"]} if sure else {}
    return {"status": "healthy", "complete": True, **said, **beside_text(answer)}


def beside_text(answer: Any) -> Item:
    """What an answer has for programs beside its text."""
    meta = answer.get("_meta") if isinstance(answer, dict) else answer.meta
    told: Item = (meta or {}).get(META, {})
    return told


def unsaved_version_of(answer: Any) -> int | None:
    """The version of the unsaved text that an answer was made from."""
    said = _UNSAVED.search(text_of(answer))
    return int(said[1]) if said else None


def lines_left_out(answer: Any) -> int:
    """How many lines of a page's text come on the next."""
    said = _LEFT_OUT.search(text_of(answer))
    return int(said[1]) if said else 0


def folders_of(answer: Any) -> list[str]:
    """The folders of projects that an answer is about: of a status, or of several projects."""
    lines = list(_fenced(text_of(answer)))
    stated = [match[1] for line in lines if (match := _STATED.match(line))]
    return stated or [match[1] for line in lines if (match := _ROOT.fullmatch(line))]


def results_of(answer: Any) -> list[Item]:
    """The results of a search, or of `retrieve` by metadata, with their ids."""
    found = [_result(match) for line in _fenced(text_of(answer)) if (match := _RESULT.match(line))]
    ids = data_of(answer).get("ids", [])
    assert len(ids) == len(found), (ids, found)
    return [{**each, "id": key} for each, key in zip(found, ids, strict=True)]


def uses_of(answer: Any) -> list[Item]:
    """The places of `symbol`, but for an outline; none of those that the name may also mean."""
    text = text_of(answer).split("The name may also mean:")[0]
    return [_use(match) for line in _fenced(text) if (match := _USE.fullmatch(line))]


def candidates_of(answer: Any) -> list[Item]:
    """What else a name may mean."""
    _, _, text = text_of(answer).partition("The name may also mean:")
    return [_use(match) for line in _fenced(text) if (match := _USE.fullmatch(line))]


def subject_of(answer: Any) -> Item:
    """The definition that uses were asked of, where it is named above them."""
    for line in _fenced(text_of(answer)):
        if match := _SUBJECT.fullmatch(line):
            return {**match.groupdict(), "line": int(match["line"])}
    return {}


def outlined_in(answer: Any, path: str) -> list[Item]:
    """The definitions of an outline of a file."""
    return [
        {"path": path, "line": int(match["first"]), "symbol": match["text"]}
        for line in _fenced(text_of(answer))
        if (match := _OUTLINED.fullmatch(line))
    ]


def reached_by(answer: Any) -> list[Item]:
    """What depends on the target of `impact`."""
    found = []
    for line in _fenced(text_of(answer)):
        match = None if line.startswith("unresolved: ") else _REACHED.fullmatch(line)
        if match is None:
            continue
        what = match["rest"].split("  ")
        found.append(
            {
                "path": match["path"],
                "line": int(match["first"]),
                "name": what[0].partition(" ")[2],
                "depth": len(match["indent"]) // 2 + 1,
                "is_test": "test" in what[2:],
            }
        )
    return found


def tests_of(answer: Any) -> list[str]:
    """The test files that `impact` names."""
    said = "test: "
    return [line[len(said) :] for line in _fenced(text_of(answer)) if line.startswith(said)]


def commits_of(answer: Any) -> list[Item]:
    """The commits of `history`."""
    lines = _fenced(text_of(answer))
    return [match.groupdict() for line in lines if (match := _COMMIT.fullmatch(line))]


def labels_of(answer: Any) -> list[str]:
    """The labels of rules."""
    return [match["label"] for line in _fenced(text_of(answer)) if (match := _RULE.fullmatch(line))]


def _fenced(text: str) -> Iterator[str]:
    """The lines between fences."""
    fence = ""
    for line in text.split("\n"):
        if fence:
            if line == fence:
                fence = ""
            else:
                yield line
        elif _FENCE.match(line):
            fence = line


def _result(match: re.Match[str]) -> Item:
    what, *more = match["rest"].split(" · ")
    kind, _, symbol = what.partition(" ")
    first = int(match["first"] or 0)
    item: Item = {
        "project": match["project"],
        "path": match["path"],
        "start_line": first,
        "end_line": int(match["last"] or first),
        "kind": kind,
        "symbol": symbol,
        "source": "code",
        "unsaved_version": None,
    }
    for each in more:
        name, _, said = each.partition(" ")
        if name == "confidence":
            item["confidence"] = float(said)
        elif name == "from":
            item["source"] = said
        elif name == "branch":
            item["branch"] = said
        elif name == "unsaved,":
            item["unsaved_version"] = int(said.removeprefix("version "))
    return item


def _use(match: re.Match[str]) -> Item:
    kind, *more = match["rest"].split("  ")
    named = bool(more) and (kind == "definition" or more[0].startswith("in "))
    return {
        "path": match["path"],
        "line": int(match["line"]),
        "column": int(match["column"]),
        "kind": kind,
        "symbol": more[0].removeprefix("in ") if named else "",
        "depth": len(match["indent"]) // 2 + 1,
        "precision": "text" if "by name only" in more else None,
    }
