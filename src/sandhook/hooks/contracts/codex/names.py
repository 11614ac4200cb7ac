"""Names and bounds of Codex's hooks."""

from __future__ import annotations

from sandhook.hooks.contracts._rows import Row
from sandhook.hooks.model import Placement

_TURN = ("turn_id", "permission_mode")
_TOOL = ("tool_name", "tool_input")

ROWS = {
    "SessionStart": Row("session.start", ("permission_mode", "source"), "source"),
    "SessionEnd": Row("session.end", ("reason?",)),
    "UserPromptSubmit": Row("prompt.submit", (*_TURN, "prompt")),
    "PreToolUse": Row("tool.pre", (*_TURN, *_TOOL, "tool_use_id"), "tool_name"),
    "PermissionRequest": Row("permission.request", (*_TURN, *_TOOL), "tool_name"),
    "PostToolUse": Row("tool.post", (*_TURN, *_TOOL, "tool_response", "tool_use_id"), "tool_name"),
    "PreCompact": Row("compact.pre", ("turn_id", "trigger"), "trigger"),
    "PostCompact": Row("compact.post", ("turn_id", "trigger"), "trigger"),
    "SubagentStart": Row("subagent.start", (*_TURN, "agent_id", "agent_type"), "agent_type"),
    "SubagentStop": Row(
        "subagent.stop",
        (*_TURN, "agent_id", "agent_type", "stop_hook_active", "last_assistant_message"),
        "agent_type",
    ),
    "Stop": Row("stop", (*_TURN, "stop_hook_active", "last_assistant_message")),
    "Interrupt": Row("x.Interrupt", ("turn_id",)),
}

EVENTS = {name: row.kind for name, row in ROWS.items()}

#: Before the fields of every event.
COMMON = ("session_id", "transcript_path", "cwd", "hook_event_name", "model")

ABSENT = {"model": "", "permission_mode": "default", "turn_id": "", "tool_use_id": "", "source": "startup"}

#: Other names by which matchers know a tool.
ALIASES = {"apply_patch": ("Edit", "Write")}

FIELDS = ("type", "command", "commandWindows", "command_windows", "timeout", "statusMessage", "async")

#: Keys next to the events: Codex's approvals, and the directories of the organisation's scripts.
SETTINGS = ("state", "managed_dir", "windows_managed_dir")

#: Handler types that are accepted and not run here.
OTHER_TYPES = ("prompt", "agent", "mcp_tool")

#: Seconds; the last is the maximum for SessionEnd and Interrupt.
DEFAULT_TIMEOUT, MIN_TIMEOUT, LAST_TIMEOUT = 600.0, 1.0, 3.0

#: Events on which plain text becomes context, with its placement.
TEXT: dict[str, Placement] = {
    "SessionStart": "session",
    "SubagentStart": "session",
    "UserPromptSubmit": "prompt",
}
