"""`edit`: changes to files, with the receipt of what they leave behind."""

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
    joined,
    said_of,
)
from surveyor.engine.agents.tools.check import receipt
from surveyor.errors import UsageError
from surveyor.protocol import tools
from surveyor.units import counted

STEP_FIELDS = ("action", "path", "name", "old", "new", "count")
SHOWN_FILES = 20


async def edit(asker: ToolContext, values: Values) -> ToolAnswer:
    """Make changes, or show them."""
    common: dict[str, Any] = {
        "preview": bool(values["preview"]),
        "generated": bool(values["generated"]),
        **asker.where(values["project"]),
    }
    if values["action"] == "rename":
        answer = await asker.ask(
            "rename",
            name=values["name"],
            path=values["path"],
            line=values["line"],
            column=values["column"] - 1 if values["column"] else None,
            new_name=values["new"] or "",
            **common,
        )
    elif values["action"] == "code_action":
        answer = await asker.ask(
            "code_action",
            title=values["new"] or "",
            path=values["path"],
            name=values["name"],
            old=values["old"] or "",
            line=values["line"],
            column=values["column"] - 1 if values["column"] else None,
            **common,
        )
        if not answer["files"] and (answer["actions"] or not values["new"]):
            return _offered(answer)
    else:
        answer = await asker.ask("edit", steps=_steps(values), **common)
    return _said(answer, values["max_tokens"])


def _steps(values: Values) -> list[Built]:
    one = {name: values[name] for name in STEP_FIELDS if values[name] is not None}
    if not values["edits"]:
        return [one]
    shared = {name: one[name] for name in ("path",) if name in one}
    steps = []
    for each in values["edits"]:
        unknown = [name for name in each if name not in STEP_FIELDS]
        if unknown:
            raise UsageError(
                f"edits have no {inline(str(unknown[0]), 40)}", f"Known: {', '.join(STEP_FIELDS)}."
            )
        steps.append({**shared, **each})
    return steps


def _said(answer: Built, max_tokens: int) -> ToolAnswer:
    files = answer["files"]
    if not files:
        return ToolAnswer(_unchanged(answer))
    if not answer["applied"]:
        lines = [line for each in files for line in (inline(each["path"]), *_diff(each))]
        shown, cut = clip([*lines, *_left(answer)], max_tokens)
        more = f"{counted(cut, 'line')} left out: raise max_tokens." if cut else ""
        return ToolAnswer(joined(f"Preview: {_counted(files)} would change.", fenced(shown), more))
    places = [_where(each) for each in files[:SHOWN_FILES]]
    if len(files) > SHOWN_FILES:
        places.append(f"and {counted(len(files) - SHOWN_FILES, 'more file')}")
    left, cut = clip(_left(answer), max_tokens // 3)
    how = f" ({answer['precision']})" if answer["precision"] else ""
    in_editor = any(each["where"] == "editor" for each in files)
    said = joined(
        f"Edited {_counted(files)}{how}.",
        "Changed in the editor's buffer, not saved yet." if in_editor else "",
        fenced([*said_of(answer), *places, *left]),
        f"{counted(cut, 'more place has', 'more places have')} the old name." if cut else "",
    )
    wrote = [
        ReadLines(answer["root"], each["path"], first, last)
        for each in files
        for first, last in each["lines"]
    ]
    if answer["receipt"] is None:
        return ToolAnswer(said, wrote=wrote)
    checked = receipt(answer["receipt"], max_tokens)
    return ToolAnswer(joined(said, checked.text), checked.beside, wrote=wrote)


def _offered(answer: Built) -> ToolAnswer:
    """The titles of code actions, one a line."""
    titles = [inline(each["title"], 200) for each in answer["actions"] if not each["disabled"]]
    why = _unchanged(answer) if answer["notice"] else ""
    if not titles:
        return ToolAnswer(why or "Nothing changed: no action is offered there.")
    listed = fenced(list(dict.fromkeys(titles)))
    return ToolAnswer(joined(why, "These are offered; give the title as `new`.", listed))


def _unchanged(answer: Built) -> str:
    return joined("Nothing changed.", fenced(said_of(answer)))


def _counted(files: list[Built]) -> str:
    return counted(len(files), "file")


def _where(each: Built) -> str:
    spans = [place("", first, last).lstrip(":") for first, last in each["lines"][:5]]
    more = ",…" if len(each["lines"]) > 5 else ""
    editor = "  [editor]" if each["where"] == "editor" else ""
    return f"{inline(each['path'])}:{','.join(spans)}{more}{editor}"


def _diff(each: Built) -> list[str]:
    return [f"  {line}" for line in each["diff"].split("\n")]


def _left(answer: Built) -> list[str]:
    return [
        f"left: {inline(each['path'])}:{each['line']}:{each['column']}  {inline(each['text'], 100)}"
        + (f"  ({each['reason']})" if each["reason"] else "")
        for each in answer["left"]
    ]


def _several(values: Values) -> Several:
    """What is refused has changed nothing: a path may be tried in one project after the other."""
    return "first" if values["path"] or values["edits"] else "one"


EDIT = Tool(tools.EDIT, edit, _several)
