"""jcode's hooks.json: three layers, the latter two behind a gate, groups appended per event."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sandhook.hooks.contracts import Document, Layer, Loaded, LoadOptions
from sandhook.hooks.contracts._fields import Fields
from sandhook.hooks.contracts._groups import Handler, handlers
from sandhook.hooks.contracts.jcode.matcher import matcher
from sandhook.hooks.contracts.jcode.names import (
    ASYNC_TIMEOUT,
    BLOCKABLE,
    DEFAULT_TIMEOUT,
    EVENTS,
    FIELDS,
    RESERVED_EVENTS,
)
from sandhook.hooks.decode import type_name
from sandhook.hooks.model import Executor, HookSpec

#: The variable that opens the gate of project and local files, when it is exactly "1".
TRUST_VARIABLE = "JCODE_HOOKS_TRUST_PROJECT"


def layers(cwd: str, env: Mapping[str, str], platform: str) -> Sequence[Layer]:
    """Return jcode's files, weakest first; the gate's variable makes the project's those of the user."""
    home = env.get("USERPROFILE" if platform == "win32" else "HOME", "")
    gate = env.get(TRUST_VARIABLE) == "1"
    return [
        Layer("user", f"{home}/.jcode/hooks.json"),
        Layer("user" if gate else "project", f"{cwd}/.jcode/hooks.json"),
        Layer("user" if gate else "local", f"{cwd}/.jcode/hooks.local.json"),
    ]


def load(documents: Sequence[Document], options: LoadOptions) -> Loaded:
    """Read configurations, weakest layer first; every fault is in the result, with its path."""
    found: dict[str, list[HookSpec]] = {name: [] for name in EVENTS}
    fields = [Fields(document) for document in documents]
    for each in fields:
        _document(each, found, strict=options.compat == "strict")
    specs = [
        spec._replace(id=f"{event}[{index}]")
        for event, list_ in found.items()
        for index, spec in enumerate(list_)
    ]
    return Loaded(
        tuple(specs),
        tuple(problem for each in fields for problem in each.problems),
        tuple(note for each in fields for note in each.notes),
    )


def _document(fields: Fields, found: dict[str, list[HookSpec]], *, strict: bool) -> None:
    value = fields.document.value
    if value is None:
        return
    if not isinstance(value, dict):
        fields.problem("", f"wanted an object, got {type_name(value)}")
        return
    hooks = fields.get(value, "hooks", dict, "") or {}
    for name in hooks:
        if name in RESERVED_EVENTS:
            fields.note(f"hooks.{name}", "is reserved: its hooks never run")
        elif name not in EVENTS:
            near = next((event for event in EVENTS if event.lower() == name.lower().replace("_", "")), None)
            hint = f"; did you mean {near}?" if near else ""
            fields.note(f"hooks.{name}", f"is no event of jcode: its hooks never run{hint}")
    for handler in handlers(fields, hooks):
        before = len(fields.problems)
        spec = _hook(fields, handler, strict=strict)
        if spec is not None and len(fields.problems) == before:
            found[handler.event].append(spec)


def _hook(fields: Fields, handler: Handler, *, strict: bool) -> HookSpec | None:
    raw, path, event = handler.raw, handler.path, handler.event
    fields.unknown(raw, FIELDS, path)
    type_ = fields.get(raw, "type", str, path) or "command"
    command = fields.get(raw, "command", str, path) or ""
    timeout = fields.get(raw, "timeout", int, path)
    beside = bool(fields.get(raw, "async", bool, path))
    if event not in EVENTS:
        return None
    if type_ != "command":
        fields.note(f"{path}.type", f'unsupported hook type "{type_}" ignored')
        return None
    if not command:
        fields.note(f"{path}.command", "is empty: the hook does nothing")
    seconds = float(timeout) if timeout and timeout > 0 else float(DEFAULT_TIMEOUT)
    if beside and event in BLOCKABLE:
        fields.note(f"{path}.async", f"has no effect on {event}, which waits for its hooks")
    background = beside and event not in BLOCKABLE
    document = fields.document
    return HookSpec(
        id="",
        event=EVENTS[event],
        native_event=event,
        executor=Executor("bash", command),
        matcher=matcher(fields, handler, strict=strict),
        timeout=min(seconds, ASYNC_TIMEOUT) if background else seconds,
        env_policy="inherit",
        background=background,
        path=path,
        file=document.name,
        layer=document.layer,
        entry={"matcher": handler.matcher, **raw},
    )
