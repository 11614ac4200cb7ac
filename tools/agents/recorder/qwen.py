"""Qwen Code, headless: ``qwen -p``."""

from __future__ import annotations

import json
import re

from tools.agents.recorder import chat
from tools.agents.recorder.model import ModelServer
from tools.agents.recorder.world import TIME, Ended, World, environment, neutral, objects_of, with_etc
from tools.agents.records import Json, Object, listed, mapping

PACKAGE, PROGRAM = "@qwen-code/qwen-code", "qwen"

_SETTINGS: Object = {
    "security": {"auth": {"selectedType": "openai"}, "folderTrust": {"enabled": False}},
    "telemetry": {"enabled": False},
    "privacy": {"usageStatisticsEnabled": False},
    "general": {"enableAutoUpdate": False, "disableAutoUpdate": True},
    # Without a second agent that reads the conversation after each turn.
    "memory": {"enableManagedAutoMemory": False, "enableManagedAutoDream": False},
    "tools": {"todoWrite": {"enabled": True}},
}
#: How the agent's own reminders begin.
_OWN = tuple(
    f"<system-reminder>\n{words}"
    for words in (
        "The following",
        "This is the Qwen Code",
        "The current date",
        "The TodoWrite",
        "The todo_write",
    )
)
_HIDDEN = ("uuid", "session_id", "usage", "duration_ms", "duration_api_ms", "modelUsage", "stats")


def variables(case: Object, world: World, url: str) -> dict[str, str]:
    return environment(
        world,
        case,
        OPENAI_API_KEY="sk-made-up",
        OPENAI_BASE_URL=f"{url}/v1",
        OPENAI_MODEL="made-up",
        QWEN_CODE_NO_RELAUNCH="true",
        NO_COLOR="1",
    )


def prepare(case: Object, world: World, url: str) -> None:
    user = mapping(case.get("layers")).get("user", {})
    if isinstance(user, dict):
        world.put("home/.qwen/settings.json", {**_SETTINGS, **mapping(world.expand(user))})


def command(case: Object, program: str) -> list[str]:
    words = [program, "--auth-type", "openai", "-m", "made-up"]
    if "keys" not in case:
        words += ["--output-format", "stream-json"]
    words += [str(each) for each in listed(case.get("args", ["--yolo"]))]
    if "keys" in case:
        return with_etc(case, words)
    if case.get("turns") is None:
        words += ["-p", str(case.get("prompt", "do it"))]
    else:
        words += ["--input-format", "stream-json"]
    return with_etc(case, words)


def lines(case: Object) -> Json:
    """Return what the agent reads: a line for each turn of the user, or None for a prompt on its command line."""
    return chat.turns(case)


def observe(case: Object, world: World, model: ModelServer, ended: Ended, env: dict[str, str]) -> Json:
    shown = [
        {key: value for key, value in each.items() if key not in _HIDDEN}
        for each in objects_of(ended.stdout)
        if each.get("type") in ("result", "error", "text")
    ]
    seen: Object = {
        **chat.observed(case, world, model, ended, _texts),
        "shown": [*shown],
        "probes": world.probes(env),
    }
    kept = neutral(
        {key: value for key, value in seen.items() if value not in ([], "", None, {})}, world, 1200
    )
    text = re.sub(r"Process Group PGID: \d+", "Process Group PGID: (none)", json.dumps(kept))
    return mapping(json.loads(TIME.sub("@TIME@", text)))


_CONTEXT = re.compile(r"<qwen:session-start-context.*?</qwen:session-start-context>", re.S)


def _texts(request: Object) -> list[str]:
    """Return the user's texts, and the context of a session, which is in the instructions."""
    return [*_CONTEXT.findall(chat.instructions(request)), *chat.texts(request, *_OWN)]
