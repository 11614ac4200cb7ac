"""Names and bounds of Docker Agent's hooks."""

from __future__ import annotations

from sandhook.hooks.contracts._rows import Row

_TOOL = ("tool_name", "tool_use_id", "tool_input")

ROWS = {
    "pre_tool_use": Row("tool.pre", _TOOL, "tool_name"),
    "post_tool_use": Row("tool.post", (*_TOOL, "tool_response"), "tool_name"),
    "session_start": Row("session.start", ("source",)),
    "session_end": Row("session.end", ("reason",)),
    "on_user_input": Row("notification"),
    "permission_request": Row("permission.request", _TOOL, "tool_name"),
    "user_prompt_submit": Row("prompt.submit", ("prompt",)),
    "tool_response_transform": Row("x.tool_response_transform", (*_TOOL, "tool_response"), "tool_name"),
}
EVENTS = {name: row.kind for name, row in ROWS.items()}

#: Events with groups that have a matcher; the others have flat lists.
GROUPED = tuple(name for name, row in ROWS.items() if row.matched)

COMMON = ("session_id", "cwd", "hook_event_name")

FIELDS = ("type", "command", "timeout", "name")

#: Seconds.
DEFAULT_TIMEOUT = 60.0
