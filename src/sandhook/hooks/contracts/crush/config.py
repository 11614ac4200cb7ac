"""crush.json: its places, the merging of its layers, and its hooks.

Objects of several layers merge and arrays are appended, so hooks of all layers make one list.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping, Sequence
from functools import partial

from sandhook.hooks.contracts import Document, Layer, Loaded, LoadOptions, may_override
from sandhook.hooks.contracts._fields import Fields, did_you_mean
from sandhook.hooks.contracts._groups import Handler
from sandhook.hooks.contracts._loader import entries, gather, home, hook_spec
from sandhook.hooks.contracts.crush.names import (
    DEFAULT_TIMEOUT,
    EVENTS,
    FIELDS,
    RESERVED_EVENTS,
    STRICT_EVENTS,
    canonical,
)
from sandhook.hooks.decode import object_of
from sandhook.hooks.event import JsonObject
from sandhook.hooks.flavour import compile_search
from sandhook.hooks.matcher import ALWAYS, Matcher, Regex, ToolName
from sandhook.hooks.model import Executor, HookSpec
from sandhook.pattern.errors import PatternError


def layers(cwd: str, env: Mapping[str, str], platform: str) -> Sequence[Layer]:
    """Return Crush's files, weakest first: machine, user, user's data, then every directory down to ``cwd``.

    Upstream walks from the root of the git worktree. Here the disk is not read: the walk begins at the
    directory that ``CRUSH_PROJECT_ROOT`` names, or is ``cwd`` alone.
    """
    windows = platform == "win32"
    own = home(env, platform)
    config = env.get("CRUSH_GLOBAL_CONFIG") or f"{env.get('XDG_CONFIG_HOME') or own + '/.config'}/crush"
    local = env.get("LOCALAPPDATA", f"{own}/AppData/Local") if windows else f"{own}/.local/share"
    data = env.get("CRUSH_GLOBAL_DATA") or f"{env.get('XDG_DATA_HOME') or local}/crush"
    files = [] if windows else [Layer("managed", "/etc/crush/crush.json")]
    files += [Layer("user", f"{config}/crush.json"), Layer("user", f"{config}/crushrc", "read")]
    files.append(Layer("user", f"{data}/crush.json", "wrap"))
    for directory in _down_to(cwd, env.get("CRUSH_PROJECT_ROOT") or cwd, windows):
        files += [Layer("project", f"{directory}/{name}") for name in ("crush.json", ".crush.json")]
        files += [Layer("project", f"{directory}/{name}", "read") for name in ("crushrc", ".crushrc")]
    files.append(Layer("local", f"{cwd}/.crush/crush.json"))
    return files


def _down_to(cwd: str, root: str, windows: bool) -> list[str]:
    """Return the directories from ``root`` down to ``cwd``; ``cwd`` alone when it is not below."""
    if windows:
        cwd, root = cwd.replace("\\", "/"), root.replace("\\", "/")
    inside = posixpath.relpath(cwd, root) if cwd.startswith(root.rstrip("/") + "/") else "."
    directories = [root if cwd != root and inside != "." else cwd]
    for part in [] if inside == "." else inside.split("/"):
        directories.append(f"{directories[-1].rstrip('/')}/{part}")
    return directories


def load(documents: Sequence[Document], options: LoadOptions) -> Loaded:
    """Read configurations, weakest layer first; every fault is in the result, with its path."""
    loaded = gather(documents, EVENTS, partial(_document, strict=options.strict))
    if options.strict:
        return loaded
    return loaded._replace(specs=tuple(_with_default(spec, documents) for spec in loaded.specs))


def _include_sub_agents(documents: Sequence[Document]) -> bool | None:
    """Return ``hooks.include_sub_agents`` of the last file that has it, or None."""
    for document in reversed(documents):
        hooks = object_of(document.value, "hooks") if isinstance(document.value, dict) else {}
        default = hooks.get("include_sub_agents")
        if isinstance(default, bool):
            return default
    return None


def _with_default(spec: HookSpec, documents: Sequence[Document]) -> HookSpec:
    """Return a hook with the default of its files; a weaker layer can only add runs to it."""
    if (spec.extras or {}).get("include_sub_agents") is not None:
        return spec
    default = _include_sub_agents([each for each in documents if may_override(each.layer, spec.layer)])
    if default is None:
        default = _include_sub_agents(documents)
    return spec._replace(include_sub_agents=bool(default))


def _document(fields: Fields, value: JsonObject, *, strict: bool) -> Iterator[HookSpec]:
    hooks = fields.get(value, "hooks", dict, "") or {}
    if not strict:
        fields.get(hooks, "include_sub_agents", bool, "hooks")
    spellings: list[tuple[str, str]] = []
    for name in hooks:
        event = name if strict and canonical(name) == "UserPromptSubmit" else canonical(name)
        if name == "include_sub_agents" and not strict:
            continue
        if event in EVENTS and (not strict or event in STRICT_EVENTS):
            spellings.append((event, name))
        else:
            planned = "is planned upstream" if event in RESERVED_EVENTS else "is not an event of Crush"
            hint = "" if event in RESERVED_EVENTS else did_you_mean(name, EVENTS)
            fields.note(f"hooks.{name}", f"{planned}: its hooks never run{hint}")
    spellings.sort(key=lambda pair: pair[1] != pair[0])  # the canonical key's list comes first
    for event, name in spellings:
        for handler in entries(fields, hooks, name, "hooks"):
            before = len(fields.problems)
            spec = _hook(fields, handler._replace(event=event), strict=strict)
            if len(fields.problems) == before:
                yield spec


def _hook(fields: Fields, handler: Handler, *, strict: bool) -> HookSpec:
    raw, path = handler.raw, handler.path
    fields.unknown(raw, FIELDS, path)
    command = fields.get(raw, "command", str, path)
    if not command and not isinstance(raw.get("command"), (int, float, list, dict)):
        fields.problem(path, "command is required")
    timeout = fields.get(raw, "timeout", int, path)
    inside = None if strict else fields.get(raw, "include_sub_agents", bool, path)
    name = fields.get(raw, "name", str, path)
    return hook_spec(
        fields,
        handler,
        EVENTS[handler.event],
        Executor("bash", command or ""),
        matcher=_matcher(fields, handler),
        timeout=float(timeout) if timeout and timeout > 0 else float(DEFAULT_TIMEOUT),
        include_sub_agents=bool(inside),
        description=name,
        entry=raw,
        extras={"matcher": raw.get("matcher") or "", "include_sub_agents": inside},
    )


def _matcher(fields: Fields, handler: Handler) -> Matcher:
    path = handler.path
    pattern = fields.get(handler.raw, "matcher", str, path)
    if not pattern:
        return ALWAYS
    if EVENTS[handler.event] != "tool.pre":
        fields.note(f"{path}.matcher", "has no meaning on this event: every one matches")
        return ALWAYS
    try:
        return ToolName(Regex(pattern, "go", compile_search(pattern, "go")))
    except PatternError as error:
        fields.problem(f"{path}.matcher", f'invalid matcher regex "{pattern}": {error}')
        return ALWAYS
