"""What a record of Cline says."""

from __future__ import annotations

import re

from tools.agents.records import Facts, Object, Record

CONTRACT = "cline"
TITLE = "Cline"
TOUCH: Object = {"tool": "run_commands", "input": {"commands": ["touch marker"]}}
#: Hooks before a call, which are files; Cline starts them in the order of their paths.
LAYERS = {
    "a": "project/.cline/hooks/PreToolUse",
    "b": "project/.cline/hooks/PreToolUse.bash",
    "c": "project/.cline/hooks/PreToolUse.sh",
}
EVENTS: dict[str, str] = {}
_PROGRAMS = "the hook is a program in Python or JavaScript, and the sandbox has neither"
INCOMPARABLE = {
    **dict.fromkeys(("names.5", "names.6", "names.8", "first.python"), _PROGRAMS),
    "streams.child-late": "the agent does not wait for what a child prints after its hook (L-HOOKS-010)",
}

_ELEMENT = re.compile(r"<hook_context [^>]*>\n(.*)\n</hook_context>", re.S)
_TIME = "2026-01-01T00:00:00.000Z"


def payloads(record: Record) -> list[Object]:
    """Return the payloads of the events that the record's hooks wait for."""
    first = (record.calls or [TOUCH])[0]
    call: Object = {"id": "call_0_0", "name": first["tool"], "input": first["input"]}
    own: dict[str, Object] = {
        "PreToolUse": {"tool_call": call},
        "PostToolUse": {"tool_result": {**call, "output": []}},
    }
    where: Object = {"workspaceRoots": ["@W@/project"], "timestamp": _TIME, "taskId": "t"}
    return [{**where, **own.get(record.event, {})}]


def facts(record: Record) -> Facts:
    """Return what the agent did: a hook that cancels ends the turn, and the model is not asked again."""
    did: Facts = {"ran": [*record.texts("ran")]}
    if record.event not in ("PreToolUse", "PostToolUse"):
        return did
    ended = record.number("requests") == 1
    did["halt"] = ended
    if record.event == "PreToolUse":
        did["refused"] = ended
        did["touched"] = list(record.texts("files"))
    if not ended:
        did["context"] = "\n".join(map(_added, record.texts("said")))
    return did


def _added(text: str) -> str:
    """Return what a hook added, without the element in which Cline puts it."""
    match = _ELEMENT.fullmatch(text)
    return match[1].replace("<\\/hook_context>", "</hook_context>") if match else text
