"""Converts INI files and Java properties to plain values, and back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sandhook.limits import check_clock

_LOOK = 0xFF  #: a mask: lines between two looks at the clock


def read_ini(text: str) -> dict[str, Any]:
    """Parse an INI text: sections are mappings of strings; entries before the first section are at the top level."""
    sections: dict[str, Any] = {}
    section = sections
    for number, line in enumerate(text.splitlines()):
        if not number & _LOOK:
            check_clock()
        line = line.strip()
        if not line or line[0] in ";#":
            continue
        if line[0] == "[" and line[-1] == "]":
            section = sections.setdefault(line[1:-1].strip(), {})
            if not isinstance(section, dict):
                section = sections[line[1:-1].strip()] = {}
            continue
        separator = min(
            (offset for offset in (line.find("="), line.find(":")) if offset >= 0), default=len(line)
        )
        value = line[separator + 1 :].strip()
        if len(value) > 1 and value[0] == value[-1] and value[0] in "\"'":
            value = value[1:-1]
        section[line[:separator].strip()] = value
    return sections


def write_ini(value: dict[str, Any], plain: Callable[[object], str]) -> str:
    """Return a mapping as an INI text; ``plain`` returns the text of a value."""
    top = [f"{key} = {plain(item)}\n" for key, item in value.items() if not isinstance(item, dict)]
    parts = ["".join(top)] if top else []
    for name, section in value.items():
        check_clock()
        if isinstance(section, dict):
            lines = "".join(f"{key} = {plain(item)}\n" for key, item in section.items())
            parts.append(f"[{name}]\n{lines}")
    return "\n".join(parts)
