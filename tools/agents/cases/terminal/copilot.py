"""Events of GitHub Copilot CLI that a user brings about."""

from __future__ import annotations

from tools.agents.cases.terminal import DONE, Scene, grid_of, step
from tools.agents.grid import behaviors
from tools.agents.records import Json, Object

READY: Json = {"see": "shortcuts|help", "pause": 2, "type": "do it\r"}
_NO: list[Json] = []
COPILOT = (
    *(
        Scene(
            event,
            {
                "args": _NO,
                "keys": [
                    READY,
                    step("\r", 1, see="Do you want", patience=12),
                    step("/exit\r", 2, requests=2),
                    step("\r"),
                ],
            },
            False,
            {
                **behaviors(event),
                **{f"top-{name}": {"behavior": name, "message": "not so"} for name in ("allow", "deny")},
            },
            "asked",
        )
        for event in ("permissionRequest", "PermissionRequest")
    ),
    Scene(
        "notification",
        {
            "args": _NO,
            "keys": [READY, step("\r", 2, see="Do you want"), step("/exit\r", 2, requests=2), step("\r")],
        },
        part="typed",
    ),
    Scene(
        "preCompact",
        {
            "script": [DONE, {"text": "a summary"}, DONE],
            "keys": [
                READY,
                step("/compact\r", 2, requests=1),
                step("again\r", 4, ran="a"),
                step("/exit\r", 2, requests=3),
                step("\r"),
            ],
        },
        part="typed",
    ),
    Scene(
        "sessionEnd",
        {"script": [DONE], "keys": [READY, step("/exit\r", 2, requests=1), step("\r")]},
        part="typed",
    ),
)


def cases() -> list[Object]:
    """Return the cases of Copilot CLI."""

    def layers(event: str, command: str, handler: Object) -> Object:
        hooks: Json = {event: [{"type": "command", "bash": command, **handler}]}
        return {"project": {"version": 1, "hooks": hooks}}

    return grid_of(COPILOT, layers, {"timeoutSec": 1})
