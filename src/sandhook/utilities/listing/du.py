"""du: estimate the space that files occupy.

Source: POSIX.1-2024 XCU 3, du. Oracle: GNU coreutils 9.1 on a file system with blocks of 4 KiB.
Divergence: L-DU-001, entries are in the order of names, and blocks have 4 KiB.
"""

from __future__ import annotations

import stat as bits
from collections.abc import Sequence

from sandhook.command.choices import one_of
from sandhook.command.context import Context, Failure
from sandhook.command.counts import parse_count
from sandhook.command.operands import beneath, reason, stat_of
from sandhook.command.options import UsageError, also, opt, option_set
from sandhook.dates.clock import strftime
from sandhook.pattern.glob import Pattern, compile_pattern
from sandhook.text.quoting import quote_always
from sandhook.utilities.listing.sizes import block_size_option, blocks_of, chosen_block_size, human_size
from sandhook.vfs.base import Entry, Stat

READ_ERROR = "-: read error: {}"

WRITE_ERROR = {"": "write error", "EBADF": "write error: {}"}


def _depth(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 10):
        raise UsageError(f"invalid maximum depth {quote_always(text)}")
    return int(text)


def _threshold(text: str, flag: str = "--threshold") -> int:
    sign = -1 if text[:1] == "-" else 1
    try:
        size = parse_count(text.lstrip("-"), "threshold")
        if sign < 0 and not size:
            flag = "--threshold"
            raise Failure(text)
        return sign * size
    except Failure:
        raise UsageError(f"invalid {flag} argument {quote_always(text)}", hint=False) from None


@option_set
class Options:
    """du [OPTION]... [FILE]...
      or:  du [OPTION]... --files0-from=F

    Print the space that each FILE (.) and every directory below it occupy, in KiB.
    """

    all_: bool = opt("-a", "--all", help="files too, not only directories")
    summarize: bool = opt("-s", "--summarize", help="only a total for each FILE")
    total: bool = opt("-c", "--total", help="a grand total")
    depth: int | None = opt(
        "-d", "--max-depth", "N", "print only files at most N levels below", convert=_depth
    )
    apparent: bool = opt("--apparent-size", help="sizes of files instead of their blocks")
    size: tuple[int, str] | None = block_size_option(
        "--si",
        further=[
            opt(
                "-b",
                "--bytes",
                help="sizes in bytes, as --apparent-size -B1",
                const=(1, ""),
                implies="apparent",
            )
        ],
    )
    inodes: bool = opt("--inodes", help="count files instead")
    links: bool = opt("-l", "--count-links", help="count a file as often as it has names")
    follow: str = also(
        opt("-P", "--no-dereference", help="follow no links (default)", const="none", default="none"),
        opt("-L", "--dereference", help="follow all links", const="all"),
        opt("-H", "-D", "--dereference-args", help="follow links among the FILEs", const="operands"),
    )
    separate: bool = opt("-S", "--separate-dirs", help="leave subdirectories out of the sums")
    one_device: bool = opt("-x", "--one-file-system", help="stay on the file system of each FILE")
    exclude: tuple[str, ...] = opt("--exclude", "PATTERN", "leave out files that match", append=True)
    exclude_from: tuple[str, ...] = opt(
        "-X", "--exclude-from", "FILE", "leave out files that a line of FILE matches", append=True
    )
    threshold: int = also(
        opt("-t", "SIZE", "leave out smaller files (larger ones, if negative)",
            convert=lambda text: _threshold(text, "-t"), default=0),
        opt("--threshold", "SIZE", "the same", convert=_threshold),
    )  # fmt: skip
    time: str | None = opt(
        "--time",
        "WORD",
        "the time of the last change, or of WORD: atime, ctime",
        optional=True,
        const="mtime",
        convert=one_of("--time", "atime access use", "ctime status"),
    )
    time_style: str | None = opt("--time-style", "STYLE", "full-iso, long-iso, iso or +FORMAT")
    names: str | None = opt("--files0-from", "FILE", "measure the files that FILE names, each ended by NUL")
    zero: bool = opt("-0", "--null", help="end each line with NUL")


