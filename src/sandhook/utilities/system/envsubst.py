"""envsubst: insert the values of variables into text.

Oracle: GNU gettext 0.21.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from sandhook.command.context import Context
from sandhook.command.options import Inform, UsageError, also, opt, option_set

READ_ERROR = 'error while reading "standard input": {}'

WRITE_ERROR = {"": "write error: {}", "EPIPE": ""}

_REFERENCE = re.compile(rb"\$(?:\{([A-Za-z_][A-Za-z0-9_]*)\}|([A-Za-z_][A-Za-z0-9_]*))")


@option_set
class Options:
    """envsubst [OPTION] [SHELL-FORMAT]

    Copy standard input with $NAME and ${NAME} replaced by the values of exported variables: all of them, or only those
    that SHELL-FORMAT refers to.
    """

    variables: bool = opt("-v", "--variables", help="print the names that SHELL-FORMAT refers to")
    inform: str = also(
        opt("-V", help="show the version", const="version", default=""),
        opt("-h", help="show this help", const="help"),
    )


def run(options: Options, operands: Sequence[str], ctx: Context) -> int:
    """Return 0."""
    if options.inform:
        raise Inform(options.inform)
    if len(operands) > 1:
        raise UsageError("too many arguments", hint=False)
    if options.variables:
        if not operands:
            raise UsageError("missing arguments", hint=False)
        for name in names(operands[0]):
            ctx.write(name + b"\n")
        return 0
    selected = set(names(operands[0])) if operands else None
    budget = ctx.budget

    def value(match: re.Match[bytes]) -> bytes:
        name = match[1] or match[2]
        if selected is not None and name not in selected:
            return match[0]
        return ctx.environment.get(name.decode(), "").encode("utf-8", "surrogateescape")

    with ctx.stdin_reader() as reader:
        for line in reader.lines():
            if b"$" in line:
                budget.charge(1 + (len(line) >> 4))
                line = _REFERENCE.sub(value, line)
            ctx.write(line)
    return 0


def names(text: str) -> list[bytes]:
    """Return the names of the variables in a text, in order."""
    data = text.encode("utf-8", "surrogateescape")
    return [match[1] or match[2] for match in _REFERENCE.finditer(data)]
