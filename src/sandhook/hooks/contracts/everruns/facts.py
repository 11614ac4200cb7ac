"""Everruns by the aspects of ``_facts.ASPECTS``."""

from __future__ import annotations

from sandhook.hooks.contracts._launch import Launch

FACTS = {
    "source": "the public everruns repository, capability user_hooks, and its documentation",
    "files": "JSON: a user_hooks config, a capability list, declarative capabilities; the local form: user, workspace",
    "trust": "what the caller names, and the user's file",
    "matcher": "tool name, prefix glob, RE2-compatible regex on one argument (match or deny)",
    "input": "EVERRUNS_HOOK_* variables and a file; in better mode standard input too",
    "runs": "bash text in a sandbox over /workspace",
    "order": "one by one, chained; the first block ends the chain",
    "timeout": "5, from 0.1 to 30",
    "output": "65,536 together; more is an error",
    "refuses": '`{"decision":"block"}`, or a non-zero status without output',
    "other status": "JSON decides whatever the status",
    "could not run": "`on_error`: block, warn (default) or allow",
    "rewrites": '`{"decision":"mutate","patch":…}`: arguments, message, result',
    "context": "`patch.additional_context` into the result",
}

LAUNCH = Launch("sandbox", "sandbox", "sandbox")
