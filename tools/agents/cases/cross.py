"""Every decision with every form of its neighbours before a call: the model asks for many calls in one run, as in "sweep".

Words of a decision with changed arguments, with statuses and with standard error; reasons, names of events and nested
objects of wrong types; decisions in two places that disagree; further keys of every type.
"""

from __future__ import annotations

import importlib
import json
from typing import cast

from tools.agents.cases.chance import shown
from tools.agents.cases.shapes import EVENTS, decision, layers_of
from tools.agents.cases.updates import MORE, output
from tools.agents.records import Agent, Json, Object

#: Calls of one run.
WIDTH = 200
_NUMBER = "n=$(sed -n 's/.*touch s\\([0-9]*\\).*/\\1/p')"
#: Stands for a key that is not there.
_ABSENT = object()
_ODD: tuple[object, ...] = (
    *(_ABSENT, None, True, False, 0, 5, -1.5, "", " ", "x"),
    *([], ["x"], {}, {"a": 1}),
)
_WORDS: tuple[object, ...] = (
    *(_ABSENT, None, True, 0, 5, "", " ", [], ["deny"], {}, "allow", "ask", "deny", "approve", "block"),
    *("none", "defer", "ALLOW", "Deny", "deny "),
)
#: Words that end the run of an agent without a user.
_ENDING = {"claude_code": "defer", "gemini": "ask"}
_KEYS = (
    *("continue", "stopReason", "suppressOutput", "systemMessage", "reason", "decision", "additionalContext"),
    *("terminalSequence", "hookEventName", "message", "async", "context"),
)
_INNER = ("additionalContext", "updatedInput", "permissionDecisionReason", "nosuch", "tool_input")


def cases(agent: str) -> list[Object]:
    """Return the cases of an agent."""
    made = [*enumerate(_bodies(agent))]
    touch = json.dumps(cast(Agent, importlib.import_module(f"tools.agents.{agent}")).TOUCH)
    found: list[Object] = []
    for start in range(0, len(made), WIDTH):
        files: Object = {"project/a.sh": f'#!/bin/sh\n{_NUMBER}\nexec "@P@/bodies/$n.a.sh"\n'}
        calls: list[Json] = []
        for number, (value, ending) in made[start : start + WIDTH]:
            text = json.dumps(value).replace("@N@", str(number))
            files[f"project/bodies/{number}.a.sh"] = f"#!/bin/sh\n{shown(text)}{ending}\n"
            calls.append(json.loads(touch.replace("touch marker", f"touch s{number}")))
        found.append(
            {
                "id": f"sweep.cross-{start}",
                "event": EVENTS.get(agent, "PreToolUse"),
                "layers": layers_of(agent, {"command": "@P@/a.sh"}),
                "files": files,
                "script": [*calls, {"text": "done"}],
                "limit": 900,
            }
        )
    return found


def _bodies(agent: str) -> list[tuple[Object, str]]:
    """Return what hooks print, and the shell text that ends them."""
    event, make = EVENTS.get(agent, "PreToolUse"), decision(agent)
    refusal = make("deny", "out")
    nested = "hookSpecificOutput" in refusal
    word_key = "permissionDecision" if nested else next(iter(refusal))
    reason_key = "permissionDecisionReason" if nested else [*refusal][1]
    changed = output(agent, {"command": "touch o@N@", **MORE[agent]}) if agent in MORE else None
    inner: Object = {"permissionDecision": "deny", "permissionDecisionReason": "in"}
    failing, noisy = "\necho err >&2; exit 2", "\necho err >&2"
    found: list[tuple[Object, str]] = []
    for word in _WORDS:
        if word == _ENDING.get(agent):
            continue
        if changed is not None:
            found.append((_with(changed, "decision" if agent == "gemini" else word_key, word), ""))
        found += [(_with(refusal, word_key, word), ending) for ending in ("", failing)]
        if word is not _ABSENT:
            for other in ("deny", "allow"):
                specific: Object = {"hookEventName": event, **inner, "permissionDecision": other}
                found.append((_with({"reason": "top", "hookSpecificOutput": specific}, "decision", word), ""))
    for odd in _ODD:
        found += [(_with(refusal, reason_key, odd), ending) for ending in ("", noisy, failing)]
        found.append(
            ({"hookSpecificOutput": _with({"hookEventName": event, **inner}, "hookEventName", odd)}, "")
        )
        found.append((_with(refusal, "hookSpecificOutput", odd), ""))
        found.append((_with({"decision": "block", "reason": "top"}, "hookSpecificOutput", odd), ""))
        for key in _INNER:
            found.append(({"hookSpecificOutput": _with({"hookEventName": event, **inner}, key, odd)}, ""))
        for key in _KEYS:
            if odd is _ABSENT or key in refusal or (key == "continue" and not odd):
                continue
            found += [(_with(each, key, odd), "") for each in (refusal, changed) if each is not None]
    return [] if agent == "cline" else found  # where a refusal ends the run


def _with(value: Object, key: str, other: object) -> Object:
    """Return an output with another value of a key, wherever the key stands, or without the key."""
    inner = value.get("hookSpecificOutput")
    if isinstance(inner, dict) and key in inner:
        return {**value, "hookSpecificOutput": _with(inner, key, other)}
    rest = {name: each for name, each in value.items() if name != key or other is not _ABSENT}
    return rest if other is _ABSENT else {**rest, key: cast(Json, other)}
