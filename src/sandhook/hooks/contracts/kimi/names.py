"""Names and bounds of Kimi Code's hooks."""

from __future__ import annotations

from sandhook.hooks.contracts._rows import Row

_TOOL = ("tool_name", "tool_input", "tool_call_id")
_ASKED = (
    *("id?", "agent_id?", "turn_id?", "tool_call_id", "tool_name", "action?", "display?"),
    "tool_input",
)

#: Events, with the payload's keys after the common ones.
ROWS = {
    "PreToolUse": Row("tool.pre", _TOOL, "tool_name"),
    "PostToolUse": Row("tool.post", (*_TOOL, "tool_output"), "tool_name"),
    "PostToolUseFailure": Row("tool.fail", (*_TOOL, "error"), "tool_name"),
    "PermissionRequest": Row("permission.request", _ASKED, "tool_name"),
    "PermissionResult": Row("x.PermissionResult", (*_ASKED, "decision?"), "tool_name"),
    "UserPromptSubmit": Row("prompt.submit", ("prompt", "is_steer"), "prompt"),
    "UserPromptQueued": Row("x.UserPromptQueued", ("prompt_id", "prompt", "queue_length"), "prompt"),
    "TurnStarted": Row("turn.start", ("turn_id", "origin_kind", "origin_name?", "prompt?"), "origin_kind"),
    "Stop": Row("stop", ("stop_hook_active",)),
    "StopFailure": Row("x.StopFailure", ("error_type", "error_message"), "error_type"),
    "Interrupt": Row("x.Interrupt", ("turn_id", "reason")),
    "SessionStart": Row("session.start", ("source", "model?", "profile?"), "source"),
    "SessionEnd": Row("session.end", ("reason",), "reason"),
    "SessionHeartbeat": Row("x.SessionHeartbeat", ("uptime_ms",)),
    "SubagentStart": Row("subagent.start", ("agent_name", "prompt"), "agent_name"),
    "SubagentStop": Row("subagent.stop", ("agent_name", "response"), "agent_name"),
    "TaskStarted": Row(
        "x.TaskStarted", ("task_id", "kind", "description", "status", "detached", "started_at"), "kind"
    ),
    "PreCompact": Row("compact.pre", ("trigger", "token_count?"), "trigger"),
    "PostCompact": Row("compact.post", ("trigger", "estimated_token_count?"), "trigger"),
    "Notification": Row(
        "notification",
        (
            *("sink?", "agent_id?", "notification_type", "title?", "body?", "severity?", "source_kind?"),
            "source_id?",
        ),
        "notification_type",
    ),
}
EVENTS = {name: row.kind for name, row in ROWS.items()}

COMMON = ("hook_event_name", "session_id", "cwd", "client_type?", "session_title?")

#: Events that a hook can refuse, or on which it makes the agent continue.
BLOCKABLE = ("PreToolUse", "UserPromptSubmit", "Stop")

FIELDS = ("event", "matcher", "command", "timeout")

#: Seconds.
DEFAULT_TIMEOUT, MIN_TIMEOUT, MAX_TIMEOUT = 30, 1, 600

#: Characters of a tool's output in a payload.
MAX_TOOL_OUTPUT = 2000
