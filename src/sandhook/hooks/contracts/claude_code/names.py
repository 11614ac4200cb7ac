"""Names and bounds of Claude Code's hooks, and what each of its events can do."""

from __future__ import annotations

from sandhook.record import Record
from sandhook.typed import Literal

#: What the exit status 2 does, see ``EventRow``.
OnExit2 = Literal["deny", "block", "go", "feedback", "halt", "notice", "ignored"]


class EventRow(Record):
    """One event.

    Attributes:
        kind: The neutral kind.
        on_exit_2: What the exit status 2 does: "deny" a tool call, "block" what was about to happen, "go" on
            working, give "feedback" to the model, "halt" the loop, "notice" for the user, or "ignored".
        fields: Keys of the payload beyond the common ones, in order; "?" after those that may be absent.
        specific: The fields of ``hookSpecificOutput`` that it accepts.
        blocks: It accepts ``decision: "block"`` with ``reason``.
        stops: It accepts ``continue: false``.
        matched: The payload's key that matchers look at, or "".
        stdout_is_context: Plain text on standard output becomes context.
        shows_system_message: It shows ``systemMessage``.
        types: Handler types that it runs.
    """

    kind: str
    on_exit_2: OnExit2 = "ignored"
    fields: tuple[str, ...] = ()
    specific: tuple[str, ...] = ()
    blocks: bool = False
    stops: bool = False
    matched: str = ""
    stdout_is_context: bool = False
    shows_system_message: bool = True
    types: tuple[str, ...] = ("command", "http", "mcp_tool")


_ALL = ("command", "http", "mcp_tool", "prompt", "agent")
_FIRST = ("command", "mcp_tool")
_CALL = ("tool_name", "tool_input", "tool_use_id?")
_STOP = ("last_assistant_message?", "background_tasks?", "session_crons?")
_SWITCH = (
    *("from_model?", "to_model", "requested_model?", "source?", "context_tokens?", "prompt_cache_warm?"),
    *("cache_ttl?", "estimated_cache_write_usd?", "pricing?"),
)

