"""The exported variables of a shell, replaced as a whole: env, exec, a nested shell."""

from __future__ import annotations

from collections.abc import Mapping

from sandhook.state.state import State
from sandhook.state.values import EXPORT


def set_environment(state: State, environment: Mapping[str, str]) -> None:
    """Make exactly these the exported variables."""
    if state.memo.foreign:
        state.memo = state.memo._replace(foreign={})
    for name, bits in list(state.attributes.items()):
        if bits & EXPORT and name not in environment:
            state.values.pop(name, None)
            state.attributes.pop(name, None)
    for name, value in environment.items():
        state.values[name] = value
        state.attributes[name] = state.attributes.get(name, 0) | EXPORT
