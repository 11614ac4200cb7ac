"""One handler of a configuration: its type with the type's own fields, and which events it matches."""

from __future__ import annotations

from collections.abc import Callable

from sandhook.hooks.contracts import LoadOptions
from sandhook.hooks.contracts._claude_shape import NARROW, WIDE, matcher, text_test, unmatchable
from sandhook.hooks.contracts._fields import Fields, join
from sandhook.hooks.contracts._groups import Handler
from sandhook.hooks.contracts.claude_code.names import (
    COMMON_FIELDS,
    CONDITIONAL,
    EVENT_TIMEOUTS,
    ROWS,
    TIMEOUTS,
    TYPES,
)
from sandhook.hooks.contracts.claude_code.payload import looked_at
from sandhook.hooks.contracts.claude_code.profile import Profile
from sandhook.hooks.contracts.claude_code.settings import Origin, Switches
from sandhook.hooks.decode import encode, text_of
from sandhook.hooks.event import Event, JsonObject
from sandhook.hooks.matcher import ALWAYS, All, Matcher, Never
from sandhook.hooks.model import Executor, HookSpec, OnError
from sandhook.pattern.errors import PatternError, UnsupportedError
from sandhook.record import Record


class Settings(Record):
    """What the handlers of one file share.

    Attributes:
        origin: The kind of the file.
        source: What its hooks have in common with others, see ``settings.source``.
        switches: The settings for all hooks.
        options: What the loader received.
        profile: The version of Claude Code.
    """

    origin: Origin
    source: str
    switches: Switches
    options: LoadOptions
    profile: Profile


def hook(fields: Fields, handler: Handler, settings: Settings) -> HookSpec | None:
    """Return a handler's hook, or None for one that Claude Code skips; reports faults to ``fields``."""
    raw, path, name = handler.raw, handler.path, handler.event
    if (
        settings.profile.reproduces("whole_file")
        and raw.get("type") == "command"
        and raw.get("command") == ""
    ):
        fields.note(
            join(path, "command"), "is empty: the hook does nothing"
        )  # and spares the rest of the file
        return None
    type_ = _type(fields, raw, path)
    if type_ is None:
        return None
    source, profile = settings.source, settings.profile
    fields.unknown(raw, (*COMMON_FIELDS, *TYPES[type_]), path)
    extras: JsonObject = {}
    executor = _EXECUTORS[type_](fields, raw, path, profile, extras)
    seconds = fields.get(raw, "timeout", float, path)
    if seconds is not None:
        extras["timeout"] = seconds
        if not 0 < seconds < float("inf"):
            fields.problem(join(path, "timeout"), "wanted a number of seconds above 0")
    once = bool(fields.get(raw, "once", bool, path))
    if once and settings.origin != "skill":
        fields.note(join(path, "once"), "has no effect outside of a skill")
    matcher = _matcher(fields, handler, settings.options, profile)
    extras.update(_plugin(fields.document.name, settings.origin, settings.options))
    variables = _header_variables(fields, raw, path, settings.switches) if type_ == "http" else ()
    if not _runs(fields, handler, type_, executor, settings.options):
        return None
    if "matcher" in handler.group and name == "FileChanged":
        extras["watch"] = [part for part in handler.matcher.split("|") if part]
    return HookSpec(
        id="",
        event=ROWS[name].kind,
        native_event=name,
        executor=executor,
        matcher=matcher,
        timeout=float(seconds or EVENT_TIMEOUTS.get(name) or TIMEOUTS[type_]),
        on_error=_on_failure(fields, handler, type_, profile),
        env_policy="allow" if type_ == "http" else "inherit",
        env_names=variables,
        env_except=("OTEL_",),
        background=bool(extras.get("async")),  # asyncRewake alone: in a terminal (L-CLAUDE-019)
        once=once and settings.origin == "skill",
        description=fields.get(raw, "statusMessage", str, path),
        source=source,
        path=path,
        file=fields.document.name,
        layer=fields.document.layer,
        entry={**raw, "matcher": handler.matcher},
        extras={"type": type_, **extras},
        variant=text_of(raw, "if") or "",
    )


