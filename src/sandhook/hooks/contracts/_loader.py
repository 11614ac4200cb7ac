"""What the loaders of the contracts share: lists of hooks, their common fields, matchers and schemas."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from sandhook.errors import Problem
from sandhook.hooks.contracts import Document, Loaded
from sandhook.hooks.contracts._claude_shape import Value
from sandhook.hooks.contracts._fields import Fields, join
from sandhook.hooks.contracts._groups import Handler, report_outside
from sandhook.hooks.contracts._payload import look
from sandhook.hooks.decode import text_of, type_name
from sandhook.hooks.diagnostic import Diagnostic
from sandhook.hooks.event import Event, Json, JsonObject
from sandhook.hooks.flavour import compile_search
from sandhook.hooks.matcher import Matcher, Regex, TextTest, ToolName, as_text
from sandhook.hooks.model import Executor, HookSpec

if TYPE_CHECKING:
    from typing import TypedDict, Unpack

    from sandhook.hooks.model import OnError

    class SpecFields(TypedDict, total=False):
        """Fields of HookSpec that ``hook_spec`` does not set by itself."""

        matcher: Matcher
        timeout: float
        on_error: OnError
        background: bool
        env_except: tuple[str, ...]
        include_sub_agents: bool
        description: str | None
        source: str
        entry: Json
        extras: Mapping[str, Json] | None


def home(env: Mapping[str, str], platform: str) -> str:
    """Return the user's home directory, "" when the environment does not name it."""
    return env.get("USERPROFILE" if platform == "win32" else "HOME", "")


def no_effect(document: Document, spec: HookSpec) -> str:
    """Return the message of a note on a setting that has no effect on hooks of a stronger layer."""
    stronger = f"the {spec.layer} layer" if spec.layer else "the caller"
    return f"has no effect on hooks of {stronger}: files of the {document.layer} layer cannot switch them off"


# Documents and lists.


def gather(
    documents: Sequence[Document],
    events: Iterable[str],
    read: Callable[[Fields, JsonObject], Iterable[HookSpec]],
    *,
    noun: str = "an object",
    bare: bool = False,
    top: str = "hooks",
) -> Loaded:
    """Read documents in order; hooks are grouped by event, and their ids are their positions there.

    Args:
        events: The contract's names of its events, in the order of the result.
        read: Yields the hooks of one document that have no fault; reports faults to its Fields.
        noun: The name of an object in the file's format, with its article.
        bare: The lists of the events may stand outside of "hooks".
        top: The key of a file that has the hooks; "" if the keys are names of the user.
    """
    by_event: dict[str, list[HookSpec]] = {name: [] for name in events}
    all_fields = [Fields(document) for document in documents]
    for fields in all_fields:
        value = fields.document.value
        if isinstance(value, dict):
            if not bare:
                report_outside(fields, value, by_event, top)
            for spec in read(fields, value):
                by_event[spec.native_event].append(spec)
        elif value is not None:
            fields.problem("", f"wanted {noun}, got {type_name(value)}")
    specs = [
        spec._replace(id=f"{name}[{index}]")
        for name, several in by_event.items()
        for index, spec in enumerate(several)
    ]
    return Loaded(
        tuple(specs),
        tuple(problem for fields in all_fields for problem in fields.problems),
        tuple(note for fields in all_fields for note in fields.notes),
    )


def gather_faultless(
    documents: Sequence[Document],
    events: Iterable[str],
    read: Callable[[Fields, JsonObject], Iterable[HookSpec]],
    why: str,
    *,
    bare: bool = False,
    top: str = "hooks",
) -> Loaded:
    """Read documents as ``gather`` does, for an agent that drops a whole file for one fault.

    Args:
        why: What the agent does with such a file; a problem of it.
        bare: As for ``gather``, and so is ``top``.
    """
    events = tuple(events)
    dropped: list[Problem] = []
    whole: list[Document] = []
    for document in documents:
        problems = gather([document], events, read, bare=bare, top=top).problems
        if problems:
            dropped += (*problems, Problem("", why, file=document.name))
        else:
            whole.append(document)
    loaded = gather(whole, events, read, bare=bare, top=top)
    return loaded._replace(problems=(*loaded.problems, *dropped))


