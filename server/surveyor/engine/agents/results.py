"""Tools and what their calls come to, in the SDK's types."""

from __future__ import annotations

import mcp_types as types

from surveyor.engine.agents.tool_call import ToolOutcome
from surveyor.protocol.tools import ToolDescription, schema_of


def describe(tool: ToolDescription) -> types.Tool:
    """A tool as it is listed."""
    return types.Tool(
        name=tool.name,
        description=tool.description,
        input_schema=schema_of(tool.arguments),
        annotations=types.ToolAnnotations(
            read_only_hint=tool.read_only,
            destructive_hint=tool.destructive if not tool.read_only else None,
        ),
    )


def result_of(outcome: ToolOutcome) -> types.CallToolResult:
    """What a call came to, as the protocol wants it."""
    return types.CallToolResult(
        content=[types.TextContent(text=outcome.text)],
        is_error=outcome.is_error,
        _meta=outcome.meta,
    )
