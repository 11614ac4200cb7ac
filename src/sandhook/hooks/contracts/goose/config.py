"""goose's plugins: hooks.json of every plugin of the user and of the project, and the plugins that are disabled."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping, Sequence
from functools import partial

from sandhook.hooks.contracts import Document, Layer, Loaded, LoadOptions, may_override
from sandhook.hooks.contracts._claude_shape import Value
from sandhook.hooks.contracts._convert import Target, grouped
from sandhook.hooks.contracts._fields import Fields, did_you_mean
from sandhook.hooks.contracts._groups import Handler, handlers
from sandhook.hooks.contracts._loader import (
    NO_TIME,
    SHELL_SOURCE,
    gather_faultless,
    gather_reporting,
    group_of,
    groups_schema,
    home,
    hook_of,
    hook_spec,
    no_effect,
    seconds,
    shell_text,
)
from sandhook.hooks.contracts._payload import variable
from sandhook.hooks.contracts._reading.serde import as_objects, twice_in_struct
from sandhook.hooks.contracts.goose.names import (
    DEFAULT_TIMEOUT,
    EVENTS,
    FIELDS,
    GUIDE_NAMES,
    ROWS,
    SILENT,
)
from sandhook.hooks.contracts.goose.wire import context_of
from sandhook.hooks.diagnostic import Diagnostic
from sandhook.hooks.event import Event, Json, JsonObject
from sandhook.hooks.flavour import compile_search
from sandhook.hooks.matcher import ALWAYS, Matcher, Never, Regex, ToolName
from sandhook.hooks.model import Executor, HookSpec, OnError
from sandhook.pattern.errors import PatternError, UnsupportedError

_PLUGINS = ".agents/plugins/*/hooks/hooks.json"
_SETTINGS = ".config/goose/settings.json"


def layers(cwd: str, env: Mapping[str, str], platform: str) -> Sequence[Layer]:
    """Return the hooks of plugins, and the settings that disable plugins."""
    own = home(env, platform)
    return [
        Layer("project", f"{cwd}/{_SETTINGS}", "read"),
        Layer("project", f"{cwd}/{_PLUGINS}"),
        Layer("user", f"{own}/{_SETTINGS}", "read"),
        Layer("user", f"{own}/{_PLUGINS}"),
    ]


def load(documents: Sequence[Document], options: LoadOptions) -> Loaded:
    """Read configurations, the project's first; every fault is in the result, with its path."""
    strict = options.compat == "strict"

    read, strictly = partial(_document, strict=False), partial(_document, strict=True)
    why = "goose skips the whole file"
    if strict:
        loaded = gather_faultless(_not_shadowed(documents), EVENTS, strictly, why)
    else:
        loaded = gather_reporting(documents, EVENTS, read, strictly, why)
    kept: list[HookSpec] = []
    withheld: list[tuple[HookSpec, str]] = []
    notes: dict[str, None] = {}
    for spec in loaded.specs:
        disabling = [each for each in documents if plugin_of(spec.file) in _disabled(each)]
        effective = [each for each in disabling if strict or may_override(each.layer, spec.layer)]
        if effective:
            withheld.append((spec, f"its plugin {plugin_of(spec.file)} is disabled (disabledPlugins)"))
            continue
        kept.append(spec)
        for document in disabling:
            notes[Diagnostic(no_effect(document, spec), "disabledPlugins", document.name)] = None
    return loaded._replace(
        specs=tuple(kept),
        withheld=tuple(withheld),
        diagnostics=(*loaded.diagnostics, *notes),
    )


def plugin_of(file: str) -> str:
    """Return the name of the plugin whose hooks a file has, "" for another file."""
    parts = file.replace("\\", "/").split("/")
    return parts[-3] if parts[-2:] == ["hooks", "hooks.json"] and len(parts) > 2 else ""


def _disabled(document: Document) -> set[str]:
    value = document.value
    names = value.get("disabledPlugins") if isinstance(value, dict) else None
    return {name for name in names if isinstance(name, str) and name} if isinstance(names, list) else set()


def _not_shadowed(documents: Sequence[Document]) -> list[Document]:
    """Return the documents without a user's plugin whose name a plugin of the project has too."""
    own = {plugin_of(each.name) for each in documents if each.layer == "project"} - {""}
    return [each for each in documents if each.layer == "project" or plugin_of(each.name) not in own]


