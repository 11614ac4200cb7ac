"""The files that ed reads and writes.

Source: POSIX.1-2024 XCU 3, ed. Oracle: GNU ed 1.19.
"""

from __future__ import annotations

from sandhook.command.context import Context
from sandhook.command.operands import reason
from sandhook.command.pieces import split
from sandhook.utilities.extras.ed.buffer import Buffer, EdError
from sandhook.utilities.extras.ed.parse import Parser


class Files:
    """Reads and writes files, and stores the default name.

    Args:
        quiet: Print no messages on standard error.
        counts: Print the number of bytes read or written.
        strip: Remove carriage returns at the ends of lines.
    """

    def __init__(self, buffer: Buffer, ctx: Context, *, quiet: bool, counts: bool, strip: bool) -> None:
        self._quiet = quiet
        self._counts = counts
        self._strip = strip
        self._buffer = buffer
        self._ctx = ctx
        self._default = ""
        self._unterminated: bytes | None = None  #: the last line of a binary file, if it has no newline

    def name(self, parser: Parser, *, keeps: bool = False) -> str:
        """Parse the name after a command, by default the default name. Raises EdError.

        Args:
            keeps: A name does not replace the default name.
        """
        if parser.peek() and not parser.blanks():
            raise EdError("Unexpected command suffix")
        name = parser.rest().decode("utf-8", "surrogateescape")
        if name[:1] == "!":
            raise EdError("Shell access restricted")
        if not name:
            if not self._default:
                raise EdError("No current filename")
            return self._default
        if not (keeps and self._default):
            self._default = name
        return name

    def rename(self, parser: Parser) -> None:
        """Set the default name if a name follows the command, then print it."""
        name = self._default if not parser.peek() else ""
        if not name:
            name = self.name(parser)
        self._ctx.write(name.encode("utf-8", "surrogateescape") + b"\n")

    def first(self, name: str) -> bool:
        """Read the file of the command line; return False when it is missing, which is a new file. Raises EdError."""
        if name[:1] == "!":
            raise EdError("Shell access restricted")
        self._default = name
        try:
            lines, size = self._content(name)
        except FileNotFoundError as error:
            self._error(name, error)
            return False
        except OSError as error:
            self._error(name, error)
            raise EdError("Cannot open input file") from None
        self._buffer.insert(0, lines)
        self._buffer.clear_changes()
        self._count(size)
        return True

    def edit(self, name: str) -> None:
        """Replace the buffer with a file. Raises EdError."""
        lines, size = self._read_file(name)
        self._buffer.clear()
        self._buffer.insert(0, lines)
        self._buffer.clear_changes()
        self._count(size)

    def read(self, name: str, after: int) -> None:
        """Insert a file after a line. Raises EdError."""
        lines, size = self._read_file(name)
        self._buffer.insert(after, lines)
        self._count(size)

    def write(self, name: str, first: int, last: int, *, append: bool) -> None:
        """Write lines to a file. Raises EdError."""
        size = 0
        try:
            file = self._ctx.create(name, append=append)
        except OSError as error:
            self._error(name, error)
            raise EdError("Cannot open output file") from None
        try:
            for number in range(first, last + 1):
                text = self._buffer.text(number)
                if number < self._buffer.last or text != self._unterminated:
                    text += b"\n"
                self._ctx.charge(1 + (len(text) >> 10))
                size += len(text)
                file.write(text)
        finally:
            file.release()
        self._count(size)
        if last - first + 1 >= self._buffer.last:
            self._buffer.modified = False

    def _read_file(self, name: str) -> tuple[list[bytes], int]:
        try:
            return self._content(name)
        except OSError as error:
            self._error(name, error)
            raise EdError("Cannot open input file") from None

    def _content(self, name: str) -> tuple[list[bytes], int]:
        with self._ctx.open(name if name != "-" else "./-") as reader:
            data = reader.read_all()
        self._ctx.budget.check_fits(len(data) + 100 * data.count(b"\n"))
        size = len(data)
        self._unterminated = None
        if data and data[-1:] != b"\n":
            data += b"\n"
            if b"\0" in data:  # a binary file is written as it was
                self._unterminated = data[data.rfind(b"\n", 0, -1) + 1 : -1]
            else:
                size += 1
                if self._counts:
                    self._ctx.write_error("Newline appended\n")
        lines = split(data, b"\n", self._ctx.charge)
        lines.pop()
        if self._strip:
            lines = [line.removesuffix(b"\r") for line in lines]
        return lines, size

    def _error(self, name: str, error: OSError) -> None:
        if not self._quiet:
            self._ctx.write_error(f"{name}: {reason(error)}\n")

    def _count(self, size: int) -> None:
        if self._counts:
            self._ctx.write(b"%d\n" % size)
