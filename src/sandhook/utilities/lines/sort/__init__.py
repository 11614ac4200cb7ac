"""sort: sort, merge, or check lines.

Source: POSIX.1-2024 XCU 3, sort. Oracle: GNU coreutils 9.1 in C.UTF-8 (order of bytes).
Divergence: L-SORT-001, -g compares with 53 bits; all sorting is done in memory, within the run's limit.
"""

from __future__ import annotations

import errno
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from sandhook.command.context import Context, Failure
from sandhook.command.options import Syntax, UsageError, also, opt, option_set
from sandhook.command.pieces import Charge, split
from sandhook.command.random_source import RandomSource, only_source
from sandhook.text.locale import collation_is_c
from sandhook.text.quoting import quote_escaped, quote_odd
from sandhook.utilities.lines.sort.keys import (
    SEED_BYTES,
    Key,
    KeyFunction,
    Seed,
    check_flags,
    key_function,
    numeric,
    parse_key,
)
from sandhook.utilities.lines.sort.runs import has_many_equals, sort_lines, sorted_integers, sorted_once
from sandhook.vfs.errors import error_text

WRITE_ERROR = {
    "": "fflush failed: 'standard output': {}\n{name}: write error",
    "EBADF": "fflush failed: 'standard output': {}\n{name}: write error: {}",
    "large": "write failed: 'standard output': {}\n{name}: write error",
}

USAGE_STATUS = 2
RAW = True  # "+1 -2" are keys, even after operands
_LINE_COST = 64  #: bytes of memory that a line occupies in addition to its text
_WORDS = {
    "general-numeric": "g",
    "human-numeric": "h",
    "month": "M",
    "numeric": "n",
    "random": "R",
    "version": "V",
}


def separator(text: str) -> bytes:
    """Parse the argument of -t."""
    data = text.encode("utf-8", "surrogateescape")
    if not data:
        raise Failure("empty tab")
    if data == b"\\0":
        return b"\0"
    if len(data) > 1:
        raise Failure(f"multi-character tab {quote_escaped(text)}")
    return data


def ordering(text: str) -> str:
    """Parse the argument of --sort."""
    matches = [word for word in _WORDS if word.startswith(text)]
    if len(matches) != 1 and text not in _WORDS:
        choices = "".join(f"\n  - '{word}'" for word in _WORDS)
        kind = "ambiguous" if matches and text else "invalid"
        raise UsageError(f"{kind} argument '{text}' for '--sort'\nValid arguments are:{choices}", status=1)
    return _WORDS[matches[0]]


_SIZE = re.compile(r"(\d++)([bkKmMGTPEZY%]?)(.*)", re.ASCII | re.DOTALL)


def buffer_size(text: str) -> str:
    """Check the argument of -S."""
    match = _SIZE.fullmatch(text)
    if match is None:
        raise Failure(f"invalid -S argument '{text}'")
    if match[3]:
        raise Failure(f"invalid suffix in -S argument '{text}'")
    if len(match[1].lstrip("0")) > 19:
        raise Failure(f"-S argument '{text}' too large")
    return text


def _count(option: str) -> Callable[[str], int]:
    def read(text: str) -> int:
        if not (text.isascii() and text.isdigit()):
            raise Failure(f"invalid --{option} argument '{text}'")
        return int(text[:18])

    return read


def threads(text: str) -> int:
    """Check the argument of --parallel."""
    number = _count("parallel")(text)
    if not number:
        raise Failure("number in parallel must be nonzero")
    return number


def batch_size(text: str) -> int:
    """Check the argument of --batch-size."""
    number = _count("batch-size")(text)
    if number < 2:
        raise Failure(f"invalid --batch-size argument '{text}'\nsort: minimum --batch-size argument is '2'")
    return number


def check_kind(text: str) -> str:
    """Parse the argument of --check."""
    if text in ("quiet", "silent"):
        return "C"
    if text == "diagnose-first":
        return "c"
    raise UsageError(
        f"invalid argument '{text}' for '--check'\nValid arguments are:\n  - 'quiet', 'silent'\n  - 'diagnose-first'",
        status=1,
    )


