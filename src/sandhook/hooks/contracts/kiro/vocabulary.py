"""Kiro's names of tools, and of variables with directories."""

from __future__ import annotations

from sandhook.hooks.contracts._vocabulary import Vocabulary

VOCABULARY = Vocabulary(
    shell=("execute_bash",),
    read=("fs_read",),
    write=("fs_write",),
    edit=("fs_write",),
    others=("use_aws",),
    mcp="@{server}/{tool}",
)
