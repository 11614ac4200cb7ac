"""The hooks of a Docker Agent file: those of each agent, grouped for tools and flat for the rest."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sandhook.hooks.contracts import Document, Layer, Loaded, LoadOptions
from sandhook.hooks.contracts._agent import gather, seconds
from sandhook.hooks.contracts._convert import Target, converted
from sandhook.hooks.contracts._fields import Fields, join
from sandhook.hooks.contracts.docker_agent.names import DEFAULT_TIMEOUT, EVENTS, FIELDS, GROUPED
from sandhook.hooks.decode import type_name
from sandhook.hooks.event import Event, Json
from sandhook.hooks.flavour import compile_search
from sandhook.hooks.matcher import ALWAYS, Match, Matcher, Regex, ToolName
from sandhook.hooks.model import Executor, HookSpec
from sandhook.pattern.errors import PatternError
from sandhook.record import Record


def layers(cwd: str, env: Mapping[str, str], platform: str) -> Sequence[Layer]:
    """Return the project's file of agents; others are named by whoever starts one."""
    return [Layer("project", f"{cwd}/{name}") for name in ("cagent.yaml", "docker-agent.yaml", "agent.yaml")]


def load(documents: Sequence[Document], options: LoadOptions) -> Loaded:
    """Read configurations; every fault is in the result, with its path."""
    return gather(documents, EVENTS, _document)


class Agent(Record):
    """Wants what its part wants when the event is its agent's, or says no agent."""

    name: str
    part: Matcher

    def check(self, event: Event) -> Match:
        if event.agent_id is not None and event.agent_id != self.name:
            return Match(False, f"the hook is of the agent {self.name}")
        return self.part.check(event)


def _document(fields: Fields, value: dict[str, Any]) -> Iterator[HookSpec]:
    agents = fields.get(value, "agents", dict, "") or {}
    for name in agents:
        path = join("agents", name)
        agent = fields.get(agents, name, dict, "agents") or {}
        hooks = fields.get(agent, "hooks", dict, path) or {}
        for event in hooks:
            where = f"{path}.hooks"
            if event not in EVENTS:
                fields.note(join(where, event), "is no event that is known here: its hooks never run")
            for index, raw in enumerate(fields.get(hooks, event, list, where) or ()):
                place = f"{where}.{event}[{index}]"
                if not isinstance(raw, dict):
                    fields.problem(place, f"wanted a mapping, got {type_name(raw)}")
                elif event in EVENTS:
                    yield from _entry(fields, raw, event, place, name)


def _entry(fields: Fields, raw: dict[str, Any], event: str, path: str, agent: str) -> Iterator[HookSpec]:
    if event not in GROUPED:
        yield from _hook(fields, raw, event, path, agent, ALWAYS)
        return
    before = len(fields.problems)
    matcher = _matcher(fields, raw, path)
    good = len(fields.problems) == before
    fields.unknown(raw, ("matcher", "hooks"), path)
    if "hooks" not in raw:
        fields.problem(path, "hooks is required")
    for number, each in enumerate(fields.get(raw, "hooks", list, path) or ()):
        place = f"{path}.hooks[{number}]"
        if not isinstance(each, dict):
            fields.problem(place, f"wanted a mapping, got {type_name(each)}")
            continue
        for spec in _hook(fields, each, event, place, agent, matcher):
            if good:
                yield spec


def _hook(
    fields: Fields, raw: dict[str, Any], event: str, path: str, agent: str, matcher: Matcher
) -> Iterator[HookSpec]:
    before = len(fields.problems)
    fields.unknown(raw, FIELDS, path)
    type_ = fields.get(raw, "type", str, path)
    if type_ != "command" and ("type" not in raw or type_ is not None):
        fields.problem(f"{path}.type", f"wanted command, got {type_!r}" if type_ else "type is required")
    command = fields.get(raw, "command", str, path)
    if not (command or "").strip() and ("command" not in raw or command is not None):
        fields.problem(f"{path}.command", "is empty: there is nothing to run")
    timeout = seconds(fields, raw, "timeout", path, default=DEFAULT_TIMEOUT)
    name = fields.get(raw, "name", str, path)
    document = fields.document
    if len(fields.problems) == before:
        yield HookSpec(
            id="",
            event=EVENTS[event],
            native_event=event,
            executor=Executor("bash", command or ""),
            matcher=Agent(agent, matcher),
            timeout=timeout,
            env_policy="inherit",
            description=name,
            source=agent,
            path=path,
            file=document.name,
            layer=document.layer,
            entry=raw,
        )


def _matcher(fields: Fields, raw: dict[str, Any], path: str) -> Matcher:
    pattern = fields.get(raw, "matcher", str, path)
    if pattern in (None, "", "*"):
        return ALWAYS
    whole = f"^(?:{pattern})$"
    try:
        return ToolName(Regex(whole, "go", compile_search(whole, "go")))
    except PatternError as error:
        fields.problem(f"{path}.matcher", f"does not compile: {error}")
        return ALWAYS


TARGET = Target("Docker Agent", EVENTS, default=DEFAULT_TIMEOUT, matched=GROUPED)


def render(specs: Sequence[HookSpec]) -> tuple[Json, tuple[str, ...]]:
    """Return the agents of a file, "root" for hooks of elsewhere, and one line for everything that is lost."""
    lost: list[str] = []
    agents: dict[str, Any] = {}
    for spec in specs:
        agent = spec.matcher.name if isinstance(spec.matcher, Agent) else "root"
        part = spec.matcher.part if isinstance(spec.matcher, Agent) else spec.matcher
        for native, pattern, fields in converted([spec._replace(matcher=part)], TARGET, lost):
            hooks = agents.setdefault(agent, {"hooks": {}})["hooks"].setdefault(native, [])
            entry: dict[str, Json] = {"type": "command", **fields}
            if native not in GROUPED:
                hooks.append(entry)
                continue
            group: dict[str, Json] = {"matcher": _whole(pattern)} if pattern else {}
            hooks.append({**group, "hooks": [entry]})
    return {"agents": agents}, tuple(lost)


def _whole(pattern: str) -> str:
    """Return a search anywhere in a name as an expression over the whole name."""
    if pattern.startswith("^(?:") and pattern.endswith(")$"):
        return pattern[4:-2]
    if pattern.startswith("^") and pattern.endswith("$") and pattern[1:-1].replace("_", "").isalnum():
        return pattern[1:-1]
    return f".*(?:{pattern}).*"


def _event_schema(name: str) -> Json:
    return {"type": "array", "items": {"$ref": f"#/$defs/{'group' if name in GROUPED else 'hook'}"}}


SCHEMA: dict[str, Any] = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "title": "Hooks of a Docker Agent file",
    "type": "object",
    "properties": {
        "agents": {
            "type": "object",
            "additionalProperties": {
                "type": "object",
                "properties": {
                    "hooks": {
                        "type": "object",
                        "properties": {name: _event_schema(name) for name in EVENTS},
                    }
                },
            },
        }
    },
    "$defs": {
        "group": {
            "type": "object",
            "required": ["hooks"],
            "properties": {
                "matcher": {"type": "string", "description": "RE2 over all of the tool's name."},
                "hooks": {"type": "array", "items": {"$ref": "#/$defs/hook"}},
            },
        },
        "hook": {
            "type": "object",
            "required": ["type", "command"],
            "properties": {
                "type": {"const": "command"},
                "command": {"type": "string", "minLength": 1, "description": "Shell source."},
                "timeout": {"type": "number", "default": DEFAULT_TIMEOUT, "description": "Seconds."},
            },
        },
    },
}