def _document(fields: Fields, value: JsonObject, *, strict: bool) -> Iterator[HookSpec]:
    fields.strings(value, "disabledPlugins", "")
    hooks = as_objects(fields.get(value, "hooks", dict, "") or {}, fields=fields)
    if fields.document.duplicates and (twice := twice_in_struct(fields.document.text)) is not None:
        fields.problem("", f"duplicate field {twice}: goose skips the whole file")
    if strict:
        _report_upstream(fields, hooks)
    for name in hooks:
        if name in SILENT:
            fields.note(f"hooks.{name}", "goose never fires this event: its hooks never run")
        elif name not in EVENTS:
            hint = did_you_mean(name, EVENTS)
            fields.note(f"hooks.{name}", f"is not an event of goose: its hooks never run{hint}")
    known = {name: each for name, each in hooks.items() if name in EVENTS}
    matchers: dict[str, Matcher | None] = {}
    for handler in handlers(fields, known):
        before = len(fields.problems)
        if handler.group_path not in matchers:
            matchers[handler.group_path] = _matcher(fields, handler, strict=strict)
        matcher = matchers[handler.group_path]
        if strict and not _runs(fields, handler):
            continue
        spec = _hook(fields, handler, matcher or ALWAYS, strict=strict)
        if matcher is not None and len(fields.problems) == before:
            yield spec


def _report_upstream(fields: Fields, hooks: JsonObject) -> None:
    """Report what only upstream's reader refuses: null in place of a list of a known event, or of a policy."""
    for name, groups in hooks.items():
        if groups is None and name in EVENTS:
            fields.problem(f"hooks.{name}", "wanted an array, got null")
        for index, group in enumerate(groups if isinstance(groups, list) else ()):
            several = group.get("hooks") if isinstance(group, dict) else None
            if isinstance(group, dict) and "hooks" in group and several is None:
                fields.problem(f"hooks.{name}[{index}].hooks", "wanted an array, got null")
            for number, hook in enumerate(several if isinstance(several, list) else ()):
                if isinstance(hook, dict) and hook.get("on_failure", "") is None:
                    fields.problem(
                        f"hooks.{name}[{index}].hooks[{number}].on_failure", "wanted allow or block, got null"
                    )


def _runs(fields: Fields, handler: Handler) -> bool:
    """Return whether goose runs such a hook; one of another type or without a command it leaves out alone."""
    type_, command = (handler.raw.get(key) for key in ("type", "command"))
    if isinstance(type_, str) and type_ != "command":
        fields.note(f"{handler.path}.type", f"goose runs commands alone: {type_!r} is left out")
    elif (command is None or not str(command).strip()) and type_ in (None, "command"):
        fields.note(f"{handler.path}.command", "there is no command: goose leaves the hook out")
    else:
        return True
    return False


def _hook(fields: Fields, handler: Handler, matcher: Matcher, *, strict: bool) -> HookSpec:
    raw, path = handler.raw, handler.path
    root = posixpath.dirname(posixpath.dirname(fields.document.name.replace("\\", "/")))
    fields.unknown(raw, FIELDS, path)
    type_ = fields.get(raw, "type", str, path)
    if type_ not in ("command", None):  # a hook without a type is a command
        fields.problem(f"{path}.type", f"wanted command, got {type_!r}")
    limit = raw.get("timeout")
    if strict and isinstance(limit, (int, float)) and (isinstance(limit, float) or limit < 0):
        fields.problem(f"{path}.timeout", f"wanted a whole number of seconds, got {limit}")
    return hook_spec(
        fields,
        handler,
        EVENTS[handler.event],
        Executor(
            "bash", shell_text(fields, raw, path), env=(("PLUGIN_ROOT", variable(root)),) if root else ()
        ),
        matcher=matcher,
        timeout=_timeout(fields, raw, path, strict=strict),
        on_error=_on_failure(fields, handler, strict=strict),
        entry={**raw, "matcher": handler.matcher},
    )


def _timeout(fields: Fields, raw: JsonObject, path: str, *, strict: bool) -> float:
    """Return the seconds of a hook; 0 ends it at once upstream, and is the default in better mode."""
    if raw.get("timeout") == 0:
        fields.note(f"{path}.timeout", "is 0: goose ends the hook at once, and what it decides is lost")
        if strict:
            return NO_TIME
    return seconds(fields, raw, "timeout", path, default=DEFAULT_TIMEOUT, zero_is_default=True)


