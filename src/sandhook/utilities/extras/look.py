"""look: print the lines of a sorted file that begin with a string.

Oracle: util-linux 2.38. Divergence: L-LOOK-001, every line is compared, also in a file that is not sorted.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.command.context import Context, Failure
from sandhook.command.operands import reason
from sandhook.command.options import VERSION, UsageError, opt, option_set

WRITE_ERROR = {"": "write error: {}", "EPIPE": "", "EBADF": ""}

_WORDS = "/usr/share/dict/words"
_ALTERNATIVE = "/usr/share/dict/web2"
_IGNORED_BYTES = bytes(
    byte for byte in range(256) if byte > 127 or not (chr(byte).isalnum() or byte in b" \t")
)


@option_set
class Options:
    """look [-adf] [-t CHARACTER] STRING [FILE]

    Print the lines of FILE, a dictionary by default, that begin with STRING.
    """

    alternative: bool = opt("-a", "--alternative", help="use the other dictionary, web2")
    alphanumeric: bool = opt("-d", "--alphanum", help="compare only blanks, letters and digits")
    fold: bool = opt("-f", "--ignore-case", help="ignore case")
    terminator: str | None = opt(
        "-t", "--terminate", "CHARACTER", "compare STRING up to and including this character"
    )
    version: bool = opt("-V", help="show the version", const=VERSION)


def run(options: Options, operands: Sequence[str], ctx: Context) -> int:
    """Return 0 when a line matched, 1 when no line matched or FILE cannot be read."""
    if not 1 <= len(operands) <= 2:
        raise UsageError("bad usage")
    default_file = len(operands) == 1
    name = (_ALTERNATIVE if options.alternative else _WORDS) if default_file else operands[1]
    fold, alphanumeric = options.fold or default_file, options.alphanumeric or default_file
    text = operands[0]
    if options.terminator:
        text = text[: text.find(options.terminator[0]) + 1] or text
    prefix = _key(text.encode("utf-8", "surrogateescape"), fold, alphanumeric)
    matched = False
    try:
        with ctx.open(name if name != "-" else "./-") as reader:
            for line in reader.lines():
                if _key(line.removesuffix(b"\n"), fold, alphanumeric).startswith(prefix):
                    matched = True
                    ctx.write(line.removesuffix(b"\n") + b"\n")
    except OSError as error:
        raise Failure(f"{name}: {reason(error)}") from None
    return 0 if matched else 1


def _key(line: bytes, fold: bool, alphanumeric: bool) -> bytes:
    if alphanumeric:
        line = line.translate(None, _IGNORED_BYTES)
    return line.lower() if fold else line
