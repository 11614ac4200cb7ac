"""Grok Build's files: every JSON file of a directory of hooks, and Claude Code's settings."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence

from sandhook.hooks.contracts import Document, Layer, Loaded, LoadOptions
from sandhook.hooks.contracts._claude_shape import NARROW, Value, text_test
from sandhook.hooks.contracts._convert import Target, grouped
from sandhook.hooks.contracts._fields import Fields, did_you_mean
from sandhook.hooks.contracts._groups import Handler, handlers
from sandhook.hooks.contracts._loader import (
    foreign_hook,
    gather_faultless,
    gather_reporting,
    group_of,
    groups_schema,
    home,
    hook_of,
    hook_spec,
    matcher_on,
    seconds,
    shell_text,
)
from sandhook.hooks.contracts._reading.serde import as_objects
from sandhook.hooks.contracts.grok.names import (
    ALIASES,
    DEFAULT_TIMEOUT,
    EVENTS,
    FIELDS,
    NAMES,
    ROWS,
    TIMEOUTS,
    VARIABLES,
)
from sandhook.hooks.contracts.grok.wire import PLACES
from sandhook.hooks.decode import texts_of, type_name
from sandhook.hooks.event import Event, Json, JsonObject
from sandhook.hooks.matcher import ALWAYS, AnyOf, Matcher, Never, ToolName
from sandhook.hooks.model import Executor, HookSpec
from sandhook.pattern.errors import PatternError, UnsupportedError
from sandhook.text.quoting import quote_word


def layers(cwd: str, env: Mapping[str, str], platform: str) -> Sequence[Layer]:
    """Return the files and directories of files: the organisation's, the user's, and the project's last."""
    own = home(env, platform)
    ours = env.get("GROK_HOME") or f"{own}/.grok"
    settings = ("settings.json", "settings.local.json")
    managed = ("requirements.toml", "managed_config.toml") if platform != "win32" else ()
    return [
        *(Layer("managed", f"/etc/grok/{name}", "read") for name in managed),
        Layer("user", f"{ours}/managed_config.toml", "read"),
        Layer("user", f"{ours}/config.toml", "read"),
        Layer("user", f"{ours}/hooks/*.json"),
        *(Layer("user", f"{own}/.claude/{name}", "read") for name in settings),
        *(Layer("project", f"{cwd}/.claude/{name}", "read") for name in settings),
        Layer("project", f"{cwd}/.grok/hooks/*.json"),
    ]


def load(documents: Sequence[Document], options: LoadOptions) -> Loaded:
    """Read configurations, the user's first; every fault is in the result, with its path."""
    strict = options.compat == "strict"

    def read(fields: Fields, value: JsonObject) -> Iterator[HookSpec]:
        return _document(fields, value, options)

    def strictly(fields: Fields, value: JsonObject) -> Iterator[HookSpec]:
        return _document(fields, value, options._replace(compat="strict"))

    why = "Grok Build does not load the file"
    if strict:
        loaded = gather_faultless(documents, EVENTS, read, why)
    else:
        loaded = gather_reporting(documents, EVENTS, read, strictly, why)
    only = next((each.name for each in documents if each.layer == "managed" and _only_managed(each)), None)
    kept: list[HookSpec] = []
    withheld: list[tuple[HookSpec, str]] = []
    for spec in loaded.specs:
        unset = _unset_in(spec.executor, options) if strict else None
        if only is not None and spec.layer != "managed":
            withheld.append((spec, f"the organisation allows its own hooks only ({only})"))
        elif unset is not None:
            withheld.append((spec, f"its command has a variable that is not set: ${unset}"))
        else:
            kept.append(spec)
    return loaded._replace(specs=tuple(kept), withheld=tuple(withheld))


def _only_managed(document: Document) -> bool:
    """Return whether a file of the organisation has the switch; upstream a value of another type sets it too."""
    value = document.value if isinstance(document.value, dict) else {}
    keys = ("allow_managed_hooks_only", "allowManagedHooksOnly")
    return any(value.get(key) not in (None, False) for key in keys)


def _document(fields: Fields, value: JsonObject, options: LoadOptions) -> Iterator[HookSpec]:
    hooks = fields.get(value, "hooks", dict, "") or {}
    for name in hooks:
        if name not in NAMES:
            hint = did_you_mean(name, EVENTS)
            fields.note(f"hooks.{name}", f"is not an event of Grok Build: its hooks never run{hint}")
    # of serde's arrays for objects, only a group's has the fields that Grok Build demands
    known = as_objects({name: each for name, each in hooks.items() if name in NAMES}, least=2, fields=fields)
    if options.compat == "strict":
        _report_upstream(fields, known)
    matchers: dict[str, Matcher] = {}
    for written in handlers(fields, known):
        handler = written._replace(event=NAMES[written.event])
        before = len(fields.problems)
        if options.compat == "strict" and not _runs(fields, handler):
            continue
        if handler.group_path not in matchers:
            matchers[handler.group_path] = _matcher(fields, handler, strict=options.compat == "strict")
        spec = _hook(fields, handler, matchers[handler.group_path], options)
        if spec is not None and len(fields.problems) == before:
            yield spec


def _report_upstream(fields: Fields, hooks: JsonObject) -> None:
    """Report what only upstream's reader refuses: a list that is null, a group without hooks."""
    for name, groups in hooks.items():
        if groups is None:
            fields.problem(f"hooks.{name}", "wanted an array, got null")
        for index, group in enumerate(groups if isinstance(groups, list) else ()):
            if isinstance(group, dict) and not isinstance(group.get("hooks"), list):
                fields.problem(f"hooks.{name}[{index}]", 'has no list "hooks"')


