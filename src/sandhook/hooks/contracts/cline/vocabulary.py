"""Cline's names of tools."""

from __future__ import annotations

from sandhook.hooks.contracts._vocabulary import Vocabulary

VOCABULARY = Vocabulary(
    shell=("run_commands",),
    read=("read_files",),
    write=("editor",),
    edit=("editor",),
    fetch=("fetch_web_content",),
    search=("search_codebase",),
    others=("ask_question", "spawn_agent"),
)
