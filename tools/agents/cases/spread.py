"""What readers of outputs differ in, on other events than calls: prompts, stops and the end of a call; several hooks; sub-agents.

A refused stop is refused once, so that the agent stops when it wants to for the second time.
"""

from __future__ import annotations

import json

from tools.agents.cases.shapes import EVENTS, decision, layers_of, limited, script
from tools.agents.grid import COPILOT, KIMI, QWEN, SUBAGENT, printing, probe
from tools.agents.records import Json, Object

_DONE: list[Json] = [{"text": "done"}]
_PROMPT = {"claude_code": "UserPromptSubmit", "codex": "UserPromptSubmit", "gemini": "BeforeAgent"}
_PROMPT |= {"copilot": "userPromptSubmitted", "qwen": "UserPromptSubmit", "kimi": "UserPromptSubmit"}
_STOP = {**dict.fromkeys(("claude_code", "codex", "qwen", "goose", "kimi", "grok"), "Stop")}
_STOP |= {"gemini": "AfterAgent", "copilot": "agentStop"}
_POST = {**dict.fromkeys(("claude_code", "qwen"), "PostToolUse"), "gemini": "AfterTool"}
_SHELL: dict[str, Object] = {
    "claude_code": {"tool": "Bash", "input": {"command": "printf plain-result", "description": "t"}},
    "gemini": {"tool": "run_shell_command", "input": {"command": "printf plain-result", "description": "t"}},
    "qwen": {
        "tool": "run_shell_command",
        "input": {"command": "printf plain-result", "description": "t", "is_background": False},
    },
}


#: The forms of what a hook says after a call.
_AFTER = ("nan", "large", "key-then-approve", "tail", "bytes", "separator", "status-1", "killed")


def refusal(agent: str, reason: str = "out") -> Object:
    """Return what refuses a prompt, a stop or a result."""
    if agent == "kimi":
        return decision(agent)("deny", reason)
    return {"decision": "deny" if agent == "gemini" else "block", "reason": reason}


def forms(agent: str) -> dict[str, str]:
    """Return what a hook prints and how it ends, by the last part of a case's identifier."""
    value = refusal(agent)
    deny, text = printing(value), json.dumps(value)
    key = next(iter(value))
    nested = "[" * 1500 + "]" * 1500
    odd = json.dumps(refusal(agent, "@ODD@")).replace("@ODD@", r"a\377b")
    approving = json.dumps({**value, key: "approve"})
    texts = {
        "nan": f'{text[:-1]}, "nosuch": NaN}}',
        "large": f'{text[:-1]}, "nosuch": 1e999}}',
        "deep": f'{text[:-1]}, "nosuch": {nested}}}',
        "comma": f"{text[:-1]},}}",
        "key-twice": f'{text[:-1]}, "{key}": {json.dumps(value[key])}}}',
        "key-then-approve": f'{text[:-1]}, "{key}": "approve"}}',
        "approve-then-key": f"{approving[:-1]}, {text[1:]}",
        "surrogate": text.replace('"out"', '"o\\ud800t"'),
    }
    return {
        **{name: f"cat <<'E'\n{each}\nE" for name, each in texts.items()},
        "tail": f"{deny}; echo tail",
        "head": f"echo head; {deny}",
        "twice": f"{deny}; {deny}",
        "bytes": f"printf '{odd}'",
        "mark": f"printf '\\357\\273\\277'; {deny}",
        "separator": f"printf '\\036'; {deny}",
        "next-line": f"{deny}; printf '\\302\\205'",
        "returns": f"{deny} | sed 's/$/\\r/'",
        "status-1": f"{deny}; exit 1",
        "status-2-silent": f"{deny}; exit 2",
        "status-255": f"{deny}; exit 255",
        "killed": f"{deny}; kill -KILL $$",
        "long": f"printf '%s' '{text[:-2]}'; head -c 300000 /dev/zero | tr '\\0' x; printf '%s\\n' '\"}}'",
        "array": printing([value]),
        "string": printing(text),
    }


def once(body: str) -> str:
    """Return what is done the first time alone."""
    return f'if [ -e "$PROBE/once" ]; then exit 0; fi; : >"$PROBE/once"\n{body}'


def cases(agent: str) -> list[Object]:
    """Return the cases of an agent."""
    return [*_forms(agent), *_stops(agent), *_several(agent), *_subagents(agent)]


def _forms(agent: str) -> list[Object]:
    found: list[Object] = []
    for kind, events in (("prompt", _PROMPT), ("stop", _STOP), ("post", _POST)):
        if agent not in events:
            continue
        scene: Object = {"script": [_SHELL[agent], *_DONE] if kind == "post" else _DONE}
        for name, body in forms(agent).items():
            if kind == "post" and name not in _AFTER:
                continue
            body = once(body) if kind == "stop" else body
            found.append(_case(f"{kind}.{name}", agent, events[agent], (body,), **scene))
    return found


def _case(name: str, agent: str, event: str, bodies: tuple[str, ...], **scene: Json) -> Object:
    files: Object = {}
    hooks: list[Object] = []
    for label, body in zip("abc", bodies, strict=False):
        seconds = limited(agent, 1) if body.startswith("sleep 9") else {}
        files[f"project/{label}.sh"] = script(label, body)
        hooks.append({"command": f"@P@/{label}.sh", **seconds})
    layers = layers_of(agent, *hooks, event=event)
    return {"id": f"spread.{name}", "event": event, "layers": layers, "files": files, **scene}


