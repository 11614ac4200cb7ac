"""Events of Claude Code that a user brings about."""

from __future__ import annotations

from tools.agents.cases.terminal import Scene, grid_of, step
from tools.agents.grid import behaviors, claude_shaped, printing, probe
from tools.agents.records import Json, Object

_PROMPT: Json = {"see": "for shortcuts|manual mode", "pause": 1, "type": "do it\r"}
_LEAVE = step("/exit\r", 1, requests=2)
_FILE = "@P@/watched.txt"


def bash(command: str) -> Json:
    """Return a call of the tool Bash."""
    return {"tool": "Bash", "input": {"command": command, "description": "t"}}


#: A server whose one tool asks the user for a name, and returns the answer.
_ASKING = """import json, sys
def say(value):
    print(json.dumps({"jsonrpc": "2.0", **value}), flush=True)
call = None
for line in sys.stdin:
    m = json.loads(line)
    if "method" not in m:
        text = json.dumps(m.get("result") or m.get("error"), sort_keys=True)
        say({"id": call, "result": {"content": [{"type": "text", "text": "answered " + text}]}})
    elif m["method"] == "initialize":
        info = {"capabilities": {"tools": {}}, "serverInfo": {"name": "srv", "version": "1"}}
        say({"id": m["id"], "result": {"protocolVersion": m["params"]["protocolVersion"], **info}})
    elif m["method"] == "tools/list":
        tool = {"name": "ask", "description": "d", "inputSchema": {"type": "object", "properties": {}}}
        say({"id": m["id"], "result": {"tools": [tool]}})
    elif m["method"] == "tools/call":
        call = m["id"]
        form = {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}
        say({"id": "e1", "method": "elicitation/create", "params": {"message": "who", "requestedSchema": form}})
    elif "id" in m:
        say({"id": m["id"], "result": {}})
"""
_SERVER: Json = {"mcpServers": {"srv": {"command": "python3", "args": ["-B", "@W@/home/server.py"]}}}
_ASKED: Object = {
    "files": {"home/server.py": _ASKING, "home/mcp.json": _SERVER},
    "args": ["--mcp-config", "@W@/home/mcp.json"],
    "script": [{"tool": "mcp__srv__ask", "input": {}}],
    "allowed": "mcp__srv__ask",
}
#: The user writes a name where the agent asks for it, and sends it.
_NAMED: Object = {
    **_ASKED,
    "keys": [
        _PROMPT,
        step("bob\r", 2, see="who"),
        step("\r", 2),
        step("\r", 2),
        step("/exit\r", 1, requests=2),
    ],
}


def _answers(event: str) -> dict[str, Object]:
    """Return what hooks of a server's question may answer."""
    answers: dict[str, Object] = {
        "accept": {"action": "accept", "content": {"name": "eve"}},
        "accept-empty": {"action": "accept"},
        "accept-misfit": {"action": "accept", "content": {"name": 1}},
        "decline": {"action": "decline"},
        "cancel": {"action": "cancel"},
        "unknown-action": {"action": "maybe"},
    }
    return {
        name: {"hookSpecificOutput": {"hookEventName": event, **value}} for name, value in answers.items()
    }


_WORKTREE: Object = {
    "allowed": "EnterWorktree,ExitWorktree",
    "script": [
        {"tool": "EnterWorktree", "input": {"name": "wt"}},
        {"tool": "ExitWorktree", "input": {"action": "remove", "discard_changes": True}},
        {"text": "done"},
    ],
}
_TEAM: Object = {
    "env": {"CLAUDE_CODE_EXPERIMENTAL_AGENT_TEAMS": "1"},
    "allowed": "Agent",
    "script": [
        {
            "tool": "Agent",
            "input": {
                "description": "d",
                "prompt": "go",
                "subagent_type": "general-purpose",
                "name": "mate",
            },
        },
        {"text": "sub done"},
        {"text": "done"},
    ],
    "keys": [_PROMPT, step("/exit\r", 4, ran="a", patience=15)],
}
CLAUDE_CODE = (
    Scene("Notification", {"allowed": "", "keys": [_PROMPT, step("\r", ran="a", see="Do you want"), _LEAVE]}),
    Scene(
        "PermissionRequest",
        {
            "allowed": "",
            "keys": [_PROMPT, step("\x1b", 4, see="Do you want", ran="a", before=2), step("/exit\r", 1)],
        },
        False,
        behaviors("PermissionRequest"),
        "asked",
    ),
    Scene("StopFailure", {"script": [{"status": 400}] * 6}),
    Scene("FileChanged", {"script": [bash("echo y >>watched.txt; sleep 4"), {"text": "done"}]}),
    Scene("ConfigChange", {"script": [bash("sleep 4"), bash("true"), {"text": "done"}]}, False),
    Scene("WorktreeRemove", _WORKTREE),
    Scene("TeammateIdle", _TEAM, False),
    Scene("Elicitation", _ASKED, False, _answers("Elicitation")),
    Scene("ElicitationResult", _NAMED, False, _answers("ElicitationResult")),
    Scene(
        "DirectoryAdded",
        {
            "files": {"other/x": ""},
            "script": [{"text": "done"}],
            "limit": 20,
            "keys": [
                _PROMPT,
                step("/add-dir @W@/other\r", 2, requests=1),
                step("\x1b[B", 2, see="leave it out"),
                step("\r", 1, see="Yes"),
                step("\r", 2, see="for this session"),
                step("/exit\r", 2, ran="a"),
            ],
        },
    ),
)


