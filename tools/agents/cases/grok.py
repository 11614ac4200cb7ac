"""The cases of Grok Build."""

from __future__ import annotations

from tools.agents.cases.grok_calls import CHANGED_CALLS
from tools.agents.cases.hooks import case, deny, grouped, hook, named, passing, saying
from tools.agents.cases.servers import TOUCHING
from tools.agents.grid import OUTPUTS, bodies, printing, probe, specific
from tools.agents.records import Json, Object

_SHELL: Object = {"tool": "run_terminal_command", "input": {"command": "touch marker", "description": "t"}}
_PLAIN: Object = {
    "tool": "run_terminal_command",
    "input": {"command": "printf plain-result", "description": "t"},
}
_SAY: Object = {"text": "done"}
_SPAWN: Object = {
    "tool": "spawn_subagent",
    "input": {"description": "d", "prompt": "go", "subagent_type": "explore", "background": False},
}
_WORDS = ("allow", "deny", "ask", "defer", "approve", "block", "maybe", "DENY")


def _decisions(event: str) -> dict[str, Object]:
    """Return what a hook before a call may say."""
    found: dict[str, Object] = {"deny-noreason": {"decision": "deny"}}
    for word in _WORDS:
        found[word] = {"decision": word, "reason": "not so"}
        inner: Object = {"permissionDecision": word, "permissionDecisionReason": "inner"}
        found[f"inner-{word}"] = {"hookSpecificOutput": {"hookEventName": event, **inner}}
    updated: Object = {"command": "touch other", "description": "t"}
    own: Object = {"hookEventName": event}
    found["updated"] = {"hookSpecificOutput": {**own, "updatedInput": updated}}
    found["updated-allow"] = {"decision": "allow", "hookSpecificOutput": {**own, "updatedInput": updated}}
    found["updated-deny"] = {"decision": "deny", "hookSpecificOutput": {**own, "updatedInput": updated}}
    found["updated-defer"] = {"decision": "defer", "hookSpecificOutput": {**own, "updatedInput": updated}}
    found["updated-text"] = {"hookSpecificOutput": {**own, "updatedInput": "touch other"}}
    found["updated-schema"] = {"hookSpecificOutput": {**own, "updatedInput": {"nosuch": 1}}}
    found["updated-unnamed"] = {"hookSpecificOutput": {"updatedInput": updated}}
    found["allow-inner-deny"] = {
        "decision": "allow",
        "hookSpecificOutput": {**own, "permissionDecision": "deny"},
    }
    found["deny-inner-allow"] = {
        "decision": "deny",
        "reason": "not so",
        "hookSpecificOutput": {**own, "permissionDecision": "allow"},
    }
    found["decision-number"] = {"decision": 5}
    found["deny-number"] = {"decision": "deny", "reason": 5}
    found["context-deny"] = {
        "decision": "deny",
        "hookSpecificOutput": {**own, "additionalContext": "more to know"},
    }
    return found


