"""Events of Kimi Code that a user brings about."""

from __future__ import annotations

import json

from tools.agents.cases.terminal import DONE, Scene, grid_of, step
from tools.agents.records import Json, Object

_NO: list[Json] = []
READY: list[Json] = [
    {"see": "Trust this folder", "pause": 1, "type": "\r"},
    {"see": "Welcome", "pause": 2, "type": "do it\r"},
]
_SLEEP: Json = {"tool": "Bash", "input": {"command": "sleep 20", "description": "t"}}
#: Two prompts through the agent's server, of which the second waits until a call of the first has ended.
SERVED: Object = {
    "served": ["do it", "again"],
    "script": [{"tool": "Bash", "input": {"command": "sleep 4", "description": "t"}}, DONE, DONE],
    "limit": 120,
}
KIMI = (
    Scene("UserPromptQueued", SERVED),
    *(
        Scene(
            event,
            {"args": _NO, "keys": [*READY, step("\r", 1, see="pprove"), step("/exit\r", 2, requests=2)]},
        )
        for event in ("PermissionRequest", "PermissionResult")
    ),
    *(
        Scene(
            event,
            {
                "args": _NO,
                "script": [DONE, {"text": "a summary"}, DONE],
                "keys": [*READY, step("/compact\r", 2, requests=1), step("again\r", 4), step("/exit\r", 2)],
            },
        )
        for event in ("PreCompact", "PostCompact")
    ),
    Scene("SessionEnd", {"args": _NO, "script": [DONE], "keys": [*READY, step("/exit\r", 2, requests=1)]}),
    Scene(  # every minute
        "SessionHeartbeat",
        {
            "args": _NO,
            "script": [DONE],
            "limit": 100,
            "keys": [*READY, step("/exit\r", 1, ran="a", patience=90)],
        },
    ),
    Scene(
        "Interrupt",
        {
            "args": ["--yolo"],
            "script": [_SLEEP, DONE],
            "keys": [*READY, step("\x1b", 3, requests=1), step("/exit\r", 3)],
        },
    ),
)


def cases() -> list[Object]:
    """Return the cases of Kimi Code, whose configuration is TOML."""

    def layers(event: str, command: str, handler: Object) -> Object:
        text = f'[[hooks]]\nevent = "{event}"\ncommand = {json.dumps(command)}\n'
        return {"user": text + "".join(f"{key} = {value}\n" for key, value in handler.items())}

    return grid_of(KIMI, layers, {"timeout": 1})
