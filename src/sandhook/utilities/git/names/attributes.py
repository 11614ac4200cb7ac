"""The attributes of files, from .gitattributes.

Source: gitattributes(5).
"""

from __future__ import annotations

from collections.abc import Callable

from sandhook.lazy import lazily
from sandhook.record import Record
from sandhook.utilities.git.names.quote import unquote
from sandhook.utilities.git.names.wildmatch import wildmatch
from sandhook.utilities.git.store.access import Access

#: A value of an attribute: True (set), False (unset), text, or None (unspecified).
Value = bool | str | None

_BLANKS = " \t\r\n"
_BLANK = lazily(r"[ \t\r]+")
_NEGATIVE = (
    "warning: Negative patterns are ignored in git attributes\nUse '\\!' for literal leading exclamation."
)

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
        read: Returns the text of a file by its path, if the working tree is not to be read.

    Attributes:
        order: The names of attributes, in the order in which they were read.
    """

    def __init__(
        self,
        access: Access,
        root: str | None,
        strongest: str,
        weakest: str,
        read: Callable[[str], str | None] | None = None,
    ) -> None:
        self._access = access
        self._read = read or self._read_file
        self._warned: set[str] = set()
        self._root = root
        self.order: dict[str, None] = dict.fromkeys(("binary", "diff", "merge", "text"))
        self._macros: dict[str, dict[str, Value]] = {**_BUILT_IN}
        self._weakest = self._parse(weakest, "", "core.attributesFile")
        self._directories: dict[str, list[_Line]] = {}
        self._strongest = self._parse(strongest, "", "info/attributes")
        self._known: dict[str, dict[str, Value]] = {}

    def _parse(self, text: str, base: str, source: str) -> list[_Line]:
        lines = []
        for number, row in enumerate(text.removeprefix("\ufeff").split("\n"), 1):
            self._access.charge(1)
            name, rest = _first_word(row.strip(_BLANKS))
            if not name or name.startswith("#"):
                continue
            macro = name[6:] if name.startswith("[attr]") else ""
            if macro and base:
                self._warn(f"{row.strip(_BLANKS)} not allowed: {source}:{number}")
                continue
            values: dict[str, Value] = {}
            if macro:
                self.order.setdefault(macro)
            elif name.startswith("!"):
                self._warn(_NEGATIVE)
                continue
            for word in filter(None, _BLANK.split(rest)):
                self._set(word, values)
            if macro:
                self._macros[macro] = values
                continue
            lines.append(_Line(name.removeprefix("/"), base, "/" in name, values))
        return lines

    def _read_file(self, name: str) -> str | None:
        """Return the text of a file of the working tree. A symbolic link is not followed, as in git."""
        path = f"{self._root}/{name}"
        found = self._access.stat(path)
        if found is None:
            return None
        if found.mode & 0o170000 == 0o120000:
            self._warn(f"warning: unable to access '{name}': Too many levels of symbolic links")
            return None
        return self._access.text_or_none(path)

    def _warn(self, text: str) -> None:
        """Write a line to standard error, once."""
        if text not in self._warned:
            self._warned.add(text)
            ctx = self._access.ctx
            ctx.flush()
            ctx.process.write_error(f"{text}\n".encode("utf-8", "surrogateescape"))

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
            text = self._read(f"{directory}.gitattributes") or ""
            lines = self._directories[directory] = self._parse(text, directory, f"{directory}.gitattributes")
        return lines

    def of(self, path: str) -> dict[str, Value]:
        """Return the attributes of a path."""
        known = self._known.get(path)
        if known is not None:
            return known
        values: dict[str, Value] = {}
        sources = [self._weakest]
        if self._root is not None:
            sources.append(self._lines_of(""))
            sources += [self._lines_of(path[: at + 1]) for at, char in enumerate(path) if char == "/"]
        last = path.rpartition("/")[2]
        for lines in (*sources, self._strongest):
            for line in lines:
                name = path[len(line.base) :] if line.anchored else last
                if wildmatch(line.pattern, name, self._access.charge, pathname=line.anchored):
                    values.update(line.values)
        if len(self._known) < 1024:
            self._known[path] = values
        return values


def _first_word(row: str) -> tuple[str, str]:
    """Return the pattern of a line, which may be a C string in quotes, and the rest."""
    end = row.find('"', 1) if row.startswith('"') else -1
    while end > 0 and row[end - 1] == "\\":
        end = row.find('"', end + 1)
    if end > 0:
        return unquote(row[: end + 1]), row[end + 1 :]
    parts = _BLANK.split(row, 1)
    return parts[0], parts[1] if parts[1:] else ""
