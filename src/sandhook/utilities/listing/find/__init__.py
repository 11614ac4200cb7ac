"""find: walk trees and act on the files that pass tests.

Source: POSIX.1-2024 XCU 3, find. Oracle: GNU findutils 4.9.
Divergence: L-FIND-001, entries of a directory are in the order of their names. L-FIND-002, -context and -D
are not offered. L-FIND-003, parentheses and -not nest up to 50 levels.
"""

from __future__ import annotations

import stat as bits
from collections.abc import Iterator, Sequence

from sandhook.command.context import Context, Failure
from sandhook.command.operands import beneath, reason
from sandhook.command.options import Inform, also, opt, option_set, options_by_flag
from sandhook.text.quoting import quote_escaped
from sandhook.utilities.listing.find.parse import Parser
from sandhook.utilities.listing.find.state import Settings, Unknown, Visit, Walk
from sandhook.vfs.base import Entry, Stat

READ_ERROR = "‘(standard input)’: read error: {}"

WRITE_ERROR = {
    "": "'standard output': {}\n{name}: write error",
    "EBADF": "'standard output': {}\n{name}: write error: {}",
}

RAW = True  # words with a dash are the expression, after the first operand also options

#: The parts of an expression: N is a number, +N or -N. The tests hold that this is all that ``parse`` accepts.
OPERAND_WORDS = {
    "Operators, the strongest first": (
        "( E )", "! E", "-not E", "E E", "E -a E", "E -and E", "E -o E", "E -or E", "E , E",
    ),
    "Options": (
        "-d", "-daystart", "-depth", "-files0-from FILE", "-follow", "-maxdepth N", "-mindepth N", "-mount",
        "-regextype TYPE", "-xdev",
    ),
    "Options without effect": (
        "-ignore_readdir_race", "-noignore_readdir_race", "-noleaf", "-nowarn", "-warn",
    ),
    "Tests": (
        "-amin N", "-anewer FILE", "-atime N", "-cmin N", "-cnewer FILE", "-ctime N", "-empty", "-executable", "-false",
        "-fstype TYPE", "-gid N", "-group NAME", "-ilname GLOB", "-iname GLOB", "-inum N", "-ipath GLOB", "-iregex RE",
        "-iwholename GLOB", "-links N", "-lname GLOB", "-mmin N", "-mtime N", "-name GLOB", "-newer FILE",
        "-newerXY REFERENCE", "-nogroup", "-nouser", "-path GLOB", "-perm [-/]MODE", "-readable", "-regex RE",
        "-samefile FILE", "-size N[bcwkMG]", "-true", "-type [bcdpfls]", "-uid N", "-used N", "-user NAME",
        "-wholename GLOB", "-writable", "-xtype [bcdpfls]",
    ),
    "Actions": (
        "-delete", "-exec COMMAND ;", "-exec COMMAND {} +", "-execdir COMMAND ;", "-execdir COMMAND {} +", "-fls FILE",
        "-fprint FILE", "-fprint0 FILE", "-fprintf FILE FORMAT", "-ls", "-ok COMMAND ;", "-okdir COMMAND ;", "-print",
        "-print0", "-printf FORMAT", "-prune", "-quit",
    ),
}  # fmt: skip


@option_set
class Options:
    """find [-H] [-L] [-P] [-Olevel] [-D debugopts] [path...] [expression]

    Walk each FILE (.), and evaluate EXPRESSION (-print) for everything in it.
    """

    follow: str = also(
        opt("-H", help="follow links that are operands", const="operands", default="none"),
        opt("-L", help="follow all links", const="all"),
        opt("-P", help="follow no links", const="none"),
    )
    optimize: str = opt("-O", "LEVEL", ignored="the order of tests is kept", optional=True, const="")
    inform: str = also(
        opt("-help", "--help", help="show this help", const="help"),
        opt("-version", "--version", help="show the version", const="version"),
    )


_OPTIONS = options_by_flag(Options)
_FOLLOW = {flag: option.const for flag, option in _OPTIONS.items() if option.field == "follow"}


def run(_: None, arguments: Sequence[str], ctx: Context) -> int:
    """Return 0, or 1 when a file could not be examined or an -exec ... + failed."""
    settings = Settings(ctx)
    pending = list(arguments)
    for word in pending:
        if word in _OPTIONS and _OPTIONS[word].field == "inform":
            raise Inform(_OPTIONS[word].const)
    while pending and (pending[0] in (*_FOLLOW, "--") or pending[0][:2] == "-O"):
        word = pending.pop(0)
        if word == "--":
            break
        if word == "-O":
            raise Failure("The -O option must be immediately followed by a decimal integer")
        if word[:2] == "-O" and not word[2].isdigit():
            raise Failure("Please specify a decimal number immediately after -O")
        settings.follow = _FOLLOW.get(word, settings.follow)
    split = next((at for at, word in enumerate(pending) if _begins_expression(word)), len(pending))
    try:
        walk = Walk(settings, Parser(pending[split:], settings).parse())
        for name in _starting_points(pending[:split], settings):
            if not walk.stopped:
                _walk(name, walk, ctx)
        for finish in settings.at_end:
            finish()
    finally:
        settings.files.close()
    return ctx.failed


