"""jcode's hooks.json: three layers, of which two need a variable to be trusted; groups are appended per event."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial

from sandhook.hooks.contracts import Document, Layer, Loaded, LoadOptions
from sandhook.hooks.contracts._fields import Fields, did_you_mean
from sandhook.hooks.contracts._groups import Handler, handlers
from sandhook.hooks.contracts._loader import gather, home, hook_spec
from sandhook.hooks.contracts.jcode.matcher import matcher
from sandhook.hooks.contracts.jcode.names import (
    ASYNC_TIMEOUT,
    BLOCKABLE,
    DEFAULT_TIMEOUT,
    EVENTS,
    FIELDS,
    RESERVED_EVENTS,
)
from sandhook.hooks.event import JsonObject
from sandhook.hooks.model import Executor, HookSpec

#: The variable that makes project and local files trusted, when it is exactly "1".
TRUST_VARIABLE = "JCODE_HOOKS_TRUST_PROJECT"


def layers(cwd: str, env: Mapping[str, str], platform: str) -> Sequence[Layer]:
    """Return jcode's files, weakest first; the variable makes the project's files count as the user's."""
    own = home(env, platform)
    gate = env.get(TRUST_VARIABLE) == "1"
    return [
        Layer("user", f"{own}/.jcode/hooks.json"),
        Layer("user" if gate else "project", f"{cwd}/.jcode/hooks.json"),
        Layer("user" if gate else "local", f"{cwd}/.jcode/hooks.local.json"),
    ]


def load(documents: Sequence[Document], options: LoadOptions) -> Loaded:
    """Read configurations, weakest layer first; every fault is in the result, with its path."""
    return gather(documents, EVENTS, partial(_document, strict=options.strict))


def _document(fields: Fields, value: JsonObject, *, strict: bool) -> Iterator[HookSpec]:
    hooks = fields.get(value, "hooks", dict, "") or {}
    for name in hooks:
        if name in RESERVED_EVENTS:
            fields.note(f"hooks.{name}", "is reserved: its hooks never run")
        elif name not in EVENTS:
            hint = did_you_mean(name, EVENTS)
            fields.note(f"hooks.{name}", f"is not an event of jcode: its hooks never run{hint}")
    for handler in handlers(fields, hooks):
        before = len(fields.problems)
        spec = _hook(fields, handler, strict=strict)
        if spec is not None and len(fields.problems) == before:
            yield spec


def _hook(fields: Fields, handler: Handler, *, strict: bool) -> HookSpec | None:
    raw, path, event = handler.raw, handler.path, handler.event
    fields.unknown(raw, FIELDS, path)
    type_ = fields.get(raw, "type", str, path) or "command"
    command = fields.get(raw, "command", str, path) or ""
    timeout = fields.get(raw, "timeout", int, path)
    asynchronous = bool(fields.get(raw, "async", bool, path))
    if event not in EVENTS:
        return None
    if type_ != "command":
        fields.note(f"{path}.type", f'unsupported hook type "{type_}" ignored')
        return None
    if not command:
        fields.note(f"{path}.command", "is empty: the hook does nothing")
    limit = float(timeout) if timeout and timeout > 0 else float(DEFAULT_TIMEOUT)
    if asynchronous and event in BLOCKABLE:
        fields.note(f"{path}.async", f"has no effect on {event}, which waits for its hooks")
    background = asynchronous and event not in BLOCKABLE
    return hook_spec(
        fields,
        handler,
        EVENTS[event],
        Executor("bash", command),
        matcher=matcher(fields, handler, strict=strict),
        timeout=min(limit, ASYNC_TIMEOUT) if background else limit,
        background=background,
        entry={**raw, "matcher": handler.matcher},
    )
