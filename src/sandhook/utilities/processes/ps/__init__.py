"""ps: list the processes of the run.

Source: POSIX.1-2024 XCU 3, ps. Oracle: procps 4.0, options with and without a dash.
Divergence: L-PS-001, the run is the machine: nothing is measured, no process has a terminal, and a utility that a
shell waits for is the shell's process; forests, threads and options of old systems are not offered.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from sandhook.command.accounts import current_user, group_number, user_number
from sandhook.command.context import Context
from sandhook.command.options import Inform, also, opt, option_set, options_by_flag
from sandhook.text.numbers import is_number
from sandhook.utilities.processes.ps.columns import COLUMNS, Column, Facts
from sandhook.utilities.processes.table import Row, process_rows

WRITE_ERROR = {"": "write error: {}", "EPIPE": ""}

RAW = True  # letters may have no dash, and the meaning of some depends on it

_USAGE = """

Usage:
 ps [options]

 Try 'ps --help <simple|list|output|threads|misc|all>'
  or 'ps --help <s|l|o|t|m|a>'
 for additional help text.

For more details see ps(1)."""

_LAYOUTS = {
    "": "pid,tname,time,ucmd",
    "bsd": "pid,tname,stat,bsdtime,args",
    "f": "user:8=UID,pid,ppid,c,stime,tname,time,cmd",
    "F": "user:8=UID,pid,ppid,c,sz,rss,psr,stime,tname,time,cmd",
    "l": "f,s,uid,pid,ppid,c,pri,ni,addr_sz,wchan,tname,time,ucmd",
    "j": "pid,pgid,sid,tname,time,ucmd",
    "u": "user,pid,pcpu,pmem,vsz,rss,tname,stat,start_time,bsdtime,args",
    "bsdj": "ppid,pid,pgid,sid,tname,tpgid,stat,uid,bsdtime,args",
}

#: Letters without a dash and their actions; "=" marks those with an argument.
_BSD = {
    "a": "all", "x": "all", "r": "", "w": "", "h": "untitled", "u": "layout:u", "j": "layout:bsdj", "l": "layout:l",
    "e": "", "c": "", "n": "", "S": "", "p": "=pid", "U": "=user", "o": "=format", "t": "=terminal", "k": "=sort",
}  # fmt: skip
_MISSING = {
    "pid": "list of process IDs must follow -p", "name": "list of command names must follow -C",
    "user": "list of users must follow -u", "format": "format specification must follow -o",
}  # fmt: skip


OPERAND_WORDS = {"Letters without a dash, with the meanings of BSD": tuple(_BSD)}


@option_set
class Options:
    """ps [-eAaxfFljNw] [-p PID,...] [-C NAME,...] [-u USER,...] [--ppid PID,...] [-o FORMAT] [--sort KEY] | ps [axujhw] ...

    Print the processes of the run. FORMAT has names of columns: pid, ppid, user, comm, args, stat, etime, time and others,
    each with an optional =TITLE.
    """

    request: str = also(
        opt("-e", "-A", "-d", help="all processes", const="all"),
        opt("-a", help="processes with a terminal, which do not exist", const="none"),
        opt("-N", "--deselect", help="all but the selected processes", const="deselect"),
        opt("-f", help="more columns", const="layout:f"),
        opt("-F", help="still more columns", const="layout:F"),
        opt("-l", help="long columns", const="layout:l"),
        opt("-j", help="columns of jobs", const="layout:j"),
        opt("-h", "--no-headers", "--no-heading", help="print no titles", const="untitled"),
        opt("-p", "-q", "--pid", "--quick-pid", "LIST", "processes by number", const="pid"),
        opt("--ppid", "LIST", "processes by their parent's number", const="ppid"),
        opt("-C", "LIST", "processes by the name of the command", const="name"),
        opt("-u", "-U", "--user", "--User", "LIST", "processes by user", const="user"),
        opt("-g", "-s", "--sid", "LIST", "processes by session", const="session"),
        opt("-G", "--group", "--Group", "LIST", "processes by group", const="group"),
        opt("-t", "--tty", "LIST", "processes by terminal", const="terminal"),
        opt("-o", "--format", "FORMAT", "columns", const="format"),
        opt("--sort", "KEYS", "the order, by columns", const="sort"),
    )
    inform: str = opt("-V", "--version", help="print the version")
    without_effect: bool = opt("-w", "-x", "-y", "--headers", ignored="", const="")
    value_without_effect: str = opt(
        "--cols", "--columns", "--width", "--rows", "--lines", "NUMBER", ignored="", const=""
    )


_DECLARED = options_by_flag(Options)

#: Letters with a dash, in the format of _BSD.
_UNIX = {
    flag[1:]: f"={option.const}" if option.metavar else option.const
    for flag, option in _DECLARED.items()
    if flag[:2] != "--" and (option.field == "request" or option.ignored)
}
_LONG_FLAGS = {
    flag[2:]: option.const
    for flag, option in _DECLARED.items()
    if flag[:2] == "--" and not option.metavar and option.field != "inform"
}
_LONG_VALUES = {
    flag[2:]: option.const for flag, option in _DECLARED.items() if flag[:2] == "--" and option.metavar
}


class _CommandLineError(Exception):
    """An error in the command line."""


def run(_: None, arguments: Sequence[str], ctx: Context) -> int:
    """Return 0 when a process was printed, otherwise 1."""
    request = _Request(ctx)
    try:
        request.read(list(arguments))
        columns = request.columns()
        request.check_order()
    except _CommandLineError as error:
        ctx.process.write_error(f"error: {error}{_USAGE}\n".encode("utf-8", "surrogateescape"))
        return 1
    rows = request.choose(process_rows(ctx, include_caller=True))
    facts = Facts(ctx)
    if request.with_titles and any(title for _, title, _ in columns):
        _print([(title, column, width) for column, title, width in columns], ctx)
    for row in request.sort_rows(rows, facts):
        ctx.charge()
        _print([(column.text(facts, row), column, width) for column, _, width in columns], ctx)
    return 0 if rows else 1


def _print(cells: list[tuple[str, Column, int]], ctx: Context) -> None:
    line = ""
    start = 0  #: of the column, unless an earlier one is too long
    for number, (text, column, width) in enumerate(cells):
        last = number == len(cells) - 1
        if column.open and not last:
            text = text[: max(width, len(column.title) if text == column.title else 0)]
        available = width - (len(line) - start)
        line += text.rjust(available) if column.right else text if last else text.ljust(available)
        line += "" if last else " "
        start += width + 1
    ctx.write_line(line)


class _Request:
    """The parsed command line."""

    def __init__(self, ctx: Context) -> None:
        self._ctx = ctx
        self._all_processes = False
        self._tests: list[Callable[[Row], bool]] = []
        self._deselect = False
        self._layout = ""
        self._formats: list[str] = []
        self._sort: list[str] = []
        self.with_titles = True

    def read(self, words: list[str]) -> None:
        """Parse the command line. Raises Inform for --help and --version, and _CommandLineError."""
        while words:
            word = words.pop(0)
            if word in ("--help", "--version", "-V"):
                raise Inform("help" if word == "--help" else "version")
            if word[:2] == "--":
                self._long(word[2:], words)
            elif word[:1] == "-" and len(word) > 1:
                self._letters(word[1:], words, _UNIX)
            elif word[:1].isdigit():
                self._pids(word)
                self._layout = self._layout or "bsd"
            elif word:
                self._layout = self._layout or "bsd"
                self._letters(word, words, _BSD)

    def _letters(self, letters: str, words: list[str], actions: dict[str, str]) -> None:
        for at, letter in enumerate(letters):
            action = actions.get(letter)
            if action is None:
                raise _CommandLineError(
                    "unsupported SysV option" if actions is _UNIX else "unsupported option (BSD syntax)"
                )
            if action[:1] == "=":
                value = letters[at + 1 :] or (words.pop(0) if words else None)
                if value is None:
                    raise _CommandLineError(_MISSING.get(action[1:], f"an argument must follow -{letter}"))
                self._apply_value(action[1:], value)
                return
            self._apply_flag(action)

    def _long(self, word: str, words: list[str]) -> None:
        name, equals, value = word.partition("=")
        if name in _LONG_FLAGS:
            if equals:
                raise _CommandLineError(f"option --{name} does not take an argument")
            self._apply_flag(_LONG_FLAGS[name])
        elif name in _LONG_VALUES:
            if not equals:
                if not words:
                    raise _CommandLineError(f"option --{name} requires an argument")
                value = words.pop(0)
            self._apply_value(_LONG_VALUES[name], value)
        else:
            raise _CommandLineError("unknown gnu long option")

    def _apply_flag(self, action: str) -> None:
        if action == "all":
            self._all_processes = True
        elif action == "none":
            self._tests.append(lambda row: False)
        elif action == "deselect":
            self._deselect = True
        elif action == "untitled":
            self.with_titles = False
        elif action.startswith("layout:"):
            self._layout = action[7:]

    def _apply_value(self, action: str, value: str) -> None:
        if action == "pid":
            self._pids(value)
        elif action == "ppid":
            parents = _numbers(value)
            self._tests.append(lambda row: row.parent in parents)
        elif action == "name":
            names = {name[:15] for name in value.split(",")}
            self._tests.append(lambda row: row.name in names)
        elif action == "user":
            numbers = {self._user(name) for name in value.split(",")}
            is_selected = current_user(self._ctx)[0] in numbers
            self._tests.append(lambda row: is_selected)
        elif action == "group":
            groups = {self._group(name) for name in value.split(",")}
            member = current_user(self._ctx)[1] in groups
            self._tests.append(lambda row: member)
        elif action == "session":
            includes_session = min(self._ctx.kernel.processes) in _numbers(value)
            self._tests.append(lambda row: includes_session)
        elif action == "terminal":
            self._tests.append(lambda row: False)
        elif action == "format":
            self._formats.append(value)
        elif action == "sort":
            self._sort += value.split(",")

    def _pids(self, value: str) -> None:
        numbers = _numbers(value)
        self._tests.append(lambda row: row.pid in numbers)

    def _user(self, name: str) -> int:
        user = user_number(self._ctx, name)
        if user is None:
            raise _CommandLineError("user name does not exist")
        return user[0]

    def _group(self, name: str) -> int:
        number = group_number(self._ctx, name)
        if number is None:
            raise _CommandLineError("group name does not exist")
        return number

    # ------------------------------------------------------------------ the output

    def choose(self, rows: list[Row]) -> list[Row]:
        """Return the selected processes; by default all of them."""
        if self._all_processes or not self._tests:
            return [] if self._deselect else rows
        return [row for row in rows if any(test(row) for test in self._tests) != self._deselect]

    def columns(self) -> list[tuple[Column, str, int]]:
        """Return the columns with their titles and widths. Raises _CommandLineError for an unknown column."""
        texts = self._formats or [_LAYOUTS[self._layout]]
        result = []
        for text in texts:
            for word in text.replace(",", " ").split():
                name, equals, title = word.partition("=")
                name, colon, digits = name.partition(":")
                column = COLUMNS.get(name)
                if column is None or (colon and not (is_number(digits) and 0 < int(digits[:6]) < 4096)):
                    raise _CommandLineError(f'unknown user-defined format specifier "{name}"')
                heading = title if equals else column.title
                width = int(digits) if colon else max(column.width, len(title))
                result.append((column, heading, width))
        return result

    def check_order(self) -> None:
        """Raise _CommandLineError for a key of --sort that is not a column."""
        if any(key.lstrip("+-") not in COLUMNS for key in self._sort):
            raise _CommandLineError("unknown sort specifier")

    def sort_rows(self, rows: list[Row], facts: Facts) -> list[Row]:
        """Return the processes sorted by the keys of --sort; the first key has the highest precedence."""
        for key in reversed(self._sort):
            column = COLUMNS[key.lstrip("+-")]
            rows = sorted(rows, key=partial(column.key, facts), reverse=key[:1] == "-")
        return rows


def _numbers(text: str) -> frozenset[int]:
    words = text.replace(",", " ").split()
    if not words or not all(word.isascii() and word.isdigit() and 0 < len(word) < 10 for word in words):
        raise _CommandLineError("process ID list syntax error")
    if any(word.strip("0") == "" for word in words):
        raise _CommandLineError("process ID out of range")
    return frozenset(map(int, words))