def gather_reporting(
    documents: Sequence[Document],
    events: Iterable[str],
    read: Callable[[Fields, JsonObject], Iterable[HookSpec]],
    strictly: Callable[[Fields, JsonObject], Iterable[HookSpec]],
    why: str,
    *,
    bare: bool = False,
) -> Loaded:
    """Read documents as ``gather`` does, and note the faults for which the agent alone drops a whole file.

    Args:
        strictly: Reads as the agent does.
        why: What the agent does with such a file.
        bare: As for ``gather``.
    """
    events = tuple(events)
    loaded = gather(documents, events, read, bare=bare)
    known = {(problem.file, problem.path) for problem in loaded.problems}
    notes = [
        Diagnostic(f"{problem.message}: {why}", problem.path, problem.file)
        for document in documents
        if _may_be_odd(document.value)
        for problem in gather([document], events, strictly, bare=bare).problems
        if (problem.file, problem.path) not in known
    ]
    return loaded._replace(diagnostics=(*loaded.diagnostics, *notes)) if notes else loaded


def _may_be_odd(value: Json) -> bool:
    """Return whether a value has what only some agents refuse: null, a fraction, or a group without hooks."""
    if isinstance(value, dict):
        return not value or any(map(_may_be_odd, value.values()))
    if isinstance(value, list):
        return any(map(_may_be_odd, value))
    return value is None or isinstance(value, float)


def entries(
    fields: Fields, hooks: Mapping[str, Json], event: str, path: str, *, noun: str = "an object"
) -> Iterator[Handler]:
    """Yield the objects of one event's list; report everything else in it.

    Args:
        hooks: The lists by event.
        path: The position of ``hooks``.
    """
    for index, raw in enumerate(fields.get(hooks, event, list, path) or ()):
        place = f"{join(path, event)}[{index}]"
        if isinstance(raw, dict):
            yield Handler(event, "", raw, place, raw, place)
        else:
            fields.problem(place, f"wanted {noun}, got {type_name(raw)}")


# Fields of one hook.


def seconds(
    fields: Fields,
    raw: JsonObject,
    key: str,
    path: str,
    *,
    default: float,
    unit: float = 1.0,
    zero_is_default: bool = False,
) -> float:
    """Return a timeout in seconds; one that is not above zero is a fault.

    Args:
        unit: Seconds of one unit of the file.
        zero_is_default: The agent reads 0 as the default.
    """
    number = fields.get(raw, key, float, path)
    if number is None or (number == 0 and zero_is_default):
        return default
    if number <= 0:
        fields.problem(f"{path}.{key}", f"wanted a number above zero, got {number:g}")
        return default
    return float(number) * unit


#: The most seconds of a timer with 31 bits of milliseconds: a longer timeout ends at once in JavaScript, and is an error
#: of Python's subprocess, which ends the program.
LONGEST_TIMER = 2_147_483.647

#: The seconds of a hook without any time, which its agent starts and ends at once: enough for its first commands.
NO_TIME = 0.5


def timer(fields: Fields, path: str, limit: float, *, strict: bool) -> float:
    """Return a timeout as such a timer has it; in better mode one that is too long for it stays."""
    if limit <= LONGEST_TIMER:
        return limit
    fields.note(
        path, f"is longer than a timer holds ({LONGEST_TIMER:g} seconds): the agent ends the hook at once"
    )
    return NO_TIME if strict else limit


def shell_text(fields: Fields, raw: JsonObject, path: str, *, required: bool = False) -> str:
    """Return ``command``; a hook without one is a fault.

    Args:
        required: The fault is "command is required" at the hook, instead of "is empty" at the field.
    """
    command = fields.get(raw, "command", str, path) or ""
    if not command.strip() and ("command" not in raw or isinstance(raw["command"], str)):
        if not required:
            fields.problem(f"{path}.command", "is empty: there is nothing to run")
        else:
            fields.problem(path if "command" not in raw else f"{path}.command", "command is required")
    return command


def check_type(fields: Fields, raw: JsonObject, path: str) -> None:
    """Report a ``type`` that is not "command"."""
    type_ = fields.get(raw, "type", str, path)
    if type_ != "command" and ("type" not in raw or type_ is not None):
        fields.problem(f"{path}.type", f"wanted command, got {type_!r}" if type_ else "type is required")


def hook_spec(
    fields: Fields, handler: Handler, kind: str, executor: Executor, **rest: Unpack[SpecFields]
) -> HookSpec:
    """Return a hook that inherits the agent's environment, with its position in the file.

    Args:
        handler: Where the hook stands; its event is the contract's own name.
        kind: The neutral kind of the event.
    """
    document = fields.document
    return HookSpec(
        id="",
        event=kind,
        native_event=handler.event,
        executor=executor,
        env_policy="inherit",
        path=handler.path,
        file=document.name,
        layer=document.layer,
        **rest,
    )


