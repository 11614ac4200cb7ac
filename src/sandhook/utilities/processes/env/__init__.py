"""env: run a command in a changed environment, or print the environment.

Source: POSIX.1-2024 XCU 3, env. Oracle: GNU coreutils 9.1.
Divergence: L-ENV-001, a blocked signal is ignored.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.command.context import Context, Failure
from sandhook.command.operands import locate, reason
from sandhook.command.options import OptionError, Syntax, UsageError, opt, option_set
from sandhook.kernel.environment import ChangedEnvironment
from sandhook.text.env_string import EnvStringError, split_string
from sandhook.text.quoting import quote_always, quoted_name
from sandhook.utilities.processes.env.signals import Handling, print_line, signal_options
from sandhook.vfs.path import normalize

RAW = True  # the words of -S come before what follows it
USAGE_STATUS = 125


_NOT_FOUND = 127

#: A "#!" line passes all words after the program as one argument: "#!/usr/bin/env bash -e".
_SPLIT_HINT = "use -[v]S to pass options in shebang lines"
_BLANKS = frozenset(" \t\n\v\f\r")


@option_set
class Options:
    """env [OPTION]... [-] [NAME=VALUE]... [COMMAND [ARG]...]

    Set each NAME to VALUE and run COMMAND; without one, print the environment.
    """

    empty: bool = opt("-i", "--ignore-environment", "begin with an empty environment")
    zero: bool = opt("-0", "--null", "end each line with NUL instead of a newline")
    unset: tuple[str, ...] = opt("-u", "--unset", "NAME", "remove a variable", append=True)
    directory: str | None = opt("-C", "--chdir", "DIR", "change to DIR")
    split: str | None = opt("-S", "--split-string", "STRING", "split STRING into arguments first")
    debug: bool = opt("-v", "--debug", help="print each step on standard error")
    signals: tuple[tuple[str, str | None], ...] = signal_options()
    list_signals: bool = opt(
        "--list-signal-handling", help="print on standard error which signals are blocked or ignored"
    )


def run(_: None, arguments: Sequence[str], ctx: Context) -> int:
    """Return the command's status; 125 when env fails, 126 and 127 when it cannot be run or found."""
    options, operands = _parse(arguments, ctx)
    directory, empty, zero, unset = options.directory, options.empty, options.zero, options.unset
    debug, signals, listing = options.debug, options.signals, options.list_signals
    while options.split is not None:  # the words of STRING, which may be options, precede the operands
        try:
            words = split_string(options.split, ctx.environment)
        except EnvStringError as error:
            raise Failure(str(error)) from None
        if debug:
            _print_split(options.split, words, ctx)
        options, operands = _parse([*words, *operands], ctx)
        directory = options.directory if options.directory is not None else directory
        empty, zero, unset = empty or options.empty, zero or options.zero, unset + options.unset
        debug, signals = debug or options.debug, signals + options.signals
        listing = listing or options.list_signals
    handling = Handling(signals)
    if debug and empty:
        print_line(ctx, "cleaning environ")
    command = list(operands)
    if command and command[0] == "-":
        empty = True
        del command[0]
    environment = ChangedEnvironment({} if empty else ctx.environment, empty=empty, unset=unset)
    for name in () if empty else unset:
        if not name or "=" in name:
            raise Failure(f"cannot unset {quote_always(name)}: Invalid argument")
        if debug:
            print_line(ctx, f"unset:    {name}")
        environment.pop(name, None)
    while command and "=" in command[0]:
        name, value = command.pop(0).split("=", 1)
        if debug:
            print_line(ctx, f"setenv:   {name}={value}")
        environment[name] = value
    if not command:
        if directory is not None:
            raise UsageError("must specify command with --chdir (-C)")
        end = b"\0" if zero else b"\n"
        for name, value in environment.items():
            ctx.charge()
            ctx.write(f"{name}={value}".encode("utf-8", "surrogateescape") + end)
        return 0
    if zero:
        raise UsageError("cannot specify --null (-0) with command")
    ignored = ctx.process.ignored
    try:
        handling.apply(ctx, debug, listing)
        return _run(command, environment, directory, debug, ctx)
    finally:
        ctx.process.ignored = ignored


def _parse(arguments: Sequence[str], ctx: Context) -> tuple[Options, list[str]]:
    try:
        return _SYNTAX.parse(arguments)
    except OptionError as error:
        if not error.unknown.isspace():
            raise
        raise OptionError(f"{error}\n{ctx.name}: {_SPLIT_HINT}") from None


def _run(
    argv: list[str], environment: dict[str, str], directory: str | None, debug: bool, ctx: Context
) -> int:
    process = ctx.process
    previous = process.cwd
    if directory is not None:
        if debug:
            print_line(ctx, f"chdir:    {quote_always(directory)}")
        try:
            path = locate(ctx, directory)
            if not ctx.fs.is_dir(path):
                ctx.fs.listdir(path)  # raises the reason
            if not ctx.fs.access(path, 1):
                raise PermissionError(13, "Permission denied")
            process.cwd = normalize(ctx.fs.realpath(path))
        except OSError as error:
            raise Failure(f"cannot change directory to {quote_always(directory)}: {reason(error)}") from None
    ctx.flush()
    if debug:
        print_line(ctx, f"executing: {argv[0]}")
        for at, word in enumerate(argv):
            print_line(ctx, f"   arg[{at}]= {quoted_name(word, 'locale')}")
    try:
        ended = ctx.run(argv, environment=environment, in_place=True)
    finally:
        process.cwd = previous
    if ended.not_started is not None:
        ctx.report_not_started(argv[0], ended.not_started)
        if ended.status == _NOT_FOUND and not _BLANKS.isdisjoint(argv[0]):
            ctx.error(_SPLIT_HINT)
    return ended.status


def _print_split(text: str, words: list[str], ctx: Context) -> None:
    print_line(ctx, f"split -S:  {quote_always(text)}")
    for at, word in enumerate(words):
        print_line(ctx, f"{'     &   ' if at else ' into:   '} {quote_always(word)}")


#: For the words of -S.
_SYNTAX = Syntax(Options, permute=False, last="split")
