"""How a session begins and ends: resumed, forked, cleared, compacted; hooks keep what these events receive."""

from __future__ import annotations

from sandhook.hooks import contracts
from tools.agents.cases.sessions import placed
from tools.agents.cases.terminal import DONE, step
from tools.agents.cases.terminal.claude_code import keeping
from tools.agents.cases.terminal.codex import READY as CODEX_READY
from tools.agents.cases.terminal.copilot import READY as COPILOT_READY
from tools.agents.cases.terminal.gemini import READY as GEMINI_READY
from tools.agents.cases.terminal.kimi import READY as KIMI_READY
from tools.agents.records import Json, Object

_NO: list[Json] = []
_TRUSTED: list[Json] = ["--dangerously-bypass-hook-trust"]
#: A second run that goes on with the session of a first one.
_RESUMED: dict[str, dict[str, Object]] = {
    "claude_code": {
        "resume": {"earlier": [_NO], "args": ["--continue"]},
        "fork": {"earlier": [_NO], "args": ["--continue", "--fork-session"]},
    },
    "codex": {"resume": {"earlier": [_TRUSTED], "args": [*_TRUSTED, "resume", "--last"]}},
    "gemini": {"resume": {"earlier": [["--yolo"]], "args": ["--yolo", "--resume", "latest"]}},
    "copilot": {"resume": {"earlier": [["--allow-all-tools"]], "args": ["--allow-all-tools", "--continue"]}},
    "qwen": {"resume": {"earlier": [["--yolo"]], "args": ["--yolo", "--continue"]}},
    "kimi": {"resume": {"earlier": [_NO], "args": ["--continue"]}},
    "grok": {
        "resume": {
            "earlier": [["--trust", "--always-approve"]],
            "args": ["--trust", "--always-approve", "--continue"],
        }
    },
    "goose": {"resume": {"earlier": [["-n", "s"]], "args": ["-n", "s", "-r"]}},
    "hermes": {
        "resume": {"earlier": [["--accept-hooks"]], "args": ["--accept-hooks", "--continue"], "limit": 120}
    },
}


def _cleared(ready: list[Json], leave: str, pause: float = 2) -> list[Json]:
    """Return what a user types to begin anew, and to leave."""
    return [
        *ready,
        step("/clear\r", pause, requests=1),
        step("again\r", pause + 1),
        step(leave, pause, requests=2),
    ]


_CLEARED: dict[str, Object] = {
    "codex": {"args": _TRUSTED, "keys": _cleared([CODEX_READY], "/quit\r")},
    "copilot": {"keys": [*_cleared([COPILOT_READY], "/exit\r"), step("\r")]},
    "qwen": {"keys": _cleared([GEMINI_READY], "/quit\r", 3)},
    "kimi": {"args": _NO, "keys": _cleared(KIMI_READY, "/exit\r")},
}
_LONG: Object = {"command": "seq 2000", "description": "t"}
#: The model says that it read more than there is room for; Claude Code, Codex and Gemini CLI have such cases elsewhere.
_FULL: dict[str, Object] = {
    "kimi": {"tool": "Bash", "input": _LONG, "tokens": 250_000},
    "copilot": {"tool": "bash", "input": _LONG, "tokens": 120_000},
    "qwen": {"tool": "run_shell_command", "input": {**_LONG, "is_background": False}, "tokens": 250_000},
}
_SUMMARY = "<state_snapshot>a summary</state_snapshot>"
_EVENTS = {"session.start", "session.end", "compact.pre", "compact.post"}


def cases(agent: str) -> list[Object]:
    """Return the cases of an agent."""
    scenes = {**_RESUMED.get(agent, {})}
    if agent in _CLEARED:
        scenes["clear"] = _CLEARED[agent]
    if agent in _FULL:
        script: list[Json] = [_FULL[agent], _FULL[agent], {"text": _SUMMARY, "tokens": 100}, DONE, DONE]
        scenes["auto"] = {"script": script, "endpoints": {"side": _SUMMARY}, "limit": 40}
    found: list[Object] = []
    for name, scene in scenes.items():
        events = contracts.get(agent).events
        commands = {event: keeping(event) for event, kind in events.items() if kind in _EVENTS}
        case: Object = {"id": f"sources.{name}", "event": "*", "script": [DONE, DONE, DONE], **scene}
        found.append({**case, **placed(agent, commands)})
    return found
