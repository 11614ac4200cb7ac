"""logger: write a message to the system's log. There is no log, but -s prints the message.

Oracle: util-linux 2.38. Divergence: L-LOGGER-001.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sandhook.command.accounts import accounts
from sandhook.command.context import Context, Failure
from sandhook.command.operands import reason
from sandhook.command.options import VERSION, opt, option_set
from sandhook.dates.clock import strftime

_FACILITIES = (
    "kern", "user", "mail", "daemon", "auth", "syslog", "lpr", "news", "uucp", "cron", "authpriv", "ftp", "", "", "", "",
    "local0", "local1", "local2", "local3", "local4", "local5", "local6", "local7",
)  # fmt: skip
_LEVELS = {
    "emerg": 0, "panic": 0, "alert": 1, "crit": 2, "err": 3, "error": 3, "warning": 4, "warn": 4, "notice": 5, "info": 6,
    "debug": 7,
}  # fmt: skip
_USER, _NOTICE = 1, 5


def _priority(text: str) -> int:
    facility, dot, level = text.rpartition(".")
    facility_number = _USER
    if dot:
        facility_number = _number(facility, 23)
        if facility_number < 0:
            if facility == "security":
                facility = "auth"
            if facility not in _FACILITIES or not facility:
                raise Failure(f"unknown facility name: {facility}")
            facility_number = _FACILITIES.index(facility)
    value = _LEVELS.get(level, _number(level, 7))
    if value < 0:
        raise Failure(f"unknown priority name: {level}")
    return facility_number * 8 + value


def _number(text: str, maximum: int) -> int:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 3 and int(text) <= maximum else -1


def _size(text: str) -> int:
    if not (text.isascii() and text.isdigit()) or len(text) > 9:
        raise Failure(f"failed to parse message size: '{text}': Invalid argument")
    return int(text)


@option_set
class Options:
    """logger [OPTION]... [MESSAGE]...

    Write MESSAGE, or the lines of standard input, to the log.
    """

    pid: bool = opt("-i", help="include the number of this process")
    id_: str | None = opt("--id", "NUMBER", "include this number", optional=True, const="")
    file: str | None = opt("-f", "--file", "FILE", "log the lines of FILE")
    skip_empty: bool = opt("-e", "--skip-empty", help="leave out empty lines")
    no_act: bool = opt("--no-act", help="do not log", ignored="")
    priority: int = opt(
        "-p",
        "--priority",
        "PRIORITY",
        "FACILITY.LEVEL (user.notice)",
        convert=_priority,
        default=_USER * 8 + _NOTICE,
    )
    prefix: bool = opt("--prio-prefix", help="lines of standard input may begin with <PRIORITY>")
    stderr: bool = opt("-s", "--stderr", help="print messages on standard error, too")
    size: int = opt("-S", "--size", "BYTES", "the longest message (1024)", convert=_size, default=1024)
    tag: str | None = opt("-t", "--tag", "TAG", "mark messages with TAG")
    version: bool = opt("-V", help="show the version", const=VERSION)


def run(options: Options, operands: Sequence[str], ctx: Context) -> int:
    """Return 0, or 1 when FILE cannot be read."""
    if options.id_ and _number(options.id_, 99) < 0 and not options.id_.isdigit():
        raise Failure(f"failed to parse id: '{options.id_}': Invalid argument")
    if operands:
        _log(" ".join(operands).encode("utf-8", "surrogateescape"), options.priority, options, ctx)
        return 0
    for line in _lines(options, ctx):
        priority = options.priority
        if options.prefix and line[:1] == b"<":
            digits, bracket, message = line[1:].partition(b">")
            if bracket and digits.isdigit() and len(digits) < 4:
                value = int(digits)
                priority, line = value if value > 7 else priority & ~7 | value, message
        if line or not options.skip_empty:
            _log(line, priority, options, ctx)
    return 0


def _lines(options: Options, ctx: Context) -> Iterator[bytes]:
    if options.file is None or options.file == "-":
        with ctx.stdin_reader() as reader:
            for line in reader.lines():
                yield line.removesuffix(b"\n")
        return
    try:
        with ctx.open(options.file) as reader:
            for line in reader.lines():
                yield line.removesuffix(b"\n")
    except OSError as error:
        raise Failure(f"file {options.file}: {reason(error)}") from None


def _log(message: bytes, priority: int, options: Options, ctx: Context) -> None:
    ctx.charge()
    if not options.stderr:
        return
    from sandhook.command.accounts import current_user

    tag = options.tag if options.tag is not None else accounts(ctx.fs).user(current_user(ctx)[0])
    number = options.id_ if options.id_ is not None else "" if not options.pid else None
    if options.pid or options.id_ is not None:
        tag += f"[{number or ctx.process.pid}]"
    date = strftime("%b %e %H:%M:%S", int(ctx.now()), ctx.environment.get("TZ"))
    prefix = f"<{priority}>{date} {tag}: ".encode("utf-8", "surrogateescape")
    ctx.process.write_error(prefix + message[: options.size] + b"\n")
