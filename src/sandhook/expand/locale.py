"""The locale of the shell: operators work on bytes in the C locale, on characters elsewhere.

Source: POSIX.1-2024 XBD 8.2 (LC_ALL, LC_CTYPE, LANG).
"""

from __future__ import annotations

from collections.abc import Callable

from sandhook.state.state import State
from sandhook.text.locale import C, as_bytes, as_characters

__all__ = ["as_bytes", "as_characters", "change_by_bytes", "goes_by_bytes"]


def goes_by_bytes(state: State) -> bool:
    """Return True when the locale is C or POSIX. Without any of the variables it is a UTF-8 locale."""
    for name in ("LC_ALL", "LC_CTYPE", "LANG"):
        locale = state.get(name)
        if locale:
            return locale in C
    return False


def change_by_bytes(
    state: State, value: str, change: Callable[..., str], arguments: tuple[object, ...]
) -> str:
    """Apply ``change`` in the C locale."""
    byte_arguments = [as_bytes(argument) if isinstance(argument, str) else argument for argument in arguments]
    return as_characters(change(state, as_bytes(value), *byte_arguments))
