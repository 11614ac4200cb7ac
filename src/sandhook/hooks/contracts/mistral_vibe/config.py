"""Mistral Vibe's hooks.toml: the project's hooks come first, and of hooks with one name the agent runs the first."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256

from sandhook.hooks.contracts import Document, Layer, Loaded, LoadOptions, may_override
from sandhook.hooks.contracts._convert import Target, converted
from sandhook.hooks.contracts._fields import Fields
from sandhook.hooks.contracts._groups import Handler
from sandhook.hooks.contracts._loader import (
    NO_TIME,
    SHELL_SOURCE,
    entries,
    gather,
    home,
    hook_of,
    hook_spec,
    schema,
    whole_name,
)
from sandhook.hooks.contracts.mistral_vibe.names import (
    DEFAULT_TIMEOUT,
    EVENTS,
    FIELDS,
    FORMER,
    MAX_TIMEOUT,
    ROWS,
)
from sandhook.hooks.decode import encode, type_name
from sandhook.hooks.event import Json, JsonObject
from sandhook.hooks.flavour import compile_search
from sandhook.hooks.matcher import ALWAYS, Exact, Glob, Matcher, Regex, ToolName
from sandhook.hooks.model import Executor, HookSpec
from sandhook.pattern.errors import PatternError, UnsupportedError
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
        for spec in _document(fields, value, strict=strict):
            name, others = spec.description or "", owners.get(spec.description or "", [])
            if fields in others:
                fields.note(
                    f"{spec.path}.name", f"{name!r} is there twice: Mistral Vibe runs the first alone"
                )
                if strict:
                    continue
            earlier = [each for each in others if each is not fields]
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


def _document(fields: Fields, value: JsonObject, *, strict: bool) -> Iterator[HookSpec]:
    for handler in entries(fields, value, "hooks", "", noun="a table"):
        before = len(fields.problems)
        spec = _hook(fields, handler, strict=strict)
        if len(fields.problems) == before:
            yield spec


def _hook(fields: Fields, handler: Handler, *, strict: bool) -> HookSpec:
    """Return a hook.

    Args:
        strict: What Mistral Vibe skips is a fault; otherwise a name that changed is read, and so are keys that do not fit.
    """
    raw, path = handler.raw, handler.path
    fields.unknown(raw, FIELDS, path)
    texts = {key: fields.get(raw, key, str, path) for key in ("name", "type", "command")}
    for key, text in texts.items():
        blank = text is not None and not text.strip() and key != "name"
        if blank or key not in raw:
            fields.problem(path if key not in raw else f"{path}.{key}", f"{key} is required")
    event = texts["type"] or ""
    native = event if event in EVENTS or strict else FORMER.get(event, event)
    if event in FORMER and not strict:
        fields.note(
            f"{path}.type", f"Mistral Vibe skips {event!r}: it is {FORMER[event]} since its version 2"
        )
    elif event and event not in EVENTS:
        fields.problem(f"{path}.type", f"unknown event {event!r}; known are {', '.join(EVENTS)}")
    fields.get(raw, "description", str, path)
    closes = _truth(fields, raw, path)
    native = native if native in EVENTS else "pre_tool"
    if closes and native == "post_agent":
        (fields.problem if strict else fields.note)(f"{path}.strict", f"has no meaning on {native}")
    return hook_spec(
        fields,
        handler._replace(event=native),
        EVENTS[native],
        Executor("bash", texts["command"] or ""),
        matcher=_matcher(fields, raw, native, path, strict=strict),
        timeout=_timeout(fields, raw, path),
        on_error="block" if closes else "warn",
        description=texts["name"],
        entry=raw,
    )


#: Words that pydantic reads as truth values.
_TRUE, _FALSE = ("true", "yes", "on", "y", "t", "1"), ("false", "no", "off", "n", "f", "0")


def _truth(fields: Fields, raw: JsonObject, path: str) -> bool:
    """Return whether a failure of the hook refuses; words and numbers count, too."""
    value = raw.get("strict", False)
    if isinstance(value, bool):
        return value
    word = str(value).lower() if isinstance(value, (str, int, float)) else ""
    if word.removesuffix(".0") in (*_TRUE, *_FALSE):
        return word.removesuffix(".0") in _TRUE
    fields.problem(f"{path}.strict", f"wanted a boolean, got {type_name(value)}")
    return False


def _timeout(fields: Fields, raw: JsonObject, path: str) -> float:
    """Return the seconds of a hook; a number may be a text or a truth value, and without any time it ends at once."""
    value = raw.get("timeout")
    if isinstance(value, (str, bool)):
        try:
            raw = {**raw, "timeout": float(value)}
        except ValueError:
            fields.problem(f"{path}.timeout", f"wanted a number, got {encode(value)}")
            return DEFAULT_TIMEOUT
    number = fields.get(raw, "timeout", float, path)
    if number is None:
        return DEFAULT_TIMEOUT
    if number <= 0:
        fields.note(f"{path}.timeout", f"is {number:g}: Mistral Vibe ends the hook at once")
    return min(max(float(number), NO_TIME if number <= 0 else 0.0), MAX_TIMEOUT)


class AnyCase(Record):
    """A shell pattern over the whole name, whatever its case."""

    pattern: str

    def test(self, text: str) -> bool:
        return Glob(self.pattern.lower()).test(text.lower())

    def __str__(self) -> str:
        return str(Glob(self.pattern))


class _BareNames(dict[str, tuple[str, ...]]):
    """The other name of each tool: what follows its last dot, so that file_system.bash is bash, too."""

    def get(self, name: str, default: object = ()) -> tuple[str, ...]:
        bare = name.rpartition(".")[2]
        return (bare,) if bare != name else ()


_BARE_NAMES = _BareNames()


def _matcher(fields: Fields, raw: JsonObject, event: str, path: str, *, strict: bool) -> Matcher:
    pattern = fields.get(raw, "match", str, path)
    if pattern in (None, "*"):
        return ALWAYS
    if not pattern.strip():
        (fields.problem if strict else fields.note)(
            f"{path}.match", "must not be empty: Mistral Vibe skips the hook"
        )
        return ALWAYS
    if not ROWS[event].matched:
        fields.problem(f"{path}.match", f"has no meaning on {event}")
        return ALWAYS
    if not pattern.startswith("re:"):
        plain = not set(pattern) & set("*?[")
        return ToolName(Exact(pattern) if plain and pattern.islower() else AnyCase(pattern), _BARE_NAMES)
    text = f"(?i)^(?:{pattern[3:]})$"
    try:
        return ToolName(Regex(text, "python", compile_search(f"(?i){pattern[3:]}", "python")), _BARE_NAMES)
    except UnsupportedError as error:
        fields.note(f"{path}.match", f"{error}: every tool matches")
        return ALWAYS
    except PatternError as error:
        fields.problem(f"{path}.match", f"does not compile: {error}")
        return ALWAYS


TARGET = Target("Mistral Vibe", EVENTS, closes="strict", whole=False, matched=("pre_tool", "post_tool"))


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
