"""OpenHands by the aspects of ``_facts.ASPECTS``."""

from __future__ import annotations

from sandhook.hooks.contracts._launch import Launch

FACTS = {
    "source": "the packages openhands-sdk and openhands-tools 1.58.0, their code and runs",
    "files": "hooks.json in .openhands, else in ~/.openhands",
    "trust": "the user's file; upstream asks nothing",
    "matcher": "a name, or Python's regular expression over all of it if it has a special character",
    "input": "JSON on standard input, OPENHANDS_PROJECT_DIR",
    "runs": "shell text, with the agent's environment",
    "order": "one by one, up to the first refusal",
    "timeout": "60 seconds, a whole number",
    "output": "4 MiB each, cut (upstream: no bound known)",
    "refuses": "exit 2; `decision: deny` or a false `continue` with any status",
    "other status": "the action proceeds",
    "could not run": "the action proceeds",
    "rewrites": "nothing",
    "context": "`additionalContext` on a prompt and on a session's start; on a refused stop it is the feedback",
}

LAUNCH = Launch("sh", "cmd", "cmd")
