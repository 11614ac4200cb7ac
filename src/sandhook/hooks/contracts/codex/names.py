"""Names and bounds of Codex's hooks."""

from __future__ import annotations

from sandhook.hooks.contracts._rows import Row
from sandhook.hooks.model import Placement

#: Fields of a turn, the third and fourth only in a sub-agent.
_TURN = ("turn_id", "agent_id?", "agent_type?", "permission_mode")
_COMPACT = ("turn_id", "agent_id?", "agent_type?", "trigger")
_TOOL = ("tool_name", "tool_input")

ROWS = {
    "SessionStart": Row("session.start", ("permission_mode", "source"), "source"),
    "SessionEnd": Row("session.end", ("reason",), "reason"),
    "UserPromptSubmit": Row("prompt.submit", (*_TURN, "prompt")),
    "PreToolUse": Row("tool.pre", (*_TURN, *_TOOL, "tool_use_id"), "tool_name"),
    "PermissionRequest": Row("permission.request", (*_TURN, *_TOOL), "tool_name"),
    "PostToolUse": Row("tool.post", (*_TURN, *_TOOL, "tool_response", "tool_use_id"), "tool_name"),
    "PreCompact": Row("compact.pre", _COMPACT, "trigger"),
    "PostCompact": Row("compact.post", _COMPACT, "trigger"),
    "SubagentStart": Row(
        "subagent.start", ("turn_id", "permission_mode", "agent_id", "agent_type"), "agent_type"
    ),
    "SubagentStop": Row(
        "subagent.stop",
        (
            *("turn_id", "agent_transcript_path", "permission_mode", "stop_hook_active"),
            *("agent_id", "agent_type", "last_assistant_message"),
        ),
        "agent_type",
    ),
    "Stop": Row("stop", ("turn_id", "permission_mode", "stop_hook_active", "last_assistant_message")),
    "Interrupt": Row("x.Interrupt", ("turn_id", "permission_mode")),
}

EVENTS = {name: row.kind for name, row in ROWS.items()}

#: Before the fields of every event.
COMMON = ("session_id", "transcript_path", "cwd", "hook_event_name", "model")

#: Fields of a row that stand between those, each by the common one after which it stands.
INSERTED = {
    "turn_id": "session_id",
    "agent_id?": "turn_id",
    "agent_type?": "agent_id?",
    "agent_transcript_path": "transcript_path",
}

ABSENT = {
    "model": "",
    "permission_mode": "default",
    "turn_id": "",
    "tool_use_id": "",
    "source": "startup",
    "reason": "other",
    "trigger": "auto",
    "agent_id": "",
    "agent_type": "default",
}

#: Other names by which matchers know a tool.
ALIASES = {"apply_patch": ("Edit", "Write")}

FIELDS = ("type", "command", "commandWindows", "command_windows", "timeout", "statusMessage", "async")

#: The keys of a hook that is an array.
HOOK_ARRAY = ("type", "command")

#: The fields of a hook of the type mcp_tool.
MCP_FIELDS = ("type", "server", "tool", "input", "timeout", "statusMessage")

#: Keys next to the events: Codex's approvals, and the directories of the organisation's scripts.
SETTINGS = ("state", "managed_dir", "windows_managed_dir")

#: Handler types that run; the host has the servers of mcp_tool.
TYPES = ("command", "mcp_tool")

#: Handler types that are accepted and never run.
OTHER_TYPES = ("prompt", "agent")

#: Seconds; the last is the maximum for SessionEnd and Interrupt.
DEFAULT_TIMEOUT, MIN_TIMEOUT, LAST_TIMEOUT = 600.0, 1.0, 3.0

#: Events on which plain text becomes context, with its placement.
TEXT: dict[str, Placement] = {
    "SessionStart": "session",
    "SubagentStart": "session",
    "UserPromptSubmit": "prompt",
}
