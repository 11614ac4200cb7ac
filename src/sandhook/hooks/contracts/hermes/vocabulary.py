"""Hermes Agent's names of tools, and of variables with directories."""

from __future__ import annotations

from sandhook.hooks.contracts._vocabulary import Vocabulary

VOCABULARY = Vocabulary(
    shell=("terminal",),
    read=("read_file",),
    write=("write_file",),
    edit=("patch",),
    search=("search_files",),
)
