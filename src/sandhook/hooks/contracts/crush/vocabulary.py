"""Crush's names of tools, and of variables with directories."""

from __future__ import annotations

from sandhook.hooks.contracts._vocabulary import Vocabulary

VOCABULARY = Vocabulary(
    shell=("bash",),
    read=("view",),
    write=("write",),
    edit=("edit", "multiedit"),
    fetch=("fetch", "agentic_fetch", "web_fetch"),
    search=("grep",),
    others=(
        "ls",
        "glob",
        "web_search",
        "download",
        "sourcegraph",
        "agent",
        "todos",
        "question",
        "job_output",
        "job_kill",
        "crush_info",
        "crush_logs",
    ),
    mcp="mcp_{server}_{tool}",
    project=("CRUSH_PROJECT_DIR",),
)
