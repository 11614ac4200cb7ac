"""tac: print the lines of files from the last to the first.

Oracle: GNU coreutils 9.1 (not in a standard).
The expression of -r is matched from the end: of all matches, the one that begins last counts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from sandhook.command.context import Context, Failure
from sandhook.command.operands import not_readable, reason, shown_input
from sandhook.command.options import opt, option_set
from sandhook.pattern.errors import PatternError
from sandhook.pattern.posix import Regex, compile_regex
from sandhook.pattern.translate import Dialect
from sandhook.text.quoting import quote_always

CLOSED_INPUT = "-"


@option_set
class Options:
    """tac [OPTION]... [FILE]...

    Print each FILE (standard input), last line first.
    """

    before: bool = opt("-b", "--before", "the separator is before a line, not after it")
    regex: bool = opt("-r", "--regex", "the separator is a regular expression")
    separator: str = opt("-s", "--separator", "TEXT", "lines are separated by TEXT", default="\n")


def run(options: Options, operands: Sequence[str], ctx: Context) -> int:
    """Return 0, or 1 when a file could not be read."""
    separator = options.separator.encode("utf-8", "surrogateescape") or b"\0"
    if len(separator) > 4096:
        raise Failure("separator is too long")
    if options.regex and not options.separator:
        raise Failure("separator cannot be empty")
    expression = _compile(separator) if options.regex else None
    for name in operands or ["-"]:
        try:
            with ctx.open(name) as reader:
                data = reader.read_all()
        except OSError as error:
            if not_readable(error):
                why = "Invalid argument" if isinstance(error, IsADirectoryError) else reason(error)
                ctx.fail(f"{shown_input(name)}: read error: {why}")
            else:
                ctx.fail(f"failed to open {quote_always(name)} for reading: {reason(error)}")
            continue
        _print_reversed(data, separator if expression is None else expression, options.before, ctx)
    return ctx.failed


def _print_reversed(data: bytes, separator: bytes | Regex, before: bool, ctx: Context) -> None:
    """Print the records of ``data`` from the end, without a list of all of them."""
    end = len(data)
    first = True
    matches = _places(data, separator) if isinstance(separator, bytes) else _matches(data, separator, ctx)
    for start, stop in matches:
        ctx.charge()
        boundary = start if before else stop
        if before or not first or boundary != end:
            ctx.write(data[boundary:end])
        end = boundary
        first = False
    ctx.write(data[:end])


def _places(data: bytes, separator: bytes) -> Iterator[tuple[int, int]]:
    """Yield the spans of a separator from the end, without overlaps."""
    start = data.rfind(separator)
    while start >= 0:
        yield start, start + len(separator)
        start = data.rfind(separator, 0, start)


#: A bracket expression, an escape or one character. In Emacs syntax, + and ? are operators, and \+ and \? literal.
_PIECE = re.compile(r"\[\^?\]?(?:\[[.:=].*?[.:=]\]|[^\]])*\]|\\.|.", re.DOTALL)
_SWAPPED = {"+": "\\+", "?": "\\?", "\\+": "+", "\\?": "[?]"}


def _compile(separator: bytes) -> Regex:
    """Compile a separator in Emacs syntax: + and ? are operators, and \\| separates alternatives."""
    pieces = _PIECE.findall(separator.decode("utf-8", "surrogateescape"))
    try:
        dialect = Dialect(extended=False, newline="^" in pieces or "$" in pieces)
        return compile_regex("".join(_SWAPPED.get(piece, piece) for piece in pieces), dialect)
    except PatternError as error:
        raise Failure(str(error)) from None


def _matches(data: bytes, expression: Regex, ctx: Context) -> Iterator[tuple[int, int]]:
    """Yield matches from the end: each is the one that begins last before the previous one."""
    end = high = len(data)
    size = 256
    while high > 0:
        low = max(high - size, 0)
        base = max(low - 1, 0)  # "^" depends on the character before
        piece = data[base:end]
        spans: list[tuple[int, int]] = []
        at = low - base
        while (match := expression.search(piece, at, remaining=ctx.budget.remaining)) is not None:
            ctx.charge()
            start, stop = match.spans[0]
            if base + start >= high:
                break
            spans.append((base + start, base + stop))
            at = start + 1
        ctx.budget.check_fits(64 * len(spans))
        for start, stop in reversed(spans):
            if stop > end:  # it overlaps the previous match: search for a shorter one
                match = expression.search(data[base:end], start - base, remaining=ctx.budget.remaining)
                if match is None or match.spans[0][0] != start - base:
                    continue
                stop = base + match.spans[0][1]
            yield start, stop
            end = start
        size = 256 if spans else 4 * size
        high = low