ROWS: dict[str, EventRow] = {
    "SessionStart": EventRow(
        "session.start",
        "notice",
        (
            *("source", "model?", "agent_type?", "session_title?", "seconds_since_last_response?"),
            *("context_tokens?", "prompt_cache_likely_expired?", "estimated_cache_write_usd?"),
        ),
        ("additionalContext", "initialUserMessage", "sessionTitle", "watchPaths", "reloadSkills"),
        stops=True,
        matched="source",
        stdout_is_context=True,
        types=_FIRST,
    ),
    "Setup": EventRow(
        "x.Setup", "notice", ("trigger",), ("additionalContext",), matched="trigger", types=_FIRST
    ),
    "InstructionsLoaded": EventRow(
        "x.InstructionsLoaded",
        fields=(
            *("file_path", "memory_type", "load_reason", "globs?", "trigger_file_path?"),
            "parent_file_path?",
        ),
        matched="load_reason",
        shows_system_message=False,
    ),
    "UserPromptSubmit": EventRow(
        "prompt.submit",
        "block",
        ("prompt",),
        ("additionalContext", "sessionTitle", "suppressOriginalPrompt"),
        blocks=True,
        stops=True,
        stdout_is_context=True,
        types=_ALL,
    ),
    "UserPromptExpansion": EventRow(
        "x.UserPromptExpansion",
        "block",
        ("expansion_type", "command_name", "command_args", "command_source", "prompt"),
        ("additionalContext",),
        blocks=True,
        stops=True,
        matched="command_name",
        stdout_is_context=True,
        types=_ALL,
    ),
    "MessageDisplay": EventRow(
        "x.MessageDisplay",
        fields=("turn_id", "message_id", "index", "final", "delta"),
        specific=("displayContent",),
    ),
    "PreToolUse": EventRow(
        "tool.pre",
        "deny",
        _CALL,
        ("permissionDecision", "permissionDecisionReason", "updatedInput", "additionalContext"),
        blocks=True,
        stops=True,
        matched="tool_name",
        types=_ALL,
    ),
    "PermissionRequest": EventRow(
        "permission.request",
        fields=("tool_name", "tool_input", "permission_suggestions?"),
        specific=("decision",),
        stops=True,
        matched="tool_name",
        types=_ALL,
    ),
    "PermissionDenied": EventRow(
        "x.PermissionDenied",
        fields=(*_CALL, "reason"),
        specific=("retry",),
        matched="tool_name",
        types=_ALL,
    ),
    "PostToolUse": EventRow(
        "tool.post",
        "feedback",
        ("tool_name", "tool_input", "tool_response", "tool_use_id?", "duration_ms?"),
        ("additionalContext", "updatedToolOutput", "updatedMCPToolOutput", "classifierContext"),
        blocks=True,
        stops=True,
        matched="tool_name",
        types=_ALL,
    ),
    "PostToolUseFailure": EventRow(
        "tool.fail",
        "feedback",
        (*_CALL, "error", "is_interrupt?", "duration_ms?"),
        ("additionalContext",),
        blocks=True,
        stops=True,
        matched="tool_name",
        types=_ALL,
    ),
    "PostToolBatch": EventRow(
        "x.PostToolBatch",
        "halt",
        ("tool_calls",),
        ("additionalContext",),
        blocks=True,
        stops=True,
        types=_ALL,
    ),
    "Notification": EventRow(
        "notification",
        fields=("message", "title?", "notification_type"),
        matched="notification_type",
        shows_system_message=False,
    ),
    "SubagentStart": EventRow(
        "subagent.start",
        "notice",
        ("agent_id", "agent_type"),
        ("additionalContext",),
        stops=True,
        matched="agent_type",
    ),
    "SubagentStop": EventRow(
        "subagent.stop",
        "go",
        ("stop_hook_active", "agent_id", "agent_type", "agent_transcript_path?", *_STOP),
        ("additionalContext",),
        blocks=True,
        stops=True,
        matched="agent_type",
        types=_ALL,
    ),
    "TaskCreated": EventRow(
        "x.TaskCreated",
        "block",
        ("task_id", "task_subject", "task_description?", "teammate_name?", "team_name?"),
        blocks=True,
        types=_ALL,
    ),
    "TaskCompleted": EventRow(
        "x.TaskCompleted",
        "block",
        ("task_id", "task_subject", "task_description?", "teammate_name?", "team_name?"),
        blocks=True,
        stops=True,
        types=_ALL,
    ),
    "Stop": EventRow(
        "stop",
        "go",
        ("stop_hook_active", *_STOP),
        ("additionalContext",),
        blocks=True,
        stops=True,
        types=_ALL,
    ),
    "StopFailure": EventRow(
        "x.StopFailure",
        fields=("error", "error_details?", "last_assistant_message?"),
        matched="error",
        shows_system_message=False,
    ),
    "TeammateIdle": EventRow("x.TeammateIdle", "go", ("teammate_name", "team_name"), stops=True, types=_ALL),
    "ConfigChange": EventRow(
        "x.ConfigChange", "block", ("source", "file_path?"), blocks=True, matched="source"
    ),
    "CwdChanged": EventRow("x.CwdChanged", "notice", ("old_cwd", "new_cwd"), ("watchPaths",)),
    "DirectoryAdded": EventRow("x.DirectoryAdded", fields=("directory", "source"), matched="source"),
    "FileChanged": EventRow(
        "x.FileChanged", "notice", ("file_path", "event"), ("watchPaths",), matched="file_path"
    ),
    "WorktreeCreate": EventRow("x.WorktreeCreate", "block", ("name",), ("worktreePath",)),
    "WorktreeRemove": EventRow("x.WorktreeRemove", fields=("worktree_path",), shows_system_message=False),
    "PreCompact": EventRow(
        "compact.pre", "block", ("trigger", "custom_instructions"), blocks=True, stops=True, matched="trigger"
    ),
    "PostCompact": EventRow(
        "compact.post",
        "notice",
        ("trigger", "compact_summary"),
        matched="trigger",
        shows_system_message=False,
    ),
    "Elicitation": EventRow(
        "x.Elicitation",
        "block",
        ("mcp_server_name", "message", "mode?", "url?", "elicitation_id?", "requested_schema?"),
        ("action", "content"),
        blocks=True,
        matched="mcp_server_name",
    ),
    "ElicitationResult": EventRow(
        "x.ElicitationResult",
        "block",
        ("mcp_server_name", "mode?", "action", "elicitation_id?", "content?"),
        ("action", "content"),
        blocks=True,
        matched="mcp_server_name",
    ),
    "SessionEnd": EventRow(
        "session.end", "notice", ("reason",), matched="reason", shows_system_message=False
    ),
    "PreModelSwitch": EventRow(
        "x.PreModelSwitch",
        "block",
        _SWITCH,
        ("permissionDecision", "permissionDecisionReason"),
        blocks=True,
        stops=True,
        matched="to_model",
    ),
    "PostModelSwitch": EventRow(
        "x.PostModelSwitch",
        fields=_SWITCH,
        specific=("additionalContext",),
        matched="to_model",
        stdout_is_context=True,
    ),
}

