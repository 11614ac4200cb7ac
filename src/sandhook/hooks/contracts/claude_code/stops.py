"""How often Stop hooks may make Claude Code continue: 8 times in a row, or as a variable sets it."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from sandhook.hooks.continuation import Continuation
from sandhook.hooks.contracts.claude_code.names import STOP_CAP, STOP_CAP_VARIABLE
from sandhook.hooks.model import Decision
from sandhook.limits import Cancellation


def cap(env: Mapping[str, str]) -> int | None:
    """Return how many stops hooks may refuse in a row; None for any number."""
    text = env.get(STOP_CAP_VARIABLE, "").strip()
    number = int(text) if text.isascii() and text.isdigit() and len(text) < 7 else STOP_CAP
    return number or None


def continuation(
    fire_stop: Callable[[bool], Decision], env: Mapping[str, str], *, cancel: Cancellation | None = None
) -> Continuation:
    """Return the loop of one turn; ``fire_stop`` fires Stop and receives whether a hook already refused one."""
    return Continuation(fire_stop, cancel=cancel, laps=cap(env), todo_laps=0, fires_in_vain=True)
