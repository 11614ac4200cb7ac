"""The cases of goose."""

from __future__ import annotations

from tools.agents.cases.servers import TOUCHING
from tools.agents.grid import OUTPUTS, bodies, printing, probe
from tools.agents.records import Json, Object

_SHELL: Object = {"tool": "shell", "input": {"command": "touch marker"}}
_WRITE: Object = {"tool": "write", "input": {"path": "made.txt", "content": "x"}}
_FAIL: Object = {"tool": "shell", "input": {"command": "exit 3"}}
_SAY: Object = {"text": "done"}
#: Outputs that goose reads, or that look as if it did.
_OWN: dict[str, Object] = {
    **OUTPUTS,
    "allow": {"decision": "allow"},
    "allow-reason": {"decision": "allow", "reason": "fine"},
    "block-number": {"decision": "block", "reason": 5},
    "block-more": {"decision": "block", "reason": "not so", "nosuch": [1]},
    "block-upper": {"decision": "BLOCK", "reason": "not so"},
    "decision-number": {"decision": 5},
    "inner-deny": {
        "hookSpecificOutput": {"permissionDecision": "deny", "permissionDecisionReason": "not so"}
    },
}
_MORE: dict[str, str] = {
    "allow-exit1": printing({"decision": "allow"}, "; exit 1"),
    "allow-exit2": printing({"decision": "allow"}, "; echo no >&2; exit 2"),
    "block-exit3": printing({"decision": "block", "reason": "not so"}, "; exit 3"),
    "block-signal": printing({"decision": "block", "reason": "not so"}, "; kill -TERM $$"),
    "exit2-out": "echo out; exit 2",
    "exit2-both": "echo out; echo err >&2; exit 2",
    "log-then-block": "echo log; " + printing({"decision": "block", "reason": "not so"}),
    "block-then-log": printing({"decision": "block", "reason": "not so"}, "; echo log"),
    "blank": "echo",
    "bytes": r"""printf '{"decision":"block","reason":"\377"}'""",
    "bytes-allow": r"""printf '{"decision":"allow","reason":"\377"}'""",
    "unread": "exec <&-; sleep 0.1",
    "missing": "nosuch-program",
    "timeout": "sleep 20; exit 2",
    "exit126": "exit 126",
    "mark": r"""printf '\357\273\277{"decision":"block","reason":"not so"}'""",
}
#: Matchers on the tool's name, which is "shell".
_PATTERNS: tuple[Json, ...] = (
    *(
        "",
        "*",
        ".*",
        "shell",
        "^shell$",
        "she",
        "Shell",
        "(?i)SHELL",
        "write|shell",
        "write",
        "^ell",
        "(",
        "[a",
    ),
    *("developer__shell", "Bash", "sh(?=ell)", r"\bshell\b", None, 5, "Shell|Bash", "  "),
)


def cases() -> list[Object]:
    """Return the cases of goose."""
    ends = {**bodies(_OWN), **_MORE}
    made: list[Object] = []
    for name, body in ends.items():
        made.append(_case(f"PreToolUse.{name}", "PreToolUse", _hook(name, body)))
        closed = {**_hook(name, body), "on_failure": "block"}
        made.append(_case(f"closed.{name}", "PreToolUse", closed))
        made.append(_case(f"Stop.{name}", "Stop", _hook(name, body), script=[_SAY]))
    few = ("silent", "text", "exit2", "exit1", "out.block", "out.halt", "timeout")
    for event, script in _WATCHED.items():
        more = _READER if event == "BeforeReadFile" else {}
        made += [
            _case(f"{event}.{name}", event, _hook(name, ends[name]), script=script, **more) for name in few
        ]
    for number, pattern in enumerate(_PATTERNS):
        group: Object = {"matcher": pattern, "hooks": [_deny("a")]}
        made.append(_groups(f"matcher.{number}", "PreToolUse", {"PreToolUse": [group]}))
    return [*made, *_contexts(), *_faults(), *_several(), *_layers(), *_given()]


