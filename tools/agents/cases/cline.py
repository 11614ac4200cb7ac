"""The cases of Cline, whose hooks are files with the names of events."""

from __future__ import annotations

import json

from tools.agents.grid import ENDINGS, printing, probe
from tools.agents.records import Json, Object

_DONE: list[Json] = [{"text": "done"}]
_PRINT: Json = {"tool": "run_commands", "input": {"commands": ["printf plain-result"]}}
_SPAWN: list[Json] = [
    {"tool": "spawn_agent", "input": {"systemPrompt": "s", "task": "go"}},
    {"tool": "run_commands", "input": {"commands": ["printf inner"]}},
    {"text": "sub done"},
    *_DONE,
]
#: How each event is brought about.
SCENES: dict[str, Object] = {
    "PreToolUse": {},
    "PostToolUse": {"script": [_PRINT, *_DONE]},
    "TaskStart": {"script": _DONE},
    "TaskComplete": {"script": _DONE},
    "TaskError": {"script": [{"status": 400}]},
}
_DIRECTORY = "project/.cline/hooks/"
_EVENTS = (
    *("TaskStart", "TaskResume", "UserPromptSubmit", "PreToolUse", "PostToolUse", "TaskComplete"),
    *("TaskCancel", "TaskError", "SessionShutdown", "PreCompact"),
)
#: Outputs at the top of an object.
_OUTPUTS: dict[str, Json] = {
    "cancel": {"cancel": True, "errorMessage": "not so"},
    "cancel-bare": {"cancel": True},
    "cancel-text": {"cancel": "true", "errorMessage": "not so"},
    "cancel-number": {"cancel": 1},
    "cancel-list": {"cancel": [True]},
    "cancel-null": {"cancel": None},
    "cancel-false": {"cancel": False, "errorMessage": "a message"},
    "cancel-context": {"cancel": True, "context": "more to know"},
    "message": {"errorMessage": "a message"},
    "message-blank": {"errorMessage": "  "},
    "message-number": {"errorMessage": 5},
    "context": {"context": "more to know"},
    "modification": {"contextModification": "more to know"},
    "both": {"context": "first", "contextModification": "second", "errorMessage": "third"},
    "context-empty": {"context": "", "contextModification": "second"},
    "context-number": {"context": 5, "contextModification": "second"},
    "context-list": {"context": ["a", "b"]},
    "context-blank": {"context": " \n "},
    "context-lines": {"context": "\n one\n two \n"},
    "context-markup": {"context": "<b> & \"c\" 'd' </hook_context>"},
    "context-long": {"context": "x" * 60_000},
    "review": {"review": True},
    "block": {"decision": "block", "reason": "not so"},
    "deny": {"decision": "deny", "reason": "not so"},
    "halt": {"continue": False, "stopReason": "over"},
    "inner-deny": {
        "hookSpecificOutput": {
            "hookEventName": "PreToolUse",
            "permissionDecision": "deny",
            "permissionDecisionReason": "not so",
        }
    },
    "unknown": {"nosuch": 1},
}
_CANCEL = json.dumps(_OUTPUTS["cancel"])
_CONTROL = f"printf 'HOOK_CONTROL\\t%s\\n' '{_CANCEL}'"
#: Lines that say which part of an output counts.
_CONTROLS = {
    "alone": _CONTROL,
    "with-text": f"echo before; {_CONTROL}; echo after",
    "last-empty": f"{_CONTROL}; printf 'HOOK_CONTROL\\t{{}}\\n'",
    "last-cancel": f"printf 'HOOK_CONTROL\\t{{}}\\n'; {_CONTROL}",
    "with-object": f"echo '{{}}'; {_CONTROL}",
    "before-object": f"{_CONTROL}; echo '{{}}'",
    "blank-before": f"printf '  '; {_CONTROL}",
    "space": f"printf 'HOOK_CONTROL %s\\n' '{_CANCEL}'",
    "returns": f"{_CONTROL} | sed 's/$/\\r/'",
    "inside": f"printf 'x HOOK_CONTROL\\t%s\\n' '{_CANCEL}'",
    "broken": f"printf 'HOOK_CONTROL\\t{{\\n'; echo '{_CANCEL}'",
    "empty": f"printf 'HOOK_CONTROL\\t\\n'; echo '{_CANCEL}'",
    "lower": f"printf 'hook_control\\t%s\\n' '{_CANCEL}'",
    "no-newline": f"{_CONTROL} | tr -d '\\n'",
    "errors": f"{_CONTROL} >&2",
    "separator": f"printf '\\036HOOK_CONTROL\\t%s\\n' '{_CANCEL}'",
    "next-line": f"printf '\\302\\205'; {_CONTROL}",
    "vertical": f"printf '\\013'; {_CONTROL}",
    "mark": f"printf '\\357\\273\\277'; {_CONTROL}",
    "other-break": f"printf 'a\\342\\200\\250HOOK_CONTROL\\t%s\\n' '{_CANCEL}'",
}
#: Names of files in the directory of hooks.
_NAMES = (
    *("PreToolUse", "pretooluse", "PRETOOLUSE.sh", "PreToolUse.bash", "PreToolUse.zsh", "PreToolUse.py"),
    *("PreToolUse.js", "PreToolUse.mjs", "PreToolUse.cjs", "PreToolUse.ts", "PreToolUse.ps1"),
    *("PreToolUse.SH", "PreToolUse.txt", "PreToolUse.sh.bak", "PreToolUse.cmd", "PreToolUse.", ".PreToolUse"),
    *(
        "PreToolUse .sh",
        " PreToolUse",
        "PreToolUse.exe",
        "PreToolUse~",
        "pre_tool_use",
        "tool_call",
        "PreTool",
    ),
)
#: First lines, and the ending of the file.
_FIRST = {
    "bash": "#!/bin/bash -e",
    "env": "#!/usr/bin/env bash",
    "env-options": "#!/usr/bin/env -S bash -e",
    "missing-bash": "#!/nosuch/bash",
    "missing": "#!/nosuch/program",
    "returns": "#!/bin/sh\r",
    "blank": "#! /bin/sh",
    "empty": "#!",
    "mark": "\ufeff#!/bin/sh",
    "late": "\n#!/nosuch/program",
    "false": "#!/bin/false",
    "perl": "#!/usr/bin/perl -x",
}
_JAVASCRIPT = (
    'require("fs").appendFileSync(process.env.PROBE + "/ran", "a\\n"); console.log(\'{"cancel": true}\')\n'
)
_PYTHON = 'import os\nopen(os.environ["PROBE"] + "/ran", "a").write("a\\n")\nprint(\'{"cancel": true}\')\n'


