"""Names and bounds of Kiro's hooks."""

from __future__ import annotations

from sandhook.hooks.contracts._rows import Row

_TOOL = ("tool_name", "tool_input")

ROWS = {
    "agentSpawn": Row("session.start"),
    "userPromptSubmit": Row("prompt.submit", ("prompt",)),
    "preToolUse": Row("tool.pre", _TOOL, "tool_name"),
    "postToolUse": Row("tool.post", (*_TOOL, "tool_response"), "tool_name"),
    "stop": Row("stop"),
    "postFileSave": Row("x.PostFileSave", ("file_path",), "file_path"),
    "postFileCreate": Row("x.PostFileCreate", ("file_path",), "file_path"),
    "postFileDelete": Row("x.PostFileDelete", ("file_path",), "file_path"),
}
EVENTS = {name: row.kind for name, row in ROWS.items()}

#: Triggers of the files of .kiro/hooks, in lower case, to events.
TRIGGERS = {name.lower(): name for name in ROWS} | {"promptsubmit": "userPromptSubmit", "agentstop": "stop"}

COMMON = ("hook_event_name", "cwd", "session_id?")

FIELDS = ("command", "matcher", "timeout_ms", "cache_ttl_seconds", "max_output_size", "description")

HOOK_FIELDS = ("name", "description", "trigger", "matcher", "action", "timeout", "enabled")

#: Seconds: of an agent's hooks (not verified), and of a file's.
AGENT_TIMEOUT, FILE_TIMEOUT = 30.0, 60.0
