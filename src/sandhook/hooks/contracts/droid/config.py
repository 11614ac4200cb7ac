"""Factory Droid's hooks.json and settings.json: lists of groups by event, of the project and of the user."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping, Sequence
from functools import partial

from sandhook.hooks.contracts import Document, Layer, Loaded, LoadOptions, may_override
from sandhook.hooks.contracts._claude_shape import unmatchable
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
    matcher_on,
    no_effect,
    shell_text,
    timer,
)
from sandhook.hooks.contracts.droid.names import DEFAULT_TIMEOUT, EVENTS, FIELDS, ROWS, SETTINGS
from sandhook.hooks.decode import object_of
from sandhook.hooks.diagnostic import Diagnostic
from sandhook.hooks.event import Event, Json, JsonObject
from sandhook.hooks.flavour import compile_search
from sandhook.hooks.matcher import ALWAYS, All, Match, Matcher, Regex, quote
from sandhook.hooks.model import Executor, HookSpec
from sandhook.pattern.errors import PatternError, UnsupportedError
from sandhook.record import Record


def layers(cwd: str, env: Mapping[str, str], platform: str) -> Sequence[Layer]:
    """Return the files of the project and of the user."""
    own = f"{home(env, platform)}/.factory"
    return [
        Layer("project", f"{cwd}/.factory/settings.json"),
        Layer("project", f"{cwd}/.factory/hooks.json"),
        Layer("user", f"{own}/settings.json"),
        Layer("user", f"{own}/hooks.json"),
    ]


def load(documents: Sequence[Document], options: LoadOptions) -> Loaded:
    """Read configurations, the project's first; every fault is in the result, with its path."""
    strict = options.strict

    read, strictly = partial(_document, strict=False), partial(_document, strict=True)
    why = "Droid drops the whole file"
    if strict:
        owners = {_place(each) for each in documents if _is_list(each) and _has_events(each)}
        documents = [each for each in documents if _is_list(each) or _place(each) not in owners]
        loaded = gather_faultless(documents, EVENTS, strictly, why, bare=True)
    else:
        loaded = gather_reporting(documents, EVENTS, read, strictly, why, bare=True)
    return _switched(loaded, documents, strict=strict)


def _is_list(document: Document) -> bool:
    """Return whether a file is a hooks.json, whose settings.json of the same directory then has no hooks."""
    return posixpath.basename(document.name.replace("\\", "/")) == "hooks.json"


def _has_events(document: Document) -> bool:
    return isinstance(document.value, dict) and bool(set(document.value) & set(EVENTS))


def _place(document: Document) -> str:
    return posixpath.dirname(document.name.replace("\\", "/"))


def _switched(loaded: Loaded, documents: Sequence[Document], *, strict: bool) -> Loaded:
    """Return the hooks without those that ``hooksDisabled`` switches off; the first file with the switch decides."""
    switches = [(each, _switch(each)) for each in documents]
    first = next(((each, off) for each, off in switches if off is not None), None)
    if first is None or not first[1]:
        return loaded
    document = first[0]
    kept, withheld, notes = [], [], []
    for spec in loaded.specs:
        if strict or may_override(document.layer, spec.layer):
            withheld.append((spec, f"hooks are switched off (hooksDisabled in {document.name})"))
        else:
            kept.append(spec)
            notes.append(Diagnostic(no_effect(document, spec), "hooksDisabled", document.name))
    return loaded._replace(
        specs=tuple(kept),
        withheld=(*loaded.withheld, *withheld),
        diagnostics=(*loaded.diagnostics, *dict.fromkeys(notes)),
    )


def _switch(document: Document) -> bool | None:
    value = document.value if isinstance(document.value, dict) else {}
    events = value if _is_list(document) else object_of(value, "hooks")
    off = events.get("hooksDisabled")
    return off if isinstance(off, bool) else None


def _document(fields: Fields, value: JsonObject, *, strict: bool) -> Iterator[HookSpec]:
    wrapped = "hooks" in value
    if wrapped and _is_list(fields.document):
        fields.note("hooks", "a hooks.json has its events at the top: Droid does not read this one")
        if strict:
            return
    hooks = (fields.get(value, "hooks", dict, "") or {}) if wrapped else value
    where = "hooks" if wrapped else ""
    if wrapped or _is_list(fields.document):
        for name in hooks:
            if name not in EVENTS and name not in SETTINGS:
                hint = did_you_mean(name, EVENTS if wrapped else (*EVENTS, "hooks"))
                path = f"{where}.{name}" if where else name
                fields.note(path, f"is not an event of Droid: its hooks never run{hint}")
    for name, groups in hooks.items():
        here = f"{where}.{name}" if where else name
        if strict and name in EVENTS and groups is None:
            fields.problem(here, "wanted an array, got null")
        for index, group in enumerate(groups if name in EVENTS and isinstance(groups, list) else ()):
            if isinstance(group, dict) and "hooks" not in group and "command" not in group:
                fields.problem(f"{here}[{index}]", 'has no list "hooks"')
            elif strict and isinstance(group, dict) and group.get("hooks", "") is None:
                fields.problem(f"{here}[{index}].hooks", "wanted an array, got null")
    for handler in handlers(fields, {name: each for name, each in hooks.items() if name in EVENTS}, where):
        before = len(fields.problems)
        spec = _hook(fields, handler, strict=strict)
        if len(fields.problems) == before:
            yield spec


