"""The cases of Factory Droid."""

from __future__ import annotations

from tools.agents.cases.hooks import case, deny, grouped, hook, passing, saying
from tools.agents.grid import OUTPUTS, bodies, claude_shaped, printing, probe, specific
from tools.agents.records import Json, Object

_DONE: list[Json] = [{"text": "done"}]
_RISK: Object = {"summary": "s", "riskLevel": "low", "riskLevelReason": "r", "timeout": 10}
_PRINT: list[Json] = [{"tool": "Execute", "input": {"command": "printf plain-result", **_RISK}}, *_DONE]
_TASK: list[Json] = [
    {"tool": "Task", "input": {"subagent_type": "worker", "description": "d", "prompt": "go"}},
    {"text": "sub done"},
    *_DONE,
]
_TALK: list[Json] = ["do it"]
#: How each event is brought about. SubagentStop needs the daemon of a signed-in user.
SCENES: dict[str, Object] = {
    "PreToolUse": {},
    "PostToolUse": {"script": _PRINT},
    "Stop": {"script": _DONE},
    "SessionStart": {"script": _DONE},
    "SessionEnd": {"script": _DONE},
    "UserPromptSubmit": {"script": _DONE, "turns": _TALK},
    "Notification": {
        "script": [{"tool": "Execute", "input": {"command": "touch marker", **_RISK}}, *_DONE],
        "turns": _TALK,
        "allowed": "off",
    },
    "PreCompact": {"script": _DONE, "turns": [*_TALK, {"method": "droid.compact_session"}]},
}
_ONLY_WATCHED = ("SessionEnd", "Notification", "PreCompact")
_WATCHED = ("silent", "text", "exit2", "exit1", "out.block", "out.halt", "out.context", "timeout")


def cases() -> list[Object]:
    """Return all cases."""
    made = [*_endings(), *_matchers(), *_several(), *_faults(), *_given()]
    return [
        *({**each, "layers": {"project-settings": _project(each)}} for each in made),
        *_layers(),
        *_arrays(),
    ]


def _project(made: Object) -> Json:
    """Return the hooks of a case, which are in a settings.json: a hooks.json has no key "hooks"."""
    layers = made["layers"]
    assert isinstance(layers, dict)
    return layers["project"]


def _decisions(event: str) -> dict[str, Object]:
    outputs: dict[str, Object] = {**OUTPUTS, **specific(event)}
    if event != "PreToolUse":
        return outputs
    for word in ("allow", "deny", "ask", "maybe"):
        decided: Object = {"permissionDecision": word, "permissionDecisionReason": "not so"}
        outputs[f"inner-{word}"] = {"hookSpecificOutput": {"hookEventName": event, **decided}}
    changed: Json = {"command": "touch other", **_RISK}
    inner: Object = {"hookEventName": event, "updatedInput": changed}
    outputs["updated"] = {"hookSpecificOutput": inner}
    outputs["updated-allow"] = {"hookSpecificOutput": {**inner, "permissionDecision": "allow"}}
    outputs["updated-part"] = {"hookSpecificOutput": {**inner, "updatedInput": {"command": "touch other"}}}
    outputs["inner-deny-unnamed"] = {"hookSpecificOutput": {"permissionDecision": "deny"}}
    outputs["halt-allow"] = {"continue": False, "stopReason": "over", "decision": "approve"}
    outputs["deny-number"] = {"decision": "block", "reason": 5}
    return outputs


def _endings() -> list[Object]:
    found: list[Object] = []
    for event, scene in SCENES.items():
        ends = {**bodies(_decisions(event)), "timeout": "sleep 20; exit 2", "missing": "nosuch-program"}
        for name, body in ends.items():
            if event in _ONLY_WATCHED and name not in _WATCHED:
                continue
            found.append(case(f"{event}.{name}", event, hook(name, body), **scene))
    return found


def _matchers() -> list[Object]:
    texts: list[Json] = [
        *("Execute", "execute", "Exec", "Execute|Create", "Exec.*", "^Execute$", "*", "", "Bash", "("),
        *(" Execute", "Execute,Create", ".*", "^exec", "(?i)execute", "^(?!Create)", "Create|^Exec", None),
    ]
    found: list[Object] = []
    for index, text in enumerate(texts):
        group: Json = {"matcher": text, "hooks": [deny("a")]}
        found.append(grouped(f"matcher.{index}", "PreToolUse", {"PreToolUse": [group]}))
    return found


