"""echo: write arguments to standard output.

Source: POSIX.1-2024 XCU 3, echo. Oracle: bash 5.2's built-in with xpg_echo off.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.command.context import Context
from sandhook.text.escapes import unescape_echo

RAW = True


def run(options: None, operands: Sequence[str], ctx: Context) -> int:
    """Return 0."""
    ctx.write(echo(operands))
    return 0


def echo(arguments: Sequence[str], *, escapes: bool = False) -> bytes:
    """Return the output of echo for its arguments, including options (-n, -e, -E).

    Args:
        escapes: Expand backslash escapes even without -e (``shopt -s xpg_echo``).
    """
    start = 0
    newline = True
    for argument in arguments:
        if argument[:1] != "-" or len(argument) < 2 or argument.strip("neE") != "-":
            break
        for letter in argument[1:]:
            if letter == "n":
                newline = False
            else:
                escapes = letter == "e"
        start += 1
    if start:
        arguments = arguments[start:]
    text = " ".join(arguments).encode("utf-8", "surrogateescape")
    if escapes and b"\\" in text:
        text, stopped = unescape_echo(text)
        if stopped:
            return text
    return text + b"\n" if newline else text
