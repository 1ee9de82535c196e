"""Tools, their answers and their errors in the SDK's types."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import mcp_types as types

from surveyor.engine.agents.text import fenced
from surveyor.engine.agents.tools import ToolAnswer
from surveyor.engine.agents.tools.base import joined
from surveyor.errors import SurveyorError
from surveyor.protocol.tools import ToolDescription, schema_of
from surveyor.protocol.wire import clipped


def describe(tool: ToolDescription) -> types.Tool:
    """A tool as it is listed."""
    return types.Tool(
        name=tool.name,
        description=tool.description,
        input_schema=schema_of(tool.arguments),
        output_schema=dict(tool.output),
        annotations=types.ToolAnnotations(
            read_only_hint=tool.read_only,
            destructive_hint=tool.destructive if not tool.read_only else None,
        ),
    )


def success(answer: ToolAnswer) -> types.CallToolResult:
    """An answer as the protocol wants it."""
    return types.CallToolResult(
        content=[types.TextContent(text=answer.text)],
        structured_content=answer.structured,
        is_error=False,
    )


MESSAGE_CHARS = 1500
"""An error says no more, whatever it quotes."""

FOR_AGENTS = (
    ("Index it with `surveyor index PATH`.", "Index it: index action=index path=…"),
    ("run `surveyor index` there", "index action=index does it"),
    ("`surveyor symbols` finds by parts of names", "search finds by parts of names"),
    ("See `surveyor status --skipped` for what is not.", "search finds what is."),
    ("See `surveyor library list`.", "search in=libraries finds without it."),
)
"""Hints that name a command of the terminal, and what an agent calls instead."""


def refusal(error: SurveyorError) -> types.CallToolResult:
    """A tool error from ours, with what is near where something is known."""
    near = error.details.get("near")
    lines = [str(each) for each in near] if isinstance(near, list) else []
    return failure(error.message, error.hint, error.code, lines)


def failure(
    message: str, hint: str = "", code: str = "bad_request", near: Sequence[str] = ()
) -> types.CallToolResult:
    """An error that a model can act on; what it quotes from elsewhere stays fenced."""
    message, hint = clipped(message, MESSAGE_CHARS), clipped(hint, MESSAGE_CHARS)
    near = [clipped(each) for each in near]
    for terminal, here in FOR_AGENTS:
        hint = hint.replace(terminal, here)
    hint = hint[:1].upper() + hint[1:]
    said = message.strip().rstrip(".")
    ended = said if said.endswith("?") else f"{said}."
    text = ended if said.isprintable() and len(said) < 300 else fenced([said])
    text = joined(f"{text} {hint}".strip(), joined("Near:", fenced(near)) if near else "")
    error: dict[str, Any] = {"code": code, "message": message, "hint": hint}
    if near:
        error["near"] = [*near]
    return types.CallToolResult(
        content=[types.TextContent(text=text)],
        structured_content={"status": "error", "error": error},
        is_error=True,
    )
