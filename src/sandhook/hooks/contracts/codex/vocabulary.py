"""Codex's names of tools, and of variables with directories."""

from __future__ import annotations

from sandhook.hooks.contracts._vocabulary import Vocabulary

VOCABULARY = Vocabulary(
    shell=("Bash",),
    write=("apply_patch",),
    edit=("apply_patch",),
    others=("view_image", "web_search", "update_plan"),
    mcp="mcp__{server}__{tool}",
    plugin=("PLUGIN_ROOT", "CLAUDE_PLUGIN_ROOT"),
)
