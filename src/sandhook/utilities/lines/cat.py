"""cat: concatenate files.

Source: POSIX.1-2024 XCU 3, cat. Oracle: GNU coreutils 9.1 (all options but -u are GNU's).
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.command.context import Context, Reader
from sandhook.command.options import opt, option_set
from sandhook.command.pieces import PIECE, map_bytes
from sandhook.text.quoting import quote_odd
from sandhook.vfs.errors import error_text

CLOSED_INPUT = "closing standard input"


@option_set
class Options:
    """cat [OPTION]... [FILE]...

    Copy each FILE, or standard input, to standard output.
    """

    all_: bool = opt("-A", "--show-all", help="same as -vET")
    number_nonblank: bool = opt(
        "-b", "--number-nonblank", help="number lines that are not empty; overrides -n"
    )
    ends_visible: bool = opt("-e", help="same as -vE")
    ends: bool = opt("-E", "--show-ends", help="show $ at the end of each line")
    number: bool = opt("-n", "--number", help="number all lines")
    squeeze: bool = opt("-s", "--squeeze-blank", help="show adjacent empty lines as one")
    tabs_visible: bool = opt("-t", help="same as -vT")
    tabs: bool = opt("-T", "--show-tabs", help="show tabs as ^I")
    unbuffered: bool = opt("-u", ignored="")
    visible: bool = opt("-v", "--show-nonprinting", help="show other control characters as ^ and M- forms")


def run(options: Options, operands: Sequence[str], ctx: Context) -> int:
    """Return 0, or 1 when a file could not be read; the other files are still copied."""
    if 1 not in ctx.process.descriptors:
        ctx.fail("standard output: Bad file descriptor")
        return ctx.failed
    copy = plain_copy
    if options != _PLAIN and options != _UNBUFFERED:
        copy = Display(options).copy
    for name in operands or ("-",):
        try:
            with ctx.open(name) as reader:
                if reader.is_output():
                    ctx.fail(f"{name}: input file is output file")
                else:
                    copy(reader, ctx)
        except OSError as error:
            ctx.fail(f"{quote_odd(name)}: {error_text(error)}")
    return ctx.failed


def plain_copy(reader: Reader, ctx: Context) -> None:
    """Copy the rest of an input unchanged."""
    while data := reader.read():
        ctx.write(data)


class Display:
    """Copies with numbers and marks; line numbers continue from file to file."""

    def __init__(self, options: Options) -> None:
        visible = options.visible or options.all_ or options.ends_visible or options.tabs_visible
        self.ends = options.ends or options.all_ or options.ends_visible
        self.number = options.number or options.number_nonblank
        self.nonblank = options.number_nonblank
        self.squeeze = options.squeeze
        self.table: list[bytes] | None = None
        if visible or options.tabs or options.all_ or options.tabs_visible:
            tabs = options.tabs or options.all_ or options.tabs_visible
            self.table = [picture(byte, tabs) if visible else bytes((byte,)) for byte in range(256)]
            self.table[9] = b"^I" if tabs else b"\t"
        self.count = 0
        self.blank = False  # the previous line was empty
        self.inside = False  # the previous file ended without a newline

    def copy(self, reader: Reader, ctx: Context) -> None:
        """Copy one input."""
        for line in reader.lines():
            bare = line.removesuffix(b"\n")
            empty = not bare and not self.inside
            if self.squeeze and empty:
                if self.blank:
                    continue
                self.blank = True
            else:
                self.blank = False
            if self.number and not self.inside and not (self.nonblank and empty):
                self.count += 1
                ctx.write(b"%6d\t" % self.count)
            self.inside = len(bare) == len(line)
            if self.table is not None:
                bare = self._picture(bare, self.table, ctx)
            if self.inside:
                ctx.write(bare)
            elif self.ends:
                if bare[-1:] == b"\r":
                    bare = bare[:-1] + b"^M"
                ctx.write(bare + b"$\n")
            else:
                ctx.write(bare + b"\n")

    def _picture(self, text: bytes, table: Sequence[bytes], ctx: Context) -> bytes:
        """Return what -v and -T show for a text; of a long one write all but the end."""
        if len(text) <= PIECE:
            return b"".join([table[byte] for byte in text])
        shown = b""
        for piece in map_bytes(text, table, ctx.charge):
            ctx.write(shown)
            shown = piece
        return shown


def picture(byte: int, tabs: bool) -> bytes:
    """Return what -v shows for a byte."""
    if byte >= 128:
        return b"M-" + picture(byte - 128, True) if byte != 128 + 10 else b"M-^J"
    if byte == 127:
        return b"^?"
    if byte < 32 and (byte != 9 or tabs):
        return b"^" + bytes((byte + 64,))
    return bytes((byte,))


_PLAIN = Options()
_UNBUFFERED = Options(unbuffered=True)
