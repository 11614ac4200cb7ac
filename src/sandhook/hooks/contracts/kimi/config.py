"""Kimi Code's config.toml: a list of hooks of the user. There is no project's file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from sandhook.errors import Problem
from sandhook.hooks.contracts import Document, Layer, Loaded, LoadOptions
from sandhook.hooks.contracts._convert import Target, converted
from sandhook.hooks.contracts._fields import Fields, did_you_mean, unknown_keys
from sandhook.hooks.contracts._groups import Handler
from sandhook.hooks.contracts._loader import (
    SHELL_SOURCE,
    entries,
    gather,
    home,
    hook_spec,
    matcher_on,
    schema,
)
from sandhook.hooks.contracts.kimi.names import (
    DEFAULT_TIMEOUT,
    EVENTS,
    FIELDS,
    MAX_TIMEOUT,
    MIN_TIMEOUT,
    ROWS,
)
from sandhook.hooks.event import Json, JsonObject
from sandhook.hooks.flavour import compile_search
from sandhook.hooks.matcher import ALWAYS, Matcher, Never, Regex
from sandhook.hooks.model import Executor, HookSpec
from sandhook.pattern.errors import PatternError, UnsupportedError


def layers(cwd: str, env: Mapping[str, str], platform: str) -> Sequence[Layer]:
    """Return the user's file, the only one."""
    own = env.get("KIMI_CODE_HOME") or f"{home(env, platform)}/.kimi-code"
    return [Layer("user", f"{own}/config.toml")]


def load(documents: Sequence[Document], options: LoadOptions) -> Loaded:
    """Read configurations; every fault is in the result, with its path."""
    strict = options.compat == "strict"

    def read(fields: Fields, value: JsonObject) -> Iterator[HookSpec]:
        return _document(fields, value, strict=strict)

    if not strict:
        return gather(documents, EVENTS, read)
    faults = [(document, _fault_of(document)) for document in documents]
    loaded = gather([document for document, fault in faults if fault is None], EVENTS, read)
    dropped = [
        Problem("hooks", f"Kimi Code drops all hooks of the file: {why}", file=each.name)
        for each, why in faults
        if why is not None
    ]
    return loaded._replace(problems=(*loaded.problems, *dropped))


def _fault_of(document: Document) -> str | None:
    """Return the first fault for which Kimi Code drops the list of hooks, or None."""
    value = document.value
    hooks = value.get("hooks") if isinstance(value, dict) else None
    if hooks is None:
        return None
    if not isinstance(hooks, list):
        return "hooks is not an array of tables"
    for index, hook in enumerate(hooks):
        fault = _fault(hook)
        if fault is not None:
            return f"hooks[{index}]{fault}"
    return None


def _fault(hook: Json) -> str | None:
    if not isinstance(hook, dict):
        return " is not a table"
    unknown = next((key for key in hook if key not in FIELDS), None)
    if unknown is not None:
        return f": unknown field {unknown}"
    if hook.get("event") not in EVENTS:
        return ".event is not known"
    command, matcher, timeout = hook.get("command"), hook.get("matcher", ""), hook.get("timeout", MIN_TIMEOUT)
    if not isinstance(command, str) or not command:
        return ".command is not a text"
    if not isinstance(matcher, str):
        return ".matcher is not a text"
    if isinstance(timeout, bool) or not isinstance(timeout, int) or not MIN_TIMEOUT <= timeout <= MAX_TIMEOUT:
        return f".timeout is not a whole number from {MIN_TIMEOUT} to {MAX_TIMEOUT}"
    return None


#: What a fault does that sandhook tolerates.
_DROPS = "Kimi Code drops all hooks of the file for it"


def _document(fields: Fields, value: JsonObject, *, strict: bool) -> Iterator[HookSpec]:
    for handler in entries(fields, value, "hooks", "", noun="a table"):
        before = len(fields.problems)
        spec = _hook(fields, handler, strict=strict)
        if len(fields.problems) == before:
            yield spec


