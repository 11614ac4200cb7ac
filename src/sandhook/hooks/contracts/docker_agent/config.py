"""The hooks of a Docker Agent file: those of each agent, grouped for tools and flat for the rest."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from sandhook.hooks.contracts import Document, Layer, Loaded, LoadOptions
from sandhook.hooks.contracts._convert import Target, converted
from sandhook.hooks.contracts._fields import Fields, did_you_mean, join
from sandhook.hooks.contracts._groups import Handler, report_misspelt
from sandhook.hooks.contracts._loader import (
    SHELL_SOURCE,
    check_type,
    entries,
    gather,
    group_of,
    hook_of,
    hook_spec,
    schema,
    seconds,
    shell_text,
    whole_name,
)
from sandhook.hooks.contracts.docker_agent.names import DEFAULT_TIMEOUT, EVENTS, FIELDS, GROUPED
from sandhook.hooks.event import Event, Json, JsonObject
from sandhook.hooks.flavour import compile_search
from sandhook.hooks.matcher import ALWAYS, Match, Matcher, Regex, ToolName
from sandhook.hooks.model import Executor, HookSpec
from sandhook.pattern.errors import PatternError
from sandhook.record import Record


def layers(cwd: str, env: Mapping[str, str], platform: str) -> Sequence[Layer]:
    """Return the project's file of agents; other files are named by whoever starts an agent."""
    return [Layer("project", f"{cwd}/{name}") for name in ("cagent.yaml", "docker-agent.yaml", "agent.yaml")]


def load(documents: Sequence[Document], options: LoadOptions) -> Loaded:
    """Read configurations; every fault is in the result, with its path."""
    return gather(documents, EVENTS, _document, top="agents")


class Agent(Record):
    """Matches what its part matches, when the event is of its agent or names no agent."""

    name: str
    part: Matcher

    def check(self, event: Event) -> Match:
        if event.agent_id is not None and event.agent_id != self.name:
            return Match(False, f"the hook is of the agent {self.name}")
        return self.part.check(event)


def _document(fields: Fields, value: JsonObject) -> Iterator[HookSpec]:
    agents = fields.get(value, "agents", dict, "") or {}
    for name in agents:
        path = join("agents", name)
        agent = fields.get(agents, name, dict, "agents") or {}
        report_misspelt(fields, agent, "hooks", path)
        hooks = fields.get(agent, "hooks", dict, path) or {}
        for event in hooks:
            where = f"{path}.hooks"
            if event not in EVENTS:
                hint = did_you_mean(event, EVENTS)
                fields.note(
                    join(where, event), f"is not an event that is known here: its hooks never run{hint}"
                )
            for handler in entries(fields, hooks, event, where, noun="a mapping"):
                if event in EVENTS:
                    yield from _entry(fields, handler, name)


def _entry(fields: Fields, handler: Handler, agent: str) -> Iterator[HookSpec]:
    raw, path = handler.raw, handler.path
    if handler.event not in GROUPED:
        yield from _hook(fields, handler, Agent(agent, ALWAYS))
        return
    before = len(fields.problems)
    matcher = _matcher(fields, raw, path)
    good = len(fields.problems) == before
    fields.unknown(raw, ("matcher", "hooks"), path)
    if "hooks" not in raw:
        fields.problem(path, "hooks is required")
    for inner in entries(fields, raw, "hooks", path, noun="a mapping"):
        group = inner._replace(event=handler.event, matcher=raw.get("matcher"))
        for spec in _hook(fields, group, Agent(agent, matcher)):
            if good:
                yield spec


def _hook(fields: Fields, handler: Handler, matcher: Agent) -> Iterator[HookSpec]:
    raw, path = handler.raw, handler.path
    before = len(fields.problems)
    fields.unknown(raw, FIELDS, path)
    check_type(fields, raw, path)
    command = shell_text(fields, raw, path)
    timeout = seconds(fields, raw, "timeout", path, default=DEFAULT_TIMEOUT)
    name = fields.get(raw, "name", str, path)
    if len(fields.problems) == before:
        yield hook_spec(
            fields,
            handler,
            EVENTS[handler.event],
            Executor("bash", command),
            matcher=matcher,
            timeout=timeout,
            description=name,
            source=matcher.name,
            entry={**raw, "matcher": handler.matcher},
        )


def _matcher(fields: Fields, raw: JsonObject, path: str) -> Matcher:
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
    """Return the agents of a file, "root" for hooks of other contracts, and a line for each thing that it cannot express."""
    lost: list[str] = []
    agents: dict[str, dict[str, list[Json]]] = {}
    for spec in specs:
        agent = spec.matcher.name if isinstance(spec.matcher, Agent) else "root"
        part = spec.matcher.part if isinstance(spec.matcher, Agent) else spec.matcher
        for native, pattern, fields in converted([spec._replace(matcher=part)], TARGET, lost):
            hooks = agents.setdefault(agent, {}).setdefault(native, [])
            entry: JsonObject = {"type": "command", **fields}
            if native not in GROUPED:
                hooks.append(entry)
                continue
            group: JsonObject = {"matcher": whole_name(pattern)} if pattern else {}
            hooks.append({**group, "hooks": [entry]})
    return {"agents": {agent: {"hooks": hooks} for agent, hooks in agents.items()}}, tuple(lost)


def _event_schema(name: str) -> Json:
    return {"type": "array", "items": {"$ref": f"#/$defs/{'group' if name in GROUPED else 'hook'}"}}


SCHEMA = schema(
    "Hooks of a Docker Agent file",
    {
        "agents": {
            "type": "object",
            "additionalProperties": {
                "type": "object",
                "properties": {
                    "hooks": {"type": "object", "properties": {name: _event_schema(name) for name in EVENTS}}
                },
            },
        }
    },
    {
        "group": group_of("RE2 over all of the tool's name."),
        "hook": hook_of(
            {
                "type": {"const": "command"},
                "command": SHELL_SOURCE,
                "timeout": {"type": "number", "default": DEFAULT_TIMEOUT, "description": "Seconds."},
            },
            "type",
            "command",
        ),
    },
)
