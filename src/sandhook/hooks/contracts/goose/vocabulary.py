"""goose's names of tools, and of variables with directories."""

from __future__ import annotations

from sandhook.hooks.contracts._vocabulary import Vocabulary

VOCABULARY = Vocabulary(
    shell=("shell",),
    write=("write",),
    edit=("edit",),
    others=("tree",),
    mcp="{server}__{tool}",
    plugin=("PLUGIN_ROOT",),
)
