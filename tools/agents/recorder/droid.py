"""Factory Droid, headless: ``droid exec``, with a model of its user's own. Its package on npm has the program alone."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from tools.agents.recorder import chat
from tools.agents.recorder.model import ModelServer
from tools.agents.recorder.world import TIME, Ended, World, environment, neutral, objects_of, with_etc
from tools.agents.records import Json, Object, listed, mapping

_CONVERSATION = Path(__file__).with_name("droid_run.py")

PACKAGE, PROGRAM = "@factory/cli-linux-x64", "droid"

#: How the agent's own messages to the model begin.
_OWN = ("<system-reminder>",)
_SHOWN = ("tool_result", "error", "completion", "text")
_HIDDEN = ("id", "messageId", "timestamp", "session_id", "usage", "durationMs")


def variables(case: Object, world: World, url: str) -> dict[str, str]:
    return environment(
        world,
        case,
        FACTORY_API_KEY="fk-made-up",
        FACTORY_API_BASE_URL=url,
        FACTORY_DISABLE_TELEMETRY="1",
        NO_COLOR="1",
    )


def prepare(case: Object, world: World, url: str) -> None:
    """Write the user's settings, which name the model, besides what the case has there."""
    model: Object = {
        "model": "made-up",
        "displayName": "Made Up",
        "baseUrl": f"{url}/v1",
        "apiKey": "sk-made-up",
        "provider": "generic-chat-completion-api",
        "maxOutputTokens": 1000,
    }
    user = mapping(case.get("layers")).get("user-settings", {})
    if isinstance(user, dict):
        settings: Object = {"customModels": [model], **mapping(world.expand(user))}
        world.put("home/.factory/settings.json", settings)


def command(case: Object, program: str) -> list[str]:
    """Return a run of one prompt, or a conversation in JSON-RPC for a case that has turns."""
    if case.get("turns") is not None:
        level = str(case.get("allowed", "high"))
        return [sys.executable, str(_CONVERSATION), program, level, json.dumps(case["turns"])]
    words = [program, "exec", "-m", "custom:Made-Up-0", "-o", "stream-json"]
    words += [str(each) for each in listed(case.get("args", ["--auto", "high"]))]
    return with_etc(case, [*words, str(case.get("prompt", "do it"))])


def lines(case: Object) -> Json:
    return None


def observe(case: Object, world: World, model: ModelServer, ended: Ended, env: dict[str, str]) -> Json:
    shown = [
        {key: value for key, value in each.items() if key not in _HIDDEN}
        for each in objects_of(ended.stdout)
        if each.get("type") in _SHOWN
    ]
    seen: Object = {
        **chat.observed(case, world, model, ended, _texts),
        "shown": [*shown],
        "probes": world.probes(env),
    }
    kept = neutral(
        {key: value for key, value in seen.items() if value not in ([], "", None, {})}, world, 1200
    )
    sessions = str(world.root).replace("/", "-")  # in the names of the agent's own directories
    return mapping(json.loads(TIME.sub("@TIME@", json.dumps(kept).replace(sessions, "@W-@"))))


def _texts(request: Object) -> list[str]:
    return chat.texts(request, *_OWN)
