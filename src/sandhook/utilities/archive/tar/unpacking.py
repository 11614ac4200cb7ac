"""The decompressor of tar, which GNU's tar runs as a child process: what it prints, and its exit status."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NoReturn

from sandhook.command.context import Context
from sandhook.command.operands import reason
from sandhook.formats.compressed import CorruptError, expanded
from sandhook.utilities.archive.gzip.messages import BzipMessages, GzipMessages, XzMessages
from sandhook.utilities.archive.tar.job import FatalError

if TYPE_CHECKING:
    from sandhook.formats.compressed import Compression


def fail_to_read(archive: str, in_child: bool, error: OSError, ctx: Context) -> NoReturn:
    """Raise FatalError for an archive that was opened and cannot be read; ``in_child``: a child process reads it."""
    name = "tar (child)" if in_child else ctx.name
    text = f"{archive}: Cannot read: {reason(error)}\n{name}: At beginning of tape, quitting now"
    if in_child:
        ctx.write_error(f"{name}: {text}\n{name}: Error is not recoverable: exiting now\n")
        ctx.write_error("\ngzip: stdin: unexpected end of file\n")
        text = "Child returned status 2"
    raise FatalError(text)


def check_kind(requested: str, actual: str, ctx: Context) -> None:
    """Raise FatalError, after the decompressor's message, when the data have another format."""
    if requested in (actual, "lzma"):
        return
    if requested == "gzip":
        ctx.write_error("\ngzip: stdin: not in gzip format\n")
    elif requested == "bzip2":
        ctx.write_error("bzip2: (stdin) is not a bzip2 file.\n")
    else:
        ctx.write_error("xz: (stdin): File format not recognized\n")
    raise FatalError(f"Child returned status {2 if requested == 'bzip2' else 1}")


class Unpacker:
    """Expands the pieces of an archive.

    Attributes:
        status: The exit status of the decompressor, 0 as long as it found no damage.
    """

    def __init__(self, pieces: Iterator[bytes], packing: Compression, ctx: Context) -> None:
        self._pieces = pieces
        self._packing = packing
        self._ctx = ctx
        self.status = 0

    def expanded(self) -> Iterator[bytes]:
        """Yield the contents; they end where damage begins, which is reported."""
        ctx = self._ctx
        try:
            for piece in expanded(self._pieces, self._packing, ctx.charge, ctx.budget.charge_memory):
                if piece:
                    yield piece
        except CorruptError as error:
            if error.reason == "trailing garbage":
                return
            self._report(error)

    def _report(self, error: CorruptError) -> None:
        messages = {"gzip": GzipMessages, "bzip2": BzipMessages}.get(self._packing, XzMessages)()
        why = "Inappropriate ioctl for device"
        text = messages.corrupt_data(messages.stream, error, "", test=False, why=why)[0]
        blank = "\n" if self._packing == "gzip" or "*Possible*" in text else ""
        program = self._packing if self._packing in ("gzip", "bzip2") else "xz"
        self._ctx.write_error(f"{blank}{program}: {text}\n")
        self.status = messages.corrupt
