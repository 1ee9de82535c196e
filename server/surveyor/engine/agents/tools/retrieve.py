"""`retrieve`: text by chunk id, file range, symbol or metadata, page by page."""

from __future__ import annotations

from typing import Any

from surveyor.engine.agents.text import clip, fenced, inline, place
from surveyor.engine.agents.tools.base import (
    Built,
    ReadLines,
    Several,
    Tool,
    ToolAnswer,
    ToolContext,
    Values,
    freshness,
    joined,
    said_of,
)
from surveyor.engine.agents.tools.search import PLACE, render
from surveyor.errors import NotFoundError, SurveyorError, UsageError
from surveyor.files.file_class import DECLARING
from surveyor.protocol import tools
from surveyor.units import counted

METADATA = {
    "file_path": "paths",
    "path": "paths",
    "language": "languages",
    "file_type": "types",
    "symbol_kind": "kinds",
    "kind": "kinds",
    "chunk_type": "kinds",
}
"""Names of the seeds' payload fields, and the filter of a search that each is."""
OF_DOCUMENTS = {
    "tag": "tags",
    "tags": "tags",
    "topics": "tags",
    "label": "labels",
    "library": "libraries",
    "library_name": "libraries",
}
"""What only rules and documents have: code carries no tags."""


async def retrieve(asker: ToolContext, values: Values) -> ToolAnswer:
    """Text, as it is on disk or in an unsaved buffer."""
    given = [name for name in ("id", "path", "symbol", "metadata") if values[name]]
    if not given:
        raise UsageError("nothing to retrieve", "Give one of id, path, symbol or metadata.")
    if values["metadata"]:
        return await _by_metadata(asker, values)
    if values["symbol"] and not values["path"] and not values["id"]:
        if values["branch"]:
            raise UsageError(
                "a symbol is looked for in what is checked out, not in a branch",
                "Search with that branch, then retrieve by the result's id, or path and branch.",
            )
        return await _symbol(asker, values)
    start = (values["start_line"] or 1) + values["offset"]
    where: dict[str, str | None] = {} if values["id"] else asker.where(values["project"])
    wanted = {
        "id": values["id"],
        "path": values["path"],
        "branch": values["branch"],
        "start_line": start if values["path"] else 1,
        "end_line": values["end_line"],
        **where,
    }
    try:
        answer = await asker.ask("retrieve", **wanted)
    except SurveyorError as error:
        try:  # no code: a rule, a document or a commit
            answer = await asker.ask("passage", **wanted)
        except NotFoundError:
            if lines := _lines_named(values):
                return await retrieve(asker, {**values, **lines})
            raise error from None
    return _page(answer, values)


def _lines_named(values: Values) -> Values:
    """The file and lines that a path names, as results show them: `a.py:3-9`, `a.py:3:7`."""
    named = PLACE.fullmatch(values["path"] or "")
    if named is None or values["id"] or values["start_line"] or values["end_line"]:
        return {}
    last = int(named["last"]) if named["last"] else None
    return {"path": named["path"], "start_line": int(named["first"]), "end_line": last}


async def _symbol(asker: ToolContext, values: Values) -> ToolAnswer:
    """The definition that a name means, by the same rules as `symbol`; several: which there are."""
    where = asker.where(values["project"])
    name = values["symbol"]
    try:
        found = await asker.ask("definition", name=name, limit=50, exact="never", **where)
    except NotFoundError as error:
        near = (await asker.ask("symbols", query=name, limit=5, **where))["results"]
        error.details["near"] = [f"{inline(each['name'], 60)}  {each['path']}" for each in near]
        raise
    same = _distinct(found["results"])
    places = _distinct([*same, *(found.get("candidates") or [])])
    if values["limit"]:  # of definitions: a page of one is the whole of the first
        places = places[: values["limit"]]
    if not places:
        raise NotFoundError("no symbol has that name", "Use search to find it.")
    if len(places) > len(same):
        text = joined(
            f"{len(places)} definitions have that name; retrieve one by path and lines.",
            fenced([*said_of(found), *(_named_at(each) for each in places)]),
        )
        return ToolAnswer(text, freshness(found))
    # One thing in several places: a declaration says less than the definition.
    one = next((each for each in places if not each["path"].endswith(DECLARING)), places[0])
    answer = await asker.ask(
        "retrieve",
        path=one["path"],
        start_line=one["start_line"] + values["offset"],
        end_line=one["end_line"],
        **where,
    )
    page = _page(answer, {**values, "limit": None})
    also = [f"also at {_named_at(each)}" for each in places if each is not one]
    return ToolAnswer(joined(page.text, fenced(also)), page.beside, page.read)


