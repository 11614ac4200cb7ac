"""Hermes Agent, headless: ``hermes chat -q``. Its hooks and its model are in one file of the user."""

from __future__ import annotations

import json
import re

from tools.agents.recorder import chat
from tools.agents.recorder.model import ModelServer
from tools.agents.recorder.world import TIME, Ended, World, environment, neutral
from tools.agents.records import Json, Object, listed, mapping

#: It is on PyPI, not on npm.
PACKAGE, PROGRAM = "hermes-agent", "hermes"

_CONFIG = """
model:
  provider: custom
  default: made-up
  base_url: {url}/v1
  api_key: sk-made-up
  context_length: 128000
memory:
  memory_enabled: false
  user_profile_enabled: false
"""
_SESSION = re.compile(r"\b\d{8}_\d{6}_[0-9a-f]+\b")
_NUMBERS = re.compile(r'"(duration_ms|seconds|elapsed)": [\d.]+')


def variables(case: Object, world: World, url: str) -> dict[str, str]:
    return environment(
        world,
        case,
        HERMES_HOME=str(world.home / ".hermes"),
        OPENAI_API_KEY="sk-made-up",
        HERMES_DISABLE_TELEMETRY="1",
        NO_COLOR="1",
    )


def prepare(case: Object, world: World, url: str) -> None:
    user = str(world.expand(mapping(case.get("layers")).get("user", "")))
    world.put("home/.hermes/config.yaml", _CONFIG.format(url=url) + user)


def command(case: Object, program: str) -> list[str]:
    """Return a run without questions; a case that allows nothing leaves the agent's own approvals on."""
    typed = "keys" in case
    words = [program, "chat", *([] if typed else ["-Q"]), "--ignore-rules", "-t", "terminal,file,delegation"]
    words += ["--yolo"] if case.get("allowed", "Bash") else []
    words += [str(each) for each in listed(case.get("args", ["--accept-hooks"]))]
    return words if typed else [*words, "-q", str(case.get("prompt", "do it"))]


def lines(case: Object) -> Json:
    return None


def observe(case: Object, world: World, model: ModelServer, ended: Ended, env: dict[str, str]) -> Json:
    seen: Object = {
        **chat.observed(case, world, model, ended, chat.texts),
        "shown": ended.stdout,
        "probes": world.probes(env),
    }
    kept = neutral(
        {key: value for key, value in seen.items() if value not in ([], "", None, {})}, world, 1200
    )
    text = _SESSION.sub("@SESSION@", json.dumps(kept))
    return mapping(json.loads(TIME.sub("@TIME@", _NUMBERS.sub(r'"\1": 0', text))))
