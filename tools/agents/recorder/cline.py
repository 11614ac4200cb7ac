"""Cline, headless: ``cline --json PROMPT``. Its package on npm has a program for each system; its hooks are files."""

from __future__ import annotations

import json
import re

from tools.agents.recorder import chat
from tools.agents.recorder.model import ModelServer
from tools.agents.recorder.world import TIME, Ended, World, environment, neutral, objects_of
from tools.agents.records import Json, Object, listed, mapping

PACKAGE, PROGRAM = "cline", "cline"

_PROVIDER = "openai-compatible"
#: A line of a trace, with a place in the program.
_CODE = re.compile(r"at [^\\\n\"]*\$bunfs[^\\\n\"]*")
#: Names of conversations, agents and sessions.
_NAMES = re.compile(r"\b(?:conv|agent|sub)_\d{13}_\w+|\b\d{13}_\w{5,}")


def variables(case: Object, world: World, url: str) -> dict[str, str]:
    return environment(world, case, NO_COLOR="1", CLINE_SESSION_BACKEND_MODE="local")


def prepare(case: Object, world: World, url: str) -> None:
    """Write the settings that name the model; hooks are files of the case."""
    own: Object = {
        "provider": _PROVIDER,
        "apiKey": "sk-made-up",
        "model": "made-up",
        "baseUrl": f"{url}/v1",
    }
    entry: Object = {"settings": own, "updatedAt": "2026-01-01T00:00:00.000Z", "tokenSource": "manual"}
    settings: Object = {
        "version": 1,
        "lastUsedProvider": _PROVIDER,
        "modes": {},
        "providers": {_PROVIDER: entry},
    }
    world.put("home/.cline/data/settings/providers.json", settings)


def command(case: Object, program: str) -> list[str]:
    words = [program, *(str(each) for each in listed(case.get("args", ["--json"])))]
    return words if "keys" in case else [*words, str(case.get("prompt", "do it"))]


def lines(case: Object) -> Json:
    return None


def observe(case: Object, world: World, model: ModelServer, ended: Ended, env: dict[str, str]) -> Json:
    shown = [each for each in objects_of(ended.stdout) if each.get("type") in ("run_result", "error")]
    seen: Object = {
        **chat.observed(case, world, model, ended, chat.texts),
        "shown": [*shown],
        "probes": world.probes(env),
        "stderr": "",
    }
    kept = neutral(
        {key: value for key, value in seen.items() if value not in ([], "", None, {})}, world, 1200
    )
    text = _CODE.sub("at @CODE@", json.dumps(kept))
    return mapping(json.loads(TIME.sub("@TIME@", _NAMES.sub("@ID@", text))))
