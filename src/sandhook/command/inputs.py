"""Several operands as one stream of bytes, for od, hexdump and strings."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sandhook.command.context import Context
from sandhook.command.operands import not_readable, reason, shown_input


class Joined:
    """The bytes of all inputs, one after the other; an input that cannot be read is reported and skipped.

    Attributes:
        opened: Some input was opened; a directory counts, although it cannot be read.
    """

    def __init__(
        self, ctx: Context, names: Sequence[str], limit: int | None = None, *, lenient: bool = False
    ) -> None:
        """``lenient``: a directory is reported but is not a failure."""
        self._ctx = ctx
        self._names = names
        self._limit = limit
        self._lenient = lenient
        self._skip = 0
        self.opened = False

    def skip(self, count: int) -> None:
        """Skip the first ``count`` bytes; if the inputs are shorter, the rest is in ``missing``."""
        self._skip = count

    @property
    def missing(self) -> int:
        """The number of bytes that could not be skipped, because the inputs ended."""
        return self._skip

    def chunks(self) -> Iterator[bytes]:
        """Yield the bytes in pieces of at most 64 KiB; nothing after the limit is consumed."""
        remaining = self._limit
        for name in self._names:
            if remaining == 0 and self.opened:
                return
            try:
                with self._ctx.open(name) as reader:
                    self.opened = True
                    while self._skip and (data := reader.read(min(self._skip, 65_536))):
                        self._skip -= len(data)
                    while (remaining is None or remaining) and not self._skip:
                        data = reader.read(65_536 if remaining is None else min(remaining, 65_536))
                        if not data:
                            break
                        if remaining is not None:
                            remaining -= len(data)
                        yield data
            except OSError as error:
                if not_readable(error):
                    self.opened = True
                    self._skip = 0  # the system moves to any offset of a directory
                    if remaining == 0:
                        continue
                if not_readable(error) and self._lenient:
                    self._ctx.error(f"{self._ctx.name if name == '-' else name}: {reason(error)}")
                else:
                    shown = shown_input(name) if self._ctx.program == "od" else name
                    self._ctx.fail(f"{shown}: {reason(error)}")

    def blocks(self, size: int) -> Iterator[bytes]:
        """Yield pieces whose length is a multiple of ``size``, and at last the rest."""
        buffered = b""
        for data in self.chunks():
            buffered += data
            whole = len(buffered) // size * size
            if whole:
                yield buffered[:whole]
                buffered = buffered[whole:]
            else:
                self._ctx.budget.check_fits(len(buffered))
        if buffered:
            yield buffered
