"""strings: print the texts within binary files.

Source: POSIX.1-2024 XCU 3, strings. Oracle: GNU binutils 2.40.
Divergence: L-STRINGS-001, -d and -T are accepted without effect; -U is not offered.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from sandhook.command.context import Context, Failure
from sandhook.command.operands import reason
from sandhook.command.options import UsageError, also, opt, option_set
from sandhook.text.quoting import quote_odd

WRITE_ERROR = ""

NUMERIC = "legacy"
#: Zero bytes before the byte of a character, and after it.
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
    minimum = _length(options.legacy) if options.legacy is not None else options.length
    characters = (
        rb"\t\x20-\x7e"
        + (rb"\n-\r" if options.white else b"")
        + (rb"\x80-\xff" if options.encoding == "S" else b"")
    )
    leading, trailing = _ENCODINGS[options.encoding]
    width = leading + 1 + trailing
    pattern = re.compile(rb"(?:" + rb"\0" * leading + rb"[" + characters + rb"]" + rb"\0" * trailing + rb")+")
    write = _writer(minimum, options, ctx)
    files = [name for name in operands if name != "-"]
    if operands and not files:
        raise UsageError("'-' is not a file, nor standard input")
    for name in files or ("-",):
        title = "{standard input}" if name == "-" else name
        prefix = f"{title}: ".encode("utf-8", "surrogateescape") if options.names else b""
        try:
            with ctx.open(name) as reader:
                pending, base = b"", 0
                for data in reader.chunks():
                    pending += data
                    reader.check_fits(len(pending))
                    stop = len(pending) - width + 1
                    for match in pattern.finditer(pending):
                        if match.end() > len(pending) - width:  # the next chunk may continue it
                            stop = match.start()
                            break
                        write(match[0][leading::width], base + match.start(), prefix)
                    stop = max(stop, 0)
                    base += stop
                    pending = pending[stop:]
                for match in pattern.finditer(pending):
                    write(match[0][leading::width], base + match.start(), prefix)
        except FileNotFoundError:
            ctx.fail(f"'{name}': No such file")
        except IsADirectoryError:
            ctx.error(f"Warning: '{name}' is a directory")
            ctx.failed = 1
        except OSError as error:
            ctx.fail(f"{quote_odd(name)}: {reason(error)}")
    return ctx.failed


def _writer(minimum: int, options: Options, ctx: Context) -> Callable[[bytes, int, bytes], None]:
    """Return a function that writes a string after its prefix and offset, if it is long enough."""
    separator = options.separator.encode("utf-8", "surrogateescape")
    offset_format = _FORMS[options.radix] if options.radix is not None else None

    def write(text: bytes, offset: int, prefix: bytes) -> None:
        ctx.charge()
        if len(text) >= minimum:
            ctx.write(
                prefix
                + ((offset_format % offset).encode() if offset_format is not None else b"")
                + text
                + separator
            )

    return write
