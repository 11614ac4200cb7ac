"""The cases of Hermes Agent, whose hooks are programs and whose configuration is YAML."""

from __future__ import annotations

import json

from tools.agents.grid import OUTPUTS, bodies, printing, probe
from tools.agents.records import Json, Object

_SAY: Object = {"text": "done"}
_OWN: dict[str, Object] = {
    **{name: OUTPUTS[name] for name in ("block", "block-noreason", "deny", "approve", "halt")},
    "action-block": {"action": "block", "message": "not so"},
    "action-reason": {"action": "block", "reason": "not so"},
    "action-number": {"action": "block", "message": 5},
    "both": {"action": "block", "message": "first", "decision": "block", "reason": "second"},
    "modify": {"action": "modify", "args": {"command": "touch other"}},
    "modify-claude": {"decision": "modify", "tool_input": {"command": "touch other"}},
    "action-approve": {"action": "approve", "message": "sure?"},
    "inner-deny": {
        "hookSpecificOutput": {"permissionDecision": "deny", "permissionDecisionReason": "not so"}
    },
    "context": {"context": "more to know"},
}
_MORE: dict[str, str] = {
    "block-exit1": printing({"action": "block", "message": "not so"}, "; exit 1"),
    "block-exit2": printing({"action": "block", "message": "not so"}, "; echo no >&2; exit 2"),
    "block-signal": printing({"action": "block", "message": "not so"}, "; kill -TERM $$"),
    "log-then-block": "echo log; " + printing({"action": "block", "message": "not so"}),
    "timeout": "sleep 20",
    "timeout-after-block": printing({"action": "block", "message": "not so"}, "; sleep 20"),
}


def _yaml(event: str, *hooks: Object) -> str:
    """Return the text of the hooks of an event, whose values are JSON."""
    return json.dumps({"hooks": {event: [*hooks]}}) if not hooks else _block(event, hooks)


def _block(event: str, hooks: tuple[Object, ...]) -> str:
    lines = ["hooks:", f"  {event}:"]
    for hook in hooks:
        lines += [
            f"  {'-' if not number else ' '} {key}: {json.dumps(value)}"
            for number, (key, value) in enumerate(hook.items())
        ]
    return "\n".join(lines) + "\n"


def _script(body: str) -> str:
    return f"#!/bin/sh\n{body}\n"


def _case(identifier: str, event: str, body: str, **scene: Json) -> Object:
    hook: Object = {"command": "@P@/hook.sh"}
    hook |= {"timeout": 1} if "timeout" in identifier else {}
    own = scene.pop("hook", {})
    hook |= own if isinstance(own, dict) else {}
    files: Object = {"project/hook.sh": _script(probe("a", body))}
    return {
        "id": identifier,
        "event": event,
        "layers": {"user": _yaml(event, hook)},
        "files": files,
        "limit": 120,
        **scene,
    }


_WRITE: Json = {"tool": "write_file", "input": {"path": "@P@/new.py", "content": "x = 1\n"}}
_WAIT: Json = {"tool": "terminal", "input": {"command": "sleep 4"}}
#: Both agents wait, whichever of them asks first: hooks of the sub-agent's end run while the other still works.
_DELEGATE: list[Json] = [{"tool": "delegate_task", "input": {"goal": "go"}}, _WAIT, _WAIT, _SAY, _WAIT, _SAY]
_WATCHED = ("exit2", "out.block", "out.context")
#: How further events come about, and the endings that show all there is of them.
_SCENES: dict[str, tuple[Object, tuple[str, ...]]] = {
    "pre_verify": (
        {"script": [_WRITE, _SAY]},
        (
            *("silent", "text", "exit2", "exit1", "broken", "array", "timeout", "block-exit1", "block-exit2"),
            *("out.block", "out.block-noreason", "out.action-block", "out.context", "out.halt"),
            "out.continue",
        ),
    ),
    "post_llm_call": ({"script": [_SAY]}, _WATCHED),
    "subagent_start": ({"script": _DELEGATE}, _WATCHED),
    "subagent_stop": ({"script": _DELEGATE}, _WATCHED),
    "pre_api_request": ({"script": [_SAY]}, _WATCHED),
    "post_api_request": ({"script": [_SAY]}, _WATCHED),
    "api_request_error": ({"script": [{"status": 400}]}, _WATCHED),
}