@option_set
class Options:
    """sort [OPTION]... [FILE]...
      or:  sort [OPTION]... --files0-from=F

    Write all lines of the FILEs, or of standard input, in order.
    """

    flags: tuple[str, ...] = also(
        opt("-b", "--ignore-leading-blanks", help="ignore leading blanks", const="b", append=True),
        opt(
            "-d", "--dictionary-order", help="compare only blanks, letters and digits", const="d", append=True
        ),
        opt("-f", "--ignore-case", help="compare as upper case", const="f", append=True),
        opt("-g", "--general-numeric-sort", help="compare as floating-point numbers", const="g", append=True),
        opt("-h", "--human-numeric-sort", help="compare numbers with units: 2K 1G", const="h", append=True),
        opt("-i", "--ignore-nonprinting", help="compare only printable characters", const="i", append=True),
        opt("-M", "--month-sort", help="compare as names of months", const="M", append=True),
        opt("-n", "--numeric-sort", help="compare as numbers", const="n", append=True),
        opt("-R", "--random-sort", help="shuffle, but keep equal keys together", const="R", append=True),
        opt("-r", "--reverse", help="reverse the order", const="r", append=True),
        opt("-V", "--version-sort", help="compare numbers within text", const="V", append=True),
        opt("--sort", "WORD", "sort by WORD: numeric, month, version ...", convert=ordering, append=True),
    )
    keys: tuple[Key, ...] = opt(
        "-k", "--key", "KEYDEF", "sort by a key: F[.C][OPTS][,F[.C][OPTS]]", convert=parse_key, append=True
    )
    tabs: tuple[bytes, ...] = opt(
        "-t", "--field-separator", "SEP", "fields are separated by SEP", convert=separator, append=True
    )
    checks: tuple[str, ...] = also(
        opt("-c", help="check the order; report the first line out of order", const="c", append=True),
        opt("-C", help="check the order silently", const="C", append=True),
        opt(
            "--check",
            "HOW",
            "check: diagnose-first or quiet",
            optional=True,
            const="c",
            convert=check_kind,
            append=True,
        ),
    )
    merge: bool = opt("-m", "--merge", help="merge files that are sorted already")
    outputs: tuple[str, ...] = opt(
        "-o", "--output", "FILE", "write to FILE, which may be an input", append=True
    )
    names: str | None = opt("--files0-from", "F", "sort the files whose names, each ended by NUL, are in F")
    random_source: tuple[str, ...] = opt(
        "--random-source", "FILE", "seed -R with the bytes of FILE", append=True
    )
    stable: bool = opt("-s", "--stable", help="keep equal lines in their order")
    unique: bool = opt("-u", "--unique", help="keep only the first of equal lines")
    zero: bool = opt("-z", "--zero-terminated", help="lines end with NUL, not newline")
    memory: str | None = opt("-S", "--buffer-size", "SIZE", ignored="", convert=buffer_size)
    temporary: tuple[str, ...] = opt("-T", "--temporary-directory", "DIR", ignored="", append=True)
    parallel: int = opt("--parallel", "N", ignored="", convert=threads, default=1)
    batch: int = opt("--batch-size", "N", ignored="", convert=batch_size, default=16)
    compress: str | None = opt("--compress-program", "PROGRAM", ignored="")
    former: bool = opt("-y", ignored="")


_SYNTAX = Syntax(Options)
_OLD_START = re.compile(r"\+([0-9]+)(?:\.([0-9]+))?([bdfgiMhnrRV]*)", re.ASCII)
_OLD_END = re.compile(r"-([0-9]+)(?:\.([0-9]+))?([bdfgiMhnrRV]*)", re.ASCII)
_NEEDS_ARGUMENT = re.compile(
    r"-[a-zA-Z]*[kotST]|--(?:key|output|field-separator|buffer-size|temporary-directory)"
)


def with_new_keys(arguments: Sequence[str]) -> list[str]:
    """Return the arguments with keys of the form ``+1.2n -3`` (counted from 0) as ``-k``."""
    result: list[str] = []
    pending = list(reversed(arguments))
    while pending:
        argument = pending.pop()
        start = _OLD_START.fullmatch(argument)
        if argument == "--":
            return [*result, argument, *reversed(pending)]
        if start is None:
            result.append(argument)
            if _NEEDS_ARGUMENT.fullmatch(argument) and pending:
                result.append(pending.pop())
            continue
        key = f"-k{_old_number(start[1]) + 1}.{_old_number(start[2]) + 1}{start[3]}"
        end = _OLD_END.fullmatch(pending[-1]) if pending else None
        if end is not None:
            pending.pop()
            field, character = _old_number(end[1]), _old_number(end[2])
            key += f",{field + 1}.{character}" if character else f",{field or 1}"
            key += end[3]
        result.append(key)
    return result


