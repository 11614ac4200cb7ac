"""Names and bounds of Crush's hooks."""

from __future__ import annotations

EVENTS = {"PreToolUse": "tool.pre", "UserPromptSubmit": "prompt.submit"}

#: The events of strict mode; upstream plans the others.
STRICT_EVENTS = ("PreToolUse",)

#: Events of an upstream proposal; a file that uses one is noted.
RESERVED_EVENTS = (
    *("PostToolUse", "SessionStart", "SessionEnd", "TurnStart", "TurnEnd", "StopFailure", "Interrupt"),
    *("PermissionRequest", "PermissionResult", "PreCompact", "PostCompact"),
)

FIELDS = ("name", "matcher", "command", "timeout", "include_sub_agents")
DEFAULT_TIMEOUT = 30

#: Bytes of each output stream; upstream has no bound.
MAX_OUTPUT = 1 << 20

DENY, HALT = 2, 49

#: Variables of every hook, which override the agent's own.
FIXED_ENV = {
    "CRUSH": "1",
    "AGENT": "crush",
    "AI_AGENT": "crush",
    "TERM": "xterm-256color",
    "GIT_EDITOR": "false",
    "EDITOR": "false",
    "VISUAL": "false",
    "JJ_EDITOR": "false",
    "JJ_PAGER": "cat",
    "GIT_PAGER": "cat",
    "PAGER": "cat",
}


def canonical(name: str) -> str:
    """Return an event's own name for any spelling: case and underscores do not count."""
    folded = name.replace("_", "").lower()
    return next((event for event in EVENTS if event.lower() == folded), name)
