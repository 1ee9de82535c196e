"""Resources: rules, overview and status of the project; files and symbols as templates."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import quote, unquote

from surveyor.errors import NotFoundError
from surveyor.mcp.agent import Agent
from surveyor.mcp.arguments import check
from surveyor.mcp.text import fenced
from surveyor.mcp.tools import TOOLS

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
        answer = await agent.ask("memory_inject", **_somewhere(agent))
        return (fenced(answer["text"].splitlines()) or "No rules."), "text/markdown"
    if uri == PROJECT:
        return await _tool(agent, "map", {}), "text/markdown"
    if uri == STATUS:
        tool = TOOLS["index"]
        done = await tool.run(agent, check(tool.arguments, {"action": "status"}))
        return json.dumps(done.structured, ensure_ascii=False), "application/json"
    if uri.startswith(FILE):
        path = unquote(uri.removeprefix(FILE))
        wanted = {"path": path, "limit": 5000, "max_tokens": FILE_TOKENS}
        return await _tool(agent, "retrieve", wanted), "text/plain"
    if uri.startswith(SYMBOL):
        name = unquote(uri.removeprefix(SYMBOL))
        return await _tool(agent, "retrieve", {"symbol": name}), "text/plain"
    known = ", ".join([*FIXED, *TEMPLATES])
    raise NotFoundError(f"there is no resource {uri[:200]!r}", f"Known: {known}.")


async def _tool(agent: Agent, name: str, given: dict[str, Any]) -> str:
    tool = TOOLS[name]
    return (await tool.run(agent, check(tool.arguments, given))).text


def _somewhere(agent: Agent) -> dict[str, str | None]:
    try:
        return agent.where(None)
    except Exception:
        return {}


async def complete(agent: Agent, template: str, value: str) -> list[str]:
    """Values for a template's variable that begin with, or contain, what was typed."""
    if template.startswith(FILE):
        checkout = await agent.engine.resolve(cwd=agent.where(None)["cwd"])
        rows = await agent.engine.state.read(
            """SELECT path FROM files WHERE checkout_id = ? AND status = 'indexed'
               AND instr(lower(path), lower(?)) > 0
               ORDER BY instr(lower(path), lower(?)), length(path), path LIMIT ?""",
            (checkout.checkout_id, value, value, COMPLETIONS),
        )
        return [str(row["path"]) for row in rows]
    if template.startswith(SYMBOL) and value:
        found = await agent.ask("symbols", query=value, limit=COMPLETIONS, **agent.where(None))
        return list(dict.fromkeys(each["name"] for each in found["results"]))
    return []


def file_uri(path: str) -> str:
    """The resource of a file."""
    return FILE + quote(path)