def foreign_hook(
    fields: Fields, handler: Handler, kind: str, type_: str, **rest: Unpack[SpecFields]
) -> HookSpec:
    """Return a hook of a type that only the agent runs: here it could not run, which engines may take for a refusal.

    Args:
        handler: As for ``hook_spec``, and so is ``kind``.
        type_: Its type, which is the executor's name.
    """
    rest = {"entry": handler.raw, **rest}
    text = next((text for key in ("url", "prompt") if (text := text_of(handler.raw, key))), "")
    fields.note(
        f"{handler.path}.type",
        f"hooks of the type {type_} need an executor of the host, and cannot run without one",
    )
    return hook_spec(fields, handler, kind, Executor(type_, text, config=handler.raw), **rest)


# Matchers.


def matcher_on(
    key: str, test: TextTest, *, tool_key: str = "tool_name", place: str | None = None, absent: Json = ""
) -> Matcher:
    """Return a matcher on the tool's name, or on another value of the event.

    Args:
        key: The payload's key that matchers of the event look at.
        tool_key: The payload's key of the tool's name.
        place: Where the event has the value, as for ``look``; its extra of that key when None.
        absent: The value in the payload of an event that has none.
    """
    if key == tool_key:
        return ToolName(test)
    where = f"extra.{key}" if place is None else place

    def read(event: Event) -> str:
        value = look(event, where)
        return as_text(absent if value is None else value)

    return Value(key, read, test)


def whole_python(pattern: str) -> ToolName:
    """Return the matcher of an expression of Python's ``re`` over the whole name.

    Raises:
        PatternError: It does not compile in Python, or (UnsupportedError) cannot be searched in linear time.
    """
    return ToolName(Regex(f"^(?:{pattern})$", "python", compile_search(pattern, "python")))


def whole_name(pattern: str) -> str:
    """Return a search anywhere in a name as an expression over the whole name."""
    if pattern.startswith("^(?:") and pattern.endswith(")$"):
        return pattern[4:-2]
    if pattern.startswith("^") and pattern.endswith("$") and pattern[1:-1].replace("_", "").isalnum():
        return pattern[1:-1]
    return f".*(?:{pattern}).*"


# Schemas.


def schema(title: str, properties: JsonObject, definitions: JsonObject, **more: Json) -> JsonObject:
    """Return the JSON Schema of a configuration that is an object.

    Args:
        definitions: Schemas that others refer to as ``#/$defs/NAME``.
    """
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": title,
        "type": "object",
        **more,
        "properties": properties,
        "$defs": definitions,
    }


def groups_schema(
    title: str,
    events: Iterable[str],
    group: JsonObject,
    hook: JsonObject,
    more: JsonObject | None = None,
    **about: Json,
) -> JsonObject:
    """Return the JSON Schema of a configuration with a list of groups for each event.

    Args:
        group, hook: As ``group_of`` and ``hook_of`` return them.
        more: Further properties of the configuration.
        about: Further keywords of it.
    """
    properties: JsonObject = {"hooks": lists_of("group", events), **(more or {})}
    return schema(title, properties, {"group": group, "hook": hook}, **about)


#: The schema of a command that a shell reads.
SHELL_SOURCE: JsonObject = {"type": "string", "minLength": 1, "description": "Shell source."}


def hook_of(properties: JsonObject, *required: str) -> JsonObject:
    """Return the schema of one hook."""
    return {"type": "object", "required": list(required), "properties": properties}


def lists_of(definition: str, events: Iterable[str], **more: Json) -> JsonObject:
    """Return the schema of an object with a list for each event, whose items have one definition."""
    items: Json = {"type": "array", "items": {"$ref": f"#/$defs/{definition}"}}
    return {"type": "object", "properties": dict.fromkeys(events, items), **more}


def group_of(
    matcher: str, more: JsonObject | None = None, *, required: bool = True, **about: Json
) -> JsonObject:
    """Return the schema of an object with a matcher and a list of hooks, whose definition is named "hook".

    Args:
        matcher: The description of the matcher.
        more: Further properties.
        required: An object without the list is a fault.
        about: Further keywords of the matcher.
    """
    properties: JsonObject = {
        "matcher": {"type": "string", **about, "description": matcher},
        **(more or {}),
        "hooks": {"type": "array", "items": {"$ref": "#/$defs/hook"}},
    }
    return {"type": "object", **({"required": ["hooks"]} if required else {}), "properties": properties}
