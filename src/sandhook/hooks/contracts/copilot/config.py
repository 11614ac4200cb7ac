"""GitHub Copilot's hook files: a version, and a flat list of hooks per event."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sandhook.hooks.contracts import Document, Layer, Loaded, LoadOptions
from sandhook.hooks.contracts._agent import gather, home, look, seconds
from sandhook.hooks.contracts._claude_shape import WIDE, Value, text_test
from sandhook.hooks.contracts._convert import Target, flat
from sandhook.hooks.contracts._fields import Fields
from sandhook.hooks.contracts._render import quoted
from sandhook.hooks.contracts.copilot.names import (
    ALIASES,
    DEFAULT_TIMEOUT,
    EVENTS,
    FIELDS,
    PLACES,
    ROWS,
    TOOLS,
)
from sandhook.hooks.decode import type_name
from sandhook.hooks.event import Event, Json
from sandhook.hooks.flavour import compile_search
from sandhook.hooks.matcher import ALWAYS, Matcher, Regex, TextTest, ToolName, as_text
from sandhook.hooks.model import Executor, HookSpec
from sandhook.pattern.errors import PatternError


def layers(cwd: str, env: Mapping[str, str], platform: str) -> Sequence[Layer]:
    """Return the files and directories of files, weakest first."""
    own = env.get("COPILOT_HOME") or f"{home(env, platform)}/.copilot"
    found = [] if platform == "win32" else [Layer("managed", "/etc/github-copilot/policy.d/*.json")]
    return [
        *found,
        Layer("user", f"{own}/hooks/*.json"),
        Layer("user", f"{own}/settings.json"),
        Layer("project", f"{cwd}/.github/hooks/*.json"),
    ]


def load(documents: Sequence[Document], options: LoadOptions) -> Loaded:
    """Read configurations, weakest layer first; every fault is in the result, with its path."""
    return gather(documents, EVENTS, _document)


def _document(fields: Fields, value: dict[str, Any]) -> Iterator[HookSpec]:
    version = fields.get(value, "version", int, "")
    if version not in (None, 1):
        fields.problem("version", f"is {version}; wanted 1")
    hooks = fields.get(value, "hooks", dict, "") or {}
    for name in hooks:
        if name not in EVENTS and name not in ALIASES:
            fields.note(f"hooks.{name}", "is no event of GitHub Copilot: its hooks never run")
        for index, raw in enumerate(fields.get(hooks, name, list, "hooks") or ()):
            path = f"hooks.{name}[{index}]"
            if not isinstance(raw, dict):
                fields.problem(path, f"wanted an object, got {type_name(raw)}")
            elif "hooks" in raw:
                yield from _group(fields, raw, name, path)
            else:
                yield from _entry(fields, raw, name, path, raw)


def _group(fields: Fields, group: dict[str, Any], name: str, path: str) -> Iterator[HookSpec]:
    """Read a group in Claude Code's form."""
    for number, raw in enumerate(fields.get(group, "hooks", list, path) or ()):
        place = f"{path}.hooks[{number}]"
        if isinstance(raw, dict):
            yield from _entry(fields, raw, name, place, group)
        else:
            fields.problem(place, f"wanted an object, got {type_name(raw)}")


def _entry(
    fields: Fields, raw: dict[str, Any], name: str, path: str, group: dict[str, Any]
) -> Iterator[HookSpec]:
    before = len(fields.problems)
    spec = _hook(fields, raw, name, path, group)
    if spec is not None and len(fields.problems) == before:
        yield spec


def _hook(
    fields: Fields, raw: dict[str, Any], name: str, path: str, group: dict[str, Any]
) -> HookSpec | None:
    fields.unknown(raw, FIELDS, path)
    native = ALIASES.get(name, name)
    type_ = fields.get(raw, "type", str, path)
    if type_ in ("http", "prompt"):
        fields.note(f"{path}.type", f"hooks of the type {type_} need the host: it does not run")
        return None
    if type_ != "command" and ("type" not in raw or type_ is not None):
        fields.problem(f"{path}.type", f"unknown type {type_!r}; known are command, http, prompt")
    texts = {key: fields.get(raw, key, str, path) for key in ("bash", "command", "powershell", "exec", "cwd")}
    argv: tuple[str, ...] = ()
    if texts["exec"]:
        argv = (texts["exec"], *(fields.strings(raw, "args", path) or ()))
    text = texts["bash"] or texts["command"] or ""
    if not text and not argv and not any(key in raw and texts[key] is None for key in texts):
        if texts["powershell"]:
            fields.problem(f"{path}.powershell", "there is no bash or command beside it: nothing to run here")
        else:
            fields.problem(path, "bash, command or exec is required")
    env = fields.get(raw, "env", dict, path) or {}
    for key, value in env.items():
        if not isinstance(value, str):
            fields.problem(f"{path}.env.{key}", f"wanted a string, got {type_name(value)}")
    key = "timeoutSec" if "timeoutSec" in raw else "timeout"
    timeout = seconds(fields, raw, key, path, default=DEFAULT_TIMEOUT)
    if native not in EVENTS:
        return None
    document = fields.document
    if argv:
        text = " ".join(map(quoted, argv))
    return HookSpec(
        id="",
        event=EVENTS[native],
        native_event=native,
        executor=Executor(
            "bash", text, env=tuple((key, value) for key, value in env.items() if isinstance(value, str))
        ),
        matcher=_matcher(fields, group, native, path, alias=name in ALIASES),
        timeout=timeout,
        env_policy="inherit",
        description=fields.get(raw, "description", str, path),
        path=path,
        file=document.name,
        layer=document.layer,
        entry={"matcher": group.get("matcher"), **raw},
        extras={"name": name, "cwd": texts["cwd"]},
    )


