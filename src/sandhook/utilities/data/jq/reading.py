"""The inputs of one call of jq: its operands, or standard input."""

from __future__ import annotations

from sandhook.command.context import Context
from sandhook.record import Record
from sandhook.utilities.data.jq.arguments import Command


class Piece(Record):
    """The bytes of one operand, or of standard input.

    Fields:
        name: The operand; "<stdin>" without operands.
        error: Why it could not be read.
    """

    name: str
    data: bytes = b""
    error: OSError | None = None


class Inputs:
    """The inputs of one call, which are read once, at the first need."""

    __slots__ = ("_command", "_ctx", "_pieces")

    def __init__(self, command: Command, ctx: Context) -> None:
        self._command = command
        self._ctx = ctx
        self._pieces: tuple[Piece, ...] | None = None

    def read(self) -> tuple[Piece, ...]:
        """Return the operands in order, or standard input."""
        if self._pieces is None:
            self._pieces = self._read_all()
        return self._pieces

    def _read_all(self) -> tuple[Piece, ...]:
        ctx = self._ctx
        if not self._command.files:
            with ctx.stdin_reader() as reader:
                return (Piece("<stdin>", reader.read_all()),)
        pieces = []
        size = 0
        for name in self._command.files:
            try:
                with ctx.open(name) as reader:
                    data = reader.read_all()
            except OSError as error:
                pieces.append(Piece(name, error=error))
                continue
            size += len(data)
            ctx.budget.check_fits(size)
            pieces.append(Piece(name, data))
        return tuple(pieces)
