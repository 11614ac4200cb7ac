"""What an awk program reads and writes besides its main input: files, and commands of the sandbox.

A command of ``system``, ``cmd | getline`` and ``print | cmd`` is run by ``ctx.run`` as ``sh -c``, in
the same sandbox and budget. One that is read runs to its end before its first record is used,
and one that is written to starts when it is closed (L-AWK-001).
"""

from __future__ import annotations

from sandhook.kernel.descriptor import Collector, Description, Input
from sandhook.utilities._base import FLUSH_AT, Context, Reader
from sandhook.utilities.awk.values import Fatal
from sandhook.vfs.errors import error_text

PIECE = 48  #: bytes that a gathered piece takes besides its text
MAX_STREAMS = 200  #: files and commands open at once (a count)


class Output:
    """A file or command that print writes to."""

    def __init__(self, ctx: Context, description: Description | None, command: str | None) -> None:
        self._ctx = ctx
        self._description = description
        self._command = command
        self._pieces: list[bytes] = []
        self._size = 0
        self._held = 0

    def write(self, data: bytes) -> None:
        self._pieces.append(data)
        self._size += len(data)
        if self._command is not None:
            self._held += len(data) + PIECE
            self._ctx.budget.hold(len(data) + PIECE)
        elif self._size > FLUSH_AT:
            self.flush()

    def flush(self) -> None:
        """Write what was gathered; a command gets its input when it runs."""
        if self._description is not None and self._pieces:
            data = b"".join(self._pieces)
            self._pieces = []
            self._size = 0
            self._ctx.budget.charge(1 + (len(data) >> 10))
            self._description.write(data)

    def close(self) -> int:
        """Flush and give back; a command runs now. Return its exit status."""
        if self._description is not None:
            self.flush()
            self._description.release()
            return 0
        if self._command is None:
            return 0
        data = b"".join(self._pieces)
        self._ctx.budget.hold(-self._held)
        self._pieces = []
        return run_command(self._ctx, self._command, Input(data))

    def abandon(self) -> None:
        """Give back without writing."""
        if self._command is not None:
            self._ctx.budget.hold(-self._held)
        if self._description is not None:
            self._description.release()


class Shared(Output):
    """Standard output, which is flushed with the rest, and standard error, which is not gathered."""

    def __init__(self, ctx: Context, number: int) -> None:
        super().__init__(ctx, None, None)
        self._number = number

    def write(self, data: bytes) -> None:
        if self._number == 1:
            self._ctx.write(data)
        else:
            self._ctx.process.descriptor(self._number).write(data)

    def flush(self) -> None:
        self._ctx.flush()


_SHARED = {"/dev/stdout": 1, "-": 1, "/dev/stderr": 2}


def open_output(ctx: Context, redirect: str, name: str) -> Output:
    """Open what stands behind ``>``, ``>>`` or ``|``. Raises Fatal."""
    if not name:
        raise Fatal(f"expression for `{redirect}' redirection has null string value")
    if redirect == "|":
        return Output(ctx, None, name)
    if name in _SHARED:
        return Shared(ctx, _SHARED[name])
    if name.startswith("/inet"):
        raise Fatal("networks are not supported (L-AWK-002)")
    try:
        return Output(ctx, ctx.create(name, append=redirect == ">>"), None)
    except OSError as error:
        raise Fatal(f"cannot redirect to `{name}': {error_text(error)}") from None


def run_command(ctx: Context, command: str, stdin: Description | None = None) -> int:
    """Run ``sh -c command``; return its exit status as gawk's system() does."""
    status = (
        ctx.run(["sh", "-c", command], stdin=stdin) if stdin is not None else ctx.run(["sh", "-c", command])
    )
    return status if status <= 128 else 256 + status - 128


def command_reader(ctx: Context, command: str) -> tuple[Reader, int]:
    """Run a command and return a reader of what it wrote, and its exit status."""
    if not command:
        raise Fatal("expression for `|' redirection has null string value")
    collector = Collector(ctx.budget)
    process = ctx.process
    held = process.descriptors.get(1)
    ctx.flush()
    process.descriptors[1] = collector
    try:
        status = run_command(ctx, command)
    finally:
        if held is None:
            process.descriptors.pop(1, None)
        else:
            process.descriptors[1] = held
    return Reader(Input(collector.take()), ctx), status
