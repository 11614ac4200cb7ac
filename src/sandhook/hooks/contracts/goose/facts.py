"""goose by the aspects of ``_facts.ASPECTS``."""

from __future__ import annotations

from sandhook.hooks.contracts._launch import Launch

FACTS = {
    "source": "the program of @aaif/goose-binary-linux-x64 1.52.0 and its runs, and goose's hooks guide (September 2026)",
    "files": "hooks/hooks.json of plugins in .agents/plugins and ~/.agents/plugins",
    "trust": "the user's plugins; upstream loads a project's without a question",
    "matcher": "Rust's regular expression, found anywhere in the tool's name, the prompt, the path or the command",
    "input": "JSON on standard input, PLUGIN_ROOT",
    "runs": "shell text, with the agent's environment",
    "order": "one by one, the project's plugins first, up to the first refusal",
    "timeout": "30 seconds, no maximum known",
    "output": "4 MiB each, cut (upstream: no bound known)",
    "refuses": "exit 2; `decision: block` with any status; with `on_failure: block` before a call everything else",
    "other status": "no decision: the action proceeds unless `on_failure` says `block`",
    "could not run": "no decision, as for another status",
    "rewrites": "nothing",
    "context": "nothing",
}

LAUNCH = Launch("sh")
