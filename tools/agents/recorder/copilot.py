"""GitHub Copilot CLI, headless and offline, with a model of its user's own: ``copilot -p``."""

from __future__ import annotations

import json
import re
import subprocess

from tools.agents.recorder import chat
from tools.agents.recorder.model import ModelServer
from tools.agents.recorder.world import Ended, World, environment, neutral, objects_of, with_etc
from tools.agents.records import Json, Object, listed, mapping

PACKAGE, PROGRAM = "@github/copilot", "copilot"

_DATE = re.compile(r"<current_datetime>.*?</current_datetime>\s*", re.S)
_SHOWN = (
    *(
        "tool.execution_complete",
        "session.error",
        "session.warning",
        "session.info",
        "hook.start",
        "hook.end",
    ),
    *("abort", "assistant.message", "permission.completed", "result", "system.notification"),
)
_KEPT = (
    *("success", "error", "message", "content", "exitCode", "infoType", "warningType", "errorType", "reason"),
    *("hookType", "output"),
)


def variables(case: Object, world: World, url: str) -> dict[str, str]:
    return environment(
        world,
        case,
        COPILOT_OFFLINE="true",
        COPILOT_AUTO_UPDATE="false",
        COPILOT_PROVIDER_BASE_URL=f"{url}/v1",
        COPILOT_PROVIDER_API_KEY="made-up",
        COPILOT_MODEL="gpt-4.1",
    )


def prepare(case: Object, world: World, url: str) -> None:
    if case.get("trust", True):
        project = str(world.project)
        world.put("home/.copilot/config.json", {"trusted_folders": [project], "trustedFolders": [project]})
    subprocess.run(["git", "init", "-q", str(world.project)], check=True, env=environment(world, {}))


def command(case: Object, program: str) -> list[str]:
    words = [program]
    if "keys" not in case:
        words += ["-p", str(case.get("prompt", "do it")), "--output-format", "json"]
    return with_etc(case, [*words, *(str(each) for each in listed(case.get("args", ["--allow-all-tools"])))])


def lines(case: Object) -> Json:
    return None


def observe(case: Object, world: World, model: ModelServer, ended: Ended, env: dict[str, str]) -> Json:
    shown: list[Json] = []
    for each in objects_of(ended.stdout):
        if each.get("type") in _SHOWN:
            data = mapping(each.get("data")) or each
            kept = {key: data[key] for key in _KEPT if data.get(key) not in ("", None, [], {})}
            if kept:
                shown.append({"type": each["type"], **kept})
    seen: Object = {
        **chat.observed(case, world, model, ended, _texts),
        "shown": shown,
        "stderr": re.sub(r"Package extraction took \d+ms\n*", "", ended.stderr),
        "probes": world.probes(env),
    }
    left = neutral(
        {key: value for key, value in seen.items() if value not in ([], "", None, {})}, world, 1200
    )
    return mapping(json.loads(re.sub(r'("timestamp": )\d+', r"\g<1>0", json.dumps(left))))


def _texts(request: Object) -> list[str]:
    return [_DATE.sub("", text) for text in chat.texts(request)]
