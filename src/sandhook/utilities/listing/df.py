"""df: print the used and free space of the (virtual) file system.

Source: POSIX.1-2024 XCU 3, df. Oracle: GNU coreutils 9.1 for the format of its lines.
Divergence: L-DF-001, there is one file system; its size is the run's memory limit.
"""

from __future__ import annotations

import stat as bits
from collections.abc import Sequence

from sandhook.command.context import Context, Failure
from sandhook.command.operands import reason, stat_of
from sandhook.command.options import UsageError, also, opt, option_set
from sandhook.record import Record
from sandhook.text.quoting import quote_always, quote_odd
from sandhook.utilities.listing.sizes import block_size_option, blocks_of, chosen_block_size, human_size
from sandhook.vfs.path import VirtualPath

_SOURCE, _TYPE, _TARGET = "sandhook", "tmpfs", "/"
_FIELDS = (
    "source", "fstype", "itotal", "iused", "iavail", "ipcent", "size", "used", "avail", "pcent", "file", "target",
)  # fmt: skip
_TITLES = {
    "source": "Filesystem", "fstype": "Type", "itotal": "Inodes", "iused": "IUsed", "iavail": "IFree",
    "ipcent": "IUse%", "size": "1K-blocks", "used": "Used", "avail": "Avail", "pcent": "Use%", "file": "File",
    "target": "Mounted on",
}  # fmt: skip
_LEFT = frozenset({"source", "fstype", "file", "target"})


def _fields(text: str) -> tuple[str, ...]:
    names = tuple(text.split(","))
    for index, name in enumerate(names):
        if name not in _FIELDS:
            raise UsageError(f"option --output: field '{name}' unknown")
        if name in names[:index]:
            raise UsageError(f"option --output: field '{name}' used more than once")
    return names


@option_set
class Options:
    """df [OPTION]... [FILE]...

    Print the size of the file system that each FILE is in, and how much of it is used.
    """

    all_: bool = opt("-a", "--all", help="include file systems without blocks", ignored="")
    size: tuple[int, str] | None = block_size_option("-H", "--si")
    inodes: bool = opt("-i", "--inodes", help="numbers of files instead of sizes")
    local: bool = opt("-l", "--local", help="only local file systems", ignored="")
    portable: bool = opt("-P", "--portability", help="the format of POSIX")
    kind: bool = opt("-T", "--print-type", help="the type of the file system")
    types: tuple[str, ...] = opt("-t", "--type", "TYPE", "only file systems of TYPE", append=True)
    not_types: tuple[str, ...] = opt("-x", "--exclude-type", "TYPE", "no file systems of TYPE", append=True)
    total: bool = opt("--total", help="a grand total")
    ignored: bool = opt("-v", ignored="")
    output: tuple[str, ...] | None = opt(
        "--output", "FIELDS", "these columns, or all of them", convert=_fields, optional=True, const=_FIELDS
    )
    sync: bool = also(
        opt("--sync", ignored="", const=True, default=False),
        opt("--no-sync", ignored="", const=False),
    )


class Usage(Record):
    """The total and the used space of a file system, in bytes and in files."""

    size: int
    used: int
    files: int
    used_files: int


def run(options: Options, operands: Sequence[str], ctx: Context) -> int:
    """Return 0, or 1 when a FILE does not exist or no file system is selected."""
    if options.output is not None:
        for enabled, flag in ((options.inodes, "-i"), (options.portable, "-P"), (options.kind, "-T")):
            if enabled:
                raise UsageError(f"options {flag} and --output are mutually exclusive")
    conflicts = [kind for kind in dict.fromkeys(options.types) if kind in options.not_types]
    if conflicts:
        for kind in conflicts:
            ctx.fail(f"file system type {quote_always(kind)} both selected and excluded")
        return ctx.failed
    usage = measure_usage(ctx)
    scale = chosen_block_size(options.size, "DF", ctx.environment)
    rows: list[list[str]] = []
    columns = _columns(options)
    is_selected = _TYPE not in options.not_types and (not options.types or _TYPE in options.types)
    for name in operands or [""]:
        if name:
            try:
                stat_of(ctx, name)
            except OSError as error:
                ctx.fail(f"{quote_odd(name)}: {reason(error)}")
                continue
        if is_selected:
            rows.append(_row(columns, usage, scale, name or "-"))
    if not rows:
        if not ctx.failed:
            raise Failure("no file systems processed")
        return ctx.failed
    if options.total:
        total = _row(columns, usage, scale, "-")
        for index, column in enumerate(columns):
            total[index] = {"source": "total", "target": "-", "fstype": "-"}.get(column, total[index])
        rows.append(total)
    _print([_titles(columns, options, scale), *rows], columns, ctx)
    return ctx.failed


