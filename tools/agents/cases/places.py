"""One hook in several layers, hooks of several layers that disagree, and what hooks of each layer receive."""

from __future__ import annotations

from tools.agents.cases.shapes import EVENTS, decision
from tools.agents.grid import printing, probe
from tools.agents.records import Json, Object

#: The layers of each agent that has several, and where the hooks of an extension need more files.
LAYERS: dict[str, tuple[str, ...]] = {
    "claude_code": ("user", "project", "local", "managed", "plugin"),
    "codex": ("user", "project", "managed-json"),
    "gemini": ("user", "project", "managed"),
    "copilot": ("user", "project", "managed"),  # the order of the files in a directory is the system's
    "qwen": ("user", "project"),
    "goose": ("user", "project"),
    "grok": ("user", "project", "claude", "claude-project"),
    "droid": ("user-settings", "project-settings", "project-local"),
    "openhands": ("user", "project"),
}


def scene_of_layers(agent: str) -> Object:
    """Return what the hooks of all layers need in order to be read."""
    if agent == "claude_code":
        manifest: Json = {"name": "guard", "version": "1.0.0"}
        return {
            "files": {"home/plug/.claude-plugin/plugin.json": manifest},
            "args": ["--plugin-dir", "@W@/home/plug"],
        }
    return {"limit": 120} if agent == "openhands" else {}


def _configured(agent: str, command: str, **keys: Json) -> Json:
    event = EVENTS.get(agent, "PreToolUse")
    if agent == "copilot":
        renamed = {"timeoutSec" if key == "timeout" else key: value for key, value in keys.items()}
        return {"version": 1, "hooks": {event: [{"type": "command", "bash": command, **renamed}]}}
    return {"hooks": {event: [{"hooks": [{"type": "command", "command": command, **keys}]}]}}


def cases(agent: str) -> list[Object]:
    """Return the cases of an agent."""
    if agent not in LAYERS:
        return []
    event, names = EVENTS.get(agent, "PreToolUse"), LAYERS[agent]
    make, scene = decision(agent), scene_of_layers(agent)
    pass_ = 'cat >/dev/null; echo a >>"$PROBE/ran"'
    limits = {
        name: 10_000 + number if agent == "gemini" else 10 + number for number, name in enumerate(names)
    }

    def saying(name: str, word: str) -> str:
        label = name.replace("-", "_")
        return f'cat >/dev/null; echo {label} >>"$PROBE/ran"; {printing(make(word, f"by {name}"))}'

    scenes: dict[str, dict[str, Json]] = {
        "same": {name: _configured(agent, pass_) for name in names},
        "same-timeouts": {name: _configured(agent, pass_, timeout=limits[name]) for name in names},
        "same-blank": {name: _configured(agent, pass_ + " " * number) for number, name in enumerate(names)},
        "deny-everywhere": {name: _configured(agent, saying(name, "deny")) for name in names},
    }
    for name in names:
        others = [each for each in names if each != name]
        scenes[f"deny-{name}"] = {
            **{each: _configured(agent, saying(each, "allow")) for each in others},
            name: _configured(agent, saying(name, "deny")),
        }
    made: list[Object] = [
        {"id": f"places.{name}", "event": event, "layers": {**layers}, **scene}
        for name, layers in scenes.items()
    ]
    return [*made, *filter(None, [received(agent)])]


def received(agent: str) -> Object | None:
    """Return a case in which hooks of all layers keep what they receive; None for an agent with one layer."""
    if agent not in LAYERS:
        return None
    layers: Object = {name: _configured(agent, probe(name.replace("-", "_"))) for name in LAYERS[agent]}
    return {"id": "places.received", "event": "*", "layers": layers, **scene_of_layers(agent)}
