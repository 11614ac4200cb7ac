"""GitHub Copilot by the aspects of ``_facts.ASPECTS``."""

from __future__ import annotations

from sandhook.hooks.contracts._launch import Launch

FACTS = {
    "source": "GitHub's hooks reference (late 2026) and runs of the CLI 1.0.102; for Visual Studio Code its documentation of February 2026",
    "files": "files of .github/hooks, of ~/.copilot/hooks and of the machine's policy, and blocks of settings.json",
    "trust": "the machine's and the user's files",
    "matcher": "an expression over all of the tool's name; under `PreToolUse` Claude Code's rules and names",
    "input": "JSON on standard input: camel case, or snake case under Claude Code's names of the events",
    "runs": "bash text, or a program with arguments",
    "order": "one by one, in the order of the configuration, up to the first refusal",
    "timeout": "30, no maximum",
    "output": "10 MiB, one JSON document; lines of progress are left out",
    "refuses": "before a call any status but 0; `permissionDecision: deny`, `behavior: deny`",
    "other status": "before a call a refusal; elsewhere 2 warns and others are logged",
    "could not run": "before a call a refusal; a timeout alone never refuses",
    "rewrites": "`modifiedArgs` replaces the arguments, `modifiedResult` the result",
    "context": "`additionalContext`, 10,000 characters",
}

LAUNCH = Launch("bash", "powershell", "powershell", windows_keys=("powershell",), windows_fallback="command")
