"""Hooks before a call that mix what other topics have one by one.

Exit statuses with a decision on standard output, decisions that disagree within one object, reasons with unusual characters and
lengths, output that is cut by a timeout, two layers with different matchers, and changed arguments of an MCP server's tool.
"""

from __future__ import annotations

import json

from tools.agents.cases.patterns import TOOLS, with_server
from tools.agents.cases.places import LAYERS
from tools.agents.cases.shapes import EVENTS, decision, layers_of, limited, script
from tools.agents.cases.updates import MORE, output
from tools.agents.grid import printing
from tools.agents.records import Json, Object, mapping

#: Control characters, a character beyond the first plane, one that joins, one without width, and one that turns the direction.
_CONTROLS = "a\u0000b\u0007c\u001b[31md\u007fe\r\nf\tg"
_TAGS = "a\U000e0041b \u200bc\ufb01 \u212b"
_UNICODE = "né \u202enot\u202c 👩\u200d💻 e\u0301 \u2028x\u00a0"
_ASYNC = ("claude_code", "codex", "qwen", "openhands")


#: The name of the shell, as hooks before a call see it.
_SHELLS = {
    **dict.fromkeys(("claude_code", "codex"), "Bash"),
    **dict.fromkeys(("gemini", "qwen"), "run_shell_command"),
    "copilot": "bash",
    "goose": "shell",
    "grok": "run_terminal_command",
    "droid": "Execute",
    "openhands": "terminal",
}


def _deep(value: Object, depth: int) -> str:
    return json.dumps(value)[:-1] + ', "nosuch": ' + "[" * depth + "]" * depth + "}"


def bodies(agent: str) -> dict[str, str]:
    """Return what a hook does, by the last part of a case's identifier."""
    make = decision(agent)
    refusal = make("deny", "out")
    deny = printing(refusal)
    found = {f"status-{status}-deny": f"{deny}; exit {status}" for status in (126, 127, 130, 255)}
    found |= {f"status-{status}-err": f"echo err >&2; exit {status}" for status in (3, 127, 255)}
    return {
        **found,
        "killed-deny": f"{deny}; kill -KILL $$",
        "exit2-both": f"{deny}; echo err >&2; exit 2",
        "exit2-texts": "echo out; echo err >&2; exit 2",
        "exit2-text": "echo out; exit 2",
        "top-approve": printing({"decision": "approve", "reason": "fine", **_inner(agent, "deny")}),
        "top-block": printing({"decision": "block", "reason": "top", **_inner(agent, "allow")}),
        "reason-unicode": printing(make("deny", _UNICODE)),
        "reason-tags": printing(make("deny", _TAGS)),
        "reason-controls": f"cat <<'E'\n{json.dumps(make('deny', _CONTROLS))}\nE",
        "reason-surrogate": f"cat <<'E'\n{json.dumps(make('deny', 'a' + chr(0xD800) + 'b'))}\nE",
        "reason-blank": printing(make("deny", "\n  not so \n\n")),
        "reason-empty": printing(make("deny", "")),
        "reason-12000": printing(make("deny", "no " * 4000)),
        "stderr-controls": r"printf 'a\007b\033[31mc\rd\te\n' >&2; exit 2",
        "stderr-unicode": f"printf '%s\\n' '{_UNICODE}' >&2; exit 2",
        "mark": f"printf '\\357\\273\\277'; {deny}",
        "space": f"printf ' \\n\\t'; {deny}",
        "nan": f"printf '%s\\n' '{json.dumps(refusal)[:-1]}, \"nosuch\": NaN}}'",
        "trailing-comma": f"printf '%s\\n' '{json.dumps(refusal)[:-1]},}}'",
        "number-large": f"printf '%s\\n' '{json.dumps(refusal)[:-1]}, \"nosuch\": 1e999}}'",
        "deep": f"printf '%s\\n' '{_deep(refusal, 1500)}'",
    }


def _inner(agent: str, word: str) -> Object:
    """Return a decision in the nested form; agents with a flat form of their own get that, too."""
    inner: Object = {"permissionDecision": word, "permissionDecisionReason": "inner"}
    nested: Object = {"hookSpecificOutput": {"hookEventName": EVENTS.get(agent, "PreToolUse"), **inner}}
    return {**nested, **inner} if agent == "copilot" else nested


