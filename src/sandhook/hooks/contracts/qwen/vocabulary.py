"""Qwen Code's names of tools, and of variables with directories."""

from __future__ import annotations

from sandhook.hooks.contracts._vocabulary import Vocabulary

VOCABULARY = Vocabulary(
    shell=("run_shell_command",),
    read=("read_file",),
    write=("write_file",),
    edit=("edit",),
    fetch=("web_fetch",),
    search=("grep_search",),
    others=(
        "read_many_files",
        "list_directory",
        "glob",
        "web_search",
        "todo_write",
        "agent",
        "skill",
        "exit_plan_mode",
        "enter_plan_mode",
        "save_memory",
    ),
    mcp="mcp__{server}__{tool}",
    project=("QWEN_PROJECT_DIR", "GEMINI_PROJECT_DIR", "CLAUDE_PROJECT_DIR"),
)
