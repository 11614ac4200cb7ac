"""How ed reads and writes files."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sandhook.command.context import Context
from sandhook.command.operands import reason
from sandhook.utilities.extras.ed.buffer import Buffer, EdError
from sandhook.utilities.extras.ed.parse import Parser

if TYPE_CHECKING:
    from sandhook.utilities.extras.ed import Options


class Files:
    """The file that is edited, and others."""

    def __init__(self, options: Options, buffer: Buffer, ctx: Context) -> None:
        self._options = options
        self._buffer = buffer
        self._ctx = ctx
        self._default = ""

    def name(self, parser: Parser, *, keeps: bool = False) -> str:
        """Read the name after a command, or return the default one. Raises EdError.

        Args:
            keeps: The name becomes the default one only if there is none.
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
        """Print the default name, after changing it if there is a new one."""
        name = self._default if not parser.peek() else ""
        if not name:
            name = self.name(parser)
        self._ctx.write(name.encode("utf-8", "surrogateescape") + b"\n")

    def first(self, name: str) -> bool:
        """Read the file of the command line; tell whether it is there: one that is missing is new."""
        if name[:1] == "!":
            raise EdError("Shell access restricted")
        self._default = name
        try:
            lines, size = self._content(name)
        except FileNotFoundError as error:
            self._complain(name, error)
            return False
        except OSError as error:
            self._complain(name, error)
            raise EdError("Cannot open input file") from None
        self._buffer.insert(0, lines)
        self._buffer.clear_changes()
        self._count(size)
        return True

    def edit(self, name: str) -> None:
        """Put a file into the place of all that there is."""
        lines, size = self._guarded(name)
        self._buffer.clear()
        self._buffer.insert(0, lines)
        self._buffer.clear_changes()
        self._count(size)

    def read(self, name: str, after: int) -> None:
        """Put a file after a line."""
        lines, size = self._guarded(name)
        self._buffer.insert(after, lines)
        self._count(size)

    def write(self, name: str, first: int, last: int, *, append: bool) -> None:
        """Write lines to a file."""
        size = 0
        try:
            file = self._ctx.create(name, append=append)
        except OSError as error:
            self._complain(name, error)
            raise EdError("Cannot open output file") from None
        try:
            for number in range(first, last + 1):
                text = self._buffer.text(number) + b"\n"
                self._ctx.charge(1 + (len(text) >> 10))
                size += len(text)
                file.write(text)
        finally:
            file.release()
        self._count(size)
        if last - first + 1 >= self._buffer.last:
            self._buffer.modified = False

    def _guarded(self, name: str) -> tuple[list[bytes], int]:
        try:
            return self._content(name)
        except OSError as error:
            self._complain(name, error)
            raise EdError("Cannot open input file") from None

    def _content(self, name: str) -> tuple[list[bytes], int]:
        with self._ctx.open(name if name != "-" else "./-") as reader:
            data = reader.read_all()
        self._ctx.budget.check_fits(len(data) + 100 * data.count(b"\n"))
        size = len(data)
        if data and data[-1:] != b"\n":
            data += b"\n"
            size += 1
            if not self._options.script:
                self._ctx.flush()
                self._ctx.process.complain(b"Newline appended\n")
        lines = data.split(b"\n")[:-1]
        if self._options.strip:
            lines = [line.removesuffix(b"\r") for line in lines]
        return lines, size

    def _complain(self, name: str, error: OSError) -> None:
        if not self._options.quiet:
            self._ctx.flush()
            self._ctx.process.complain(f"{name}: {reason(error)}\n".encode("utf-8", "surrogateescape"))

    def _count(self, size: int) -> None:
        if not self._options.script:
            self._ctx.write(b"%d\n" % size)
