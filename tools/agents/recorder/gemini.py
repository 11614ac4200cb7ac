"""Gemini CLI, headless: ``gemini -p``."""

from __future__ import annotations

import json
import re

from tools.agents.recorder.model import ModelServer
from tools.agents.recorder.world import TIME, Ended, World, environment, neutral, objects_of, with_etc
from tools.agents.records import Json, Object, listed, mapping, objects

PACKAGE, PROGRAM = "@google/gemini-cli", "gemini"

_SETTINGS: Object = {
    "security": {"auth": {"selectedType": "gemini-api-key"}, "folderTrust": {"enabled": False}},
    "telemetry": {"enabled": False},
    "privacy": {"usageStatisticsEnabled": False},
    "general": {"enableAutoUpdate": False, "disableAutoUpdate": True},
}
_NOISE = ("Basic terminal", "256-color", "YOLO mode", "Ripgrep")
_HIDDEN = ("timestamp", "stats", "session_id", "tool_id", "parameters")
_SHOWN = ("tool_result", "error", "result", "text")


def variables(case: Object, world: World, url: str) -> dict[str, str]:
    """Return the environment; the files of the system are in /etc, for Gemini CLI rejects those below /tmp."""
    return environment(
        world,
        case,
        GEMINI_API_KEY="made-up",
        GOOGLE_GEMINI_BASE_URL=url,
        GEMINI_CLI_NO_RELAUNCH="true",
    )


def prepare(case: Object, world: World, url: str) -> None:
    user = mapping(case.get("layers")).get("user", {})
    if isinstance(user, dict):
        world.put("home/.gemini/settings.json", {**_SETTINGS, **mapping(world.expand(user))})


def command(case: Object, program: str) -> list[str]:
    words = [program]
    if "keys" not in case:
        words += ["-p", str(case.get("prompt", "do it")), "--output-format", "stream-json"]
    arguments = listed(case.get("args", ["--yolo"]))
    return with_etc(case, [*words, "-m", "gemini-2.5-flash", *(str(each) for each in arguments)])


def lines(case: Object) -> Json:
    return None


def observe(case: Object, world: World, model: ModelServer, ended: Ended, env: dict[str, str]) -> Json:
    events = objects_of(ended.stdout)
    first = _texts(model.requests[0]) if model.requests else []
    last = _texts(model.requests[-1]) if model.requests else []
    shown = [
        {key: value for key, value in each.items() if key not in _HIDDEN}
        for each in events
        if each.get("type") in _SHOWN or (each.get("type") == "message" and each.get("role") == "assistant")
    ]
    seen: Object = {
        "requests": len(model.requests),
        "exit": ended.status,
        "ran": world.ran(),
        "files": list(world.new_files()),
        "tool_results": _results(model.requests[-1]) if model.requests else [],
        "said": [text for text in last if text not in first],
        "first": [text for text in first if text != case.get("prompt", "do it")],
        "tools": _tools(model.requests[0]) if model.requests else [],
        "shown": [*shown],
        "stderr": "\n".join(
            line for line in ended.stderr.splitlines() if not any(word in line for word in _NOISE)
        ),
        "probes": world.probes(env),
    }
    kept = neutral(
        {key: value for key, value in seen.items() if value not in ([], "", None, {})}, world, 1200
    )
    text = re.sub(r"session-\d{4}-\d\d-\d\dT[\w-]+", "session-@ID@", json.dumps(kept))
    text = re.sub(r"<session_context>.*?</session_context>", "<session_context>…</session_context>", text)
    text = re.sub(r"\\nProcess Group PGID: \d+", "", text)
    return mapping(json.loads(TIME.sub("@TIME@", text)))


def _tools(request: Object) -> list[Json]:
    """Return how the request restricts the functions, which a hook can change."""
    config = mapping(mapping(request.get("toolConfig")).get("functionCallingConfig"))
    return [config] if config else []


def _parts(request: Object) -> list[Object]:
    contents = (each for each in objects(request.get("contents")) if each.get("role") == "user")
    return [part for content in contents for part in objects(content.get("parts"))]


def _texts(request: Object) -> list[str]:
    texts = (str(part["text"]) for part in _parts(request) if "text" in part)
    return [text for text in texts if not text.startswith("<session_context>")]


def _results(request: Object) -> list[Json]:
    found: list[Json] = []
    for part in _parts(request):
        if "functionResponse" in part:
            text = json.dumps(mapping(part["functionResponse"]).get("response"), ensure_ascii=False)
            found.append(re.sub(r"\\nProcess Group PGID: \d+", "", text))
    return found