_APPROVING = """printf '{"hookSpecificOutput": {"permissionDecision": "allow"}}'"""


def _command(fields: Fields, raw: JsonObject, path: str, *, strict: bool) -> str:
    """Return the command; an empty one is a fault, which Droid reads as an approval that later hooks cannot refuse."""
    command = raw.get("command")
    if strict and isinstance(command, str) and not command.strip():
        return ":" if command else _APPROVING
    if strict and "command" in raw and command is None:
        fields.problem(f"{path}.command", "wanted a string, got null")
    return shell_text(fields, raw, path)


def _hook(fields: Fields, handler: Handler, *, strict: bool) -> HookSpec:
    raw, path = handler.raw, handler.path
    fields.unknown(raw, FIELDS, path)
    type_ = fields.get(raw, "type", str, path)
    if type_ != "command":
        fields.problem(f"{path}.type", f"wanted command, got {type_!r}")
    if "matcher" in handler.group and handler.group["matcher"] is None:
        fields.problem(f"{handler.group_path}.matcher", "wanted a string, got null")
    timeout = _timeout(fields, raw, path, strict=strict)
    return hook_spec(
        fields,
        handler,
        EVENTS[handler.event],
        Executor("bash", _command(fields, raw, path, strict=strict)),
        matcher=_matcher(fields, handler),
        timeout=timeout,
        entry={**raw, "matcher": handler.matcher},
    )


def _timeout(fields: Fields, raw: JsonObject, path: str, *, strict: bool) -> float:
    """Return the seconds of a hook; one without a positive number has the default, and upstream a negative one no time."""
    timeout, where = fields.get(raw, "timeout", float, path), f"{path}.timeout"
    if timeout is not None and timeout < 0:
        if strict:
            return NO_TIME
        fields.problem(where, f"wanted a number of seconds, got {timeout:g}: Droid ends the hook at once")
    if strict and "timeout" in raw and raw["timeout"] is None:
        fields.problem(where, "wanted a number of seconds, got null")
    return timer(fields, where, timeout or DEFAULT_TIMEOUT, strict=strict)


class CommandOf(Record):
    """Tests the command of a call of the shell."""

    search: Regex

    def check(self, event: Event) -> Match:
        call = event.tool
        command = call.input.get("command") if call is not None and isinstance(call.input, dict) else None
        if call is None or call.name != "Execute" or not isinstance(command, str):
            return Match(False, "the event has no command of Execute")
        found = self.search.test(command)
        return Match(found, f"command {quote(command)} is {'' if found else 'not '}{self.search}")


def _matcher(fields: Fields, handler: Handler) -> Matcher:
    pattern, key = handler.matcher, ROWS[handler.event].matched
    own: Matcher = ALWAYS
    if pattern not in ("", "*") and key:
        try:
            own = matcher_on(key, Regex(pattern, "js", compile_search(pattern, "js")))
        except UnsupportedError as error:
            fields.note(f"{handler.group_path}.matcher", f"{error}: all match")
        except PatternError as error:
            fields.note(f"{handler.group_path}.matcher", f"does not compile ({error}): it matches nothing")
            return unmatchable(pattern, error)
    command = fields.get(handler.group, "commandRegex", str, handler.group_path)
    if not command:
        return own
    try:
        tested = CommandOf(Regex(command, "js", compile_search(command, "js")))
    except UnsupportedError as error:
        fields.note(f"{handler.group_path}.commandRegex", f"{error}: all match")
        return own
    except PatternError as error:
        fields.note(f"{handler.group_path}.commandRegex", f"does not compile ({error}): it matches nothing")
        return unmatchable(command, error)
    return tested if own is ALWAYS else All((own, tested))


TARGET = Target("Factory Droid", EVENTS, default=DEFAULT_TIMEOUT, matched=("PreToolUse", "PostToolUse"))


def render(specs: Sequence[HookSpec]) -> tuple[Json, tuple[str, ...]]:
    """Return a settings.json, and a line for each thing that it cannot express."""
    return grouped(specs, TARGET)


SCHEMA = groups_schema(
    "Hooks in Factory Droid's settings.json",
    EVENTS,
    group_of(
        "JavaScript's RegExp, found anywhere in the tool's name.",
        {
            "commandRegex": {
                "type": "string",
                "description": "JavaScript's RegExp, found anywhere in the command of Execute.",
            }
        },
    ),
    hook_of(
        {
            "type": {"const": "command"},
            "command": SHELL_SOURCE,
            "timeout": {"type": "number", "default": DEFAULT_TIMEOUT, "description": "Seconds."},
            "preserveRiskLevel": {"type": "boolean", "default": False},
        },
        "type",
        "command",
    ),
)
