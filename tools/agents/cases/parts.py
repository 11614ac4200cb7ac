"""The faulty settings of the topic "settings" in other files: an agent may read each of its files in its own way."""

from __future__ import annotations

import json

from tools.agents.cases.settings import cases as faulty
from tools.agents.records import Json, Object, mapping

_PLUGIN = "home/.codex/plugins/cache/mine/guard/1.0.0/"
_MANIFEST: Object = {"name": "guard", "version": "1.0.0", "description": "d"}
_MARKET: Object = {
    "name": "mine",
    "plugins": [
        {
            "name": "guard",
            "source": {"source": "local", "path": "./plugins/guard"},
            "policy": {"installation": "AVAILABLE", "authentication": "ON_INSTALL"},
            "category": "Productivity",
        }
    ],
}
#: The other layers of an agent, and what their hooks need in order to be read.
SCENES: dict[str, dict[str, Object]] = {
    "claude_code": {
        "plugin": {
            "files": {"home/plug/.claude-plugin/plugin.json": {"name": "guard", "version": "1.0.0"}},
            "args": ["--plugin-dir", "@W@/home/plug"],
        },
        "managed": {},
    },
    "codex": {
        "managed-json": {},
        "plugin": {
            "files": {
                f"{_PLUGIN}.codex-plugin/plugin.json": _MANIFEST,
                "home/market/.agents/plugins/marketplace.json": _MARKET,
                "home/market/plugins/guard/.codex-plugin/plugin.json": _MANIFEST,
            },
            "args": ["--dangerously-bypass-hook-trust"],
            "tables": '[marketplaces.mine]\nsource_type = "local"\nsource = "@W@/home/market"\n\n'
            '[plugins."guard@mine"]\nenabled = true\n',
        },
    },
    "gemini": {
        "managed": {},
        "extension": {
            "files": {
                "home/.gemini/extensions/guard/gemini-extension.json": {"name": "guard", "version": "1.0.0"}
            }
        },
    },
    "copilot": {"claude-project": {}, "user-settings": {}, "managed": {}},
    "qwen": {"user": {}},
    "goose": {"user": {}},
    "grok": {"claude-project": {}},
    "openhands": {"user": {}},
    "droid": {"project": {}, "project-legacy": {}},
}


def cases(agent: str) -> list[Object]:
    """Return the cases of an agent."""
    found: list[Object] = []
    for layer, scene in SCENES.get(agent, {}).items():
        for case in faulty("claude_code" if layer.startswith("claude-") else agent):
            (value,) = mapping(case["layers"]).values()
            name = str(case["id"]).partition(".")[2]
            files: Object = {**mapping(case.get("files")), **mapping(scene.get("files"))}
            found.append(
                {
                    **case,
                    **scene,
                    **({"files": files} if files else {}),
                    "id": f"parts.{layer}-{name}",
                    "event": "preToolUse" if agent == "copilot" else case["event"],
                    "layers": {layer: _bare(value) if (agent, layer) == ("droid", "project") else value},
                }
            )
    return found


def _bare(value: Json) -> Json:
    """Return settings without the key "hooks" around the events."""
    if isinstance(value, dict):
        rest = {key: each for key, each in value.items() if key != "hooks"}
        hooks = value.get("hooks")
        return {**hooks, **rest} if isinstance(hooks, dict) else hooks
    text = str(value)
    head, sign, tail = text.partition('"hooks": {')
    try:
        json.loads(text)
    except ValueError:
        return text
    return f"{head}{tail.rstrip()[:-1]}" if sign and tail.rstrip().endswith("}") else text
