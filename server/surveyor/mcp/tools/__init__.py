"""The tools: what each takes, what it answers, and the function behind it."""

from __future__ import annotations

from surveyor.mcp.tools.base import Answer, Tool
from surveyor.mcp.tools.graph import IMPACT, MAP, SYMBOL
from surveyor.mcp.tools.index import INDEX
from surveyor.mcp.tools.knowledge import HISTORY, MEMORY, STORE
from surveyor.mcp.tools.retrieve import RETRIEVE
from surveyor.mcp.tools.search import SEARCH

__all__ = ["TOOLS", "Answer", "Tool"]

TOOLS: dict[str, Tool] = {
    tool.name: tool
    for tool in (SEARCH, RETRIEVE, SYMBOL, IMPACT, HISTORY, MEMORY, STORE, MAP, INDEX)
}
