"""crush.json: where it is looked for, how layers join, and what each hook says.

Objects of several layers merge and arrays are appended, so hooks of all layers make one list.
"""

from __future__ import annotations

import posixpath
from collections.abc import Mapping, Sequence
from typing import Any

from sandhook.hooks.contracts import Document, Layer, Loaded, LoadOptions
from sandhook.hooks.contracts._fields import Fields
from sandhook.hooks.contracts.crush.names import (
    DEFAULT_TIMEOUT,
    EVENTS,
    FIELDS,
    RESERVED_EVENTS,
    STRICT_EVENTS,
    canonical,
)
from sandhook.hooks.decode import type_name
from sandhook.hooks.flavour import compile_search
from sandhook.hooks.matcher import ALWAYS, Matcher, Regex, ToolName
from sandhook.hooks.model import Executor, HookSpec
from sandhook.pattern.errors import PatternError


def layers(cwd: str, env: Mapping[str, str], platform: str) -> Sequence[Layer]:
    """Return Crush's files, weakest first: machine, user, user's data, then every directory down to ``cwd``.

    Upstream walks from the root of the git worktree; without looking at the disk the walk here begins
    at the directory that ``CRUSH_PROJECT_ROOT`` names, or has ``cwd`` alone.
    """
    windows = platform == "win32"
    home = env.get("USERPROFILE" if windows else "HOME", "")
    config = env.get("CRUSH_GLOBAL_CONFIG") or f"{env.get('XDG_CONFIG_HOME') or home + '/.config'}/crush"
    local = env.get("LOCALAPPDATA", f"{home}/AppData/Local") if windows else f"{home}/.local/share"
    data = env.get("CRUSH_GLOBAL_DATA") or f"{env.get('XDG_DATA_HOME') or local}/crush"
    found = [] if windows else [Layer("managed", "/etc/crush/crush.json")]
    found += [Layer("user", f"{config}/crush.json"), Layer("user", f"{config}/crushrc")]
    found.append(Layer("user", f"{data}/crush.json"))
    for directory in _down_to(cwd, env.get("CRUSH_PROJECT_ROOT") or cwd, windows):
        names = ("crush.json", ".crush.json", "crushrc", ".crushrc")
        found += [Layer("project", f"{directory}/{name}") for name in names]
    found.append(Layer("local", f"{cwd}/.crush/crush.json"))
    return found


def _down_to(cwd: str, root: str, windows: bool) -> list[str]:
    """Return the directories from ``root`` down to ``cwd``; ``cwd`` alone when it is not below."""
    if windows:
        cwd, root = cwd.replace("\\", "/"), root.replace("\\", "/")
    inside = posixpath.relpath(cwd, root) if cwd.startswith(root.rstrip("/") + "/") else "."
    found = [root if cwd != root and inside != "." else cwd]
    for part in [] if inside == "." else inside.split("/"):
        found.append(f"{found[-1].rstrip('/')}/{part}")
    return found


def load(documents: Sequence[Document], options: LoadOptions) -> Loaded:
    """Read configurations, weakest layer first; every fault is in the result, with its path."""
    loader = _Loader(options)
    for document in documents:
        loader.document(document)
    return loader.loaded()


class _Loader:
    def __init__(self, options: LoadOptions) -> None:
        self.strict = options.compat == "strict"
        self.specs: dict[str, list[HookSpec]] = {name: [] for name in EVENTS}
        self.fields: list[Fields] = []
        self.include_sub_agents = False

    def loaded(self) -> Loaded:
        """Return what was found; hooks of one event stand in the order of their layers."""
        specs = [
            spec._replace(id=f"{event}[{index}]")
            for event, found in self.specs.items()
            for index, spec in enumerate(found)
        ]
        return Loaded(
            tuple(
                spec
                if (spec.extras or {}).get("include_sub_agents") is not None
                else spec._replace(include_sub_agents=self.include_sub_agents)
                for spec in specs
            ),
            tuple(problem for fields in self.fields for problem in fields.problems),
            tuple(note for fields in self.fields for note in fields.notes),
        )

    def document(self, document: Document) -> None:
        fields = Fields(document)
        self.fields.append(fields)
        if document.value is None:
            return
        if not isinstance(document.value, dict):
            fields.problem("", f"wanted an object, got {type_name(document.value)}")
            return
        hooks = fields.get(document.value, "hooks", dict, "") or {}
        if (
            not self.strict
            and (default := fields.get(hooks, "include_sub_agents", bool, "hooks")) is not None
        ):
            self.include_sub_agents = default
        aliases: list[tuple[str, str]] = []
        for name in hooks:
            event = canonical(name)
            if event == "UserPromptSubmit" and self.strict:
                event = name
            if name == "include_sub_agents" and not self.strict:
                continue
            if event in EVENTS and (not self.strict or event in STRICT_EVENTS):
                aliases.append((event, name))
            else:
                planned = "is planned upstream" if event in RESERVED_EVENTS else "is no event of Crush"
                fields.note(f"hooks.{name}", f"{planned}: its hooks never run")
        aliases.sort(key=lambda pair: pair[1] != pair[0])  # the canonical key's list comes first
        for event, name in aliases:
            self._event(fields, hooks, event, name)

    def _event(self, fields: Fields, hooks: dict[str, Any], event: str, name: str) -> None:
        for index, raw in enumerate(fields.get(hooks, name, list, "hooks") or ()):
            path = f"hooks.{name}[{index}]"
            before = len(fields.problems)
            if not isinstance(raw, dict):
                fields.problem(path, f"wanted an object, got {type_name(raw)}")
                continue
            spec = self._hook(fields, raw, event, path)
            if len(fields.problems) == before:
                self.specs[event].append(spec)

    def _hook(self, fields: Fields, raw: dict[str, Any], event: str, path: str) -> HookSpec:
        fields.unknown(raw, FIELDS, path)
        command = fields.get(raw, "command", str, path)
        if not command and not isinstance(raw.get("command"), (int, float, list, dict)):
            fields.problem(path, "command is required")
        timeout = fields.get(raw, "timeout", int, path)
        inside = None if self.strict else fields.get(raw, "include_sub_agents", bool, path)
        name = fields.get(raw, "name", str, path)
        document = fields.document
        return HookSpec(
            id="",
            event=EVENTS[event],
            native_event=event,
            executor=Executor("bash", command or ""),
            matcher=self._matcher(fields, raw, event, path),
            timeout=float(timeout) if timeout and timeout > 0 else float(DEFAULT_TIMEOUT),
            env_policy="inherit",
            include_sub_agents=bool(inside),
            description=name,
            path=path,
            file=document.name,
            layer=document.layer,
            entry=raw,
            extras={"matcher": raw.get("matcher") or "", "include_sub_agents": inside},
        )

    @staticmethod
    def _matcher(fields: Fields, raw: dict[str, Any], event: str, path: str) -> Matcher:
        pattern = fields.get(raw, "matcher", str, path)
        if not pattern:
            return ALWAYS
        if EVENTS[event] != "tool.pre":
            fields.note(f"{path}.matcher", "has no meaning on this event: every one matches")
            return ALWAYS
        try:
            return ToolName(Regex(pattern, "go", compile_search(pattern, "go")))
        except PatternError as error:
            fields.problem(f"{path}.matcher", f'invalid matcher regex "{pattern}": {error}')
            return ALWAYS
