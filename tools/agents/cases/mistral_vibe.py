"""Cases of Mistral Vibe: endings and outputs on its three events, matchers, settings in TOML, and two layers."""

from __future__ import annotations

import json

from tools.agents.cases.shapes import layers_of, script
from tools.agents.grid import ENDINGS, printing, probe
from tools.agents.records import Json, Object

_OUTPUTS: dict[str, Object] = {
    "deny": {"decision": "deny", "reason": "not so"},
    "deny-noreason": {"decision": "deny"},
    "deny-empty": {"decision": "deny", "reason": ""},
    "deny-null": {"decision": "deny", "reason": None},
    "deny-number": {"decision": "deny", "reason": 5},
    "block": {"decision": "block", "reason": "not so"},
    "upper": {"decision": "DENY", "reason": "not so"},
    "allow": {"decision": "allow", "reason": "fine"},
    "null": {"decision": None},
    "word-list": {"decision": ["deny"], "reason": "x"},
    "system": {"system_message": "a notice"},
    "system-number": {"system_message": 5},
    "deny-system": {"decision": "deny", "reason": "not so", "system_message": "a notice"},
    "unknown": {"nosuch": 1, "hook_specific_output": {"nosuch": 1}},
    "specific-null": {"decision": "deny", "reason": "not so", "hook_specific_output": None},
    "specific-text": {"decision": "deny", "reason": "not so", "hook_specific_output": "x"},
    "context": {"hook_specific_output": {"additional_context": "more to know"}},
    "context-number": {"hook_specific_output": {"additional_context": 5}},
    "deny-context": {
        "decision": "deny",
        "reason": "out",
        "hook_specific_output": {"additional_context": "more"},
    },
    "claude": {"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "deny"}},
    "halt": {"continue": False, "stopReason": "over"},
}
_MORE_ENDINGS = {
    "exit2-text": "echo out; echo no >&2; exit 2",
    "exit3": "echo no >&2; exit 3",
    "exit1-deny": printing(_OUTPUTS["deny"]) + "; exit 1",
    "text-tail": printing(_OUTPUTS["deny"]) + "; echo tail",
    "number": "echo 5",
    "string": "echo '\"deny\"'",
}
_SHELL: Object = {"tool": "bash", "input": {"command": "printf plain-result"}}
_FAILS: Object = {"tool": "bash", "input": {"command": "echo partial; exit 3"}}
_DONE: list[Json] = [{"text": "done"}]
_PATTERNS = (
    *("bash", "Bash", "BASH", "bas", "bash*", "*bash", "*", "", " ", "b?sh", "[b]ash", "[!x]ash", "ba*h"),
    *(
        "file_system.bash",
        "file_system.*",
        "file_system*",
        "FILE_SYSTEM.BASH",
        "read_*",
        "bash|read",
        "bash ",
    ),
    *(
        "re:bash",
        "re:BASH",
        "re:bas",
        "re:.*",
        "re:",
        "re:^bash$",
        "re:file_system.bash",
        "re:.*bash",
        "re:(",
        "RE:bash",
    ),
    *(
        "re:(?i)bash",
        "re:bash|read",
        "re:file_system\\\\.bash",
        "^bash$",
        "bash,read",
        "!bash",
        "re: bash",
        ".*",
        "bash\\n",
    ),
)


def cases() -> list[Object]:
    """Return the cases of the agent."""
    return [*_grid(), *_matchers(), *_settings(), *_layers(), *_changes()]


def _grid() -> list[Object]:
    found: list[Object] = []
    ends = {
        **ENDINGS,
        **_MORE_ENDINGS,
        **{f"out.{name}": printing(value) for name, value in _OUTPUTS.items()},
    }
    scenes: dict[str, Object] = {
        "pre_tool": {},
        "post_tool": {"script": [_SHELL, *_DONE]},
        "post_agent": {"script": _DONE},
    }
    for event, scene in scenes.items():
        for name, body in ends.items():
            for strict in (False, True):
                if strict and (event == "post_agent" or name.startswith("out.deny")):
                    continue
                keys: Object = {"strict": True} if strict else {}
                once = '[ -e "$PROBE/once" ] && exit 0; : >"$PROBE/once"; ' if event == "post_agent" else ""
                hook: Object = {"command": "@P@/a.sh", **keys}
                files: Object = {"project/a.sh": f"#!/bin/sh\n{probe('a')}\n{once}{body}\n"}
                identifier = f"{event}.{name}" + ("-strict" if strict else "")
                layers = layers_of("mistral_vibe", hook, event=event)
                found.append({"id": identifier, "event": event, "layers": layers, "files": files, **scene})
    fails: Object = {"script": [_FAILS, *_DONE]}
    files = {"project/a.sh": f"#!/bin/sh\n{probe('a')}\n"}
    layers = layers_of("mistral_vibe", {"command": "@P@/a.sh"}, event="post_tool")
    found.append({"id": "post_tool.failure", "event": "post_tool", "layers": layers, "files": files, **fails})
    always = printing({"decision": "deny", "reason": "again"})
    files = {"project/a.sh": script("a", always)}
    layers = layers_of("mistral_vibe", {"command": "@P@/a.sh"}, event="post_agent")
    found.append(
        {"id": "post_agent.always", "event": "post_agent", "layers": layers, "files": files, "script": _DONE}
    )
    return found


def _matchers() -> list[Object]:
    hooks: list[Object] = [{"command": probe("a")}]
    for number, pattern in enumerate(_PATTERNS):
        hooks.append(
            {
                "match": pattern.replace("\\n", "\n"),
                "command": f'cat >/dev/null; echo m{number} >>"$PROBE/ran"',
            }
        )
    found: list[Object] = []
    for event in ("pre_tool", "post_tool"):
        layers = layers_of("mistral_vibe", *hooks, event=event)
        found.append({"id": f"patterns.{event}", "event": event, "layers": layers})
    return found


def _table(label: str, **fields: Json) -> str:
    given: Object = {"name": label, "type": "pre_tool", "command": f"@P@/{label}.sh", **fields}
    return "[[hooks]]\n" + "".join(
        f"{key} = {json.dumps(value)}\n" for key, value in given.items() if value is not None
    )


def _settings() -> list[Object]:
    """Return files with a fault in the first of two hooks, of which the second refuses."""
    sound = _table("b")
    odd: dict[str, Json] = {"number": 5, "true": True, "list": [], "empty": "", "blank": " "}
    texts = {
        f"{key}-{name}": _table("a", **{key: value})
        for key in ("name", "type", "command", "match", "timeout", "strict", "description")
        for name, value in odd.items()
    }
    texts |= {f"{key}-missing": _table("a", **{key: None}) for key in ("name", "type", "command")}
    texts |= {
        "type-before_tool": _table("a", type="before_tool"),
        "type-upper": _table("a", type="PRE_TOOL"),
        "type-unknown": _table("a", type="nosuch"),
        "key-unknown": _table("a", nosuch=1),
        "key-matcher": _table("a", matcher="nosuch"),
        "name-twice": _table("a") + _table("a"),
        "name-same": _table("a", name="b"),
        "strict-text": _table("a", strict="yes"),
        "strict-one": _table("a", strict=1),
        "timeout-text": _table("a", timeout="5"),
        "timeout-zero": _table("a", timeout=0),
        "timeout-negative": _table("a", timeout=-1),
        "match-on-turn": _table("a", type="post_agent", match="bash"),
        "strict-on-turn": _table("a", type="post_agent", strict=True),
        "text-comment": "# why\n",
        "text-mark": "\ufeff",
        "top-unknown": "nosuch = 1\n",
    }
    wholes = {
        "text-tail": sound + "x\n",
        "text-crlf": sound.replace("\n", "\r\n"),
        "text-empty": "",
        "hooks-table": sound.replace("[[hooks]]", "[hooks]"),
        "hooks-list": "hooks = []\n",
        "hooks-text": 'hooks = "x"\n',
        "hooks-inline": 'hooks = [5, {name = "b", type = "pre_tool", command = "@P@/b.sh"}]\n',
        "text-twice-key": sound + 'name = "c"\n',
    }
    files: Object = {
        "project/a.sh": script("a", "exit 0"),
        "project/b.sh": script("b", printing(_OUTPUTS["deny"])),
    }
    made = {**{name: text + sound for name, text in texts.items()}, **wholes}
    return [
        {"id": f"settings.{name}", "event": "pre_tool", "layers": {"project": text}, "files": files}
        for name, text in made.items()
    ]


def _layers() -> list[Object]:
    """Return hooks of the project and of the user, with other names and with the same."""
    files: Object = {
        f"project/{label}.sh": script(label, printing({"decision": word, "reason": label}))
        for label, word in (("a", "allow"), ("b", "deny"), ("c", "deny"))
    }
    made: dict[str, tuple[str, str]] = {
        "both": (_table("a"), _table("b")),
        "both-deny": (_table("c"), _table("b")),
        "user-first": (_table("b"), _table("a")),
        "same-name": (_table("a", name="x"), _table("b", name="x")),
        "same-name-case": (_table("a", name="x"), _table("b", name="X")),
        "same-name-other-event": (_table("a", name="x", type="post_tool"), _table("b", name="x")),
        "broken-project": ("[[hooks\n", _table("b")),
    }
    found: list[Object] = []
    for name, (project, user) in made.items():
        layers: Object = {"project": project, "user": user}
        found.append({"id": f"layers.{name}", "event": "pre_tool", "layers": layers, "files": files})
    untrusted: list[Json] = ["--auto-approve"]
    found.append({**found[0], "id": "layers.untrusted", "args": untrusted})
    return found


def _changes() -> list[Object]:
    """Return several hooks after a call, and hooks that see what earlier ones changed."""
    made: dict[str, tuple[Object, ...]] = {
        "deny-context": (
            {"decision": "deny", "reason": "one"},
            {"hook_specific_output": {"additional_context": "two"}},
        ),
        "context-deny": (
            {"hook_specific_output": {"additional_context": "one"}},
            {"decision": "deny", "reason": "two"},
        ),
        "deny-deny": ({"decision": "deny", "reason": "one"}, {"decision": "deny", "reason": "two"}),
        "context-context": tuple(
            {"hook_specific_output": {"additional_context": each}} for each in ("one", "two")
        ),
    }
    found: list[Object] = []
    for name, outputs in made.items():
        files: Object = {}
        hooks: list[Object] = []
        for label, value in zip("ab", outputs, strict=False):
            files[f"project/{label}.sh"] = f"#!/bin/sh\n{probe(label)}\n{printing(value)}\n"
            hooks.append({"command": f"@P@/{label}.sh"})
        layers = layers_of("mistral_vibe", *hooks, event="post_tool")
        scene: Object = {"script": [_SHELL, *_DONE]}
        found.append(
            {"id": f"several.{name}", "event": "post_tool", "layers": layers, "files": files, **scene}
        )
    return found
