"""getopt: reorder a script's options so that a loop can read them.

Oracle: util-linux 2.38.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sandhook.command.context import Context
from sandhook.command.options import VERSION, Syntax, UsageError, opt, option_set
from sandhook.lazy import lazily
from sandhook.text.quoting import in_single_quotes
from sandhook.utilities.system.getopt.long import (
    NONE,
    OPTIONAL,
    REQUIRED,
    Declaration,
    Long,
    ParsedOption,
    Scanner,
)

WRITE_ERROR = {"": "write error: {}", "EPIPE": "", "EBADF": ""}
WRITE_STATUS = 3

RAW = True  # a first argument without a dash is the OPTSTRING of the old form
USAGE_STATUS = 2
_INVALID_OPTIONS, _ENHANCED = 1, 4
_SEPARATORS = lazily(r"[, \t\n]+")
_SPACE = lazily(r"(?a)[ \t\r\v\f]")


def _shell(text: str) -> str:
    if text not in ("sh", "bash", "csh", "tcsh"):
        raise UsageError("unknown shell after -s or --shell argument")
    return text.removeprefix("ba").removeprefix("t")


def _longs(text: str) -> tuple[Long, ...]:
    options = []
    for word in _SEPARATORS.split(text):
        if not word:
            continue
        name = word.removesuffix(":").removesuffix(":")
        if not name:
            raise UsageError("empty long option after -l or --long argument")
        options.append(Long(name, (NONE, REQUIRED, OPTIONAL)[len(word) - len(name)]))
    return tuple(options)


@option_set
class Options:
    """getopt OPTSTRING ARGUMENT... | getopt [OPTION]... [--] OPTSTRING ARGUMENT... | getopt [OPTION]... -o OPTSTRING -- ARGUMENT...

    Print the ARGUMENTs with the options first, each on its own with its argument, then --, then the operands. The first
    form does not quote them.
    """

    alternative: bool = opt("-a", "--alternative", "long options may begin with one dash")
    longs: tuple[tuple[Long, ...], ...] = opt(
        "-l", "--longoptions", "NAMES", "the long options, separated by commas", convert=_longs, append=True
    )
    name: str = opt("-n", "--name", "NAME", "the program name in messages (getopt)", default="getopt")
    short: str | None = opt("-o", "--options", "OPTSTRING", "the letters of the short options")
    quiet: bool = opt("-q", "--quiet", help="no messages about invalid options")
    mute: bool = opt("-Q", "--quiet-output", help="print nothing")
    shell: str = opt(
        "-s", "--shell", "SHELL", "quote for sh, bash, csh or tcsh", convert=_shell, default="sh"
    )
    test: bool = opt("-T", "--test", help="exit with status 4, which marks this enhanced getopt")
    unquoted: bool = opt("-u", "--unquoted", help="do not quote")
    version: bool = opt("-V", help="show the version", const=VERSION)


_SYNTAX = Syntax(Options, permute=False)


def run(_: None, arguments: Sequence[str], ctx: Context) -> int:
    """Return 0, 1 for invalid options of the script, 2 for a usage error, or 4 for -T."""
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
    def error(text: str) -> None:
        if not options.quiet:
            ctx.process.write_error(f"{options.name}: {text}\n".encode("utf-8", "surrogateescape"))

    ctx.charge(len(arguments))
    longs = [each for group in options.longs for each in group]
    strict = "POSIXLY_CORRECT" in ctx.environment
    declaration = Declaration(options.short or "", longs, alternative=options.alternative, strict=strict)
    scanner = Scanner(declaration, arguments, error)
    if not options.mute:
        quote = str if options.unquoted else _QUOTES[options.shell]
        words = [_format(each, quote) for each in scanner.options]
        words += ["--", *map(quote, scanner.operands)]
        ctx.write_line(" " + " ".join(words))
    return _INVALID_OPTIONS if scanner.failed else 0


def _format(option: ParsedOption, quote: Callable[[str], str]) -> str:
    if not option.name:
        return quote(option.value)
    name = f"--{option.name}" if option.long else f"-{option.name}"
    return name if option.argument == NONE else f"{name} {quote(option.value)}"


def _for_csh(text: str) -> str:
    text = text.replace("\\", "\\\\").replace("'", "'\\''").replace("!", "'\\!'").replace("\n", "\\n")
    return "'" + _SPACE.sub(r"'\\\g<0>'", text) + "'"


_QUOTES: dict[str, Callable[[str], str]] = {"sh": in_single_quotes, "csh": _for_csh}
