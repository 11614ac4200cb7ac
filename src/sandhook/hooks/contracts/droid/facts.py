"""Factory Droid by the aspects of ``_facts.ASPECTS``."""

from __future__ import annotations

from sandhook.hooks.contracts._launch import Launch

FACTS = {
    "source": "the program 0.225.2 (@factory/cli-linux-x64), its code and its runs, and Factory's documentation",
    "files": "hooks.json and settings.json in .factory and ~/.factory",
    "trust": "the user's files; upstream asks for the folder",
    "matcher": "JavaScript's RegExp, found anywhere in the tool's name; `commandRegex` on the command of `Execute`",
    "input": "JSON on standard input, FACTORY_PROJECT_DIR, and texts of the payload as variables",
    "runs": "shell text, with the agent's environment",
    "order": "in parallel; the first refusal of the configuration counts",
    "timeout": "60 seconds",
    "output": "4 MiB each, cut (upstream: no bound known)",
    "refuses": "exit 2 and 3; `permissionDecision: deny` and `continue: false` with any status",
    "other status": "the action proceeds",
    "could not run": "the action proceeds",
    "rewrites": "`updatedInput`, merged into the input",
    "context": "`additionalContext` and text on a session's start and a prompt, after a call `additionalContext`",
}

LAUNCH = Launch("sh")
