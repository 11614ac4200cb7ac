"""Cursor's hooks.json: a version, and a flat list of hooks per event."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial

from sandhook.hooks.contracts import Document, Layer, Loaded, LoadOptions
from sandhook.hooks.contracts._claude_shape import Value
from sandhook.hooks.contracts._convert import Target, flat
from sandhook.hooks.contracts._fields import Fields, did_you_mean
from sandhook.hooks.contracts._groups import Handler
from sandhook.hooks.contracts._loader import (
    SHELL_SOURCE,
    entries,
    foreign_hook,
    gather,
    home,
    hook_spec,
    lists_of,
    schema,
    seconds,
    shell_text,
)
from sandhook.hooks.contracts._payload import look
from sandhook.hooks.contracts.cursor.names import (
    DEFAULT_TIMEOUT,
    EVENTS,
    FIELDS,
    GATES,
    KINDS,
    LOOP_LIMIT,
    PLACES,
    ROWS,
)
from sandhook.hooks.event import Event, Json, JsonObject
from sandhook.hooks.flavour import compile_search
from sandhook.hooks.matcher import ALWAYS, Match, Matcher, Regex, ToolName, as_text
from sandhook.hooks.model import Executor, HookSpec, OnError
from sandhook.pattern.errors import PatternError, UnsupportedError
from sandhook.record import Record


def layers(cwd: str, env: Mapping[str, str], platform: str) -> Sequence[Layer]:
    """Return Cursor's files, weakest first: the organisation's, the user's, the project's."""
    managed = {
        "win32": "C:/ProgramData/Cursor/hooks.json",
        "darwin": "/Library/Application Support/Cursor/hooks.json",
    }.get(platform, "/etc/cursor/hooks.json")
    return [
        Layer("managed", managed),
        Layer("user", f"{home(env, platform)}/.cursor/hooks.json"),
        Layer("project", f"{cwd}/.cursor/hooks.json"),
    ]


def load(documents: Sequence[Document], options: LoadOptions) -> Loaded:
    """Read configurations, weakest layer first; every fault is in the result, with its path."""
    return gather(documents, EVENTS, partial(_document, strict=options.strict))


def _document(fields: Fields, value: JsonObject, *, strict: bool) -> Iterator[HookSpec]:
    version = fields.get(value, "version", int, "")
    if version != 1 and ("version" not in value or version is not None):
        wanted = "is missing" if version is None else f"is {version}"
        fields.problem("version", f"{wanted}; wanted 1")
    hooks = fields.get(value, "hooks", dict, "") or {}
    unknown = [name for name in hooks if name not in EVENTS]
    for name in unknown:
        hint = did_you_mean(name, EVENTS)
        fields.problem(
            f"hooks.{name}", f"is not an event of Cursor, which may drop the whole file for it{hint}"
        )
    if unknown and strict:
        return
    for name in hooks:
        for handler in entries(fields, hooks, name, "hooks"):
            before = len(fields.problems)
            spec = _hook(fields, handler) if name in EVENTS else None
            if spec is not None and len(fields.problems) == before:
                yield spec


def _hook(fields: Fields, handler: Handler) -> HookSpec | None:
    raw, path, name = handler.raw, handler.path, handler.event
    fields.unknown(raw, FIELDS, path)
    type_ = fields.get(raw, "type", str, path) or "command"
    closed = fields.get(raw, "failClosed", bool, path)
    if closed and name not in GATES:
        fields.note(f"{path}.failClosed", f"has no meaning on {name}: there is nothing to refuse")
    limit = fields.get(raw, "loop_limit", int, path)
    matcher = _Of(name, _matcher(fields, handler))
    on_error: OnError = "block" if closed and name in GATES else "warn"
    extras: JsonObject = {"loop_limit": limit if "loop_limit" in raw else LOOP_LIMIT}
    if type_ == "prompt":
        return foreign_hook(
            fields, handler, EVENTS[name], type_, matcher=matcher, on_error=on_error, extras=extras
        )
    if type_ != "command":
        fields.problem(f"{path}.type", f"unknown type {type_!r}; known are command, prompt")
    command = shell_text(fields, raw, path, required=True)
    return hook_spec(
        fields,
        handler,
        EVENTS[name],
        Executor("bash", command),
        matcher=matcher,
        timeout=seconds(fields, raw, "timeout", path, default=DEFAULT_TIMEOUT),
        on_error=on_error,
        entry=raw,
        extras=extras,
    )


class _Of(Record):
    """Matches events of one native name. An event without a native name matches all that it can be.

    A call of Shell is beforeShellExecution and preToolUse, so a host that fires the neutral event runs
    the hooks of both.
    """

    name: str
    part: Matcher

    def check(self, event: Event) -> Match:
        native = (event.extras or {}).get("hook_event_name")
        if isinstance(native, str) and native in EVENTS:
            if native != self.name:
                return Match(False, f"the event is {native}")
        elif event.tool is not None and self.name in KINDS and not _is(self.name, event.tool.name):
            return Match(False, f"{self.name} is not about {event.tool.name}")
        return self.part.check(event)


def _is(name: str, tool: str) -> bool:
    wanted = KINDS[name][0]
    if wanted:
        return tool == wanted
    return tool.startswith(("MCP:", "mcp_"))


def _matcher(fields: Fields, handler: Handler) -> Matcher:
    path = handler.path
    pattern, key = fields.get(handler.raw, "matcher", str, path), ROWS[handler.event].matched
    if pattern in (None, "", "*"):
        return ALWAYS
    if not key:
        fields.note(f"{path}.matcher", f"has no meaning on {handler.event}: all match")
        return ALWAYS
    try:
        test = Regex(pattern, "js", compile_search(pattern, "js"))
    except UnsupportedError as error:
        fields.note(f"{path}.matcher", f"{error}: all match")
        return ALWAYS
    except PatternError as error:
        fields.problem(f"{path}.matcher", f"does not compile: {error}")
        return ALWAYS
    if key == "tool_name":
        return ToolName(test)
    place = PLACES.get(key, f"extra.{key}")

    def value(event: Event) -> str:
        arguments = event.tool.input if event.tool is not None else None
        if isinstance(arguments, dict) and key in arguments:
            return as_text(arguments[key])
        return as_text(look(event, place))

    return Value(key, value, test)


def tool_name(matcher: Matcher) -> Matcher:
    """Return a matcher without its test of the event's own name."""
    return matcher.part if isinstance(matcher, _Of) else matcher


