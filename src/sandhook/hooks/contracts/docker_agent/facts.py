"""Docker Agent by the aspects of ``_facts.ASPECTS``."""

from __future__ import annotations

from sandhook.hooks.contracts._launch import Launch

FACTS = {
    "source": "docker/docker-agent, docs and pkg/hooks (2026-03-14); newer events from an excerpt of its documentation",
    "files": "the YAML file of the agents, `agents.<name>.hooks`",
    "trust": "none of the files; upstream runs what the file says",
    "matcher": "RE2 over all of the tool's name (low confidence)",
    "input": "JSON on standard input",
    "runs": "bash text, with the agent's environment",
    "order": "one by one, all of them; the strongest word counts (low confidence)",
    "timeout": "60, no maximum",
    "output": "1 MiB each, cut (upstream: no bound known)",
    "refuses": "exit 2; `permission_decision: deny`, `decision: block`, `continue: false`",
    "other status": "logged, the agent goes on",
    "could not run": "the agent goes on",
    "rewrites": "`updated_input` replaces the input",
    "context": "`additional_context`",
}

LAUNCH = Launch("sh")
