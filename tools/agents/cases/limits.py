"""Timeouts that agents read differently: zero, negative, fractions, texts, and numbers that a timer cannot hold.

The first hook needs more than two seconds for its refusal, so that a call that is refused shows a longer timeout. The
second one lets pass, and does not run if the agent drops the file. Numbers are of the agent's unit: seconds, or
milliseconds for Gemini CLI.
"""

from __future__ import annotations

from tools.agents.cases.shapes import EVENTS, decision, layers_of, limited, script
from tools.agents.grid import printing
from tools.agents.records import Json, Object

#: A timer of JavaScript holds 2,147,483,647 milliseconds, and ends at once for more.
VALUES: dict[str, Json] = {
    "zero": 0,
    "negative": -1,
    "fraction": 0.5,
    "fraction-more": 1.5,
    "text": "1",
    "text-word": "soon",
    "null": None,
    "true": True,
    "list": [1],
    "largest": 2147483,
    "large": 2147484,
    "huge": 10**12,
    "vast": 10**24,
    "999": 999,
    "1000": 1000,
    "1001": 1001,
}
#: Units between which an agent may choose by the size of a number matter for the others not at all.
_ONLY = {"999": ("qwen",), "1000": ("qwen",), "1001": ("qwen",)}


def cases(agent: str) -> list[Object]:
    """Return the cases of an agent."""
    if agent == "cline":  # whose hooks have one time
        return []
    refusal = printing(decision(agent)("deny", "not so"))
    files: Object = {  # a hook without any time may end before it has written its label
        "project/a.sh": f"#!/bin/sh\ncat >/dev/null\nsleep 2.5\n{refusal}\n",
        "project/b.sh": script("b", "exit 0"),
    }
    own: Object = {"limit": 120} if agent in ("hermes", "openhands") else {}
    found: list[Object] = []
    for name, value in VALUES.items():
        if agent not in _ONLY.get(name, (agent,)) or (agent == "kimi" and value is None):
            continue
        layers = layers_of(agent, {"command": "@P@/a.sh", **limited(agent, value)}, {"command": "@P@/b.sh"})
        event = EVENTS.get(agent, "PreToolUse")
        found.append({"id": f"limits.{name}", "event": event, "layers": layers, "files": files, **own})
    return found
