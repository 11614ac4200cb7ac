"""Checks of what callers pass in: a wrong value raises at once, and never gives an engine that allows everything."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike

from sandhook.hooks.contracts import LAYERS, Document
from sandhook.hooks.event import KINDS, Event


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
    """Raise for wrong arguments of ``HookEngine.load``."""
    _check_sources(sources, fail_closed=fail_closed)
    if trust is not None:
        check_callable("trust", trust, "a function of a HookSpec")
    if max_timeout is not None:
        _check_max_timeout(max_timeout)


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
    """Raise unless a value is an event of a known kind."""
    if not isinstance(event, Event):
        raise TypeError(
            f"event must be an Event, such as ToolPre('Bash', {{'command': 'ls'}}), not {_shown(event)}"
        )
    if event.kind not in KINDS and event.kind[:2] != "x.":
        raise ValueError(
            f"event.kind must be one of {', '.join(KINDS)}, or begin with 'x.', not {event.kind!r}"
        )


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
