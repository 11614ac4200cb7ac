"""killall: send a signal to the processes that run a program.

Oracle: psmisc 23.6. The processes are the run's own.
Divergence: L-PS-001, a utility that a shell waits for is the shell's process.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.command.context import Context, Failure
from sandhook.command.operands import confirm
from sandhook.command.options import Syntax, UsageError, opt, option_set
from sandhook.kernel.signals import NAMES, SIGTERM
from sandhook.pattern.errors import PatternError
from sandhook.pattern.posix import compile_ere
from sandhook.utilities.processes.signal_words import signal_number, signal_option
from sandhook.utilities.processes.table import NAME_LENGTH, Row, process_rows

RAW = True  # -TERM is not a cluster of letters


@option_set
class Options:
    """killall [-SIGNAL] [OPTION]... NAME... | killall -l

    Send SIGNAL (TERM) to the processes that run a program called NAME.
    """

    exact: bool = opt("-e", "--exact", help="names over 15 characters must match wholly")
    icase: bool = opt("-I", "--ignore-case", help="ignore case")
    group: bool = opt("-g", "--process-group", help="signal the groups of the processes")
    ask: bool = opt("-i", "--interactive", help="ask for each process")
    list_signals: bool = opt("-l", "--list", help="print the names of signals")
    quiet: bool = opt("-q", "--quiet", help="do not report names without processes")
    regex: bool = opt("-r", "--regexp", help="NAME is an extended regular expression")
    signal: str | None = opt("-s", "--signal", "SIGNAL", "the signal")
    user: str | None = opt("-u", "--user", "USER", ignored="all processes have one user")
    verbose: bool = opt("-v", "--verbose", help="print each killed process")
    wait: bool = opt("-w", "--wait", help="wait until the processes end")


_SYNTAX = Syntax(Options)


def run(_: None, arguments: Sequence[str], ctx: Context) -> int:
    """Return 0 when each NAME matched a process, otherwise 1."""
    words = list(arguments)
    signal = SIGTERM
    first = signal_option(words[0]) if words else None
    if first is not None:
        signal = first
        words.pop(0)
    options, names = _SYNTAX.parse(words)
    if options.list_signals:
        signal_names = [name for number, name in sorted(NAMES.items()) if 0 < number < 32]
        ctx.write_line(" ".join(signal_names))
        return 0
    if options.signal is not None:
        requested = signal_number(options.signal)
        if requested is None:
            line = f"{options.signal}: unknown signal; killall -l lists signals.\n"
            ctx.process.write_error(line.encode("utf-8", "surrogateescape"))
            return 1
        signal = requested
    if not names:
        raise UsageError("missing NAME")
    rows = process_rows(ctx, include_caller=False)
    for name in names:
        matches = [row for row in rows if _matches(row, name, options)]
        if not matches:
            ctx.failed = 1
            if not options.quiet:
                ctx.process.write_error(f"{name}: no process found\n".encode("utf-8", "surrogateescape"))
        for row in matches:
            if options.ask and not confirm(ctx, f"Kill {row.name}({row.pid}) ? (y/N) "):
                continue
            for process in ctx.kernel.members(row.process.group) if options.group else (row.process,):
                process.kill(signal)
            if options.verbose:
                line = f"Killed {row.name}({row.pid}) with signal {signal}\n"
                ctx.process.write_error(line.encode("utf-8", "surrogateescape"))
        if options.wait:
            for row in matches:
                if row.process is not ctx.process:
                    row.process.wait()
    return ctx.failed


def _matches(row: Row, name: str, options: Options) -> bool:
    names = {row.name, row.argv[0].rpartition("/")[2]}
    if row.utility:
        names |= {row.utility[0].rpartition("/")[2]}
    if options.regex:
        try:
            regex = compile_ere(name, icase=options.icase)
        except PatternError as error:
            raise Failure(f"Bad regular expression: {name}: {error}") from None
        return any(regex.test(each.encode("utf-8", "surrogateescape")) for each in names)
    base = name.rpartition("/")[2]
    if options.icase:
        base, names = base.lower(), {each.lower() for each in names}
    return base in names or (not options.exact and base[:NAME_LENGTH] in names and len(base) >= NAME_LENGTH)
