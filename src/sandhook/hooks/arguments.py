"""Checks of what callers pass in: a wrong value raises at once, and never gives an engine that allows everything."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike
from types import NoneType

from sandhook.hooks.contracts import LAYERS, Document
from sandhook.hooks.event import KINDS, Event, ToolCall, ToolResult


def check_callable(name: str, value: object, wanted: str) -> None:
    """Raise TypeError unless a value can be called."""
    if not callable(value):
        raise TypeError(f"{name} must be {wanted}, not {_shown(value)}")


def check_executors(executors: object) -> None:
    """Raise TypeError unless each name of an executor type has a runner."""
    if not isinstance(executors, Mapping):
        raise TypeError(f"executors must map names of types to runners, not {_shown(executors)}")
    for name, runner in executors.items():
        check_callable(f"executors[{name!r}]", runner, "a runner")


def check_loading(sources: object, trust: object, max_timeout: object, *, fail_closed: bool) -> None:
    """Raise for wrong arguments of ``HookEngine.load``: those by which an engine could allow everything."""
    _check_sources(sources, fail_closed=fail_closed)
    if trust is not None:
        check_callable("trust", trust, "a function of a HookSpec")
    if max_timeout is not None:
        _check_max_timeout(max_timeout)


def check_surroundings(*, contract: object, host: object, contributions: object, env: object) -> None:
    """Raise TypeError for wrong arguments of ``HookEngine.load`` about its contract and its surroundings."""
    if not (contract is None or isinstance(contract, str) or hasattr(contract, "load")):
        raise TypeError(f"contract must be a name or a Contract, not {_shown(contract)}")
    if not isinstance(host, bool) and not (callable(host) and hasattr(host, "select")):
        raise TypeError(f"host must be True, False or a HostRunner, not {_shown(host)}")
    if contributions is not None and not isinstance(contributions, Mapping):
        raise TypeError(f"contributions must map capabilities to raw hooks, not {_shown(contributions)}")
    check_environment(env)


def check_switches(**switches: object) -> None:
    """Raise TypeError unless each of these arguments is True or False: a text such as "no" would be true."""
    for name, value in switches.items():
        if not isinstance(value, bool):
            raise TypeError(f"{name} must be True or False, not {_shown(value)}")


def check_environment(env: object) -> None:
    """Raise TypeError unless an environment maps texts to texts; None is one."""
    if env is None:
        return
    if not isinstance(env, Mapping):
        raise TypeError(f"env must map names to texts, not {_shown(env)}")
    for name, value in env.items():
        if not isinstance(name, str) or not isinstance(value, str):
            raise TypeError(f"env[{name!r}] must be a text, not {_shown(value)}")


def check_audit(sink: object) -> None:
    """Raise TypeError unless audit lines can be written to a sink: a function, or a file."""
    if (
        sink is not None
        and not callable(sink)
        and not (hasattr(sink, "write") or hasattr(sink, "write_event"))
    ):
        raise TypeError(f"audit must be a function of a line, a file, or a Journal, not {_shown(sink)}")


def check_cancel(cancel: object) -> None:
    """Raise TypeError unless a value can end a run."""
    if cancel is not None and not hasattr(cancel, "cancelled"):
        raise TypeError(f"cancel must be a Cancellation, not {_shown(cancel)}")


def _check_max_timeout(value: object) -> None:
    """Raise unless a bound of the timeout is a positive number of seconds."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise TypeError(f"max_timeout must be a number of seconds, not {_shown(value)}")
    if not value > 0:
        raise ValueError(f"max_timeout must be more than 0 seconds, not {value}")


