"""Kiro by the aspects of ``_facts.ASPECTS``."""

from __future__ import annotations

from sandhook.hooks.contracts._launch import Launch

FACTS = {
    "source": "excerpts of the documentation of Amazon Q, Kiro CLI and Kiro IDE, and reports of users; low confidence",
    "files": "an agent's JSON below .kiro/agents, or files of .kiro/hooks",
    "trust": "the user's files",
    "matcher": "a shell pattern on the tool's name",
    "input": "JSON on standard input; the prompt in USER_PROMPT",
    "runs": "bash text, with the agent's environment",
    "order": "one by one, all of them (low confidence)",
    "timeout": "30 in an agent (not verified), 60 in a file, no maximum",
    "output": "1 MiB each, cut (upstream: no bound known)",
    "refuses": "exit 2 before a call",
    "other status": "a warning",
    "could not run": "a warning",
    "rewrites": "none",
    "context": "standard output of agentSpawn and userPromptSubmit, and of hooks of files",
}

LAUNCH = Launch("sh")
