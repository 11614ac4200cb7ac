"""The columns of ps: titles, widths and contents."""

from __future__ import annotations

from collections.abc import Callable

from sandhook.command.accounts import accounts, current_user
from sandhook.command.context import Context
from sandhook.dates.clock import strftime
from sandhook.record import Record
from sandhook.utilities.processes.table import Row


class Facts:
    """The facts that all processes of a run share."""

    def __init__(self, ctx: Context) -> None:
        self.uid, self.gid = current_user(ctx)
        names = accounts(ctx.fs)
        self.user, self.group = names.user(self.uid), names.group(self.gid)
        self.zone = ctx.environment.get("TZ")
        self.elapsed = int(ctx.budget.elapsed())
        self.start = int(ctx.now()) - self.elapsed

    def start_time(self, layout: str) -> str:
        """Return the start time of the run."""
        return strftime(layout, self.start, self.zone)


def duration(seconds: int) -> str:
    """Return an elapsed time as ps prints it: [[DD-]HH:]MM:SS."""
    minutes, seconds = divmod(seconds, 60)
    hours, minutes = divmod(minutes, 60)
    days, hours = divmod(hours, 24)
    if days:
        return f"{days}-{hours:02}:{minutes:02}:{seconds:02}"
    return f"{hours:02}:{minutes:02}:{seconds:02}" if hours else f"{minutes:02}:{seconds:02}"


class Column(Record):
    """One column; ``key`` returns the value that --sort compares."""

    title: str
    width: int
    right: bool
    text: Callable[[Facts, Row], str]
    open: bool = False  #: long text is truncated, except at the end of a line

    def key(self, facts: Facts, row: Row) -> tuple[int, str]:
        text = self.text(facts, row)
        return (int(text), "") if text.isascii() and text.isdigit() else (0, text)


def _right_column(title: str, width: int, text: Callable[[Facts, Row], str]) -> Column:
    return Column(title, width, True, text)


def _left_column(title: str, width: int, text: Callable[[Facts, Row], str]) -> Column:
    return Column(title, width, False, text)


def _constant(value: str) -> Callable[[Facts, Row], str]:
    return lambda facts, row: value


def _pid(facts: Facts, row: Row) -> str:
    return str(row.pid)


def _parent(facts: Facts, row: Row) -> str:
    return str(row.parent)


def _group(facts: Facts, row: Row) -> str:
    return str(row.process.group)


def _state(facts: Facts, row: Row) -> str:
    return "S" if row.sleeping else "R"


def _user(facts: Facts, row: Row) -> str:
    return facts.user if len(facts.user) <= 8 else facts.user[:7] + "+"


def _command(title: str) -> Column:
    return Column(title, 27, False, lambda facts, row: row.arguments, open=True)


def _name(title: str) -> Column:
    return Column(title, 15, False, lambda facts, row: row.name, open=True)


COLUMNS: dict[str, Column] = {
    "pid": _right_column("PID", 5, _pid),
    "tgid": _right_column("TGID", 5, _pid),
    "ppid": _right_column("PPID", 5, _parent),
    "pgid": _right_column("PGID", 5, _group),
    "pgrp": _right_column("PGRP", 5, _group),
    "sid": _right_column("SID", 5, _group),
    "sess": _right_column("SESS", 5, _group),
    "tpgid": _right_column("TPGID", 5, _constant("-1")),
    "uid": _right_column("UID", 5, lambda facts, row: str(facts.uid)),
    "euid": _right_column("EUID", 5, lambda facts, row: str(facts.uid)),
    "ruid": _right_column("RUID", 5, lambda facts, row: str(facts.uid)),
    "gid": _right_column("GID", 5, lambda facts, row: str(facts.gid)),
    "user": _left_column("USER", 8, _user),
    "uname": _left_column("USER", 8, _user),
    "euser": _left_column("EUSER", 8, _user),
    "ruser": _left_column("RUSER", 8, _user),
    "group": _left_column("GROUP", 8, lambda facts, row: facts.group),
    "comm": _name("COMMAND"),
    "ucomm": _name("COMMAND"),
    "ucmd": _name("CMD"),
    "args": _command("COMMAND"),
    "command": _command("COMMAND"),
    "cmd": _command("CMD"),
    "tty": _left_column("TT", 8, _constant("?")),
    "tt": _left_column("TT", 8, _constant("?")),
    "tname": _left_column("TTY", 8, _constant("?")),
    "stat": _left_column("STAT", 4, _state),
    "state": _left_column("S", 1, _state),
    "s": _left_column("S", 1, _state),
    "time": _right_column("TIME", 8, _constant("00:00:00")),
    "cputime": _right_column("TIME", 8, _constant("00:00:00")),
    "cputimes": _right_column("TIME", 8, _constant("0")),
    "bsdtime": _right_column("TIME", 6, _constant("0:00")),
    "etime": _right_column("ELAPSED", 11, lambda facts, row: duration(facts.elapsed)),
    "etimes": _right_column("ELAPSED", 7, lambda facts, row: str(facts.elapsed)),
    "start": _right_column("STARTED", 8, lambda facts, row: facts.start_time("%H:%M:%S")),
    "start_time": _left_column("START", 5, lambda facts, row: facts.start_time("%H:%M")),
    "stime": _left_column("STIME", 5, lambda facts, row: facts.start_time("%H:%M")),
    "bsdstart": _right_column("START", 6, lambda facts, row: facts.start_time("%H:%M")),
    "lstart": _right_column("STARTED", 24, lambda facts, row: facts.start_time("%a %b %e %H:%M:%S %Y")),
    "pcpu": _right_column("%CPU", 4, _constant("0.0")),
    "%cpu": _right_column("%CPU", 4, _constant("0.0")),
    "pmem": _right_column("%MEM", 4, _constant("0.0")),
    "%mem": _right_column("%MEM", 4, _constant("0.0")),
    "vsz": _right_column("VSZ", 6, _constant("0")),
    "rss": _right_column("RSS", 5, _constant("0")),
    "sz": _right_column("SZ", 5, _constant("0")),
    "ni": _right_column("NI", 3, _constant("0")),
    "nice": _right_column("NI", 3, _constant("0")),
    "pri": _right_column("PRI", 3, _constant("19")),
    "c": _right_column("C", 2, _constant("0")),
    "f": _right_column("F", 1, _constant("0")),
    "addr": _left_column("ADDR", 4, _constant("-")),
    "addr_sz": _left_column("ADDR SZ", 7, _constant("-     0")),
    "psr": _right_column("PSR", 3, _constant("0")),
    "wchan": _left_column("WCHAN", 6, _constant("-")),
    "nlwp": _right_column("NLWP", 4, _constant("1")),
    "thcount": _right_column("THCNT", 5, _constant("1")),
}