#: Grok Build turns $$ into $ before the shell sees it, so that a hook ends itself in a file of its own.
_SIGNAL = "./end.sh"
_END: Object = {"project/end.sh": "#!/bin/sh\nkill -TERM $PPID\nsleep 5\n"}
_PRE: dict[str, str] = {
    "deny-exit1": printing({"decision": "deny", "reason": "not so"}, "; exit 1"),
    "deny-exit2": printing({"decision": "deny", "reason": "not so"}, "; echo no >&2; exit 2"),
    "allow-exit1": printing({"decision": "allow"}, "; exit 1"),
    "allow-exit2": printing({"decision": "allow"}, "; echo no >&2; exit 2"),
    "maybe-exit2": printing({"decision": "maybe"}, "; echo no >&2; exit 2"),
    "deny-signal": printing({"decision": "deny", "reason": "not so"}, "; " + _SIGNAL),
    "updated-exit1": printing(
        {"hookSpecificOutput": {"hookEventName": "PreToolUse", "updatedInput": {"command": "touch other"}}},
        "; exit 1",
    ),
    "exit2-lines": "printf 'one\\ntwo\\n' >&2; exit 2",
    "exit2-out": "echo out; exit 2",
    "log-then-deny": "echo log; " + printing({"decision": "deny", "reason": "not so"}),
    "deny-then-log": printing({"decision": "deny", "reason": "not so"}, "; echo log"),
    "missing": "nosuch-program",
    "exit126": "exit 126",
    "mark": r"""printf '\357\273\277{"decision":"deny","reason":"not so"}'""",
    "twice": """printf '%s' '{"decision":"allow","decision":"deny"}'""",
    "timeout-after-deny": printing({"decision": "deny", "reason": "not so"}, "; sleep 20"),
}
_PATTERNS: tuple[Json, ...] = (
    *("", "*", ".*", "Bash", "bash", "run_terminal_command", "^run", "terminal", "Run", "(?i)RUN", "Shell"),
    *("Write|Bash", "^Bash$", "Read", "(", "Ba(?=sh)", "execute", "run_terminal_cmd", None, 5, "Terminal"),
    *(
        "terminal|Nosuch",
        "term.*",
        "Ba.h",
        "ash$",
        "Bash,Read",
        "Bash, Read",
        " Bash",
        "Bash|",
        "|",
        "run-terminal",
    ),
    *("Bas", "terminal_command|grep", "^(Bash|Read)$", "BASH", "Task", "run_terminal_command(rm)"),
)


def cases() -> list[Object]:
    """Return the cases of Grok Build."""
    made: list[Object] = []
    outputs = {**OUTPUTS, **specific("PreToolUse"), **_decisions("PreToolUse")}
    before = {**bodies(outputs), **_PRE, "signal": _SIGNAL}
    for name, body in before.items():
        files: Object = {"files": _END} if body.endswith(_SIGNAL) else {}
        made.append(case(f"PreToolUse.{name}", "PreToolUse", hook(name, body), **files))
    for name in ("ask", "inner-ask", "defer", "allow"):
        made.append(case(f"asked.{name}", "PreToolUse", hook(name, before[f"out.{name}"]), args=["--trust"]))
    for event, scene in _SCENES.items():
        outputs = {**OUTPUTS, **specific(event)}
        if event == "PostToolUse":
            outputs |= _replacements()
        ends = {**bodies(outputs), "signal": _SIGNAL, "timeout": "sleep 20; exit 2"}
        watched = event not in ("PostToolUse", "Stop", "SubagentStop", "UserPromptSubmit")
        for name, body in ends.items():
            if not watched or name in _FEW:
                files = {"files": _END} if name == "signal" else {}
                made.append(case(f"{event}.{name}", event, hook(name, body), **scene, **files))
    for number, pattern in enumerate(_PATTERNS):
        group: Object = {"matcher": pattern, "hooks": [deny("a")]}
        made.append(grouped(f"matcher.{number}", "PreToolUse", {"PreToolUse": [group]}))
    made += [*_contexts(), *_faults(), *_several(), *_layers(), *_commands(), *_given(), *_servers()]
    return [*made, *_managed()]


