"""Hermes Agent's config.yaml: a flat list of programs for each event. There is no project's file."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Mapping, Sequence

from sandhook.hooks.contracts import Document, Layer, Loaded, LoadOptions
from sandhook.hooks.contracts._convert import Target, flat
from sandhook.hooks.contracts._fields import Fields, did_you_mean
from sandhook.hooks.contracts._groups import Handler
from sandhook.hooks.contracts._loader import (
    entries,
    gather,
    home,
    hook_of,
    hook_spec,
    lists_of,
    schema,
    whole_name,
    whole_python,
)
from sandhook.hooks.contracts.hermes.names import (
    DEFAULT_TIMEOUT,
    EVENTS,
    FIELDS,
    MAX_TIMEOUT,
    PYTHON_ONLY,
    ROWS,
    SETTINGS,
)
from sandhook.hooks.event import Json, JsonObject
from sandhook.hooks.matcher import ALWAYS, Exact, Matcher, ToolName
from sandhook.hooks.model import Executor, HookSpec
from sandhook.pattern.errors import PatternError, UnsupportedError
from sandhook.text.quoting import quote_word


def layers(cwd: str, env: Mapping[str, str], platform: str) -> Sequence[Layer]:
    """Return the user's file, the only one."""
    if platform == "win32" and env.get("LOCALAPPDATA"):
        default = f"{env['LOCALAPPDATA']}/hermes"
    else:
        default = f"{home(env, platform)}/.hermes"
    return [Layer("user", f"{env.get('HERMES_HOME') or default}/config.yaml")]


def load(documents: Sequence[Document], options: LoadOptions) -> Loaded:
    """Read configurations; every fault is in the result, with its path."""
    strict = options.compat == "strict"

    def read(fields: Fields, value: JsonObject) -> Iterator[HookSpec]:
        return _document(fields, value, strict=strict)

    loaded = gather(documents, EVENTS, read, noun="a mapping")
    if options.env.get("HERMES_SAFE_MODE", "").strip().lower() in ("1", "true", "yes", "on"):
        why = "hooks are switched off (HERMES_SAFE_MODE)"
        return loaded._replace(specs=(), withheld=tuple((spec, why) for spec in loaded.specs))
    return loaded


def _document(fields: Fields, value: JsonObject, *, strict: bool) -> Iterator[HookSpec]:
    hooks = fields.get(value, "hooks", dict, "") or {}
    for name in hooks:
        if name in PYTHON_ONLY:
            fields.note(f"hooks.{name}", "is an event for plugins in Python: its hooks never run")
        elif name not in EVENTS and name not in SETTINGS:
            hint = did_you_mean(name, EVENTS)
            fields.note(f"hooks.{name}", f"is not an event of Hermes Agent: its hooks never run{hint}")
        if name in EVENTS:
            for handler in entries(fields, hooks, name, "hooks", noun="a mapping"):
                before = len(fields.problems)
                spec = _hook(fields, handler, strict=strict)
                if len(fields.problems) == before:
                    yield spec


def _hook(fields: Fields, handler: Handler, *, strict: bool) -> HookSpec:
    raw, path = handler.raw, handler.path
    fields.unknown(raw, FIELDS, path)
    matcher = raw.get("matcher")
    closed = raw.get("fail_closed", raw.get("failClosed"))
    if closed is not None and not isinstance(closed, bool):
        fields.note(f"{path}.fail_closed", "is not true or false: read as " + ("false" if strict else "true"))
        closed = not strict
    if closed and handler.event != "pre_tool_call":
        fields.note(f"{path}.fail_closed", f"has no effect on {handler.event}")
    return hook_spec(
        fields,
        handler,
        EVENTS[handler.event],
        _executor(fields, raw, path, strict=strict),
        matcher=_matcher(fields, handler, strict=strict),
        timeout=_timeout(fields, raw, path),
        on_error="block" if closed and handler.event == "pre_tool_call" else "warn",
        entry=raw,
    )._replace(variant=matcher if isinstance(matcher, str) else "")


#: Words that only a shell reads.
_OPERATORS = frozenset({"|", "||", "&&", "&", ";", ">", ">>", "<", "2>&1", "2>/dev/null"})


def _executor(fields: Fields, raw: JsonObject, path: str, *, strict: bool) -> Executor:
    """Return what runs a command: bash, or in strict mode the program itself.

    A script then needs its first line, and what only a shell knows, such as exec or A=1, is a program that is missing.
    """
    text = _command(fields, raw, path)
    command = raw.get("command")
    if strict and text and isinstance(command, str) and not command.lstrip().startswith("~"):
        return Executor("argv", argv=tuple(shlex.split(command)))
    return Executor("bash", text)


