"""Every exit status and signal of a hook before a call: the model asks for many calls in one run, and each has its own ending."""

from __future__ import annotations

import importlib
import json
from typing import cast

from tools.agents.cases.shapes import EVENTS, decision, layers_of
from tools.agents.grid import printing
from tools.agents.records import Agent, Json, Object

#: Statuses of one run.
_WIDTH = 128
#: Signals that end a process, without those that stop it, and without SIGQUIT, which bash ignores and dash does not.
_SIGNALS = (1, 2, *range(4, 17), *range(23, 28), 29, 30, 31)
#: The number that the command of the call has.
_NUMBER = "n=$(sed -n 's/.*touch s\\([0-9]*\\).*/\\1/p')"


def cases(agent: str) -> list[Object]:
    """Return the cases of an agent."""
    deny = printing(decision(agent)("deny", "out"))
    found: list[Object] = []
    for start in range(0, 256, _WIDTH):
        numbers = range(start, start + _WIDTH)
        found.append(_case(agent, f"silent-{start}", "exit $n", numbers))
        found.append(_case(agent, f"deny-{start}", f"{deny}; exit $n", numbers))
    found.append(_case(agent, "signals", "kill -$n $$", _SIGNALS))
    found.append(_case(agent, "signals-deny", f"{deny}; kill -$n $$", _SIGNALS))
    return found


def _case(agent: str, name: str, ending: str, numbers: range | tuple[int, ...]) -> Object:
    event = EVENTS.get(agent, "PreToolUse")
    touch = json.dumps(cast(Agent, importlib.import_module(f"tools.agents.{agent}")).TOUCH)
    calls: list[Json] = [json.loads(touch.replace("touch marker", f"touch s{number}")) for number in numbers]
    files: Object = {"project/a.sh": f"#!/bin/sh\n{_NUMBER}\n{ending}\n"}
    return {
        "id": f"sweep.{name}",
        "event": event,
        "layers": layers_of(agent, {"command": "@P@/a.sh"}),
        "files": files,
        "script": [*calls, {"text": "done"}],
        "limit": 240,
    }
