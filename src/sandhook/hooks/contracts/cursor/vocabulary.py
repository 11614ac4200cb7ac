"""Cursor's names of tools, and of variables with directories."""

from __future__ import annotations

from sandhook.hooks.contracts._vocabulary import Vocabulary

VOCABULARY = Vocabulary(
    shell=("Shell",),
    read=("Read",),
    write=("Write",),
    edit=("Write",),
    search=("Grep",),
    others=("Delete", "Task"),
    mcp="MCP:{tool}",
    project=("CURSOR_PROJECT_DIR", "CLAUDE_PROJECT_DIR"),
)
