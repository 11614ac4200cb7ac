"""Kimi Code, headless: ``kimi -p``. Its model is named by variables, so that its only file has hooks alone."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

from tools.agents.recorder import chat
from tools.agents.recorder.model import ModelServer
from tools.agents.recorder.world import TIME, Ended, World, environment, neutral, objects_of
from tools.agents.records import Json, Object, listed, mapping

PACKAGE, PROGRAM = "@moonshot-ai/kimi-code", "kimi"

_OWN = ("<system-reminder>",)
_TIMES = re.compile(r"Wall time: [\d.]+ seconds")
_SESSION = re.compile(r"session_[0-9a-f-]{36}")


def variables(case: Object, world: World, url: str) -> dict[str, str]:
    return environment(
        world,
        case,
        KIMI_MODEL_NAME="made-up",
        KIMI_MODEL_API_KEY="sk-made-up",
        KIMI_MODEL_PROVIDER_TYPE="openai",
        KIMI_MODEL_BASE_URL=f"{url}/v1",
        KIMI_CODE_NO_AUTO_UPDATE="1",
        KIMI_DISABLE_TELEMETRY="1",
        NO_COLOR="1",
    )


def prepare(case: Object, world: World, url: str) -> None:
    """Need nothing but the files of the case."""


def command(case: Object, program: str) -> list[str]:
    if "served" in case:  # prompts that come through its server
        driver = str(Path(__file__).with_name("kimi_served.py"))
        prompts = [str(each) for each in listed(case["served"])]
        return [sys.executable, "-B", driver, program, "@W@/project", *prompts]
    arguments = [str(each) for each in listed(case.get("args"))]
    if "keys" in case:
        return [program, *arguments]
    words = [program, "--output-format", "stream-json"]
    return [*words, *arguments, "-p", str(case.get("prompt", "do it"))]


def lines(case: Object) -> Json:
    return None


def observe(case: Object, world: World, model: ModelServer, ended: Ended, env: dict[str, str]) -> Json:
    seen: Object = {
        **chat.observed(case, world, model, ended, _texts),
        "shown": [*objects_of(ended.stdout)],
        "probes": world.probes(env),
    }
    kept = neutral(
        {key: value for key, value in seen.items() if value not in ([], "", None, {})}, world, 1200
    )
    text = _TIMES.sub("Wall time: 0.000 seconds", json.dumps(kept))
    return mapping(json.loads(TIME.sub("@TIME@", _SESSION.sub("session_@ID@", text))))


def _texts(request: Object) -> list[str]:
    return chat.texts(request, *_OWN)
