"""A call about several projects: those open in the session, or all that are registered.

`search` ranks over several projects in the engine. Every other tool is asked project by project:
either all of them answer, one after the other within one budget, or the first that knows does.
"""

from __future__ import annotations

from surveyor.engine.agents.text import fenced, inline
from surveyor.engine.agents.tools.base import (
    ALL,
    Built,
    Tool,
    ToolAnswer,
    ToolContext,
    Values,
    status_of,
)
from surveyor.errors import NotFoundError, Quoting, SurveyorError, UsageError
from surveyor.protocol.enumerations import STATUSES

LEAST_TOKENS = 100
"""A project's share of the budget, at least."""

Place = tuple[str, str]
"""A project's name and root."""


async def run(tool: Tool, asker: ToolContext, values: Values) -> ToolAnswer:
    """The tool's answer for the project that is meant, or for each of several."""
    how = tool.several(values)
    asked = values.get("project")
    if how == "own" or asked not in (None, ALL):
        return await tool.run(asker, values)
    places = await (asker.every_project() if asked == ALL else asker.open_projects())
    if asked != ALL and len(places) < 2:
        return await tool.run(asker, values)
    if how == "one":
        if asked == ALL or tool.described.destructive:
            roots = ", ".join(root for _, root in places)
            raise UsageError(
                f"this call of {tool.described.name} is for one project",
                Quoting(f"Name one with `project`: {roots}." if roots else ""),
            )
        return await tool.run(asker, values)
    if not places:
        raise NotFoundError("no project is indexed", "The user indexes one: `surveyor index PATH`.")
    answers = await _ask(tool, asker, values, places, first=how == "first")
    return _joined(answers)


async def _ask(
    tool: Tool, asker: ToolContext, values: Values, places: list[Place], *, first: bool
) -> list[tuple[Place, ToolAnswer]]:
    """What those that know something answer. Raises the first error when none does."""
    answers: list[tuple[Place, ToolAnswer]] = []
    problem: SurveyorError | None = None
    budget = values.get("max_tokens")
    for place in places:
        share: Values = {**values, "project": place[1]}
        if budget is not None and not first:
            share["max_tokens"] = max(LEAST_TOKENS, budget // len(places))
        try:
            answers.append((place, await tool.run(asker, share)))
        except SurveyorError as error:
            problem = problem or error
            continue
        if first:
            break
    if not answers and problem is not None:
        raise problem
    return answers


def _joined(answers: list[tuple[Place, ToolAnswer]]) -> ToolAnswer:
    """Several answers as one, in the order in which the projects were asked."""
    each = [answer.beside for _, answer in answers]
    worst = max(each, key=_rank)
    beside: Built = {name: worst[name] for name in ("status", "reason") if name in worst}
    if any("complete" in told for told in each):
        beside["complete"] = False
    if ids := [key for told in each for key in told.get("ids", ())]:
        beside["ids"] = ids
    folders = fenced(f"{inline(name)}: {inline(root)}" for (name, root), _ in answers)
    said = (f"In {_said(name)}:\n{answer.text}" for (name, _), answer in answers)
    read = [lines for _, answer in answers for lines in answer.read]
    return ToolAnswer(
        "\n\n".join([*said, folders]),
        beside,
        read,
        [lines for _, answer in answers for lines in answer.wrote],
    )


def _rank(beside: Built) -> int:
    return STATUSES.index(status_of(beside))


def _said(name: str) -> str:
    """A project's name outside the fences: no more than a word."""
    return "".join(c if c.isalnum() or c in "-_." else "_" for c in name)[:60]
