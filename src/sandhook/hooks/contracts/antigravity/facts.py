"""Antigravity by the aspects of ``_facts.ASPECTS``."""

from __future__ import annotations

from sandhook.hooks.contracts._launch import Launch

FACTS = {
    "source": "Google's hooks documentation at second hand, and tests by others of versions 1.0.3 to 1.2.7",
    "files": "hooks.json of ~/.gemini/config and of .agents; bundles by name",
    "trust": "the user's file",
    "matcher": "a regular expression, found anywhere in the tool's name",
    "input": "JSON on standard input, in camel case and without the event's name",
    "runs": "shell text, in the directory of its file",
    "order": "one by one, up to the first refusal",
    "timeout": "30 seconds, a whole number",
    "output": "4 MiB each, cut (upstream: no bound known)",
    "refuses": "`decision: deny`; before a call also `{}`, any text, any status but 0",
    "other status": "before a call a refusal; elsewhere nothing",
    "could not run": "before a call a refusal",
    "rewrites": "nothing",
    "context": "nothing",
}

LAUNCH = Launch("sh")
