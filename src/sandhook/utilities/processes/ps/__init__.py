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
from sandhook.command.options import Inform, also, declared_fields, opt, option_set
from sandhook.utilities.processes.listed import Row, listed
from sandhook.utilities.processes.ps.columns import COLUMNS, Column, Facts

RAW = True

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

#: Letters without a dash: what they do, "=" before what takes an argument.
_BSD = {
    "a": "all", "x": "all", "r": "", "w": "", "h": "untitled", "u": "layout:u", "j": "layout:bsdj", "l": "layout:l",
    "e": "", "c": "", "n": "", "S": "", "p": "=pid", "U": "=user", "o": "=format", "t": "=terminal", "k": "=sort",
}  # fmt: skip
_MISSING = {
    "pid": "list of process IDs must follow -p", "name": "list of command names must follow -C",
    "user": "list of users must follow -u", "format": "format specification must follow -o",
}  # fmt: skip


@option_set
class Options:
    """ps [-eAaxfFljNw] [-p PID,...] [-C NAME,...] [-u USER,...] [--ppid PID,...] [-o FORMAT] [--sort KEY] | ps [axujhw] ...

    Print the processes of the run. -o takes names of columns: pid, ppid, user, comm, args, stat, etime, time and others,
    each with =TITLE if wanted.
    """

    request: str = also(
        opt("-e", "-A", "-d", help="all processes", const="all"),
        opt("-a", help="those with a terminal: no process has one", const="none"),
        opt("-N", "--deselect", help="all but those that are asked for", const="deselect"),
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


_DECLARED = {
    flag: option
    for declared in declared_fields(Options).values()
    for option in declared.options
    for flag in option.flags
}

#: Letters with a dash, as _BSD has those without one.
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


class _Wrong(Exception):
    """A command line that ps does not understand."""


def run(_: None, arguments: Sequence[str], ctx: Context) -> int:
    """Return 0 when a process was printed, else 1."""
    request = _Request(ctx)
    try:
        request.read(list(arguments))
        columns = request.columns()
        request.check_order()
    except _Wrong as error:
        ctx.process.write_error(f"error: {error}{_USAGE}\n".encode("utf-8", "surrogateescape"))
        return 1
    rows = request.choose(listed(ctx, itself=True))
    facts = Facts(ctx)
    if request.titled and any(title for _, title, _ in columns):
        _print([(title, column, width) for column, title, width in columns], ctx)
    for row in request.ordered(rows, facts):
        ctx.charge()
        _print([(column.text(facts, row), column, width) for column, _, width in columns], ctx)
    return 0 if rows else 1


def _print(cells: list[tuple[str, Column, int]], ctx: Context) -> None:
    line = ""
    place = 0  #: where the next column begins, unless the one before is too long
    for number, (text, column, width) in enumerate(cells):
        last = number == len(cells) - 1
        if column.open and not last:
            text = text[: max(width, len(column.title) if text == column.title else 0)]
        room = width - (len(line) - place)
        line += text.rjust(room) if column.right else text if last else text.ljust(room)
        line += "" if last else " "
        place += width + 1
    ctx.write_line(line)


class _Request:
    """What the command line asks for."""

    def __init__(self, ctx: Context) -> None:
        self._ctx = ctx
        self._everything = False
        self._tests: list[Callable[[Row], bool]] = []
        self._deselect = False
        self._layout = ""
        self._formats: list[str] = []
        self._sort: list[str] = []
        self.titled = True

    def read(self, words: list[str]) -> None:
        """Read the command line. Raises Inform for --help and --version."""
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

    def _letters(self, letters: str, words: list[str], known: dict[str, str]) -> None:
        for at, letter in enumerate(letters):
            what = known.get(letter)
            if what is None:
                raise _Wrong(
                    "unsupported SysV option" if known is _UNIX else "unsupported option (BSD syntax)"
                )
            if what[:1] == "=":
                value = letters[at + 1 :] or (words.pop(0) if words else None)
                if value is None:
                    raise _Wrong(_MISSING.get(what[1:], f"an argument must follow -{letter}"))
                self._valued(what[1:], value)
                return
            self._flag(what)

    def _long(self, word: str, words: list[str]) -> None:
        name, equals, value = word.partition("=")
        if name in _LONG_FLAGS:
            self._flag(_LONG_FLAGS[name])
        elif name in _LONG_VALUES:
            if not equals:
                if not words:
                    raise _Wrong(f"option --{name} requires an argument")
                value = words.pop(0)
            self._valued(_LONG_VALUES[name], value)
        else:
            raise _Wrong("unknown gnu long option")

    def _flag(self, what: str) -> None:
        if what == "all":
            self._everything = True
        elif what == "none":
            self._tests.append(lambda row: False)
        elif what == "deselect":
            self._deselect = True
        elif what == "untitled":
            self.titled = False
        elif what.startswith("layout:"):
            self._layout = what[7:]

    def _valued(self, what: str, value: str) -> None:
        if what == "pid":
            self._pids(value)
        elif what == "ppid":
            wanted = _numbers(value)
            self._tests.append(lambda row: row.parent in wanted)
        elif what == "name":
            names = {name[:15] for name in value.split(",")}
            self._tests.append(lambda row: row.name in names)
        elif what == "user":
            numbers = {self._user(name) for name in value.split(",")}
            good = current_user(self._ctx)[0] in numbers
            self._tests.append(lambda row: good)
        elif what == "group":
            groups = {self._group(name) for name in value.split(",")}
            member = current_user(self._ctx)[1] in groups
            self._tests.append(lambda row: member)
        elif what == "session":
            mine = min(self._ctx.kernel.processes) in _numbers(value)
            self._tests.append(lambda row: mine)
        elif what == "terminal":
            self._tests.append(lambda row: False)
        elif what == "format":
            self._formats.append(value)
        elif what == "sort":
            self._sort += value.split(",")

    def _pids(self, value: str) -> None:
        wanted = _numbers(value)
        self._tests.append(lambda row: row.pid in wanted)

    def _user(self, name: str) -> int:
        found = user_number(self._ctx, name)
        if found is None:
            raise _Wrong("user name does not exist")
        return found[0]

    def _group(self, name: str) -> int:
        found = group_number(self._ctx, name)
        if found is None:
            raise _Wrong("group name does not exist")
        return found

    # ------------------------------------------------------------------ what is printed

    def choose(self, rows: list[Row]) -> list[Row]:
        """Return the processes that are asked for; all of them unless the command line says otherwise."""
        if self._everything or not self._tests:
            return [] if self._deselect else rows
        return [row for row in rows if any(test(row) for test in self._tests) != self._deselect]

    def columns(self) -> list[tuple[Column, str, int]]:
        """Return the columns with their titles and widths. Raises _Wrong for one that there is not."""
        texts = self._formats or [_LAYOUTS[self._layout]]
        found = []
        for text in texts:
            for word in text.replace(",", " ").split():
                name, equals, title = word.partition("=")
                name, colon, digits = name.partition(":")
                column = COLUMNS.get(name)
                if column is None or (colon and not (digits.isdigit() and 0 < int(digits[:6]) < 4096)):
                    raise _Wrong(f'unknown user-defined format specifier "{name}"')
                shown = title if equals else column.title
                width = int(digits) if colon else max(column.width, len(title))
                found.append((column, shown, width))
        return found

    def check_order(self) -> None:
        """Refuse a key of --sort that is no column."""
        if any(key.lstrip("+-") not in COLUMNS for key in self._sort):
            raise _Wrong("unknown sort specifier")

    def ordered(self, rows: list[Row], facts: Facts) -> list[Row]:
        """Sort by --sort's keys, the first one counts most."""
        for key in reversed(self._sort):
            column = COLUMNS[key.lstrip("+-")]
            rows = sorted(rows, key=partial(column.key, facts), reverse=key[:1] == "-")
        return rows


def _numbers(text: str) -> frozenset[int]:
    words = text.replace(",", " ").split()
    if not words or not all(word.isascii() and word.isdigit() and 0 < len(word) < 10 for word in words):
        raise _Wrong("process ID list syntax error")
    if any(word.strip("0") == "" for word in words):
        raise _Wrong("process ID out of range")
    return frozenset(map(int, words))
