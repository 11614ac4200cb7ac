"""Names and bounds of Factory Droid's hooks."""

from __future__ import annotations

from sandhook.hooks.contracts._rows import Row

_TOOL = ("tool_name", "tool_input")

#: Events, with the payload's keys after the common ones.
ROWS = {
    "PreToolUse": Row("tool.pre", _TOOL, "tool_name"),
    "PostToolUse": Row("tool.post", (*_TOOL, "tool_response"), "tool_name"),
    "Notification": Row("notification", ("message_id?", "message", "notification_type")),
    "UserPromptSubmit": Row("prompt.submit", ("message_id?", "prompt", "has_images?")),
    "Stop": Row("stop", ("message_id?", "stop_hook_active", "tool_execution_count?", "elapsed_time?")),
    "SubagentStop": Row("subagent.stop", ("task_name?", "task_result?", "task_error?", "stop_hook_active")),
    "PreCompact": Row(
        "compact.pre",
        ("trigger", "custom_instructions?", "message_count?", "estimated_tokens?", "message_id?"),
    ),
    "SessionStart": Row(
        "session.start",
        ("message_id?", "source", "previous_session_id?", "calling_session_id?", "CLAUDE_ENV_FILE?"),
        "source",
    ),
    "SessionEnd": Row("session.end", ("message_id?", "reason", "session_duration_ms?", "message_count?")),
}
EVENTS = {name: row.kind for name, row in ROWS.items()}

COMMON = ("session_id", "transcript_path", "cwd", "permission_mode", "hook_event_name")

FIELDS = ("type", "command", "timeout", "preserveRiskLevel")

#: Keys of the object of events that are no events.
SETTINGS = ("hooksDisabled", "showHookOutput")

#: Seconds.
DEFAULT_TIMEOUT = 60.0

#: The exit status that ends the agent.
ABORT = 3

#: What the agent writes for a reason that a hook did not write, by event.
NO_REASON = {
    "PreToolUse": "Tool execution blocked by hook",
    "PostToolUse": "PostToolUse hook reported an issue",
    "Stop": "Stop hook requested continuation",
    "UserPromptSubmit": "User prompt submission blocked by hook",
}
DENIED, STOPPED = "Tool execution denied by hook", "Hook requested to stop execution"
#: What stands before a word to the model after a call.
FEEDBACK = "[Hook Feedback] "

#: The directory of a plugin as a hook of settings has it.
NO_PLUGIN = "/PLUGIN_ROOT_NOT_EXPANDED_ERROR"
