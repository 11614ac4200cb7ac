"""Gemini CLI's names of tools, and of variables with directories."""

from __future__ import annotations

from sandhook.hooks.contracts._vocabulary import Vocabulary

VOCABULARY = Vocabulary(
    shell=("run_shell_command",),
    read=("read_file",),
    write=("write_file",),
    edit=("replace",),
    fetch=("web_fetch",),
    search=("grep_search", "search_file_content"),
    others=(
        "read_many_files",
        "list_directory",
        "glob",
        "google_web_search",
        "save_memory",
        "write_todos",
        "ask_user",
        "activate_skill",
    ),
    mcp="mcp_{server}_{tool}",
    project=("GEMINI_PROJECT_DIR", "CLAUDE_PROJECT_DIR"),
)
