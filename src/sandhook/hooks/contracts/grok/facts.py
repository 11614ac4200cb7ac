"""Grok Build by the aspects of ``_facts.ASPECTS``."""

from __future__ import annotations

from sandhook.hooks.contracts._launch import Launch

FACTS = {
    "source": "the package @xai-official/grok 1.0.41, the guide in its program, and its runs",
    "files": "files of ~/.grok/hooks and .grok/hooks, config.toml, Claude Code's settings, TOML of the organisation",
    "trust": "the organisation's and the user's files; upstream asks for the folder, and reads a project's in a repository only",
    "matcher": "names with bars, or Rust's regular expression, found anywhere in the tool's name or Claude Code's name of it",
    "input": "JSON on standard input: camel case, and Claude Code's keys in snake case",
    "runs": "shell text; one word without special characters is a path next to its file",
    "order": "one by one up to the first refusal, the user's first; equal ones once; after a call all of them",
    "timeout": "5 seconds; 600 on stops and after a call, 30 on a prompt, 1.5 at the end",
    "output": "4 MiB each, cut (upstream: no bound known)",
    "refuses": "exit 2; `decision: deny` or `block`, `permissionDecision: deny`, with any status",
    "other status": "the action proceeds",
    "could not run": "the action proceeds",
    "rewrites": "`updatedInput` before a call, `updatedToolOutput` after it",
    "context": "`additionalContext` before and after a call; on a stop it makes the agent continue",
}

LAUNCH = Launch("sh", "cmd", "cmd")
