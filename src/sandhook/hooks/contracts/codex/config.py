"""Codex's hooks.json and the ``hooks`` of its TOML files: all layers together, in their order."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial

from sandhook.errors import Problem
from sandhook.hooks.contracts import Document, Layer, Loaded, LoadOptions
from sandhook.hooks.contracts._agent import SNAKE
from sandhook.hooks.contracts._claude_shape import NARROW, text_test
from sandhook.hooks.contracts._convert import Target, grouped
from sandhook.hooks.contracts._fields import Fields, did_you_mean
from sandhook.hooks.contracts._groups import Handler, handlers
from sandhook.hooks.contracts._loader import (
    SHELL_SOURCE,
    gather,
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
from sandhook.hooks.contracts.codex import mcp_tool
from sandhook.hooks.contracts.codex.approval import without_disabled
from sandhook.hooks.contracts.codex.names import (
    ABSENT,
    ALIASES,
    DEFAULT_TIMEOUT,
    EVENTS,
    FIELDS,
    HOOK_ARRAY,
    LAST_TIMEOUT,
    MCP_FIELDS,
    MIN_TIMEOUT,
    OTHER_TYPES,
    ROWS,
    SETTINGS,
    TYPES,
)
from sandhook.hooks.decode import text_of
from sandhook.hooks.diagnostic import Diagnostic
from sandhook.hooks.event import Json, JsonObject
from sandhook.hooks.matcher import ALWAYS, Matcher, ToolName
from sandhook.hooks.model import Executor, HookSpec
from sandhook.lazy import lazily
from sandhook.pattern.errors import PatternError, UnsupportedError


def layers(cwd: str, env: Mapping[str, str], platform: str) -> Sequence[Layer]:
    """Return Codex's files, weakest first."""
    own = env.get("CODEX_HOME") or f"{home(env, platform)}/.codex"
    managed = ("requirements.toml", "config.toml", "hooks.json")
    files = [] if platform == "win32" else [Layer("managed", f"/etc/codex/{name}") for name in managed]
    files += [Layer("user", f"{own}/config.toml", "wrap"), Layer("user", f"{own}/hooks.json")]
    return [
        *files,
        Layer("project", f"{cwd}/.codex/config.toml", "wrap"),
        Layer("project", f"{cwd}/.codex/hooks.json"),
    ]


def load(documents: Sequence[Document], options: LoadOptions) -> Loaded:
    """Read configurations, weakest layer first; every fault is in the result, with its path."""
    read = partial(_document, options=options)
    from sandhook.hooks.contracts.codex.whole_file import fault_of

    faults = [(document, fault_of(document)) for document in documents]
    if not options.strict:
        loaded = without_disabled(gather(documents, EVENTS, read), documents, strict=False)
        notes = [
            Diagnostic(f"Codex drops the file: {why}", "", each.name)
            for each, why in faults
            if why and isinstance(each.value, dict) and each.value.get("hooks")
        ]
        return loaded._replace(diagnostics=(*loaded.diagnostics, *notes)) if notes else loaded
    whole = [document for document, fault in faults if fault is None]
    loaded = without_disabled(gather(whole, EVENTS, read), whole, strict=True)
    dropped = [Problem("", f"Codex drops the file: {why}", file=each.name) for each, why in faults if why]
    return loaded._replace(problems=(*loaded.problems, *dropped))


def _document(fields: Fields, value: JsonObject, options: LoadOptions) -> Iterator[HookSpec]:
    hooks = as_objects(fields.get(value, "hooks", dict, "") or {}, hook=HOOK_ARRAY, fields=fields)
    known = {name: each for name, each in hooks.items() if name in EVENTS}
    for name in hooks:
        if name not in EVENTS and name not in SETTINGS:
            hint = did_you_mean(name, EVENTS)
            fields.note(f"hooks.{name}", f"is not an event of Codex: its hooks never run{hint}")
    matchers: dict[str, Matcher | None] = {}
    for handler in handlers(fields, known):
        before = len(fields.problems)
        if handler.group_path not in matchers:
            matchers[handler.group_path] = _matcher(fields, handler)
        matcher = matchers[handler.group_path]
        spec = _hook(fields, handler, matcher or ALWAYS, options)
        if spec is not None and matcher is not None and len(fields.problems) == before:
            yield spec


