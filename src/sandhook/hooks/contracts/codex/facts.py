"""Codex by the aspects of ``_facts.ASPECTS``."""

from __future__ import annotations

from sandhook.hooks.contracts._launch import Launch

FACTS = {
    "source": "the public hooks page (mid-2026), codex-rs/hooks and runs of 0.171.0; SessionEnd, Interrupt: the newest page alone",
    "files": "hooks.json and config.toml in ~/.codex and .codex; requirements.toml",
    "trust": "user and managed files; upstream asks for each hook by its hash",
    "matcher": "names, or a regular expression found anywhere in the tool's name; apply_patch is also Edit and Write",
    "input": "JSON on standard input",
    "runs": "bash text, with the agent's environment",
    "order": "all at once on the original event; results in config order",
    "timeout": "600, at least 1; SessionEnd and Interrupt 3",
    "output": "1 MiB each, cut (upstream: no bound known)",
    "refuses": "exit 2 with a reason on standard error; `permissionDecision: deny`, `decision: block`",
    "other status": "the run failed, the call proceeds",
    "could not run": "the call proceeds",
    "rewrites": "`updatedInput` with `permissionDecision: allow`, replaces the input; the last one counts",
    "context": "`additionalContext`; plain text on SessionStart, SubagentStart, UserPromptSubmit",
}

LAUNCH = Launch("login shell", "powershell", "powershell", windows_keys=("commandWindows", "command_windows"))
