"""goose, headless: ``goose run -t``. Its package on npm has the program alone, for one system."""

from __future__ import annotations

import json
import re

from tools.agents.recorder import chat
from tools.agents.recorder.model import ModelServer
from tools.agents.recorder.world import TIME, Ended, World, environment, neutral
from tools.agents.records import Json, Object, listed, mapping

PACKAGE, PROGRAM = "@aaif/goose-binary-linux-x64", "goose-binary-linux-x64"

_SESSION = re.compile(r"\b\d{8}_\d+\b")
#: How the agent's own messages to the model begin.
_OWN = ("<info-msg>", "Today's date")


def variables(case: Object, world: World, url: str) -> dict[str, str]:
    return environment(
        world,
        case,
        GOOSE_PROVIDER="openai",
        GOOSE_MODEL="made-up",
        GOOSE_MODE="auto",
        GOOSE_DISABLE_KEYRING="1",
        GOOSE_TELEMETRY_ENABLED="false",
        GOOSE_PROVIDER_SKIP_BACKOFF="true",
        OPENAI_API_KEY="sk-made-up",
        OPENAI_HOST=url,
        NO_COLOR="1",
    )


def prepare(case: Object, world: World, url: str) -> None:
    """Need nothing but the files of the case."""


def command(case: Object, program: str) -> list[str]:
    words = [program, "run", "--no-profile", "--with-builtin", "developer", "-q"]
    arguments = [str(each) for each in listed(case.get("args", ["--no-session"]))]
    return [*words, *arguments, "-t", str(case.get("prompt", "do it"))]


def lines(case: Object) -> Json:
    return None


def observe(case: Object, world: World, model: ModelServer, ended: Ended, env: dict[str, str]) -> Json:
    seen: Object = {
        **chat.observed(case, world, model, ended, _texts),
        "shown": ended.stdout,
        "probes": world.probes(env),
    }
    kept = neutral(
        {key: value for key, value in seen.items() if value not in ([], "", None, {})}, world, 1200
    )
    return mapping(json.loads(TIME.sub("@TIME@", _SESSION.sub("@SESSION@", json.dumps(kept)))))


def _texts(request: Object) -> list[str]:
    return chat.texts(request, *_OWN)