def _type(fields: Fields, raw: JsonObject, path: str) -> str | None:
    """Return the handler's type; None, and a problem, when it has none or an unknown one."""
    type_ = fields.get(raw, "type", str, path)
    if type_ is None:
        if raw.get("type") is None:
            fields.problem(path, f"type is required ({', '.join(TYPES)})")
        return None
    if type_ not in TYPES:
        fields.problem(join(path, "type"), f"wanted one of {', '.join(TYPES)}, got {type_!r}")
        return None
    return type_


def _header_variables(fields: Fields, raw: JsonObject, path: str, switches: Switches) -> tuple[str, ...]:
    """Return the variables that an http handler's headers may name and that the settings allow."""
    names = fields.strings(raw, "allowedEnvVars", path) or ()
    allowed = switches.variables.of(fields.document.layer)
    return tuple(name for name in names if allowed is None or name in allowed)


def _runs(fields: Fields, handler: Handler, type_: str, executor: Executor, options: LoadOptions) -> bool:
    """Return whether the event runs handlers of this type; note that, and a type without an executor."""
    name, types = handler.event, ROWS[handler.event].types
    if type_ not in types:
        message = f"{type_} hooks are not run on {name} ({', '.join(types)} are): skipped"
        fields.note(join(handler.path, "type"), message)
        return False
    if executor.type not in ("bash", "argv", *options.executors):
        message = f"no executor is registered for the type {executor.type!r}: the hook cannot run here"
        fields.note(handler.path, message)
    return True


def _on_failure(fields: Fields, handler: Handler, type_: str, profile: Profile) -> OnError:
    raw, path = handler.raw, handler.path
    word = fields.get(raw, "onFailure", str, path)
    where = join(path, "onFailure")
    if word is None:
        return "warn"
    if word not in ("continue", "block"):
        fields.problem(where, f"wanted continue or block, got {word!r}")
    elif not profile.has("on_failure"):
        fields.note(where, f"has no effect in version {profile.version}")
    elif type_ not in ("command", "http"):
        fields.note(where, f"has no effect on a {type_} hook")
    elif ROWS[handler.event].on_exit_2 == "go" and profile.reproduces("failed_stop"):
        fields.note(where, f"has no effect on {handler.event}")
    elif word == "block":
        return "block"
    return "warn"


def _plugin(name: str, origin: Origin, options: LoadOptions) -> JsonObject:
    """Return the variables and placeholders of a plugin's hooks."""
    if origin != "plugin":
        return {}
    name = name.replace("\\", "/")
    above = name.rpartition("/")[0]
    root = above.removesuffix("/hooks") if name.endswith("/hooks/hooks.json") else above
    variables = {"CLAUDE_PLUGIN_ROOT": options.env.get("CLAUDE_PLUGIN_ROOT") or root}
    if "CLAUDE_PLUGIN_DATA" in options.env:
        variables["CLAUDE_PLUGIN_DATA"] = options.env["CLAUDE_PLUGIN_DATA"]
    begin = "CLAUDE_PLUGIN_OPTION_"
    user_config = {key[len(begin) :]: text for key, text in options.env.items() if key.startswith(begin)}
    return {"plugin": variables, "user_config": user_config}


# Types.


def _required(fields: Fields, raw: JsonObject, key: str, path: str) -> str:
    text = fields.get(raw, key, str, path)
    if raw.get(key) is None or text == "":
        fields.problem(join(path, key), "is required")
    return text or ""


def _command(fields: Fields, raw: JsonObject, path: str, profile: Profile, extras: JsonObject) -> Executor:
    command = _required(fields, raw, "command", path)
    for key in ("async", "asyncRewake"):
        if fields.get(raw, key, bool, path):
            extras[key] = True
    shell = fields.get(raw, "shell", str, path)
    args = fields.strings(raw, "args", path)
    if args is not None and not profile.has("exec_form"):
        fields.note(join(path, "args"), f"has no effect in version {profile.version}")
    elif args is not None:
        return Executor("argv", argv=(command, *args))
    if "${user_config." in command and profile.has("user_config_exec"):
        fields.problem(join(path, "command"), "${user_config.*} is for exec form (args) alone")
    if shell not in (None, "bash", "powershell"):
        fields.problem(join(path, "shell"), f"wanted bash or powershell, got {shell!r}")
    return Executor("powershell" if shell == "powershell" else "bash", command)


