"""Grok Build's files: every JSON file of a directory of hooks, and Claude Code's settings."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence

from sandhook.hooks.contracts import Document, Layer, Loaded, LoadOptions
from sandhook.hooks.contracts._convert import Target, grouped
from sandhook.hooks.contracts._fields import Fields
from sandhook.hooks.contracts._groups import Handler, did_you_mean, handlers
from sandhook.hooks.contracts._loader import (
    gather,
    gather_faultless,
    home,
    hook_spec,
    lists_of,
    matcher_on,
    schema,
    seconds,
    shell_text,
)
from sandhook.hooks.contracts.grok.names import (
    ALIASES,
    DEFAULT_TIMEOUT,
    EVENTS,
    FIELDS,
    ROWS,
    VARIABLES,
)
from sandhook.hooks.decode import texts_of, type_name
from sandhook.hooks.event import Json, JsonObject
from sandhook.hooks.flavour import compile_search
from sandhook.hooks.matcher import ALWAYS, Matcher, Never, Regex, ToolName
from sandhook.hooks.model import Executor, HookSpec
from sandhook.pattern.errors import PatternError
from sandhook.text.quoting import quote_word


def layers(cwd: str, env: Mapping[str, str], platform: str) -> Sequence[Layer]:
    """Return the files and directories of files, the user's first."""
    own = home(env, platform)
    return [
        Layer("user", f"{own}/.grok/hooks/*.json"),
        Layer("user", f"{own}/.claude/settings.json", "read"),
        Layer("project", f"{cwd}/.grok/hooks/*.json"),
        Layer("project", f"{cwd}/.claude/settings.json", "read"),
    ]


def load(documents: Sequence[Document], options: LoadOptions) -> Loaded:
    """Read configurations, the user's first; every fault is in the result, with its path."""
    strict = options.compat == "strict"

    def read(fields: Fields, value: JsonObject) -> Iterator[HookSpec]:
        return _document(fields, value, options)

    if not strict:
        return gather(documents, EVENTS, read)
    loaded = gather_faultless(documents, EVENTS, read, "Grok Build does not load the file")
    unset = [(spec, _unset_in(spec.executor, options)) for spec in loaded.specs]
    withheld = [
        (spec, f"its command has a variable that is not set: ${name}") for spec, name in unset if name
    ]
    kept = tuple(spec for spec, name in unset if not name)
    return loaded._replace(specs=kept, withheld=tuple(withheld))


def _document(fields: Fields, value: JsonObject, options: LoadOptions) -> Iterator[HookSpec]:
    hooks = fields.get(value, "hooks", dict, "") or {}
    for name in hooks:
        if name not in EVENTS:
            hint = did_you_mean(name, EVENTS)
            fields.note(f"hooks.{name}", f"is not an event of Grok Build: its hooks never run{hint}")
    known = {name: each for name, each in hooks.items() if name in EVENTS}
    matchers: dict[str, Matcher] = {}
    for handler in handlers(fields, known):
        before = len(fields.problems)
        if handler.group_path not in matchers:
            matchers[handler.group_path] = _matcher(fields, handler, strict=options.compat == "strict")
        spec = _hook(fields, handler, matchers[handler.group_path], options)
        if spec is not None and len(fields.problems) == before:
            yield spec