def run(options: Options, operands: Sequence[str], ctx: Context) -> int:
    """Return 0, or 1 when something could not be read."""
    if options.all_ and options.summarize:
        raise UsageError("cannot both summarize and show all entries")
    if options.summarize and options.depth is not None:
        if options.depth:
            raise UsageError(f"warning: summarizing conflicts with --max-depth={options.depth}")
        ctx.error("warning: summarizing is the same as using --max-depth=0")
    if options.inodes and options.apparent:
        ctx.error("warning: options --apparent-size and -b are ineffective with --inodes")
    if options.names is not None:
        if operands:
            message = f"extra operand {quote_always(operands[0])}\nfile operands cannot be combined with --files0-from"
            raise UsageError(message)
        operands = _read_names(options.names, ctx)
    elif not operands:
        operands = ["."]
    walk = _Walk(options, ctx, len(operands) > 1)
    total = 0
    for name in operands:
        total += walk.measure(name)
    if options.total:
        walk.print(total, "total", walk.latest)
    return ctx.failed


def _read_names(source: str, ctx: Context) -> list[str]:
    """Return the names of --files0-from. Raises Failure."""
    try:
        reader = ctx.open(source)
    except OSError as error:
        raise Failure(f"cannot open {quote_always(source)} for reading: {reason(error)}") from None
    names = []
    with reader:
        for number, record in enumerate(reader.lines(b"\0"), 1):
            name = record.removesuffix(b"\0").decode("utf-8", "surrogateescape")
            if name:
                names.append(name)
            else:
                ctx.fail(f"{source}:{number}: invalid zero-length file name")
    return names


def _read_patterns(source: str, ctx: Context) -> list[str]:
    """Return the nonempty lines of a file of -X. Raises UsageError."""
    try:
        reader = ctx.open(source)
    except OSError as error:
        raise UsageError(f"{source}: {reason(error)}") from None
    with reader:
        lines = [line.rstrip(b"\n").decode("utf-8", "surrogateescape") for line in reader.lines()]
    return [line for line in lines if line]


class _Directory:
    """An open directory, with the size of its files and of its subdirectories so far."""

    __slots__ = ("entries", "latest", "name", "own_size", "subtree_size")

    def __init__(self, name: str, entries: list[Entry], own_size: int, latest: int) -> None:
        self.latest = latest
        self.name = name
        self.entries = entries
        self.own_size = own_size
        self.subtree_size = 0


