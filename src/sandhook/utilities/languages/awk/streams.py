"""Files and commands that an awk program reads and writes in addition to its main input.

The command of ``cmd | getline``, ``print | cmd`` or ``|&`` is a process that runs ``sh -c`` in the same sandbox
and budget, connected by pipes. The command of ``system`` runs to its end before awk continues.
"""

from __future__ import annotations

from collections.abc import Mapping

from sandhook.command.context import FLUSH_AT, Context, Reader
from sandhook.kernel.descriptor import Description
from sandhook.kernel.process import Process
from sandhook.kernel.signals import BrokenPipe
from sandhook.text.locale import as_characters
from sandhook.utilities.languages.awk.records import Source
from sandhook.utilities.languages.awk.regex import Matching
from sandhook.utilities.languages.awk.values import Fatal
from sandhook.vfs.errors import error_text

MAX_STREAMS = 10_000  #: files and commands open at once (a count)
GATHERING = 200  #: open streams whose output is buffered; more buffers would need too much memory
_STANDARD = {"/dev/stdout": 1, "-": 1, "/dev/stderr": 2, "/dev/fd/1": 1, "/dev/fd/2": 2}


class Stream:
    """An open file or command; a two-way pipe can be written to and read from.

    Attributes:
        source: The end that is read, None when there is no such end.
    """

    def __init__(
        self,
        ctx: Context,
        *,
        output: Description | None = None,
        source: Source | None = None,
        process: Process | None = None,
        name: str = "",
        gathers: bool = True,
    ) -> None:
        self.source = source
        self._name = name
        self._ctx = ctx
        self._output = output
        self._process = process
        self._pieces: list[bytes] = []
        self._size = 0
        self._limit = FLUSH_AT if gathers else 0

    def write(self, data: bytes) -> None:
        """Write through a buffer. Raises Fatal when the other end was closed."""
        if self._output is None:
            raise Fatal("print: attempt to write to closed write end of two-way pipe")
        self._pieces.append(data)
        self._size += len(data)
        if self._size > self._limit and not self.flush():
            raise Fatal(f'print to "{self._name}" failed: Broken pipe')

    def flush(self) -> bool:
        """Write the buffer; return False when the command does not read any more."""
        if self._output is not None and self._pieces:
            data = b"".join(self._pieces)
            self._pieces = []
            self._size = 0
            self._ctx.budget.charge(1 + (len(data) >> 10))
            try:
                self._output.write(data)
            except BrokenPipe:
                if self._process is None:
                    raise
                return False
        return True

    def close_output(self) -> None:
        """Flush, and close the end that is written to."""
        self.flush()
        if self._output is not None:
            self._output.release()
            self._output = None

    def close_source(self) -> None:
        """Close the end that is read."""
        if self.source is not None:
            self.source.close()
            self.source = None

    @property
    def closed(self) -> bool:
        """True when both ends are closed."""
        return self._output is None and self.source is None

    def close(self) -> int:
        """Close both ends, wait for the command, and return its exit status as gawk encodes it."""
        self.close_output()
        self.close_source()
        return 0 if self._process is None else _wait_for(self._process)

    def abandon(self) -> None:
        """Release the stream without writing or waiting."""
        self._pieces = []
        self.close_output()
        self.close_source()


class StandardStream(Stream):
    """Standard output, which is flushed with the streams, or standard error, which is not buffered."""

    def __init__(self, ctx: Context, number: int) -> None:
        super().__init__(ctx)
        self._number = number

    def write(self, data: bytes) -> None:
        if self._number == 1:
            self._ctx.write(data)
        else:
            self._ctx.process.descriptor(self._number).write(data)

    def flush(self) -> bool:
        self._ctx.flush()
        return True

    def close(self) -> int:
        """Flush; the descriptor stays open."""
        self.flush()
        return 0


def _wait_for(process: Process) -> int:
    """Wait for a command; return its status, or 256 and the signal that ended it."""
    status = process.wait()
    return 256 + process.signal if process.signal else status


def open_output(ctx: Context, redirect: str, name: str, gathers: bool) -> Stream:
    """Open the file of ``>`` or ``>>``. Raises Fatal."""
    if name in _STANDARD:
        return StandardStream(ctx, _STANDARD[name])
    if name.startswith("/inet"):
        raise Fatal("networks are not supported (L-AWK-002)")
    try:
        return Stream(ctx, output=ctx.create(as_characters(name), append=redirect == ">>"), gathers=gathers)
    except OSError as error:
        raise Fatal(f"cannot redirect to `{name}': {error_text(error)}") from None


def open_input(ctx: Context, name: str, separator: str, matching: Matching) -> Stream:
    """Open the file of ``<``. Raises OSError, and Fatal for a network."""
    if name.startswith("/inet"):
        raise Fatal("networks are not supported (L-AWK-002)")
    reader = ctx.open("-" if name == "/dev/stdin" else as_characters(name))
    return Stream(ctx, source=Source(reader, separator, matching))


def open_command(
    ctx: Context,
    redirect: str,
    command: str,
    environment: Mapping[str, str] | None,
    separator: str,
    matching: Matching,
) -> Stream:
    """Start the command of ``print |``, ``| getline`` (``<|``) or ``|&``. Raises Fatal for a network."""
    if redirect == "|&" and command.startswith("/inet"):
        raise Fatal("networks are not supported (L-AWK-002)")
    pipe = ctx.kernel.pipe
    stdin, output = pipe().ends() if redirect != "<|" else (None, None)
    source, stdout = pipe().ends() if redirect != "|" else (None, None)
    ctx.flush()
    process = ctx.start(
        ["sh", "-c", as_characters(command)], environment=environment, stdin=stdin, stdout=stdout
    )
    return Stream(
        ctx,
        output=output,
        source=None if source is None else Source(Reader(source, ctx), separator, matching),
        process=process,
        name=command,
    )


def run_command(ctx: Context, command: str, environment: Mapping[str, str] | None) -> int:
    """Run ``sh -c command`` to its end; return its exit status as system() does."""
    return _wait_for(ctx.start(["sh", "-c", as_characters(command)], environment=environment))