def _distinct(places: list[Built]) -> list[Built]:
    """Each place once."""
    return list({(each["path"], each["start_line"]): each for each in places}.values())


def _named_at(each: Built) -> str:
    where = place(inline(each["path"]), each["start_line"], each["end_line"])
    return f"{where}  {each['symbol_kind']} {inline(each['symbol'])}"


def _page(answer: Built, values: Values) -> ToolAnswer:
    lines = answer["text"].split("\n") if answer["text"] else []
    if values["id"] and values["offset"]:
        lines = lines[values["offset"] :]
        answer = {**answer, "start_line": answer["start_line"] + values["offset"]}
    wanted = values["limit"] or (
        len(lines) if values["id"] or values["end_line"] else tools.PAGE_LINES
    )
    page = lines[:wanted]
    first = answer["start_line"]
    width = len(str(first + len(page)))
    shown, _ = clip(
        [f"{first + at:>{width}}  {line}" for at, line in enumerate(page)], values["max_tokens"]
    )
    last = first + len(shown) - 1 if shown else first
    remaining = len(lines) - len(shown)
    header = place(inline(answer["path"]), first, max(first, last))
    if answer.get("unsaved_version") is not None:
        header += f" · unsaved, version {answer['unsaved_version']}"
    if answer.get("branch"):
        header += f" · branch {inline(answer['branch'])}"
    more = f"{counted(remaining, 'line')} left out: {_next(answer, values, last, len(shown))}."
    here = bool(shown and answer.get("root") and not answer.get("branch"))
    return ToolAnswer(
        joined(fenced([*said_of(answer), header, *shown]), more if remaining > 0 else ""),
        freshness(answer),
        [ReadLines(answer["root"], answer["path"], first, last)] if here else (),
    )


def _next(answer: Built, values: Values, last: int, shown: int) -> str:
    """The call that reads on; what the agent has given, or the header names, it fills in itself."""
    if values["id"]:
        return f"retrieve(id=…, offset={values['offset'] + shown})"
    branch = "branch=…, " if answer.get("branch") else ""
    return f"retrieve(path=…, {branch}start_line={last + 1})"


async def _by_metadata(asker: ToolContext, values: Values) -> ToolAnswer:
    """What matches filters, without ranking: by path, page by page."""
    filters: dict[str, list[str]] = {}
    documents: dict[str, list[str]] = {}
    branch = None
    for name, value in values["metadata"].items():
        many = [str(each) for each in (value if isinstance(value, list) else [value])]
        if name == "branch":
            branch = str(value)
        elif name in METADATA:
            filters.setdefault(METADATA[name], []).extend(many)
        elif name in OF_DOCUMENTS:
            documents.setdefault(OF_DOCUMENTS[name], []).extend(many)
        else:
            known = ", ".join([*METADATA, "branch", *OF_DOCUMENTS])
            raise UsageError(f"no metadata field {name!r}", f"Known: {known}.")
    if documents and (filters or branch is not None):
        raise UsageError(
            "no text has all of that metadata",
            f"Code has {', '.join([*METADATA, 'branch'])}; rules and documents have"
            f" {', '.join(OF_DOCUMENTS)}.",
        )
    paging: dict[str, Any] = {
        "limit": min(values["limit"] or 10, 200),
        "offset": values["offset"],
        "token_budget": values["max_tokens"],
        **asker.where(values["project"]),
    }
    if documents:
        answer = await asker.ask("passages", **documents, **paging)
    else:
        answer = await asker.ask("chunks", branch=branch, **filters, **paging)
    return render(answer, values["max_tokens"])


def _several(values: Values) -> Several:
    """An id is known everywhere; a file is in one project; names and metadata are in each."""
    if values["id"]:
        return "own"
    return "first" if values["path"] else "each"


RETRIEVE = Tool(tools.RETRIEVE, retrieve, _several)
