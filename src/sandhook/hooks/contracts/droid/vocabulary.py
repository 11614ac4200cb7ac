"""Factory Droid's names of tools, and of variables with directories."""

from __future__ import annotations

from sandhook.hooks.contracts._vocabulary import Vocabulary

VOCABULARY = Vocabulary(
    shell=("Execute",),
    read=("Read",),
    write=("Create",),
    edit=("Edit", "ApplyPatch"),
    fetch=("FetchUrl",),
    search=("Grep",),
    others=("Glob", "LS", "Task", "WebSearch", "TodoWrite"),
    mcp="mcp__{server}__{tool}",
    project=("FACTORY_PROJECT_DIR", "DROID_PROJECT_DIR", "CLAUDE_PROJECT_DIR"),
)
