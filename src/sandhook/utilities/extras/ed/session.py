"""A session of ed: the input of commands, and parts that several commands share.

Source: POSIX.1-2024 XCU 3, ed. Oracle: GNU ed 1.19.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TypeAlias

from sandhook.command.context import Context
from sandhook.command.pieces import PIECE, Charge
from sandhook.record import Record
from sandhook.utilities.extras.ed.buffer import Buffer, EdError
from sandhook.utilities.extras.ed.files import Files
from sandhook.utilities.extras.ed.parse import Addresses, Compile, Parser
from sandhook.utilities.extras.ed.substitute import Substitution

_WINDOW = 22  #: lines that z prints before a number sets the size
_COLUMNS = 72  #: columns of a line that l prints
_ESCAPES = {7: b"\\a", 8: b"\\b", 9: b"\\t", 11: b"\\v", 12: b"\\f", 13: b"\\r", 36: b"\\$", 92: b"\\\\"}


class Quit(Exception):
    """Ends the session."""


class Settings(Record):
    """The initial settings of a session.

    Attributes:
        prompt: Printed before each command, None for no prompt.
        explains: Explain errors, as after H.
        quiet: Print no messages on standard error.
        counts: Print the number of bytes read or written.
        strip: Remove carriage returns at the ends of lines.
    """

    prompt: str | None
    explains: bool
    quiet: bool
    counts: bool
    strip: bool


#: Executes a command after its letter. Raises EdError and Quit.
Command: TypeAlias = Callable[["Session", Addresses], None]


class Session:
    """One run of ed.

    Attributes:
        message: The text of the last error, "" before the first.
        explains: Explain errors.
        prompt: The prompt, which is printed if ``prompts`` is set.
        window: Number of lines that z prints.
        ended: Whether the input has ended.
    """

    def __init__(
        self,
        settings: Settings,
        commands: Mapping[bytes, Command],
        ctx: Context,
        script: Iterator[bytes],
        compile_: Compile,
    ) -> None:
        self.ctx = ctx
        self.buffer = Buffer(ctx.budget)
        self.parser = Parser(self.buffer, compile_, self.next_line, ctx.budget)
        self.files = Files(
            self.buffer, ctx, quiet=settings.quiet, counts=settings.counts, strip=settings.strip
        )
        self.substitution = Substitution(self.buffer, self.parser, compile_, ctx.budget)
        self.prompt = settings.prompt if settings.prompt is not None else "*"
        self.prompts = settings.prompt is not None
        self.window = _WINDOW
        self.message = ""
        self.explains = settings.explains
        self.ended = False
        self._commands = commands
        self._script = script
        self._list: list[bytes] | None = None  #: lines of a global command's list, the next one last
        self._warned = False

    # ------------------------------------------------------------------ the input of commands

    @property
    def in_global(self) -> bool:
        """True while the list of a global command is executed."""
        return self._list is not None

    def next_line(self) -> bytes | None:
        """Return the next line of commands without its newline, None at the end."""
        if self._list is not None:
            return self._list.pop() if self._list else None
        self.ctx.charge()
        return next(self._script, None)

    def read_first(self, name: str) -> None:
        """Read the file of the command line. Raises EdError."""
        if not self.files.first(name):
            self.message = "Cannot open input file"

    def command(self) -> None:
        """Read a command and execute it. Raises EdError and Quit."""
        if self.prompts:
            self.ctx.write(self.prompt.encode("utf-8", "surrogateescape"))
            self.ctx.flush()
        line = self.next_line()
        if line is None:
            self.ended = True
            self.warn_of_changes()
            raise Quit
        self.buffer.begin()
        warned = self._warned
        self._execute(line)
        if warned:
            self._warned = False

    def warn_of_changes(self) -> None:
        """Raise EdError the first time that a command would lose changes."""
        if self.buffer.modified and not self._warned:
            self._warned = True
            raise EdError("Warning: buffer modified")

    def _execute(self, line: bytes) -> None:
        self.parser.start(line)
        addresses = self.parser.addresses()
        run = self._commands.get(self.parser.next())
        if run is None:
            raise EdError("Unknown command")
        run(self, addresses)

    def run_list(self, commands: list[bytes]) -> None:
        """Execute the list of a global command. Raises EdError and Quit."""
        if not commands:
            return
        self._list = commands[::-1]
        try:
            while self._list:
                self.ctx.charge()
                self._execute(self._list.pop())
        finally:
            self._list = None

    def input(self) -> list[bytes]:
        """Return the lines before a line with a single dot."""
        lines: list[bytes] = []
        while (line := self.next_line()) is not None and line != b".":
            self.ctx.budget.charge_memory(len(line) + 64)
            lines.append(line)
        return lines

    # ------------------------------------------------------------------ arguments of commands

    def suffix(self) -> bytes:
        """Return the letters l, n and p after a command. Raises EdError for anything else."""
        letters = b""
        while (letter := self.parser.peek()) and letter in b"lnp":
            letters += self.parser.next()
        if self.parser.peek():
            raise EdError("Invalid command suffix")
        return letters

    def no_address(self, addresses: Addresses) -> None:
        """Raise EdError when there are addresses."""
        if addresses.count:
            raise EdError("Unexpected address")

    def range(
        self, addresses: Addresses, first: int | None = None, last: int | None = None
    ) -> tuple[int, int]:
        """Return the first and last line of a command. Raises EdError.

        Args:
            first, last: The lines when there are no addresses, by default the current one.
        """
        buffer = self.buffer
        if not addresses.count:
            addresses.first = buffer.current if first is None else first
            addresses.second = buffer.current if last is None else last
        if not 1 <= addresses.first <= addresses.second <= buffer.last:
            raise EdError("Invalid address")
        return addresses.first, addresses.second

    # ------------------------------------------------------------------ output

    def show(self, first: int, last: int, letters: bytes) -> None:
        """Print lines; l in ``letters`` lists them, n numbers them. The last one becomes current. Raises EdError."""
        if not 1 <= first <= last <= self.buffer.last:
            raise EdError("Invalid address")
        for number in range(first, last + 1):
            text = self.buffer.text(number)
            self.ctx.charge(1 + (len(text) >> 10))
            head = b"%d\t" % number if b"n" in letters else b""
            if b"l" in letters:
                text = _list_text(text, len(head.expandtabs()), self.ctx.charge, self.ctx.budget.check_fits)
            self.ctx.write(head + text + b"\n")
        self.buffer.current = last

    def show_current(self, letters: bytes) -> None:
        """Print the current line when a command has a suffix."""
        if letters and self.buffer.current:
            self.show(self.buffer.current, self.buffer.current, letters)

    def explain(self) -> None:
        """Print the last error."""
        if self.message:
            self.ctx.write(self.message.encode("utf-8", "surrogateescape") + b"\n")


def _list_text(text: bytes, column: int, charge: Charge, check_fits: Callable[[int], None]) -> bytes:
    """Return a line in the format of l: with escapes, and a dollar sign at its end."""
    if len(text) > PIECE:
        check_fits(4 * len(text))
    pieces: list[bytes] = []
    done: list[bytes] = []
    for at, byte in enumerate(text):
        if not (at + 1) & 0xFFFF:  # a list of short pieces takes more memory than their text
            charge(1024)
            done.append(b"".join(pieces))
            pieces = []
        escaped = _ESCAPES.get(byte) or (bytes((byte,)) if 32 <= byte < 127 else b"\\%03o" % byte)
        if column + len(escaped) > _COLUMNS:
            pieces.append(b"\\\n")
            column = 0
        column += len(escaped)
        pieces.append(escaped)
    return b"".join([*done, *pieces]) + b"$"
