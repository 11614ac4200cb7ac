"""The cases of OpenHands."""

from __future__ import annotations

from tools.agents.grid import OUTPUTS, bodies, printing, probe
from tools.agents.records import Json, Object

_TOUCH: Object = {"tool": "terminal", "input": {"command": "touch marker"}}
_SAY: Object = {"text": "done"}
_OWN: dict[str, Object] = {
    **{name: OUTPUTS[name] for name in ("block", "deny", "approve", "halt", "top-context")},
    "allow": {"decision": "allow", "reason": "fine"},
    "deny-upper": {"decision": "DENY", "reason": "not so"},
    "deny-noreason": {"decision": "deny"},
    "decision-number": {"decision": 5},
    "continue-zero": {"continue": 0},
    "continue-text": {"continue": "false"},
    "reason-number": {"decision": "deny", "reason": 5},
    "deny-context": {"decision": "deny", "additionalContext": "more to know"},
    "inner-deny": {
        "hookSpecificOutput": {"permissionDecision": "deny", "permissionDecisionReason": "not so"}
    },
}
_MORE: dict[str, str] = {
    "allow-exit2": printing({"decision": "allow"}, "; echo no >&2; exit 2"),
    "allow-exit1": printing({"decision": "allow"}, "; exit 1"),
    "deny-exit1": printing({"decision": "deny", "reason": "not so"}, "; exit 1"),
    "deny-exit2": printing({"decision": "deny", "reason": "not so"}, "; echo no >&2; exit 2"),
    "number-exit2": printing({"decision": 5}, "; echo no >&2; exit 2"),
    "log-then-deny": "echo log; " + printing({"decision": "deny", "reason": "not so"}),
    "missing": "nosuch-program",
    "timeout": "sleep 20; exit 2",
    "timeout-after-deny": printing({"decision": "deny", "reason": "not so"}, "; sleep 20"),
}
_PATTERNS: tuple[Json, ...] = (
    *(
        "",
        "*",
        "terminal",
        "term",
        "term.*",
        "terminal|finish",
        "Terminal",
        "/term.*/",
        "/term/",
        "(",
        "Bash",
    ),
)


def _hook(name: str, body: str) -> Object:
    limit: Object = {"timeout": 1} if name.startswith("timeout") else {}
    return {"type": "command", "command": probe("a", body), **limit}


def _deny(label: str) -> Object:
    return {"command": f'echo {label} >>"$PROBE/ran"; echo {label} >&2; exit 2'}


def _pass(label: str) -> Object:
    return {"command": f'echo {label} >>"$PROBE/ran"'}


def _groups(identifier: str, event: str, groups: Json, **scene: Json) -> Object:
    layers: Object = {"project": {"hooks": {event: groups}}}
    return {"id": identifier, "event": event, "layers": layers, "limit": 150, **scene}


def cases() -> list[Object]:
    """Return the cases of OpenHands."""
    before = {**bodies(_OWN), **_MORE}
    made = [
        _groups(f"PreToolUse.{name}", "PreToolUse", [{"matcher": "terminal", "hooks": [_hook(name, body)]}])
        for name, body in before.items()
    ]
    few = ("exit2", "out.deny", "out.halt", "out.top-context")
    for event in ("UserPromptSubmit", "Stop", "PostToolUse"):
        script: list[Json] = [_TOUCH, _SAY] if event == "PostToolUse" else [_SAY]
        made += [
            _groups(f"{event}.{name}", event, [{"hooks": [_hook(name, before[name])]}], script=script)
            for name in few
        ]
    for number, pattern in enumerate(_PATTERNS):
        groups: list[Json] = [{"matcher": pattern, "hooks": [_deny("a")]}]
        made.append(_groups(f"matcher.{number}", "PreToolUse", groups))
    return [*made, *_several(), *_layers(), *_faults(), *_given()]


def _several() -> list[Object]:
    scenes: dict[str, list[Json]] = {
        "deny-pass": [_deny("a"), _pass("b")],
        "pass-deny": [_pass("a"), _deny("b")],
        "same": [_pass("a"), _pass("a")],
    }
    return [_groups(f"several.{name}", "PreToolUse", [{"hooks": hooks}]) for name, hooks in scenes.items()]


def _layers() -> list[Object]:
    user: Json = {"pre_tool_use": [{"hooks": [_deny("u")]}]}
    project: Json = {"PreToolUse": [{"hooks": [_pass("p")]}]}
    scenes: dict[str, Object] = {
        "both": {"user": user, "project": project},
        "user": {"user": user},
        "empty-project": {"user": user, "project": {}},
    }
    return [
        {"id": f"layers.{name}", "event": "PreToolUse", "layers": layers, "limit": 150}
        for name, layers in scenes.items()
    ]


def _faults() -> list[Object]:
    good: Json = {"hooks": [_deny("b")]}
    faults: dict[str, Json] = {
        "unknown-event": {"hooks": {"Notification": [good], "PreToolUse": [good]}},
        "no-command": {"hooks": {"PreToolUse": [{"hooks": [{"type": "command"}]}, good]}},
        "twice": {"PreToolUse": [good], "pre_tool_use": [good]},
        "unknown-field": {"hooks": {"PreToolUse": [{"hooks": [{**_pass("a"), "nosuch": 1}]}, good]}},
        "timeout-text": {"hooks": {"PreToolUse": [{"hooks": [{**_pass("a"), "timeout": "5"}]}, good]}},
        "extra-top": {"hooks": {"PreToolUse": [good]}, "version": 1},
    }
    return [
        {"id": f"fault.{name}", "event": "PreToolUse", "layers": {"project": value}, "limit": 150}
        for name, value in faults.items()
    ]


_EVENTS = ("PreToolUse", "PostToolUse", "UserPromptSubmit", "SessionStart", "SessionEnd", "Stop")


def _given() -> list[Object]:
    hooks: Object = {event: [{"hooks": [{"command": probe(event)}]}] for event in _EVENTS}
    return [{"id": "given.all", "event": "*", "layers": {"project": {"hooks": hooks}}, "limit": 150}]
