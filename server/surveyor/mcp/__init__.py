"""The agent's face: MCP tools, prompts and resources, and the stdio relay to them."""
