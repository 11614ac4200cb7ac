"""Continue's cn, headless (``cn -p``) or in a terminal. It has no contract; tools.agents.unstarted runs it."""

from __future__ import annotations

from tools.agents.recorder import chat
from tools.agents.recorder.model import ModelServer
from tools.agents.recorder.world import Ended, World, environment, neutral
from tools.agents.records import Json, Object, listed, mapping

PACKAGE, PROGRAM = "@continuedev/cli", "cn"

TOUCH: Object = {"tool": "Bash", "input": {"command": "touch marker"}}
LAYERS = {
    "user": "home/.continue/settings.json",
    "project": "project/.continue/settings.json",
    "project-local": "project/.continue/settings.local.json",
    "claude-user": "home/.claude/settings.json",
    "claude-project": "project/.claude/settings.json",
    "claude-project-local": "project/.claude/settings.local.json",
}

_CONFIG = """name: made-up
version: 0.0.1
schema: v1
models:
  - name: made-up
    provider: openai
    model: made-up
    apiKey: sk-made-up
    apiBase: @U@/v1
    roles: [chat]
    capabilities: [tool_use]
"""


def variables(case: Object, world: World, url: str) -> dict[str, str]:
    return environment(
        world,
        case,
        CONTINUE_API_BASE=f"{url}/",
        CONTINUE_TELEMETRY_ENABLED="0",
        CONTINUE_CLI_ENABLE_TELEMETRY="0",
        NO_COLOR="1",
    )


def prepare(case: Object, world: World, url: str) -> None:
    """Write the file that names the model."""
    world.put("home/.continue/config.yaml", _CONFIG.replace("@U@", url))


def command(case: Object, program: str) -> list[str]:
    """Return a run of one prompt, or one in a terminal, which asks for a key without ``--config``."""
    words = [str(each) for each in listed(case.get("args"))]
    if "keys" in case:
        return [program, "--config", "../home/.continue/config.yaml", *words]
    return [program, "-p", *words, str(case.get("prompt", "do it"))]


def lines(case: Object) -> Json:
    return None


def observe(case: Object, world: World, model: ModelServer, ended: Ended, env: dict[str, str]) -> Json:
    return mapping(neutral(chat.observed(case, world, model, ended, chat.texts), world, 1200))
