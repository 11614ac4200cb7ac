"""Names and bounds of Grok Build's hooks."""

from __future__ import annotations

from sandhook.hooks.contracts._rows import Row

_TOOL = ("toolName", "toolUseId", "toolInput", "toolInputTruncated")
_SUBAGENT = ("subagentId?", "subagentType?")

#: Events, with the payload's keys after the common ones, and the key that matchers look at.
ROWS = {
    "SessionStart": Row("session.start", ("source?",), "source"),
    "SessionEnd": Row("session.end", ("reason?", "subagentType?"), "reason"),
    "UserPromptSubmit": Row("prompt.submit", ("prompt", "subagentType?")),
    "PreToolUse": Row("tool.pre", _TOOL, "toolName"),
    "PostToolUse": Row(
        "tool.post",
        (
            *("toolName", "toolUseId", "toolInput", "toolResult", "toolInputTruncated"),
            *("toolResultTruncated?", "durationMs?", "isBackgrounded?"),
        ),
        "toolName",
    ),
    "PostToolUseFailure": Row("tool.fail", (*_TOOL, "error?", "durationMs?", "isInterrupt?"), "toolName"),
    "PermissionDenied": Row("x.PermissionDenied", (*_TOOL, "reason?"), "toolName"),
    "Stop": Row(
        "stop",
        ("reason?", "stopHookActive", "lastAssistantMessage?", "backgroundTasks?", "sessionCrons?"),
    ),
    "StopFailure": Row("x.StopFailure", ("error?", "errorDetails?", "lastAssistantMessage?"), "error"),
    "StopCancelled": Row(
        "x.StopCancelled",
        ("reason?", "cancelledBy?", "cancelTrigger?", "reasonDetails?", "lastAssistantMessage?"),
        "reason",
    ),
    "Notification": Row("notification", ("notificationType", "message", "level?"), "notificationType"),
    "SubagentStart": Row("subagent.start", (*_SUBAGENT, "description?"), "subagentType"),
    "SubagentStop": Row(
        "subagent.stop",
        ("phase?", *_SUBAGENT, "stopHookActive", "lastAssistantMessage?"),
        "subagentType",
    ),
    "PreCompact": Row("compact.pre", ("source?",), "source"),
    "PostCompact": Row("compact.post", ("source?",), "source"),
}
EVENTS = {name: row.kind for name, row in ROWS.items()}

COMMON = (
    *("sessionId", "cwd", "workspaceRoot", "timestamp", "transcriptPath?", "promptId?"),
    "permissionMode",
)


def snake(text: str) -> str:
    """Return a name of an event or a key in snake case."""
    return "".join(f"_{c.lower()}" if c.isupper() else c for c in text).lstrip("_")


#: Events by the names that payloads have.
SNAKE = {snake(name): name for name in EVENTS}

#: Cursor's names of events, and other names that files may have.
_OTHERS = {
    **dict.fromkeys(("beforeShellExecution", "beforeMCPExecution", "beforeReadFile"), "PreToolUse"),
    **dict.fromkeys(("afterShellExecution", "afterMCPExecution", "afterFileEdit"), "PostToolUse"),
    **dict.fromkeys(("afterAgentResponse", "afterAgentThought"), "PostToolUse"),
    "beforeSubmitPrompt": "UserPromptSubmit",
    "SubagentEnd": "SubagentStop",
}
#: Events by all names that files may have.
NAMES = {
    **{name: name for name in EVENTS},
    **SNAKE,
    **{name[0].lower() + name[1:]: name for name in EVENTS},
    **_OTHERS,
}

#: The keys that payloads have in snake case too, which are Claude Code's.
TWINS = {
    "sessionId": "session_id",
    "transcriptPath": "transcript_path",
    "permissionMode": "permission_mode",
    "toolName": "tool_name",
    "toolInput": "tool_input",
    "toolResult": "tool_response",
    "toolUseId": "tool_use_id",
    "durationMs": "duration_ms",
    "isInterrupt": "is_interrupt",
}

#: Claude Code's names of tools, which matchers know too.
ALIASES = {
    "run_terminal_command": ("Bash",),
    "read_file": ("Read",),
    "search_replace": ("Edit", "Write", "MultiEdit"),
    "grep": ("Grep",),
    "list_dir": ("Glob", "ListDir"),
    "web_search": ("WebSearch",),
    "spawn_subagent": ("Task",),
}

FIELDS = ("type", "command", "url", "timeout", "env")

#: Variables that the agent sets; they win over those of a hook.
VARIABLES = (
    "GROK_HOOK_EVENT",
    "GROK_HOOK_NAME",
    "GROK_SESSION_ID",
    "GROK_WORKSPACE_ROOT",
    "CLAUDE_PROJECT_DIR",
)

#: Seconds, by event; on all others 5.
DEFAULT_TIMEOUT = 5.0
TIMEOUTS = {
    **dict.fromkeys(("Stop", "SubagentStop", "PostToolUse", "PostToolUseFailure"), 600.0),
    "UserPromptSubmit": 30.0,
    "SessionEnd": 1.5,
}

#: How often in one turn hooks may keep the agent from stopping.
STOPS = 8

#: Bytes of a tool's input in a payload; a longer one becomes a text that is cut.
MAX_INPUT = 128 << 10

#: Characters of a text that a hook gives to the model.
MAX_TEXT = 10_000
