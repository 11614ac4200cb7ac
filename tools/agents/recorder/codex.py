"""Codex, headless: ``codex exec``."""

from __future__ import annotations

import json
import re

from tools.agents.recorder.model import ModelServer
from tools.agents.recorder.world import TIME, Ended, World, environment, neutral, objects_of, with_etc
from tools.agents.records import Json, Object, listed, mapping, objects

PACKAGE, PROGRAM = "@openai/codex", "codex"

_CONFIG = """model = "gpt-5.4"
model_provider = "made-up"
check_for_update_on_startup = false
model_catalog_json = "{home}/catalog.json"
{more}
[analytics]
enabled = false
[model_providers.made-up]
name = "made-up"
base_url = "{url}/v1"
wire_api = "responses"
env_key = "MADE_UP_KEY"
request_max_retries = 0
stream_max_retries = 0
supports_websockets = false
{tables}
[projects."{project}"]
trust_level = "{trust}"
"""
#: A model of a made-up catalog, so that the tools are known; apply_patch is one of them.
_MODEL: Object = {
    "slug": "gpt-5.4",
    "display_name": "made-up",
    "description": "made-up",
    "default_reasoning_level": "medium",
    "supported_reasoning_levels": [{"effort": "medium", "description": "m"}],
    "shell_type": "unified_exec",
    "visibility": "list",
    "supported_in_api": True,
    "priority": 1,
    "availability_nux": None,
    "upgrade": None,
    "base_instructions": "Be brief.",
    "supports_reasoning_summaries": False,
    "support_verbosity": False,
    "default_verbosity": None,
    "apply_patch_tool_type": "freeform",
    "truncation_policy": {"mode": "tokens", "limit": 10000},
    "supports_parallel_tool_calls": True,
    "context_window": 200000,
    "experimental_supported_tools": [],
    "input_modalities": ["text"],
}
_OWN = (
    *("You are a coding agent", "Be brief.", "<permissions instructions>", "<environment_context>"),
    *("<skills_instructions>", "# AGENTS.md", "<collaboration_mode>", "<apps_instructions>"),
    *("<multi_agent", "<model_"),
)
_NOISE = ("bypass-hook-trust", "Model metadata", "PATH aliases", "Reading additional")
_CHUNK = re.compile(r"Chunk ID: \w+\nWall time: [0-9.]+ seconds\n")


def variables(case: Object, world: World, url: str) -> dict[str, str]:
    return environment(world, case, MADE_UP_KEY="sk-made-up")


def prepare(case: Object, world: World, url: str) -> None:
    world.put("home/catalog.json", {"models": [_MODEL]})
    text = _CONFIG.format(
        url=url,
        home=world.home,
        project=world.project,
        trust=case.get("trust", "trusted"),
        more=world.expand(case.get("config", "")),
        tables=world.expand(case.get("tables", "")),
    )
    world.put("home/.codex/config.toml", text)


def command(case: Object, program: str) -> list[str]:
    sandbox = str(case.get("sandbox", "danger-full-access"))
    words = [program, "exec", "--json", "--skip-git-repo-check", "-s", sandbox]
    if "keys" in case:
        words = [program, "-s", sandbox, "--no-alt-screen"]
    arguments = listed(case.get("args", ["--dangerously-bypass-hook-trust"]))
    words += [str(each) for each in arguments]
    return with_etc(case, words if "keys" in case else [*words, str(case.get("prompt", "do it"))])


def lines(case: Object) -> Json:
    return None


def observe(case: Object, world: World, model: ModelServer, ended: Ended, env: dict[str, str]) -> Json:
    events = objects_of(ended.stdout)
    first = _texts(model.requests[0]) if model.requests else []
    last = _texts(model.requests[-1]) if model.requests else []
    middle = [text for request in model.requests for text in _texts(request) if text not in {*first, *last}]
    items = [mapping(each.get("item")) for each in events if each.get("type") == "item.completed"]
    errors = [str(item.get("message")) for item in items if item.get("type") == "error"]
    for each in events:
        if each.get("type") in ("error", "turn.failed"):
            errors.append(str(each.get("message") or json.dumps(each.get("error"))))
    seen: Object = {
        "requests": len(model.requests),
        "exit": ended.status,
        "ran": world.ran(),
        "files": list(world.new_files()),
        "tool_results": _results(model.requests[-1]) if model.requests else [],
        "said": [text for text in last if text not in first],
        "first": [
            text for text in first if not text.startswith(_OWN) and text != case.get("prompt", "do it")
        ],
        "between": [text for text in dict.fromkeys(middle) if not text.startswith(_OWN)],
        "notices": [text for text in errors if not any(word in text for word in _NOISE)],
        "end": [
            each["type"]
            for each in events
            if str(each.get("type")).startswith("turn.") and each["type"] != "turn.started"
        ],
        "stderr": "\n".join(
            line for line in ended.stderr.splitlines() if not any(word in line for word in _NOISE)
        ),
        "probes": world.probes(env),
    }
    kept = neutral({key: value for key, value in seen.items() if value not in ([], "", None, {})}, world)
    text = TIME.sub("@TIME@", json.dumps(kept))
    return mapping(json.loads(re.sub(r'("(?:PATH|CODEX_MANAGED_PACKAGE_ROOT)": )"[^"]*"', r'\1"…"', text)))


def _items(request: Object) -> list[Object]:
    return objects(request.get("input"))


def _texts(request: Object) -> list[str]:
    return [
        str(part["text"])
        for item in _items(request)
        if item.get("type") == "message" and item.get("role") in ("user", "developer")
        for part in objects(item.get("content"))
        if part.get("text")
    ]


def _results(request: Object) -> list[Json]:
    found: list[Json] = []
    for item in _items(request):
        if str(item.get("type")).endswith("_call_output"):
            value = item.get("output")
            if isinstance(value, list):
                value = "".join(str(part.get("text", "")) for part in objects(value))
            found.append(_CHUNK.sub("", value if isinstance(value, str) else json.dumps(value)))
    return found
