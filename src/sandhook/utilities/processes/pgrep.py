"""pgrep, pkill: find processes by their names, and send them signals.

Oracle: procps 4.0. The processes are the run's own.
Divergence: L-PS-001, a utility that a shell waits for is the shell's process.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sandhook.command.accounts import current_user, group_number, user_number
from sandhook.command.context import Context, Failure
from sandhook.command.options import VERSION, Syntax, UsageError, opt, option_set
from sandhook.kernel.signals import SIGTERM
from sandhook.pattern.errors import PatternError
from sandhook.pattern.posix import Regex, compile_ere
from sandhook.utilities.processes.signal_words import signal_number, split_signal
from sandhook.utilities.processes.table import NAME_LENGTH, Row, process_rows

WRITE_ERROR = {"": "write error: {}", "EPIPE": "", "EBADF": "write error: Invalid argument"}
WRITE_STATUS = 1

RAW = True  # pkill's -TERM is not a cluster of letters
USAGE_STATUS = 2


def _numbers(text: str) -> tuple[int, ...]:
    numbers = []
    for word in text.split(","):
        digits = word.removeprefix("-")
        if not (digits.isascii() and digits.isdigit()) or len(digits) > 9:
            raise Failure(f"not a number: {word}")
        numbers.append(int(word))
    return tuple(numbers)


_NAMESPACES = ("ipc", "mnt", "net", "pid", "user", "uts")


def _namespaces(text: str) -> tuple[str, ...]:
    names = tuple(text.split(","))
    if any(name not in _NAMESPACES for name in names):
        raise UsageError(f"invalid namespace list: {text}")
    return names


@option_set
class Options:
    """pgrep [OPTION]... PATTERN | pkill [-SIGNAL] [OPTION]... PATTERN

    Print the numbers of the processes whose names match PATTERN, an extended regular expression, or send them a signal
    (TERM).
    """

    delimiter: str = opt("-d", "--delimiter", "TEXT", "the text between numbers (a newline)", default="\n")
    list_name: bool = opt("-l", "--list-name", help="print names, too")
    list_full: bool = opt("-a", "--list-full", help="print command lines, too")
    inverse: bool = opt("-v", "--inverse", help="processes that do not match")
    count: bool = opt("-c", "--count", help="print the number of processes")
    full: bool = opt("-f", "--full", help="match the whole command line")
    icase: bool = opt("-i", "--ignore-case", help="ignore case")
    newest: bool = opt("-n", "--newest", help="only the newest process")
    oldest: bool = opt("-o", "--oldest", help="only the oldest process")
    parents: tuple[int, ...] = opt(
        "-P", "--parent", "PID,...", "only children of these processes", convert=_numbers, default=()
    )
    groups: tuple[int, ...] = opt(
        "-g", "--pgroup", "PID,...", "only of these process groups", convert=_numbers, default=()
    )
    sessions: tuple[int, ...] = opt(
        "-s", "--session", "PID,...", "only of these sessions", convert=_numbers, default=()
    )
    users: str | None = opt("-u", "--euid", "USER,...", "only processes of these users")
    real_users: str | None = opt("-U", "--uid", "USER,...", "only processes of these real users")
    terminals: str | None = opt(
        "-t", "--terminal", "NAME,...", "only with these terminals, which no process has"
    )
    real_groups: str | None = opt("-G", "--group", "GROUP,...", "only processes of these groups")
    light: bool = opt("-w", "--lightweight", help="include threads, which do not exist here")
    locked: bool = opt("-L", "--logpidfile", help="fail unless the file of -F is locked, which it never is")
    value: str | None = opt(
        "-q", "--queue", "NUMBER", "pkill: a value to send with the signal, without effect"
    )
    states: str | None = opt("-r", "--runstates", "LETTERS", "only in these states")
    exact: bool = opt("-x", "--exact", help="the whole name must match")
    pidfile: str | None = opt("-F", "--pidfile", "FILE", "only the process whose number is in FILE")
    ancestors: bool = opt("-A", "--ignore-ancestors", help="leave out the ancestors of this process")
    namespaces: tuple[int, ...] = opt(
        "--ns",
        "PID",
        "only in the namespaces of this process, which are those of all",
        convert=_numbers,
        default=(),
    )
    kinds: tuple[str, ...] = opt(
        "--nslist", "NAME,...", ignored="processes share all namespaces", convert=_namespaces, default=()
    )
    signal: str | None = opt("--signal", "SIGNAL", "pkill: the signal to send")
    echo: bool = opt("-e", "--echo", help="pkill: print each killed process")
    version: bool = opt("-V", help="show the version", const=VERSION)


_SYNTAX = Syntax(Options)


def run(_: None, arguments: Sequence[str], ctx: Context) -> int:
    """Return 0 when a process matched, 1 when none did, 2 after an error in the command line."""
    kill = ctx.called_as(("pgrep", "pkill")) == "pkill"
    words, signal = split_signal(arguments) if kill else (list(arguments), None)
    try:
        options, operands = _SYNTAX.parse(words, in_order="POSIXLY_CORRECT" in ctx.environment)
        return _run(kill, signal, options, operands, ctx)
    except UsageError as error:
        hint = f"\nTry `{ctx.name} --help' for more information."
        raise Failure(f"{error}{hint}", error.status) from None


def _run(kill: bool, signal: int | None, options: Options, operands: Sequence[str], ctx: Context) -> int:
    if not kill and options.echo:
        raise UsageError("invalid option -- 'e'")
    if not kill and options.value is not None:
        raise UsageError("invalid option -- 'q'")
    if kill and options.light:
        raise UsageError("invalid option -- 'w'")
    if kill and (options.list_name or options.list_full or options.inverse or options.delimiter != "\n"):
        raise UsageError("-a, -d, -l and -v are options of pgrep")
    if options.signal is not None and kill:
        signal = signal_number(options.signal)
        if signal is None:
            raise UsageError(f'Unknown signal "{options.signal}".')
    rows = _select(options, operands, ctx)
    if kill:
        return _kill(rows, SIGTERM if signal is None else signal, options, ctx)
    if options.count:
        ctx.write_line(str(len(rows)))
    elif rows:
        lines = [_format(row, options) for row in rows]
        ctx.write_line(options.delimiter.join(lines))
    return 0 if rows else 1


def _format(row: Row, options: Options) -> str:
    if options.list_full:
        return f"{row.pid} {row.arguments}"
    return f"{row.pid} {row.name}" if options.list_name else str(row.pid)


def _kill(rows: Sequence[Row], signal: int, options: Options, ctx: Context) -> int:
    for row in rows:
        if options.echo:
            ctx.write_line(f"{row.name} killed (pid {row.pid})")
    if options.count:
        ctx.write_line(str(len(rows)))
    ctx.flush()
    for row in rows:
        row.process.kill(signal)
    return 0 if rows else 1


# --------------------------------------------------------------------------- the selection


def _select(options: Options, operands: Sequence[str], ctx: Context) -> list[Row]:
    tests = _tests(options, ctx)
    if len(operands) > 1:
        raise UsageError("only one pattern can be provided")
    if not operands and not tests and not (options.newest or options.oldest):
        raise UsageError("no matching criteria specified")
    regex = _regex(operands[0], options) if operands else None
    if operands and not options.full and not _may_match(operands[0]):
        ctx.error(
            f"pattern that searches for process name longer than {NAME_LENGTH} characters will result in zero "
            f"matches\nTry `{ctx.name} -f' option to match against the complete command line."
        )
    ancestors = _ancestors(ctx) if options.ancestors else set()
    selection = []
    for row in process_rows(ctx, include_caller=False):
        is_match = all(test(row) for test in tests)
        if is_match and regex is not None:
            is_match = _matches(regex, row, options, ctx)
            if not is_match and row.utility:  # the utility that a shell waits for is the same process
                row = Row(row.process, row.utility)
                is_match = _matches(regex, row, options, ctx)
        if is_match != options.inverse and row.pid not in ancestors:
            selection.append(row)
    if options.newest:
        selection = selection[-1:]
    if options.oldest:
        selection = selection[:1]
    return selection


def _may_match(pattern: str) -> bool:
    return len(pattern) <= NAME_LENGTH or not all(char.isalnum() or char in "-_ " for char in pattern)


def _regex(pattern: str, options: Options) -> Regex:
    try:
        return compile_ere(f"^({pattern})$" if options.exact else pattern, icase=options.icase)
    except PatternError as error:
        raise Failure(f"regex error: {error}") from None


def _matches(regex: Regex, row: Row, options: Options, ctx: Context) -> bool:
    text = row.arguments if options.full else row.name
    return regex.test(text.encode("utf-8", "surrogateescape"), remaining=ctx.budget.remaining)


def _ancestors(ctx: Context) -> set[int]:
    ancestors = {ctx.process.pid}
    processes = ctx.kernel.processes
    process = processes.get(ctx.process.parent_pid)
    while process is not None and process.pid not in ancestors:
        ancestors.add(process.pid)
        process = processes.get(process.parent_pid)
    return ancestors


def _constant(value: bool) -> Callable[[Row], bool]:
    return lambda row: value


def _tests(options: Options, ctx: Context) -> list[Callable[[Row], bool]]:
    """Return the tests that a process must pass in addition to the pattern."""
    tests: list[Callable[[Row], bool]] = []
    first = min(ctx.kernel.processes)
    if options.parents:
        tests.append(lambda row: row.parent in options.parents)
    if options.groups:
        groups = {number or ctx.process.group for number in options.groups}
        tests.append(lambda row: row.process.group in groups)
    if options.sessions:  # all processes of a run are one session
        tests.append(_constant(first in options.sessions or 0 in options.sessions))
    if options.namespaces:
        tests.append(_constant(any(number in ctx.kernel.processes for number in options.namespaces)))
    for text in (options.users, options.real_users):
        if text is not None:
            tests.append(_constant(current_user(ctx)[0] in _users(text, ctx)))
    if options.real_groups is not None:
        tests.append(_constant(current_user(ctx)[1] in _groups(options.real_groups, ctx)))
    if options.terminals is not None:
        tests.append(_constant(False))
    if options.states is not None:
        letters = options.states
        tests.append(lambda row: "S" in letters)
    if options.locked and options.pidfile is None:
        raise UsageError("-L without -F makes no sense")
    if options.pidfile is not None:
        if options.locked:
            raise UsageError("pidfile not valid", status=1)
        number = _pid_in(options.pidfile, ctx)
        tests.append(lambda row: row.pid == number)
    return tests


def _users(text: str, ctx: Context) -> set[int]:
    users = set()
    for name in text.split(","):
        user = user_number(ctx, name)
        if user is None:
            raise Failure(f"invalid user name: {name}")
        users.add(user[0])
    return users


def _groups(text: str, ctx: Context) -> set[int]:
    groups = set()
    for name in text.split(","):
        number = group_number(ctx, name)
        if number is None:
            raise Failure(f"invalid group name: {name}")
        groups.add(number)
    return groups


def _pid_in(name: str, ctx: Context) -> int:
    try:
        with ctx.open(name) as reader:
            text = reader.read(64).decode("utf-8", "replace").strip()
    except OSError:
        text = ""
    if not (text.isascii() and text.isdigit()) or len(text) > 9:
        raise UsageError("pidfile not valid", status=1)
    return int(text)
