"""`search`: by meaning, name or text, over code, rules, libraries, notes and history."""

from __future__ import annotations

import re
from pathlib import PurePath

from surveyor.engine.agents.text import FRAME_TOKENS, cut_to, fenced, inline, place, room_of
from surveyor.engine.agents.tools.base import (
    ALL,
    Built,
    ReadLines,
    Tool,
    ToolAnswer,
    ToolContext,
    Values,
    freshness,
    joined,
    said_of,
)
from surveyor.errors import UsageError
from surveyor.protocol import tools
from surveyor.protocol.enumerations import CORPORA, TEXT_MODES
from surveyor.search.diff_budget import cut_diffs
from surveyor.search.snippets import GAP
from surveyor.units import counted

CONCISE_TOKENS = 2500
FULL_TOKENS = 12_000
HEADING_TOKENS = 25
"""A result's place, name and confidence."""
RANKED_LIMIT = 10
MAX_CAPTURE_CHARS = 60
"""Of what one hole of a pattern matched."""
SIMILAR_LIMIT = 5
_NOT_OF_SIMILAR = (
    "branch", "library", "tag", "diff", "include_deleted", "ignore_case", "context", "rewrite",
    "offset",
)  # fmt: skip
"""Arguments that cannot be heeded where a project's code is compared as it is now."""
PLACE = re.compile(r"(?P<path>[^\n]+?):(?P<first>\d+)(?:-(?P<last>\d+)|:\d+)?")
"""`path:line`, `path:first-last`, or `path:line:column` as other tools print it."""
MATCHES_LIMIT = 50
"""A match takes a line."""


