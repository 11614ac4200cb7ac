"""Everruns's names of tools, and of variables with directories."""

from __future__ import annotations

from sandhook.hooks.contracts._vocabulary import Vocabulary

VOCABULARY = Vocabulary(
    shell=("bash",),
    read=("read_file",),
    write=("write_file",),
    edit=("edit_file",),
    fetch=("web_fetch",),
    search=("grep_files",),
)