_MCP = '[mcp_servers.srv]\ncommand = "python3"\nargs = ["-B", "@W@/home/server.py"]\n'
_FEW = ("silent", "text", "exit2", "exit1", "out.block", "out.halt", "out.context", "timeout")
#: The agent drops a short summary.
_SUMMARY: Json = {"text": "<summary>\n" + "hello " * 200 + "\n</summary>"}
_COMPACTED: Object = {"prompt": "/compact", "script": [_SUMMARY, _SAY]}
_SCENES: dict[str, Object] = {
    "SessionStart": {"script": [_SAY]},
    "SessionEnd": {"script": [_SAY]},
    "UserPromptSubmit": {"script": [_SAY]},
    "PostToolUse": {"script": [_PLAIN, _SAY]},
    "Stop": {"script": [_SAY]},
    "SubagentStart": {"script": [_SPAWN, {"text": "sub done"}, _SAY]},
    "SubagentStop": {"script": [_SPAWN, {"text": "sub done"}, _SAY]},
    "StopFailure": {"script": [{"status": 400}]},
    "PreCompact": _COMPACTED,
    "PostCompact": _COMPACTED,
    "PostToolUseFailure": {
        "script": [{"tool": "use_tool", "input": {"tool_name": "srv__touch", "tool_input": {}}}, _SAY],
        "files": {"home/server.py": TOUCHING},
        "config": _MCP,
    },
    "PermissionDenied": {"script": [_SHELL, _SAY], "args": ["--trust", "--deny", "Bash"]},
    "StopCancelled": {
        "script": [_SHELL, _SHELL, _SAY],
        "args": ["--trust", "--always-approve", "--max-turns", "1"],
    },
}


def _replacements() -> dict[str, Object]:
    own: Object = {"hookEventName": "PostToolUse"}
    bash: Object = {"type": "Bash", "command": "c", "exit_code": 0, "output_for_prompt": "[redacted]"}
    return {
        "updated": {"hookSpecificOutput": {**own, "updatedToolOutput": bash}},
        "updated-text": {"hookSpecificOutput": {**own, "updatedToolOutput": "another"}},
        "updated-mcp": {"hookSpecificOutput": {**own, "updatedMCPToolOutput": "another"}},
        "block-context": {
            "decision": "block",
            "reason": "not so",
            "hookSpecificOutput": {**own, "additionalContext": "more to know"},
        },
    }


def _contexts() -> list[Object]:
    """Return matchers on what events other than a tool's have."""
    made: list[Object] = []
    for event, pattern in (
        ("SessionStart", "new"),
        ("SessionStart", "startup"),
        ("SessionStart", "resume"),
        ("SessionEnd", "shutdown"),
        ("SessionEnd", "other"),
        ("UserPromptSubmit", "nothing"),
        ("Stop", "nothing"),
        ("SubagentStart", "^explore$"),
        ("SubagentStart", "plan"),
        ("SubagentStop", "^explore$"),
        ("SubagentStop", "plan"),
        ("StopFailure", "invalid_request"),
        ("StopFailure", "rate_limit"),
        ("StopCancelled", "max_turns"),
        ("PermissionDenied", "Bash"),
        ("PostToolUse", "Bash"),
        ("PostToolUse", "Read"),
        ("PostToolUseFailure", "srv__touch"),
        ("PostToolUseFailure", "use_tool"),
    ):
        number = sum(each["event"] == event for each in made)
        group: Object = {"matcher": pattern, "hooks": [passing("a")]}
        made.append(grouped(f"context.{event}-{number}", event, {event: [group]}, **_SCENES[event]))
    return made