def cases(agent: str) -> list[Object]:
    """Return the cases of an agent."""
    event, found = EVENTS.get(agent, "PreToolUse"), list[Object]()
    own: Object = {"limit": 120} if agent in ("hermes", "openhands") else {}

    def add(name: str, files: Object, layers: Object, **scene: Json) -> None:
        found.append(
            {"id": f"blends.{name}", "event": event, "layers": layers, "files": files, **own, **scene}
        )

    hook: Object = {"command": "@P@/a.sh"}
    for name, body in bodies(agent).items():
        add(name, {"project/a.sh": script("a", body)}, layers_of(agent, hook))
    deny = json.dumps(decision(agent)("deny", "out"))
    half = f"printf '%s' '{deny[:-4]}'; echo err >&2; sleep 9"
    add("timeout-half", {"project/a.sh": script("a", half)}, layers_of(agent, {**hook, **limited(agent, 1)}))
    if agent in _ASYNC:
        late = {"project/a.sh": script("a", "echo err >&2; exit 2")}
        add("async-exit2", late, layers_of(agent, {**hook, "async": True}))
    found += [{**each, **own} for each in [*_layered(agent), *_posted(agent)]]
    if agent in MORE and agent in TOOLS:
        scene = TOOLS[agent][1]
        files: Object = {"project/a.sh": script("a", printing(output(agent, {"name": "other"})))}
        ((layer, value),) = layers_of(agent, hook).items()
        layer, value = with_server(agent, layer, value)
        add("mcp-updated", {**mapping(scene["files"]), **files}, {layer: value}, **_without(scene, "files"))
    return found


def _without(scene: Object, key: str) -> Object:
    return {name: value for name, value in scene.items() if name != key}


def _layered(agent: str) -> list[Object]:
    """Return cases of two layers: a matcher that is a name, one that is an expression, arguments, refusals and stops."""
    if agent not in LAYERS:
        return []
    tool, event = _SHELLS[agent], EVENTS.get(agent, "PreToolUse")
    first, second = LAYERS[agent][:2]
    make = decision(agent)
    changed = (
        output(agent, {"command": "touch other", **MORE[agent]}) if agent in MORE else make("allow", "fine")
    )
    halt: Object = {"continue": False, "stopReason": "over"}
    ends = {"deny": make("deny", "out"), "halt": halt, "halt-deny": {**make("deny", "out"), **halt}}
    found: list[Object] = []
    for name, value in ends.items():
        for order in ("first", "last"):
            one, other = (changed, value) if order == "last" else (value, changed)
            files: Object = {
                "project/a.sh": script("a", printing(one)),
                "project/b.sh": script("b", "sleep 0.7; " + printing(other)),
            }
            layers: Object = {
                first: _matched(agent, event, tool, "a"),
                second: _matched(agent, event, f"^{tool[:3]}.*", "b"),
            }
            identifier = f"blends.layers-{name}-{order}"
            found.append({"id": identifier, "event": event, "layers": layers, "files": files})
    return found


def _matched(agent: str, event: str, matcher: str, label: str) -> Json:
    command = f"@P@/{label}.sh"
    if agent == "copilot":
        return {"version": 1, "hooks": {event: [{"type": "command", "bash": command, "matcher": matcher}]}}
    return {"hooks": {event: [{"matcher": matcher, "hooks": [{"type": "command", "command": command}]}]}}


def _posted(agent: str) -> list[Object]:
    """Return cases of a hook of the type http, whose server answers with an unusual status."""
    if agent not in ("claude_code", "qwen", "copilot"):
        return []
    event, found = EVENTS.get(agent, "PreToolUse"), list[Object]()
    deny = json.dumps(decision(agent)("deny", "out"))
    for status, body in (
        (201, deny),
        (206, deny),
        (299, deny),
        (204, ""),
        (304, deny),
        (302, deny),
        (401, deny),
        (503, "no"),
    ):
        handler: Object = {"type": "http", "url": "@U@/hook/a"}
        groups: list[Json] = [handler] if agent == "copilot" else [{"hooks": [handler]}]
        settings: Object = {"version": 1} if agent == "copilot" else {}
        layers: Object = {"project": {**settings, "hooks": {event: groups}}}
        scene: Object = {"endpoints": {"/hook/a": [status, body]}}
        found.append({"id": f"blends.http-{status}", "event": event, "layers": layers, **scene})
    return found
