"""Names and bounds of Qwen Code's hooks."""

from __future__ import annotations

from sandhook.hooks.contracts._rows import Row

_TOOL = ("tool_name", "tool_input")
_STOP = ("stop_hook_active", "last_assistant_message", "background_tasks", "crons")

#: Events, with the payload's keys after the common ones.
ROWS = {
    "PreToolUse": Row("tool.pre", (*_TOOL, "tool_use_id", "tool_call_id?"), "tool_name"),
    "PostToolUse": Row(
        "tool.post", (*_TOOL, "tool_response", "tool_use_id", "tool_call_id?", "duration_ms?"), "tool_name"
    ),
    "PostToolUseFailure": Row(
        "tool.fail",
        (
            *("tool_use_id", "tool_call_id?", "tool_name", "tool_input", "error", "is_interrupt"),
            "duration_ms?",
        ),
        "tool_name",
    ),
    "PostToolBatch": Row("x.PostToolBatch", ("tool_calls",)),
    "UserPromptSubmit": Row("prompt.submit", ("prompt", "submitted_prompt?")),
    "UserPromptExpansion": Row(
        "x.UserPromptExpansion", ("command_name", "command_args", "prompt"), "command_name"
    ),
    "SessionStart": Row("session.start", ("source", "model", "agent_type?"), "source"),
    "SessionEnd": Row("session.end", ("reason",), "reason"),
    "SessionDelete": Row("x.SessionDelete", ("deleted_session_id",)),
    "MessageDisplay": Row("x.MessageDisplay", ("message_id", "displayed_text", "is_final")),
    "Stop": Row("stop", (*_STOP, "context_usage?", "context_limit?", "input_tokens?")),
    "StopFailure": Row("x.StopFailure", ("error", "error_details?", "last_assistant_message?"), "error"),
    "SubagentStart": Row("subagent.start", ("agent_id", "agent_type"), "agent_type"),
    "SubagentStop": Row(
        "subagent.stop",
        ("stop_hook_active", "agent_id", "agent_type", "agent_transcript_path", *_STOP[1:]),
        "agent_type",
    ),
    "PreCompact": Row("compact.pre", ("trigger", "custom_instructions"), "trigger"),
    "PostCompact": Row("compact.post", ("trigger", "compact_summary"), "trigger"),
    "Notification": Row("notification", ("message", "notification_type", "title?"), "notification_type"),
    "PermissionRequest": Row("permission.request", (*_TOOL, "permission_suggestions?"), "tool_name"),
    "PermissionDenied": Row(
        "x.PermissionDenied", (*_TOOL, "tool_use_id", "tool_call_id?", "reason"), "tool_name"
    ),
    "TodoCreated": Row("x.TodoCreated", ("todo_id", "todo_content", "todo_status", "all_todos", "phase")),
    "TodoCompleted": Row(
        "x.TodoCompleted", ("todo_id", "todo_content", "previous_status", "all_todos", "phase")
    ),
    "InstructionsLoaded": Row(
        "x.InstructionsLoaded",
        ("file_path", "memory_type", "load_reason", "trigger_file_path?", "parent_file_path?"),
        "file_path",
    ),
}
EVENTS = {name: row.kind for name, row in ROWS.items()}

COMMON = (
    *("session_id", "source_type?", "source_id?", "transcript_path", "cwd", "hook_event_name", "timestamp"),
    *("permission_mode", "agent_id?", "prompt_id?"),
)

FIELDS = (
    *("type", "command", "args", "name", "description", "timeout", "async", "env", "shell", "statusMessage"),
    *("url", "headers", "allowedEnvVars", "once", "prompt", "model", "if"),
)

#: Types of hooks that need Qwen Code's model or its own process.
OTHER_TYPES = ("prompt", "function")

#: Seconds. Values of a file from LEGACY up are milliseconds.
DEFAULT_TIMEOUT, LEGACY = 60.0, 1000.0

#: Keys below ``hooks`` that are not events.
SETTINGS = ("enabled", "disabled", "notifications")

#: Events on which text that is not JSON becomes context.
TEXT_EVENTS = ("SessionStart", "UserPromptSubmit", "UserPromptExpansion")

#: Variables of the agent that hooks do not inherit.
SECRETS = ("QWEN_SERVER_TOKEN", "QWEN_DAEMON_TOKEN", "QWEN_CODE_EXTERNAL_TOOL_GUARD_TOKEN")

#: Other names that a matcher may have for a tool, compared exactly.
ALIASES = {
    "run_shell_command": ("Shell", "ShellTool", "Bash"),
    "edit": ("Edit", "EditTool", "replace"),
    "write_file": ("WriteFile", "WriteFileTool", "Write"),
    "read_file": ("ReadFile", "ReadFileTool", "Read"),
    "grep_search": ("Grep", "GrepTool", "search_file_content", "SearchFiles"),
    "glob": ("Glob", "GlobTool", "FindFiles"),
    "list_directory": ("ListFiles", "ListFilesTool", "ReadFolder"),
    "todo_write": ("TodoList", "TodoListTool", "TodoWrite", "TodoWriteTool"),
    "web_fetch": ("WebFetch", "WebFetchTool"),
    "web_search": ("WebSearch", "WebSearchTool"),
    "agent": ("Agent", "AgentTool", "task", "Task", "TaskTool"),
    "skill": ("Skill", "SkillTool"),
    "exit_plan_mode": ("ExitPlanMode", "ExitPlanModeTool"),
    "enter_plan_mode": ("EnterPlanMode", "EnterPlanModeTool"),
    "notebook_edit": ("NotebookEdit", "NotebookEditTool"),
    "save_memory": ("SaveMemory", "SaveMemoryTool"),
    "ask_user_question": ("AskUserQuestion", "AskUserQuestionTool"),
    "monitor": ("Monitor", "MonitorTool"),
    "lsp": ("Lsp", "LspTool"),
}

#: The reason of a refusal that has none.
NO_REASON = "No reason provided"
