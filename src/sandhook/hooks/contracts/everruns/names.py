"""Names and bounds of Everruns' user hooks."""

from __future__ import annotations

#: Its events and their neutral kinds.
EVENTS = {
    "session_start": "session.start",
    "user_prompt_submit": "prompt.submit",
    "pre_tool_use": "tool.pre",
    "post_tool_use": "tool.post",
    "turn_end": "turn.end",
    "session_end": "session.end",
}

#: Events planned upstream; a file that uses one is noted.
RESERVED_EVENTS = ("pre_model_call", "post_model_call", "subagent_stop", "pre_compact", "notification")

#: Planned executors; they need a network or more, and a host may register them.
RESERVED_EXECUTORS = ("webhook", "wasm", "blueprint")

#: Planned decision.
RESERVED_DECISION = "allow_skip_remaining"

TOOL_EVENTS = ("pre_tool_use", "post_tool_use")
REFUSABLE = frozenset({"tool.pre", "prompt.submit"})
MUTABLE = frozenset({"tool.pre", "prompt.submit", "tool.post"})

MAX_HOOKS = 64
MAX_CONFIG_BYTES = 256 << 10
MAX_COMMAND_BYTES = 16 << 10
MAX_ENV = 16
MAX_MATCHER_BYTES = 2 << 10
TIMEOUT_MS = range(100, 30_001)
DEFAULT_TIMEOUT_MS = 5_000
ON_ERROR = ("block", "allow", "warn")
MATCHER_FIELDS = ("tool_name", "tool_name_glob", "args_jsonpath", "match_regex", "deny_regex")

#: Standard output and standard error together, in bytes; more is an error.
MAX_OUTPUT = 65_536

#: The hook's environment before the event's own variables.
BASE_ENV = {
    "HOME": "/home/agent",
    "SHELL": "/bin/bash",
    "PATH": "/usr/local/bin:/usr/bin:/bin",
    "WORKSPACE": "/workspace",
}
