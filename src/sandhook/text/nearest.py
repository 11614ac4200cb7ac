"""The name that a person meant, for messages about unknown names."""

from __future__ import annotations

from collections.abc import Iterable

#: How much of a name must be alike; difflib's own default.
_ALIKE = 0.6


def nearest(name: str, known: Iterable[str], alike: float = _ALIKE) -> str | None:
    """Return the known name that is most like a name, or None.

    The letters decide: case, ``_``, ``-``, ``.`` and blanks do not count, so PreToolUse is like pre_tool_use.
    """
    from difflib import get_close_matches

    several: dict[str, list[str]] = {}
    for each in known:
        several.setdefault(_letters(each), []).append(each)
    near = get_close_matches(_letters(name), several, 1, alike)
    return get_close_matches(name, several[near[0]], 1, 0.0)[0] if near else None


def hint(name: str, known: Iterable[str]) -> str:
    """Return "did you mean X?", or the known names if no name is alike."""
    names = list(known)
    near = nearest(name, names)
    return f"did you mean {near}?" if near is not None else f"known are {', '.join(names)}"


def _letters(name: str) -> str:
    folded = name.casefold()
    for sign in "_-. ":
        folded = folded.replace(sign, "")
    return folded or name
