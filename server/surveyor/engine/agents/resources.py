"""Resources: rules, overview and status of the project; files and symbols as templates."""

from __future__ import annotations

import itertools
import json
from typing import Any
from urllib.parse import unquote

from surveyor.engine.agents.agent import Agent
from surveyor.engine.agents.arguments import check
from surveyor.engine.agents.text import fenced
from surveyor.engine.agents.tools import TOOLS, ToolAnswer, across_projects
from surveyor.engine.agents.tools.index import status_of_projects
from surveyor.errors import NotFoundError

SCHEME = "surveyor://"
RULES, PROJECT, STATUS = f"{SCHEME}rules", f"{SCHEME}project", f"{SCHEME}status"
FILE, SYMBOL = f"{SCHEME}file/", f"{SCHEME}symbol/"

FIXED = {
    RULES: ("rules", "Rules that apply in this project, global ones first", "text/markdown"),
    PROJECT: ("project", "The most important files and definitions", "text/markdown"),
    STATUS: ("status", "What is indexed and how fresh it is", "application/json"),
}
TEMPLATES = {
    f"{FILE}{{+path}}": ("file", "A file as it is on disk or in the editor"),
    f"{SYMBOL}{{name}}": ("symbol", "Definitions of a name"),
}
COMPLETIONS = 100
"""Most values that the protocol lets a completion have."""
FILE_TOKENS = 50_000


async def read(agent: Agent, uri: str) -> tuple[str, str]:
    """Text and MIME type of a resource. Raises `SurveyorError`."""
    if uri == RULES:
        return (fenced((await agent.rules()).splitlines()) or "No rules."), "text/markdown"
    if uri == PROJECT:
        return (await _tool(agent, "map", {})).text, "text/markdown"
    if uri == STATUS:
        said = await status_of_projects(agent, check(TOOLS["index"].described.arguments, {}))
        return json.dumps(said, ensure_ascii=False), "application/json"
    if uri.startswith(FILE):
        path = unquote(uri.removeprefix(FILE))
        wanted = {"path": path, "limit": 5000, "max_tokens": FILE_TOKENS}
        return (await _tool(agent, "retrieve", wanted)).text, "text/plain"
    if uri.startswith(SYMBOL):
        name = unquote(uri.removeprefix(SYMBOL))
        return (await _tool(agent, "retrieve", {"symbol": name})).text, "text/plain"
    known = ", ".join([*FIXED, *TEMPLATES])
    raise NotFoundError(f"there is no resource {uri[:200]!r}", f"Known: {known}.")


async def _tool(agent: Agent, name: str, given: dict[str, Any]) -> ToolAnswer:
    """What a tool answers for all folders that are open."""
    tool = TOOLS[name]
    return await across_projects.run(tool, agent, check(tool.described.arguments, given))


async def complete(agent: Agent, template: str, value: str) -> list[str]:
    """Values for a template's variable that begin with, or contain, what was typed.

    From every folder that is open; what fits best of each comes first.
    """
    places = [root for _, root in await agent.open_projects()]
    if template.startswith(FILE):
        lists = [await _files(agent, root, value) for root in places]
    elif template.startswith(SYMBOL) and value:
        lists = [await _symbols(agent, root, value) for root in places]
    else:
        lists = []
    in_turn = (each for row in itertools.zip_longest(*lists) for each in row)
    return list(dict.fromkeys(each for each in in_turn if each is not None))


async def _files(agent: Agent, root: str, value: str) -> list[str]:
    return await agent.files_containing(root, value, COMPLETIONS)


async def _symbols(agent: Agent, root: str, value: str) -> list[str]:
    found = await agent.ask("symbols", query=value, limit=COMPLETIONS, cwd=root)
    return [str(each["name"]) for each in found["results"]]