def _hook(fields: Fields, handler: Handler, *, strict: bool) -> HookSpec:
    raw, path = handler.raw, handler.path
    for key, hint in unknown_keys(raw, FIELDS):
        fields.note(f"{path}.{key}", f"unknown field: {_DROPS}{hint}")
    texts = {key: fields.get(raw, key, str, path) for key in ("event", "command")}
    for key, text in texts.items():
        if not text and (key not in raw or text is not None):
            fields.problem(path if key not in raw else f"{path}.{key}", f"{key} is required: {_DROPS}")
    event = texts["event"] or ""
    if event and event not in EVENTS:
        hint = did_you_mean(event, EVENTS)
        fields.problem(f"{path}.event", f"{event!r} is not an event of Kimi Code{hint}; {_DROPS}")
    native = event if event in EVENTS else "PreToolUse"
    return hook_spec(
        fields,
        handler._replace(event=native),
        EVENTS[native],
        Executor("bash", texts["command"] or ""),
        matcher=_matcher(fields, raw, native, path, strict=strict),
        timeout=_timeout(fields, raw, path),
        entry=raw,
    )


def _timeout(fields: Fields, raw: JsonObject, path: str) -> float:
    number = fields.get(raw, "timeout", float, path)
    if number is None:
        return DEFAULT_TIMEOUT
    if not MIN_TIMEOUT <= number <= MAX_TIMEOUT or number != int(number):
        wanted = f"wanted a whole number of seconds from {MIN_TIMEOUT} to {MAX_TIMEOUT}"
        fields.note(f"{path}.timeout", f"{wanted}, got {number:g}: {_DROPS}")
    return float(min(max(number, MIN_TIMEOUT), MAX_TIMEOUT)) if number == number else DEFAULT_TIMEOUT


def _matcher(fields: Fields, raw: JsonObject, event: str, path: str, *, strict: bool) -> Matcher:
    pattern, key = fields.get(raw, "matcher", str, path), ROWS[event].matched
    if not pattern:
        return ALWAYS
    if pattern == "*":
        fields.note(
            f"{path}.matcher", "'*' is no regular expression, and matches nothing in Kimi Code: write .*"
        )
        return Never("the matcher is no regular expression") if strict else ALWAYS
    try:
        test = Regex(pattern, "js", compile_search(pattern, "js"))
    except UnsupportedError as error:
        fields.note(f"{path}.matcher", f"{error}: all match")
        return ALWAYS
    except PatternError as error:
        fields.problem(f"{path}.matcher", f"does not compile: {error}")
        return ALWAYS
    if not key:
        matched = test.test("")
        fields.note(
            f"{path}.matcher",
            f"{event} has no value to match: {'all match' if matched else 'it never matches'}",
        )
        return ALWAYS if matched or not strict else Never(f"{event} has no value to match")
    place = {"prompt": "prompt", "reason": "reason"}.get(key)
    return matcher_on(key, test, place=place)


TARGET = Target(
    "Kimi Code",
    EVENTS,
    default=DEFAULT_TIMEOUT,
    matched=("PreToolUse", "PostToolUse", "PostToolUseFailure", "PermissionRequest", "PermissionResult"),
)


def render(specs: Sequence[HookSpec]) -> tuple[Json, tuple[str, ...]]:
    """Return the values of a config.toml, and a line for each thing that it cannot express."""
    lost: list[str] = []
    hooks: list[Json] = []
    for spec in specs:
        if spec.timeout > MAX_TIMEOUT:
            lost.append(f"{spec.id}: its timeout of {spec.timeout:g} seconds is cut to {MAX_TIMEOUT}")
            spec = spec._replace(timeout=MAX_TIMEOUT)
        for native, pattern, fields in converted([spec], TARGET, lost):
            hooks.append({"event": native, **({"matcher": pattern} if pattern else {}), **fields})
    return {"hooks": hooks}, tuple(lost)


SCHEMA = schema(
    "Hooks in Kimi Code's config.toml",
    {"hooks": {"type": "array", "items": {"$ref": "#/$defs/hook"}}},
    {
        "hook": {
            "type": "object",
            "required": ["event", "command"],
            "additionalProperties": False,
            "properties": {
                "event": {"enum": list(EVENTS)},
                "matcher": {
                    "type": "string",
                    "description": "JavaScript's RegExp on the tool's name, or on the event's value.",
                },
                "command": SHELL_SOURCE,
                "timeout": {
                    "type": "integer",
                    "minimum": MIN_TIMEOUT,
                    "maximum": MAX_TIMEOUT,
                    "default": DEFAULT_TIMEOUT,
                    "description": "Seconds.",
                },
            },
        }
    },
)
