"""The text that ed edits: lines, the current line, marks, and undo.

Source: POSIX.1-2024 XCU 3, ed. Oracle: GNU ed 1.19.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.limits import Budget


class EdError(Exception):
    """A command fails: ed prints ``?``, and the message when errors are explained."""


class Line:
    """One line without its newline. Its identity is stable while its number changes."""

    __slots__ = ("text",)

    def __init__(self, text: bytes) -> None:
        self.text = text


class Buffer:
    """Lines, counted from 1.

    Attributes:
        current: Number of the current line, 0 in an empty buffer.
        modified: The buffer differs from the file.
        marks: Marked lines by the letter of the mark.
        yanked: Lines that x inserts.
    """

    def __init__(self, budget: Budget) -> None:
        self.lines: list[Line] = []
        self.current = 0
        self.modified = False
        self.marks: dict[str, Line] = {}
        self.yanked: list[bytes] = []
        self._budget = budget
        self._undo: tuple[list[Line], int, bool] | None = None
        self._undo_saved = False
        self._hint = 0

    @property
    def last(self) -> int:
        """The number of the last line."""
        return len(self.lines)

    def text(self, number: int) -> bytes:
        """Return the text of a line."""
        return self.lines[number - 1].text

    def number_of(self, line: Line) -> int:
        """Return the number of a line, 0 for a deleted line. Queries in ascending order are fast."""
        lines = self.lines
        for start, end in ((self._hint, len(lines)), (0, self._hint)):
            try:
                at = lines.index(line, start, end)
            except ValueError:
                self._budget.charge(1 + (end - start >> 4))
                continue
            self._budget.charge(1 + (at - start >> 4))
            self._hint = at
            return at + 1
        self._hint = 0
        return 0

    # ------------------------------------------------------------------ changes

    def begin(self) -> None:
        """Begin a command: undo returns to the state before it."""
        self._undo_saved = False

    def _save_undo(self) -> None:
        self.modified, was_modified = True, self.modified
        if self._undo_saved:
            return
        self._undo_saved = True
        self._budget.charge(1 + (len(self.lines) >> 5))
        self._budget.check_fits(8 * len(self.lines))
        self._undo = (self.lines.copy(), self.current, was_modified)

    def insert(self, after: int, texts: Sequence[bytes]) -> None:
        """Insert lines after a line; the last of them becomes current."""
        if not texts:
            return
        self._save_undo()
        self._budget.charge(1 + (len(texts) >> 2) + (len(self.lines) >> 10))
        self.lines[after:after] = [Line(text) for text in texts]
        self.current = after + len(texts)

    def delete(self, first: int, last: int, *, yank: bool = True) -> None:
        """Delete lines; the line after them, or else the last line, becomes current."""
        self._save_undo()
        self._budget.charge(1 + (len(self.lines) >> 10))
        if yank:
            self.yank(first, last)
        deleted = set(map(id, self.lines[first - 1 : last]))
        self.marks = {name: line for name, line in self.marks.items() if id(line) not in deleted}
        del self.lines[first - 1 : last]
        self.current = min(first, len(self.lines))

    def move(self, first: int, last: int, after: int) -> None:
        """Move lines after a line that is not one of them."""
        self._save_undo()
        self._budget.charge(1 + (len(self.lines) >> 8))
        moved = self.lines[first - 1 : last]
        del self.lines[first - 1 : last]
        at = after if after < first else after - len(moved)
        self.lines[at:at] = moved
        self.current = at + len(moved)

    def replace(self, number: int, texts: Sequence[bytes]) -> None:
        """Replace a line with one or more lines."""
        self._save_undo()
        marked = self.lines[number - 1]
        marked_names = [name for name, line in self.marks.items() if line is marked]
        self.lines[number - 1 : number] = [Line(text) for text in texts]
        for name in marked_names:
            del self.marks[name]
        self.current = number - 1 + len(texts)

    def yank(self, first: int, last: int) -> None:
        """Store lines for x."""
        self.yanked = [line.text for line in self.lines[first - 1 : last]]

    def undo(self) -> None:
        """Undo the last change; a second undo restores it. Raises EdError."""
        if self._undo is None:
            raise EdError("Nothing to undo")
        lines, current, modified = self._undo
        self._undo = (self.lines.copy(), self.current, self.modified)
        self._budget.charge(1 + (len(lines) >> 4))
        self.lines, self.current, self.modified = lines, current, modified
        self._undo_saved = True

    def forget(self) -> None:
        """Make earlier changes permanent."""
        self._undo = None
        self._undo_saved = False

    def clear_changes(self) -> None:
        """Record that the buffer equals the file, and make earlier changes permanent."""
        self.modified = False
        self.forget()

    def clear(self) -> None:
        """Delete all lines and marks, before another file is read."""
        self.lines, self.current = [], 0
        self.marks = {}
        self.clear_changes()