_WATCHED: dict[str, list[Json]] = {
    "SessionStart": [_SAY],
    "SessionEnd": [_SAY],
    "UserPromptSubmit": [_SAY],
    "PreToolUseResult": [_SHELL, _SAY],
    "PostToolUse": [_SHELL, _SAY],
    "PostToolUseFailure": [{"tool": "edit", "input": {"path": "none", "before": "a", "after": "b"}}, _SAY],
    "BeforeShellExecution": [_SHELL, _SAY],
    "AfterShellExecution": [_SHELL, _SAY],
    "AfterFileEdit": [_WRITE, _SAY],
    "BeforeReadFile": [{"tool": "python3__read_file", "input": {"path": "notes.txt"}}, _SAY],
}
#: A server whose tools have the names of tools that read: goose's own developer has none.
_READING = ("read", "read_file", "view", "cat", "open", "load")
_READER: Object = {
    "files": {
        "home/server.py": TOUCHING.replace(
            '[{"name": "touch", "description": "d", "inputSchema": schema}]',
            f'[{{"name": name, "description": "d", "inputSchema": schema}} for name in {_READING!r}]',
        )
    },
    "args": ["--no-session", "--with-extension", "python3 -B @W@/home/server.py"],
}


_READS: list[Json] = [{"tool": f"python3__{name}", "input": {"path": "@P@/notes.txt"}} for name in _READING]


def _hook(name: str, body: str) -> Object:
    limit: Object = {"timeout": 1} if name == "timeout" else {}
    return {"type": "command", "command": probe("a", body), **limit}


def _deny(label: str, reason: str = "not so") -> Object:
    return {"type": "command", "command": f'echo {label} >>"$PROBE/ran"; echo {reason} >&2; exit 2'}


def _pass(label: str) -> Object:
    return {"type": "command", "command": f'echo {label} >>"$PROBE/ran"'}


def _case(identifier: str, event: str, hook: Object, **scene: Json) -> Object:
    return _groups(identifier, event, {event: [{"hooks": [hook]}]}, **scene)


def _groups(identifier: str, event: str, hooks: Json, **scene: Json) -> Object:
    return {"id": identifier, "event": event, "layers": {"project": {"hooks": hooks}}, **scene}


def _contexts() -> list[Object]:
    """Return matchers on what events other than a tool's have: a prompt, a path, a command."""
    made: list[Object] = []
    for event, pattern, script in (
        ("UserPromptSubmit", "^do", [_SAY]),
        ("UserPromptSubmit", "^it", [_SAY]),
        ("BeforeShellExecution", "^touch", [_SHELL, _SAY]),
        ("BeforeShellExecution", "^shell", [_SHELL, _SAY]),
        ("AfterShellExecution", "marker$", [_SHELL, _SAY]),
        ("AfterFileEdit", r"\.txt$", [_WRITE, _SAY]),
        ("AfterFileEdit", "write", [_WRITE, _SAY]),
        ("Stop", "done", [_SAY]),
        ("SessionStart", "x", [_SAY]),
        ("SessionEnd", ".*", [_SAY]),
    ):
        group: Object = {"matcher": pattern, "hooks": [_pass("a")]}
        number = sum(each["event"] == event for each in made)
        made.append(_groups(f"context.{event}-{number}", event, {event: [group]}, script=script))
    return made


