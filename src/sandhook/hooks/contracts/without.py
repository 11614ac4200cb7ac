"""Agents that have hooks and no contract: why, for those who ask for one."""

from __future__ import annotations

CONTINUE = "Continue's cn reads hooks and starts none of them (1.5.47)"
_AUGGIE = "no run of Auggie could be recorded"

#: By the names under which people look for them, without signs.
_WHY = {
    "continue": CONTINUE,
    "continuecli": CONTINUE,
    "continuedev": CONTINUE,
    "cn": CONTINUE,
    "auggie": _AUGGIE,
    "augment": _AUGGIE,
}


def why_without(name: str) -> str | None:
    """Return why an agent has no contract; None for one of which nothing is known."""
    return _WHY.get("".join(filter(str.isalnum, name.casefold())))