def _http(fields: Fields, raw: JsonObject, path: str, profile: Profile, extras: JsonObject) -> Executor:
    url = _required(fields, raw, "url", path)
    headers = fields.get(raw, "headers", dict, path) or {}
    for key, text in headers.items():
        if not isinstance(text, str):
            fields.problem(f"{join(path, 'headers')}.{key}", "wanted a string")
    return Executor("http", url, config={"url": url, "headers": dict(headers)})


def _mcp_tool(fields: Fields, raw: JsonObject, path: str, profile: Profile, extras: JsonObject) -> Executor:
    server, tool = (_required(fields, raw, key, path) for key in ("server", "tool"))
    arguments = fields.get(raw, "input", dict, path) or {}
    return Executor(
        "mcp_tool",
        f"{server}/{tool}",
        (encode(arguments),),
        config={"server": server, "tool": tool, "input": arguments},
    )


def _prompt(fields: Fields, raw: JsonObject, path: str, profile: Profile, extras: JsonObject) -> Executor:
    text = _required(fields, raw, "prompt", path)
    config = {"model": fields.get(raw, "model", str, path)}
    if raw.get("type") == "prompt":
        extras["continueOnBlock"] = bool(fields.get(raw, "continueOnBlock", bool, path))
    return Executor(str(raw["type"]), text, config=config)


_EXECUTORS: dict[str, Callable[[Fields, JsonObject, str, Profile, JsonObject], Executor]] = {
    "command": _command,
    "http": _http,
    "mcp_tool": _mcp_tool,
    "prompt": _prompt,
    "agent": _prompt,
}


# Which events.


def _matcher(fields: Fields, handler: Handler, options: LoadOptions, profile: Profile) -> Matcher:
    selected = _group_matcher(fields, handler, profile)
    condition = fields.get(handler.raw, "if", str, handler.path)
    if condition is None:
        return selected
    if not condition:
        return selected
    where = join(handler.path, "if")
    if handler.event not in CONDITIONAL:
        fields.note(where, f"is not looked at on {handler.event}: the hook never runs")
        return Never(f"`if` on {handler.event}: the hook never runs")
    from sandhook.hooks.contracts.claude_code.rule import RuleError, rule

    try:
        wanted = rule(condition, profile, options)
    except RuleError as error:
        if profile.reproduces("no_rule"):
            fields.note(where, f"{error}: the hook never runs")
            return Never(f"`if` is not a permission rule: {error}")
        fields.problem(where, str(error))
        return selected
    return wanted if selected == ALWAYS else All((selected, wanted))


def _group_matcher(fields: Fields, handler: Handler, profile: Profile) -> Matcher:
    name, text = handler.event, handler.matcher
    key = ROWS[name].matched
    where = f"{handler.group_path}.matcher"
    if not key:
        if text not in ("", "*"):
            fields.note(where, f"is ignored: every {name} matches")
        return ALWAYS
    narrow = name in ("FileChanged", "StopFailure")
    names = NARROW if narrow else WIDE
    if not narrow:
        names = names - {c for c, since in ((",", "commas"), ("-", "hyphens")) if not profile.has(since)}
    try:
        test = text_test(text, names=names, separators="" if narrow else ",")
    except UnsupportedError as error:
        fields.note(where, f"{error}: all match")
        return ALWAYS
    except PatternError as error:
        fields.note(where, f"{text!r} does not compile ({error}): it matches nothing")
        return unmatchable(text, error)
    if key == "tool_name":
        if text.startswith("mcp__") and text.count("__") == 1 and names.issuperset(text):
            fields.note(where, f"matches no tool: {text!r} is a server, {text + '__.*'!r} are its tools")
        return matcher(test, key, None)

    def read(event: Event) -> str:
        return looked_at(name, event)

    return matcher(test, key, read)
