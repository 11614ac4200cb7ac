"""Cases of events that a user brings about: at a question, with a command like /compact, or by leaving.

``tools.agents.grid`` adds them to the cases of their agents. The steps of ``keys`` are those of
tools.agents.recorder.terminal; a step that waits in vain is skipped, except the first: a hook may have answered.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import NamedTuple

from tools.agents.grid import OUTPUTS, behaviors, bodies, claude_shaped, printing, probe, specific
from tools.agents.records import Json, Object

#: Endings that show all there is of an event whose hooks only watch, and of one whose hooks decide. A run in a
#: terminal takes half a minute, so that these are not all endings there are.
WATCHED = ("silent", "text", "exit2", "exit1", "timeout", "out.block", "out.halt", "out.context")
DECIDED = (*WATCHED, "exit2-silent", "broken", "signal", "out.top-context", "out.system")


class Scene(NamedTuple):
    """How an event comes about, and what its hooks say.

    Attributes:
        event: Its name.
        scene: The other fields of the case.
        watched: Its hooks only watch, so that few outputs show all there is.
        outputs: Further outputs.
        part: What the identifiers have after the event, if it has cases of another scene.
    """

    event: str
    scene: Object
    watched: bool = True
    outputs: Mapping[str, Object] = {}
    part: str = ""


def step(type_: str, pause: float = 0.5, **waits: Json) -> Json:
    """Return a step that is skipped if what it waits for does not come."""
    return {"patience": 20, "optional": True, **waits, "pause": pause, "type": type_}


# Claude Code.

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


def claude_code() -> list[Object]:
    """Return the cases of Claude Code."""
    return [
        *_grid(CLAUDE_CODE, _claude_layers, {"timeout": 1}, _claude_files),
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


# Codex.

_TRUSTED: list[Json] = ["--dangerously-bypass-hook-trust"]
_READY: Json = {"see": "for shortcuts", "pause": 2, "type": "do it\r"}
_ESCALATED: Json = {
    "tool": "exec_command",
    "input": {"cmd": "touch marker", "sandbox_permissions": "require_escalated", "justification": "j"},
}
_WAITING: Json = {"tool": "exec_command", "input": {"cmd": "sleep 20"}}
CODEX = (
    Scene(
        "PermissionRequest",
        {
            "sandbox": "read-only",
            "script": [_ESCALATED, {"text": "done"}],
            "args": [*_TRUSTED, "-c", 'approval_policy="on-request"'],
            "keys": [_READY, step("y", see="Would you like", patience=12), step("/quit\r", 1, requests=2)],
        },
        False,
        behaviors("PermissionRequest"),
        "asked",
    ),
    Scene(
        "Interrupt",
        {
            "script": [_WAITING, {"text": "done"}],
            "args": _TRUSTED,
            "keys": [_READY, step("\x1b", 4, requests=1), step("/quit\r", 2, ran="a")],
        },
    ),
    *(
        Scene(
            event,
            {
                "script": [{"text": "one"}, {"text": "a summary"}, {"text": "two"}],
                "args": _TRUSTED,
                "keys": [
                    _READY,
                    step("/compact\r", 2, requests=1),
                    step("again\r", 3, ran="a"),
                    step("/quit\r", 2),
                ],
            },
            part="typed",
        )
        for event in ("PreCompact", "PostCompact")
    ),
    Scene(
        "SessionEnd",
        {"script": [{"text": "done"}], "args": _TRUSTED, "keys": [_READY, step("/quit\r", 2, requests=1)]},
        part="typed",
    ),
)


def _project(event: str, command: str, handler: Object) -> Object:
    return {"project": claude_shaped(event, command, **handler)}


def codex() -> list[Object]:
    """Return the cases of Codex."""
    return _grid(CODEX, _project, {"timeout": 1})


# Gemini CLI, Qwen Code.

_GEMINI: Json = {"see": "Type your message", "pause": 2, "type": "do it\r"}
_TEXT: Json = {"text": "done"}
GEMINI = (
    Scene(
        "Notification",
        {
            "args": [],
            "keys": [
                _GEMINI,
                step("\r", 1, see="Allow execution", ran="a"),
                step("\x03", 2, requests=2),
                step("\x03"),
            ],
        },
    ),
    Scene(
        "PreCompress",
        {
            "script": [_TEXT],
            "keys": [
                _GEMINI,
                step("/compress\r", 2, requests=1),
                step("again\r", 2, ran=["a", 2]),
                step("\x03", 2, requests=2),
                step("\x03"),
            ],
        },
        part="typed",
    ),
    *(
        Scene(
            event,
            {
                "script": [_TEXT],
                "limit": 15,
                "keys": [
                    _GEMINI,
                    step("/clear\r", 2, requests=1),
                    step("again\r", 3),
                    step("\x03", 2, requests=2),
                    step("\x03"),
                ],
            },
            part="typed",
        )
        for event in ("SessionStart", "SessionEnd")
    ),
)


def gemini() -> list[Object]:
    """Return the cases of Gemini CLI."""
    return _grid(GEMINI, _project, {"timeout": 1000})


_DEFAULT: list[Json] = ["--approval-mode", "default"]
#: A call that the agent's classifier, which asks the model in two stages, refuses.
_CLASSIFIED: list[Json] = [
    {
        "tool": "run_shell_command",
        "input": {"command": "touch marker", "description": "t", "is_background": False},
    },
    {"tool": "respond_in_schema", "input": {"shouldBlock": True}},
    {"tool": "respond_in_schema", "input": {"thinking": "t", "shouldBlock": True, "reason": "too bold"}},
    _TEXT,
]
#: A call whose result is long enough to be worth a summary.
_LONG: Object = {
    "tool": "run_shell_command",
    "input": {"command": "seq 2000", "description": "t", "is_background": False},
}
QWEN = (
    Scene(
        "PermissionRequest",
        {
            "args": _DEFAULT,
            "keys": [
                _GEMINI,
                step("\r", 1, see="Allow", patience=12),
                step("\x03", 2, requests=2),
                step("\x03"),
            ],
        },
        False,
        behaviors("PermissionRequest"),
    ),
    Scene(
        "Notification",
        {
            "args": _DEFAULT,
            "keys": [_GEMINI, step("\r", 1, see="Allow"), step("\x03", 2, requests=2), step("\x03")],
        },
        part="typed",
    ),
    Scene(
        "PreCompact",
        {
            "script": [_LONG, {"text": "one"}, {"text": "a summary"}, _TEXT],
            "keys": [
                _GEMINI,
                step("/compress\r", 2, requests=2),
                step("again\r", 3, ran="a"),
                step("\x03", 2, requests=3),
                step("\x03"),
            ],
        },
    ),
    Scene(
        "SessionDelete",
        {
            "script": [_TEXT],
            "keys": [
                _GEMINI,
                step("/clear\r", 3, requests=1),
                step("again\r", 4),
                step("/delete\r", 3, requests=2),
                step("\x1b[B", 3),
                step(" ", 1),
                step("\r", 2),
                step("\r", 2),
                step("\x03", 3, ran="a"),
                step("\x03"),
            ],
        },
    ),
    Scene(
        "PostCompact",
        {
            # A summary counts only if the conversation is shorter with it.
            "endpoints": {"side": "<state_snapshot>a summary</state_snapshot>", "side tokens": 50000},
            "script": [{**_LONG, "tokens": 30000}, {"text": "one", "tokens": 60000}, _TEXT],
            "keys": [
                _GEMINI,
                step("/compress\r", 4, requests=2),
                step("again\r", 4, ran="a"),
                step("\x03", 2, requests=3),
                step("\x03"),
            ],
        },
    ),
    Scene(
        "SessionEnd",
        {
            "script": [_TEXT],
            "keys": [_GEMINI, step("/clear\r", 2, requests=1), step("/quit\r", 3), step("\r")],
        },
    ),
    Scene(
        "StopFailure",
        {"script": [{"status": 400}] * 3, "keys": [_GEMINI, step("\x03", 3, ran="a"), step("\x03")]},
    ),
    Scene(
        "PermissionDenied",
        {
            "args": ["--approval-mode", "auto"],
            "script": _CLASSIFIED,
            "keys": [_GEMINI, step("\x03", 3, requests=4), step("\x03")],
        },
    ),
)


def qwen() -> list[Object]:
    """Return the cases of Qwen Code."""
    made = _grid(QWEN, _project, {"timeout": 1})
    return [{**case, "limit": 20} for case in made]  # not every version leaves at once


# GitHub Copilot CLI.

_COPILOT: Json = {"see": "shortcuts|help", "pause": 2, "type": "do it\r"}
_NO: list[Json] = []
COPILOT = (
    *(
        Scene(
            event,
            {
                "args": _NO,
                "keys": [
                    _COPILOT,
                    step("\r", 1, see="Do you want", patience=12),
                    step("/exit\r", 2, requests=2),
                    step("\r"),
                ],
            },
            False,
            {
                **behaviors(event),
                **{f"top-{name}": {"behavior": name, "message": "not so"} for name in ("allow", "deny")},
            },
            "asked",
        )
        for event in ("permissionRequest", "PermissionRequest")
    ),
    Scene(
        "notification",
        {
            "args": _NO,
            "keys": [_COPILOT, step("\r", 2, see="Do you want"), step("/exit\r", 2, requests=2), step("\r")],
        },
        part="typed",
    ),
    Scene(
        "preCompact",
        {
            "script": [_TEXT, {"text": "a summary"}, _TEXT],
            "keys": [
                _COPILOT,
                step("/compact\r", 2, requests=1),
                step("again\r", 4, ran="a"),
                step("/exit\r", 2, requests=3),
                step("\r"),
            ],
        },
        part="typed",
    ),
    Scene(
        "sessionEnd",
        {"script": [_TEXT], "keys": [_COPILOT, step("/exit\r", 2, requests=1), step("\r")]},
        part="typed",
    ),
)


def copilot() -> list[Object]:
    """Return the cases of Copilot CLI."""

    def layers(event: str, command: str, handler: Object) -> Object:
        hooks: Json = {event: [{"type": "command", "bash": command, **handler}]}
        return {"project": {"version": 1, "hooks": hooks}}

    return _grid(COPILOT, layers, {"timeoutSec": 1})


# Kimi Code.

_KIMI: list[Json] = [
    {"see": "Trust this folder", "pause": 1, "type": "\r"},
    {"see": "Welcome", "pause": 2, "type": "do it\r"},
]
_SLEEP: Json = {"tool": "Bash", "input": {"command": "sleep 20", "description": "t"}}
KIMI = (
    *(
        Scene(
            event,
            {"args": _NO, "keys": [*_KIMI, step("\r", 1, see="pprove"), step("/exit\r", 2, requests=2)]},
        )
        for event in ("PermissionRequest", "PermissionResult")
    ),
    *(
        Scene(
            event,
            {
                "args": _NO,
                "script": [_TEXT, {"text": "a summary"}, _TEXT],
                "keys": [*_KIMI, step("/compact\r", 2, requests=1), step("again\r", 4), step("/exit\r", 2)],
            },
        )
        for event in ("PreCompact", "PostCompact")
    ),
    Scene("SessionEnd", {"args": _NO, "script": [_TEXT], "keys": [*_KIMI, step("/exit\r", 2, requests=1)]}),
    Scene(  # every minute
        "SessionHeartbeat",
        {
            "args": _NO,
            "script": [_TEXT],
            "limit": 100,
            "keys": [*_KIMI, step("/exit\r", 1, ran="a", patience=90)],
        },
    ),
    Scene(
        "Interrupt",
        {
            "args": ["--yolo"],
            "script": [_SLEEP, _TEXT],
            "keys": [*_KIMI, step("\x1b", 3, requests=1), step("/exit\r", 3)],
        },
    ),
)


def kimi() -> list[Object]:
    """Return the cases of Kimi Code, whose configuration is TOML."""

    def layers(event: str, command: str, handler: Object) -> Object:
        text = f'[[hooks]]\nevent = "{event}"\ncommand = {json.dumps(command)}\n'
        return {"user": text + "".join(f"{key} = {value}\n" for key, value in handler.items())}

    return _grid(KIMI, layers, {"timeout": 1})


def _grid(
    scenes: tuple[Scene, ...],
    layers: Callable[[str, str, Object], Object],
    limit: Object,
    files: Callable[[str], Object] = lambda event: {},
) -> list[Object]:
    """Return a case for each ending of each scene."""
    cases: list[Object] = []
    for scene in scenes:
        outputs = {**OUTPUTS, **specific(scene.event), **scene.outputs}
        ends = {**bodies(outputs), "timeout": "sleep 20; exit 2"}
        for name, body in ends.items():
            telling = WATCHED if scene.watched else DECIDED
            if name not in telling and name.removeprefix("out.") not in scene.outputs:
                continue
            made = layers(scene.event, probe("a", body), limit if name == "timeout" else {})
            identifier = ".".join(part for part in (scene.event, scene.part, name) if part)
            case: Object = {"id": identifier, "event": scene.event, "layers": made, **scene.scene}
            cases.append({**case, **files(scene.event)})
    return cases
