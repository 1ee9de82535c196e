"""The tools: what each takes and answers, as `protocol.tools` says, and the function behind it."""

from __future__ import annotations

from surveyor.engine.agents.tools.base import Tool, ToolAnswer
from surveyor.engine.agents.tools.check import CHECK
from surveyor.engine.agents.tools.edit import EDIT
from surveyor.engine.agents.tools.graph import IMPACT, MAP, SYMBOL
from surveyor.engine.agents.tools.index import INDEX
from surveyor.engine.agents.tools.knowledge import HISTORY, MEMORY, STORE
from surveyor.engine.agents.tools.retrieve import RETRIEVE
from surveyor.engine.agents.tools.search import SEARCH

__all__ = ["TOOLS", "Tool", "ToolAnswer"]

TOOLS: dict[str, Tool] = {
    tool.described.name: tool
    for tool in (SEARCH, RETRIEVE, SYMBOL, IMPACT, EDIT, CHECK, HISTORY, MEMORY, STORE, MAP, INDEX)
}
