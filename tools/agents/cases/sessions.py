"""Sessions in which one event changes what later ones receive: a refused call, a stop that is refused once."""

from __future__ import annotations

from sandhook.hooks import contracts
from tools.agents.cases.shapes import EVENTS, layer_of
from tools.agents.cases.terminal.claude_code import keeping
from tools.agents.records import Json, Object

#: Agents whose payloads name their event, so that several payloads of a session can be distinguished.
AGENTS = ("claude_code", "codex", "gemini", "qwen", "droid", "kimi")
_STOPS = {"gemini": "AfterAgent"}
#: Events that other settings than a session bring about, or that hooks change by their presence.
_LEFT_OUT = ("WorktreeCreate", "WorktreeRemove")
_ONCE = '[ -e "$PROBE/once" ] || { touch "$PROBE/once"; echo again >&2; exit 2; }'


def cases(agent: str) -> list[Object]:
    """Return the cases of an agent."""
    if agent not in AGENTS:
        return []
    before, stop = EVENTS.get(agent, "PreToolUse"), _STOPS.get(agent, "Stop")
    refusing = {"refused": {before: "echo no >&2; exit 2"}, "stopped": {stop: _ONCE}}
    refusing["both"] = {**refusing["refused"], **refusing["stopped"]}
    found: list[Object] = []
    for name, ends in refusing.items():
        commands = {
            event: f"{keeping(event)}; {ends.get(event, 'exit 0')}"
            for event in contracts.get(agent).events
            if event not in _LEFT_OUT
        }
        layers: Object = {layer_of(agent): _configured(agent, commands)}
        found.append({"id": f"sessions.{name}", "event": "*", "layers": layers})
    return found


def _configured(agent: str, commands: dict[str, str]) -> Json:
    if agent == "kimi":
        items = (
            f"[[hooks]]\nevent = \"{event}\"\ncommand = '''{text}'''\n" for event, text in commands.items()
        )
        return "".join(items)
    return {
        "hooks": {
            event: [{"hooks": [{"type": "command", "command": text}]}] for event, text in commands.items()
        }
    }
