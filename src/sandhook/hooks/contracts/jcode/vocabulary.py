"""jcode's names of tools, and of variables with directories."""

from __future__ import annotations

from sandhook.hooks.contracts._vocabulary import Vocabulary

VOCABULARY = Vocabulary(
    shell=("execute",),
    read=("read",),
    write=("write",),
    edit=("edit",),
    search=("grep",),
    others=("glob", "todowrite"),
    mcp="mcp__{server}__{tool}",
    project=("JCODE_CWD",),
)
