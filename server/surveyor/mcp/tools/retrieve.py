"""`retrieve`: text by chunk id, file range, symbol or metadata, page by page."""

from __future__ import annotations

from typing import Any

from surveyor.errors import NotFoundError, UsageError
from surveyor.mcp.arguments import Arg
from surveyor.mcp.text import clip, fenced, inline, place
from surveyor.mcp.tools.base import (
    PROJECT,
    Answer,
    Asker,
    Built,
    Tool,
    Values,
    freshness,
    joined,
    output,
    status_line,
)
from surveyor.mcp.tools.search import render

PAGE_LINES = 200
PAGE_TOKENS = 8000
METADATA = {
    "file_path": "paths",
    "path": "paths",
    "language": "languages",
    "file_type": "types",
    "symbol_kind": "kinds",
    "kind": "kinds",
    "chunk_type": "kinds",
    "tag": "tags",
    "tags": "tags",
}
"""Names of the seeds' payload fields, and the filter of a search that each is."""

ARGUMENTS = (
    Arg("id", "string", "Of a search result"),
    Arg("path", "string", "File, relative to the root"),
    Arg("symbol", "string", "Name of a definition"),
    Arg("metadata", "object", "Filters: file_path, language, file_type, symbol_kind, tag, branch"),
    PROJECT,
    Arg("start_line", "integer", minimum=1),
    Arg("end_line", "integer", minimum=1),
    Arg("limit", "integer", f"Lines (default {PAGE_LINES}) or results", minimum=1, maximum=5000),
    Arg("offset", "integer", "Lines or results to skip", default=0, minimum=0),
    Arg("max_tokens", "integer", default=PAGE_TOKENS, minimum=50, maximum=100_000),
)


async def retrieve(asker: Asker, values: Values) -> Answer:
    """Text, as it is on disk or in an unsaved buffer."""
    given = [name for name in ("id", "path", "symbol", "metadata") if values[name]]
    if not given:
        raise UsageError("nothing to retrieve", "Give one of id, path, symbol or metadata.")
    if values["metadata"]:
        return await _by_metadata(asker, values)
    if values["symbol"] and not values["path"] and not values["id"]:
        return await _symbol(asker, values)
    start = (values["start_line"] or 1) + values["offset"]
    where: dict[str, str | None] = {} if values["id"] else asker.where(values["project"])
    answer = await asker.ask(
        "retrieve",
        id=values["id"],
        path=values["path"],
        start_line=start if values["path"] else 1,
        end_line=values["end_line"],
        **where,
    )
    return _page(answer, values, {"path": answer["path"]})


async def _symbol(asker: Asker, values: Values) -> Answer:
    where = asker.where(values["project"])
    name = values["symbol"].rsplit("::", 1)[-1]
    found = (await asker.ask("symbols", query=name, limit=20, **where))["results"]
    container, _, last = name.rpartition(".")
    exact = [
        each
        for each in found
        if each["name"] == last and each["container"].endswith(container.replace("::", "."))
    ]
    if not exact:
        near = ", ".join(inline(each["name"], 60) for each in found[:5])
        raise NotFoundError(
            "no symbol has that name", f"Near: {near}." if near else "Use search to find it."
        )
    if len(exact) > 1 and len({(each["path"], each["start_line"]) for each in exact}) > 1:
        lines = [
            f"{place(inline(each['path']), each['start_line'], each['end_line'])}  {each['kind']}"
            f" {inline('.'.join(filter(None, (each['container'], each['name']))))}"
            for each in exact
        ]
        text = joined(
            f"{len(exact)} definitions have that name; retrieve one by path and lines.",
            fenced(lines),
        )
        return Answer(text, {"status": "healthy", "candidates": exact})
    one = exact[0]
    answer = await asker.ask(
        "retrieve",
        path=one["path"],
        start_line=one["start_line"] + values["offset"],
        end_line=one["end_line"],
        **where,
    )
    return _page(answer, values, {"path": one["path"]})


def _page(answer: Built, values: Values, again: dict[str, Any]) -> Answer:
    lines = answer["text"].split("\n") if answer["text"] else []
    if values["id"] and values["offset"]:
        lines = lines[values["offset"] :]
        answer = {**answer, "start_line": answer["start_line"] + values["offset"]}
    wanted = values["limit"] or (len(lines) if values["id"] or values["end_line"] else PAGE_LINES)
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
    more = ""
    if remaining > 0:
        more = f"{remaining} lines left out: retrieve(path=…, start_line={last + 1})."
    structured: Built = {
        "path": answer["path"],
        "total_lines": answer["total_lines"],
        "start_line": first,
        "end_line": max(first, last),
        "text": "\n".join(page[: len(shown)]),
        "omitted_lines": remaining,
        **freshness(answer),
    }
    if remaining > 0:
        structured["next"] = {**again, "start_line": last + 1}
    if answer.get("unsaved_version") is not None:
        structured["unsaved_version"] = answer["unsaved_version"]
    return Answer(joined(status_line(answer), fenced([header, *shown]), more), structured)


async def _by_metadata(asker: Asker, values: Values) -> Answer:
    """What matches filters, without ranking: by path, page by page."""
    filters: dict[str, Any] = {"paths": [], "languages": [], "types": [], "kinds": [], "tags": []}
    branch = None
    for name, value in values["metadata"].items():
        if name == "branch":
            branch = str(value)
        elif name in METADATA:
            many = value if isinstance(value, list) else [value]
            filters[METADATA[name]] += [str(each) for each in many]
        else:
            known = ", ".join([*METADATA, "branch"])
            raise UsageError(f"no metadata field {name!r}", f"Known: {known}.")
    answer = await asker.ask(
        "chunks",
        branch=branch,
        limit=min(values["limit"] or 10, 200),
        offset=values["offset"],
        token_budget=values["max_tokens"],
        **filters,
        **asker.where(values["project"]),
    )
    return render(answer)


RETRIEVE = Tool(
    "retrieve",
    "Read text: a search result by id, a file or line range by path, a definition by symbol, or"
    " what matches metadata. Shows unsaved editor buffers as they are. Long texts come in pages.",
    ARGUMENTS,
    output(
        path="string",
        start_line="integer",
        end_line="integer",
        total_lines="integer",
        text="string",
        results="array",
        candidates="array",
        omitted_lines="integer",
        next="object",
        unsaved_version="integer",
    ),
    retrieve,
)
