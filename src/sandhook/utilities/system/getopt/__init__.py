"""getopt: put a script's options into an order that a loop can read.

Oracle: util-linux 2.38.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from sandhook.command.context import Context
from sandhook.command.options import Syntax, UsageError, opt, option_set
from sandhook.lazy import lazily
from sandhook.text.quoting import in_single_quotes
from sandhook.utilities.system.getopt.long import NONE, OPTIONAL, REQUIRED, Declaration, Found, Long, Scanner

RAW = True  # a first argument without a dash is the old form's OPTSTRING
USAGE_STATUS = 2
_WRONG_OPTIONS, _ENHANCED = 1, 4
_SEPARATORS = lazily(r"[, \t\n]+")
_SPACE = lazily(r"[ \t\r\v\f]", re.ASCII)


def _shell(text: str) -> str:
    if text not in ("sh", "bash", "csh", "tcsh"):
        raise UsageError("unknown shell after -s or --shell argument")
    return text.removeprefix("ba").removeprefix("t")


def _longs(text: str) -> tuple[Long, ...]:
    found = []
    for word in _SEPARATORS.split(text):
        if not word:
            continue
        name = word.removesuffix(":").removesuffix(":")
        if not name:
            raise UsageError("empty long option after -l or --long argument")
        found.append(Long(name, (NONE, REQUIRED, OPTIONAL)[len(word) - len(name)]))
    return tuple(found)


@option_set
class Options:
    """getopt OPTSTRING ARGUMENT... | getopt [OPTION]... [--] OPTSTRING ARGUMENT... | getopt [OPTION]... -o OPTSTRING -- ARGUMENT...

    Print the ARGUMENTs with the options first, each on its own with its argument, then --, then the operands. The first
    form does not quote them.
    """

    alternative: bool = opt("-a", "--alternative", "long options may begin with one dash")
    longs: tuple[tuple[Long, ...], ...] = opt(
        "-l", "--longoptions", "NAMES", "the long options, parted by commas", convert=_longs, append=True
    )
    name: str = opt("-n", "--name", "NAME", "whose name messages have (getopt)", default="getopt")
    short: str | None = opt("-o", "--options", "OPTSTRING", "the letters of the short options")
    quiet: bool = opt("-q", "--quiet", help="no messages about wrong options")
    mute: bool = opt("-Q", "--quiet-output", help="print nothing")
    shell: str = opt(
        "-s", "--shell", "SHELL", "quote for sh, bash, csh or tcsh", convert=_shell, default="sh"
    )
    test: bool = opt("-T", "--test", help="status 4: this getopt has these options")
    unquoted: bool = opt("-u", "--unquoted", help="do not quote")


_SYNTAX = Syntax(Options, permute=False)


def run(_: None, arguments: Sequence[str], ctx: Context) -> int:
    """Return 0, 1 for wrong options, 2 for a wrong call, or 4 for -T."""
    compatible = "GETOPT_COMPATIBLE" in ctx.environment
    if not arguments:
        if not compatible:
            raise UsageError("missing optstring argument")
        ctx.write(b" --\n")
        return 0
    if arguments[0][:1] != "-" or compatible:
        short = arguments[0].lstrip("-+")
        return _print(Options(short=short, unquoted=True), arguments[1:], ctx)
    options, operands = _SYNTAX.parse(arguments)
    if options.test:
        return _ENHANCED
    if options.short is None:
        if not operands:
            raise UsageError("missing optstring argument")
        options = _with_short(options, operands.pop(0))
    return _print(options, operands, ctx)


def _with_short(options: Options, short: str) -> Options:
    return Options(**{**options.__dict__, "short": short})


def _print(options: Options, arguments: Sequence[str], ctx: Context) -> int:
    def complain(text: str) -> None:
        if not options.quiet:
            ctx.process.write_error(f"{options.name}: {text}\n".encode("utf-8", "surrogateescape"))

    ctx.charge(len(arguments))
    longs = [each for group in options.longs for each in group]
    strict = "POSIXLY_CORRECT" in ctx.environment
    declared = Declaration(options.short or "", longs, alternative=options.alternative, strict=strict)
    scanned = Scanner(declared, arguments, complain)
    if not options.mute:
        quote = str if options.unquoted else _QUOTES[options.shell]
        words = [_shown(each, quote) for each in scanned.found]
        words += ["--", *map(quote, scanned.operands)]
        ctx.write_line(" " + " ".join(words))
    return _WRONG_OPTIONS if scanned.wrong else 0


def _shown(found: Found, quote: Callable[[str], str]) -> str:
    if not found.name:
        return quote(found.value)
    name = f"--{found.name}" if found.long else f"-{found.name}"
    return name if found.argument == NONE else f"{name} {quote(found.value)}"


def _for_csh(text: str) -> str:
    text = text.replace("\\", "\\\\").replace("'", "'\\''").replace("!", "'\\!'").replace("\n", "\\n")
    return "'" + _SPACE.sub(r"'\\\g<0>'", text) + "'"


_QUOTES: dict[str, Callable[[str], str]] = {"sh": in_single_quotes, "csh": _for_csh}
