"""Gemini CLI by the aspects of ``_facts.ASPECTS``."""

from __future__ import annotations

from sandhook.hooks.contracts._launch import Launch

FACTS = {
    "source": "the public Gemini CLI repository, docs/hooks and packages/core/src/hooks at 5411f11 (2026-08-21); runs of 0.61.0",
    "files": "settings.json of the system, of ~/.gemini and of .gemini",
    "trust": "system and user files; upstream asks for the folder and warns of changed hooks",
    "matcher": "JavaScript's RegExp, found anywhere in the tool's name; elsewhere the very text",
    "input": "JSON on standard input, GEMINI_* variables",
    "runs": "bash text, with the agent's environment",
    "order": "in parallel, or chained when a matching group says `sequential`; the user's first, then the project's",
    "timeout": "60, written in milliseconds, no maximum",
    "output": "1 MiB each, cut (upstream: no bound known)",
    "refuses": "exit 2, or any status above 1 with text; `decision: deny`, `continue: false`",
    "other status": "1 warns; above 1 refuses with the text as the reason",
    "could not run": "the action proceeds; a missing program refuses by its status and message",
    "rewrites": "`tool_input`, replaces the input; the last one counts",
    "context": "`additionalContext`",
}

LAUNCH = Launch("bash", "powershell", "powershell")
