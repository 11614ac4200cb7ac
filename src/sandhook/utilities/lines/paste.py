"""paste: join lines of files side by side.

Source: POSIX.1-2024 XCU 3, paste. Oracle: GNU coreutils 9.1.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sandhook.command.context import Context, Failure, Reader
from sandhook.command.operands import reason
from sandhook.command.options import opt, option_set
from sandhook.command.utility import WRITE_ERROR_TWICE
from sandhook.text.quoting import quote_odd

CLOSED_INPUT = "-"

WRITE_ERROR = WRITE_ERROR_TWICE

_ESCAPES = {
    b"n": b"\n",
    b"t": b"\t",
    b"\\": b"\\",
    b"0": b"",
    b"b": b"\b",
    b"f": b"\f",
    b"r": b"\r",
    b"v": b"\v",
}


@option_set
class Options:
    """paste [OPTION]... [FILE]...

    Print one line for each set of corresponding lines of the FILEs, with tabs between them.
    """

    delimiters: str = opt("-d", "--delimiters", "LIST", "bytes of LIST in turn instead of tabs", default="\t")
    serial: bool = opt("-s", "--serial", "the lines of one FILE in one line")
    zero: bool = opt("-z", "--zero-terminated", "lines end with NUL instead of a newline")


def run(options: Options, operands: Sequence[str], ctx: Context) -> int:
    """Return 0, or 1 when a file could not be read."""
    end = b"\0" if options.zero else b"\n"
    delimiters = _delimiters(options.delimiters)
    names = list(operands) or ["-"]
    if options.serial:
        for name in names:
            try:
                with ctx.open(name) as reader:
                    _serial(reader, delimiters, end, ctx)
            except IsADirectoryError as error:  # GNU's opens it before it fails, and prints an empty line
                ctx.write(end)
                ctx.fail(f"{quote_odd(name)}: {reason(error)}")
            except OSError as error:
                ctx.fail(f"{quote_odd(name)}: {reason(error)}")
        return ctx.failed
    readers: list[Reader] = []
    shared: Iterator[bytes] | None = None
    inputs: list[Iterator[bytes]] = []
    try:
        for name in names:
            if name == "-" and shared is not None:
                inputs.append(shared)
                continue
            try:
                reader = ctx.open(name)
            except IsADirectoryError as error:
                ctx.fail(f"{quote_odd(name)}: {reason(error)}")
                inputs.append(iter(()))
                continue
            except OSError as error:
                raise Failure(f"{quote_odd(name)}: {reason(error)}") from None
            readers.append(reader)
            lines = reader.lines(end)
            shared = lines if name == "-" else shared
            inputs.append(lines)
        try:
            _parallel(inputs, delimiters, end, ctx)
        except OSError as error:
            ctx.fail(f"-: {reason(error)}")
    finally:
        for reader in readers:
            reader.close()
    return ctx.failed


def _delimiters(text: str) -> list[bytes]:
    delimiters = []
    data = text.encode("utf-8", "surrogateescape")  # a delimiter is a byte, also of a longer character
    index = 0
    while index < len(data):
        letter = data[index : index + 1]
        index += 1
        if letter == b"\\":
            if index >= len(data):
                raise Failure(f"delimiter list ends with an unescaped backslash: {text}")
            letter = data[index : index + 1]
            index += 1
            letter = _ESCAPES.get(letter, letter)
        delimiters.append(letter)
    return delimiters or [b""]


def _serial(reader: Reader, delimiters: list[bytes], end: bytes, ctx: Context) -> None:
    for count, line in enumerate(reader.lines(end)):
        if count:
            ctx.write(delimiters[(count - 1) % len(delimiters)])
        ctx.write(line.removesuffix(end))
    ctx.write(end)


def _parallel(inputs: list[Iterator[bytes]], delimiters: list[bytes], end: bytes, ctx: Context) -> None:
    while True:
        ctx.charge()
        lines = [next(lines, None) for lines in inputs]
        if all(line is None for line in lines):
            return
        for count, line in enumerate(lines):
            if count:
                ctx.write(delimiters[(count - 1) % len(delimiters)])
            ctx.write((line or b"").removesuffix(end))
        ctx.write(end)
