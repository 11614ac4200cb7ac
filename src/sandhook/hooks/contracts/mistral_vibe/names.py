"""Names and bounds of Mistral Vibe's hooks."""

from __future__ import annotations

from sandhook.hooks.contracts._rows import Row

_TOOL = ("tool_name", "tool_call_id", "tool_input")

ROWS = {
    "pre_tool": Row("tool.pre", _TOOL, "tool_name"),
    "post_tool": Row(
        "tool.post",
        (*_TOOL, "tool_status", "tool_output", "tool_output_text", "tool_error", "duration_ms"),
        "tool_name",
    ),
    "post_agent": Row("stop", ("agent_name?",)),
}
EVENTS = {name: row.kind for name, row in ROWS.items()}

#: What the events were called in sources of July 2026; the agent skips hooks with such a type.
FORMER = {"before_tool": "pre_tool", "after_tool": "post_tool", "post_agent_turn": "post_agent"}

COMMON = ("session_id", "transcript_path", "cwd", "parent_session_id", "hook_event_name")

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

#: Seconds of a hook whose timeout is larger than any that matters.
MAX_TIMEOUT = 1e9

#: How often a hook may make the agent continue in one turn.
RETRIES = 3

#: The reason of a refusal that has none, by the kind of the event.
NO_REASON = {
    "tool.pre": "Blocked by a pre_tool hook.",
    "tool.post": "The tool result was blocked by a post_tool hook.",
    "stop": "A post_agent hook asked the agent to revise its response.",
}