def _faults() -> list[Object]:
    """Return faults of a file whose other hooks may still run."""
    good: Json = {"hooks": [deny("b")]}

    def one(hook: Json, *beside: Json) -> Json:
        return {"hooks": {"PreToolUse": [{"hooks": [hook, *beside]}, good]}}

    faults: dict[str, Json] = {
        "no-type": one({"command": 'echo a >>"$PROBE/ran"'}),
        "type-prompt": one({"type": "prompt", "prompt": "x"}),
        "type-number": one({"type": 5, "command": "true"}),
        "no-command": one({"type": "command"}),
        "empty-command": one({"type": "command", "command": ""}),
        "command-number": one({"type": "command", "command": 5}),
        "timeout-text": one({**passing("a"), "timeout": "1"}),
        "timeout-zero": one({**passing("a"), "timeout": 0}),
        "timeout-negative": one({**passing("a"), "timeout": -1}),
        "timeout-fraction": one({**passing("a"), "timeout": 1.5}),
        "env-number": one({**passing("a"), "env": {"A": 5}}),
        "env-list": one({**passing("a"), "env": ["A"]}),
        "unknown-field": one({**passing("a"), "nosuch": 1}),
        "hook-number": one(5),
        "unknown-event": {"hooks": {"NoSuch": [good], "PreToolUse": [good]}},
        "unknown-event-shape": {"hooks": {"NoSuch": 5, "PreToolUse": [good]}},
        "snake-event": {"hooks": {"pre_tool_use": [{"hooks": [passing("a")]}], "PreToolUse": [good]}},
        "cursor-event": {"hooks": {"preToolUse": [{"hooks": [passing("a")]}], "PreToolUse": [good]}},
        "cursor-shell": {"hooks": {"beforeShellExecution": [{"hooks": [passing("a")]}]}},
        "unknown-top": {"nosuch": 1, "hooks": {"PreToolUse": [good]}},
        "no-wrapper": {"PreToolUse": [good]},
        "group-number": {"hooks": {"PreToolUse": [5, good]}},
        "no-hooks": {"hooks": {"PreToolUse": [{"matcher": ""}, good]}},
        "flat": {"hooks": {"PreToolUse": [passing("a"), good]}},
        "event-object": {"hooks": {"PreToolUse": good}},
        "null-event": {"hooks": {"PostToolUse": None, "PreToolUse": [good]}},
        "mark": '\ufeff{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "exit 2"}]}]}}',
        "array": "[]",
        "subagent-end": {"hooks": {"SubagentEnd": [good], "PreToolUse": [good]}},
        "matcher-broken-beside": {"hooks": {"PreToolUse": [{"matcher": "(", "hooks": [passing("a")]}, good]}},
    }
    return [
        {"id": f"fault.{name}", "event": "PreToolUse", "layers": {"project": value}}
        for name, value in faults.items()
    ]


def _several() -> list[Object]:
    """Return several hooks of one event."""

    def updated(command: str) -> Json:
        return {
            "hookSpecificOutput": {
                "hookEventName": "PreToolUse",
                "updatedInput": {"command": command, "description": "t"},
            }
        }

    scenes: dict[str, list[Json]] = {
        "deny-pass": [deny("a"), passing("b")],
        "pass-deny": [passing("a"), deny("b")],
        "deny-deny": [deny("a", "first"), deny("b", "second")],
        "json-deny-pass": [saying("a", {"decision": "deny", "reason": "first"}), passing("b")],
        "allow-deny": [saying("a", {"decision": "allow"}), deny("b", "second")],
        "same": [passing("a"), passing("a")],
        "updated-updated": [saying("a", updated("touch one")), saying("b", updated("touch two"))],
        "updated-deny": [saying("a", updated("touch one")), deny("b", "second")],
        "ask-deny": [saying("a", {"decision": "ask"}), deny("b", "second")],
        "defer-ask": [saying("a", {"decision": "defer"}), saying("b", {"decision": "ask"})],
    }
    made = [
        grouped(f"several.{name}", "PreToolUse", {"PreToolUse": [{"hooks": hooks}]})
        for name, hooks in scenes.items()
    ]
    groups: list[Json] = [{"hooks": [deny("a", "first")]}, {"hooks": [deny("b", "second")]}]
    twice: list[Json] = [{"matcher": "Bash", "hooks": [passing("a")]}, {"hooks": [passing("a")]}]
    return [
        *made,
        grouped("several.groups", "PreToolUse", {"PreToolUse": groups}),
        grouped("several.same-other-matcher", "PreToolUse", {"PreToolUse": twice}),
    ]