def _stops(agent: str) -> list[Object]:
    """Return stops that are refused more than once, or by one of two hooks, or ended by the other."""
    if agent not in _STOP:
        return []
    deny = printing(refusal(agent))
    halt = printing({"continue": False, "stopReason": "over"})
    count = 'n=$(cat "$PROBE/n" 2>/dev/null || echo 0); n=$((n + 1)); echo $n >"$PROBE/n"'
    bodies: dict[str, tuple[str, ...]] = {
        "three": (f"{count}; [ $n -gt 3 ] || {deny}",),
        "then-exit2": (f"{count}; case $n in 1) {deny};; 2) echo err >&2; exit 2;; esac",),
        "then-halt": (f"{count}; case $n in 1) {deny};; 2) {halt};; esac",),
        "then-broken": (f"{count}; case $n in 1) {deny};; 2) echo '{{';; 3) {deny};; esac",),
        "two-deny-pass": (once(deny), "true"),
        "two-pass-deny": ("true", once(deny)),
        "two-deny-halt": (once(deny), f"sleep 0.5; {halt}"),
        "two-halt-deny": (halt, f"sleep 0.5; {once(deny)}"),
        "two-deny-exit2": (once(deny), once("sleep 0.5; echo err >&2; exit 2").replace("once", "twice")),
        "two-deny-late": (once(deny), "sleep 9"),
        "two-killed-deny": ("kill -KILL $$", once(deny)),
    }
    return [_case(f"stops.{name}", agent, _STOP[agent], each, script=_DONE) for name, each in bodies.items()]


def _several(agent: str) -> list[Object]:
    """Return three hooks before a call, of which one fails, one refuses and one approves."""
    make, event = decision(agent), EVENTS.get(agent, "PreToolUse")
    deny, allow = printing(make("deny", "out")), printing(make("allow", "fine"))
    fail, kill, late = "echo err >&2; exit 1", "kill -KILL $$", "sleep 9"
    ends: dict[str, tuple[str, ...]] = {
        "allow-fail-deny": (allow, fail, f"sleep 0.5; {deny}"),
        "deny-fail-allow": (deny, fail, f"sleep 0.5; {allow}"),
        "kill-deny-allow": (kill, deny, f"sleep 0.5; {allow}"),
        "allow-kill-exit2": (allow, kill, "sleep 0.5; echo err >&2; exit 2"),
        "late-allow-deny": (late, allow, f"sleep 0.5; {deny}"),
        "broken-allow-deny": ("echo '{'", allow, f"sleep 0.5; {deny}"),
        "exit2-deny-allow": ("echo err >&2; exit 2", f"sleep 0.3; {deny}", f"sleep 0.6; {allow}"),
        "flood-allow-deny": ("head -c 2000000 /dev/zero | tr '\\0' x", allow, f"sleep 0.5; {deny}"),
    }
    if agent == "copilot":  # where a hook that fails before a call refuses
        ends.pop("allow-fail-deny")
    found = [_case(f"several.{name}", agent, event, bodies) for name, bodies in ends.items()]
    if agent in ("claude_code", "codex", "qwen"):
        for name, bodies in {
            "async-deny": (deny, allow),
            "async-exit2": ("echo err >&2; exit 2", allow),
        }.items():
            files: Object = {"project/a.sh": script("a", bodies[0]), "project/b.sh": script("b", bodies[1])}
            hooks: list[Object] = [{"command": "@P@/a.sh", "async": True}, {"command": "@P@/b.sh"}]
            layers = layers_of(agent, *hooks)
            found.append({"id": f"spread.several.{name}", "event": event, "layers": layers, "files": files})
    return found


def _subagents(agent: str) -> list[Object]:
    """Return calls of a sub-agent that a hook refuses, and stops of it."""
    calls: dict[str, Object] = {
        "claude_code": {"tool": "Bash", "input": {"command": "touch marker", "description": "t"}},
        "qwen": {
            "tool": "run_shell_command",
            "input": {"command": "touch marker", "description": "t", "is_background": False},
        },
        "kimi": {"tool": "Bash", "input": {"command": "touch marker", "description": "t"}},
        "copilot": {"tool": "bash", "input": {"command": "touch marker", "description": "t"}},
    }
    if agent not in calls:
        return []
    scenes: dict[str, Json] = {
        "claude_code": SUBAGENT,
        "qwen": QWEN["SubagentStart"]["script"],  # type: ignore[index,call-overload]
        "kimi": KIMI["SubagentStart"]["script"],  # type: ignore[index,call-overload]
        "copilot": COPILOT["subagentStart"]["script"],  # type: ignore[index,call-overload]
    }
    scene = scenes[agent]
    assert isinstance(scene, list)
    steps: list[Json] = [scene[0], calls[agent], *scene[1:]]
    event = EVENTS.get(agent, "PreToolUse")
    deny = printing(decision(agent)("deny", "out"))
    inner = 'grep -q marker "$PROBE/a.stdin" || exit 0; '  # the call that starts the sub-agent passes
    more: Object = {"allowed": "Bash,Agent"} if agent == "claude_code" else {}
    found: list[Object] = []
    for name, body in {
        "deny": deny,
        "exit2": "echo err >&2; exit 2",
        "pass": "true",
        "broken": "echo '{'",
    }.items():
        keep = probe("a", f"{inner}{body}")
        layers = layers_of(agent, {"command": keep}, event=event)
        identifier = f"spread.agents.{name}"
        found.append({"id": identifier, "event": event, "layers": layers, "script": steps, **more})
    return found
