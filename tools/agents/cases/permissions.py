"""What a hook answers before a call, against the rules and the modes of the agent's own settings.

An identifier is ``permissions.MODE.RULE.WORD``: the mode of the run, the rule about the call, and the hook's answer. With
``two`` in place of the mode, two hooks answer, and WORD has both. No user is there.
"""

from __future__ import annotations

from sandhook.hooks import contracts
from tools.agents.cases.sessions import configured, placed
from tools.agents.cases.shapes import EVENTS, decision, layer_of, layers_of, script
from tools.agents.grid import printing, probe
from tools.agents.records import Json, Object, mapping

_RULE = "Bash(touch *)"
#: The words of each agent's hooks; "none" is a hook that prints nothing.
_WORDS: dict[str, tuple[str, ...]] = {
    "claude_code": ("none", "allow", "ask", "deny", "defer"),
    "codex": ("none", "deny"),
    "gemini": ("none", "allow", "ask", "deny"),
    "copilot": ("none", "allow", "ask", "deny"),
    "qwen": ("none", "allow", "ask", "deny"),
    "grok": ("none", "allow", "ask", "deny", "defer"),
    "droid": ("none", "allow", "ask", "deny"),
    "kimi": ("none", "allow", "ask", "deny"),
    "goose": ("none", "allow", "deny"),
    "hermes": ("none", "ask", "deny"),
    "openhands": ("none", "allow", "deny"),
}
#: A call that Hermes Agent asks about: its list of dangerous commands has the flag.
_DANGEROUS: list[Json] = [{"tool": "terminal", "input": {"command": "sh -c 'touch marker'"}}]
_TRUSTED = "--dangerously-bypass-hook-trust"
#: Another agent answers in place of the user.
_REVIEWED: list[Json] = [
    _TRUSTED,
    "-c",
    'approvals_reviewer="auto_review"',
    "-c",
    'approval_policy="on-request"',
]
#: How each mode is set.
_MODES: dict[str, dict[str, Object]] = {
    "claude_code": {
        "default": {},
        "plan": {"args": ["--permission-mode", "plan"]},
        "acceptEdits": {"args": ["--permission-mode", "acceptEdits"]},
        "dontAsk": {"args": ["--permission-mode", "dontAsk"]},
        "bypass": {"args": ["--permission-mode", "bypassPermissions"], "env": {"IS_SANDBOX": "1"}},
    },
    "codex": {
        "never": {"args": [_TRUSTED, "-c", 'approval_policy="never"']},
        "reviewed": {"args": _REVIEWED},
        "read-only": {"args": [_TRUSTED], "sandbox": "read-only"},
    },
    "gemini": {
        mode: {"args": ["--approval-mode", mode]} for mode in ("default", "auto_edit", "yolo", "plan")
    },
    "copilot": {
        "default": {"args": []},
        "all-tools": {"args": ["--allow-all-tools"]},
        "yolo": {"args": ["--yolo"]},
        "plan": {"args": ["--mode", "plan", "--allow-all-tools"]},
        "autopilot": {"args": ["--mode", "autopilot", "--allow-all-tools"]},
    },
    "qwen": {mode: {"args": ["--approval-mode", mode]} for mode in ("default", "auto-edit", "yolo", "plan")},
    "grok": {
        "always": {"args": ["--trust", "--always-approve"]},
        **{
            mode: {"args": ["--trust", "--permission-mode", mode]}
            for mode in ("default", "acceptEdits", "dontAsk", "bypassPermissions", "plan")
        },
    },
    "droid": {
        "read-only": {"args": []},
        **{level: {"args": ["--auto", level]} for level in ("low", "medium", "high")},
        "unsafe": {"args": ["--skip-permissions-unsafe"]},
    },
    "hermes": {
        "yolo": {},
        "manual": {"allowed": ""},
        "off": {"allowed": "", "config": "approvals:\n  mode: 'off'\n"},
    },
    "openhands": {
        "never": {},
        **{mode: {"args": [mode]} for mode in ("always", "risky", "approved")},
    },
    "kimi": {"prompt": {}},  # its other modes are for the terminal
    "goose": {mode: {"env": {"GOOSE_MODE": mode}} for mode in ("auto", "approve", "smart_approve", "chat")},
}
_RULES = ("none", "allow", "ask", "deny")


