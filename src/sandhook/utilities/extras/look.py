"""look: print the lines of a sorted file that begin with a string.

Oracle: util-linux 2.38. Divergence: L-LOOK-001, every line is looked at, also in a file that is not sorted.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.command.context import Context, Failure
from sandhook.command.operands import reason
from sandhook.command.options import UsageError, opt, option_set

_WORDS = "/usr/share/dict/words"
_ALTERNATIVE = "/usr/share/dict/web2"
_DROPPED = bytes(byte for byte in range(256) if byte > 127 or not (chr(byte).isalnum() or byte in b" \t"))


@option_set
class Options:
    """look [-adf] [-t CHARACTER] STRING [FILE]

    Print the lines of FILE, a dictionary by default, that begin with STRING.
    """

    alternative: bool = opt("-a", "--alternative", help="use the other dictionary, web2")
    alphanumeric: bool = opt("-d", "--alphanum", help="compare blanks, letters and digits alone")
    fold: bool = opt("-f", "--ignore-case", help="ignore case")
    terminator: str | None = opt(
        "-t", "--terminate", "CHARACTER", "compare STRING up to this character (and with it)"
    )


def run(options: Options, operands: Sequence[str], ctx: Context) -> int:
    """Return 0 when a line was found, 1 when none was or FILE cannot be read."""
    if not 1 <= len(operands) <= 2:
        raise UsageError("bad usage")
    plain = len(operands) == 1
    name = (_ALTERNATIVE if options.alternative else _WORDS) if plain else operands[1]
    fold, alphanumeric = options.fold or plain, options.alphanumeric or plain
    text = operands[0]
    if options.terminator:
        text = text[: text.find(options.terminator[0]) + 1] or text
    wanted = _key(text.encode("utf-8", "surrogateescape"), fold, alphanumeric)
    found = False
    try:
        with ctx.open(name if name != "-" else "./-") as reader:
            for line in reader.lines():
                if _key(line.removesuffix(b"\n"), fold, alphanumeric).startswith(wanted):
                    found = True
                    ctx.write(line.removesuffix(b"\n") + b"\n")
    except OSError as error:
        raise Failure(f"{name}: {reason(error)}") from None
    return 0 if found else 1


def _key(line: bytes, fold: bool, alphanumeric: bool) -> bytes:
    if alphanumeric:
        line = line.translate(None, _DROPPED)
    return line.lower() if fold else line
