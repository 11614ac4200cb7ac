"""Grok Build, headless: ``grok -p``. Its model is in the user's config.toml, where a case may have hooks besides."""

from __future__ import annotations

import json
import subprocess
from urllib.parse import quote

from tools.agents.recorder import chat
from tools.agents.recorder.model import ModelServer
from tools.agents.recorder.world import TIME, Ended, World, environment, neutral, objects_of, with_etc
from tools.agents.records import Json, Object, listed, mapping

PACKAGE, PROGRAM = "@xai-official/grok", "grok"

_CONFIG = """
[models]
default = "made-up"
[model.made-up]
model = "made-up"
name = "made-up"
base_url = "{url}/v1"
api_key = "sk-made-up"
context_window = 128000
[features]
telemetry = false
[cli]
auto_update = false
"""

#: How the agent's own messages to the model begin.
_OWN = ("<user_info>", "<system-reminder>\nThe following workflows")


def variables(case: Object, world: World, url: str) -> dict[str, str]:
    return environment(
        world,
        case,
        GROK_TELEMETRY_ENABLED="0",
        GROK_DISABLE_AUTOUPDATER="1",
        GROK_AGENT_DASHBOARD="0",
        GROK_WORKFLOWS="0",
        GROK_TITLE_REFRESH="0",
        XAI_API_KEY="sk-made-up",
        XAI_API_BASE_URL=f"{url}/v1",
        GROK_CLI_CHAT_PROXY_BASE_URL=f"{url}/v1",
        NO_COLOR="1",
    )


def prepare(case: Object, world: World, url: str) -> None:
    more = str(world.expand(case.get("config", "")))
    world.put("home/.grok/config.toml", _CONFIG.format(url=url) + more)
    if case.get("trust") != "no repository":  # outside of one no hook of a project is read
        subprocess.run(["git", "init", "--quiet", str(world.project)], check=True)


def command(case: Object, program: str) -> list[str]:
    words = [program, "--output-format", "streaming-json", "-m", "made-up"]
    words += [str(each) for each in listed(case.get("args", ["--trust", "--always-approve"]))]
    return with_etc(case, [*words, "-p", str(case.get("prompt", "do it"))])


def lines(case: Object) -> Json:
    return None


def observe(case: Object, world: World, model: ModelServer, ended: Ended, env: dict[str, str]) -> Json:
    model.requests[:] = [each for each in model.requests if not _is_summary(each)]
    seen: Object = {
        **chat.observed(case, world, model, ended, _texts),
        "shown": [*objects_of(ended.stdout)],
        "probes": world.probes(env),
    }
    kept = neutral(
        {key: value for key, value in seen.items() if value not in ([], "", None, {})}, world, 1200
    )
    text = json.dumps(kept).replace(quote(str(world.root), safe=""), "@W%@")
    return mapping(json.loads(TIME.sub("@TIME@", text)))


def _texts(request: Object) -> list[str]:
    return chat.texts(request, *_OWN)


def _is_summary(request: Object) -> bool:
    """Return whether a request asks for the line that the agent's list of sessions shows."""
    texts = chat.texts(request)
    return bool(texts) and texts[-1].startswith("<system-reminder>Write an ultra-short dashboard line")
