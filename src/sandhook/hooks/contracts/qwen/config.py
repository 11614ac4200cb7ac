"""Qwen Code's settings.json: the project's hooks come first, then the user's, the system's, extensions'."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping, Sequence
from functools import partial

from sandhook.hooks.contracts import Document, Layer, Loaded, LoadOptions, may_override, needs_trust
from sandhook.hooks.contracts._convert import Target, grouped
from sandhook.hooks.contracts._fields import Fields, did_you_mean, join
from sandhook.hooks.contracts._forbidden import forbidden
from sandhook.hooks.contracts._groups import Handler, handlers, without_unusable
from sandhook.hooks.contracts._loader import (
    SHELL_SOURCE,
    gather,
    group_of,
    groups_schema,
    home,
    hook_of,
    hook_spec,
    no_effect,
    shell_text,
    timer,
)
from sandhook.hooks.contracts.qwen import http
from sandhook.hooks.contracts.qwen.matcher import matcher_of
from sandhook.hooks.contracts.qwen.names import (
    DEFAULT_TIMEOUT,
    EVENTS,
    FIELDS,
    LEGACY,
    OTHER_TYPES,
    ROWS,
    SECRETS,
    SETTINGS,
)
from sandhook.hooks.decode import object_of, text_of, texts_of, type_name
from sandhook.hooks.diagnostic import Diagnostic
from sandhook.hooks.event import Json, JsonObject
from sandhook.hooks.matcher import ALWAYS, Matcher
from sandhook.hooks.model import Executor, HookSpec
from sandhook.pattern.errors import PatternError, UnsupportedError
from sandhook.text.quoting import quote_word

_DEFAULTS = "system-defaults.json"
_TYPES = ("command", "http", *OTHER_TYPES)


def layers(cwd: str, env: Mapping[str, str], platform: str) -> Sequence[Layer]:
    """Return the settings that Qwen Code reads, in the reverse order of their hooks."""
    system = env.get("QWEN_CODE_SYSTEM_SETTINGS_PATH") or {
        "win32": "C:/ProgramData/qwen-code/settings.json",
        "darwin": "/Library/Application Support/QwenCode/settings.json",
    }.get(platform, "/etc/qwen-code/settings.json")
    defaults = env.get("QWEN_CODE_SYSTEM_DEFAULTS_PATH") or posixpath.join(
        posixpath.dirname(system.replace("\\", "/")), _DEFAULTS
    )
    own = env.get("QWEN_HOME") or f"{home(env, platform)}/.qwen"
    return [
        Layer("managed", system),
        Layer("managed", defaults),
        Layer("user", f"{own}/settings.json"),
        Layer("project", f"{cwd}/.qwen/settings.json"),
    ]


def load(documents: Sequence[Document], options: LoadOptions) -> Loaded:
    """Read configurations; hooks of the strongest layer run first."""
    strict = options.compat == "strict"
    matched = [name for name, row in ROWS.items() if row.matched]
    read = partial(_document, options=options)
    loaded = without_unusable(
        gather(tuple(reversed(documents)), EVENTS, read), documents, matched, "Qwen Code", strict=strict
    )
    ranked = sorted(documents, key=_precedence, reverse=True)
    switches = [each for each in ranked if _switch(each) is not None]
    kept: list[HookSpec] = []
    withheld: list[tuple[HookSpec, str]] = []
    notes: dict[str, None] = {}
    for spec in loaded.specs:
        effective = [each for each in switches if strict or may_override(each.layer, spec.layer)]
        if effective and _switch(effective[0]) and _switch(switches[0]):
            withheld.append((spec, "hooks are switched off (disableAllHooks)"))
            continue
        if spec.executor.type == "http" and (why := http.obstacle(spec, ranked, options.env, strict=strict)):
            if strict:
                withheld.append((spec, why))
                continue
            spec = forbidden(spec, why)
            notes[Diagnostic(f"{why}: the hook could not run", spec.path, spec.file)] = None
        kept.append(spec)
        for document in switches:
            if document not in effective and _switch(document):
                notes[Diagnostic(no_effect(document, spec), "disableAllHooks", document.name)] = None
    return loaded._replace(
        specs=tuple(kept), withheld=tuple(withheld), diagnostics=(*loaded.diagnostics, *notes)
    )


def _switch(document: Document) -> bool | None:
    value = document.value
    switch = value.get("disableAllHooks") if isinstance(value, dict) else None
    return switch if isinstance(switch, bool) else None


def _precedence(document: Document) -> int:
    """Return the rank of a file among settings: the system's defaults, the user, the project, the system."""
    if document.layer == "managed":
        return 0 if document.name.endswith(_DEFAULTS) else 3
    return 2 if needs_trust(document.layer) else 1