def _old_number(text: str | None) -> int:
    return int((text or "0")[:18])


def run(_: None, arguments: Sequence[str], ctx: Context) -> int:
    """Return 0, 1 when -c detects disorder, 2 after an error."""
    words = with_new_keys(arguments) if _has_old_keys(arguments) else arguments
    options, operands = _SYNTAX.parse(words, in_order="POSIXLY_CORRECT" in ctx.environment)
    return sort(options, operands, ctx)


def _has_old_keys(arguments: Sequence[str]) -> bool:
    return any(argument[:1] == "+" for argument in arguments)


def sort(options: Options, operands: Sequence[str], ctx: Context) -> int:
    """Sort, merge or check according to the options; return the exit status."""
    if len(set(options.tabs)) > 1:
        raise Failure("incompatible tabs")
    if len(set(options.outputs)) > 1:
        raise Failure("multiple output files specified")
    order = Order(options, _seed(options, ctx))
    if options.names is not None:
        if operands:
            raise UsageError(
                f"extra operand '{operands[0]}'\nfile operands cannot be combined with --files0-from"
            )
        operands = read_names(options.names, ctx)
    delimiter = b"\0" if options.zero else b"\n"
    if options.checks:
        kind = options.checks[0]
        if len(set(options.checks)) > 1:
            raise Failure("options '-cC' are incompatible")
        if len(operands) > 1:
            raise Failure(f"extra operand '{operands[1]}' not allowed with -{kind}")
        if options.outputs:
            raise Failure(f"options '-{kind}o' are incompatible")
        return check(order, operands[0] if operands else "-", kind == "C", delimiter, ctx)
    inputs = [read_lines(name, delimiter, ctx) for name in operands or ("-",)]
    if options.merge:
        lines = order.merge(inputs)
    else:
        lines = inputs[0] if len(inputs) == 1 else [line for each in inputs for line in each]
        ctx.charge(len(lines) * (1 + len(order.keys)))
        lines = order.sort(lines, ctx.charge)
    data = delimiter.join(lines) + delimiter if lines else b""
    if not options.outputs:
        ctx.write(data)
        return 0
    output = options.outputs[0]
    try:
        file = ctx.create(output)
    except OSError as error:
        raise Failure(f"open failed: {quote_odd(output)}: {error_text(error)}") from None
    try:
        file.write(data)
    finally:
        file.release()
    return 0


def read_names(source: str, ctx: Context) -> list[str]:
    """Return the names of --files0-from. Raises Failure."""
    try:
        with ctx.open(source) as reader:
            records = split(reader.read_all(), b"\0", ctx.charge)
    except OSError as error:
        if source == "-":
            raise Failure("cannot read file names from '-'") from None
        raise Failure(f"open failed: {quote_odd(source)}: {error_text(error)}") from None
    if not records[-1]:
        records.pop()
    if not records:
        raise Failure(f"no input from '{source}'")
    names = [record.decode("utf-8", "surrogateescape") for record in records]
    for number, name in enumerate(names, 1):
        if not name:
            raise Failure(f"{source}:{number}: invalid zero-length file name")
        if name == source == "-":
            raise Failure("when reading file names from stdin, no file name of '-' allowed")
    return names


def _seed(options: Options, ctx: Context) -> Seed | None:
    """Return what --random-source means for -R; None without it. Raises Failure."""
    source = only_source(options.random_source)
    if source is None or not _shuffles(options):
        return None
    random = RandomSource(source, ctx, "open failed: ")
    try:
        return random.read(SEED_BYTES), not collation_is_c(ctx.environment.get)
    finally:
        random.close()


def _shuffles(options: Options) -> bool:
    """Return True if -R is used, for all lines or for a key."""
    return "R" in "".join(options.flags) or any("R" in key.flags for key in options.keys)


