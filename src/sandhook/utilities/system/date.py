"""date: print a time.

Source: POSIX.1-2024 XCU 3, date. Oracle: GNU coreutils 9.1. The clock is the run's.
Divergence: L-DATE-002, setting the clock and --debug are errors.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sandhook.command.choices import one_of
from sandhook.command.context import Context, Failure
from sandhook.command.operands import reason, stat_of
from sandhook.command.options import UsageError, also, opt, option_set
from sandhook.dates.clock import strftime
from sandhook.dates.parse import BadDate, parse_date
from sandhook.dates.stamp import parse_setting
from sandhook.text.quoting import quote_odd

_LONGEST = 65_536  #: characters of a date

_ISO = {
    "hours": "%Y-%m-%dT%H%:z",
    "minutes": "%Y-%m-%dT%H:%M%:z",
    "date": "%Y-%m-%d",
    "seconds": "%Y-%m-%dT%H:%M:%S%:z",
    "ns": "%Y-%m-%dT%H:%M:%S,%N%:z",
}
_RFC_3339 = {"date": "%Y-%m-%d", "seconds": "%Y-%m-%d %H:%M:%S%:z", "ns": "%Y-%m-%d %H:%M:%S.%N%:z"}


@option_set
class Options:
    """date [OPTION]... [+FORMAT]
      or:  date [-u|--utc|--universal] [MMDDhhmm[[CC]YY][.ss]]

    Print the current time, or another one, in FORMAT.
    """

    date: str | None = opt("-d", "--date", "DATE", "the time to print: 2026-01-31 10:00, @0, 2 days ago ...")
    file: str | None = opt("-f", "--file", "FILE", "print a time for each line of FILE")
    iso: str | None = opt(
        "-I",
        "--iso-8601",
        "WHAT",
        "ISO 8601: date, hours, minutes, seconds or ns",
        convert=one_of("--iso-8601", *_ISO),
        optional=True,
        const="date",
    )
    reference: str | None = opt("-r", "--reference", "FILE", "the time FILE was last modified")
    mail: bool = also(
        opt(
            "-R",
            "--rfc-email",
            "--rfc-2822",
            "--rfc-822",
            help="the format of mail: Mon, 14 Aug 2006 02:34:56 -0600",
        )
    )
    rfc3339: str | None = opt(
        "--rfc-3339",
        "WHAT",
        "RFC 3339: date, seconds or ns",
        convert=one_of("--rfc-3339", *_RFC_3339),
    )
    set_: str | None = opt("-s", "--set", "DATE", "an error: the clock of a run cannot be set")
    utc: bool = also(opt("-u", "--utc", "--universal", "--uct", help="Coordinated Universal Time"))
    debug: bool = opt("--resolution", "print the resolution of the clock")


def run(options: Options, operands: Sequence[str], ctx: Context) -> int:
    """Return 0, or 1 for a date that cannot be parsed."""
    sources = (options.date, options.reference, options.file)
    if sum(source is not None for source in sources) > 1:
        raise UsageError("the options to specify dates for printing are mutually exclusive")
    zone = "UTC" if options.utc else ctx.environment.get("TZ")
    format_, setting = _format(options, operands)
    now = int(ctx.now() * 1e9)
    if options.set_ is not None and (options.date is not None or options.reference is not None):
        raise UsageError("the options to print and set the time may not be used together")
    if options.set_ is not None or setting is not None:
        _setting_error(options, setting, format_, now, ctx)
    for time in _times(options, now, zone, ctx):
        seconds, nanoseconds = divmod(time, 10**9)
        ctx.write_line(strftime(format_, seconds, zone, nanoseconds))
    return ctx.failed


def _format(options: Options, operands: Sequence[str]) -> tuple[str, str | None]:
    """Return the format, and the operand that would set the clock, if there is one."""
    formats = [
        table[name] for name, table in ((options.iso, _ISO), (options.rfc3339, _RFC_3339)) if name is not None
    ]
    if options.mail:
        formats.append("%a, %d %b %Y %H:%M:%S %z")
    if options.debug:
        formats.append("0.000000001")
    setting = None
    if operands:
        if len(operands) > 1:
            raise UsageError(f"extra operand '{operands[1]}'")
        if operands[0][:1] == "+":
            if formats:
                raise Failure("multiple output formats specified")
            return operands[0][1:], None
        setting = operands[0]
    if len(formats) > 1:
        raise Failure("multiple output formats specified")
    return formats[0] if formats else "%a %b %e %H:%M:%S %Z %Y", setting


def _setting_error(options: Options, setting: str | None, format_: str, now: int, ctx: Context) -> None:
    """Print the time that the clock would be set to, and raise Failure, because that is not permitted."""
    zone = "UTC" if options.utc else ctx.environment.get("TZ")
    if setting is not None and (options.date is not None or options.reference is not None):
        raise UsageError(
            f"the argument '{setting}' lacks a leading '+';\nwhen using an option to specify date(s), "
            "any non-option\nargument must be a format string beginning with '+'"
        )
    text = options.set_ if options.set_ is not None else setting or ""
    try:
        time = parse_date(text, now, zone) if setting is None else parse_setting(text, now, zone)
    except BadDate:
        raise Failure(f"invalid date '{text}'") from None
    seconds, nanoseconds = divmod(time, 10**9)
    ctx.write_line(strftime(format_, seconds, zone, nanoseconds))
    raise Failure("cannot set date: Operation not permitted")


def _times(options: Options, now: int, zone: str | None, ctx: Context) -> Iterator[int]:
    """Yield the times to print, in nanoseconds."""
    if options.reference is not None:
        try:
            yield stat_of(ctx, options.reference).mtime_ns
        except OSError as error:
            raise Failure(f"{quote_odd(options.reference)}: {reason(error)}") from None
    elif options.file is not None:
        try:
            file = ctx.open(options.file)
        except OSError as error:
            raise Failure(f"{quote_odd(options.file)}: {reason(error)}") from None
        with file as reader:
            for line in reader.lines():
                yield from _read(line.rstrip(b"\n").decode("utf-8", "surrogateescape"), now, zone, ctx)
    else:
        yield from (now,) if options.date is None else _read(options.date, now, zone, ctx)


def _read(text: str, now: int, zone: str | None, ctx: Context) -> Iterator[int]:
    try:
        if len(text) > _LONGEST:
            raise BadDate
        yield parse_date(text, now, zone)
    except BadDate as error:
        if text.lstrip()[:1] == "@" and error.args and abs(error.args[0]) < 1 << 63:
            ctx.fail(f"time '{error.args[0]}' is out of range")
        else:
            ctx.fail(f"invalid date '{text}'")