def _document(fields: Fields, value: JsonObject, *, options: LoadOptions) -> Iterator[HookSpec]:
    hooks = fields.get(value, "hooks", dict, "") or {}
    fields.get(value, "disableAllHooks", bool, "")
    fields.strings(object_of(value, "security"), "allowedHttpHookUrls", "security")
    for name in hooks:
        if name in SETTINGS:
            fields.note(join("hooks", name), "has no effect in Qwen Code: use disableAllHooks")
        elif name not in EVENTS:
            hint = did_you_mean(name, EVENTS)
            fields.note(join("hooks", name), f"is not an event of Qwen Code: its hooks never run{hint}")
    known = {name: each for name, each in hooks.items() if name in EVENTS}
    matchers: dict[str, Matcher | None] = {}
    for handler in handlers(fields, known):
        before = len(fields.problems)
        if handler.group_path not in matchers:
            matchers[handler.group_path] = _matcher(fields, handler)
            fields.lenient(handler.group, "sequential", bool, handler.group_path)
        matcher = matchers[handler.group_path]
        spec = _hook(fields, handler, matcher or ALWAYS, options)
        if spec is not None and matcher is not None and len(fields.problems) == before:
            yield spec


def _hook(fields: Fields, handler: Handler, matcher: Matcher, options: LoadOptions) -> HookSpec | None:
    raw, path = handler.raw, handler.path
    fields.unknown(raw, FIELDS, path)
    type_ = fields.get(raw, "type", str, path)
    if type_ not in _TYPES:
        known = ", ".join(_TYPES)
        fields.problem(
            f"{path}.type", f"unknown type {type_!r}; known are {known}" if type_ else "type is required"
        )
    name = fields.lenient(raw, "name", str, path)
    fields.lenient(raw, "description", str, path)
    background = fields.lenient(raw, "async", bool, path) and type_ == "command"
    allowed: tuple[str, ...] = ()
    default = DEFAULT_TIMEOUT
    if type_ == "http":
        executor, allowed = http.executor(fields, raw, path), http.variables(fields, raw, path)
        default = http.DEFAULT_TIMEOUT
    elif type_ in OTHER_TYPES:
        executor = Executor(type_, text_of(raw, "prompt") or "")
    else:
        executor = _command(fields, raw, path)
    if executor.type not in ("bash", "powershell", *options.executors):
        message = f"no executor is registered for the type {executor.type!r}: the hook cannot run here"
        fields.note(f"{path}.type", message)
    once = bool(fields.lenient(raw, "once", bool, path)) and type_ == "http"
    seconds = _timeout(fields, raw, path, default, legacy=type_ == "command")
    spec = hook_spec(
        fields,
        handler,
        EVENTS[handler.event],
        executor,
        matcher=matcher,
        timeout=timer(fields, f"{path}.timeout", seconds, strict=options.compat == "strict"),
        background=bool(background),
        description=name,
        entry={**raw, "matcher": handler.matcher, "sequential": handler.group.get("sequential")},
        extras={"sequential": handler.group.get("sequential") is True},
    )._replace(env_except=SECRETS, variant=name or "", once=once)
    return spec._replace(env_policy="allow", env_names=allowed) if type_ == "http" else spec


