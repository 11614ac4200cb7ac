"""goose's names of tools, and of variables with directories."""

from __future__ import annotations

from sandhook.hooks.contracts._vocabulary import Vocabulary

VOCABULARY = Vocabulary(
    shell=("developer__shell",),
    write=("developer__write",),
    edit=("developer__edit",),
    others=("developer__tree",),
    mcp="{server}__{tool}",
    plugin=("PLUGIN_ROOT",),
)