def _hook(fields: Fields, handler: Handler, matcher: Matcher, options: LoadOptions) -> HookSpec | None:
    raw, path = handler.raw, handler.path
    fields.unknown(raw, FIELDS, path)
    type_ = fields.get(raw, "type", str, path)
    if type_ == "http":
        fields.note(f"{path}.type", "hooks of the type http need the host: it does not run")
        return None
    if type_ != "command":
        what = f"unknown type {type_!r}; known are command, http" if type_ else "type is required"
        fields.problem(f"{path}.type", what)
    command = shell_text(fields, raw, path)
    variables = fields.get(raw, "env", dict, path) or {}
    for key, value in variables.items():
        if not isinstance(value, str):
            fields.problem(f"{path}.env.{key}", f"wanted a string, got {type_name(value)}")
        elif key in VARIABLES:
            fields.note(f"{path}.env.{key}", "has no effect: Grok Build sets this variable")
    own = tuple((key, text) for key, text in texts_of(raw, "env").items() if key not in VARIABLES)
    executor = Executor("bash", _located(command, fields.document.name), env=own)
    if unset := _unset_in(executor, options):
        fields.note(
            f"{path}.command",
            f"${unset} is not set in the agent: Grok Build expands variables before the shell does, and does not run"
            " such a command; write a script and name it",
        )
    return hook_spec(
        fields,
        handler,
        EVENTS[handler.event],
        executor,
        matcher=matcher,
        timeout=seconds(fields, raw, "timeout", path, default=DEFAULT_TIMEOUT),
        entry={**raw, "matcher": handler.matcher},
    )._replace(variant=handler.matcher)


_SHELL = frozenset(" \t\n|&;><$")
_VARIABLE = re.compile(r"\$\{?([A-Za-z_]\w*)")


def _unset_in(executor: Executor, options: LoadOptions) -> str | None:
    """Return the first variable of a command that the agent does not have, or None."""
    known = {*VARIABLES, *(name for name, _ in executor.env), *options.env}
    return next((name for name in _VARIABLE.findall(executor.text) if name not in known), None)


def _located(command: str, file: str) -> str:
    """Return the shell text of a command; one word without special characters is a path next to its file."""
    where = posixpath.dirname(file.replace("\\", "/"))
    if not command or _SHELL & set(command) or command.startswith(("~", "/")) or not where:
        return command
    return quote_word(posixpath.normpath(posixpath.join(where, command)))


def _matcher(fields: Fields, handler: Handler, *, strict: bool) -> Matcher:
    path, pattern, key = f"{handler.group_path}.matcher", handler.matcher, ROWS[handler.event].matched
    if pattern in ("", "*"):
        return ALWAYS
    if not key:
        fields.note(path, f"has no meaning on {handler.event}: all match")
        return ALWAYS
    try:
        test = Regex(pattern, "rust", compile_search(pattern, "rust"))
    except PatternError as error:
        fields.note(path, f"does not compile ({error}): it never matches in Grok Build")
        return Never("the matcher does not compile") if strict else ALWAYS
    return ToolName(test, ALIASES) if key == "toolName" else matcher_on(key, test)


TARGET = Target(
    "Grok Build",
    EVENTS,
    default=DEFAULT_TIMEOUT,
    env="env",
    matched=tuple(name for name, row in ROWS.items() if row.matched),
)


def render(specs: Sequence[HookSpec]) -> tuple[Json, tuple[str, ...]]:
    """Return a file for .grok/hooks, and a line for each thing that it cannot express."""
    return grouped(specs, TARGET)


SCHEMA = schema(
    "Hooks of Grok Build",
    {"hooks": lists_of("group", EVENTS)},
    {
        "group": {
            "type": "object",
            "required": ["hooks"],
            "properties": {
                "matcher": {
                    "type": "string",
                    "description": "Rust's regular expression on the tool's name, without lookaround.",
                },
                "hooks": {"type": "array", "items": {"$ref": "#/$defs/hook"}},
            },
        },
        "hook": {
            "type": "object",
            "required": ["type"],
            "properties": {
                "type": {"enum": ["command", "http"]},
                "command": {
                    "type": "string",
                    "minLength": 1,
                    "description": "Shell source, or a path next to the file.",
                },
                "url": {"type": "string"},
                "timeout": {"type": "integer", "default": DEFAULT_TIMEOUT, "description": "Seconds."},
                "env": {"type": "object", "additionalProperties": {"type": "string"}},
            },
        },
    },
    required=["hooks"],
)
