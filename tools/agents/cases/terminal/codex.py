"""Events of Codex that a user brings about."""

from __future__ import annotations

from tools.agents.cases.terminal import Scene, grid_of, project_hooks, step
from tools.agents.grid import behaviors
from tools.agents.records import Json, Object

_TRUSTED: list[Json] = ["--dangerously-bypass-hook-trust"]
READY: Json = {"see": "for shortcuts", "pause": 2, "type": "do it\r"}
_ESCALATED: Json = {
    "tool": "exec_command",
    "input": {"cmd": "touch marker", "sandbox_permissions": "require_escalated", "justification": "j"},
}
_WAITING: Json = {"tool": "exec_command", "input": {"cmd": "sleep 20"}}
CODEX = (
    Scene(
        "PermissionRequest",
        {
            "sandbox": "read-only",
            "script": [_ESCALATED, {"text": "done"}],
            "args": [*_TRUSTED, "-c", 'approval_policy="on-request"'],
            "keys": [READY, step("y", see="Would you like", patience=12), step("/quit\r", 1, requests=2)],
        },
        False,
        behaviors("PermissionRequest"),
        "asked",
    ),
    Scene(
        "Interrupt",
        {
            "script": [_WAITING, {"text": "done"}],
            "args": _TRUSTED,
            "keys": [READY, step("\x1b", 4, requests=1), step("/quit\r", 2, ran="a")],
        },
    ),
    *(
        Scene(
            event,
            {
                "script": [{"text": "one"}, {"text": "a summary"}, {"text": "two"}],
                "args": _TRUSTED,
                "keys": [
                    READY,
                    step("/compact\r", 2, requests=1),
                    step("again\r", 3, ran="a"),
                    step("/quit\r", 2),
                ],
            },
            part="typed",
        )
        for event in ("PreCompact", "PostCompact")
    ),
    Scene(
        "SessionEnd",
        {"script": [{"text": "done"}], "args": _TRUSTED, "keys": [READY, step("/quit\r", 2, requests=1)]},
        part="typed",
    ),
)


def cases() -> list[Object]:
    """Return the cases of Codex."""
    return grid_of(CODEX, project_hooks, {"timeout": 1})
