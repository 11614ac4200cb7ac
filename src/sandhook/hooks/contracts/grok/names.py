"""Names and bounds of Grok Build's hooks."""

from __future__ import annotations

from sandhook.hooks.contracts._rows import Row

_TOOL = ("toolName", "toolInput", "toolUseId")

#: Events, with the payload's keys after the common ones.
ROWS = {
    "SessionStart": Row("session.start", ("source?",)),
    "SessionEnd": Row("session.end", ("reason?",)),
    "UserPromptSubmit": Row("prompt.submit", ("prompt",)),
    "PreToolUse": Row("tool.pre", _TOOL, "toolName"),
    "PostToolUse": Row("tool.post", (*_TOOL, "toolResponse?"), "toolName"),
    "PostToolUseFailure": Row("tool.fail", (*_TOOL, "error?"), "toolName"),
    "PermissionDenied": Row("x.PermissionDenied", (*_TOOL, "reason?"), "toolName"),
    "Stop": Row("stop", ("stopHookActive?", "lastAssistantMessage?")),
    "StopFailure": Row("x.StopFailure", ("error?",)),
    "Notification": Row("notification", ("message", "notificationType"), "notificationType"),
    "SubagentStart": Row("subagent.start", ("agentId?", "agentType?")),
    "SubagentStop": Row("subagent.stop", ("agentId?", "agentType?", "stopHookActive?")),
    "PreCompact": Row("compact.pre", ("trigger?",)),
    "PostCompact": Row("compact.post", ("trigger?",)),
}
EVENTS = {name: row.kind for name, row in ROWS.items()}

COMMON = ("sessionId", "cwd", "workspaceRoot", "timestamp", "permissionMode")


def snake(text: str) -> str:
    """Return a name of an event or a key in snake case."""
    return "".join(f"_{c.lower()}" if c.isupper() else c for c in text).lstrip("_")


#: Events by the names that payloads have.
SNAKE = {snake(name): name for name in EVENTS}

#: Claude Code's names of tools, which matchers know too.
ALIASES = {
    "run_terminal_command": ("Bash",),
    "read_file": ("Read",),
    "search_replace": ("Edit", "Write"),
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

#: Seconds.
DEFAULT_TIMEOUT = 5.0

#: Bytes of a tool's input in a payload; a longer one becomes a text that is cut.
MAX_INPUT = 128 << 10

#: The reason of a refusal by an exit status.
GENERIC = "Blocked by a hook"