def _ruled(agent: str, rule: str) -> Object:
    """Return what a case has so that the agent's settings have a rule about the call; {} when it knows none such."""
    if agent in ("claude_code", "qwen"):
        return {"layers": {"user": {"permissions": {rule: [_RULE]}}}}
    if agent == "codex":
        word = {"ask": "prompt", "deny": "forbidden"}.get(rule, rule)
        text = f'prefix_rule(pattern = ["touch"], decision = "{word}")\n'
        return {"files": {"home/.codex/rules/default.rules": text}}
    if agent == "gemini":
        word = {"ask": "ask_user"}.get(rule, rule)
        text = f'[[rule]]\ntoolName = "run_shell_command"\ncommandPrefix = "touch"\ndecision = "{word}"\npriority = 900\n'
        return {"files": {"home/.gemini/policies/own.toml": text}}
    if agent == "copilot":
        return {"args": [f"--{rule}-tool", "shell(touch)"]} if rule != "ask" else {}
    if agent == "grok":
        return {"config": f'[permission]\n{rule} = ["{_RULE}"]\n'}
    if agent == "droid" and rule != "ask":
        return {"layers": {"user-settings": {f"command{rule.capitalize()}list": ["touch marker", "touch"]}}}
    if agent == "kimi":
        return {"config": f'\n[[permission.rules]]\ndecision = "{rule}"\npattern = "Bash(touch *)"\n'}
    if agent == "hermes":
        texts = {
            "allow": "command_allowlist:\n- \"sh -c 'touch marker'\"\n",
            "deny": 'approvals:\n  deny:\n  - "*touch*"\n',
        }
        return {"config": texts.get(rule, ""), "script": _DANGEROUS}
    if agent == "goose":
        place = {"allow": "always_allow", "ask": "ask_before", "deny": "never_allow"}
        lists = "".join(
            f"  {each}: {'[shell]' if each == place[rule] else '[]'}\n" for each in place.values()
        )
        return {"files": {"home/.config/goose/permission.yaml": f"user:\n{lists}"}}
    return {}


def _hooked(agent: str, *words: str) -> tuple[Object, Object]:
    """Return the layers and the files of hooks that answer these words; the last one ends last."""
    files: Object = {}
    handlers: list[Object] = []
    for label, word in zip("ab", words, strict=False):
        said = "" if word == "none" else printing(decision(agent)(word, f"by {label}"))
        wait = "sleep 0.5\n" if label == "b" else ""
        files[f"project/{label}.sh"] = script(label, wait + said)
        handlers.append({"command": f"@P@/{label}.sh"})
    return layers_of(agent, *handlers), files


def _case(agent: str, identifier: str, mode: Object, rule: str, *words: str) -> Object | None:
    """Return a case, or None for a rule that the agent does not know."""
    ruled = {} if rule == "none" else _ruled(agent, rule)
    if rule != "none" and not ruled:
        return None
    layers, files = _hooked(agent, *words)
    case: Object = {"id": identifier, "event": EVENTS.get(agent, "PreToolUse"), **mode}
    more = mapping(ruled.get("layers"))
    case["layers"] = {**more, **layers}
    if agent in ("kimi", "hermes"):
        text = str(layers[layer_of(agent)]) + _joined(
            str(case.pop("config", "")), str(ruled.get("config", ""))
        )
        case["layers"] = {layer_of(agent): text}
    elif "config" in ruled:
        case["config"] = ruled["config"]
    case["files"] = {**files, **mapping(ruled.get("files"))}
    if "args" in ruled:
        given: Json = mode.get("args", [])
        assert isinstance(given, list) and isinstance(ruled["args"], list)
        case["args"] = [*given, *ruled["args"]]
    if agent == "claude_code":
        case["allowed"] = ""
    if "script" in ruled:
        case["script"] = ruled["script"]
    if agent in ("hermes", "openhands"):
        case["limit"] = 120
    return case


def _joined(mode: str, rule: str) -> str:
    """Return settings of a mode and of a rule, which may share their first key."""
    head = mode.partition("\n")[0] + "\n"
    return mode + (rule.removeprefix(head) if mode else rule)


