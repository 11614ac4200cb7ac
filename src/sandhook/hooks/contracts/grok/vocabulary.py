"""Grok Build's names of tools, and of variables with directories."""

from __future__ import annotations

from sandhook.hooks.contracts._vocabulary import Vocabulary

VOCABULARY = Vocabulary(
    shell=("run_terminal_command",),
    read=("read_file",),
    write=("search_replace",),
    edit=("search_replace",),
    search=("grep",),
    others=("list_dir", "web_search", "spawn_subagent", "todo_write", "use_tool"),
    mcp="{server}__{tool}",
    project=("GROK_WORKSPACE_ROOT", "CLAUDE_PROJECT_DIR"),
)
