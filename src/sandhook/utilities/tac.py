"""tac: print the lines of files from the last to the first.

Oracle: GNU coreutils 9.1 (no standard has it).
An expression for -r is matched from the end: of all places where it matches, the last one counts.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from sandhook.pattern.errors import PatternError
from sandhook.pattern.posix import Regex, compile_bre
from sandhook.utilities._base import Context, Failure, opt, option_set
from sandhook.utilities._files import quote_always, reason


@option_set
class Options:
    """tac [-b] [-s TEXT] [FILE]...

    Print each FILE (standard input), last line first.
    """

    before: bool = opt("-b", "--before", "the separator stands before a line, not behind it")
    regex: bool = opt("-r", "--regex", "the separator is a regular expression")
    separator: str = opt("-s", "--separator", "TEXT", "lines are separated by TEXT", default="\n")


def run(options: Options, operands: Sequence[str], ctx: Context) -> int:
    """Return 0, or 1 when a file could not be read."""
    separator = options.separator.encode("utf-8", "surrogateescape") or b"\0"
    if len(separator) > 4096:
        raise Failure("separator is too long")
    if options.regex and not options.separator:
        raise Failure("separator cannot be empty")
    expression = _compiled(separator) if options.regex else None
    for name in operands or ["-"]:
        try:
            with ctx.open(name) as reader:
                data = reader.read_all()
        except OSError as error:
            if isinstance(error, IsADirectoryError):
                ctx.fail(f"{name}: read error: Invalid argument")
            else:
                ctx.fail(f"failed to open {quote_always(name)} for reading: {reason(error)}")
            continue
        _print_reversed(data, separator if expression is None else expression, options.before, ctx)
    return ctx.failed


def _print_reversed(data: bytes, separator: bytes | Regex, before: bool, ctx: Context) -> None:
    """Print the records of ``data`` from the end, without a list of all of them."""
    past = end = len(data)
    first = True
    while True:
        ctx.charge()
        if isinstance(separator, bytes):
            start = data.rfind(separator, 0, end)
            found = (start, start + len(separator)) if start >= 0 else None
        else:
            found = _last_match(data, separator, end, ctx)
        if found is None:
            ctx.write(data[:past])
            return
        stop = found[0] if before else found[1]
        if before or not first or stop != past:
            ctx.write(data[stop:past])
        past = stop
        first = False
        end = found[0]


#: In a bracket expression, behind a backslash, or alone: here + and ? repeat, and their escapes are themselves.
_PIECE = re.compile(r"\[\^?\]?(?:\[[.:=].*?[.:=]\]|[^\]])*\]|\\.|.", re.DOTALL)
_SWAPPED = {"+": "\\+", "?": "\\?", "\\+": "+", "\\?": "[?]"}


def _compiled(separator: bytes) -> Regex:
    """Compile a separator, in which + and ? are operators, as in Emacs, and \\| stands between alternatives."""
    pieces = _PIECE.findall(separator.decode("utf-8", "surrogateescape"))
    try:
        return compile_bre(
            "".join(_SWAPPED.get(piece, piece) for piece in pieces), newline="^" in pieces or "$" in pieces
        )
    except PatternError as error:
        raise Failure(str(error)) from None


def _last_match(data: bytes, expression: Regex, end: int, ctx: Context) -> tuple[int, int] | None:
    """Return the match in ``data[:end]`` that begins last."""
    low, high = max(end - 256, 0), end
    while high > 0:
        at, found = low, None
        while (match := expression.search(data, at, end, remaining=ctx.budget.remaining)) is not None:
            ctx.charge()
            start, stop = match.spans[0]
            if start >= high:
                break
            found = (start, stop)
            at = start + 1
        if found is not None:
            return found
        low, high = max(low - 4 * (high - low), 0), low
    return None
