"""Gemini CLI's settings.json: the user's hooks come first, then the project's, the system's, extensions'."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial

from sandhook.hooks.contracts import Document, Layer, Loaded, LoadOptions, may_override, needs_trust
from sandhook.hooks.contracts._convert import Target, grouped
from sandhook.hooks.contracts._fields import Fields, did_you_mean, join
from sandhook.hooks.contracts._groups import Handler, handlers, without_unusable
from sandhook.hooks.contracts._loader import (
    SHELL_SOURCE,
    check_type,
    gather,
    group_of,
    groups_schema,
    home,
    hook_of,
    hook_spec,
    matcher_on,
    no_effect,
    seconds,
    shell_text,
    timer,
)
from sandhook.hooks.contracts._reading.languages import JAVASCRIPT_BLANKS
from sandhook.hooks.contracts.gemini.names import ABSENT, DEFAULT_TIMEOUT, EVENTS, FIELDS, ROWS, SETTINGS
from sandhook.hooks.decode import texts_of
from sandhook.hooks.diagnostic import Diagnostic
from sandhook.hooks.event import Json, JsonObject
from sandhook.hooks.flavour import compile_search
from sandhook.hooks.matcher import ALWAYS, Exact, Matcher, Regex, ToolName
from sandhook.hooks.model import Executor, HookSpec
from sandhook.pattern.errors import PatternError, UnsupportedError
from sandhook.record import Record

#: The weakest file, next to the settings of the system.
DEFAULTS = "system-defaults.json"


def layers(cwd: str, env: Mapping[str, str], platform: str) -> Sequence[Layer]:
    """Return the settings that Gemini CLI reads, weakest first."""
    system = {
        "win32": "C:/ProgramData/gemini-cli/settings.json",
        "darwin": "/Library/Application Support/GeminiCli/settings.json",
    }.get(platform, "/etc/gemini-cli/settings.json")
    path = env.get("GEMINI_CLI_SYSTEM_SETTINGS_PATH") or system
    above = path.replace("\\", "/").rpartition("/")[0]
    return [
        Layer("managed", env.get("GEMINI_CLI_SYSTEM_DEFAULTS_PATH") or f"{above}/{DEFAULTS}"),
        Layer("managed", path),
        Layer("user", f"{home(env, platform)}/.gemini/settings.json"),
        Layer("project", f"{cwd}/.gemini/settings.json"),
    ]


def load(documents: Sequence[Document], options: LoadOptions) -> Loaded:
    """Read configurations, weakest layer first; hooks run in the order in which Gemini CLI joins its files."""
    switches = sorted((each for each in map(_switch_of, documents) if each.in_use), key=_precedence)
    off = next((not each.enabled for each in switches if each.enabled is not None), False)
    read = partial(_document, strict=options.strict)
    matched = [name for name, row in ROWS.items() if row.matched]
    loaded = without_unusable(
        gather(sorted(documents, key=_position), EVENTS, read),
        documents,
        matched,
        "Gemini CLI",
        strict=options.strict,
    )
    kept: list[HookSpec] = []
    withheld: list[tuple[HookSpec, str]] = []
    notes: dict[str, None] = {}
    for spec in loaded.specs:
        names = {spec.description or "", spec.executor.text}
        why: str | None = None
        decided = False
        for each in switches:
            listed = bool(each.names & names)
            if not options.strict and not may_override(each.document.layer, spec.layer):
                if listed or (off and each.enabled is False):
                    switch = "disabled" if listed else "enabled"
                    note = Diagnostic(
                        no_effect(each.document, spec), f"hooksConfig.{switch}", each.document.name
                    )
                    notes[note] = None
                continue
            if listed:
                why = "is listed as disabled"
            elif off and not decided and each.enabled is False:
                why = why or "hooks are switched off (enabled: false)"
            decided = decided or each.enabled is not None
        if why is None:
            kept.append(spec)
        else:
            withheld.append((spec, why))
    return loaded._replace(
        specs=tuple(kept), withheld=tuple(withheld), diagnostics=(*loaded.diagnostics, *notes)
    )


class _Switch(Record):
    """What one file says about all hooks, and which it disables by name."""

    document: Document
    names: frozenset[str]
    enabled: bool | None

    @property
    def in_use(self) -> bool:
        return bool(self.names) or self.enabled is not None


def _position(document: Document) -> int:
    """Return the position of a file: the defaults, the user's, the project's, the system's, an extension's."""
    if document.layer == "managed":
        return 0 if document.name.endswith(DEFAULTS) else 4
    if document.layer in ("", "bundle"):
        return 2 if document.layer == "" else 5
    return 3 if needs_trust(document.layer) else 1


def _precedence(switch: _Switch) -> int:
    """Return the rank of a file's switch: the system's, the caller's, a project's, the user's, the defaults'."""
    document = switch.document
    if document.layer == "managed":
        return 4 if document.name.endswith(DEFAULTS) else 0
    if document.layer == "":
        return 1
    return 2 if needs_trust(document.layer) else 3


def _switch_of(document: Document) -> _Switch:
    """Return the names of hooks that a file switches off, and whether it enables hooks at all."""
    off: set[str] = set()
    enabled: bool | None = None
    value = document.value
    for key in ("hooks", "hooksConfig"):
        settings = value.get(key) if isinstance(value, dict) else None
        if isinstance(settings, dict):
            names = settings.get("disabled")
            off.update(name for name in names if isinstance(name, str)) if isinstance(names, list) else None
            switch = settings.get("enabled")
            enabled = switch if isinstance(switch, bool) else enabled
    return _Switch(document, frozenset(off - {""}), enabled)


def _document(fields: Fields, value: JsonObject, *, strict: bool) -> Iterator[HookSpec]:
    hooks = fields.get(value, "hooks", dict, "") or {}
    settings = fields.get(value, "hooksConfig", dict, "") or {}
    for place, switches in (("hooks", hooks), ("hooksConfig", settings)):
        fields.get(switches, "enabled", bool, place)
        fields.strings(switches, "disabled", place)
    for name in hooks:
        if name not in EVENTS and name not in SETTINGS:
            hint = did_you_mean(name, EVENTS)
            fields.note(join("hooks", name), f"is not an event of Gemini CLI: its hooks never run{hint}")
    known = {name: each for name, each in hooks.items() if name in EVENTS}
    groups: dict[str, tuple[Matcher, bool, bool]] = {}
    for handler in handlers(fields, known):
        before = len(fields.problems)
        if handler.group_path not in groups:
            fields.lenient(handler.group, "sequential", bool, handler.group_path)
            sequential = bool(handler.group.get("sequential"))
            good = len(fields.problems) == before
            groups[handler.group_path] = (_matcher(fields, handler), sequential, good)
        matcher, sequential, good = groups[handler.group_path]
        spec = _hook(fields, handler, matcher, sequential, strict=strict)
        if good and len(fields.problems) == before:
            yield spec


def _hook(fields: Fields, handler: Handler, matcher: Matcher, sequential: bool, *, strict: bool) -> HookSpec:
    raw, path = handler.raw, handler.path
    fields.unknown(raw, FIELDS, path)
    check_type(fields, raw, path)
    command = shell_text(fields, raw, path).replace("${extensionPath}", _extension(fields.document))
    name = fields.lenient(raw, "name", str, path)
    fields.lenient(raw, "description", str, path)
    fields.variables(raw, path)
    limit = seconds(fields, raw, "timeout", path, default=DEFAULT_TIMEOUT, unit=0.001)
    return hook_spec(
        fields,
        handler,
        EVENTS[handler.event],
        Executor("bash", command, env=tuple(texts_of(raw, "env").items())),
        matcher=matcher,
        timeout=timer(fields, f"{path}.timeout", limit, strict=strict),
        description=name,
        source=name or "user",
        entry={**raw, "matcher": handler.matcher},
        extras={"sequential": sequential},
    )


def _extension(document: Document) -> str:
    """Return the directory of an extension, from the file of its hooks; its variable stays elsewhere."""
    place, _, name = document.name.replace("\\", "/").rpartition("/hooks/")
    return place if document.layer == "bundle" and name == "hooks.json" else "${extensionPath}"


def _matcher(fields: Fields, handler: Handler) -> Matcher:
    pattern, key = handler.matcher.strip(JAVASCRIPT_BLANKS), ROWS[handler.event].matched
    if pattern in ("", "*"):
        return ALWAYS
    if not key:
        fields.note(f"{handler.group_path}.matcher", f"has no meaning on {handler.event}: all match")
        return ALWAYS
    if key != "tool_name":
        place = "reason" if key == "reason" else None
        return matcher_on(key, Exact(pattern), place=place, absent=ABSENT.get(key, ""))
    try:
        return ToolName(Regex(pattern, "js", compile_search(pattern, "js")))
    except UnsupportedError as error:
        fields.note(f"{handler.group_path}.matcher", f"{error}: all match")
        return ALWAYS
    except PatternError as error:
        fields.note(f"{handler.group_path}.matcher", f"does not compile ({error}): read as a name")
        return ToolName(Exact(pattern))


TARGET = Target(
    "Gemini CLI",
    EVENTS,
    default=DEFAULT_TIMEOUT,
    units=1000,
    name="name",
    env="env",
    matched=tuple(name for name, row in ROWS.items() if row.matched),
)


def render(specs: Sequence[HookSpec]) -> tuple[Json, tuple[str, ...]]:
    """Return the hooks of a settings.json, and a line for each thing that it cannot express."""
    return grouped(specs, TARGET)


SCHEMA = groups_schema(
    "Hooks in Gemini CLI's settings.json",
    EVENTS,
    group_of(
        "JavaScript's RegExp on the tool's name; elsewhere a text.",
        {"sequential": {"type": "boolean", "default": False, "description": "One by one, chained."}},
        required=False,
    ),
    hook_of(
        {
            "type": {"const": "command"},
            "command": SHELL_SOURCE,
            "name": {"type": "string"},
            "timeout": {"type": "number", "default": 60000, "description": "Milliseconds."},
            "description": {"type": "string"},
            "env": {"type": "object", "additionalProperties": {"type": "string"}},
        },
        "type",
        "command",
    ),
    {
        "hooksConfig": {
            "type": "object",
            "properties": {
                "enabled": {"type": "boolean", "default": True},
                "disabled": {"type": "array", "items": {"type": "string"}, "description": "Names of hooks."},
            },
        }
    },
)
