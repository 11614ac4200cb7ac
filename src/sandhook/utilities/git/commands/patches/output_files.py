"""Files that commands write their output to, in place of standard output: archive -o, format-patch."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from sandhook.command.context import Context


@contextmanager
def output_to(ctx: Context, path: str) -> Iterator[None]:
    """Have what is written go to a file, which is created or truncated. Raises OSError."""
    file = ctx.create(path)
    descriptors = ctx.process.descriptors
    ctx.flush()
    before = descriptors.get(1)
    descriptors[1] = file
    try:
        yield
        ctx.flush()
    finally:
        ctx.abandon()  # what an error has left
        if before is None:
            del descriptors[1]
        else:
            descriptors[1] = before
        file.release()
