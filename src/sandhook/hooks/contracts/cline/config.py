"""Cline's directories of hooks, and the object that stands for their files.

Cline reads no configuration. A file becomes an object with a list for its event, so that its hook is one like those
of other agents: ``{"hooks": {"PreToolUse": [{"command": "bash .clinerules/hooks/PreToolUse"}]}}``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial

from sandhook.hooks.contracts import Document, Layer, Loaded, LoadOptions
from sandhook.hooks.contracts._convert import Target, flat
from sandhook.hooks.contracts._fields import Fields, did_you_mean
from sandhook.hooks.contracts._groups import Handler
from sandhook.hooks.contracts._loader import (
    SHELL_SOURCE,
    entries,
    gather,
    home,
    hook_of,
    hook_spec,
    lists_of,
    schema,
    shell_text,
)
from sandhook.hooks.contracts.cline.names import (
    AWAITED,
    EVENTS,
    FIELDS,
    PROJECT_DIRECTORIES,
    RESERVED,
    TIMEOUT,
    event_of_file,
    starter,
)
from sandhook.hooks.diagnostic import Diagnostic
from sandhook.hooks.event import Json, JsonObject
from sandhook.hooks.model import Executor, HookSpec
from sandhook.text.quoting import quote_word


def layers(cwd: str, env: Mapping[str, str], platform: str) -> Sequence[Layer]:
    """Return the four directories of hooks, all files of which are looked at."""
    own = home(env, platform)
    user = (f"{own}/Documents/Cline/Hooks", f"{env.get('CLINE_DIR') or own + '/.cline'}/hooks")
    return [
        *(Layer("user", f"{directory}/*", "file") for directory in user),
        *(Layer("project", f"{cwd}/{directory}/*", "file") for directory in PROJECT_DIRECTORIES),
    ]


def is_hook(file: str) -> bool:
    """Return whether Cline starts a file, by its name."""
    return event_of_file(_base(file)) is not None


def near(file: str) -> str:
    """Return a hint for a file that has almost the name of an event, "" for any other."""
    return did_you_mean(_base(file).partition(".")[0].strip(), EVENTS)


def _base(file: str) -> str:
    return file.replace("\\", "/").rpartition("/")[2]


def of_file(text: str, name: str) -> Document:
    """Return the document of a file in one of the directories; its value is None for a file that is not a hook."""
    base = _base(name)
    event = event_of_file(base)
    if event is None:
        hint = near(base)
        note = Diagnostic(f"is not the name of an event: Cline does not start {base}{hint}", "", name)
        notes = (note,) if hint else ()
        return Document(None, name, contract="cline", diagnostics=notes)
    words = starter(base, text)
    file: JsonObject = {"file": name, "starter": list(words)}
    return Document({"hooks": {event: [file]}}, name, contract="cline", text=text, lines={"": 1})


def load(documents: Sequence[Document], options: LoadOptions) -> Loaded:
    """Read configurations; every fault is in the result, with its path."""
    return gather(_in_order(documents), EVENTS, partial(_document, options=options))


def _in_order(documents: Sequence[Document]) -> list[Document]:
    """Return the documents with those of files in the order of their paths, in which Cline starts them."""
    files = iter(sorted((each for each in documents if each.text), key=lambda each: each.name.lower()))
    return [next(files) if each.text else each for each in documents]


def _document(fields: Fields, value: JsonObject, *, options: LoadOptions) -> Iterator[HookSpec]:
    hooks = fields.get(value, "hooks", dict, "") or {}
    for name in hooks:
        if name == RESERVED:
            fields.note(f"hooks.{name}", "is an event that Cline knows and never fires: its hooks never run")
        elif name not in EVENTS:
            fields.note(
                f"hooks.{name}", f"is not an event of Cline: its hooks never run{did_you_mean(name, EVENTS)}"
            )
        for handler in entries(fields, hooks, name, "hooks"):
            before = len(fields.problems)
            spec = _hook(fields, handler, options)
            if spec is not None and len(fields.problems) == before:
                yield spec


def _hook(fields: Fields, handler: Handler, options: LoadOptions) -> HookSpec | None:
    raw, path, event = handler.raw, handler.path, handler.event
    if "file" in raw and fields.document.text:
        words = [str(word) for word in raw["starter"]] if isinstance(raw["starter"], list) else []
        command = " ".join(map(quote_word, (*words, _as_seen(fields.document, options.env))))
        path = ""
    else:
        fields.unknown(raw, FIELDS, path)
        command = shell_text(fields, raw, path, required=True)
    if event not in EVENTS:
        return None
    return hook_spec(
        fields,
        handler._replace(path=path),
        EVENTS[event],
        Executor("bash", command),
        timeout=TIMEOUT,
        background=event not in AWAITED,
        entry={"command": command},
    )


def _as_seen(document: Document, env: Mapping[str, str]) -> str:
    """Return the path of a file as its hook sees it: below the project, where it runs, or as it is."""
    name = document.name.replace("\\", "/")
    own = env.get("HOME") or env.get("USERPROFILE", "").replace("\\", "/")
    if document.layer == "user" or (own and name.startswith(f"{own}/.cline/hooks/")):
        return name
    for directory in PROJECT_DIRECTORIES:
        place = f"/{directory}/"
        last = f"/{name}".rpartition(place)[2]
        if place in f"/{name}" and "/" not in last:
            return f"{directory}/{last}"
    return name


TARGET = Target("Cline", EVENTS, default=TIMEOUT)


def render(specs: Sequence[HookSpec]) -> tuple[Json, tuple[str, ...]]:
    """Return the object that stands for the files, and a line for each thing that it cannot express."""
    hooks, lost = flat([spec._replace(timeout=TIMEOUT) for spec in specs], TARGET)
    fixed = tuple(
        f"{spec.id}: its timeout of {spec.timeout:g} seconds; Cline's is {TIMEOUT:g} for every hook"
        for spec in specs
        if spec.timeout != TIMEOUT
    )
    return {"hooks": hooks}, (*lost, *fixed)


SCHEMA = schema(
    "Hooks of Cline, which reads them from files with the names of events",
    {"hooks": lists_of("hook", EVENTS)},
    {
        "hook": hook_of({"command": SHELL_SOURCE}, "command"),
    },
)
