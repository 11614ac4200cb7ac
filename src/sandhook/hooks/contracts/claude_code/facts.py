"""Claude Code by the aspects of ``_facts.ASPECTS``."""

from __future__ import annotations

from sandhook.hooks.contracts._launch import Launch

FACTS = {
    "source": "the public documentation as of 2.1.240, release notes up to 2.1.317",
    "files": "settings.json: managed, user, project, local; plugins' hooks.json; heads of skills and agents",
    "trust": "managed and user files; upstream all, once the folder is trusted",
    "matcher": "names joined by `|` or `,`, else a JavaScript expression found anywhere; `if`: one permission rule",
    "input": "JSON on standard input, CLAUDE_* variables",
    "runs": "shell text or argv, http, MCP tools, prompts, agents; with the agent's environment",
    "order": "in parallel, all to their end; results in config order (upstream: as they end)",
    "timeout": "600; prompt 30, agent 60, before a prompt 30; no maximum",
    "output": "1 MiB each, cut (upstream: no bound); 10,000 characters of each text",
    "refuses": "exit 2; `permissionDecision: deny`; `decision: block`; `continue: false` ends the turn",
    "other status": "no opinion; the first line of standard error is a note",
    "could not run": "no opinion; with `onFailure: block` a refusal",
    "rewrites": "`updatedInput` replaces the input, `updatedToolOutput` the result",
    "context": "`additionalContext`; plain text at a session's start and before a prompt",
}

LAUNCH = Launch("sh", "bash", "powershell", rewrites_variables=True)
