"""GitHub Copilot's names of tools, and of variables with directories."""

from __future__ import annotations

from sandhook.hooks.contracts._vocabulary import Vocabulary

VOCABULARY = Vocabulary(
    shell=("bash", "powershell"),
    read=("view",),
    write=("create",),
    edit=("edit",),
    fetch=("web_fetch",),
    search=("grep",),
    others=("glob", "task"),
    project=("COPILOT_PROJECT_DIR", "CLAUDE_PROJECT_DIR"),
)
