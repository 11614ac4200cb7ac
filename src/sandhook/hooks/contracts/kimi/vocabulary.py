"""Kimi Code's names of tools, and of variables with directories."""

from __future__ import annotations

from sandhook.hooks.contracts._vocabulary import Vocabulary

VOCABULARY = Vocabulary(
    shell=("Bash",),
    read=("Read",),
    write=("Write",),
    edit=("Edit",),
    fetch=("FetchURL",),
    search=("Grep",),
    others=("Glob", "WebSearch", "TodoList", "Agent"),
    mcp="mcp__{server}__{tool}",
)
