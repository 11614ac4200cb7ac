"""Names and bounds of Cursor's hooks."""

from __future__ import annotations

from sandhook.hooks.contracts._rows import Row

_TOOL = ("tool_name", "tool_input", "tool_use_id?")

ROWS = {
    "sessionStart": Row("session.start", ("is_background_agent?", "composer_mode?")),
    "sessionEnd": Row("session.end", ("reason", "duration_ms?")),
    "beforeSubmitPrompt": Row("prompt.submit", ("prompt", "attachments")),
    "preToolUse": Row("tool.pre", _TOOL, "tool_name"),
    "beforeShellExecution": Row("tool.pre", ("command",), "command"),
    "beforeMCPExecution": Row("tool.pre", ("tool_name", "tool_input", "url?", "command?"), "tool_name"),
    "beforeReadFile": Row("tool.pre", ("file_path", "content"), "file_path"),
    "postToolUse": Row("tool.post", (*_TOOL, "tool_output", "duration?"), "tool_name"),
    "postToolUseFailure": Row("tool.fail", (*_TOOL, "error_message", "failure_type?"), "tool_name"),
    "afterShellExecution": Row("tool.post", ("command", "output", "duration?"), "command"),
    "afterMCPExecution": Row(
        "tool.post", ("tool_name", "tool_input", "result_json", "duration?"), "tool_name"
    ),
    "afterFileEdit": Row("tool.post", ("file_path", "edits"), "file_path"),
    "subagentStart": Row("subagent.start", ("subagent_type", "task?"), "subagent_type"),
    "subagentStop": Row("subagent.stop", ("subagent_type", "status", "loop_count"), "subagent_type"),
    "preCompact": Row("compact.pre", ("trigger",), "trigger"),
    "stop": Row("stop", ("status", "loop_count")),
    "afterAgentResponse": Row("x.afterAgentResponse", ("text",)),
    "afterAgentThought": Row("x.afterAgentThought", ("text",)),
    "beforeTabFileRead": Row("x.beforeTabFileRead", ("file_path", "content")),
    "afterTabFileEdit": Row("x.afterTabFileEdit", ("file_path", "edits")),
    "workspaceOpen": Row("x.workspaceOpen"),
}
EVENTS = {name: row.kind for name, row in ROWS.items()}

COMMON = (
    *("conversation_id", "generation_id", "model", "hook_event_name", "cursor_version"),
    *("workspace_roots", "transcript_path"),
)

#: The places of the values in payloads, except those of one tool's kind of event.
PLACES = {
    "conversation_id": "session_id",
    "generation_id": "turn_id",
    "transcript_path": "transcript_path",
    "tool_name": "tool.name",
    "tool_input": "tool.input",
    "tool_use_id": "tool.call_id",
    "tool_output": "result.value",
    "error_message": "result.error",
    "prompt": "prompt",
    "reason": "reason",
}

#: Events of one tool's kind: the tool's name, and the places of its own keys in the input and the result.
KINDS = {
    "beforeShellExecution": ("Shell", {"command": "command"}, ""),
    "afterShellExecution": ("Shell", {"command": "command"}, "output"),
    "beforeReadFile": ("Read", {"file_path": "file_path"}, ""),
    "afterFileEdit": ("Write", {"file_path": "file_path", "edits": "edits"}, ""),
    "afterMCPExecution": ("", {}, "result_json"),
    "beforeMCPExecution": ("", {}, ""),
}

#: Events on which the status 2 and ``permission: deny`` refuse.
GATES = (
    *("preToolUse", "beforeShellExecution", "beforeMCPExecution", "beforeReadFile"),
    *("beforeSubmitPrompt", "subagentStart", "beforeTabFileRead"),
)

FIELDS = ("command", "matcher", "timeout", "failClosed", "loop_limit", "type", "prompt", "model")

#: Seconds; not verified.
DEFAULT_TIMEOUT = 60.0

#: How often stop hooks may send a message as if the user had.
LOOP_LIMIT = 5
