"""Names and bounds of goose's hooks."""

from __future__ import annotations

from sandhook.hooks.contracts._rows import Row

_TOOL = ("tool_name", "tool_input", "tool_call_id?")

#: Events, with the payload's keys after the common ones. Matchers look at ``matcher_context``, except on the first.
ROWS = {
    "SessionStart": Row("session.start"),
    "SessionEnd": Row("session.end"),
    "Stop": Row("stop", ("last_assistant_message?",)),
    "UserPromptSubmit": Row("prompt.submit", ("message",), "prompt"),
    "PreToolUse": Row("tool.pre", _TOOL, "tool"),
    "PreToolUseResult": Row(
        "x.PreToolUseResult", (*_TOOL, "decision", "cause?", "blocked_by?", "reason?"), "tool"
    ),
    "PostToolUse": Row("tool.post", (*_TOOL, "tool_output?"), "tool"),
    "PostToolUseFailure": Row("tool.fail", (*_TOOL, "error?"), "tool"),
    "BeforeReadFile": Row("x.BeforeReadFile", _TOOL, "path"),
    "AfterFileEdit": Row("x.AfterFileEdit", _TOOL, "path"),
    "BeforeShellExecution": Row("x.BeforeShellExecution", _TOOL, "command"),
    "AfterShellExecution": Row("x.AfterShellExecution", _TOOL, "command"),
}
EVENTS = {name: row.kind for name, row in ROWS.items()}

#: Events that the format has and goose never fires.
SILENT = ("SubagentStart", "SubagentStop")

FIELDS = ("type", "command", "timeout", "on_failure")

#: Seconds.
DEFAULT_TIMEOUT = 30.0
