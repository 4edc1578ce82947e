"""``ttl mcp``: the tools of this package for AI agents, over the Model Context Protocol."""
