"""ub's config.yaml: its places, its variables, and its four lists of hooks, appended over the layers."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import partial

from sandhook.hooks.contracts import Document, Layer, Loaded, LoadOptions
from sandhook.hooks.contracts._fields import Fields
from sandhook.hooks.contracts._groups import Handler
from sandhook.hooks.contracts._loader import entries, gather, home
from sandhook.hooks.contracts.ub.names import DEFAULT_TIMEOUT, EVENTS, FIELDS, MAX_TIMEOUT, TOOL_EVENTS
from sandhook.hooks.event import JsonObject
from sandhook.hooks.matcher import ALWAYS, OneOf, ToolName
from sandhook.hooks.model import Executor, HookSpec

#: Directories above the working directory in which .ub/config.yaml is looked for.
_PARENTS = 5

_VARIABLE = re.compile(r"\$(?:\$|\{([A-Z_][A-Z0-9_]*)(?::-([^}]*))?\})")
_DURATION = re.compile(r"([-+]?)((?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:ns|us|µs|μs|ms|s|m|h))+")
_PART = re.compile(r"([0-9]+(?:\.[0-9]*)?|\.[0-9]+)(ns|us|µs|μs|ms|s|m|h)")
_UNITS = {"ns": 1e-9, "us": 1e-6, "µs": 1e-6, "μs": 1e-6, "ms": 1e-3, "s": 1.0, "m": 60.0, "h": 3600.0}


def layers(cwd: str, env: Mapping[str, str], platform: str) -> Sequence[Layer]:
    """Return ub's files: the user's, and those of the project from the farthest parent to ``cwd``.

    Upstream reads only the nearest project file; ``load`` does too.
    """
    config = env.get("XDG_CONFIG_HOME") or f"{home(env, platform)}/.config"
    places = [cwd.rstrip("/\\") or "/"]
    for _ in range(_PARENTS):
        above = re.sub(r"[/\\][^/\\]*$", "", places[-1])
        if above == places[-1]:
            break
        places.append(above)
    files = [Layer("user", f"{config}/ub/config.yaml")]
    files += [Layer("project", f"{place.rstrip('/')}/.ub/config.yaml") for place in reversed(places)]
    return files


def expand(text: str, env: Mapping[str, str]) -> tuple[str, tuple[str, ...]]:
    """Expand ``${NAME}``, ``${NAME:-default}`` and ``$$`` as ub does before it parses; return warnings too."""
    warnings: dict[str, None] = {}

    def value(match: re.Match[str]) -> str:
        name, default = match.groups()
        if name is None:
            return "$"
        text_of_variable = env.get(name, "")
        if not text_of_variable and default is None:
            warnings[f"${{{name}}} is not set: it becomes empty"] = None
        return text_of_variable or default or ""

    return _VARIABLE.sub(value, text), tuple(warnings)


def load(documents: Sequence[Document], options: LoadOptions) -> Loaded:
    """Read configurations, weakest layer first; every fault is in the result, with its path."""
    read = partial(_document, better=not options.strict)
    return gather(_nearest(documents), EVENTS, read, noun="a mapping")


def _nearest(documents: Sequence[Document]) -> list[Document]:
    """Return the documents with only the nearest of the project's files, as ub reads it."""
    projects = [document for document in documents if document.layer == "project"]
    return [document for document in documents if document not in projects[:-1]]


def _document(fields: Fields, value: JsonObject, *, better: bool) -> Iterator[HookSpec]:
    hooks = fields.get(value, "hooks", dict, "") or {}
    fields.unknown(hooks, tuple(EVENTS), "hooks")
    for name in EVENTS:
        for handler in entries(fields, hooks, name, "hooks", noun="a mapping"):
            before = len(fields.problems)
            spec = _hook(fields, handler, better=better)
            if len(fields.problems) == before:
                yield spec


def _hook(fields: Fields, handler: Handler, *, better: bool) -> HookSpec:
    raw, path, name = handler.raw, handler.path, handler.event
    fields.unknown(raw, (*FIELDS, "name", "id") if better else FIELDS, path)
    argv = fields.strings(raw, "command", path) or ()
    if not argv and raw.get("command") in (None, []):
        fields.note(f"{path}.command", "is empty: the hook never runs, and never blocks")
    tools = fields.strings(raw, "tools", path) or ()
    if tools and name not in TOOL_EVENTS:
        fields.note(f"{path}.tools", "has no meaning on this event")
    on_failure = fields.get(raw, "on_failure", str, path) or "warn"
    if on_failure not in ("warn", "block"):
        fields.note(f"{path}.on_failure", f"{on_failure!r} means warn; only block blocks")
    elif on_failure == "block" and name != "pre_tool_call":
        fields.note(f"{path}.on_failure", "only pre_tool_call can block")
    names = fields.strings(raw, "env", path) or ("PATH",)
    for index, each in enumerate(names):
        if "=" in each:
            fields.note(f"{path}.env[{index}]", "is a name of a variable; values cannot be given")
    document = fields.document
    return HookSpec(
        id="",
        event=EVENTS[name],
        native_event=name,
        executor=Executor("argv", argv=argv),
        matcher=ToolName(OneOf(tools)) if tools and name in TOOL_EVENTS else ALWAYS,
        timeout=_timeout(fields, raw, path),
        on_error="block" if on_failure == "block" else "warn",
        env_policy="allow",
        env_names=names,
        description=fields.get(raw, "name", str, path) if better else None,
        path=path,
        file=document.name,
        layer=document.layer,
        entry=raw,
    )


def _timeout(fields: Fields, raw: JsonObject, path: str) -> float:
    raw_timeout = fields.get(raw, "timeout", (str, int), path)
    if raw_timeout is None:
        return DEFAULT_TIMEOUT
    seconds = duration(raw_timeout) if isinstance(raw_timeout, str) else int(str(raw_timeout)) / 1e9
    if seconds is None:
        fields.problem(f"{path}.timeout", f"{raw_timeout!r} is not a duration (5s, 50ms, 1m30s)")
        return DEFAULT_TIMEOUT
    if seconds > MAX_TIMEOUT:
        fields.note(f"{path}.timeout", f"{seconds:g} seconds are shortened to {MAX_TIMEOUT:g}")
    return min(seconds, MAX_TIMEOUT) if seconds > 0 else DEFAULT_TIMEOUT


def duration(text: str) -> float | None:
    """Return the seconds of a Go duration ("1m30s", "50ms", "0"), or None for another text."""
    if text in ("0", "+0", "-0"):
        return 0.0
    if len(text) > 64 or not _DURATION.fullmatch(text):
        return None
    seconds = sum(float(number) * _UNITS[unit] for number, unit in _PART.findall(text))
    return -seconds if text[0] == "-" else seconds