def read_lines(name: str, delimiter: bytes, ctx: Context, *, missing: str = "cannot read") -> list[bytes]:
    """Return all lines of an input without their delimiters. Raises Failure, with a word for a file that is missing."""
    try:
        with ctx.open(name) as reader:
            data = reader.read_all()
    except OSError as error:
        kind = "read failed" if isinstance(error, IsADirectoryError) else missing
        kind = "stat failed" if error.errno == errno.EBADF else kind
        raise Failure(f"{kind}: {quote_odd(name)}: {error_text(error)}") from None
    ctx.budget.check_fits(2 * len(data) + _LINE_COST * data.count(delimiter))
    ctx.hold(len(data))  # until the end: sort has all inputs at once
    lines = split(data, delimiter, ctx.charge)
    if not lines[-1]:
        lines.pop()
    return lines


def check(order: Order, name: str, quiet: bool, delimiter: bytes, ctx: Context) -> int:
    """Compare each line with the one before it."""
    lines = read_lines(name, delimiter, ctx, missing="open failed")
    threshold = 0 if order.unique else 1
    for number in range(1, len(lines)):
        ctx.charge(1)
        if order.compare(lines[number - 1], lines[number]) >= threshold:
            if not quiet:
                text = lines[number].decode("utf-8", "surrogateescape")
                ctx.error(f"{name}:{number + 1}: disorder: {text}")
            return 1
    return 0


class Order:
    """The order of lines: by each key in turn, then byte by byte unless -s or -u."""

    def __init__(self, options: Options, seed: Seed | None) -> None:
        flags = "".join(dict.fromkeys(options.flags))
        self.reverse = "r" in flags
        self.unique = options.unique
        self.last_resort = not (options.stable or options.unique)
        blanks = "b" in flags
        default_flags = flags.replace("b", "")
        keys = list(options.keys)
        if not keys and (default_flags.replace("r", "") or blanks):
            keys = [Key(start_blanks=blanks, end_blanks=blanks, flags=default_flags)]
        for index, key in enumerate(keys):
            if not key.flags and not key.start_blanks and not key.end_blanks:
                keys[index] = key._replace(start_blanks=blanks, end_blanks=blanks, flags=default_flags)
            check_flags(keys[index].flags)
        self.keys: list[tuple[KeyFunction | None, bool]] = [
            (key_function(key, options.tabs[0] if options.tabs else None, seed), key.reverse) for key in keys
        ]

    def sort(self, lines: list[bytes], charge: Charge) -> list[bytes]:
        """Return the lines to write in their order; ``lines`` may be sorted in place."""
        has_total_order = self.last_resort or not self.keys
        if has_total_order and not self.unique and has_many_equals(lines):
            return sorted_once(lines, self._sort, charge)
        return self._sort(lines, charge)

    def _sort(self, lines: list[bytes], charge: Charge) -> list[bytes]:
        if not self.keys:
            if self.unique:
                lines = list(dict.fromkeys(lines))
            return sort_lines(lines, None, self.reverse, charge)
        if len(self.keys) == 1 and self.keys[0][0] is numeric:
            integers = sorted_integers(lines, self.keys[0][1], charge)
            if integers is not None:
                return list(dict.fromkeys(integers)) if self.unique else integers
        if self.last_resort:
            lines = sort_lines(lines, None, self.reverse, charge)
        for function, reverse in reversed(self.keys):
            lines = sort_lines(lines, function, reverse, charge)
        return list(self._without_equals(lines)) if self.unique else lines

    def merge(self, inputs: list[list[bytes]]) -> list[bytes]:
        """Merge inputs that are sorted."""
        from functools import cmp_to_key
        from heapq import merge

        compare: Callable[[bytes, bytes], int] = self.compare
        lines = list(merge(*inputs, key=cmp_to_key(compare)))
        return list(self._without_equals(lines)) if self.unique else lines

    def _without_equals(self, lines: list[bytes]) -> Iterator[bytes]:
        previous_key: Any = None
        for line in lines:
            key = [line if function is None else function(line) for function, _ in self.keys] or line
            if key != previous_key:
                yield line
            previous_key = key

    def compare(self, left: bytes, right: bytes) -> int:
        """Return a number below, at or above 0."""
        for function, reverse in self.keys:
            a, b = (left, right) if function is None else (function(left), function(right))
            if a != b:
                return 1 if (a > b) is not reverse else -1
        if left == right or (self.keys and not self.last_resort):
            return 0
        return 1 if (left > right) is not self.reverse else -1
