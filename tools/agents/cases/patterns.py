"""Matchers of one event: a run has a hook for each of many patterns, and shows which of them match.

The patterns are made of the word that the agent compares, such as the source of a session or the name of a tool.
"""

from __future__ import annotations

import json

from tools.agents.cases.servers import TOUCHING
from tools.agents.cases.shapes import EVENTS, layer_of, layers_of, script
from tools.agents.cases.terminal.kimi import SERVED
from tools.agents.grid import CLAUDE_CODE, CODEX, COPILOT, GEMINI, KIMI, QWEN, probe
from tools.agents.records import Json, Object

_SERVER: Object = {"command": "python3", "args": ["-B", "@W@/home/server.py"]}
_FILES: Object = {"home/server.py": TOUCHING}
_NAME: Object = {"name": "marker"}
_DONE: list[Json] = [{"text": "done"}]

#: The scenes of events that have one, and the word that matchers of each event see.
_SCENES = {
    "claude_code": CLAUDE_CODE,
    "codex": CODEX,
    "gemini": GEMINI,
    "copilot": COPILOT,
    "qwen": QWEN,
    "kimi": KIMI,
    "goose": {},
    "openhands": {},
}
_WORDS: dict[str, dict[str, str]] = {
    "claude_code": {
        "SubagentStart": "Explore",
        "SubagentStop": "Explore",
        "SessionStart": "startup",
        "SessionEnd": "other",
        "PreCompact": "manual",
        "PostCompact": "manual",
        "Setup": "init",
        "UserPromptExpansion": "hey",
        "InstructionsLoaded": "session_start",
        "PostToolUseFailure": "Bash",
        "PermissionRequest": "Bash",
        "PostToolUse": "Bash",
        "PostToolBatch": "Bash",
        "UserPromptSubmit": "do it",
        "Stop": "done",
        "TaskCreated": "s",
        "WorktreeCreate": "wt",
        "MessageDisplay": "done",
        "PreModelSwitch": "opus",
    },
    "codex": {
        "SubagentStart": "default",
        "SubagentStop": "default",
        "SessionStart": "startup",
        "PreCompact": "auto",
        "UserPromptSubmit": "do it",
        "PermissionRequest": "Bash",
        "PostToolUse": "Bash",
        "Stop": "done",
    },
    "gemini": {
        "SessionStart": "startup",
        "SessionEnd": "exit",
        "AfterTool": "run_shell_command",
        "BeforeAgent": "do it",
        "AfterAgent": "do it",
        "BeforeModel": "gemini",
        "BeforeToolSelection": "gemini",
        "PreCompress": "auto",
    },
    "copilot": {
        "sessionStart": "new",
        "sessionEnd": "complete",
        "postToolUse": "bash",
        "permissionRequest": "bash",
        "agentStop": "end_turn",
        "subagentStart": "explore",
        "subagentStop": "explore",
        "notification": "permission_prompt",
        "preCompact": "manual",
        "userPromptSubmitted": "do it",
        "errorOccurred": "model_call",
        "PreToolUse": "Bash",
        "PostToolUse": "Bash",
    },
    "qwen": {
        "SubagentStart": "Explore",
        "SubagentStop": "Explore",
        "SessionStart": "startup",
        "PostToolUse": "run_shell_command",
        "PostToolUseFailure": "run_shell_command",
        "PostToolBatch": "run_shell_command",
        "UserPromptExpansion": "hey",
        "TodoCreated": "c",
        "MessageDisplay": "done",
        "Notification": "idle_prompt",
        "InstructionsLoaded": "session_start",
        "UserPromptSubmit": "do it",
        "Stop": "done",
    },
    "kimi": {
        "SubagentStart": "explore",
        "SubagentStop": "explore",
        "PostToolUseFailure": "Bash",
        "SessionStart": "startup",
        "TurnStarted": "user",
        "StopFailure": "error",
        "TaskStarted": "bash",
        "Notification": "task",
        "UserPromptSubmit": "do it",
        "UserPromptQueued": "again",
    },
    "goose": {
        "PreToolUse": "shell",
        "PostToolUse": "shell",
        "BeforeShellExecution": "touch marker",
        "AfterShellExecution": "touch marker",
        "UserPromptSubmit": "do it",
        "SessionStart": "s",
    },
    "openhands": {
        "PreToolUse": "terminal",
        "PostToolUse": "terminal",
        "UserPromptSubmit": "do it",
        "SessionStart": "s",
    },
}
#: Events that a call brings about.
_OF_CALLS = ("PreToolUse", "PostToolUse", "BeforeShellExecution", "AfterShellExecution")
#: How each agent is given a server, how its model calls the tool, and the name that hooks see.
TOOLS: dict[str, tuple[str, Object]] = {
    "claude_code": (
        "mcp__srv__touch",
        {
            "files": {**_FILES, "home/mcp.json": {"mcpServers": {"srv": _SERVER}}},
            "args": ["--mcp-config", "@W@/home/mcp.json"],
            "script": [{"tool": "mcp__srv__touch", "input": _NAME}, *_DONE],
            "allowed": "mcp__srv__touch",
        },
    ),
    "codex": (
        "mcp__srv__touch",
        {
            "files": _FILES,
            "args": ["--dangerously-bypass-hook-trust"],
            "script": [{"tool": "touch", "namespace": "mcp__srv", "input": _NAME}, *_DONE],
            "tables": '[mcp_servers.srv]\ncommand = "python3"\nargs = ["-B", "@W@/home/server.py"]\n',
        },
    ),
    "gemini": ("mcp_srv_touch", {"files": _FILES, "script": [{"tool": "mcp_srv_touch", "input": _NAME}]}),
    "qwen": ("mcp__srv__touch", {"files": _FILES, "script": [{"tool": "mcp__srv__touch", "input": _NAME}]}),
    "copilot": (
        "srv-touch",
        {
            "files": {
                **_FILES,
                "home/.copilot/mcp-config.json": {
                    "mcpServers": {"srv": {"type": "local", **_SERVER, "tools": ["*"]}}
                },
            },
            "script": [{"tool": "srv-touch", "input": _NAME}],
        },
    ),
    "grok": (
        "srv__touch",
        {
            "files": _FILES,
            "script": [
                {"tool": "use_tool", "input": {"tool_name": "srv__touch", "tool_input": _NAME}},
                *_DONE,
            ],
            "config": '[mcp_servers.srv]\ncommand = "python3"\nargs = ["-B", "@W@/home/server.py"]\n',
        },
    ),
    "droid": (
        "srv___touch",
        {
            "files": {
                **_FILES,
                "home/.factory/mcp.json": {"mcpServers": {"srv": {"type": "stdio", **_SERVER}}},
            },
            "script": [{"tool": "srv___touch", "input": _NAME}, *_DONE],
        },
    ),
    "goose": (
        "python3__touch",  # the extension has the name of its program
        {
            "files": _FILES,
            "args": ["--no-session", "--with-extension", "python3 -B @W@/home/server.py"],
            "script": [{"tool": "python3__touch", "input": _NAME}, *_DONE],
        },
    ),
    "kimi": (
        "mcp__srv__touch",
        {
            "files": {**_FILES, "home/.kimi-code/mcp.json": {"mcpServers": {"srv": _SERVER}}},
            "script": [{"tool": "mcp__srv__touch", "input": _NAME}, *_DONE],
        },
    ),
}