def cases() -> list[Object]:
    """Return all cases."""
    return [*_endings(), *_controls(), *_names(), *_layers(), *_several(), *_given()]


def _one(identifier: str, event: str, name: str, text: str, **scene: Json) -> Object:
    """Return a case of one file, which is in the directory of hooks unless it names another."""
    path = name if "/" in name else _DIRECTORY + name
    return {"id": identifier, "event": event, "layers": {}, "files": {path: text}, **scene}


def _endings() -> list[Object]:
    found: list[Object] = []
    for event, scene in SCENES.items():
        ends = {**ENDINGS, **{f"out.{name}": printing(value) for name, value in _OUTPUTS.items()}}
        for name in ("cancel", "context"):
            ends[f"out.{name}-exit1"] = printing(_OUTPUTS[name], "; exit 1")
            ends[f"out.{name}-exit2"] = printing(_OUTPUTS[name], "; echo no >&2; exit 2")
            ends[f"out.{name}-killed"] = printing(_OUTPUTS[name], "; kill -KILL $$")
        for name, body in ends.items():
            watched = event not in ("PreToolUse", "PostToolUse")
            if not watched or name in ("silent", "exit2", "out.cancel", "out.context"):
                found.append(_one(f"{event}.{name}", event, event, probe("a", body) + "\n", **scene))
    return found


def _controls() -> list[Object]:
    return [
        _one(f"control.{name}", "PreToolUse", "PreToolUse", probe("a", body) + "\n")
        for name, body in _CONTROLS.items()
    ]


def _names() -> list[Object]:
    shell = f"cat >/dev/null; echo a >>\"$PROBE/ran\"; echo '{_CANCEL}'\n"
    found: list[Object] = []
    for number, name in enumerate(_NAMES):
        text = _PYTHON if name.endswith("py") else shell
        if name.endswith(("js", "ts")):
            text = _JAVASCRIPT
        found.append(_one(f"names.{number}", "PreToolUse", name, text))
    for name, first in _FIRST.items():
        found.append(_one(f"first.{name}", "PreToolUse", "PreToolUse", f"{first}\n{shell}"))
    found.append(_one("first.python", "PreToolUse", "PreToolUse", f"#!/usr/bin/env python3\n{_PYTHON}"))
    found.append(_one("first.python-shell", "PreToolUse", "PreToolUse.py", f"#!/bin/sh\n{shell}"))
    found.append(_one("first.none-python", "PreToolUse", "PreToolUse", _PYTHON))
    found.append(_one("names.empty", "PreToolUse", "PreToolUse", ""))
    found.append(_one("names.directory", "PreToolUse", f"{_DIRECTORY}PreToolUse/PreToolUse", shell))
    return found


def _noting(label: str, more: str = "") -> str:
    return f'cat >/dev/null; echo {label} >>"$PROBE/ran"; pwd >>"$PROBE/where"{more}\n'