def _check_sources(sources: object, *, fail_closed: bool) -> None:
    """Raise for what is no configuration, for None alone where engines fail closed, and for an unknown layer."""
    several = isinstance(sources, (list, tuple)) and not isinstance(
        sources, Document
    )  # a Document is a tuple
    items: Sequence[object] = sources if several else (sources,)  # type: ignore[assignment]
    for item in items:
        if item is not None and not isinstance(item, (str, PathLike, Mapping, Document)):
            raise TypeError(f"sources must be paths, objects or Documents, not {_shown(item)}")
        if isinstance(item, Document) and item.layer not in LAYERS:
            known = ", ".join(filter(None, LAYERS))
            raise ValueError(f"Document.layer must be one of {known} or '', not {item.layer!r}")
    if fail_closed and items and all(item is None for item in items):
        raise TypeError(
            "sources is None: with fail_closed, an engine that allows everything; pass {} for no hooks"
        )


def check_event(event: object) -> None:
    """Raise unless a value is an event of a known kind, with fields of the right types."""
    if not isinstance(event, Event):
        raise TypeError(
            f"event must be an Event, such as ToolPre('Bash', {{'command': 'ls'}}), not {_shown(event)}"
        )
    if not isinstance(event.kind, str) or (event.kind not in KINDS and event.kind[:2] != "x."):
        raise ValueError(
            f"event.kind must be one of {', '.join(KINDS)}, or begin with 'x.', not {event.kind!r}"
        )
    check_fields(event, "event.")
    if event.tool is None and event.kind in _OF_TOOLS:
        raise ValueError(f"event.tool is None: {event.kind} needs a ToolCall")
    if event.tool is not None and not isinstance(event.tool.name, str):
        raise TypeError(f"event.tool.name must be a text, not {_shown(event.tool.name)}")


def check_fields(event: Event, owner: str) -> None:
    """Raise TypeError for a field of a wrong type.

    Args:
        owner: What the message has before the name of the field.
    """
    for index, name, types, wanted in _CHECKED:
        value = event[index]
        if not isinstance(value, types) or (types is int and isinstance(value, bool)):
            raise TypeError(f"{owner}{name} must be {wanted}, not {_shown(value)}")
    if not isinstance(event.timestamp, (str, NoneType)) and not hasattr(event.timestamp, "tzinfo"):
        raise TypeError(f"{owner}timestamp must be a datetime, a text or None, not {_shown(event.timestamp)}")


def check_text(name: str, value: object, *, optional: bool = False) -> None:
    """Raise TypeError unless a value is a text, or None if it is optional."""
    if not isinstance(value, str) and not (optional and value is None):
        raise TypeError(f"{name} must be a text{' or None' if optional else ''}, not {_shown(value)}")


def check_input(name: str, value: object) -> None:
    """Raise TypeError unless a value can be the arguments of a tool, which are usually an object."""
    if not isinstance(value, (Mapping, list, tuple, NoneType)):
        raise TypeError(
            f"{name} must be the tool's arguments, such as {{'command': 'ls'}}, not {_shown(value)};"
            " raw_input is for a model's own text"
        )


#: Kinds that are about a call of a tool: without it, no matcher of a guard would match.
_OF_TOOLS = ("tool.pre", "tool.post", "tool.fail", "permission.request")

_TEXT = ((str, NoneType), "a text or None")

#: The types of an event's fields, and their names.
_FIELDS: Mapping[str, tuple[type | tuple[type, ...], str]] = {
    **dict.fromkeys(("session_id", "turn_id", "org_id", "agent_id", "cwd", "project_dir"), _TEXT),
    **dict.fromkeys(("transcript_path", "prompt", "reason"), _TEXT),
    "is_sub_agent": (bool, "True or False"),
    "stop_active": (bool, "True or False"),
    "success": ((bool, NoneType), "True, False or None"),
    "depth": (int, "a whole number"),
    "turn": (int, "a whole number"),
    "tool": ((ToolCall, NoneType), "a ToolCall or None"),
    "result": ((ToolResult, NoneType), "a ToolResult or None"),
    "attachments": ((tuple, list), "a tuple"),
    "tool_calls": ((tuple, list), "a tuple"),
    "extras": ((Mapping, NoneType), "a mapping or None"),
}

_CHECKED = tuple((index, name, *_FIELDS[name]) for index, name in enumerate(Event._fields) if name in _FIELDS)


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
