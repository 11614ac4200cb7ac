"""Mistral Vibe by the aspects of ``_facts.ASPECTS``."""

from __future__ import annotations

from sandhook.hooks.contracts._launch import Launch

FACTS = {
    "source": "the package mistral-vibe 3.0.3, its own documentation and its runs",
    "files": ".vibe/hooks.toml and ~/.vibe/hooks.toml; of one name the project's",
    "trust": "the user's file; upstream asks for the folder",
    "matcher": "a shell pattern on the tool's name, or an expression over all of it after `re:`",
    "input": "JSON on standard input",
    "runs": "bash text, with the agent's environment",
    "order": "one by one, each on what the earlier ones changed, up to the first refusal; the project's first",
    "timeout": "60, no maximum",
    "output": "1 MiB each, cut",
    "refuses": '`{"decision":"deny"}`; with `strict = true` every failure',
    "other status": "a failure, 2 too: a warning, a refusal with `strict = true`",
    "could not run": "the same as a failure",
    "rewrites": "`tool_input`, replaces the input",
    "context": "`additional_context`",
}

LAUNCH = Launch("sh", "cmd", "cmd")