def _faults() -> list[Object]:
    """Return faults of a file whose other hooks may still run."""
    good: Json = {"hooks": [_deny("b")]}

    def one(hook: Json, *beside: Json) -> Json:
        return {"hooks": {"PreToolUse": [{"hooks": [hook, *beside]}, good]}}

    faults: dict[str, Json] = {
        "no-type": one({"command": 'echo a >>"$PROBE/ran"'}),
        "type-prompt": one({"type": "prompt", "prompt": "x"}),
        "type-http": one({"type": "http", "url": "http://localhost:1/"}),
        "type-number": one({"type": 5, "command": "true"}),
        "no-command": one({"type": "command"}),
        "empty-command": one({"type": "command", "command": ""}),
        "command-number": one({"type": "command", "command": 5}),
        "timeout-text": one({**_pass("a"), "timeout": "1"}),
        "timeout-zero": one({**_pass("a"), "timeout": 0}),
        "timeout-negative": one({**_pass("a"), "timeout": -1}),
        "timeout-fraction": one({**_pass("a"), "timeout": 1.5}),
        "on-failure-deny": one({**_pass("a"), "on_failure": "deny"}),
        "on-failure-upper": one({**_pass("a"), "on_failure": "Block"}),
        "on-failure-number": one({**_pass("a"), "on_failure": 5}),
        "on-failure-null": one({**_pass("a"), "on_failure": None}),
        "unknown-field": one({**_pass("a"), "nosuch": 1}),
        "hook-number": one(5),
        "unknown-event": {"hooks": {"NoSuch": [good], "PreToolUse": [good]}},
        "lower-event": {"hooks": {"pretooluse": [{"hooks": [_pass("a")]}], "PreToolUse": [good]}},
        "unknown-top": {"nosuch": 1, "hooks": {"PreToolUse": [good]}},
        "description": {"description": "d", "hooks": {"PreToolUse": [good]}},
        "no-wrapper": {"PreToolUse": [good]},
        "group-number": {"hooks": {"PreToolUse": [5, good]}},
        "no-hooks": {"hooks": {"PreToolUse": [{"matcher": ""}, good]}},
        "event-object": {"hooks": {"PreToolUse": good}},
        "null-event": {"hooks": {"PostToolUse": None, "PreToolUse": [good]}},
        "comment": '// c\n{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "exit 2"}]}]}}',
        "array": "[]",
    }
    return [
        {"id": f"fault.{name}", "event": "PreToolUse", "layers": {"project": value}}
        for name, value in faults.items()
    ]


def _several() -> list[Object]:
    """Return several hooks of one event."""
    block: Object = {
        "type": "command",
        "command": 'echo a >>"$PROBE/ran"; ' + printing({"decision": "block", "reason": "first"}),
    }
    # It reads its input: whether goose could write all of it to one that does not is a matter of time.
    failing: Object = {"type": "command", "command": 'cat >/dev/null; echo a >>"$PROBE/ran"; exit 1'}
    scenes: dict[str, list[Json]] = {
        "deny-pass": [{"hooks": [_deny("a"), _pass("b")]}],
        "pass-deny": [{"hooks": [_pass("a"), _deny("b")]}],
        "deny-deny": [{"hooks": [_deny("a", "first"), _deny("b", "second")]}],
        "groups": [{"hooks": [_deny("a", "first")]}, {"hooks": [_deny("b", "second")]}],
        "block-deny": [{"hooks": [block, _deny("b", "second")]}],
        "same": [{"hooks": [_pass("a"), _pass("a")]}],
        "fail-deny": [{"hooks": [failing, _deny("b")]}],
        "closed-deny": [{"hooks": [{**failing, "on_failure": "block"}, _deny("b")]}],
        "closed-pass": [{"hooks": [{**failing, "on_failure": "block"}, _pass("b")]}],
    }
    return [
        _groups(f"several.{name}", "PreToolUse", {"PreToolUse": groups}) for name, groups in scenes.items()
    ]


