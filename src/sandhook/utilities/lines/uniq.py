"""uniq: report or omit repeated lines.

Source: POSIX.1-2024 XCU 3, uniq. Oracle: GNU coreutils 9.1 in C.UTF-8.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from sandhook.command.context import Context, Failure, Reader
from sandhook.command.options import UsageError, opt, option_set
from sandhook.text.quoting import quote_odd
from sandhook.vfs.errors import error_text

READ_ERROR = "error reading '-'"

NUMERIC = "legacy"
_FIELD = re.compile(rb"[ \t\n]*[^ \t\n]*")


def _number(what: str) -> Callable[[str], int]:
    def read(text: str) -> int:
        bare = text.lstrip(" \t").removeprefix("+")
        if not (bare.isascii() and bare.isdecimal()):
            raise Failure(f"{text}: invalid number of {what}")
        return int(bare) if len(bare) < 19 else 2**62

    return read


def repeats(text: str) -> str:
    """Parse the argument of --all-repeated."""
    return _method(text, "all-repeated", ("none", "prepend", "separate"))


def groups(text: str) -> str:
    """Parse the argument of --group."""
    return _method(text, "group", ("prepend", "append", "separate", "both"))


def _method(text: str, option: str, methods: tuple[str, ...]) -> str:
    matches = [each for each in methods if each.startswith(text)]
    if len(matches) != 1:
        choices = "".join(f"\n  - '{each}'" for each in methods)
        kind = "ambiguous" if matches else "invalid"
        raise UsageError(f"{kind} argument '{text}' for '--{option}'\nValid arguments are:{choices}")
    return matches[0]


@option_set
class Options:
    """uniq [OPTION]... [INPUT [OUTPUT]]

    Of adjacent lines that are equal, write one.
    """

    count: bool = opt("-c", "--count", help="write how often a line occurs before it")
    repeated: bool = opt("-d", "--repeated", help="only lines that are repeated, one of each")
    all_repeated: str | None = opt(
        "-D",
        "--all-repeated",
        "METHOD",
        "all lines that are repeated; METHOD separates them: none, prepend, separate",
        optional=True,
        const="none",
        convert=repeats,
    )
    group: str | None = opt(
        "--group",
        "METHOD",
        "all lines, with an empty line between groups: separate, prepend, append, both",
        optional=True,
        const="separate",
        convert=groups,
    )
    icase: bool = opt("-i", "--ignore-case", help="ignore case")
    fields: int = opt(
        "-f",
        "--skip-fields",
        "N",
        "do not compare the first N fields",
        convert=_number("fields to skip"),
        default=0,
    )
    skip: int = opt(
        "-s",
        "--skip-chars",
        "N",
        "do not compare the first N bytes",
        convert=_number("bytes to skip"),
        default=0,
    )
    width: int | None = opt(
        "-w", "--check-chars", "N", "compare no more than N bytes", convert=_number("bytes to compare")
    )
    unique: bool = opt("-u", "--unique", help="only lines that are not repeated")
    zero: bool = opt("-z", "--zero-terminated", help="lines end with NUL, not newline")
    legacy: str | None = None


def run(options: Options, operands: Sequence[str], ctx: Context) -> int:
    """Return 0, or 1 after an error."""
    fields, skip = options.fields, options.skip
    if options.legacy is not None:
        fields = fields or _number("fields to skip")(options.legacy)
    if operands and operands[0][:1] == "+" and operands[0][1:].isdigit():  # POSIX.2-1992's -s
        skip = skip or _number("bytes to skip")(operands[0])
        operands = operands[1:]
    if len(operands) > 2:
        raise UsageError(f"extra operand '{operands[2]}'")
    if options.group and (options.count or options.repeated or options.all_repeated or options.unique):
        raise UsageError("--group is mutually exclusive with -c/-d/-D/-u")
    if options.count and options.all_repeated:
        raise UsageError("printing all duplicated lines and repeat counts is meaningless")
    key = key_function(fields, skip, options.width, options.icase)
    source = operands[0] if operands else "-"
    try:
        reader = ctx.open(source)
    except OSError as error:
        if isinstance(error, IsADirectoryError):
            raise Failure(f"error reading '{source}'") from None
        raise Failure(f"{quote_odd(source)}: {error_text(error)}") from None
    with reader:
        if len(operands) < 2 or operands[1] == "-":
            copy(reader, options, key, ctx.write)
            return 0
        try:
            file = ctx.create(operands[1])
        except OSError as error:
            raise Failure(f"{quote_odd(operands[1])}: {error_text(error)}") from None
        try:
            copy(reader, options, key, file.write)
        finally:
            file.release()
    return 0


def copy(
    reader: Reader, options: Options, key: Callable[[bytes], bytes] | None, write: Callable[[bytes], None]
) -> None:
    """Write the selected line or lines of each group of equal lines."""
    delimiter = b"\0" if options.zero else b"\n"
    if options.group or options.all_repeated:
        copy_groups(reader, options, key, delimiter, write)
        return
    count, repeated, unique = options.count, options.repeated, options.unique
    for line, times in runs(reader, key, delimiter):
        if (repeated and times == 1) or (unique and times > 1):
            continue
        write(b"%7d %b%b" % (times, line, delimiter) if count else line + delimiter)


def runs(
    reader: Reader, key: Callable[[bytes], bytes] | None, delimiter: bytes
) -> Iterator[tuple[bytes, int]]:
    """Yield the first line of every run of equal lines, and the length of the run."""
    first: bytes | None = None
    previous: bytes | None = None
    times = 0
    for block in reader.blocks(delimiter):
        lines = block.split(delimiter)
        if not lines[-1]:
            lines.pop()
        reader.charge(len(lines) >> 2)
        for line in lines:
            value = line if key is None else key(line)
            if value == previous:
                times += 1
                continue
            if first is not None:
                yield first, times
            first, previous, times = line, value, 1
    if first is not None:
        yield first, times


def copy_groups(
    reader: Reader,
    options: Options,
    key: Callable[[bytes], bytes] | None,
    delimiter: bytes,
    write: Callable[[bytes], None],
) -> None:
    """-D and --group: every line of a group, and empty lines between groups."""
    method = options.group or options.all_repeated
    all_groups = bool(options.group)
    before = method in ("prepend", "both")
    between = method == "separate"
    pending: bytes | None = None  # the first line of a group, not written yet
    previous: bytes | None = None
    written = 0  # groups

    for raw in reader.lines(delimiter):
        line = raw.removesuffix(delimiter)
        value = line if key is None else key(line)
        if value != previous or previous is None:
            pending, previous = line, value
            if not all_groups:
                continue
        if pending is not None:  # a group begins, with -D when its second line is seen
            if before or (written and (between or method == "append")):
                write(delimiter)
            written += 1
            if not (all_groups or options.unique):  # -D -u: all but the first of a group
                write(pending + delimiter)
            pending = None
        write(line + delimiter)
    if written and method in ("append", "both"):
        write(delimiter)


def key_function(fields: int, skip: int, width: int | None, icase: bool) -> Callable[[bytes], bytes] | None:
    """Return the function from a line to the part that is compared; None if that is the whole line."""
    if not (fields or skip or icase) and width is None:
        return None

    def key(line: bytes) -> bytes:
        at = 0
        for _ in range(fields):
            if at >= len(line):
                break
            match = _FIELD.match(line, at)
            at = match.end() if match else at
        at += skip
        part = line[at:] if width is None else line[at : at + width]
        return part.lower() if icase else part

    return key