def _several() -> list[Object]:
    allow: Json = {"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "allow"}}
    refuse: Json = {
        "hookSpecificOutput": {
            "hookEventName": "PreToolUse",
            "permissionDecision": "deny",
            "permissionDecisionReason": "by b",
        }
    }
    lists: dict[str, list[Json]] = {
        "deny-deny": [deny("a", "first"), deny("b", "second")],
        "deny-allow": [deny("a"), saying("b", allow)],
        "allow-deny": [saying("a", allow), deny("b")],
        "inner-deny-allow": [saying("a", refuse), saying("b", allow)],
        "inner-allow-deny": [saying("a", allow), saying("b", refuse)],
        "deny-passing": [deny("a"), passing("b")],
        "same": [deny("a"), deny("a")],
        "halt-allow": [saying("a", {"continue": False, "stopReason": "over"}), saying("b", allow)],
    }
    found: list[Object] = []
    for name, hooks in lists.items():
        found.append(grouped(f"several.{name}", "PreToolUse", {"PreToolUse": [{"hooks": hooks}]}))
    groups: Json = [{"hooks": [deny("a")]}, {"matcher": "Execute", "hooks": [passing("b")]}]
    found.append(grouped("several.groups", "PreToolUse", {"PreToolUse": groups}))
    return found


def _layers() -> list[Object]:
    def one(label: str) -> Object:
        return {"PreToolUse": [{"hooks": [passing(label)]}]}

    made: dict[str, Object] = {
        "user": {"user": {"hooks": one("a")}},
        "user-bare": {"user": one("a")},
        "project": {"project": {"hooks": one("a")}},
        "project-bare": {"project": one("a")},
        "user-settings": {"user-settings": {"hooks": one("a")}},
        "project-settings": {"project-settings": {"hooks": one("a")}},
        "project-local": {"project-local": {"hooks": one("a")}},
        "legacy": {"project-legacy": {"hooks": one("a")}},
        "legacy-user": {"user-legacy": {"hooks": one("a")}},
        "both-user": {"user": one("a"), "user-settings": {"hooks": one("b")}},
        "both-project": {"project": one("a"), "project-settings": {"hooks": one("b")}},
        "user-project": {"user-settings": {"hooks": one("a")}, "project-settings": {"hooks": one("b")}},
        "files": {"user": one("a"), "project": one("b")},
        "off-user": {"user-settings": {"hooksDisabled": True, "hooks": one("a")}},
        "off-project": {"user-settings": {"hooks": one("a")}, "project-settings": {"hooksDisabled": True}},
        "off-user-on-project": {
            "user-settings": {"hooksDisabled": True},
            "project-settings": {"hooksDisabled": False, "hooks": one("a")},
        },
        "hooks-off-user": {"user-settings": {"hooks": {"hooksDisabled": True, **one("a")}}},
        "hooks-off-project": {
            "user-settings": {"hooks": one("a")},
            "project-settings": {"hooks": {"hooksDisabled": True}},
        },
        "hooks-off-user-on-project": {
            "user-settings": {"hooks": {"hooksDisabled": True}},
            "project-settings": {"hooks": {"hooksDisabled": False, **one("a")}},
        },
        "hooks-off-project-on-user": {
            "user-settings": {"hooks": {"hooksDisabled": False, **one("a")}},
            "project-settings": {"hooks": {"hooksDisabled": True}},
        },
        "hooks-off-file": {"user": {"hooksDisabled": True, **one("a")}, "project": one("b")},
        "flat": {"user": {"PreToolUse": [passing("a")]}},
        "flat-settings": {"user-settings": {"hooks": {"PreToolUse": [passing("a")]}}},
        "regex": {"user": {"PreToolUse": [{"commandRegex": "^touch", "hooks": [passing("a")]}]}},
        "regex-other": {"user": {"PreToolUse": [{"commandRegex": "^rm", "hooks": [passing("a")]}]}},
        "empty-file": {"user": {}, "user-settings": {"hooks": one("a")}},
        "exit3": {"user": {"PreToolUse": [{"hooks": [hook("x", "echo no >&2; exit 3")]}]}},
        "managed-only-user": {"user-settings": {"allowManagedHooksOnly": True, "hooks": one("a")}},
    }
    return [
        {"id": f"layers.{name}", "event": "PreToolUse", "layers": layers} for name, layers in made.items()
    ]


def _arrays() -> list[Object]:
    """Return files with an array where an object or a text belongs, and the other way round, before a sound guard."""
    hook: Object = {"type": "command", "command": 'echo a >>"$PROBE/ran"'}
    refusing = 'echo b >>"$PROBE/ran"; echo no >&2; exit 2'
    sound: Object = {"hooks": [{"type": "command", "command": refusing}]}
    events: dict[str, Json] = {
        "event-object": {"PreToolUse": sound},
        "event-handlers": {"PreToolUse": [hook, sound]},
        "event-nested": {"PreToolUse": [[{"hooks": [hook]}], sound]},
        "events-array": [{"PreToolUse": [sound]}],
        "events-named": [{"event": "PreToolUse", **sound}],
        "handlers-object": {"PreToolUse": [{"hooks": hook}, sound]},
        "handlers-nested": {"PreToolUse": [{"hooks": [[hook]]}, sound]},
        "command-array": {"PreToolUse": [{"hooks": [{**hook, "command": ["touch", "x"]}]}, sound]},
        "type-array": {"PreToolUse": [{"hooks": [{**hook, "type": ["command"]}]}, sound]},
        "timeout-array": {"PreToolUse": [{"hooks": [{**hook, "timeout": [5]}]}, sound]},
        "matcher-array": {"PreToolUse": [{"matcher": ["Execute"], "hooks": [hook]}, sound]},
        "regex-array": {"PreToolUse": [{"commandRegex": ["touch"], "hooks": [hook]}, sound]},
        "empty-group": {"PreToolUse": [[], sound]},
        "empty-handler": {"PreToolUse": [{"hooks": [[], hook]}, sound]},
    }
    found: list[Object] = []
    for name, value in events.items():
        for layer in ("project-settings", "project"):
            written: Json = {"hooks": value} if layer == "project-settings" else value
            identifier = f"arrays.{name}-{layer.removeprefix('project').strip('-') or 'file'}"
            found.append({"id": identifier, "event": "PreToolUse", "layers": {layer: written}})
    found.append(
        {
            "id": "arrays.top",
            "event": "PreToolUse",
            "layers": {"project-settings": [{"hooks": {"PreToolUse": [sound]}}]},
        }
    )
    return found


def _faults() -> list[Object]:
    good: Json = {"hooks": [passing("b")]}
    faulty: dict[str, Json] = {
        "no-type": {"hooks": [{"command": probe("a")}]},
        "type": {"hooks": [{"type": "shell", "command": probe("a")}]},
        "no-command": {"hooks": [{"type": "command"}]},
        "command-number": {"hooks": [{"type": "command", "command": 5}]},
        "timeout-text": {"hooks": [{"type": "command", "command": probe("a"), "timeout": "soon"}]},
        "timeout-zero": {"hooks": [{"type": "command", "command": probe("a"), "timeout": 0}]},
        "timeout-fraction": {"hooks": [{"type": "command", "command": probe("a"), "timeout": 1.5}]},
        "extra-key": {"hooks": [{"type": "command", "command": probe("a"), "nosuch": 1}]},
        "extra-group-key": {"hooks": [{"type": "command", "command": probe("a")}], "nosuch": 1},
        "matcher-number": {"matcher": 5, "hooks": [{"type": "command", "command": probe("a")}]},
        "no-hooks": {"matcher": "Execute"},
        "text": "x",
    }
    found: list[Object] = []
    for name, group in faulty.items():
        found.append(grouped(f"fault.{name}", "PreToolUse", {"PreToolUse": [group, good]}))
    found.append(grouped("fault.event", "PreToolUse", {"NoSuch": [good], "PreToolUse": [good]}))
    found.append(grouped("fault.event-lower", "PreToolUse", {"preToolUse": [{"hooks": [passing("a")]}]}))
    return found


def _given() -> list[Object]:
    hooks: Json = {
        event: [{"hooks": [{"type": "command", "command": probe(event)}]}]
        for event in (
            *("PreToolUse", "PostToolUse", "Stop", "SubagentStop", "SessionStart", "SessionEnd"),
            *("UserPromptSubmit", "Notification", "PreCompact"),
        )
    }
    layers: Object = {"project": {"hooks": hooks}}
    shaped = claude_shaped("PreToolUse", probe("PreToolUse", printing({})))
    create: list[Json] = [{"tool": "Create", "input": {"file_path": "@P@/a.txt", "content": "x"}}, *_DONE]
    return [
        {"id": "given.all", "event": "*", "layers": layers, "script": [_PRINT[0], *_DONE]},
        {"id": "given.task", "event": "*", "layers": layers, "script": _TASK},
        {"id": "given.talk", "event": "*", "layers": layers, **SCENES["PreCompact"]},
        {"id": "given.asked", "event": "*", "layers": layers, **SCENES["Notification"]},
        {"id": "given.create", "event": "*", "layers": {"project": shaped}, "script": create},
    ]