def cases() -> list[Object]:
    """Return the cases of Hermes Agent."""
    before = {**bodies(_OWN), **_MORE}
    made = [_case(f"pre_tool_call.{name}", "pre_tool_call", body) for name, body in before.items()]
    for name in ("exit1", "exit2", "text", "array", "timeout"):
        made.append(_case(f"closed.{name}", "pre_tool_call", before[name], hook={"fail_closed": True}))
    for name in ("out.context", "text", "exit2", "out.block"):
        made.append(_case(f"pre_llm_call.{name}", "pre_llm_call", before[name], script=[_SAY]))
        made.append(_case(f"post_tool_call.{name}", "post_tool_call", before[name]))
    refusing = 'echo a >>"$PROBE/ran"; ' + printing({"action": "block", "message": "not so"})
    for number, pattern in enumerate(
        (
            "terminal",
            "term",
            "term.*",
            "terminal|write_file",
            " terminal ",
            "Terminal",
            "(",
            "*",
            "",
            "Bash",
            5,
        )
    ):
        made.append(_case(f"matcher.{number}", "pre_tool_call", refusing, hook={"matcher": pattern}))
    ends = {**before, "out.continue": printing({"action": "continue", "message": "check it"})}
    for event, (scene, names) in _SCENES.items():
        made += [_case(f"{event}.{name}", event, ends[name], **scene) for name in names]
    return [*made, *_commands(), *_several(), *_given()]


def _commands() -> list[Object]:
    """Return commands that a shell would read otherwise."""
    made = []
    refusing = _script('echo g >>"$PROBE/ran"; ' + printing({"action": "block", "message": "not so"}))
    for name, command in {
        "relative": "./hook.sh",
        "argument": "@P@/hook.sh --strict 'a b'",
        "pipe": "@P@/hook.sh | cat",
        "variable": "$HOME/hook.sh",
        "missing": "@P@/nosuch.sh",
        "quote": "@P@/hook.sh 'x",
        "not-executable": "@P@/plain.txt",
    }.items():
        layers: Object = {"user": _yaml("pre_tool_call", {"command": command})}
        files: Object = {"project/hook.sh": refusing, "project/plain.txt": refusing}
        made.append(
            {
                "id": f"command.{name}",
                "event": "pre_tool_call",
                "layers": layers,
                "files": files,
                "limit": 120,
            }
        )
    for name, args in {"unapproved": []}.items():
        layers = {"user": _yaml("pre_tool_call", {"command": "@P@/hook.sh"})}
        files = {"project/hook.sh": refusing}
        made.append(
            {
                "id": f"trust.{name}",
                "event": "pre_tool_call",
                "layers": layers,
                "files": files,
                "args": [*args],
                "limit": 120,
            }
        )
    return made


def _several() -> list[Object]:
    """Return several hooks of one event."""
    files: Object = {}
    for label in ("a", "b"):
        text = printing({"action": "block", "message": label})
        files[f"project/deny-{label}.sh"] = _script(f'echo {label} >>"$PROBE/ran"; {text}')
        files[f"project/pass-{label}.sh"] = _script(f'echo {label} >>"$PROBE/ran"')
    scenes = {
        "deny-pass": ("deny-a", "pass-b"),
        "pass-deny": ("pass-a", "deny-b"),
        "deny-deny": ("deny-a", "deny-b"),
        "same": ("pass-a", "pass-a"),
    }
    return [
        {
            "id": f"several.{name}",
            "event": "pre_tool_call",
            "layers": {"user": _yaml("pre_tool_call", *({"command": f"@P@/{each}.sh"} for each in pair))},
            "files": files,
            "limit": 120,
        }
        for name, pair in scenes.items()
    ]


_EVENTS = (
    "on_session_start",
    "pre_llm_call",
    "pre_tool_call",
    "post_tool_call",
    "on_session_end",
    "on_session_finalize",
)
#: Further sessions, by the events that are not in each of them.
_SESSIONS: dict[str, tuple[tuple[str, ...], list[Json]]] = {
    "written": (("pre_verify", "post_llm_call"), [_WRITE, _SAY]),
    "delegated": (("subagent_start", "subagent_stop"), _DELEGATE),
    "failed": (("api_request_error",), [{"status": 400}]),
    "requested": (("pre_api_request", "post_api_request"), [_SAY]),
}


#: What a user types to leave a conversation for a new one.
_RESET: list[Json] = [
    {"see": ".", "pause": 10, "type": "do it"},
    {"pause": 1, "type": "\r"},
    {"requests": 2, "pause": 4, "type": "/new"},
    {"pause": 1, "type": "\r"},
    {"pause": 5, "type": "\r"},
    {"pause": 4, "type": "/quit"},
    {"pause": 1, "type": "\r"},
]


def _given() -> list[Object]:
    """Return what hooks of all events receive."""
    sessions: dict[str, tuple[tuple[str, ...], Object]] = {"all": (_EVENTS, {})}
    sessions |= {name: (events, {"script": script}) for name, (events, script) in _SESSIONS.items()}
    sessions["reset"] = (("on_session_start", "on_session_end", "on_session_reset"), {"keys": _RESET})
    found: list[Object] = []
    for name, (events, scene) in sessions.items():
        lines = ["hooks:"]
        files: Object = {}
        for event in events:
            lines += [f"  {event}:", f"  - command: '@P@/{event}.sh'"]
            files[f"project/{event}.sh"] = _script(probe(event))
        layers: Object = {"user": "\n".join(lines) + "\n"}
        found.append(
            {"id": f"given.{name}", "event": "*", "layers": layers, "files": files, "limit": 120, **scene}
        )
    return found
