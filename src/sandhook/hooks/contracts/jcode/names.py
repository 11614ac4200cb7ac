"""Names and bounds of jcode's hooks."""

from __future__ import annotations

EVENTS = {
    "SessionStart": "session.start",
    "UserPromptSubmit": "prompt.submit",
    "PreToolUse": "tool.pre",
    "PostToolUse": "tool.post",
    "PostToolUseFailure": "tool.fail",
    "Stop": "stop",
}
TOOL_EVENTS = ("PreToolUse", "PostToolUse", "PostToolUseFailure")

#: Events on which a hook can refuse; on the others the exit status 2 means nothing.
BLOCKABLE = ("UserPromptSubmit", "PreToolUse", "Stop")

#: Events that upstream had for a time.
RESERVED_EVENTS = ("PreCompact", "PostCompact")

FIELDS = ("type", "command", "timeout", "async")
DEFAULT_TIMEOUT = 60

#: The most seconds of an async hook.
ASYNC_TIMEOUT = 30

#: Bytes of each output stream.
MAX_OUTPUT = 1 << 20

#: Other names under which hooks know jcode's tools.
ALIASES: dict[str, tuple[str, ...]] = {
    "execute": ("Bash", "run_shell"),
    "write": ("Write",),
    "edit": ("Edit",),
    "read": ("Read",),
    "glob": ("Glob",),
    "grep": ("Grep",),
}

#: The reason of a Stop hook that gives none.
KEEP_WORKING = "A Stop hook requested that you keep working before finishing."
