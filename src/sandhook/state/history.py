"""The list of commands read, which ``set -o history`` and ``history`` fill (bash 5.2 manual 9.1)."""

from __future__ import annotations

from collections.abc import Callable

#: Words after which a newline separates nothing: the list has a blank there.
_OPENING = frozenset({
    "{", "(", ")", ";", "&", "|", "case", "do", "then", "if", "elif", "else", "until", "while", "&&", "||", ";;",
    ";&", ";;&", "|&", "in", "!", "((",
})  # fmt: skip


class Entry:
    """One command of the list.

    Attributes:
        text: The command; it may have several lines.
        time: Seconds since the epoch, None when it is not known.
    """

    __slots__ = ("text", "time")

    def __init__(self, text: str, time: int | None) -> None:
        self.text = text
        self.time = time


class History:
    """The list and what goes with it.

    Attributes:
        owner: The State that may change it; a subshell copies it first.
        entries: Oldest first.
        base: Number of the first entry.
        limit: How many are kept, None for all.
        added: The last command that was read is the last entry.
        session: Entries added and not yet appended to a file.
        in_file: Lines known to be in the file.
        size: Characters of all entries.
        timed: New entries have a time. As in bash they have none before HISTTIMEFORMAT is set for the first time.
    """

    __slots__ = ("added", "base", "entries", "in_file", "limit", "owner", "session", "size", "timed")

    def __init__(self, owner: object) -> None:
        self.owner = owner
        self.entries: list[Entry] = []
        self.base = 1
        self.limit: int | None = None
        self.added = False
        self.session = 0
        self.in_file = 0
        self.size = 0
        self.timed = False

    def copy(self, owner: object) -> History:
        new = History(owner)
        new.entries = self.entries.copy()
        new.base, new.limit, new.added = self.base, self.limit, self.added
        new.session, new.in_file, new.size = self.session, self.in_file, self.size
        new.timed = self.timed
        return new

    def append(self, text: str, time: int | None) -> None:
        """Add a command; remove the oldest one when there are too many."""
        limit = self.limit
        if limit is not None and len(self.entries) >= limit:
            if limit == 0:
                return
            self.size -= len(self.entries.pop(0).text)
            self.base += 1
        self.entries.append(Entry(text, time))
        self.size += len(text)

    def remove(self, start: int, end: int) -> None:
        """Remove the entries from one 0-based place up to another."""
        self.size -= sum(len(entry.text) for entry in self.entries[start:end])
        del self.entries[start:end]

    def stifle(self, limit: int | None) -> None:
        """Keep ``limit`` entries from now on."""
        self.limit = limit
        if limit is not None and len(self.entries) > limit:
            surplus = len(self.entries) - limit
            self.remove(0, surplus)
            self.base = surplus

    def clear(self) -> None:
        """Forget everything."""
        self.entries = []
        self.base = 1
        self.session = self.size = 0


def one_line(source: str, separate: Callable[[str], str] | None = None) -> str:
    """Return a command of several lines as the list shows it (shopt cmdhist).

    A newline becomes ``; ``, or a blank after a word that separates by itself; it stays inside quotes,
    command substitutions and here-documents. ``separate`` replaces that choice (shopt lithist).
    """
    text = source.rstrip("\n")
    if "\n" not in text:
        return text
    pieces: list[str] = []
    start = at = depth = 0
    document = False
    while at < len(text):
        letter = text[at]
        if letter == "\\":
            if text[at + 1 : at + 2] == "\n":
                pieces.append(text[start:at])
                start = at + 2
            at += 2
            continue
        if letter == "'" or (letter == '"' and not depth):
            at = _behind_quote(text, at)
            continue
        if letter == "$" and text[at + 1 : at + 2] in ("(", "{"):
            depth += 1
            at += 2
            continue
        if depth:
            depth += (letter in "({") - (letter in ")}")
        elif letter == "<" and text[at + 1 : at + 2] == "<" and text[at + 2 : at + 3] != "<":
            document = True
        elif letter == "\n" and not document:
            line = text[start:at]
            pieces.append(line + (separate(line) if separate is not None else separator(line)))
            start = at + 1
        at += 1
    pieces.append(text[start:])
    return "".join(pieces) + ("\n" if document else "")


def separator(line: str) -> str:
    """Return what replaces the newline after a line."""
    stripped = line.rstrip(" \t")
    if not stripped or stripped[-1] in ";&|{(":
        return " "
    words = stripped.split()
    if words[-1] in _OPENING or (stripped.endswith("()") and len(words) <= 3):
        return " "
    return "; "


def _behind_quote(text: str, at: int) -> int:
    quote = text[at]
    at += 1
    while at < len(text) and text[at] != quote:
        at += 2 if text[at] == "\\" and quote == '"' else 1
    return at + 1