#: Answers of two hooks of one event.
_PAIRS = (
    *(("allow", "deny"), ("deny", "allow"), ("allow", "ask"), ("ask", "allow"), ("ask", "deny")),
    *(("none", "allow"), ("defer", "allow"), ("allow", "defer"), ("ask", "defer"), ("deny", "defer")),
)


def cases(agent: str) -> list[Object]:
    """Return the cases of an agent."""
    if agent not in _WORDS:
        return []
    words = _WORDS[agent]
    found: list[Object | None] = []
    for name, mode in _MODES[agent].items():
        for rule in _RULES:
            for word in words:
                found.append(_case(agent, f"permissions.{name}.{rule}.{word}", mode, rule, word))
    usual = next(iter(_MODES[agent].values()))
    for pair in _PAIRS:
        if set(pair) <= set(words):
            for rule in _RULES:
                found.append(_case(agent, f"permissions.two.{rule}.{'-'.join(pair)}", usual, rule, *pair))
    found += [
        {"id": f"modes.{name}", "event": "*", **mode, **_kept(agent, str(mode.get("config", "")))}
        for name, mode in _MODES[agent].items()
    ]
    others = {"claude_code": _claude_asked, "codex": _codex_asked, "copilot": _copilot_asked}
    return [each for each in found if each is not None] + (others[agent]() if agent in others else [])


def _kept(agent: str, config: str) -> Object:
    """Return hooks of some events that keep their payloads, which name the mode; Hermes Agent has its mode in the same file."""
    if agent == "hermes":
        names = ("pre_tool_call", "post_tool_call", "pre_approval_request", "post_approval_response")
        hooks = placed(agent, {name: probe(name) for name in names})
        return {
            **hooks,
            "layers": {"user": str(mapping(hooks["layers"])["user"]) + config},
            "script": _DANGEROUS,
            "limit": 120,
        }
    events = ("SessionStart", "UserPromptSubmit", EVENTS.get(agent, "PreToolUse"), "PostToolUse", "Stop")
    names = [name for name in events if name in contracts.get(agent).events]
    commands = {name: probe(name) for name in names}
    return {"layers": {layer_of(agent): configured(agent, commands)}}


def _claude_asked() -> list[Object]:
    """Return what a hook answers to Claude Code's request for a permission, against a rule."""
    return _asked("claude_code", {"allowed": ""})


def _codex_asked() -> list[Object]:
    """Return what a hook answers to Codex's request for a permission, against a rule."""
    return _asked("codex", {"args": _REVIEWED})


def _asked(agent: str, scene: Object) -> list[Object]:
    event, found = "PermissionRequest", list[Object]()
    for rule in _RULES:
        for word in ("none", "allow", "deny"):
            value: Object = {"hookEventName": event, "decision": {"behavior": word, "message": "by a"}}
            text = "" if word == "none" else printing({"hookSpecificOutput": value})
            files: Object = {"project/a.sh": script("a", text)}
            ruled = _ruled(agent, rule) if rule != "none" else {}
            files |= mapping(ruled.get("files"))
            hook: Json = {"type": "command", "command": "@P@/a.sh"}
            layers: Object = {
                **mapping(ruled.get("layers")),
                "project": {"hooks": {event: [{"hooks": [hook]}]}},
            }
            case: Object = {"id": f"permissions.asked.{rule}.{word}", "event": event, "layers": layers}
            found.append({**case, "files": files, **scene})
    return found


def _copilot_asked() -> list[Object]:
    """Return what hooks of Copilot's request for a permission, and those with Claude Code's names, answer."""
    found = list[Object]()
    for rule in ("none", "allow", "deny"):
        for word in ("none", "allow", "deny"):
            outputs: dict[str, Object] = {
                "permissionRequest": {"behavior": word, "message": "by a"},
                "PreToolUse": decision("claude_code")(word, "by a"),
            }
            for part, (event, value) in zip(("asked", "named"), outputs.items(), strict=True):
                files: Object = {"project/a.sh": script("a", "" if word == "none" else printing(value))}
                hooks: Json = {event: [{"type": "command", "bash": "@P@/a.sh"}]}
                layers: Object = {"project": {"version": 1, "hooks": hooks}}
                args = [] if rule == "none" else _ruled("copilot", rule)["args"]
                case: Object = {"id": f"permissions.{part}.{rule}.{word}", "event": event, "layers": layers}
                found.append({**case, "files": files, "args": args})
    return found
