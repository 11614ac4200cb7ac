"""jq for other utilities: run a filter on JSON texts and return its results."""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.command.context import Context, Reader
from sandhook.kernel.descriptor import Input
from sandhook.utilities.data.jq.arguments import Command
from sandhook.utilities.data.jq.calling import call_jq


class CapturingContext(Context):
    """The context of a jq that reads from bytes and whose output is captured.

    Messages still go to standard error.
    """

    __slots__ = ("_data", "_pieces", "_size")

    def __init__(self, ctx: Context, data: bytes) -> None:
        super().__init__("jq", ctx.process, ctx.environment, ctx.run)
        self._data = data
        self._pieces: list[bytes] = []
        self._size = 0

    def write(self, data: bytes) -> None:
        """Capture output."""
        self._size += len(data)
        self.budget.check_fits(self._size)
        self._pieces.append(data)

    def flush(self) -> None:
        """Do nothing: the output is only captured."""

    def stdin_reader(self) -> Reader:
        """Return a reader of the bytes."""
        return Reader(Input(self._data), self)

    def output(self) -> bytes:
        """Return the captured output."""
        return b"".join(self._pieces)


def run_filter(
    ctx: Context,
    program: str,
    data: bytes,
    *,
    definitions: Sequence[tuple[str, str, str]] = (),
    null_input: bool = False,
    slurp: bool = False,
    sort_keys: bool = False,
) -> tuple[int, bytes]:
    """Run a jq program on JSON texts.

    Args:
        definitions: "arg" or "argjson", the name, and the text or JSON text.

    Returns:
        jq's exit status with -e, where 1 and 4 mean that the last result is false or missing, and the results as
        compact JSON texts, one on each line.
    """
    command = Command()
    command.program = program
    command.indent = None
    command.definitions = tuple(definitions)
    command.null_input = null_input
    command.slurp = slurp
    command.sort_keys = sort_keys
    command.exit_status = True
    captured = CapturingContext(ctx, data)
    ctx.flush()
    try:
        return call_jq(command, captured), captured.output()
    finally:
        captured.end()