class _Walk:
    def __init__(self, options: Options, ctx: Context, many_operands: bool) -> None:
        self.options = options
        self._scale = chosen_block_size(options.size, "DU", ctx.environment)
        self.ctx = ctx
        self.many_operands = many_operands  #: the same file may be reached under the same name
        self.latest = 0
        self.style = (
            _time_style(options.time_style or ctx.environment.get("TIME_STYLE")) if options.time else ""
        )
        self.seen: set[tuple[int, int]] = set()
        texts = [
            *options.exclude,
            *(text for name in options.exclude_from for text in _read_patterns(name, ctx)),
        ]
        self.patterns: list[Pattern] = [compile_pattern(text, extglob=False) for text in texts]
        self.depth = 0 if options.summarize else (1 << 60 if options.depth is None else options.depth)

    def measure(self, top: str) -> int:
        """Print and return the size of an operand, without files that were counted before."""
        if self._is_excluded(top):
            return 0
        follow = self.options.follow != "none"
        info = self._stat(top, follow)
        if info is None or self._is_duplicate(info):
            return 0
        size = self._size(info)
        if not bits.S_ISDIR(info.mode):
            self.print(size, top, self._time(info))
            return size
        stack = [self._enter(top, size, info)]
        while True:
            directory = stack[-1]
            if directory.entries:
                self._step(directory, stack, info.device)
                continue
            stack.pop()
            if len(stack) <= self.depth:
                size_shown = directory.own_size + (0 if self.options.separate else directory.subtree_size)
                self.print(size_shown, directory.name, directory.latest)
            total = directory.own_size + directory.subtree_size
            if not stack:
                self.latest = max(self.latest, directory.latest)
                return total
            stack[-1].subtree_size += total
            stack[-1].latest = max(stack[-1].latest, directory.latest)

    def _step(self, directory: _Directory, stack: list[_Directory], device: int) -> None:
        self.ctx.charge()
        entry = directory.entries.pop()
        name = beneath(directory.name, entry.name)
        if self.patterns and self._is_excluded(name):
            return
        info = self._stat(name, self.options.follow == "all")
        if info is None or (self.options.one_device and info.device != device) or self._is_duplicate(info):
            return
        size = self._size(info)
        if bits.S_ISDIR(info.mode):
            stack.append(self._enter(name, size, info))
            return
        directory.own_size += size
        directory.latest = max(directory.latest, self._time(info))
        if self.options.all_ and len(stack) <= self.depth:
            self.print(size, name, self._time(info))

    def _time(self, info: Stat) -> int:
        """Return the time of a file that --time selects, in nanoseconds."""
        kind = self.options.time
        return info.atime_ns if kind == "atime" else info.ctime_ns if kind == "ctime" else info.mtime_ns

    def _enter(self, name: str, size: int, info: Stat) -> _Directory:
        try:
            entries = self.ctx.fs.listdir(self.ctx.path(name))
        except OSError as error:
            self.ctx.fail(f"cannot read directory {quote_always(name)}: {reason(error)}")
            entries = []
        entries.reverse()
        return _Directory(name, entries, size, self._time(info))

    def _stat(self, name: str, follow: bool) -> Stat | None:
        try:
            return stat_of(self.ctx, name, follow=follow)
        except OSError as error:
            text = f"cannot access {quote_always(name)}: {reason(error)}"
            self.ctx.fail(text if name else "invalid zero-length file name")
            return None

    def _is_duplicate(self, info: Stat) -> bool:
        """Return whether a file was counted before, under another name or as another operand."""
        if not bits.S_ISDIR(info.mode):
            can_recur = self.many_operands or self.options.follow != "none" or info.links > 1
            if self.options.links or not can_recur:
                return False
        key = (info.device, info.inode)
        if key in self.seen:
            return True
        self.ctx.budget.check_fits(64 * len(self.seen))
        self.seen.add(key)
        return False

    def _is_excluded(self, name: str) -> bool:
        """Return whether a pattern matches the name, or the rest of it after any slash."""
        if not self.patterns:
            return False
        tails = [name] + [name[index + 1 :] for index, letter in enumerate(name) if letter == "/"]
        charge = self.ctx.charge
        return any(pattern.matches(tail, charge) for pattern in self.patterns for tail in tails)

    def _size(self, info: Stat) -> int:
        if self.options.inodes:
            return 1
        if self.options.apparent:
            return info.size
        return blocks_of(info) * 1024

    def print(self, size: int, name: str, time: int) -> None:
        """Print one line, unless --threshold excludes the size."""
        limit = self.options.threshold
        if (limit > 0 and size < limit) or (limit < 0 and size > -limit):
            return
        text = _format_size(size, self._scale, self.options)
        if self.style:
            seconds, fraction = divmod(time, 10**9)
            text += "\t" + strftime(self.style, seconds, self.ctx.environment.get("TZ"), fraction)
        self.ctx.write(
            f"{text}\t{name}".encode("utf-8", "surrogateescape") + (b"\0" if self.options.zero else b"\n")
        )


def _time_style(text: str | None) -> str:
    """Return the format of --time-style. Raises UsageError."""
    if text is None or text == "locale":
        return _STYLES["long-iso"]
    if text[:1] == "+":
        return text[1:].partition("\n")[0]
    return _STYLES[one_of("time style", *_STYLES)(text.removeprefix("posix-"))]


_STYLES = {"full-iso": "%Y-%m-%d %H:%M:%S.%N %z", "long-iso": "%Y-%m-%d %H:%M", "iso": "%Y-%m-%d"}


def _format_size(size: int, scale: tuple[int, str], options: Options) -> str:
    unit, suffix = scale
    if options.inodes:
        return human_size(size, suffix) if not unit else str(size)
    if not unit:
        return human_size(size, suffix)
    return f"{-(-size // unit)}{suffix}"
