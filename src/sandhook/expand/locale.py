"""Characters or bytes, for the shell: its locale, and operators that go by bytes in the C locale.

Source: POSIX.1-2024 XBD 8.2 (LC_ALL, LC_CTYPE, LANG).
"""

from __future__ import annotations

from collections.abc import Callable

from sandhook.state.state import State
from sandhook.text.locale import C, as_bytes, as_characters

__all__ = ["as_bytes", "as_characters", "change_by_bytes", "goes_by_bytes"]


def goes_by_bytes(state: State) -> bool:
    """Return True when the locale is C or POSIX. Without any variable it is UTF-8's."""
    for name in ("LC_ALL", "LC_CTYPE", "LANG"):
        locale = state.get(name)
        if locale:
            return locale in C
    return False


def change_by_bytes(
    state: State, value: str, change: Callable[..., str], arguments: tuple[object, ...]
) -> str:
    """Apply ``change`` in the C locale."""
    seen = [as_bytes(each) if isinstance(each, str) else each for each in arguments]
    return as_characters(change(state, as_bytes(value), *seen))
