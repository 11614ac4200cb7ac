"""Several operands read as one stream of bytes: what od, hexdump and strings do."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sandhook.command.context import Context
from sandhook.command.operands import reason
from sandhook.text.quoting import quote_odd


class Joined:
    """The bytes of all inputs, one after the other; one that cannot be read is reported and left out.

    Attributes:
        opened: Whether any input could be opened; a directory can, though not read.
    """

    def __init__(
        self, ctx: Context, names: Sequence[str], limit: int | None = None, *, lenient: bool = False
    ) -> None:
        """``lenient``: directories are reported and are no failure."""
        self._ctx = ctx
        self._names = names
        self._limit = limit
        self._lenient = lenient
        self._skip = 0
        self.opened = False

    def skip(self, count: int) -> None:
        """Leave out the first ``count`` bytes; what is missing of them stays in ``missing``."""
        self._skip = count

    @property
    def missing(self) -> int:
        """Bytes that were to be skipped and did not come."""
        return self._skip

    def chunks(self) -> Iterator[bytes]:
        """Yield the bytes in pieces of at most 64 KiB; nothing beyond the limit is consumed."""
        left = self._limit
        for name in self._names:
            if left == 0 and self.opened:
                return
            try:
                with self._ctx.open(name) as reader:
                    self.opened = True
                    while self._skip and (data := reader.read(min(self._skip, 65_536))):
                        self._skip -= len(data)
                    while (left is None or left) and not self._skip:
                        data = reader.read(65_536 if left is None else min(left, 65_536))
                        if not data:
                            break
                        if left is not None:
                            left -= len(data)
                        yield data
            except OSError as error:
                directory = isinstance(error, IsADirectoryError)
                self.opened = self.opened or directory
                if directory and self._lenient:
                    self._ctx.error(f"{name}: {reason(error)}")
                else:
                    shown = quote_odd(name) if self._ctx.program == "od" else name
                    self._ctx.fail(f"{shown}: {reason(error)}")

    def blocks(self, size: int) -> Iterator[bytes]:
        """Yield pieces whose length is a multiple of ``size``, and at last the rest."""
        held = b""
        for data in self.chunks():
            held += data
            whole = len(held) // size * size
            if whole:
                yield held[:whole]
                held = held[whole:]
            else:
                self._ctx.budget.check_fits(len(held))
        if held:
            yield held
