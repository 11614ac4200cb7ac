"""Kimi Code by the aspects of ``_facts.ASPECTS``."""

from __future__ import annotations

from sandhook.hooks.contracts._launch import Launch

FACTS = {
    "source": "the package @moonshot-ai/kimi-code 2.1.0 (2026-09-23), its code and its runs",
    "files": "~/.kimi-code/config.toml; there is no project's file",
    "trust": "the user's file",
    "matcher": "JavaScript's RegExp, found anywhere in the tool's name or the prompt",
    "input": "JSON on standard input",
    "runs": "shell text, with the agent's environment",
    "order": "in parallel; the first refusal of the configuration counts",
    "timeout": "30 seconds, a whole number from 1 to 600",
    "output": "4 MiB each, cut (upstream: no bound known)",
    "refuses": "exit 2; with the exit status 0 `permissionDecision: deny`",
    "other status": "the action proceeds, and the output is not read",
    "could not run": "the action proceeds",
    "rewrites": "nothing",
    "context": "`message` or text, on a prompt",
}

LAUNCH = Launch("sh", "cmd", "cmd")
