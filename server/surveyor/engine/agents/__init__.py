"""The MCP server inside the engine: tools, prompts, resources, over streamable HTTP."""
