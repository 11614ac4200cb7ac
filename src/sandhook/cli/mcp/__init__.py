"""``sandhook mcp-proxy`` and ``sandhook mcp-shell``."""
