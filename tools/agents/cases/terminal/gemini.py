"""Events of Gemini CLI that a user brings about."""

from __future__ import annotations

from tools.agents.cases.terminal import DONE, Scene, grid_of, project_hooks, step
from tools.agents.records import Json, Object

READY: Json = {"see": "Type your message", "pause": 2, "type": "do it\r"}
GEMINI = (
    Scene(
        "Notification",
        {
            "args": [],
            "keys": [
                READY,
                step("\r", 1, see="Allow execution", ran="a"),
                step("\x03", 2, requests=2),
                step("\x03"),
            ],
        },
    ),
    Scene(
        "PreCompress",
        {
            "script": [DONE],
            "keys": [
                READY,
                step("/compress\r", 2, requests=1),
                step("again\r", 2, ran=["a", 2]),
                step("\x03", 2, requests=2),
                step("\x03"),
            ],
        },
        part="typed",
    ),
    *(
        Scene(
            event,
            {
                "script": [DONE],
                "limit": 15,
                "keys": [
                    READY,
                    step("/clear\r", 2, requests=1),
                    step("again\r", 3),
                    step("\x03", 2, requests=2),
                    step("\x03"),
                ],
            },
            part="typed",
        )
        for event in ("SessionStart", "SessionEnd")
    ),
)


def cases() -> list[Object]:
    """Return the cases of Gemini CLI."""
    return grid_of(GEMINI, project_hooks, {"timeout": 1000})
