"""Mistral Vibe's hooks.toml: the project's hooks come first, and replace the user's of the same name."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256

from sandhook.hooks.contracts import Document, Layer, Loaded, LoadOptions, may_override
from sandhook.hooks.contracts._convert import Target, converted
from sandhook.hooks.contracts._fields import Fields
from sandhook.hooks.contracts._groups import Handler
from sandhook.hooks.contracts._loader import (
    SHELL_SOURCE,
    entries,
    gather,
    home,
    hook_of,
    hook_spec,
    schema,
    seconds,
    whole_name,
)
from sandhook.hooks.contracts.mistral_vibe.names import DEFAULT_TIMEOUT, EVENTS, FIELDS, ROWS
from sandhook.hooks.decode import encode
from sandhook.hooks.event import Json, JsonObject
from sandhook.hooks.flavour import compile_search
from sandhook.hooks.matcher import ALWAYS, Exact, Glob, Matcher, Regex, ToolName
from sandhook.hooks.model import Executor, HookSpec
from sandhook.pattern.errors import PatternError
from sandhook.record import Record


def layers(cwd: str, env: Mapping[str, str], platform: str) -> Sequence[Layer]:
    """Return Mistral Vibe's files, weakest first."""
    own = env.get("VIBE_HOME") or f"{home(env, platform)}/.vibe"
    return [Layer("user", f"{own}/hooks.toml"), Layer("project", f"{cwd}/.vibe/hooks.toml")]


def load(documents: Sequence[Document], options: LoadOptions) -> Loaded:
    """Read configurations, weakest layer first; the hooks of the strongest run first."""
    strict = options.strict
    owners: dict[str, list[Fields]] = {}

    def read(fields: Fields, value: JsonObject) -> Iterator[HookSpec]:
        for spec in _document(fields, value):
            earlier = [each for each in owners.get(spec.description or "", ()) if each is not fields]
            replaced = [each for each in earlier if strict or may_override(each.document.layer, spec.layer)]
            if replaced:
                where = replaced[0].document.name or "another"
                fields.note(spec.path, f"the name {spec.description!r} belongs to {where}")
                continue
            if earlier:
                where = earlier[0].document.name or "another"
                fields.note(
                    spec.path,
                    f"the name {spec.description!r} is also in {where}, whose layer cannot replace it: both run",
                )
            owners.setdefault(spec.description or "", []).append(fields)
            yield spec

    return gather(tuple(reversed(documents)), EVENTS, read)


def _document(fields: Fields, value: JsonObject) -> Iterator[HookSpec]:
    seen: set[str] = set()
    for handler in entries(fields, value, "hooks", "", noun="a table"):
        before = len(fields.problems)
        spec = _hook(fields, handler)
        name = spec.description or ""
        if name and name in seen:
            fields.problem(f"{handler.path}.name", f"{name!r} is there twice")
        seen.add(name)
        if len(fields.problems) == before:
            yield spec


def _hook(fields: Fields, handler: Handler) -> HookSpec:
    raw, path = handler.raw, handler.path
    fields.unknown(raw, FIELDS, path)
    texts = {key: fields.get(raw, key, str, path) for key in ("name", "type", "command")}
    for key, text in texts.items():
        if not text and (key not in raw or text is not None):
            fields.problem(path if key not in raw else f"{path}.{key}", f"{key} is required")
    event = texts["type"] or ""
    if event and event not in EVENTS:
        fields.problem(f"{path}.type", f"unknown event {event!r}; known are {', '.join(EVENTS)}")
    fields.get(raw, "description", str, path)
    strict = fields.get(raw, "strict", bool, path)
    native = event if event in EVENTS else "before_tool"
    return hook_spec(
        fields,
        handler._replace(event=native),
        EVENTS[native],
        Executor("bash", texts["command"] or ""),
        matcher=_matcher(fields, raw, native, path),
        timeout=seconds(fields, raw, "timeout", path, default=DEFAULT_TIMEOUT),
        on_error="block" if strict else "warn",
        description=texts["name"],
        entry=raw,
    )


class AnyCase(Record):
    """A shell pattern over the whole name, whatever its case."""

    pattern: str

    def test(self, text: str) -> bool:
        return Glob(self.pattern.lower()).test(text.lower())

    def __str__(self) -> str:
        return str(Glob(self.pattern))


def _matcher(fields: Fields, raw: JsonObject, event: str, path: str) -> Matcher:
    pattern = fields.get(raw, "match", str, path)
    if pattern in (None, "", "*"):
        return ALWAYS
    if not ROWS[event].matched:
        fields.problem(f"{path}.match", f"has no meaning on {event}")
        return ALWAYS
    if not pattern.startswith("re:"):
        plain = not set(pattern) & set("*?[")
        return ToolName(Exact(pattern) if plain and pattern.islower() else AnyCase(pattern))
    text = f"(?i)^(?:{pattern[3:]})$"
    try:
        return ToolName(Regex(text, "go", compile_search(text, "go")))
    except PatternError as error:
        fields.problem(f"{path}.match", f"does not compile: {error}")
        return ALWAYS


TARGET = Target("Mistral Vibe", EVENTS, closes="strict", whole=False, matched=("before_tool", "after_tool"))


def render(specs: Sequence[HookSpec]) -> tuple[Json, tuple[str, ...]]:
    """Return the values of a hooks.toml, and a line for each thing that it cannot express."""
    lost: list[str] = []
    hooks: list[Json] = []
    names: dict[str, int] = {}
    for spec in specs:
        for native, pattern, fields in converted([spec], TARGET, lost):
            match: JsonObject = {"match": _match(pattern)} if pattern else {}
            wanted = spec.description or _name(spec.id, {**match, **fields})
            names[wanted] = names.get(wanted, 0) + 1
            name = wanted if names[wanted] == 1 else f"{wanted}-{names[wanted]}"
            hooks.append({"name": name, "type": native, **match, **fields})
    return {"hooks": hooks}, tuple(lost)


def _name(id_: str, fields: JsonObject) -> str:
    """Return the name of a hook without one: names of all files of a layer differ, and positions in them do not."""
    if not id_.endswith("]"):
        return id_
    return f"{id_.partition('[')[0]}-{sha256(encode(fields).encode()).hexdigest()[:6]}"


def _match(pattern: str) -> str:
    """Return a search anywhere in a name as ``match`` has it: a name, or an expression after "re:"."""
    if pattern.startswith("(?i)^(?:") and pattern.endswith(")$"):
        return f"re:{pattern[8:-2]}"
    whole = whole_name(pattern)
    return whole if whole == pattern[1:-1] else f"re:.*(?:{pattern}).*"


SCHEMA = schema(
    "Mistral Vibe's hooks.toml",
    {"hooks": {"type": "array", "items": {"$ref": "#/$defs/hook"}}},
    {
        "hook": hook_of(
            {
                "name": {"type": "string", "minLength": 1},
                "type": {"enum": list(EVENTS)},
                "match": {
                    "type": "string",
                    "description": "A shell pattern on the tool's name, or an expression after re:.",
                },
                "command": SHELL_SOURCE,
                "timeout": {"type": "number", "default": DEFAULT_TIMEOUT, "description": "Seconds."},
                "strict": {"type": "boolean", "default": False, "description": "A failure refuses."},
                "description": {"type": "string"},
            },
            "name",
            "type",
            "command",
        )
    },
)