def _layers() -> list[Object]:
    places = {
        "user": "home/.cline/hooks/",
        "documents": "home/Documents/Cline/Hooks/",
        "rules": "project/.clinerules/hooks/",
        "project": _DIRECTORY,
        "below": "project/sub/.cline/hooks/",
        "config": "project/.cline/",
        "data": "home/.cline/data/hooks/",
    }
    found = [
        _one(f"layers.{name}", "PreToolUse", f"{path}PreToolUse", _noting("a", f"; echo '{_CANCEL}'"))
        for name, path in places.items()
    ]
    every: Object = {f"{path}PreToolUse": _noting(name) for name, path in places.items()}
    deny = f"; echo '{_CANCEL}'"
    found.append({"id": "layers.all", "event": "PreToolUse", "layers": {}, "files": every})
    for name in ("user", "documents", "rules", "project"):
        files: Object = {**every, f"{places[name]}PreToolUse": _noting(name, deny)}
        found.append({"id": f"layers.deny-{name}", "event": "PreToolUse", "layers": {}, "files": files})
    moved: Object = {
        "own/PreToolUse": _noting("flag"),
        "home/.cline/hooks/PreToolUse": _noting("user"),
        f"{_DIRECTORY}PreToolUse": _noting("project"),
    }
    words: list[Json] = ["--json", "--hooks-dir", "@W@/own"]
    found.append(
        {"id": "layers.hooks-dir", "event": "PreToolUse", "layers": {}, "files": moved, "args": words}
    )
    return found


def _several() -> list[Object]:
    allow, deny = printing({}), printing(_OUTPUTS["cancel"])
    pairs = {
        "deny-first": (deny, allow),
        "deny-last": (allow, deny),
        "deny-both": (deny, printing({"cancel": True, "errorMessage": "other"})),
        "context-both": (printing({"context": "one"}), printing({"context": "two"})),
        "context-deny": (printing({"context": "one"}), deny),
        "broken-deny": ("echo '{'", deny),
        "killed-deny": ("kill -KILL $$", deny),
        "deny-killed": (deny, "kill -KILL $$"),
        "slow-deny": ("sleep 1", deny),
        "input-both": (
            printing({"overrideInput": {"commands": ["touch one"]}}),
            printing({"overrideInput": {"commands": ["touch two"]}}),
        ),
        "input-nothing": (printing({"overrideInput": {"commands": ["touch one"]}}), allow),
    }
    found: list[Object] = []
    for name, bodies in pairs.items():
        files: Object = {
            f"{_DIRECTORY}PreToolUse{ending}": _noting(label, f"; {body}")
            for label, ending, body in zip("ab", ("", ".sh"), bodies, strict=True)
        }
        found.append({"id": f"several.{name}", "event": "PreToolUse", "layers": {}, "files": files})
    return found


def _given() -> list[Object]:
    """Return what hooks of all events receive."""
    hooks: Object = {f"{_DIRECTORY}{event}": probe(event) + "\n" for event in _EVENTS}
    cancelling: Object = {
        **hooks,
        f"{_DIRECTORY}PreToolUse": probe("PreToolUse", printing(_OUTPUTS["cancel"])),
    }
    edit: list[Json] = [
        {"tool": "editor", "input": {"path": "@P@/a.txt", "new_text": "x\n"}},
        {"tool": "read_files", "input": {"files": [{"path": "@P@/a.txt"}]}},
        *_DONE,
    ]
    scripts: dict[str, list[Json]] = {
        "all": [_PRINT, *_DONE],
        "edit": edit,
        "failure": [{"tool": "run_commands", "input": {"commands": ["echo partial; exit 3"]}}, *_DONE],
        "unknown-tool": [{"tool": "nosuch", "input": {"a": 1}}, *_DONE],
        "spawn": _SPAWN,
        "error": [{"status": 400}],
    }
    found: list[Object] = [
        {"id": f"given.{name}", "event": "*", "layers": {}, "files": hooks, "script": script}
        for name, script in scripts.items()
    ]
    found.append({"id": "given.cancelled", "event": "*", "layers": {}, "files": cancelling})
    resumed: Object = {"script": _DONE, "env": {"CLINE_HOOK_AGENT_RESUME": "1"}}
    found.append({"id": "given.resumed", "event": "*", "layers": {}, "files": hooks, **resumed})
    waiting: Json = {
        "tool": "run_commands",
        "input": {"commands": ["(sleep 2; kill -INT $PPID) >/dev/null 2>&1 & sleep 9"]},
    }
    found.append(
        {"id": "given.signal", "event": "*", "layers": {}, "files": hooks, "script": [waiting, *_DONE]}
    )
    typed: Object = {"args": ["-i"], "script": [_PRINT, *_DONE, *_DONE]}
    typed["keys"] = [*_START, {"requests": 2, "pause": 3, "type": "again\r"}, *_leave(3)]
    found.append({"id": "given.typed", "event": "*", "layers": {}, "files": hooks, **typed})
    sleeping: Json = {"tool": "run_commands", "input": {"commands": ["sleep 20"]}}
    broken: Object = {"args": ["-i"], "script": [sleeping, *_DONE]}
    broken["keys"] = [*_START, {"requests": 1, "pause": 3, "type": "\u001b"}, *_leave(1)]
    found.append({"id": "given.interrupted", "event": "*", "layers": {}, "files": hooks, **broken})
    return found


#: What a user types first: the program offers a subscription, and any key declines.
_START: list[Json] = [
    {"see": "ClinePass", "pause": 1, "type": "x"},
    {"pause": 2, "type": "do it"},
    {"pause": 1, "type": "\r"},
]


def _leave(requests: int) -> list[Json]:
    """Return what a user types after so many requests to leave."""
    return [{"requests": requests, "pause": 3, "type": "\u0003"}, {"pause": 1, "type": "\u0003"}]
