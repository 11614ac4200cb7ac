"""Names and bounds of OpenHands' hooks."""

from __future__ import annotations

from sandhook.hooks.contracts._rows import Row

#: Events, with the tool as what matchers look at. All payloads have the same keys.
ROWS = {
    "PreToolUse": Row("tool.pre", matched="tool_name"),
    "PostToolUse": Row("tool.post", matched="tool_name"),
    "UserPromptSubmit": Row("prompt.submit"),
    "SessionStart": Row("session.start"),
    "SessionEnd": Row("session.end"),
    "Stop": Row("stop"),
}
EVENTS = {name: row.kind for name, row in ROWS.items()}

#: Events by both names that files may have.
NAMES = {
    **{name: name for name in EVENTS},
    "pre_tool_use": "PreToolUse",
    "post_tool_use": "PostToolUse",
    "user_prompt_submit": "UserPromptSubmit",
    "session_start": "SessionStart",
    "session_end": "SessionEnd",
    "stop": "Stop",
}

FIELDS = (
    *("type", "name", "command", "prompt", "system_prompt", "tools", "timeout", "max_iterations"),
    *("async", "async_"),
)

#: Characters that make a matcher a regular expression.
METACHARACTERS = frozenset("|.*+?[]()^$\\")

#: Seconds.
DEFAULT_TIMEOUT = 60

#: The reason of a refusal without one.
GENERIC = "Blocked by hook"

#: What the agent removes from the environment of its hooks.
REMOVED = ("OTEL_EXPORTER_OTLP_HEADERS",)
