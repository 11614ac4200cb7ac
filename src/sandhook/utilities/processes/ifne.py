"""ifne: run a command if standard input is not empty.

Oracle: moreutils 0.67.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.command.context import Context
from sandhook.command.options import UsageError, opt, option_set
from sandhook.kernel.descriptor import Description

PERMUTE = False


@option_set
class Options:
    """ifne [-n] COMMAND [ARGUMENT]...

    Run COMMAND with standard input if that is not empty; otherwise do nothing.
    """

    empty: bool = opt("-n", help="run COMMAND if the input is empty; otherwise copy the input")


def run(options: Options, operands: Sequence[str], ctx: Context) -> int:
    """Return COMMAND's status, or 0 when it does not run."""
    if not operands:
        raise UsageError("missing command")
    source = ctx.process.descriptor(0)
    first = source.read(1 if source.seekable else 65_536)
    if options.empty:
        if not first:
            return ctx.run_command(operands, "{}")
        ctx.write(first)
        while data := source.read(65_536):
            ctx.charge(1 + (len(data) >> 10))
            ctx.write(data)
        return 0
    if not first:
        return 0
    return ctx.run_command(operands, "{}", stdin=_Replay(first, source))


class _Replay(Description):
    """Input that returns data that was read before, then the rest of its source."""

    __slots__ = ("_first", "_source")
    readable = True

    def __init__(self, first: bytes, source: Description) -> None:
        super().__init__()
        self._first = first
        self._source = source

    def read(self, count: int) -> bytes:
        if not self._first:
            return self._source.read(count)
        data, self._first = self._first[:count], self._first[count:]
        return data

    def ready(self) -> bool:
        return bool(self._first) or self._source.ready()

    def unread(self, data: bytes) -> None:
        self._first = data + self._first
