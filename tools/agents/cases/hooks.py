"""Hooks in Claude Code's form, and cases of them."""

from __future__ import annotations

from tools.agents.grid import printing, probe
from tools.agents.records import Json, Object


def hook(name: str, body: str) -> Object:
    """Return a hook that keeps what it receives; a name with "timeout" limits it."""
    limit: Object = {"timeout": 1} if name.startswith("timeout") else {}
    return {"type": "command", "command": probe("a", body), **limit}


def deny(label: str, reason: str = "not so") -> Object:
    """Return a hook that refuses by its status."""
    return {"type": "command", "command": f'echo {label} >>"$PROBE/ran"; echo {reason} >&2; exit 2'}


def passing(label: str) -> Object:
    """Return a hook that lets pass."""
    return {"type": "command", "command": f'echo {label} >>"$PROBE/ran"'}


def saying(label: str, value: Json) -> Object:
    """Return a hook that prints a value."""
    return {"type": "command", "command": f'echo {label} >>"$PROBE/ran"; ' + printing(value)}


def named(label: str) -> Object:
    """Return a hook that writes its own name."""
    return {"type": "command", "command": f'echo "{label}=$GROK_HOOK_NAME" | tr " " "_" >>"$PROBE/ran"'}


def case(identifier: str, event: str, hook: Object, **scene: Json) -> Object:
    """Return a case of one hook."""
    return grouped(identifier, event, {event: [{"hooks": [hook]}]}, **scene)


def grouped(identifier: str, event: str, hooks: Json, **scene: Json) -> Object:
    """Return a case of an event's groups, in the layer of the project."""
    return {"id": identifier, "event": event, "layers": {"project": {"hooks": hooks}}, **scene}
