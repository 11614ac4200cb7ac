"""The attributes of files, from .gitattributes.

Source: gitattributes(5).
"""

from __future__ import annotations

from sandhook.record import Record
from sandhook.utilities.git.names.wildmatch import wildmatch
from sandhook.utilities.git.store.access import Access

#: A value of an attribute: True (set), False (unset), text, or None (unspecified).
Value = bool | str | None

_BUILT_IN: dict[str, dict[str, Value]] = {"binary": {"diff": False, "merge": False, "text": False}}


class _Line(Record):
    pattern: str
    base: str
    anchored: bool
    values: dict[str, Value]


class Attributes:
    """The attributes of the paths of a working tree.

    Args:
        root: The working tree, None for a bare repository.
        strongest: Text of info/attributes. weakest: That of core.attributesFile.

    Attributes:
        order: The names of attributes, in the order in which they were read.
    """

    def __init__(self, access: Access, root: str | None, strongest: str, weakest: str) -> None:
        self._access = access
        self._root = root
        self.order: dict[str, None] = dict.fromkeys(("binary", "diff", "merge", "text"))
        self._macros: dict[str, dict[str, Value]] = {**_BUILT_IN}
        self._weakest = self._parse(weakest, "")
        self._directories: dict[str, list[_Line]] = {}
        self._strongest = self._parse(strongest, "")
        self._known: dict[str, dict[str, Value]] = {}

    def _parse(self, text: str, base: str) -> list[_Line]:
        lines = []
        for row in text.splitlines():
            self._access.charge(1)
            words = row.split()
            if not words or words[0].startswith("#"):
                continue
            values: dict[str, Value] = {}
            if words[0].startswith("[attr]"):
                self.order.setdefault(words[0][6:])
            for word in words[1:]:
                self._set(word, values)
            if words[0].startswith("[attr]"):
                self._macros[words[0][6:]] = values
                continue
            pattern = words[0].removeprefix("/")
            lines.append(_Line(pattern, base, "/" in words[0], values))
        return lines

    def _set(self, word: str, values: dict[str, Value]) -> None:
        if word.startswith("-"):
            values[word[1:]] = False
        elif word.startswith("!"):
            values[word[1:]] = None
        elif "=" in word:
            name, _, value = word.partition("=")
            values[name] = value
        else:
            values[word] = True
            values.update(self._macros.get(word, {}))
        self.order.update(dict.fromkeys(values))

    def _lines_of(self, directory: str) -> list[_Line]:
        lines = self._directories.get(directory)
        if lines is None:
            text = self._access.text_or_none(f"{self._root}/{directory}.gitattributes") or ""
            lines = self._directories[directory] = self._parse(text, directory)
        return lines

    def of(self, path: str) -> dict[str, Value]:
        """Return the attributes of a path."""
        known = self._known.get(path)
        if known is not None:
            return known
        values: dict[str, Value] = {}
        parts = path.split("/")
        sources = [self._weakest]
        if self._root is not None:
            sources += [self._lines_of("".join(f"{p}/" for p in parts[:n])) for n in range(len(parts))]
        for lines in (*sources, self._strongest):
            for line in lines:
                name = path[len(line.base) :] if line.anchored else parts[-1]
                if wildmatch(line.pattern, name, self._access.charge, pathname=line.anchored):
                    values.update(line.values)
        if len(self._known) < 1024:
            self._known[path] = values
        return values
