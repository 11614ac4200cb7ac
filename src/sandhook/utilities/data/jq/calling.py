"""One call of jq: a plain path is answered here, every other program by libjq in a worker.

The modules of the worker are imported when it is needed: they take 5 ms.
"""

from __future__ import annotations

from sandhook.command.context import Context
from sandhook.utilities.data.jq import paths
from sandhook.utilities.data.jq.arguments import Command
from sandhook.utilities.data.jq.linked import is_linked
from sandhook.utilities.data.jq.reading import Inputs


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
    compact = command.indent is None and not command.sort_keys
    answer = paths.answer(path, data, raw=command.raw, compact=compact, exit_status=command.exit_status)
    if answer is None:
        return None
    ctx.write(answer.output.encode())
    return answer.status
