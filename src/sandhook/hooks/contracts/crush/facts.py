"""Crush by the aspects of ``_facts.ASPECTS``."""

from __future__ import annotations

from sandhook.hooks.contracts._launch import Launch

FACTS = {
    "source": "the public Crush repository at 37f36e9 (2026-08-21)",
    "files": "crush.json and crushrc: machine, user, every directory down to the working directory",
    "trust": "machine and user files; upstream trusts all",
    "matcher": "RE2, found anywhere in the tool's name",
    "input": "JSON on standard input, CRUSH_* variables",
    "runs": "bash text, with the agent's environment",
    "order": "in parallel on the original input; results in config order",
    "timeout": "30, no maximum",
    "output": "1 MiB each, cut (upstream: no bound)",
    "refuses": 'exit 2 denies, 49 halts the turn; `{"decision":"deny"}`, `{"halt":true}`',
    "other status": "no opinion",
    "could not run": "no opinion",
    "rewrites": "`updated_input`, merged into the input's top level; `updated_prompt`",
    "context": "`context` after the result; `context_files`",
}

LAUNCH = Launch("embedded", "embedded", "embedded", programs=("jq",), windows_coreutils=True)
