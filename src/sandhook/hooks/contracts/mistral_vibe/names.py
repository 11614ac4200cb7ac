"""Names and bounds of Mistral Vibe's hooks."""

from __future__ import annotations

from sandhook.hooks.contracts._rows import Row

_TOOL = ("tool_name", "tool_call_id", "tool_input")

ROWS = {
    "before_tool": Row("tool.pre", _TOOL, "tool_name"),
    "after_tool": Row(
        "tool.post",
        (*_TOOL, "tool_status", "tool_output", "tool_output_text", "tool_error", "duration_ms"),
        "tool_name",
    ),
    "post_agent_turn": Row("stop"),
}
EVENTS = {name: row.kind for name, row in ROWS.items()}

COMMON = ("session_id", "parent_session_id", "transcript_path", "cwd", "hook_event_name")

PLACES = {
    "session_id": "session_id",
    "transcript_path": "transcript_path",
    "cwd": "cwd",
    "tool_name": "tool.name",
    "tool_call_id": "tool.call_id",
    "tool_input": "tool.input",
    "tool_output": "result.value",
    "tool_error": "result.error",
}

FIELDS = ("name", "type", "match", "command", "timeout", "strict", "description")

#: Seconds.
DEFAULT_TIMEOUT = 60.0

#: How often a hook may make the agent continue in one turn.
RETRIES = 3
