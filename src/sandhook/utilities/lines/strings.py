"""strings: print the texts within binary files.

Source: POSIX.1-2024 XCU 3, strings. Oracle: GNU binutils 2.40.
Divergence: L-STRINGS-001, -d and -T are taken, and without effect; -U is not offered.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from sandhook.command.context import Context, Failure
from sandhook.command.operands import reason
from sandhook.command.options import UsageError, also, opt, option_set
from sandhook.text.quoting import quote_odd

NUMERIC = "legacy"
#: Bytes before the one that says the character, and after it.
_ENCODINGS = {"s": (0, 0), "S": (0, 0), "b": (1, 0), "l": (0, 1), "B": (3, 0), "L": (0, 3)}
_FORMS = {"o": "%7o ", "d": "%7d ", "x": "%7x "}


def _length(text: str) -> int:
    if not (text.isascii() and text.isdigit()):
        raise Failure(f"invalid integer argument {text}")
    if not text.strip("0"):
        raise Failure("invalid minimum string length 0")
    return min(int(text[:18]), 1 << 40)


def _radix(text: str) -> str:
    if text not in _FORMS:
        raise UsageError(f"invalid radix '{text}'", hint=False)
    return text


def _encoding(text: str) -> str:
    if text not in _ENCODINGS:
        raise UsageError(f"unsupported encoding '{text}'", hint=False)
    return text


@option_set
class Options:
    """strings [-afw] [-n LENGTH] [-t RADIX] [-s SEPARATOR] [FILE]...

    Print every run of at least 4 printable characters in the FILEs (standard input).
    """

    all_: bool = opt("-a", "--all", ignored="files are always read as a whole")
    data: bool = opt("-d", "--data", ignored="files are always read as a whole")
    target: str | None = opt("-T", "--target", "FORMAT", ignored="no file is an object file")
    names: bool = opt("-f", "--print-file-name", help="print the file's name before each string")
    length: int = opt("-n", "--bytes", "LENGTH", "shortest string, in characters", convert=_length, default=4)
    radix: str | None = also(
        opt("-t", "--radix", "RADIX", "print offsets: o, d or x", convert=_radix, default=None),
        opt("-o", help="like -t o", const="o"),
    )
    white: bool = opt("-w", "--include-all-whitespace", help="all white space belongs to strings")
    separator: str = opt(
        "-s", "--output-separator", "SEPARATOR", "print it instead of newlines", default="\n"
    )
    encoding: str = opt(
        "-e",
        "--encoding",
        "SIZE",
        "s: 7 bits, S: 8 bits, b and l: 16 bits with the high or the low byte first, B and L: 32 bits",
        convert=_encoding,
        default="s",
    )
    legacy: str | None = None


def run(options: Options, operands: Sequence[str], ctx: Context) -> int:
    """Return 0, or 1 when a file could not be read."""
    least = _length(options.legacy) if options.legacy is not None else options.length
    letters = (
        rb"\t\x20-\x7e"
        + (rb"\n-\r" if options.white else b"")
        + (rb"\x80-\xff" if options.encoding == "S" else b"")
    )
    front, behind = _ENCODINGS[options.encoding]
    width = front + 1 + behind
    run_of = re.compile(rb"(?:" + rb"\0" * front + rb"[" + letters + rb"]" + rb"\0" * behind + rb")+")
    write = _writer(least, options, ctx)
    for name in operands or ("-",):
        shown = "{standard input}" if name == "-" else name
        head = f"{shown}: ".encode("utf-8", "surrogateescape") if options.names else b""
        try:
            with ctx.open(name) as reader:
                held, base = b"", 0
                for data in reader.chunks():
                    held += data
                    ctx.budget.check_fits(len(held))
                    stop = len(held) - width + 1
                    for found in run_of.finditer(held):
                        if found.end() > len(held) - width:  # it may go on
                            stop = found.start()
                            break
                        write(found[0][front::width], base + found.start(), head)
                    stop = max(stop, 0)
                    base += stop
                    held = held[stop:]
                for found in run_of.finditer(held):
                    write(found[0][front::width], base + found.start(), head)
        except FileNotFoundError:
            ctx.fail(f"'{name}': No such file")
        except IsADirectoryError:
            ctx.error(f"Warning: '{name}' is a directory")
            ctx.failed = 1
        except OSError as error:
            ctx.fail(f"{quote_odd(name)}: {reason(error)}")
    return ctx.failed


def _writer(least: int, options: Options, ctx: Context) -> Callable[[bytes, int, bytes], None]:
    """Return a function that writes a string, its offset and what stands before it, when it is long enough."""
    separator = options.separator.encode("utf-8", "surrogateescape")
    form = _FORMS[options.radix] if options.radix is not None else None

    def write(text: bytes, offset: int, head: bytes) -> None:
        ctx.charge()
        if len(text) >= least:
            ctx.write(head + ((form % offset).encode() if form is not None else b"") + text + separator)

    return write
