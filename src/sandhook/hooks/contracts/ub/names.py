"""Names and bounds of ub's hooks."""

from __future__ import annotations

EVENTS = {
    "pre_tool_call": "tool.pre",
    "post_tool_call": "tool.post",
    "pre_user_turn": "turn.start",
    "post_user_turn": "turn.end",
}
TOOL_EVENTS = ("pre_tool_call", "post_tool_call")
FIELDS = ("command", "tools", "timeout", "on_failure", "env")

#: Seconds.
DEFAULT_TIMEOUT, MAX_TIMEOUT = 10.0, 60.0

#: Bytes of each output stream; the rest is dropped.
MAX_OUTPUT = 4096