def _matcher(fields: Fields, raw: dict[str, Any], native: str, path: str, *, alias: bool) -> Matcher:
    pattern, key = fields.get(raw, "matcher", str, path), ROWS[native].matched
    if pattern in (None, "", "*"):
        return ALWAYS
    if not key:
        fields.note(f"{path}.matcher", f"has no meaning on {native}: all match")
        return ALWAYS
    test: TextTest | None
    try:
        if alias and key == "toolName":  # Claude Code's rules and names
            test = text_test(pattern, names=WIDE, separators=",")
        else:
            whole = f"^(?:{pattern})$"
            test = Regex(whole, "js", compile_search(whole, "js"))
    except PatternError as error:
        fields.problem(f"{path}.matcher", f"does not compile: {error}")
        return ALWAYS
    if test is None:
        return ALWAYS
    if key == "toolName":
        return ToolName(test, {name: (other,) for name, other in TOOLS.items()} if alias else {})
    place = PLACES.get(key, f"extra.{key}")

    def value(event: Event) -> str:
        return as_text(look(event, place))

    return Value(key, value, test)


TARGET = Target(
    "GitHub Copilot",
    EVENTS,
    timeout="timeoutSec",
    default=DEFAULT_TIMEOUT,
    text="bash",
    name="description",
    env="env",
    always_closes=True,
    matched=("preToolUse", "permissionRequest", "postToolUse", "postToolUseFailure"),
)


def render(specs: Sequence[HookSpec]) -> tuple[Json, tuple[str, ...]]:
    """Return a file for .github/hooks, and one line for everything that is lost."""
    hooks, lost = flat(specs, TARGET)
    made = {
        name: [{"type": "command", **_whole(each)} for each in several] for name, several in hooks.items()
    }
    return {"version": 1, "hooks": made}, lost


def _whole(hook: Json) -> dict[str, Json]:
    """Return a hook whose matcher, a search anywhere in the name, is said as one over all of it."""
    pattern = hook.get("matcher")
    if pattern is None:
        return dict(hook)
    if pattern.startswith("^(?:") and pattern.endswith(")$"):
        whole = pattern[4:-2]
    elif pattern.startswith("^") and pattern.endswith("$") and pattern[1:-1].replace("_", "").isalnum():
        whole = pattern[1:-1]
    else:
        whole = f".*(?:{pattern}).*"
    return {**hook, "matcher": whole}


SCHEMA: dict[str, Any] = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "title": "Hooks of GitHub Copilot",
    "type": "object",
    "required": ["version", "hooks"],
    "properties": {
        "version": {"const": 1},
        "hooks": {
            "type": "object",
            "properties": {
                name: {"type": "array", "items": {"$ref": "#/$defs/hook"}} for name in (*EVENTS, *ALIASES)
            },
        },
    },
    "$defs": {
        "hook": {
            "type": "object",
            "required": ["type"],
            "properties": {
                "type": {"enum": ["command", "http", "prompt"]},
                "bash": {"type": "string", "description": "Shell source."},
                "powershell": {"type": "string"},
                "command": {"type": "string", "description": "Used when there is no bash or powershell."},
                "exec": {"type": "string", "description": "A program, without a shell."},
                "args": {"type": "array", "items": {"type": "string"}},
                "cwd": {"type": "string"},
                "env": {"type": "object", "additionalProperties": {"type": "string"}},
                "timeoutSec": {"type": "number", "default": DEFAULT_TIMEOUT},
                "matcher": {"type": "string", "description": "An expression over all of the tool's name."},
            },
        }
    },
}