def _starting_points(operands: list[str], settings: Settings) -> Iterator[str]:
    """Yield the starting points: the operands, or the names that -files0-from reads. Raises Failure."""
    source = settings.names
    if source is None:
        yield from operands or ["."]
        return
    if operands:
        settings.ctx.error(f"extra operand {quote_escaped(operands[0])}")
        raise Failure("file operands cannot be combined with -files0-from")
    ctx = settings.ctx
    try:
        reader = ctx.open(source)
    except OSError as error:
        raise Failure(f"cannot open {quote_escaped(source)} for reading: {reason(error)}") from None
    title = "(standard input)" if source == "-" else source
    with reader:
        for number, record in enumerate(reader.lines(b"\0"), 1):
            name = record.rstrip(b"\0").decode("utf-8", "surrogateescape")
            if name:
                yield name
            else:
                ctx.fail(f"{quote_escaped(title)}:{number}: invalid zero-length file name")


def _begins_expression(word: str) -> bool:
    return (word[:1] == "-" and len(word) > 1) or word in ("(", "!")


def _walk(top: str, walk: Walk, ctx: Context) -> None:
    """Visit a tree, with a stack of open directories instead of recursion."""
    settings = walk.settings
    if not top:
        ctx.fail(f"{quote_escaped(top)}: No such file or directory")
        return
    try:
        info = _stat(ctx, top, settings.follow != "none")
        if top[-1:] == "/" and not bits.S_ISDIR(info.mode):
            raise NotADirectoryError(20, "Not a directory")
    except OSError as error:
        ctx.fail(f"{quote_escaped(top)}: {reason(error)}")
        return
    visit = Visit(top, top, 0, info.mode, settings)
    visit.info = info
    device = info.device
    stack: list[tuple[Visit, list[Entry], set[tuple[int, int]]]] = []
    _visit(visit, walk, stack, frozenset())
    while stack and not walk.stopped:
        directory, entries, ancestors = stack[-1]
        if not entries:
            stack.pop()
            if settings.depth_first and directory.depth >= settings.mindepth:
                walk.evaluate(directory)
            continue
        entry = entries.pop()
        ctx.charge()
        child = Visit(beneath(directory.path, entry.name), top, directory.depth + 1, entry.mode, settings)
        if settings.follow == "all" and bits.S_ISLNK(entry.mode):
            try:
                child.info = _stat(ctx, child.path, True)
                child.mode = child.info.mode
            except OSError as error:
                ctx.fail(f"{quote_escaped(child.path)}: {reason(error)}")
                continue
        if settings.one_device and _is_elsewhere(child, device, ctx):
            continue
        if settings.follow == "all" and bits.S_ISDIR(child.mode) and _is_loop(child, stack, ctx):
            continue
        _visit(child, walk, stack, ancestors)


def _is_elsewhere(child: Visit, device: int, ctx: Context) -> bool:
    """Return whether a file is on another file system; report a file whose status is unknown, and return True."""
    try:
        return child.stat().device != device
    except Unknown as unknown:
        ctx.fail(str(unknown))
        return True


def _is_loop(
    child: Visit, stack: list[tuple[Visit, list[Entry], set[tuple[int, int]]]], ctx: Context
) -> bool:
    """Return whether a directory is one of its own ancestors, and report that."""
    info = child.stat()
    if (info.device, info.inode) not in stack[-1][2]:
        return False
    for ancestor, _, _ in stack:
        ancestor_info = ancestor.stat()
        if (ancestor_info.device, ancestor_info.inode) == (info.device, info.inode):
            ctx.fail(
                f"File system loop detected; {quote_escaped(child.path)} is part of the same file system loop"
                f" as {quote_escaped(ancestor.path)}."
            )
            break
    return True


def _stat(ctx: Context, name: str, follow: bool) -> Stat:
    """Return the status of a file; of a dangling link, that of the link itself."""
    try:
        return ctx.fs.stat(ctx.path(name), follow=follow)
    except FileNotFoundError:
        if not follow:
            raise
        return ctx.fs.stat(ctx.path(name), follow=False)


def _visit(
    visit: Visit,
    walk: Walk,
    stack: list[tuple[Visit, list[Entry], set[tuple[int, int]]]],
    ancestors: set[tuple[int, int]] | frozenset[tuple[int, int]],
) -> None:
    """Evaluate the expression, and open a directory unless it is pruned."""
    settings = walk.settings
    ctx = settings.ctx
    is_directory = bits.S_ISDIR(visit.mode)
    if not (settings.depth_first and is_directory):
        if visit.depth >= settings.mindepth:
            walk.pruned = False
            walk.evaluate(visit)
            if walk.stopped or (walk.pruned and is_directory):
                return
        if not is_directory:
            return
    if visit.depth >= settings.maxdepth:
        if settings.depth_first and visit.depth >= settings.mindepth:
            walk.evaluate(visit)
        return
    with_itself = set(ancestors)
    if settings.follow == "all":
        info = visit.stat()
        with_itself.add((info.device, info.inode))
    try:
        entries = ctx.fs.listdir(ctx.path(visit.path))
    except OSError as error:
        ctx.fail(f"{quote_escaped(visit.path)}: {reason(error)}")
        entries = []
    entries.reverse()
    stack.append((visit, entries, with_itself))
