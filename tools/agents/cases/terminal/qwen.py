"""Events of Qwen Code that a user brings about."""

from __future__ import annotations

from tools.agents.cases.terminal import DONE, Scene, grid_of, project_hooks, step
from tools.agents.cases.terminal.gemini import READY
from tools.agents.grid import behaviors
from tools.agents.records import Json, Object

_DEFAULT: list[Json] = ["--approval-mode", "default"]
#: A call that the agent's classifier, which asks the model in two stages, refuses.
_CLASSIFIED: list[Json] = [
    {
        "tool": "run_shell_command",
        "input": {"command": "touch marker", "description": "t", "is_background": False},
    },
    {"tool": "respond_in_schema", "input": {"shouldBlock": True}},
    {"tool": "respond_in_schema", "input": {"thinking": "t", "shouldBlock": True, "reason": "too bold"}},
    DONE,
]
#: A call whose result is long enough to be worth a summary.
_LONG: Object = {
    "tool": "run_shell_command",
    "input": {"command": "seq 2000", "description": "t", "is_background": False},
}
QWEN = (
    Scene(
        "PermissionRequest",
        {
            "args": _DEFAULT,
            "keys": [
                READY,
                step("\r", 1, see="Allow", patience=12),
                step("\x03", 2, requests=2),
                step("\x03"),
            ],
        },
        False,
        behaviors("PermissionRequest"),
    ),
    Scene(
        "Notification",
        {
            "args": _DEFAULT,
            "keys": [READY, step("\r", 1, see="Allow"), step("\x03", 2, requests=2), step("\x03")],
        },
        part="typed",
    ),
    Scene(
        "PreCompact",
        {
            "script": [_LONG, {"text": "one"}, {"text": "a summary"}, DONE],
            "keys": [
                READY,
                step("/compress\r", 2, requests=2),
                step("again\r", 3, ran="a"),
                step("\x03", 2, requests=3),
                step("\x03"),
            ],
        },
    ),
    Scene(
        "SessionDelete",
        {
            "script": [DONE],
            "keys": [
                READY,
                step("/clear\r", 3, requests=1),
                step("again\r", 4),
                step("/delete\r", 3, requests=2),
                step("\x1b[B", 3),
                step(" ", 1),
                step("\r", 2),
                step("\r", 2),
                step("\x03", 3, ran="a"),
                step("\x03"),
            ],
        },
    ),
    Scene(
        "PostCompact",
        {
            # A summary counts only if the conversation is shorter with it.
            "endpoints": {"side": "<state_snapshot>a summary</state_snapshot>", "side tokens": 50000},
            "script": [{**_LONG, "tokens": 30000}, {"text": "one", "tokens": 60000}, DONE],
            "keys": [
                READY,
                step("/compress\r", 4, requests=2),
                step("again\r", 4, ran="a"),
                step("\x03", 2, requests=3),
                step("\x03"),
            ],
        },
    ),
    Scene(
        "SessionEnd",
        {
            "script": [DONE],
            "keys": [READY, step("/clear\r", 2, requests=1), step("/quit\r", 3), step("\r")],
        },
    ),
    Scene(
        "StopFailure",
        {"script": [{"status": 400}] * 3, "keys": [READY, step("\x03", 3, ran="a"), step("\x03")]},
    ),
    Scene(
        "PermissionDenied",
        {
            "args": ["--approval-mode", "auto"],
            "script": _CLASSIFIED,
            "keys": [READY, step("\x03", 3, requests=4), step("\x03")],
        },
    ),
)


def cases() -> list[Object]:
    """Return the cases of Qwen Code."""
    made = grid_of(QWEN, project_hooks, {"timeout": 1})
    return [{**case, "limit": 20} for case in made]  # not every version leaves at once