def _layers() -> list[Object]:
    """Return hooks of several files, and of an untrusted project."""

    def one(label: str) -> Json:
        return {"hooks": {"PreToolUse": [{"hooks": [deny(label, label)]}]}}

    def file_of(label: str) -> Json:
        return {"hooks": {"PreToolUse": [{"hooks": [passing(label)]}]}}

    toml = '[[hooks.PreToolUse]]\nhooks = [{ type = "command", command = "echo c >>\\"$PROBE/ran\\"" }]\n'
    scenes: dict[str, Object] = {
        "both": {"layers": {"user": one("u"), "project": one("p")}},
        "all": {
            "layers": {
                "user": file_of("u"),
                "project": file_of("p"),
                "claude": file_of("cu"),
                "claude-project": file_of("cp"),
            }
        },
        "untrusted": {"layers": {"user": file_of("u"), "project": one("p")}, "args": ["--always-approve"]},
        "names": {
            "layers": {
                name: {"hooks": {"PreToolUse": [{"hooks": [named(name)]}]}}
                for name in ("user", "project", "claude", "claude-project")
            },
            "config": f"[[hooks.PreToolUse]]\nhooks = [{{ type = 'command', command = {named('c')['command']!r} }}]\n",
        },
        "no-repository": {"layers": {"user": file_of("u"), "project": one("p")}, "trust": "no repository"},
        "same-everywhere": {
            "layers": {"user": file_of("s"), "project": file_of("s"), "claude": file_of("s")}
        },
        "config": {"layers": {"user": file_of("u")}, "config": toml},
        "local": {
            "layers": {"user": file_of("u")},
            "files": {"home/.claude/settings.local.json": file_of("l")},
        },
        "two-files": {
            "layers": {"user": file_of("u")},
            "files": {"home/.grok/hooks/a.json": file_of("a"), "home/.grok/hooks/.dot.json": file_of("d")},
        },
        "broken-beside": {
            "layers": {"user": file_of("u")},
            "files": {"home/.grok/hooks/a.json": "{"},
        },
        "cursor": {
            "layers": {
                "cursor": {"version": 1, "hooks": {"beforeShellExecution": [passing("x")]}},
                "user": file_of("u"),
            }
        },
        "disable-all": {
            "layers": {"claude": {"disableAllHooks": True, "hooks": {}}, "user": one("u")},
        },
    }
    return [{"id": f"layers.{name}", "event": "PreToolUse", **scene} for name, scene in scenes.items()]


def _servers() -> list[Object]:
    """Return hooks on a tool of a server, which the model calls through use_tool."""
    call: Object = {
        "tool": "use_tool",
        "input": {"tool_name": "srv__touch", "tool_input": {"name": "marker"}},
    }
    scene: Object = {"script": [call, _SAY], "files": {"home/server.py": TOUCHING}, "config": _MCP}
    own: Object = {"hookEventName": "PreToolUse"}
    after: Object = {"hookEventName": "PostToolUse"}
    hooks: dict[str, tuple[str, Object]] = {
        "exact": ("PreToolUse", {"matcher": "srv__touch", "hooks": [deny("a")]}),
        "expression": ("PreToolUse", {"matcher": "srv__.*", "hooks": [deny("a")]}),
        "claude": ("PreToolUse", {"matcher": "mcp__srv__touch", "hooks": [deny("a")]}),
        "dispatcher": ("PreToolUse", {"matcher": "use_tool", "hooks": [deny("a")]}),
        "updated": (
            "PreToolUse",
            {"hooks": [saying("a", {"hookSpecificOutput": {**own, "updatedInput": {"name": "other"}}})]},
        ),
        **{
            f"updated-{name}": (
                "PreToolUse",
                {"hooks": [saying("a", {"hookSpecificOutput": {**own, "updatedInput": value}})]},
            )
            for name, value in CHANGED_CALLS.items()
        },
        "text": (
            "PostToolUse",
            {"hooks": [saying("a", {"hookSpecificOutput": {**after, "updatedToolOutput": "another"}})]},
        ),
        "mcp-text": (
            "PostToolUse",
            {"hooks": [saying("a", {"hookSpecificOutput": {**after, "updatedMCPToolOutput": "another"}})]},
        ),
    }
    made = [
        grouped(f"mcp.{name}", event, {event: [group]}, **scene) for name, (event, group) in hooks.items()
    ]
    probes: Object = {
        event: [{"hooks": [{"type": "command", "command": probe(event)}]}]
        for event in ("PreToolUse", "PostToolUse", "PostToolUseFailure")
    }
    return [
        *made,
        grouped("given.mcp", "*", probes, **scene),
        grouped("given.mcp-failure", "*", probes, **_SCENES["PostToolUseFailure"]),
    ]


