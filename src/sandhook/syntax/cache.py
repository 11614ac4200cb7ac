"""Parsed scripts, remembered by their text.

A tree is immutable and depends on nothing but the text and the options, so the runs of one
process can share it, also runs in several threads.
"""

from __future__ import annotations

from _thread import allocate_lock

from sandhook.syntax.nodes import CommandList
from sandhook.syntax.options import ParseOptions

#: How many scripts are kept, and how many characters of script text they may have together.
MAX_SCRIPTS = 512
MAX_CHARACTERS = 1 << 18


class ScriptCache:
    """The least recently used scripts go first when either bound is passed."""

    def __init__(self, max_scripts: int = MAX_SCRIPTS, max_characters: int = MAX_CHARACTERS) -> None:
        self._max_scripts = max_scripts
        self._max_characters = max_characters
        self._characters = 0
        self._units: dict[tuple[str, ParseOptions], tuple[CommandList, ...]] = {}
        self._lock = allocate_lock()

    def __len__(self) -> int:
        return len(self._units)

    def get(self, text: str, options: ParseOptions) -> tuple[CommandList, ...] | None:
        """Return the units of a text, or None when they are not known."""
        key = (text, options)
        with self._lock:
            units = self._units.pop(key, None)
            if units is not None:
                self._units[key] = units
        return units

    def put(self, text: str, options: ParseOptions, units: tuple[CommandList, ...]) -> None:
        """Remember the units of a text; one longer than the whole cache is not kept."""
        if len(text) > self._max_characters:
            return
        with self._lock:
            if (text, options) in self._units:
                return
            self._units[text, options] = units
            self._characters += len(text)
            while len(self._units) > self._max_scripts or self._characters > self._max_characters:
                oldest = next(iter(self._units))
                del self._units[oldest]
                self._characters -= len(oldest[0])


SCRIPTS = ScriptCache()