def measure_usage(ctx: Context) -> Usage:
    """Return the usage of the virtual file system, or of the host's file system with the working directory."""
    world = ctx.process.kernel.outside
    if world is not None:
        return Usage(*world.capacity(ctx.process.cwd))
    used = files = 0
    seen: set[tuple[int, int]] = set()
    pending = [VirtualPath("/")]
    while pending:
        directory = pending.pop()
        try:
            entries = ctx.fs.listdir(directory)
        except OSError:
            continue
        ctx.charge(1 + len(entries))
        for entry in entries:
            path = VirtualPath(f"{directory.rstrip('/')}/{entry.name}")
            if directory == "/" and entry.name in ("proc", "dev"):
                continue
            try:
                info = ctx.fs.stat(path, follow=False)
            except OSError:
                continue
            if (info.device, info.inode) not in seen:
                seen.add((info.device, info.inode))
                files += 1
                used += 0 if bits.S_ISDIR(info.mode) else blocks_of(info) * 1024
            if bits.S_ISDIR(info.mode):
                pending.append(path)
    size = ctx.budget.memory_bytes // 4096 * 4096
    return Usage(max(size, used), used, max(10_000, files), files)


def _columns(options: Options) -> tuple[str, ...]:
    if options.output is not None:
        return options.output
    kind = ("fstype",) if options.kind else ()
    if options.inodes:
        return ("source", *kind, "itotal", "iused", "iavail", "ipcent", "target")
    return ("source", *kind, "size", "used", "avail", "pcent", "target")


def _titles(columns: tuple[str, ...], options: Options, scale: tuple[int, str]) -> list[str]:
    unit, suffix = scale
    titles = dict(_TITLES)
    if not unit:
        titles["size"] = "Size"
    elif options.portable and not suffix:
        titles["size"] = f"{unit}-blocks"
    elif unit != 1024:
        titles["size"] = f"1{suffix}-blocks" if suffix else f"{_size_name(unit)}-blocks"
    if options.portable:
        titles["pcent"], titles["avail"] = "Capacity", "Available"
    elif unit and options.output is None:
        titles["avail"] = "Available"
    return [titles[column] for column in columns]


def _size_name(unit: int) -> str:
    for power, letter in ((1 << 40, "T"), (1 << 30, "G"), (1 << 20, "M"), (1 << 10, "K")):
        if unit % power == 0:
            return f"{unit // power}{letter}"
    for power, letter in ((10**12, "T"), (10**9, "G"), (10**6, "M"), (10**3, "k")):
        if unit % power == 0:
            return f"{unit // power}{letter}B"
    return f"{unit}B"


def _row(columns: tuple[str, ...], usage: Usage, scale: tuple[int, str], name: str) -> list[str]:
    unit, suffix = scale

    def amount(size: int) -> str:
        return f"{-(-size // unit)}{suffix}" if unit else human_size(size, suffix)

    def percent(part: int, whole: int) -> str:
        return f"{-(-part * 100 // whole)}%" if whole else "-"

    texts = {
        "source": _SOURCE,
        "fstype": _TYPE,
        "itotal": str(usage.files),
        "iused": str(usage.used_files),
        "iavail": str(usage.files - usage.used_files),
        "ipcent": percent(usage.used_files, usage.files),
        "size": amount(usage.size),
        "used": amount(usage.used),
        "avail": amount(usage.size - usage.used),
        "pcent": percent(usage.used, usage.size),
        "file": name,
        "target": _TARGET,
    }
    return [texts[column] for column in columns]


def _print(rows: list[list[str]], columns: tuple[str, ...], ctx: Context) -> None:
    """Print rows with aligned columns, at least as wide as GNU's: 14 characters for names, 5 for sizes."""
    widths = [max(map(len, column)) for column in zip(*rows)]
    for index, column in enumerate(columns):
        minimum = {"source": 14, "size": 5, "used": 5, "avail": 5}.get(column, 0)
        widths[index] = max(widths[index], minimum)
    for row in rows:
        cells = [
            cell.ljust(width) if column in _LEFT else cell.rjust(width)
            for cell, width, column in zip(row, widths, columns)
        ]
        ctx.write_line(" ".join(cells).rstrip())
