"""Names and bounds of goose's hooks."""

from __future__ import annotations

from sandhook.hooks.contracts._rows import Row

_TOOL = ("tool_call_id?", "tool_name", "tool_input", "working_dir")
_STEP = ("tool_name", "tool_input", "working_dir")

#: Events, with the payload's keys after the common ones. Matchers look at ``matcher_context``, which is null without
#: a third value; expressions see an empty text there.
ROWS = {
    "SessionStart": Row("session.start"),
    "SessionEnd": Row("session.end"),
    "Stop": Row("stop", ("last_assistant_message?", "working_dir")),
    "UserPromptSubmit": Row("prompt.submit", ("message",), "prompt"),
    "PreToolUse": Row("tool.pre", _TOOL, "tool"),
    "PreToolUseResult": Row(
        "x.PreToolUseResult",
        (*_TOOL, "decision", "policy_evaluated?", "blocked_by?", "reason?", "cause?"),
        "tool",
    ),
    "PostToolUse": Row("tool.post", (*_TOOL, "tool_output?"), "tool"),
    "PostToolUseFailure": Row("tool.fail", (*_TOOL, "error?"), "tool"),
    "BeforeReadFile": Row("x.BeforeReadFile", _STEP, "path"),
    "AfterFileEdit": Row("x.AfterFileEdit", _STEP, "path"),
    "BeforeShellExecution": Row("x.BeforeShellExecution", _STEP, "command"),
    "AfterShellExecution": Row("x.AfterShellExecution", _STEP, "command"),
}
EVENTS = {name: row.kind for name, row in ROWS.items()}

#: Events that the format has and goose never fires.
SILENT = ("SubagentStart", "SubagentStop")

FIELDS = ("type", "command", "timeout", "on_failure")

#: The names that the guide has for tools of the program; no hook for them alone ever runs.
GUIDE_NAMES = {name: f"developer__{name}" for name in ("shell", "write", "edit", "tree")}

#: The reason of a refusal without one.
GENERIC = "denied by plugin hook"

#: How often in a row hooks may keep the agent from stopping.
STOPS = 8

#: Seconds.
DEFAULT_TIMEOUT = 30.0
