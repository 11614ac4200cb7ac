"""OpenHands' hooks.json: lists of groups by event, of the project or else of the user."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from sandhook.hooks.contracts import Document, Layer, Loaded, LoadOptions
from sandhook.hooks.contracts._convert import Target, grouped
from sandhook.hooks.contracts._fields import Fields, did_you_mean
from sandhook.hooks.contracts._groups import Handler, handlers
from sandhook.hooks.contracts._loader import (
    NO_TIME,
    SHELL_SOURCE,
    foreign_hook,
    gather,
    gather_faultless,
    group_of,
    groups_schema,
    home,
    hook_of,
    hook_spec,
    seconds,
    shell_text,
    timer,
    whole_python,
)
from sandhook.hooks.contracts.openhands.names import (
    DEFAULT_TIMEOUT,
    EVENTS,
    FIELDS,
    METACHARACTERS,
    NAMES,
    REMOVED,
    ROWS,
)
from sandhook.hooks.event import Json, JsonObject
from sandhook.hooks.matcher import ALWAYS, Exact, Matcher, Never, ToolName
from sandhook.hooks.model import Executor, HookSpec
from sandhook.pattern.errors import PatternError, UnsupportedError


def layers(cwd: str, env: Mapping[str, str], platform: str) -> Sequence[Layer]:
    """Return the project's file and the user's."""
    return [
        Layer("project", f"{cwd}/.openhands/hooks.json"),
        Layer("user", f"{home(env, platform)}/.openhands/hooks.json"),
    ]


def load(documents: Sequence[Document], options: LoadOptions) -> Loaded:
    """Read configurations, the project's first; every fault is in the result, with its path."""
    strict = options.compat == "strict"

    def read(fields: Fields, value: JsonObject) -> Iterator[HookSpec]:
        return _document(fields, value, strict=strict)

    if not strict:
        return gather(documents, EVENTS, read, bare=True)
    if any(each.layer == "project" for each in documents):  # then upstream does not look for the user's
        documents = [each for each in documents if each.layer != "user"]
    return gather_faultless(documents, EVENTS, read, "OpenHands does not start with such a file", bare=True)


def _document(fields: Fields, value: JsonObject, *, strict: bool) -> Iterator[HookSpec]:
    wrapped = "hooks" in value
    hooks = (fields.get(value, "hooks", dict, "") or {}) if wrapped else value
    where = "hooks" if wrapped else ""
    named: dict[str, str] = {}
    for name in hooks:
        path = f"{where}.{name}" if where else name
        if name not in NAMES:
            hint = did_you_mean(name, (*NAMES, "hooks"))
            fields.problem(path, f"is not an event of OpenHands, which does not start with it{hint}")
        elif NAMES[name] in named:
            fields.problem(path, f"is the same event as {named[NAMES[name]]}: OpenHands does not start")
        else:
            named[NAMES[name]] = name
    known = {name: each for name, each in hooks.items() if name in NAMES}
    for written in handlers(fields, known, where):
        before = len(fields.problems)
        spec = _hook(fields, written._replace(event=NAMES[written.event]), strict=strict)
        if spec is not None and len(fields.problems) == before:
            yield spec


def _hook(fields: Fields, handler: Handler, *, strict: bool) -> HookSpec | None:
    raw, path = handler.raw, handler.path
    fields.unknown(raw, FIELDS, path)
    type_ = fields.get(raw, "type", str, path)
    if type_ in ("prompt", "agent"):
        matcher = _matcher(fields, handler, strict=strict)
        return foreign_hook(fields, handler, EVENTS[handler.event], type_, matcher=matcher)
    if type_ not in ("command", None):
        fields.problem(f"{path}.type", f"wanted command, prompt or agent, got {type_!r}")
    background = fields.get(raw, "async", bool, path) or raw.get("async_") is True
    if background and handler.event == "PreToolUse":
        fields.note(f"{path}.async", "a hook in the background cannot refuse a call")
    return hook_spec(
        fields,
        handler,
        EVENTS[handler.event],
        Executor("bash", shell_text(fields, raw, path)),
        matcher=_matcher(fields, handler, strict=strict),
        timeout=_timeout(fields, raw, path, strict=strict),
        background=background,
        env_except=REMOVED,
        entry={**raw, "matcher": handler.matcher},
    )


def _timeout(fields: Fields, raw: JsonObject, path: str, *, strict: bool) -> float:
    """Return the seconds of a hook; upstream reads a text of digits and true as numbers, and gives no time below 1."""
    written, where = raw.get("timeout"), f"{path}.timeout"
    if strict and isinstance(written, int):  # or a boolean
        return timer(fields, where, float(written), strict=True) if written > 0 else NO_TIME
    if isinstance(written, str) and written.strip().isdigit():
        return float(written) or DEFAULT_TIMEOUT
    if isinstance(written, float) and not written.is_integer():
        fields.problem(where, f"wanted a whole number of seconds, got {written:g}")
    limit = seconds(fields, raw, "timeout", path, default=DEFAULT_TIMEOUT)
    return timer(fields, where, limit, strict=strict)


def _matcher(fields: Fields, handler: Handler, *, strict: bool) -> Matcher:
    path, pattern = f"{handler.group_path}.matcher", handler.matcher
    if pattern in ("", "*"):
        return ALWAYS
    if not ROWS[handler.event].matched:
        fields.note(path, f"has no tool to look at on {handler.event}: OpenHands never runs the hook")
        return Never("the event has no tool") if strict else ALWAYS
    inner = pattern[1:-1] if len(pattern) > 2 and pattern[0] == pattern[-1] == "/" else ""
    if not inner and not METACHARACTERS & set(pattern):
        return ToolName(Exact(pattern))
    try:
        return whole_python(inner or pattern)
    except UnsupportedError as error:
        fields.note(path, f"{error}: every tool matches")
        return ALWAYS
    except PatternError as error:
        meaning = "nothing" if inner else "a name"
        fields.note(path, f"does not compile ({error}): in OpenHands it means {meaning}")
        if not strict:
            return ALWAYS
        return Never("the matcher does not compile") if inner else ToolName(Exact(pattern))


TARGET = Target(
    "OpenHands",
    EVENTS,
    default=DEFAULT_TIMEOUT,
    matched=("PreToolUse", "PostToolUse"),
)


def render(specs: Sequence[HookSpec]) -> tuple[Json, tuple[str, ...]]:
    """Return a hooks.json, and a line for each thing that it cannot express."""
    return grouped(specs, TARGET)


SCHEMA = groups_schema(
    "OpenHands' hooks.json",
    NAMES,
    group_of("A name, or an expression over the whole name of the tool.", required=False, default="*"),
    hook_of(
        {
            "type": {"enum": ["command", "prompt", "agent"], "default": "command"},
            "command": SHELL_SOURCE,
            "timeout": {"type": "integer", "default": DEFAULT_TIMEOUT, "description": "Seconds."},
            "async": {"type": "boolean", "default": False},
        },
        "command",
    ),
)