def _runs(fields: Fields, handler: Handler) -> bool:
    """Return whether Grok Build runs such a hook; one of another type or without a command it leaves out alone."""
    type_, command = handler.raw.get("type"), handler.raw.get("command")
    if isinstance(type_, str) and type_ not in ("command", "http"):
        fields.note(f"{handler.path}.type", f"Grok Build does not know {type_!r}, and leaves the hook out")
    elif type_ == "command" and (command is None or not str(command).strip()):
        fields.note(f"{handler.path}.command", "there is no command: Grok Build leaves the hook out")
    else:
        return True
    return False


def _hook(fields: Fields, handler: Handler, matcher: Matcher, options: LoadOptions) -> HookSpec | None:
    raw, path = handler.raw, handler.path
    fields.unknown(raw, FIELDS, path)
    type_ = fields.get(raw, "type", str, path)
    if type_ == "http":
        return foreign_hook(fields, handler, EVENTS[handler.event], type_, matcher=matcher)
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
    limit = raw.get("timeout")
    if (
        options.compat == "strict"
        and isinstance(limit, (int, float))
        and (isinstance(limit, float) or limit < 0)
    ):
        fields.problem(f"{path}.timeout", f"wanted a whole number of seconds, got {limit}")
    own = tuple((key, text) for key, text in texts_of(raw, "env").items() if key not in VARIABLES)
    if options.compat == "strict":
        command = command.replace("$$", "$")  # upstream's own expansion comes first
    default = TIMEOUTS.get(handler.event, DEFAULT_TIMEOUT)
    executor = _executor(command, fields.document.name, own, strict=options.compat == "strict")
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
        timeout=seconds(fields, raw, "timeout", path, default=default, zero_is_default=True),
        entry={**raw, "matcher": handler.matcher},
    )._replace(variant=handler.matcher)


#: Signs of a command for a shell; Grok Build does not count tabs and line ends among them.
_SHELL = frozenset(" |&;><$")
_BLANKS = frozenset("\t\n")
#: $NAME and ${NAME}; upstream leaves every other form to the shell.
_VARIABLE = re.compile(r"\$(?:([A-Za-z_]\w*)|\{([A-Za-z_]\w*)\})")
#: NAME= anywhere in a command, and the names of `read`: upstream does not look for their values.
_ASSIGNED = re.compile(r"(?<![\w$])([A-Za-z_]\w*)=")
_READ = re.compile(r"\bread\b([^;|&\n]*)")
_NAME = re.compile(r"(?<![-\w])[A-Za-z_]\w*")


def _unset_in(executor: Executor, options: LoadOptions) -> str | None:
    """Return the first variable of a command that the agent does not have, or None."""
    text = executor.text
    known = {*VARIABLES, *(name for name, _ in executor.env), *options.env, *_ASSIGNED.findall(text)}
    known.update(name for words in _READ.findall(text) for name in _NAME.findall(words))
    return next((one or other for one, other in _VARIABLE.findall(text) if (one or other) not in known), None)


def _executor(command: str, file: str, env: tuple[tuple[str, str], ...], *, strict: bool) -> Executor:
    """Return what runs a command; one word without special characters is a program, next to its file.

    Upstream starts such a program itself, so that a script needs its first line; ``strict`` alone does so.
    """
    where = posixpath.dirname(file.replace("\\", "/"))
    signs = _SHELL if strict else _SHELL | _BLANKS
    if not command or signs & set(command) or command.startswith("~") or not where:
        return Executor("bash", command, env=env)
    path = posixpath.normpath(posixpath.join(where, command))
    if strict:
        return Executor("argv", argv=(path,), env=env)
    return Executor("bash", command if command.startswith("/") else quote_word(path), env=env)


def _matcher(fields: Fields, handler: Handler, *, strict: bool) -> Matcher:
    path, pattern, key = f"{handler.group_path}.matcher", handler.matcher, ROWS[handler.event].matched
    if pattern in ("", "*"):
        return ALWAYS
    if not key:
        fields.note(path, f"has no meaning on {handler.event}: all match")
        return ALWAYS
    try:
        test = text_test(pattern, names=NARROW, separators="", flavour="rust")
    except UnsupportedError as error:
        fields.note(path, f"{error}: all match")
        return ALWAYS
    except PatternError as error:
        fields.note(path, f"does not compile ({error}): it never matches in Grok Build")
        return Never("the matcher does not compile") if strict else ALWAYS
    if test is None:
        return ALWAYS
    if key == "toolName":
        own = ToolName(test, ALIASES)
        if strict or not _of_claude(pattern):
            return own
        fields.note(path, "names with mcp__ never match in Grok Build, which calls such a tool server__tool")
        return AnyOf((own, Value("Claude Code's name of the tool", _claude_name, test)))
    return matcher_on(key, test, tool_key="toolName", place=PLACES.get(key))


def _of_claude(pattern: str) -> bool:
    return "mcp__" in pattern


def _claude_name(event: Event) -> str:
    """Return Claude Code's name of a server's tool, "" for any other."""
    name = event.tool.name if event.tool is not None else ""
    return f"mcp__{name}" if "__" in name and not name.startswith("mcp__") else ""


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


SCHEMA = groups_schema(
    "Hooks of Grok Build",
    EVENTS,
    group_of("Names of tools with | between them, or Rust's regular expression, without lookaround."),
    hook_of(
        {
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
        "type",
    ),
    required=["hooks"],
)
