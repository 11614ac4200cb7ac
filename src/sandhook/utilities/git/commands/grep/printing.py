"""How git grep prints the lines of a file that match, with context and the functions that they are in.

Source: git-grep(1), "-p", "-W", "--heading" and "--break".
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sandhook.record import Record

Heading = Callable[[bytes], "bytes | None"]


class Layout(Record):
    """Which lines are printed besides those that match.

    Fields:
        before, after: Lines of context.
        functions: The line that begins a function is printed, too (-p).
        bodies: Whole functions are (-W).
        heading: The name of the file stands on a line of its own.
        breaks: An empty line is between files.
    """

    before: int = 0
    after: int = 0
    functions: bool = False
    bodies: bool = False
    heading: bool = False
    breaks: bool = False

    @property
    def has_hunks(self) -> bool:
        """True if lines that do not match are printed next to those that do."""
        return bool(self.before or self.after or self.bodies)


class HitPrinter:
    """Prints the lines of files, one file after the other.

    Args:
        write: Writes text as it is. separator: The line between groups of lines.
    """

    def __init__(
        self,
        layout: Layout,
        write: Callable[[bytes], None],
        separator: bytes,
        charge: Callable[[int], None],
    ) -> None:
        self._layout = layout
        self._write_line: Callable[[int, bytes], None] = lambda at, mark: None
        self._write = write
        self._separator = separator
        self._charge = charge
        self._is_heading: Callable[[int], bool] = lambda at: False
        self._lines: Sequence[bytes] = ()
        self._name = b""
        self._next = 0  #: the line after the last one that was printed
        self._printed = False  #: a line of this file was printed
        self._later = False  #: a line of an earlier file was printed

    def set_writer(self, write_line: Callable[[int, bytes], None]) -> None:
        """Set the function that writes the line of a number, counted from 0, after a mark: b":", b"-" or b"="."""
        self._write_line = write_line

    def print_hits(self, name: bytes, lines: Sequence[bytes], hits: Sequence[int], heading: Heading) -> None:
        """Print the lines of one file that match, and those around them."""
        self._lines, self._name = lines, name
        self._is_heading = lambda at: bool(lines[at]) and heading(lines[at]) is not None
        self._next, self._printed = 0, False
        for number, at in enumerate(hits):
            self._before(at)
            self._line(at, b":")
            self._after(at, hits[number + 1] if number + 1 < len(hits) else len(lines))
        self._later = self._later or self._printed

    def _line(self, at: int, mark: bytes) -> None:
        layout = self._layout
        self._charge(1)
        if not self._printed:
            if self._later and (layout.breaks or layout.has_hunks):
                self._write(b"\n" if layout.breaks else self._separator)
            if layout.heading:
                self._write(self._name + b"\n")
        elif layout.has_hunks and at > self._next:
            self._write(self._separator)
        self._printed, self._next = True, at + 1
        self._write_line(at, mark)

    def _before(self, at: int) -> None:
        """Print the context before a line that matches."""
        layout = self._layout
        first = max(self._next, at - layout.before)
        if not layout.bodies:
            above = self._heading_above(at) if layout.functions else None
            if above is not None and above < first:
                self._line(above, b"=")
            for each in range(first, at):
                self._line(each, b"=" if each == above else b"-")
            return
        above = at if self._is_heading(at) else self._heading_above(at)
        start = self._next if above is None else self._comment_start(above)
        for each in range(min(start, first) if above is not None else start, at):
            self._line(each, b"=" if each == above and above != at else b"-")

    def _heading_above(self, at: int) -> int | None:
        """Return the line that begins the function of a line, None if it was printed or does not exist."""
        for each in range(at - 1, self._next - 1, -1):
            self._charge(1)
            if self._is_heading(each):
                return each
        return None

    def _comment_start(self, heading: int) -> int:
        """Return the first line of the text right above a function."""
        at = heading
        while at > self._next and self._lines[at - 1].strip() and not self._is_heading(at - 1):
            self._charge(1)
            at -= 1
        return at

    def _after(self, at: int, end: int) -> None:
        """Print the context after a line that matches, and the rest of its function."""
        inside, peeked = self._layout.bodies, at
        for each in range(at + 1, end):
            if inside and peeked < each:
                peeked = each
                while peeked < len(self._lines) and not self._lines[peeked].strip():
                    self._charge(1)
                    peeked += 1
                inside = peeked < len(self._lines) and not self._is_heading(peeked)
            if not inside and each > at + self._layout.after:
                return
            self._line(each, b"-")
