"""jq for other utilities: run a filter on JSON texts and get its results back."""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.command.context import Context, Reader
from sandhook.kernel.descriptor import Input
from sandhook.utilities.data.jq.arguments import Command
from sandhook.worker import client


class Embedded(Context):
    """The context of a jq that reads given bytes and whose output is kept.

    Messages go to standard error as jq's own do.
    """

    __slots__ = ("_data", "_pieces", "_size")

    def __init__(self, ctx: Context, data: bytes) -> None:
        super().__init__("jq", ctx.process, ctx.environment, ctx.run)
        self._data = data
        self._pieces: list[bytes] = []
        self._size = 0

    def write(self, data: bytes) -> None:
        """Keep output."""
        self._size += len(data)
        self.budget.check_fits(self._size)
        self._pieces.append(data)

    def flush(self) -> None:
        """Do nothing: what is kept is not on its way."""

    def stdin_reader(self) -> Reader:
        """Return a reader of the given bytes."""
        return Reader(Input(self._data), self)

    def output(self) -> bytes:
        """Return what was written."""
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
        jq's exit status with -e, so that 1 and 4 mean a last result that is false or missing, and the results as
        compact JSON texts, one a line.
    """
    command = Command()
    command.program = program
    command.indent = None
    command.definitions = tuple(definitions)
    command.null_input = null_input
    command.slurp = slurp
    command.sort_keys = sort_keys
    command.exit_status = True
    inner = Embedded(ctx, data)
    ctx.flush()
    if client.NATIVE:
        from sandhook.utilities.data.jq.native import Run

        return Run(command, inner).status(), inner.output()
    from sandhook.utilities.data.jq.call import Run as Wrapped

    return Wrapped(command, inner).status(), inner.output()
