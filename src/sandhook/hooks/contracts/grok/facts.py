"""Grok Build by the aspects of ``_facts.ASPECTS``."""

from __future__ import annotations

from sandhook.hooks.contracts._launch import Launch

FACTS = {
    "source": "xAI's hooks page and the guide of the CLI (late 2026), and its crate for hooks in public forks",
    "files": "files of ~/.grok/hooks and .grok/hooks, and Claude Code's settings.json",
    "trust": "the user's files; upstream asks for the folder",
    "matcher": "Rust's regular expression, found anywhere in the tool's name or Claude Code's name of it",
    "input": "JSON on standard input: camel case, and the same keys in snake case",
    "runs": "shell text; one word without special characters is a path next to its file",
    "order": "one by one, all of them; equal ones once, the user's first",
    "timeout": "5 seconds, a whole number",
    "output": "4 MiB each, cut (upstream: no bound known)",
    "refuses": "exit 2; `decision: deny` with any status",
    "other status": "the action proceeds",
    "could not run": "the action proceeds",
    "rewrites": "nothing",
    "context": "nothing",
}

LAUNCH = Launch("sh", "cmd", "cmd")