def _command(fields: Fields, raw: JsonObject, path: str) -> str:
    """Return the program and its arguments as shell text, in which nothing but a leading ~ is expanded."""
    command = fields.get(raw, "command", str, path) or ""
    if not command.strip():
        if "command" not in raw or isinstance(raw["command"], str):
            fields.problem(path if "command" not in raw else f"{path}.command", "command is required")
        return ""
    try:
        words = shlex.split(command)
    except ValueError as error:
        fields.problem(f"{path}.command", f"cannot be split into words: {error}")
        return ""
    plain = [word for word in words if word in _OPERATORS or word.startswith(("$", "`"))]
    if plain:
        fields.note(
            f"{path}.command",
            f"{plain[0]} is an argument: there is no shell; write a script, or bash -c '...'",
        )
    first = words[0]
    head, slash, rest = first.partition("/")
    if head == "~":
        text = "~" + (slash + quote_word(rest) if rest else slash)
    else:
        text = quote_word(first)
    return " ".join((text, *map(quote_word, words[1:])))


def _timeout(fields: Fields, raw: JsonObject, path: str) -> float:
    written = raw.get("timeout", DEFAULT_TIMEOUT)
    try:
        number = int(written) if isinstance(written, (int, float, str)) else 0
    except (ValueError, OverflowError):
        number = 0
    if number < 1:
        fields.note(
            f"{path}.timeout", f"is not a whole number from 1 up: the hook has {DEFAULT_TIMEOUT} seconds"
        )
        return DEFAULT_TIMEOUT
    if number > MAX_TIMEOUT:
        fields.note(
            f"{path}.timeout", f"{number} is more than {MAX_TIMEOUT}: the hook has {MAX_TIMEOUT} seconds"
        )
    return float(min(number, MAX_TIMEOUT))


def _matcher(fields: Fields, handler: Handler, *, strict: bool) -> Matcher:
    path, written = f"{handler.path}.matcher", handler.raw.get("matcher")
    if written is not None and not isinstance(written, str):
        fields.note(path, "is not a text: every call matches")
        return ALWAYS
    pattern = (written or "").strip()
    if not pattern:
        return ALWAYS
    if not ROWS[handler.event].matched:
        fields.note(path, f"has no meaning on {handler.event}: all match")
        return ALWAYS
    try:
        return whole_python(pattern)
    except UnsupportedError as error:
        fields.note(path, f"{error}: every tool matches")
        return ALWAYS
    except PatternError as error:
        meaning = "a name in Hermes Agent" if strict else "every tool; Hermes Agent reads it as a name"
        fields.note(path, f"does not compile ({error}): it means {meaning}")
        return ToolName(Exact(pattern)) if strict else ALWAYS


TARGET = Target(
    "Hermes Agent",
    EVENTS,
    default=DEFAULT_TIMEOUT,
    closes="fail_closed",
    matched=("pre_tool_call", "post_tool_call"),
)


def render(specs: Sequence[HookSpec]) -> tuple[Json, tuple[str, ...]]:
    """Return the hooks of a config.yaml, and a line for each thing that it cannot express."""
    more: list[str] = []
    kept: list[HookSpec] = []
    for spec in specs:
        if spec.timeout > MAX_TIMEOUT:
            more.append(f"{spec.id}: its timeout of {spec.timeout:g} seconds is cut to {MAX_TIMEOUT}")
        kept.append(spec._replace(timeout=min(spec.timeout, MAX_TIMEOUT)))
    hooks, lost = flat(kept, TARGET)
    shelled = {
        spec.executor.text for spec in specs if spec.executor.text and not _is_plain(spec.executor.text)
    }
    for several in hooks.values():
        for hook in several:
            if hook["command"] in shelled:
                hook["command"] = f"bash -c {quote_word(str(hook['command']))}"
            if "matcher" in hook:  # a search anywhere in the name there, an expression over all of it here
                hook["matcher"] = whole_name(str(hook["matcher"]))
    return {"hooks": hooks}, (*more, *lost)


_PLAIN = re.compile(r"[\w./~@%+:,-]+( [\w./~@%+:,-]+)*")


def _is_plain(text: str) -> bool:
    """Return whether a shell text is a program with arguments, and nothing else."""
    if _PLAIN.fullmatch(text):
        return True
    try:
        text = text.removeprefix("~/")
        return text == " ".join(map(quote_word, shlex.split(text)))
    except ValueError:
        return False


SCHEMA = schema(
    "Shell hooks in Hermes Agent's config.yaml",
    {"hooks": lists_of("hook", EVENTS)},
    {
        "hook": hook_of(
            {
                "command": {"type": "string", "minLength": 1, "description": "A program and its arguments."},
                "matcher": {
                    "type": "string",
                    "description": "Python's regular expression over all of the tool's name.",
                },
                "timeout": {
                    "type": "integer",
                    "minimum": 1,
                    "maximum": MAX_TIMEOUT,
                    "default": DEFAULT_TIMEOUT,
                },
                "fail_closed": {
                    "type": "boolean",
                    "default": False,
                    "description": "A failure refuses a call.",
                },
            },
            "command",
        )
    },
)
