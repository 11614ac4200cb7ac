"""Docker Agent's names of tools, and of variables with directories."""

from __future__ import annotations

from sandhook.hooks.contracts._vocabulary import Vocabulary

VOCABULARY = Vocabulary(
    shell=("shell",),
    read=("read_file",),
    write=("write_file",),
    edit=("edit_file",),
    fetch=("fetch",),
    search=("search_files_content",),
    others=("read_multiple_files", "list_directory", "directory_tree"),
)
