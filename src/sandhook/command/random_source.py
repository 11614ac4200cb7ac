"""The file of --random-source, from which sort, shuf and shred read random bytes."""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.command.context import Context, Failure
from sandhook.command.operands import reason
from sandhook.text.quoting import quote_escaped, quote_odd


def only_source(names: Sequence[str]) -> str | None:
    """Return the file of several --random-source, None without one. Raises Failure if they differ."""
    if len(set(names)) > 1:
        raise Failure("multiple random sources specified")
    return names[0] if names else None


class RandomSource:
    """An open file of random bytes; "-" is the name of a file.

    Args:
        opening: Comes before the name in the message about a file that cannot be opened.

    Raises:
        Failure: The file cannot be opened.
    """

    def __init__(self, name: str, ctx: Context, opening: str = "") -> None:
        self._name = name
        self._reader = None
        try:
            self._reader = ctx.open("./-" if name == "-" else name)
        except IsADirectoryError:
            return  # it can be opened, but not read
        except OSError as error:
            raise Failure(f"{opening}{quote_odd(name)}: {reason(error)}") from None

    def read(self, count: int) -> bytes:
        """Return ``count`` bytes. Raises Failure at the end of the file."""
        if self._reader is None:
            raise Failure(f"{quote_escaped(self._name)}: read error: Is a directory")
        pieces = []
        while count:
            piece = self._reader.read(count)
            if not piece:
                raise Failure(f"{quote_escaped(self._name)}: end of file")
            pieces.append(piece)
            count -= len(piece)
        return pieces[0] if len(pieces) == 1 else b"".join(pieces)

    def close(self) -> None:
        """Release the file."""
        if self._reader is not None:
            self._reader.close()
