"""Qwen Code by the aspects of ``_facts.ASPECTS``."""

from __future__ import annotations

from sandhook.hooks.contracts._launch import Launch

FACTS = {
    "source": "the package @qwen-code/qwen-code 0.24.4 (2026-09-22), its guide, its code and its runs",
    "files": "settings.json of the system, of ~/.qwen and of .qwen",
    "trust": "system and user files; upstream asks for the folder",
    "matcher": "a list of names or JavaScript's RegExp, found anywhere in the tool's name; other names of a tool exactly",
    "input": "JSON on standard input, QWEN_PROJECT_DIR",
    "runs": "bash text, with the agent's environment; http",
    "order": "in parallel, or chained when a matching group says `sequential`; the project's first",
    "timeout": "60 seconds; numbers from 1000 up are milliseconds",
    "output": "1 MiB each, cut",
    "refuses": "exit 2 with text on standard error; `permissionDecision: deny`, `decision: block`, `continue: false`",
    "other status": "a warning, but a JSON object counts",
    "could not run": "the action proceeds",
    "rewrites": "`updatedInput` of a permission request; before a call it has no effect",
    "context": "`additionalContext`; text on a session's start and a prompt",
}

LAUNCH = Launch(
    "bash",
    "bash",
    "cmd",
    git_bash_note="Qwen Code uses Git Bash only if it was started from it, and cmd.exe otherwise",
)
