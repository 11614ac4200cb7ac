"""Hooks that the settings keep from running, and that count as ones that could not run."""

from __future__ import annotations

from sandhook.hooks.decode import Unfillable
from sandhook.hooks.model import HookSpec

_FORBIDDEN = "forbidden"


def forbidden(spec: HookSpec, why: str) -> HookSpec:
    """Return a hook that could not run for a reason."""
    return spec._replace(extras={**(spec.extras or {}), _FORBIDDEN: why})


def check(spec: HookSpec) -> None:
    """Raise Unfillable for a hook that the settings forbid."""
    why = (spec.extras or {}).get(_FORBIDDEN)
    if isinstance(why, str):
        raise Unfillable(why)