def of_word(word: str) -> list[str]:
    """Return patterns that match a word for some readers."""
    return [
        *(
            "",
            "*",
            ".*",
            word,
            word[:-2],
            word[1:],
            word.swapcase(),
            f"{word}.*",
            f"^{word}$",
            f"^{word[:2]}",
        ),
        *(f"{word}|nosuch", f"nosuch|{word}", f"nosuch | {word}", f"nosuch,{word}", f"{word}, nosuch"),
        *(
            f" {word} ",
            f"{word}|",
            "|",
            f"{word[:-1]}.",
            "nosuch",
            f"({word}|nosuch)",
            f"{word[0]}.*{word[-1]}",
        ),
    ]


def of_tool(name: str) -> list[str]:
    """Return patterns that match the tool of a server for some readers."""
    sign = name.removeprefix("mcp").strip("_").removeprefix("srv").removesuffix("touch")
    server = name.removesuffix("touch")
    return [
        *of_word(name),
        *(server, f"{server}*", f"{server}.*", server.rstrip("_-"), f"{server}to.ch", f"{server}[a-z]+"),
        *("mcp__.*", "mcp__*", "mcp_.*", "mcp_*", "mcp.*", "^mcp__", "^mcp", "mcp", "mcp__srv__touch"),
        *(
            "mcp__srv__.*",
            "mcp__srv__*",
            "mcp__srv",
            "mcp__.*__touch",
            "mcp__*__touch",
            "mcp__(srv|x)__touch",
        ),
        *("touch", "touch$", f"{sign}touch", f"srv{sign}touch", "srv", "srv.*", "srv*", "MCP__.*"),
        *("mcp_srv_touch", "srv:touch", "srv/touch", "srv.touch", "mcp:srv:touch", "MCP", "MCP:touch"),
    ]


