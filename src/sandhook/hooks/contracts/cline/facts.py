"""Cline by the aspects of ``_facts.ASPECTS``."""

from __future__ import annotations

from sandhook.hooks.contracts._launch import Launch

FACTS = {
    "source": "the package cline 3.0.65 (@cline/core 0.0.86), its code and runs",
    "files": "files with the names of events in .clinerules/hooks, .cline/hooks, ~/.cline/hooks and ~/Documents/Cline/Hooks",
    "trust": "the user's files; upstream asks nothing",
    "matcher": "nothing: every hook of an event runs",
    "input": "JSON on standard input",
    "runs": "the program of the `#!` line, or by the ending of the file, with the agent's environment",
    "order": "one by one, all of them, on the same call",
    "timeout": "120, not configurable",
    "output": "4 MiB each, cut (upstream: no bound)",
    "refuses": "`cancel: true` on PreToolUse, with any status: the turn ends",
    "other status": "not read",
    "could not run": "the action proceeds",
    "rewrites": "`overrideInput`, replaced",
    "context": "`context`, `contextModification` or `errorMessage`, up to 50,000 characters",
}

LAUNCH = Launch(
    "program",
    "program",
    "program",
    windows_note="python and `.py` are started by `py -3`, and `.ps1` by `powershell`",
)
