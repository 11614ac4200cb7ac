"""run-parts: run the scripts in a directory.

Oracle: debianutils 5.7.
"""

from __future__ import annotations

import stat as bits
from collections.abc import Callable, Sequence

from sandhook.command.context import Context, Failure
from sandhook.command.operands import beneath, find, reason
from sandhook.command.options import Inform, UsageError, also, opt, option_set
from sandhook.kernel.descriptor import Input
from sandhook.lazy import lazily
from sandhook.pattern.errors import PatternError
from sandhook.pattern.posix import Regex, compile_ere
from sandhook.utilities.processes.chronic import capture

HELP_ON_ERROR = True

_NAME = lazily(r"(?a)[a-zA-Z0-9_-]+")
_LSB_NAMES = (
    lazily(r"(?a)(?=.+-[a-z0-9]+\Z)[a-z0-9_.-]+"),
    lazily(r"(?a)[a-z0-9][a-z0-9-]*"),
    lazily(r"(?a)[a-z0-9]+"),
)
_LSB_EXCLUDED = lazily(r"\.dpkg-(old|dist|new|tmp)$")


def _umask(text: str) -> int:
    if not text or text.strip("01234567") or len(text) > 6:
        raise Failure("bad umask value")
    return int(text, 8) & 0o777


@option_set
class Options:
    """run-parts [OPTION]... DIRECTORY

    Run the executable files in DIRECTORY, in the order of their names, which consist of letters, digits, - and _.
    """

    test: bool = opt("--test", help="print the names that would run")
    list_: bool = opt("--list", help="print the names of all files with a valid name")
    verbose: bool = opt("-v", "--verbose", help="print each name before it runs")
    report: bool = opt("--report", help="print the names of scripts that print something")
    reverse: bool = opt("--reverse", help="in the opposite order")
    exit_on_error: bool = opt("--exit-on-error", help="stop when a script fails")
    stdin: bool = opt("--stdin", help="pass all of standard input to each script")
    lsb: bool = opt("--lsbsysinit", help="names according to the Linux Standard Base")
    session: bool = opt("--new-session", ignored="there are no terminals")
    regex: str | None = opt("--regex", "PATTERN", "names that match this extended regular expression")
    umask: int = opt("-u", "--umask", "MASK", "the scripts' umask (022)", convert=_umask, default=0o022)
    arguments: tuple[str, ...] = opt("-a", "--arg", "ARGUMENT", "an argument for each script", append=True)
    inform: str = also(
        opt("-V", help="show the version", const="version", default=""),
        opt("-h", help="show this help", const="help"),
    )


def run(options: Options, operands: Sequence[str], ctx: Context) -> int:
    """Return 0, or 1 when a script failed or DIRECTORY cannot be read."""
    if options.inform:
        raise Inform(options.inform)
    if len(operands) != 1:
        raise UsageError("missing operand" if not operands else f"extra operand '{operands[1]}'")
    if options.list_ and options.test:
        raise UsageError("-list and --test can not be used together")
    names = _names(operands[0], options, ctx)
    data = b""
    if options.stdin:
        with ctx.stdin_reader() as reader:
            data = reader.read_all()
    status = 0
    previous = ctx.process.umask
    ctx.process.umask = options.umask
    try:
        for name in names:
            status |= _run(beneath(operands[0], name), data, options, ctx)
            if status and options.exit_on_error:
                break
    finally:
        ctx.process.umask = previous
    return status


def _names(directory: str, options: Options, ctx: Context) -> list[str]:
    accept = _name_filter(options)
    try:
        entries = ctx.fs.listdir(ctx.path(directory)) if directory else []
    except OSError as error:
        raise Failure(f"failed to open directory {directory}: {reason(error)}") from None
    ctx.charge(len(entries))
    names = sorted(
        [entry.name for entry in entries if accept(entry.name)],
        key=lambda name: name.encode("utf-8", "surrogateescape"),
    )
    return names[::-1] if options.reverse else names


def _name_filter(options: Options) -> Callable[[str], bool]:
    if options.regex is not None:
        try:
            regex: Regex = compile_ere(options.regex)
        except PatternError as error:
            raise Failure(f"failed to compile regular expression: {error}") from None
        return lambda name: regex.test(name.encode("utf-8", "surrogateescape"))
    if options.lsb:
        return lambda name: (
            _LSB_EXCLUDED.search(name) is None and any(each.fullmatch(name) for each in _LSB_NAMES)
        )
    return lambda name: _NAME.fullmatch(name) is not None


def _run(path: str, data: bytes, options: Options, ctx: Context) -> int:
    ctx.charge()
    info = find(ctx, path)
    if info is None:
        ctx.error(f"failed to stat component {path}: No such file or directory")
        return 0
    if bits.S_ISDIR(info.mode):
        return 0
    if options.list_:
        ctx.write_line(path)
        return 0
    if not ctx.fs.access(ctx.path(path), 1):
        return 0
    if options.test:
        ctx.write_line(path)
        return 0
    command = " ".join((path, *options.arguments))
    argv = [path if "/" in path else f"./{path}", *options.arguments]
    if options.verbose:
        ctx.error(f"executing {command}")
    ctx.flush()
    if ctx.fs.read_bytes(ctx.path(path))[:2] not in (
        b"#!",
        b"\x7fE",
    ):  # execve rejects a script without a #! line
        ctx.error(f"failed to exec {path}: Exec format error")
        ctx.error(f"{path} exited with return code 1")
        return 1
    if options.report:
        status, out, err = capture(ctx, lambda: _execute(argv, None, ctx))
        if out or err:
            ctx.write_line(f"{path}:")
            ctx.write(out)
            ctx.flush()
            ctx.process.write_error(err)
    else:
        status = _execute(argv, Input(data) if options.stdin else None, ctx)
    if status:
        ctx.error(f"{path} exited with return code {status}")
    return 1 if status else 0


def _execute(argv: list[str], stdin: Input | None, ctx: Context) -> int:
    result = ctx.run(argv, stdin=stdin)
    if result.not_started is None:
        return result.status
    ctx.report_not_started(argv[0], result.not_started, "failed to exec {}")
    return 1
