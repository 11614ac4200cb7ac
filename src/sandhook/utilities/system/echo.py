"""echo: write arguments to standard output.

Source: POSIX.1-2024 XCU 3, echo. Oracle: GNU coreutils 9.1; bash 5.2's built-in with xpg_echo off for ``echo``.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.command.context import Context
from sandhook.command.options import also, inform_alone, opt, option_set, options_by_flag
from sandhook.text.escapes import unescape_echo

RAW = True  # a word with any other letter after the dash is text
INFORMS = False  # --help and --version inform only if they are the one argument


@option_set
class Options:
    """echo [SHORT-OPTION]... [STRING]...
      or:  echo LONG-OPTION

    Print each WORD, separated by blanks.
    """

    newline: bool = opt("-n", help="do not print a newline at the end", const=False, default=True)
    escapes: bool = also(
        opt("-e", help="expand backslash escapes"),
        opt("-E", help="do not expand them (the default)", const=False),
    )


_OPTIONS = {flag[1:]: option for flag, option in options_by_flag(Options).items()}
_LETTERS = "".join(_OPTIONS)


def run(options: None, operands: Sequence[str], ctx: Context) -> int:
    """Return 0."""
    if "POSIXLY_CORRECT" in ctx.environment:  # escapes are expanded, and options begin with -n
        ctx.write(echo(operands, escapes=True, options=list(operands[:1]) == ["-n"], universal=False))
        return 0
    inform_alone(operands)
    ctx.write(echo(operands, universal=False))
    return 0


def echo(
    arguments: Sequence[str], *, escapes: bool = False, options: bool = True, universal: bool = True
) -> bytes:
    """Return the output of echo for its arguments, including options (-n, -e, -E).

    Args:
        escapes: Expand backslash escapes even without -e (``shopt -s xpg_echo``).
        options: Words with a dash at the start are options.
        universal: There are escapes of code points, which bash's built-in has and GNU's program does not.
    """
    start = 0
    newline = True
    for argument in arguments if options else ():
        if argument[:1] != "-" or len(argument) < 2 or argument.strip(_LETTERS) != "-":
            break
        for letter in argument[1:]:
            option = _OPTIONS[letter]
            if option.field == "newline":
                newline = option.const
            else:
                escapes = option.const
        start += 1
    if start:
        arguments = arguments[start:]
    text = " ".join(arguments).encode("utf-8", "surrogateescape")
    if escapes and b"\\" in text:
        text, stopped = unescape_echo(text, universal=universal)
        if stopped:
            return text
    return text + b"\n" if newline else text
