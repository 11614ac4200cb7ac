"""cpio: copy files in a list into an archive, out of one, or to a directory.

Oracle: GNU cpio 2.13. Divergence: L-CPIO-001, nothing is created outside the directory, as for tar.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sandhook.command.context import Context, Failure, Reader
from sandhook.command.operands import reason
from sandhook.command.options import UsageError
from sandhook.command.pieces import split
from sandhook.pattern.glob import compile_pattern
from sandhook.utilities.extras.cpio import format as format_
from sandhook.utilities.extras.cpio.extract import Extractor
from sandhook.utilities.extras.cpio.names import Lister, Writer
from sandhook.utilities.extras.cpio.options import HINT, Options

USAGE_STATUS = 2
ARGP = True
ANY_ORDER = True
READ_ERROR = "standard input is closed: {}"


def run(options: Options, operands: Sequence[str], ctx: Context) -> int:
    """Return 0, or 2 after an error."""
    modes = set(options.modes)
    if options.list_ and "o" not in modes and "p" not in modes:
        modes.add("i")
    if len(modes) != 1:
        message = "Mode already defined" if modes else "You must specify one of -oipt options."
        raise _usage(message)
    mode = modes.pop()
    if mode == "o" and operands:
        raise _usage("Too many arguments")
    if mode == "p" and len(operands) != 1:
        raise _usage("Too many arguments" if operands else "Not enough arguments")
    home = ctx.process.cwd
    try:
        if mode == "o":
            return _create(options, ctx)
        if mode == "p":
            return _pass(options, operands[0], ctx)
        return _extract(options, operands, ctx)
    except format_.FormatError as error:
        raise Failure(str(error)) from None
    finally:
        ctx.process.cwd = home


def _usage(text: str) -> UsageError:
    return UsageError(f"{text}\n{HINT}", hint=False)


def _change_directory(options: Options, ctx: Context) -> None:
    if options.directory is None:
        return
    path = ctx.path(options.directory)
    try:
        if not ctx.fs.is_dir(path):
            ctx.fs.listdir(path)  # raises the reason
    except OSError as error:
        raise Failure(f"cannot change to directory `{options.directory}': {reason(error)}") from None
    ctx.process.cwd = ctx.fs.realpath(path)


def _names(options: Options, ctx: Context) -> Iterator[str]:
    end = b"\0" if options.zero else b"\n"
    with ctx.stdin_reader() as reader:
        for line in reader.lines(end):
            name = line.removesuffix(end).decode("utf-8", "surrogateescape")
            if not name:
                ctx.error("blank line ignored")
                continue
            while name.startswith("./") and len(name) > 2:
                name = name[2:].lstrip("/") or "."
            yield name


def _print_block_count(count: int, options: Options, ctx: Context) -> None:
    if options.dots and not options.verbose:
        ctx.process.write_error(b"\n")
    if not options.quiet:  # like cpio, before the buffered standard output
        number = -(-count // format_.BLOCK)
        ctx.process.write_error(b"%d block%s\n" % (number, b"" if number == 1 else b"s"))


def _create(options: Options, ctx: Context) -> int:
    try:
        target = ctx.create(options.archive) if options.archive is not None else ctx.process.descriptor(1)
    except OSError as error:
        failed = "write error" if options.archive is None else f"Cannot open {options.archive}"
        raise Failure(f"{failed}: {reason(error)}") from None
    _change_directory(options, ctx)

    def write(data: bytes) -> None:
        try:
            target.write(data)
        except OSError as error:
            raise Failure(f"write error: {reason(error)}") from None

    writer = Writer(options, ctx, write)
    try:
        for name in _names(options, ctx):
            writer.add(name)
        size = writer.finish()
    finally:
        if options.archive is not None:
            target.release()
    _print_block_count(size, options, ctx)
    return ctx.failed


def _open(options: Options, ctx: Context) -> Reader:
    try:
        return ctx.stdin_reader() if options.archive is None else ctx.open(options.archive)
    except OSError as error:
        failed = "read error" if options.archive is None else f"Cannot open {options.archive}"
        raise Failure(f"{failed}: {reason(error)}") from None


def _extract(options: Options, operands: Sequence[str], ctx: Context) -> int:
    texts = list(operands)
    for name in options.pattern_files:
        try:
            with ctx.open(name) as reader:
                texts += [
                    line.decode("utf-8", "surrogateescape")
                    for line in split(reader.read_all(), b"\n", ctx.charge)
                    if line
                ]
        except OSError as error:
            raise Failure(f"{name}: {reason(error)}") from None
    patterns = [compile_pattern(text, extglob=False) for text in texts]

    def is_selected(name: str) -> bool:
        ctx.charge(1 + len(patterns))
        return not patterns or any(pattern.matches(name) for pattern in patterns) != options.inverse

    with _open(options, ctx) as reader:
        _change_directory(options, ctx)
        source = format_.Source(reader, ctx)
        extractor = Extractor(options, ctx)
        lister = Lister(options, ctx)
        for member in format_.members(source):
            if not is_selected(member.name):
                extractor.skip(member, source)
            elif options.list_:
                lister.show(member, source)
            else:
                extractor.member(member, source)
        extractor.finish()
        source.end()
    _print_block_count(source.offset, options, ctx)
    return ctx.failed


def _pass(options: Options, directory: str, ctx: Context) -> int:
    extractor = Extractor(options, ctx, directory)
    size = 0
    for name in _names(options, ctx):
        size += extractor.copy(name)
    extractor.finish()
    _print_block_count(size, options, ctx)
    return ctx.failed