#: Agents whose matchers are expressions of Python over the whole name, and what begins one.
_PYTHON = {"hermes": ("terminal", ""), "openhands": ("terminal", ""), "mistral_vibe": ("bash", "re:")}


def of_python(name: str) -> list[str]:
    """Return expressions of Python, those that it does not accept, and those that other syntaxes read otherwise."""
    head, last = name[:2], name[-1]
    return [
        *(f"(?<x>{name})", f"(?P<x>{name})", f"(?P<x>{head}).*(?P=x)?", f"(?P<x>a)?(?P<x>{name})"),
        *(
            f"(?i){name.upper()}",
            f"{head}(?i){name[2:]}.*",
            f"(?i:{head.upper()}){name[2:]}",
            f"(?-i:{name})?",
        ),
        *(
            f"(?x) {head} {name[2:]} # all",
            f"(?#note){name}",
            f"(?u){name}",
            f"(?L){name}.*",
            f"(?U){name}.*",
        ),
        *(f"\\A{name}\\Z", f"\\A{name}\\z", f"{name}$", f"^{name}$", f"\\b{name}\\b", f"\\Q{name}\\E"),
        *(f"{name[:-1]}[[:alpha:]]", f"{name[:-1]}[^\\W_]", f"{name[:-1]}[\\w-]", f"{name[:-1]}[a-\\d]"),
        *(f"{name[:-1]}\\x{ord(last):x}", f"{name[:-1]}\\u{ord(last):04x}", f"{name[:-1]}\\{ord(last):03o}"),
        *(f"{name[:-1]}\\x{{{ord(last):x}}}", f"{name[:-1]}\\N{{LATIN SMALL LETTER {last.upper()}}}"),
        *(
            f"{name[:-1]}\\p{{L}}",
            f"{name[:-1]}{last}{{1}}",
            f"{name}{{,2}}",
            f"{name}{{a}}",
            f"{name}{{2,1}}",
        ),
        *(f"(?!nosuch){name}", f"(?!{head}).*", f"(?={head}).*", f"^(?!.*x){name}", f"{head}(?!x).*"),
        *(f"(?<={head}){name}|{name}", f"(?>{name})", f"{name[:-1]}{last}*+", "(.).*\\1?", f"{name}**"),
        *(
            f"*{name}",
            f"{name}|",
            f"({name}",
            f"[{head}]+.*",
            "[^]]*",
            ".*(?:",
            "\\w+",
            "[]x]?.+",
            f"{name}\\",
        ),
    ]


