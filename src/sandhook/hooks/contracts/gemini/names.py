"""Names and bounds of Gemini CLI's hooks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sandhook.hooks.contracts._rows import Row

if TYPE_CHECKING:
    from sandhook.hooks.event import JsonObject

_TOOL = ("tool_name", "tool_input", "mcp_context?")

ROWS = {
    "SessionStart": Row("session.start", ("source",), "source"),
    "SessionEnd": Row("session.end", ("reason",), "reason"),
    "BeforeAgent": Row("prompt.submit", ("prompt",)),
    "AfterAgent": Row("stop", ("prompt", "prompt_response", "stop_hook_active")),
    "BeforeModel": Row("model.pre", ("llm_request",)),
    "AfterModel": Row("model.post", ("llm_request", "llm_response")),
    "BeforeToolSelection": Row("x.BeforeToolSelection", ("llm_request",)),
    "BeforeTool": Row("tool.pre", _TOOL, "tool_name"),
    "AfterTool": Row("tool.post", ("tool_name", "tool_input", "tool_response", "mcp_context?"), "tool_name"),
    "PreCompress": Row("compact.pre", ("trigger",), "trigger"),
    "Notification": Row("notification", ("notification_type", "message", "details"), "notification_type"),
}
EVENTS = {name: row.kind for name, row in ROWS.items()}

COMMON = ("session_id", "transcript_path", "cwd", "hook_event_name", "timestamp")

#: The values in the payload of an event that has none.
ABSENT: JsonObject = {
    "transcript_path": "",
    "timestamp": "",
    "source": "startup",
    "reason": "other",
    "trigger": "auto",
    "prompt_response": "",
}

FIELDS = ("type", "command", "name", "timeout", "description", "env")

#: Seconds; files have milliseconds.
DEFAULT_TIMEOUT = 60.0

#: Keys below ``hooks`` in older files that are not events.
SETTINGS = ("enabled", "disabled", "notifications")

#: The reason of a refusal that has none.
NO_REASON = "No reason provided"
