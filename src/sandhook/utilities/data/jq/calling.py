"""One call of jq: a plain path is answered here, every other program by libjq in a worker.

The modules of the worker are imported when it is needed: they take 5 ms.
"""

from __future__ import annotations

from sandhook.command.context import Context
from sandhook.record import Record
from sandhook.utilities.data.jq import paths
from sandhook.utilities.data.jq.arguments import Command
from sandhook.utilities.data.jq.linked import is_linked


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


def call_jq(command: Command, ctx: Context) -> int:
    """Run jq and return its exit status."""
    inputs = Inputs(command, ctx)
    status = _answer(command, inputs, ctx)
    if status is not None:
        return status
    from sandhook.worker import client

    if client.NATIVE:
        from sandhook.utilities.data.jq.native import Run

        return Run(command, ctx, inputs).status()
    from sandhook.utilities.data.jq.call import Run as WrappedRun

    return WrappedRun(command, ctx, inputs).status()


def _answer(command: Command, inputs: Inputs, ctx: Context) -> int | None:
    """Print the result of a plain path and return the exit status; return None when libjq must run."""
    path = paths.plain_path(command)
    if path is None or is_linked(command.program or "", ctx):
        return None
    pieces = inputs.read()
    data = b"".join(piece.data for piece in pieces)
    if len(data) > paths.MAX_INPUT or any(piece.error for piece in pieces):
        return None
    ctx.charge(1 + (len(data) >> 10))
    ctx.budget.check_fits(paths.TREE * len(data))
    answer = paths.answer(path, data, raw=command.raw, exit_status=command.exit_status)
    if answer is None:
        return None
    ctx.write(answer.output.encode())
    return answer.status
