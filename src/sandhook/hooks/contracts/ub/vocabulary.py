"""ub's names of tools, and of variables with directories."""

from __future__ import annotations

from sandhook.hooks.contracts._vocabulary import Vocabulary

VOCABULARY = Vocabulary(
    shell=("bash",),
    read=("read",),
    write=("write",),
    edit=("edit", "multiedit"),
    fetch=("fetch",),
    search=("grep",),
)