def _layers() -> list[Object]:
    """Return hooks of the user and of the project, and what switches them off."""
    user: Json = {"hooks": {"PreToolUse": [{"hooks": [_pass("u")]}]}}
    project: Json = {"hooks": {"PreToolUse": [{"hooks": [_pass("p")]}]}}
    denying: Object = {
        name: {"hooks": {"PreToolUse": [{"hooks": [_deny(name[0], name)]}]}} for name in ("user", "project")
    }
    both: Object = {"user": user, "project": project}
    home, here = "home/.config/goose/settings.json", "project/.config/goose/settings.json"
    manifest = "project/.agents/plugins/guards/plugin.json"

    def off(*names: str) -> Json:
        return {"disabledPlugins": [*names]}

    scenes: dict[str, Object] = {
        "both": {"layers": both},
        "both-deny": {"layers": denying},
        "user": {"layers": {"user": user}},
        "project": {"layers": {"project": project}},
        "user-off": {"layers": both, "files": {home: off("own")}},
        "user-off-by-project": {"layers": both, "files": {here: off("own")}},
        "project-off": {"layers": {"project": project}, "files": {here: off("guards")}},
        "project-off-by-user": {"layers": {"project": project}, "files": {home: off("guards")}},
        "manifest": {"layers": {"project": project}, "files": {manifest: {"name": "guards"}}},
        "manifest-name": {"layers": {"project": project}, "files": {manifest: {"name": "other"}}},
        "manifest-off": {
            "layers": {"project": project},
            "files": {manifest: {"name": "other"}, here: off("other")},
        },
        "claude-root": {
            "layers": {"user": user},
            "files": {"project/.claude/settings.json": project, "project/hooks/hooks.json": project},
        },
        "same-name": {
            "layers": {"project": project},
            "files": {"home/.agents/plugins/guards/hooks/hooks.json": user},
        },
        "several-plugins": {
            "layers": {"project": project},
            "files": {
                "project/.agents/plugins/aaa/hooks/hooks.json": {
                    "hooks": {"PreToolUse": [{"hooks": [_pass("first")]}]}
                },
                "project/.agents/plugins/zzz/hooks/hooks.json": {
                    "hooks": {"PreToolUse": [{"hooks": [_pass("last")]}]}
                },
            },
        },
        "manifest-broken": {"layers": {"project": project}, "files": {manifest: "{"}},
    }
    return [{"id": f"layers.{name}", "event": "PreToolUse", **scene} for name, scene in scenes.items()]


_EVENTS = (
    *(
        "SessionStart",
        "SessionEnd",
        "Stop",
        "UserPromptSubmit",
        "PreToolUse",
        "PreToolUseResult",
        "PostToolUse",
    ),
    *("PostToolUseFailure", "BeforeReadFile", "AfterFileEdit", "BeforeShellExecution", "AfterShellExecution"),
    *("SubagentStart", "SubagentStop"),
)


def _given() -> list[Object]:
    """Return what hooks of all events receive."""
    hooks: Object = {event: [{"hooks": [{"type": "command", "command": probe(event)}]}] for event in _EVENTS}
    refusing: Object = {"type": "command", "command": probe("PreToolUse", "echo no >&2; exit 2")}
    broken: Object = {"type": "command", "command": probe("PreToolUse", "exit 1"), "on_failure": "block"}
    denied: Object = {**hooks, "PreToolUse": [{"hooks": [refusing]}]}
    failing: Object = {**hooks, "PreToolUse": [{"hooks": [broken]}]}
    return [
        _groups("given.all", "*", hooks),
        _groups("given.write", "*", hooks, script=[_WRITE, _SAY]),
        _groups("given.read", "*", hooks, script=[*_READS, _SAY], **_READER),
        _groups("given.failure", "*", hooks, script=[*_WATCHED["PostToolUseFailure"]]),
        _groups("given.exit3", "*", hooks, script=[_FAIL, _SAY]),
        _groups("given.denied", "*", denied),
        _groups("given.failed-hook", "*", failing),
        _groups(
            "given.root",
            "PreToolUse",
            {
                "PreToolUse": [
                    {
                        "hooks": [
                            {"type": "command", "command": '"${PLUGIN_ROOT}"/guard.sh'},
                            {"type": "command", "command": "$PLUGIN_ROOT/guard.sh"},
                        ]
                    }
                ]
            },
            files={
                "project/.agents/plugins/guards/guard.sh": '#!/bin/sh\necho g >>"$PROBE/ran"\necho no >&2\nexit 2\n'
            },
        ),
    ]