def _on_failure(fields: Fields, handler: Handler, *, strict: bool) -> OnError:
    path = f"{handler.path}.on_failure"
    word = fields.get(handler.raw, "on_failure", str, handler.path)
    if strict and word not in (None, "allow", "block"):
        fields.problem(path, f"wanted allow or block, got {word!r}")
        return "warn"
    if word not in (None, "allow", "block"):
        fields.note(
            path, f"wanted allow or block, got {word!r}, for which goose skips the whole file: read as block"
        )
        word = "block"
    if word == "block" and handler.event != "PreToolUse":
        fields.note(path, f"has no effect on {handler.event}: goose goes on after a failure")
        return "warn"
    return "block" if word == "block" else "warn"


def _matcher(fields: Fields, handler: Handler, *, strict: bool) -> Matcher | None:
    """Return the matcher of a group, or None for an expression that does not compile."""
    path, pattern, key = f"{handler.group_path}.matcher", handler.matcher, ROWS[handler.event].matched
    if not pattern:
        return ALWAYS
    if pattern == "*":
        fields.note(
            path,
            "'*' is no regular expression: goose drops the hook without a word; write .* or leave it out",
        )
        return Never("the matcher is no regular expression") if strict else ALWAYS
    try:
        test = Regex(pattern, "rust", compile_search(pattern, "rust"))
    except UnsupportedError as error:
        fields.note(path, f"{error}: all match")
        return ALWAYS
    except PatternError as error:
        if strict:
            return Never("the matcher does not compile")
        fields.problem(path, f"does not compile: {error}")
        return None
    if key == "tool":
        if not strict and _only_the_guide(test):
            fields.note(
                path,
                f"{pattern!r} matches no tool of goose 1.52.0, which calls them shell, write, edit and tree: it never"
                " runs there; write the name without developer__",
            )
            return ToolName(test, {name: (old,) for name, old in GUIDE_NAMES.items()})
        return ToolName(test)
    if not key:
        if not test.test(""):
            fields.note(path, f"has nothing to look at on {handler.event}: goose never runs the hook")
            return ALWAYS if not strict else Never("there is nothing to match")
        return ALWAYS
    native = handler.event

    def read(event: Event) -> str:
        return context_of(native, event)

    return Value(key, read, test)


def _only_the_guide(test: Regex) -> bool:
    """Return whether an expression matches a tool only under the name that the guide has for it."""
    return any(test.test(old) and not test.test(name) for name, old in GUIDE_NAMES.items())


TARGET = Target(
    "goose",
    EVENTS,
    default=DEFAULT_TIMEOUT,
    matched=("PreToolUse", "PreToolUseResult", "PostToolUse", "PostToolUseFailure"),
    always_closes=True,
)


def render(specs: Sequence[HookSpec]) -> tuple[Json, tuple[str, ...]]:
    """Return the hooks.json of a plugin, and a line for each thing that it cannot express."""
    lost: list[str] = []
    hooks: dict[str, list[Json]] = {}
    for spec in specs:
        own = tuple(pair for pair in spec.executor.env if pair[0] != "PLUGIN_ROOT")
        value, more = grouped([spec._replace(executor=spec.executor._replace(env=own))], TARGET)
        lost += more
        groups: Json = value["hooks"] if isinstance(value, dict) else {}
        for native, several in groups.items() if isinstance(groups, dict) else ():
            for group in several if isinstance(several, list) else ():
                hooks.setdefault(native, []).append(_closing(group) if spec.on_error == "block" else group)
    return {"hooks": hooks}, tuple(lost)


def _closing(group: Json) -> Json:
    if not isinstance(group, dict) or not isinstance(group.get("hooks"), list):
        return group
    several = group["hooks"]
    return {
        **group,
        "hooks": [{**each, "on_failure": "block"} for each in several if isinstance(each, dict)],
    }


SCHEMA = groups_schema(
    "goose's hooks.json",
    EVENTS,
    group_of("Rust's regular expression on the tool's name, the prompt, the path or the command."),
    hook_of(
        {
            "type": {"const": "command"},
            "command": SHELL_SOURCE,
            "timeout": {"type": "number", "default": DEFAULT_TIMEOUT, "description": "Seconds."},
            "on_failure": {"enum": ["allow", "block"], "default": "allow"},
        },
        "command",
    ),
)
