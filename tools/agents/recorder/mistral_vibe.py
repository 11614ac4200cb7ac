"""Mistral Vibe, headless: ``vibe -p``. Its model is in the user's config.toml; its hooks are in files of their own."""

from __future__ import annotations

import json
import re

from tools.agents.recorder import chat
from tools.agents.recorder.model import ModelServer
from tools.agents.recorder.world import TIME, Ended, World, environment, neutral, objects_of
from tools.agents.records import Json, Object, listed, mapping

PACKAGE, PROGRAM = "mistral-vibe", "vibe"

_CONFIG = """active_model = "made-up"
enable_update_checks = false
enable_telemetry = false

[[providers]]
name = "made"
api_base = "{url}/v1"
api_key_env_var = ""

[[models]]
name = "made-up"
provider = "made"
alias = "made-up"
"""
_DURATION = re.compile(r'("duration_ms": )[\d.]+')


def variables(case: Object, world: World, url: str) -> dict[str, str]:
    return environment(world, case, NO_COLOR="1", VIBE_ENABLE_TELEMETRY="false")


def prepare(case: Object, world: World, url: str) -> None:
    """Write the settings that name the model."""
    world.put("home/.vibe/config.toml", _CONFIG.format(url=url))


def command(case: Object, program: str) -> list[str]:
    arguments = [str(each) for each in listed(case.get("args", ["--trust", "--auto-approve"]))]
    return [program, *arguments, "--output", "streaming", "-p", str(case.get("prompt", "do it"))]


def lines(case: Object) -> Json:
    return None


def observe(case: Object, world: World, model: ModelServer, ended: Ended, env: dict[str, str]) -> Json:
    seen: Object = {
        **chat.observed(case, world, model, ended, chat.texts),
        "shown": [*objects_of(ended.stdout)],
        "probes": world.probes(env),
    }
    kept = neutral(
        {key: value for key, value in seen.items() if value not in ([], "", None, {})}, world, 1200
    )
    return mapping(json.loads(TIME.sub("@TIME@", _DURATION.sub(r"\g<1>0", json.dumps(kept)))))