def _managed() -> list[Object]:
    """Return hooks of the organisation, and its switch for all others."""

    def toml(label: str) -> str:
        return f"[[hooks.PreToolUse]]\nhooks = [{{ type = 'command', command = 'echo {label} >>\"$PROBE/ran\"' }}]\n"

    user: Json = {"hooks": {"PreToolUse": [{"hooks": [passing("u")]}]}}
    only = "allow_managed_hooks_only = true\n"
    scenes: dict[str, Object] = {
        "config": {"managed": toml("m"), "user": user, "project": user},
        "both": {"managed": toml("m"), "managed-requirements": toml("r"), "user": user},
        "only": {"managed-requirements": only + toml("r"), "user": user},
        "only-config": {"managed": only + toml("m"), "user": user},
        "only-camel": {"managed": "allowManagedHooksOnly = true\n" + toml("m"), "user": user},
        "only-odd": {"managed": 'allow_managed_hooks_only = "no"\n' + toml("m"), "user": user},
        "only-false": {"managed": "allow_managed_hooks_only = false\n" + toml("m"), "user": user},
        "broken": {"managed": "[[hooks", "user": user},
    }
    made: list[Object] = [
        {"id": f"managed.{name}", "event": "PreToolUse", "layers": layers} for name, layers in scenes.items()
    ]
    made.append(
        {
            "id": "managed.only-user",
            "event": "PreToolUse",
            "layers": {"user": user},
            "config": toml("c").replace("[[hooks", only + "[[hooks", 1),
        }
    )
    return made