def _command(fields: Fields, raw: JsonObject, path: str) -> Executor:
    """Return what a hook of the type command runs; reports faults to ``fields``."""
    command = shell_text(fields, raw, path)
    if "args" in raw and not isinstance(raw["args"], list):
        fields.note(f"{path}.args", f"wanted an array, got {type_name(raw['args'])}: it is ignored")
    elif "args" in raw:
        command = " ".join(map(quote_word, (command, *(fields.strings(raw, "args", path) or ()))))
    fields.variables(raw, path)
    shell = fields.get(raw, "shell", str, path)
    return Executor(
        "powershell" if shell == "powershell" else "bash",
        command,
        env=tuple(texts_of(raw, "env").items()),
    )


def _timeout(fields: Fields, raw: JsonObject, path: str, default: float, *, legacy: bool) -> float:
    """Return the seconds of a timeout, which may be a text; one that is no number is the default.

    Args:
        legacy: Large numbers are milliseconds.
    """
    written = raw.get("timeout")
    if written is None:
        return default
    try:
        number = float(written) if isinstance(written, (str, int, float)) and written is not True else 0.0
    except (ValueError, OverflowError):
        number = 0.0
    if not 0 < number < float("inf"):
        fields.note(f"{path}.timeout", f"is not a number above zero: the hook has {default:g} seconds")
        return default
    if legacy and number >= LEGACY:
        fields.note(f"{path}.timeout", f"{number:g} is read as milliseconds: {number / 1000:g} seconds")
        return number / 1000
    return number


def _matcher(fields: Fields, handler: Handler) -> Matcher | None:
    """Return the matcher of a group, or None for an expression that does not compile."""
    path, key = f"{handler.group_path}.matcher", ROWS[handler.event].matched
    if not handler.matcher:
        return ALWAYS
    if not key:
        fields.note(path, f"has no meaning on {handler.event}: all match")
        return ALWAYS
    place = {"tool_name": "tool.name", "reason": "reason"}.get(key, f"extra.{key}")
    try:
        return matcher_of(handler.matcher, key, place)
    except UnsupportedError as error:
        fields.note(path, f"{error}: all match")
        return ALWAYS
    except PatternError as error:
        fields.problem(path, f"does not compile: {error}")
        return None


TARGET = Target(
    "Qwen Code",
    EVENTS,
    default=DEFAULT_TIMEOUT,
    whole=False,
    name="name",
    background="async",
    env="env",
    matched=tuple(name for name, row in ROWS.items() if row.matched),
)


def render(specs: Sequence[HookSpec]) -> tuple[Json, tuple[str, ...]]:
    """Return the hooks of a settings.json, and a line for each thing that it cannot express."""
    value, lost = grouped([each._replace(timeout=_writable(each.timeout)) for each in specs], TARGET)
    return value, lost


def _writable(seconds: float) -> float:
    """Return a timeout as the file has it: from LEGACY seconds up only milliseconds can express it."""
    return seconds * 1000 if seconds >= LEGACY else seconds


SCHEMA = groups_schema(
    "Hooks in Qwen Code's settings.json",
    EVENTS,
    group_of(
        "Names with bars between them, or JavaScript's RegExp on the tool's name.",
        {"sequential": {"type": "boolean", "default": False, "description": "One by one, chained."}},
    ),
    hook_of(
        {
            "type": {"enum": [*_TYPES]},
            "command": SHELL_SOURCE,
            "args": {"type": "array", "items": {"type": "string"}},
            "name": {"type": "string"},
            "description": {"type": "string"},
            "timeout": {
                "type": ["number", "string"],
                "default": DEFAULT_TIMEOUT,
                "description": "Seconds; from 1000 up milliseconds.",
            },
            "async": {"type": "boolean", "default": False},
            "env": {"type": "object", "additionalProperties": {"type": "string"}},
            "shell": {"enum": ["bash", "powershell"]},
            "statusMessage": {"type": "string"},
            "url": {"type": "string"},
            "headers": {"type": "object", "additionalProperties": {"type": "string"}},
            "allowedEnvVars": {"type": "array", "items": {"type": "string"}},
            "once": {"type": "boolean", "default": False},
        },
        "type",
    ),
    {"disableAllHooks": {"type": "boolean", "default": False}},
)