def _hook(fields: Fields, handler: Handler, matcher: Matcher, options: LoadOptions) -> HookSpec | None:
    raw, path, name = handler.raw, handler.path, handler.event
    type_ = fields.get(raw, "type", str, path)
    fields.unknown(raw, MCP_FIELDS if type_ == "mcp_tool" else FIELDS, path)
    if type_ is None and "type" not in raw:
        fields.problem(path, "type is required")
    if type_ in OTHER_TYPES:
        fields.note(f"{path}.type", f"hooks of the type {type_} are skipped")
        return None
    if type_ not in (None, *TYPES):
        known = ", ".join((*TYPES, *OTHER_TYPES))
        fields.problem(f"{path}.type", f"unknown type {type_!r}; known are {known}")
    for key in ("commandWindows", "command_windows", "statusMessage"):
        fields.get(raw, key, str, path)
    timeout = MIN_TIMEOUT
    if raw.get("timeout") != 0:  # Codex accepts zero, and waits the shortest time
        default = MIN_TIMEOUT if name == "SessionEnd" else DEFAULT_TIMEOUT
        timeout = max(seconds(fields, raw, "timeout", path, default=default), MIN_TIMEOUT)
    env = _plugin(fields.document)
    if type_ == "mcp_tool":
        executor, background = mcp_tool.executor(fields, raw, path), False
        if "mcp_tool" not in options.executors:
            fields.note(path, "no executor is registered for the type 'mcp_tool': the hook cannot run here")
    else:
        executor, background = _command(fields, raw, path, env), bool(fields.get(raw, "async", bool, path))
    if background and name in ("PreToolUse", "PermissionRequest", "UserPromptSubmit", "Stop", "SubagentStop"):
        fields.note(f"{path}.async", f"what the hook decides on {name} comes too late to count")
    return hook_spec(
        fields,
        handler,
        EVENTS[name],
        executor,
        matcher=matcher,
        timeout=min(timeout, LAST_TIMEOUT) if name in ("SessionEnd", "Interrupt") else timeout,
        background=background,
        description=text_of(raw, "statusMessage"),
        entry={**raw, "matcher": handler.matcher},
        extras={"matcher": handler.group.get("matcher")},
    )


def _command(fields: Fields, raw: JsonObject, path: str, env: tuple[tuple[str, str], ...]) -> Executor:
    """Return the shell text of a hook, with the directories of its plugin."""
    command = shell_text(fields, raw, path)
    for key, place in env:
        command = command.replace(f"${{{key}}}", place)
    return Executor("bash", command, env=env)


#: Where Codex installs a plugin.
_INSTALLED = lazily(r"(.+)/plugins/cache/([^/]+)/([^/]+)/[^/]+")


def _plugin(document: Document) -> tuple[tuple[str, str], ...]:
    """Return the variables of a plugin's hooks: its directory, and that of its data if Codex installed it."""
    place, _, name = document.name.replace("\\", "/").rpartition("/hooks/")
    if document.layer != "bundle" or name != "hooks.json" or not place:
        return ()
    root = (("PLUGIN_ROOT", place), ("CLAUDE_PLUGIN_ROOT", place))
    installed = _INSTALLED.fullmatch(place)
    if installed is None:
        return root
    data = f"{installed[1]}/plugins/data/{installed[3]}-{installed[2]}"
    return (*root, ("PLUGIN_DATA", data), ("CLAUDE_PLUGIN_DATA", data))


def _matcher(fields: Fields, handler: Handler) -> Matcher | None:
    """Return a group's matcher; None, and a problem, when it does not compile: the group is dropped."""
    pattern, row = handler.matcher, ROWS[handler.event]
    if pattern in ("", "*"):
        return ALWAYS
    if not row.matched:
        fields.note(f"{handler.group_path}.matcher", f"has no meaning on {handler.event}: all match")
        return ALWAYS
    try:
        test = text_test(pattern, names=NARROW, separators="", flavour="rust")
    except UnsupportedError as error:
        fields.note(f"{handler.group_path}.matcher", f"{error}: all match")
        return ALWAYS
    except PatternError as error:
        fields.problem(
            f"{handler.group_path}.matcher", f"invalid matcher {pattern!r}: {error}; its hooks never run"
        )
        return None
    if test is None:
        return ALWAYS
    if row.matched == "tool_name":
        return ToolName(test, ALIASES)
    return matcher_on(row.matched, test, place=SNAKE.get(row.matched), absent=ABSENT.get(row.matched, ""))


TARGET = Target(
    "Codex",
    EVENTS,
    default=DEFAULT_TIMEOUT,
    name="statusMessage",
    background="async",
    matched=tuple(name for name, row in ROWS.items() if row.matched),
)


def render(specs: Sequence[HookSpec]) -> tuple[Json, tuple[str, ...]]:
    """Return a hooks.json, and a line for each thing that it cannot express."""
    return grouped(specs, TARGET)


SCHEMA = groups_schema(
    "Hooks of Codex",
    EVENTS,
    group_of("A regular expression; all when empty or *.", required=False),
    hook_of(
        {
            "type": {"enum": [*TYPES, *OTHER_TYPES]},
            "command": SHELL_SOURCE,
            "commandWindows": {"type": "string"},
            "server": {"type": "string", "minLength": 1, "description": "For mcp_tool."},
            "tool": {"type": "string", "minLength": 1},
            "input": {"type": "object", "description": "Arguments; ${path} is a value of the payload."},
            "timeout": {"type": "number", "default": DEFAULT_TIMEOUT, "description": "Seconds."},
            "statusMessage": {"type": "string"},
            "async": {"type": "boolean", "default": False},
        },
        "type",
    ),
)
