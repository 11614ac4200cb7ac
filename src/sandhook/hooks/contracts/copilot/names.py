"""Names and bounds of GitHub Copilot's hooks."""

from __future__ import annotations

from sandhook.hooks.contracts._rows import Row

_TOOL = ("toolName", "toolArgs")

#: Events, with the payload's keys in camel case.
ROWS = {
    "sessionStart": Row("session.start", ("source", "initialPrompt?")),
    "sessionEnd": Row("session.end", ("reason",)),
    "userPromptSubmitted": Row("prompt.submit", ("prompt",)),
    "userPromptTransformed": Row("x.userPromptTransformed", ("prompt", "transformedPrompt?")),
    "preToolUse": Row("tool.pre", _TOOL, "toolName"),
    "permissionRequest": Row(
        "permission.request", ("toolName", "toolInput", "permissionSuggestions?"), "toolName"
    ),
    "postToolUse": Row("tool.post", (*_TOOL, "toolResult"), "toolName"),
    "postToolUseFailure": Row("tool.fail", (*_TOOL, "error")),  # whose matchers the agent does not look at
    "agentStop": Row("stop", ("transcriptPath", "stopReason?", "stop_hook_active")),
    "subagentStart": Row(
        "subagent.start",
        ("transcriptPath", "agentName", "agentId?", "agentType", "parentAgentId?"),
        "agentName",
    ),
    "subagentStop": Row(
        "subagent.stop",
        (
            *("transcriptPath", "agentId?", "agentType", "agentName", "response?", "stopReason?"),
            *("stop_hook_active", "parentAgentId?"),
        ),
    ),
    "preCompact": Row("compact.pre", ("transcriptPath", "trigger", "customInstructions?"), "trigger"),
    "errorOccurred": Row("x.errorOccurred", ("errorContext?", "recoverable?", "error")),
    "notification": Row(
        "notification", ("message", "title?", "hook_event_name", "notification_type"), "notification_type"
    ),
}
EVENTS = {name: row.kind for name, row in ROWS.items()}

#: Claude Code's names of the events; a hook under such a name receives keys in snake case.
ALIASES = {
    "SessionStart": "sessionStart",
    "SessionEnd": "sessionEnd",
    "UserPromptSubmit": "userPromptSubmitted",
    "UserPromptSubmitted": "userPromptSubmitted",
    "UserPromptTransformed": "userPromptTransformed",
    "PreToolUse": "preToolUse",
    "PermissionRequest": "permissionRequest",
    "PostToolUse": "postToolUse",
    "PostToolUseFailure": "postToolUseFailure",
    "Stop": "agentStop",
    "AgentStop": "agentStop",
    "SubagentStart": "subagentStart",
    "SubagentStop": "subagentStop",
    "PreCompact": "preCompact",
    "ErrorOccurred": "errorOccurred",
    "Notification": "notification",
}

PLACES = {
    "sessionId": "session_id",
    "cwd": "cwd",
    "transcriptPath": "transcript_path",
    "toolName": "tool.name",
    "toolArgs": "tool.input",
    "toolInput": "tool.input",
    "toolResult": "result.value",
    "prompt": "prompt",
    "reason": "reason",
    "stopHookActive": "stop_active",
    "stop_hook_active": "stop_active",
}

#: Keys that have another name in snake case.
SNAKE = {"toolArgs": "tool_input", "response": "last_assistant_message"}

#: Keys of an event's payload in snake case that are in another order there.
SNAKE_ROWS = {
    "subagentStop": (
        *("agentId?", "agentType", "parentAgentId?", "transcriptPath", "agentName", "response?"),
        *("stopReason?", "stop_hook_active"),
    ),
}

#: Claude Code's names of Copilot's tools.
TOOLS = {
    "bash": "Bash",
    "powershell": "PowerShell",
    "create": "Write",
    "edit": "Edit",
    "view": "Read",
    "glob": "Glob",
    "grep": "Grep",
    "web_fetch": "WebFetch",
    "task": "Task",
}

FIELDS = (
    *("type", "bash", "powershell", "command", "exec", "args", "cwd", "env", "timeoutSec", "timeout"),
    *("matcher", "description", "comment", "windows", "linux", "osx", "url", "headers", "prompt"),
)

#: Keys with the commands of other systems, without which a hook for them alone cannot run.
OTHER_SYSTEMS = ("powershell", "windows", "osx")

#: Seconds.
DEFAULT_TIMEOUT = 30.0

#: Bytes of standard output, and characters of context.
MAX_OUTPUT, MAX_CONTEXT = 10 << 20, 10_000

#: What the agent writes for a refusal without a reason, and for a hook that failed.
NO_REASON, FAILED = "No reason provided", "hook errored"

#: What stands before the reason of a result that a hook blocked.
BLOCKED = "Tool result blocked: "

#: The same for a request for permission: the exit status 2, and any other failure.
PERMISSION_DENIED = "Permission denied by hook."
PERMISSION_FAILED = "Permission request hook failed"

#: What the agent writes when a hook of the machine's policy fails, on the kinds of events that such a failure refuses.
POLICY_FAILED = "Policy hook failed"
CLOSED_BY_POLICY = frozenset({"permission.request", "prompt.submit", "tool.post", "stop", "subagent.stop"})

#: How often a hook may keep the agent from stopping.
STOPS = 8


def snake(key: str) -> str:
    """Return a payload's key in snake case."""
    known = SNAKE.get(key)
    if known is not None:
        return known
    return "".join(f"_{c.lower()}" if c.isupper() else c for c in key)


#: Beginnings of the names of variables that the agent removes from the environment of its hooks.
REMOVED = (
    *("OTEL_", "COPILOT_OTEL_", "COPILOT_PROVIDER_", "COPILOT_API_URL", "COPILOT_OFFLINE"),
    *("COPILOT_GITHUB_TOKEN", "GITHUB_TOKEN", "GITHUB_COPILOT_API_TOKEN", "GITHUB_PERSONAL_ACCESS_TOKEN"),
    *("ANTHROPIC_API_KEY", "OPENAI_API_KEY"),
)
