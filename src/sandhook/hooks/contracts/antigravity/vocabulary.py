"""Antigravity's names of tools, and of variables with directories."""

from __future__ import annotations

from sandhook.hooks.contracts._vocabulary import Vocabulary

VOCABULARY = Vocabulary(
    shell=("run_command",),
    read=("view_file",),
    write=("write_to_file",),
    edit=("replace_file_content", "multi_replace_file_content"),
    fetch=("read_url_content",),
    search=("grep_search",),
    others=("list_dir",),
)
