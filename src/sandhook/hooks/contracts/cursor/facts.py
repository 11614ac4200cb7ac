"""Cursor by the aspects of ``_facts.ASPECTS``."""

from __future__ import annotations

from sandhook.hooks.contracts._launch import Launch

FACTS = {
    "source": "Cursor's page on hooks of others, and adapters of September 2026; medium confidence",
    "files": "hooks.json of the organisation, of ~/.cursor and of .cursor",
    "trust": "the organisation's and the user's files",
    "matcher": "a regular expression on the tool's name, the command or the path, as the event has it",
    "input": "JSON on standard input, CURSOR_* variables",
    "runs": "bash text, with the agent's environment",
    "order": "one by one, all of them; the strongest word counts (low confidence)",
    "timeout": "60 (not verified), no maximum",
    "output": "1 MiB each, cut (upstream: no bound known)",
    "refuses": "exit 2; `permission: deny`; `continue: false` on a prompt",
    "other status": "no opinion; a refusal with `failClosed: true`",
    "could not run": "no opinion; a refusal with `failClosed: true`",
    "rewrites": "`updated_input`, replaces the input",
    "context": "`additional_context`; `followup_message` is the next message of the user",
}

LAUNCH = Launch(
    "login shell",
    "powershell",
    "powershell",
    windows_note="the payload begins with a byte order mark, which jq and most parsers refuse",
)
