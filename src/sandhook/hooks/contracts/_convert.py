"""Hooks of any contract in another's format, and a line for each thing that it cannot express."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from sandhook.hooks.contracts._render import command_of, passes_if_broken
from sandhook.hooks.event import Json, JsonObject
from sandhook.hooks.matcher import regex_of
from sandhook.hooks.model import HookSpec
from sandhook.record import Record


class Target(Record):
    """What an agent's hooks can express.

    Attributes:
        title: The agent's name, for messages.
        events: Its own names to neutral kinds.
        timeout: Its key of the timeout.
        default: Seconds without a timeout.
        units: How many of the timeout's units a second has.
        whole: Timeouts are whole numbers.
        text: Its key of the command.
        name: Its key of the hook's name, or "".
        background: Its key for hooks that run in the background, or "".
        closes: Its key for hooks that refuse when they could not run, or "".
        always_closes: Every hook of a tool call refuses when it could not run.
        env: Its key of the hook's own variables, or "".
        matched: Native events that have matchers.
    """

    title: str
    events: Mapping[str, str]
    timeout: str = "timeout"
    default: float = 60.0
    units: int = 1
    whole: bool = True
    text: str = "command"
    name: str = ""
    background: str = ""
    closes: str = ""
    always_closes: bool = False
    env: str = ""
    matched: tuple[str, ...] = ()


def converted(
    specs: Sequence[HookSpec], target: Target, lost: list[str]
) -> Iterator[tuple[str, str, JsonObject]]:
    """Yield for each hook the event's own name, the matcher, and its fields; ``lost`` receives the rest."""
    for spec in specs:
        native = _native(spec, target)
        if native is None:
            lost.append(f"{spec.id}: {target.title} has no event {spec.event} ({spec.native_event})")
            continue
        if spec.executor.type not in ("bash", "argv"):
            lost.append(f"{spec.id}: {target.title} has no hooks of the type {spec.executor.type}")
            continue
        pattern = regex_of(spec.matcher)
        if pattern is None:
            lost.append(
                f"{spec.id}: its matcher cannot be written as a regular expression on the tool's name"
            )
        elif pattern and native not in target.matched:
            lost.append(f"{spec.id}: {target.title} has no matcher on {native}")
            pattern = ""
        yield native, pattern or "", _fields(spec, target, lost)


def _native(spec: HookSpec, target: Target) -> str | None:
    if target.events.get(spec.native_event) == spec.event:
        return spec.native_event
    return next((name for name, kind in target.events.items() if kind == spec.event), None)


def _fields(spec: HookSpec, target: Target, lost: list[str]) -> JsonObject:
    hook: JsonObject = {
        target.text: command_of(spec),
    }
    if spec.timeout != target.default:
        hook[target.timeout] = _timeout(spec, target, lost)
    if target.name and spec.description:
        hook[target.name] = spec.description
    if spec.background and target.background:
        hook[target.background] = True
    elif spec.background:
        lost.append(f"{spec.id}: it runs in the background; {target.title} waits for it")
    if spec.on_error == "block" and target.closes:
        hook[target.closes] = True
    elif spec.on_error == "block" and not (target.always_closes and spec.event == "tool.pre"):
        lost.append(f"{spec.id}: {passes_if_broken(target.title)}")
    if spec.executor.env and target.env:
        hook[target.env] = dict(spec.executor.env)
    elif spec.executor.env:
        lost.append(f"{spec.id}: its own variables ({', '.join(name for name, _ in spec.executor.env)})")
    return hook


def plain_number(value: float) -> int | float:
    """Return a number as a person writes it: 10, not 10.0."""
    return int(value) if value == int(value) else value


def _timeout(spec: HookSpec, target: Target, lost: list[str]) -> Json:
    amount = spec.timeout * target.units
    if not target.whole:
        return plain_number(amount)
    rounded = max(1, -int(-amount // 1))
    if rounded != amount:
        lost.append(f"{spec.id}: its timeout of {spec.timeout:g} seconds is rounded up")
    return rounded


def grouped(specs: Sequence[HookSpec], target: Target) -> tuple[Json, tuple[str, ...]]:
    """Return the nested form: events, groups with a matcher, handlers with a type."""
    lost: list[str] = []
    hooks: dict[str, list[Json]] = {}
    for native, pattern, fields in converted(specs, target, lost):
        group: JsonObject = {"matcher": pattern} if pattern else {}
        hooks.setdefault(native, []).append({**group, "hooks": [{"type": "command", **fields}]})
    return {"hooks": hooks}, tuple(lost)


def flat(specs: Sequence[HookSpec], target: Target) -> tuple[dict[str, list[JsonObject]], tuple[str, ...]]:
    """Return the flat form: events, and hooks with their own matcher."""
    lost: list[str] = []
    hooks: dict[str, list[JsonObject]] = {}
    for native, pattern, fields in converted(specs, target, lost):
        hooks.setdefault(native, []).append({**fields, "matcher": pattern} if pattern else fields)
    return hooks, tuple(lost)