def _of_python(agent: str) -> Object:
    """Return a case with a hook before a call for each expression."""
    name, start = _PYTHON[agent]
    hooks: list[Object] = [{"command": "@P@/a.sh"}]
    files: Object = {"project/a.sh": f"#!/bin/sh\n{probe('a')}\n"}
    for number, pattern in enumerate(of_python(name)):
        files[f"project/m{number}.sh"] = script(f"m{number}", "exit 0")
        hooks.append({"command": f"@P@/m{number}.sh", "matcher": start + pattern})
    event = EVENTS.get(agent, "PreToolUse")
    layers = layers_of(agent, *hooks)
    if agent == "openhands":
        layers = {"project": _configured(agent, event, hooks)}
    return {"id": "patterns.python", "event": event, "layers": layers, "files": files, "limit": 200}


def cases(agent: str) -> list[Object]:
    """Return the cases of an agent."""
    found: list[Object] = [_of_python(agent)] if agent in _PYTHON else []
    if agent in TOOLS:
        name, scene = TOOLS[agent]
        event = EVENTS.get(agent, "PreToolUse")
        found.append(_case(agent, f"patterns.{event}-mcp", event, of_tool(name), scene))
    for event, word in _WORDS.get(agent, {}).items():
        scenes = _SCENES[agent]
        scene = {"script": _DONE} if event not in scenes else {**_mapping(scenes[event])}
        if event in _OF_CALLS and "script" not in _mapping(scenes.get(event)):
            scene = {}
        if agent == "openhands":
            scene["limit"] = 150
        if event == "UserPromptQueued":
            scene = SERVED
        found.append(_case(agent, f"patterns.{event}", event, of_word(word), scene))
    return found


def _mapping(value: Json) -> Object:
    return value if isinstance(value, dict) else {}


def _case(agent: str, identifier: str, event: str, patterns: list[str], scene: Object) -> Object:
    """Return a case with a hook for each pattern, and one without a matcher that keeps the payload."""
    hooks: list[Object] = [{"command": probe("a")}]
    for number, pattern in enumerate(dict.fromkeys(patterns)):
        command = f'cat >/dev/null; echo m{number} >>"$PROBE/ran"'
        hooks.append({"matcher": pattern, "command": command})
    layer, value = layer_of(agent), _configured(agent, event, hooks)
    if identifier.endswith("-mcp"):
        layer, value = with_server(agent, layer, value)
    return {"id": identifier, "event": event, "layers": {layer: value}, **scene}


def with_server(agent: str, layer: str, value: Json) -> tuple[str, Json]:
    """Return a layer's name and its settings with the server of tools, for agents that read both from one file."""
    if agent not in ("gemini", "qwen"):
        return layer, value
    settings: Object = {**_mapping(value), "mcpServers": {"srv": {**_SERVER, "trust": True}}}
    return ("user" if agent == "gemini" else layer), settings


def _configured(agent: str, event: str, hooks: list[Object]) -> Json:
    if agent == "kimi":
        return "".join(
            f'[[hooks]]\nevent = "{event}"\n'
            + "".join(f"{key} = {json.dumps(value)}\n" for key, value in hook.items())
            for hook in hooks
        )
    if agent == "copilot":
        listed: list[Json] = [
            {"type": "command", **{{"command": "bash"}.get(key, key): value for key, value in hook.items()}}
            for hook in hooks
        ]
        return {"version": 1, "hooks": {event: listed}}
    groups: list[Json] = []
    for hook in hooks:
        handler: Json = {"type": "command", "command": hook["command"]}
        matched: Object = {"matcher": hook["matcher"]} if "matcher" in hook else {}
        groups.append({**matched, "hooks": [handler]})
    return {"hooks": {event: groups}}