EVENTS = {name: row.kind for name, row in ROWS.items()}
TOOL_EVENTS = tuple(name for name, row in ROWS.items() if row.matched == "tool_name")

#: Events that test `if`; on others a handler with `if` never runs.
CONDITIONAL = TOOL_EVENTS

#: The payload's values that the host need not provide.
DEFAULTS = {
    ("SessionStart", "source"): "startup",
    ("SessionEnd", "reason"): "other",
    ("Setup", "trigger"): "init",
    ("PreCompact", "trigger"): "manual",
    ("PostCompact", "trigger"): "manual",
    ("PreCompact", "custom_instructions"): "",
    ("SubagentStart", "agent_type"): "general-purpose",
    ("SubagentStop", "agent_type"): "general-purpose",
}

#: Timeouts in seconds, by handler type, and by event, which overrides the type.
TIMEOUTS = {"command": 600.0, "http": 600.0, "mcp_tool": 600.0, "prompt": 30.0, "agent": 60.0}
EVENT_TIMEOUTS = {
    "UserPromptSubmit": 30.0,
    "PreModelSwitch": 30.0,
    "PostModelSwitch": 30.0,
    "MessageDisplay": 10.0,
}
#: SessionEnd's timeout in seconds: by default, and at most.
END_TIMEOUT, END_MOST = 1.5, 60.0
END_VARIABLE = "CLAUDE_CODE_SESSIONEND_HOOKS_TIMEOUT_MS"

TYPES: dict[str, tuple[str, ...]] = {
    "command": ("command", "args", "async", "asyncRewake", "shell"),
    "http": ("url", "headers", "allowedEnvVars"),
    "mcp_tool": ("server", "tool", "input"),
    "prompt": ("prompt", "model", "continueOnBlock"),
    "agent": ("prompt", "model"),
}
COMMON_FIELDS = ("type", "if", "timeout", "statusMessage", "once", "onFailure")

#: Bytes of each output stream; upstream has no bound. Characters of one text for the model: when it is longer,
#: the model reads PREVIEW of it, and the rest is in a file.
MAX_OUTPUT = 4 << 20
MAX_TEXT, PREVIEW = 10_000, 2_000

#: What the agent writes for a reason that a hook did not write.
NO_WORDS, NO_REASON = "No stderr output", "Blocked by hook"

#: Stops that hooks may refuse in a row, and the variable that overrides it (0: no limit).
STOP_CAP = 8
STOP_CAP_VARIABLE = "CLAUDE_CODE_STOP_HOOK_BLOCK_CAP"

#: Events whose hooks may set variables for the session, in the file that CLAUDE_ENV_FILE names.
ENV_FILE_EVENTS = ("SessionStart", "Setup", "CwdChanged", "FileChanged")

#: Tools of Claude Code's own.
TOOLS = (
    *("Bash", "PowerShell", "Write", "Edit", "MultiEdit", "NotebookEdit", "Read", "Glob", "Grep", "LS"),
    *("WebFetch", "WebSearch", "Agent", "Task", "AskUserQuestion", "ExitPlanMode", "TodoWrite", "Skill"),
)
