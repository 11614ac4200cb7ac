"""Hermes Agent by the aspects of ``_facts.ASPECTS``."""

from __future__ import annotations

from sandhook.hooks.contracts._launch import Launch

FACTS = {
    "source": "agent/shell_hooks.py and the hooks guide (September 2026), and the package hermes-agent 0.19.0",
    "files": "`hooks` of config.yaml in ~/.hermes; there is no project's file",
    "trust": "the user's file; upstream asks once for each command",
    "matcher": "Python's regular expression over all of the tool's name, on tool calls alone",
    "input": "JSON on standard input",
    "runs": "a program with arguments, without a shell",
    "order": "one by one, all of them; the first refusal counts",
    "timeout": "60 seconds, 300 at most",
    "output": "4 MiB each, cut (upstream: no bound known)",
    "refuses": "exit 2; `action: block` or `decision: block` with any status",
    "other status": "a warning, but an object counts",
    "could not run": "the action proceeds, unless `fail_closed` is set",
    "rewrites": "`action: modify` with `args`",
    "context": "`context` before a model call",
}

LAUNCH = Launch("program", "program", "program", script_endings=(".sh", ".py"))