def _claude_layers(event: str, command: str, handler: Object) -> Object:
    """Return the hooks of an event, and those that bring it about."""
    made = claude_shaped(event, command, **handler)
    hooks = made["hooks"]
    assert isinstance(hooks, dict)
    helpers: dict[str, str] = {}
    if event == "FileChanged":
        watch: Json = {"hookSpecificOutput": {"hookEventName": "SessionStart", "watchPaths": [_FILE]}}
        helpers["SessionStart"] = printing(watch)
    elif event == "ConfigChange":
        helpers["PreToolUse"] = "cp new.json .claude/settings.local.json"
    elif event == "WorktreeRemove":
        helpers["WorktreeCreate"] = 'mkdir -p "$CLAUDE_PROJECT_DIR/wt"; echo "$CLAUDE_PROJECT_DIR/wt"'
    for name, text in helpers.items():
        hooks[name] = [{"hooks": [{"type": "command", "command": text}]}]
    return {"project": made}


def _claude_files(event: str) -> Object:
    if event == "FileChanged":
        return {"files": {"project/watched.txt": "x\n"}}
    if event == "ConfigChange":
        added: Json = claude_shaped("PostToolUse", probe("added"))
        return {"files": {"project/new.json": added}}
    return {}


def cases() -> list[Object]:
    """Return the cases of Claude Code."""
    return [
        *grid_of(CLAUDE_CODE, _claude_layers, {"timeout": 1}, _claude_files),
        *_claude_kinds(),
    ]


def _claude_kinds() -> list[Object]:
    """Return cases of what the events of a session name: reasons, sources, triggers."""
    ending = ("SessionStart", "SessionEnd", "Notification", "PreCompact", "PostCompact", "Setup")
    hooks: Json = {
        event: [
            {"hooks": [{"type": "command", "command": keeping(event)}]},
        ]
        for event in ending
    }
    layers: Object = {"project": {"hooks": hooks}}
    scenes: dict[str, Object] = {
        "clear": {
            "keys": [_PROMPT, step("/clear\r", 1, requests=1), step("/exit\r", 2, ran=["SessionStart", 2])]
        },
        "compact": {
            "script": [{"text": "one"}, {"text": "a summary"}],
            "keys": [_PROMPT, step("/compact now\r", 1, requests=1), step("/exit\r", 2, ran="PostCompact")],
        },
        "end-of-input": {"keys": [_PROMPT, step("\u0004", 2, requests=1), step("\u0004", 0.3)]},
        "interrupted": {"keys": [_PROMPT, step("\u0003", 2, requests=1), step("\u0003", 0.3)]},
        "maintenance": {"args": ["--maintenance"], "script": [{"text": "done"}]},
        "idle": {
            "script": [{"text": "done"}],
            "limit": 100,
            "keys": [_PROMPT, step("/exit\r", 1, ran="Notification", patience=90)],
        },
    }
    return [
        {"id": f"typed.{name}", "event": "*", "layers": layers, **scene} for name, scene in scenes.items()
    ]


def keeping(event: str) -> str:
    """Return a hook that keeps the payload of every time that it runs, under a label of its own."""
    place = f'n=$(grep -c "^{event}" "$PROBE/ran" 2>/dev/null); f="$PROBE/{event}${{n#0}}"'
    return f'{place}; cat >"$f.stdin"; env >"$f.env"; pwd >"$f.cwd"; echo {event} >>"$PROBE/ran"'