async def search(asker: ToolContext, values: Values) -> ToolAnswer:
    """Ranked results: the same ones in the same order as in the editor and the terminal."""
    if values["mode"] == tools.SIMILAR_MODE:
        return await similar(asker, values)
    scope = "all" if values["project"] == ALL else values["scope"]
    project = None if values["project"] == ALL else values["project"]
    budget = values["max_tokens"] or (
        CONCISE_TOKENS if values["detail"] == "concise" else FULL_TOKENS
    )
    corpora = list(CORPORA) if "all" in values["in"] else values["in"]
    opened = asker.roots_open()
    several = len(opened) > 1 and scope == "current" and project is None
    exact = values["mode"] in TEXT_MODES
    limit = values["limit"] or (MATCHES_LIMIT if exact else RANKED_LIMIT)
    room = max(budget // 3, budget - FRAME_TOKENS - HEADING_TOKENS * limit)
    answer = await asker.ask(
        "search",
        projects=opened if several else [],
        query=values["query"],
        corpora=corpora or ["code"],
        mode=values["mode"],
        scope=scope,
        branch=values["branch"],
        library=values["library"],
        paths=values["path"] or [],
        languages=values["language"] or [],
        types=values["file_type"] or [],
        kinds=values["kind"] or [],
        tags=values["tag"] or [],
        score_threshold=values["score_threshold"],
        include_deleted=bool(values["include_deleted"]),
        diff=values["diff"],
        limit=limit,
        token_budget=None if exact else room,
        ignore_case=bool(values["ignore_case"]),
        context_lines=values["context"] or 0,
        offset=values["offset"] or 0,
        rewrite=values["rewrite"],
        wait_until_fresh_ms=values["wait_until_fresh_ms"] or 0,
        **({} if scope == "all" and project is None else asker.where(project)),
    )
    if answer.get("diffs"):
        return render_diffs(answer, budget)
    make = render_matches if exact else render
    return make(answer, budget, several=several or scope != "current")


async def similar(asker: ToolContext, values: Values) -> ToolAnswer:
    """Code that does what a definition, lines or a piece of code does, and why it is called so."""
    if unheeded := [name for name in _NOT_OF_SIMILAR if values[name]]:
        raise UsageError(f"{', '.join(unheeded)} does not go with mode={tools.SIMILAR_MODE}")
    budget = values["max_tokens"] or (
        CONCISE_TOKENS if values["detail"] == "concise" else FULL_TOKENS
    )
    limit = values["limit"] or SIMILAR_LIMIT
    answer = await asker.ask(
        "similar",
        **await _compared(asker, values),
        paths=values["path"] or [],
        languages=values["language"] or [],
        types=values["file_type"] or [],
        kinds=values["kind"] or [],
        score_threshold=values["score_threshold"] or 0.0,
        limit=limit,
        token_budget=max(budget // 3, budget - FRAME_TOKENS - HEADING_TOKENS * limit),
        **asker.where(values["project"]),
    )
    return render(answer, budget)


async def _compared(asker: ToolContext, values: Values) -> Values:
    """The part of the request that says what is compared: a place in a file, or code."""
    place = PLACE.fullmatch(values["query"].strip())
    if place is None:
        return {"text": values["query"]}
    path, first, last = place["path"], int(place["first"]), place["last"]
    if not PurePath(path).is_absolute():
        path = str(PurePath(await asker.root_of(values["project"]), path))
    return {"path": path, "start_line": first, "end_line": int(last) if last else None}


def render_matches(answer: Built, max_tokens: int, *, several: bool = False) -> ToolAnswer:
    """Matches of exact text, a line each, as many as fit the budget."""
    results = answer["results"]
    roots = _roots(results) if several else []
    room = room_of(max_tokens) - _size(roots)
    lines: list[str] = []
    shown = 0
    before: tuple[str, str, int] | None = None
    for each in results:
        here = (each["root"], each["path"], each["line"])
        if here != before:
            added = _match_lines(each, several, answer.get("branch"))
            room -= _size(added)
            if room < 0 and shown:
                break
            lines += added
        before = here
        shown += 1
    left = (answer.get("omitted") or 0) + len(results) - shown
    first = answer["matches"] - left - shown
    counts, lacks = _counted(answer)
    text = joined(
        counts,
        fenced([*lacks, *lines, *roots]),
        f"{left} more: offset={first + shown}." if left else "",
    )
    beside = {"complete": False} if answer.get("incomplete") else {}
    return ToolAnswer(text, beside | freshness(answer), _read(answer, shown))


def render_diffs(answer: Built, max_tokens: int) -> ToolAnswer:
    """What a rewriting would change, file by file, as much as fits the budget."""
    cut = cut_diffs([each["diff"] for each in answer["diffs"]], room_of(max_tokens))
    left = cut.left_out("raise max_tokens or narrow the path")
    counts, lacks = _counted(answer)
    text = joined(
        f"{counts} Nothing was written.",
        fenced([*lacks, *"".join(cut.shown).splitlines()]),
        left,
    )
    beside = {"complete": False} if answer.get("incomplete") or left else {}
    return ToolAnswer(text, beside | freshness(answer))


def _counted(answer: Built) -> tuple[str, list[str]]:
    """How much matches, which is ours to say, and what else is said of it, for the fence."""
    matches = counted(answer["matches"], "match", "matches")
    counts = f"{matches} in {counted(answer['files'], 'file')}."
    notice = (answer.get("notice") or "").removeprefix(counts).strip()
    return counts, said_of({**answer, "notice": notice})


def _match_lines(each: Built, several: bool, here: str | None) -> list[str]:
    """Where a match is, the definition around it and its line, with numbers where there are more.

    Other matches in the same line are in it.
    """
    where = f"{inline(each['path'])}:{each['line']}:{each['column']}"
    if several:
        where = f"{inline(each['project'])}: {where}"
    name = ".".join(filter(None, (each.get("container"), each.get("symbol"))))
    about = [f"in {inline(name)}"] if name else []
    if here and each.get("branch") not in (None, here):
        about.append(f"branch {inline(each['branch'])}")
    if each.get("unsaved_version") is not None:
        about.append(f"unsaved, version {each['unsaved_version']}")
    about += [
        f"{name}={' '.join(inline(value).split())[:MAX_CAPTURE_CHARS]}"
        for name, value in (each.get("captures") or {}).items()
        if value
    ]
    shown = each["snippet"].split("\n")
    if len(shown) == 1:
        return ["  ".join([where, *about, shown[0].strip()])]
    numbered = [
        f"    {number}{':' if number == each['line'] else '-'} {line}"
        for number, line in enumerate(shown, each["start_line"])
    ]
    return ["  ".join([where, *about]), *numbered]


def render(answer: Built, max_tokens: int, *, several: bool = False) -> ToolAnswer:
    """Results as text, no more than fit the budget, and their ids in the same order."""
    results = answer["results"]
    roots = _roots(results) if several else []
    room = room_of(max_tokens) - _size(roots)
    lines: list[str] = []
    shown = 0
    shortened = False
    for number, each in enumerate(results, 1):
        head = [f"{number}. {_heading(each, several, answer.get('branch'))}"]
        head += [f"    {inline(', '.join(each['reasons']))}"] if each.get("reasons") else []
        head += [f"    rule {inline(said)}" for said in each.get("rules") or ()]
        head += _also(each)
        body = [f"    {line}" for line in _dense(each["snippet"])]
        cut = f"    (shortened; id {each['id']})"
        room -= _size(head)
        if room < 0 and shown:
            break
        whole = not each["truncated"] and _size(body) <= room
        if not whole:
            body, _ = cut_to(body, room - len(cut) - 1)
            body.append(cut)
            shortened = True
        room -= _size(body)
        lines += head + body
        shown = number
    left = len(results) - shown
    hints = []
    if answer.get("omitted"):
        hints.append(f"{answer['omitted']} more withheld: score_threshold=0 lists them.")
    if shortened:
        hints.append("Shortened text: retrieve(id=…), or search with detail=full.")
    if left:
        hints.append(f"{left} more left out: raise limit or max_tokens.")
    text = joined(
        f"{counted(len(results), 'result') if results else 'No results'}.",
        fenced([*said_of(answer), *lines, *roots]),
        *hints,
    )
    ids = {"ids": [each["id"] for each in results[:shown]]} if shown else {}
    return ToolAnswer(text, ids | freshness(answer), _read(answer, shown))


def _read(answer: Built, shown: int) -> list[ReadLines]:
    """The lines of files that the first results show."""
    return [
        ReadLines(each["root"], each["path"], each["start_line"], each["end_line"])
        for each in answer["results"][:shown]
        if each.get("root")
        and each.get("source", "code") == "code"
        and (not answer.get("branch") or each.get("branch") in (None, answer["branch"]))
    ]


def _roots(results: list[Built]) -> list[str]:
    """The folders that the paths of results are relative to."""
    places = {each["project"]: each["root"] for each in results if each.get("root")}
    return [f"{inline(name)}: {inline(root)}" for name, root in places.items()]


def _dense(snippet: str) -> list[str]:
    """Its lines without the blank ones, and one gap where several follow each other."""
    lines: list[str] = []
    for line in snippet.splitlines():
        if line.strip() and not (line == GAP and lines[-1:] == [GAP]):
            lines.append(line)
    return lines


def _also(each: Built) -> list[str]:
    """Where else in its file to look."""
    places = [
        f"{inline(place['symbol'] or 'lines')} {place['start_line']}-{place['end_line']}"
        for place in each.get("also") or ()
    ]
    return [f"    also in this file: {', '.join(places)}"] if places else []


def _size(lines: list[str]) -> int:
    return sum(len(line) + 1 for line in lines)


def _heading(each: Built, several: bool, here: str | None) -> str:
    path = inline(each["path"])
    # A page, of the web or of paper, has no lines.
    has_lines = each["source"] == "code" or each["end_line"] > 1
    where = place(path, each["start_line"], each["end_line"]) if has_lines else path
    if several:
        where = f"{inline(each['project'])}: {where}"
    named = ("title", "symbol") if each["source"] == "rules" else ("symbol", "title", "container")
    what = next((each[name] for name in named if each.get(name)), "")
    parts = [where, f"{each['kind']} {inline(what)}".strip()]
    if each["source"] != "code":
        parts.append(f"from {each['source']}")
    if each["score"]:  # what was listed by metadata is not ranked
        parts.append(f"confidence {each['confidence']:.2f}")
    if here and each.get("branch") not in (None, here):
        parts.append(f"branch {inline(each['branch'])}")
    if each.get("unsaved_version") is not None:
        parts.append(f"unsaved, version {each['unsaved_version']}")
    return " · ".join(parts)


SEARCH = Tool(tools.SEARCH, search)