def _commands() -> list[Object]:
    """Return commands as paths, as shell text, and with variables."""
    script = '#!/bin/sh\necho g >>"$PROBE/ran"\necho no >&2\nexit 2\n'
    file: Object = {"project/.grok/hooks/guard.sh": script}
    scenes: dict[str, Object] = {
        "beside": {"command": "guard.sh", "files": file},
        "below": {"command": "bin/guard.sh", "files": {"project/.grok/hooks/bin/guard.sh": script}},
        "dot": {"command": "./guard.sh", "files": file},
        "absolute": {"command": "@P@/.grok/hooks/guard.sh", "files": file},
        "project": {"command": "./guard.sh", "files": {"project/guard.sh": script}},
        "program": {"command": "true", "files": {}},
        "arguments": {"command": "guard.sh x", "files": {"project/guard.sh": script}},
        "arguments-path": {"command": "./guard.sh x", "files": {"project/guard.sh": script}},
        "not-executable": {"command": "guard.sh", "files": {"project/.grok/hooks/guard.sh": [script, 0o644]}},
        "unset": {"command": 'echo g >>"$PROBE/ran"; echo "$NOSUCH" >&2; exit 2', "files": {}},
        "own": {"command": 'x=1; echo "g$x" >>"$PROBE/ran"; exit 2', "files": {}},
        "default": {"command": 'echo "g${NOSUCH:-d}" >>"$PROBE/ran"; exit 2', "files": {}},
        "single-quotes": {"command": "echo g >>\"$PROBE/ran\"; echo '$NOSUCH' >&2; exit 2", "files": {}},
        "lower-unset": {"command": 'echo g >>"$PROBE/ran"; echo "$nosuch" >&2; exit 2', "files": {}},
        "braces-unset": {"command": 'echo g >>"$PROBE/ran"; echo "${NOSUCH}" >&2; exit 2', "files": {}},
        "upper-own": {"command": 'X=1; echo "g$X" >>"$PROBE/ran"; exit 2', "files": {}},
        "input": {"command": 'INPUT=$(cat); echo "g${#INPUT}" | cut -c1 >>"$PROBE/ran"; exit 2', "files": {}},
        "input-used": {"command": 'INPUT=$(cat); echo "$INPUT" | grep -q touch && exit 2', "files": {}},
        "read": {"command": 'read -r line; echo "$line" | grep -q touch && exit 2', "files": {}},
        "loop": {"command": 'for f in g; do echo "$f" >>"$PROBE/ran"; done; exit 2', "files": {}},
        "later-own": {"command": 'echo "g$LATER" >>"$PROBE/ran"; LATER=1; exit 2', "files": {}},
        "positional": {"command": 'echo "g$1$@$*" >>"$PROBE/ran"; exit 2', "files": {}},
        "status": {"command": 'false; echo "g$?" >>"$PROBE/ran"; exit 2', "files": {}},
        "escaped": {"command": 'echo g >>"$PROBE/ran"; echo \\$NOSUCH >&2; exit 2', "files": {}},
        "process": {"command": 'test $$ -gt 1 && echo g >>"$PROBE/ran"; exit 2', "files": {}},
        "arithmetic": {"command": 'echo "g$((1+1))" >>"$PROBE/ran"; exit 2', "files": {}},
        "json-path": {"command": 'jq -e ".tool_input | .command as $c | $c" >/dev/null; exit 2', "files": {}},
        "assign-default": {
            "command": ': "${NOSUCH:=d}"; echo "g$NOSUCH" >>"$PROBE/ran"; exit 2',
            "files": {},
        },
        "substitution": {"command": 'echo "$(echo g)" >>"$PROBE/ran"; exit 2', "files": {}},
        "special": {"command": 'echo g$# >>"$PROBE/ran"; echo $$ >&2; exit 2', "files": {}},
        "root": {"command": '"$CLAUDE_PROJECT_DIR"/guard.sh', "files": {"project/guard.sh": script}},
        "home": {"command": "~/guard.sh", "files": {"home/guard.sh": script}},
        "env": {"command": 'echo "g$OWN" >>"$PROBE/ran"; exit 2', "files": {}, "env": {"OWN": "x"}},
        "env-own": {
            "command": 'echo "g$GROK_HOOK_EVENT" >>"$PROBE/ran"; exit 2',
            "files": {},
            "env": {"GROK_HOOK_EVENT": "x"},
        },
    }
    made = []
    for name, scene in scenes.items():
        more: Object = {"env": scene["env"]} if "env" in scene else {}
        hook: Object = {"type": "command", "command": scene["command"], **more}
        made.append(case(f"command.{name}", "PreToolUse", hook, files=scene["files"]))
    return made


_EVENTS = (
    *("SessionStart", "SessionEnd", "UserPromptSubmit", "PreToolUse", "PostToolUse", "PostToolUseFailure"),
    *("PermissionDenied", "Stop", "StopFailure", "StopCancelled", "Notification", "SubagentStart"),
    *("SubagentStop", "PreCompact", "PostCompact"),
)


def _given() -> list[Object]:
    """Return what hooks of all events receive."""
    hooks: Object = {event: [{"hooks": [{"type": "command", "command": probe(event)}]}] for event in _EVENTS}
    return [
        grouped("given.all", "*", hooks),
        grouped("given.subagent", "*", hooks, **_SCENES["SubagentStop"]),
        grouped("given.failure", "*", hooks, **_SCENES["PostToolUseFailure"]),
        grouped("given.denied", "*", hooks, **_SCENES["PermissionDenied"]),
        grouped("given.error", "*", hooks, **_SCENES["StopFailure"]),
        grouped("given.cancelled", "*", hooks, **_SCENES["StopCancelled"]),
        grouped("given.compact", "*", hooks, prompt="/compact"),
        grouped("given.compacted", "*", hooks, **_COMPACTED),
    ]
