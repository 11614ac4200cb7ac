"""Find the line of a value in a JSON text by its path, such as ``hooks.PreToolUse[2].matcher``.

Only faults need a line, so the text is walked on demand and not while it is decoded.
"""

from __future__ import annotations

import re

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\]:,]|[^\s{}\[\]:,"]+')


def json_lines(text: str) -> dict[str, int]:
    """Return the line (from 1) of every key and array entry by its path; "" is the document.

    For a text that is not JSON, returns the lines of the part before the fault.
    """
    lines = {"": 1}
    stack: list[_Level] = []
    line, seen = 1, 0
    for token in _TOKEN.finditer(text):
        line += text.count("\n", seen, token.start())
        seen = token.start()
        word = token.group()
        level = stack[-1] if stack else None
        if word in "}]":
            if stack:
                stack.pop()
            continue
        if level is not None and level.expects(word):
            if level.note(word):
                lines.setdefault(level.path(), line)
            if level.is_object and word not in "{[":
                continue
        if word in "{[":
            stack.append(_Level(level.path() if level is not None else "", word == "{"))
    return lines


class _Level:
    """One open object or array, and its current key or index."""

    def __init__(self, prefix: str, is_object: bool) -> None:
        self.prefix = prefix
        self.is_object = is_object
        self.index = 0
        self.key = ""
        self.wants_key = is_object
        self.wants_value = not is_object

    def path(self) -> str:
        if not self.is_object:
            return f"{self.prefix}[{self.index}]"
        return f"{self.prefix}.{self.key}" if self.prefix else self.key

    def expects(self, word: str) -> bool:
        """Process punctuation; return whether a word begins a key or an entry here."""
        if word == ",":
            self.index += 1
            self.wants_key = self.is_object
            self.wants_value = not self.is_object
            return False
        return word != ":"

    def note(self, word: str) -> bool:
        """Process a word; return whether this level has a new path."""
        if self.is_object:
            if not self.wants_key:
                return False
            from json import loads

            self.wants_key = False
            try:
                self.key = str(loads(word))
            except ValueError:
                self.key = word.strip('"')
            return True
        first, self.wants_value = self.wants_value, False
        return first