TARGET = Target(
    "Cursor",
    EVENTS,
    default=DEFAULT_TIMEOUT,
    whole=False,
    closes="failClosed",
    matched=tuple(name for name, row in ROWS.items() if row.matched == "tool_name"),
)


def render(specs: Sequence[HookSpec]) -> tuple[Json, tuple[str, ...]]:
    """Return a hooks.json, and a line for each thing that it cannot express."""
    hooks, lost = flat([spec._replace(matcher=tool_name(spec.matcher)) for spec in specs], TARGET)
    return {"version": 1, "hooks": hooks}, lost


SCHEMA = schema(
    "Cursor's hooks.json",
    {"version": {"const": 1}, "hooks": lists_of("hook", EVENTS, additionalProperties=False)},
    {
        "hook": {
            "type": "object",
            "properties": {
                "type": {"enum": ["command", "prompt"], "default": "command"},
                "command": SHELL_SOURCE,
                "matcher": {"type": "string", "description": "A regular expression."},
                "timeout": {"type": "number", "description": "Seconds."},
                "failClosed": {"type": "boolean", "default": False, "description": "A failure refuses."},
                "loop_limit": {"type": ["integer", "null"], "default": LOOP_LIMIT},
            },
        }
    },
    required=["version", "hooks"],
)
