"""chmod: change permission bits.

Source: POSIX.1-2024 XCU 3, chmod. Oracle: GNU coreutils 9.1.
"""

from __future__ import annotations

import stat as bits
from collections.abc import Sequence

from sandhook.command.context import Context, Failure
from sandhook.command.modes import Mode, mode_string
from sandhook.command.operands import beneath, is_link, is_root, locate, reason, stat_of
from sandhook.command.options import Syntax, UsageError, also, opt, option_set
from sandhook.text.quoting import quote_always

RAW = True  # a mode may begin with a dash: -x

_LETTERS = frozenset("rwxXstugoa+-=,01234567")


@option_set
class Options:
    """chmod [OPTION]... MODE[,MODE]... FILE...
      or:  chmod [OPTION]... OCTAL-MODE FILE...
      or:  chmod [OPTION]... --reference=RFILE FILE...

    Set the permission bits of each FILE to MODE: 755, u+x, go=, a+rX ...
    """

    recursive: bool = opt("-R", "--recursive", "change directories and everything below them")
    report: str = also(
        opt("-v", "--verbose", help="report each file", const="all", default=""),
        opt("-c", "--changes", help="report each change", const="changes"),
    )
    quiet: bool = opt("-f", "--silent", "--quiet", "report few errors")
    reference: str | None = opt("--reference", "RFILE", "use this file's bits")
    preserve_root: bool = also(
        opt("--preserve-root", help="do not change / recursively", const=True, default=False),
        opt("--no-preserve-root", help="treat / like any directory (default)", const=False),
    )


def run(_: None, arguments: Sequence[str], ctx: Context) -> int:
    """Return 0, or 1 when a file's bits could not be changed."""
    options, operands, mode_text = _parse(arguments, in_order="POSIXLY_CORRECT" in ctx.environment)
    mode_is_option = mode_text is not None
    names = list(operands)
    if mode_text is None and options.reference is None:
        if not names:
            raise UsageError("missing operand")
        mode_text = names.pop(0)
    if not names:
        raise UsageError(
            f"missing operand after {quote_always(mode_text)}"
            if mode_text and not mode_is_option
            else "missing operand"
        )
    if options.reference is not None:
        try:
            mode_text = f"{stat_of(ctx, options.reference).mode & 0o7777:05o}"
        except OSError as error:
            raise Failure(
                f"failed to get attributes of {quote_always(options.reference)}: {reason(error)}"
            ) from None
    try:
        mode = Mode(mode_text or "")
    except ValueError:
        raise UsageError(f"invalid mode: {quote_always(mode_text or '')}") from None
    for name in names:
        stripped = name.rstrip("/")  # keep one of several slashes at the end
        _change_tree(name[: len(stripped) + 1] if stripped else name, mode, options, mode_is_option, ctx)
    return ctx.failed


def _parse(arguments: Sequence[str], *, in_order: bool) -> tuple[Options, list[str], str | None]:
    """Distinguish modes that begin with "-" (chmod -x f) from options."""
    others: list[str] = []
    mode: str | None = None
    for index, argument in enumerate(arguments):
        if argument == "--" or (in_order and argument[:1] != "-"):
            others += arguments[index:]
            break
        if argument[:1] == "-" and argument[1:2] and argument[1] in "rwxXstugoa,+=01234567":
            if not set(argument) <= _LETTERS:
                raise UsageError(f"invalid mode: {quote_always(argument)}")
            mode = argument if mode is None else f"{mode},{argument}"
        else:
            others.append(argument)
    options, operands = Syntax(Options).parse(others, in_order=in_order)
    return options, operands, mode


def _change_tree(top: str, mode: Mode, options: Options, mode_is_option: bool, ctx: Context) -> None:
    """Change a file, and with -R everything below it except links."""
    if options.recursive and options.preserve_root and is_root(ctx, top):
        ctx.error(f"it is dangerous to operate recursively on {quote_always(top)}")
        ctx.fail("use --no-preserve-root to override this failsafe")
        return
    pending = [top]
    while pending:
        name = pending.pop()
        ctx.charge()
        try:
            info = stat_of(ctx, name, follow=False)
            if bits.S_ISLNK(info.mode):
                if name != top:
                    continue
                info = stat_of(ctx, name)
        except OSError as error:
            if not options.quiet:
                dangling = name == top and is_link(ctx, name)
                what = "cannot operate on dangling symlink" if dangling else "cannot access"
                ctx.error(f"{what} {quote_always(name)}" + ("" if dangling else f": {reason(error)}"))
            if options.report == "all":
                ctx.write_line(f"{quote_always(name)} could not be accessed")
            ctx.failed = 1
            continue
        new = _change(name, info.mode, mode, options, ctx)
        expected = mode.apply(info.mode, 0, directory=bits.S_ISDIR(info.mode))
        if mode_is_option and new is not None and new & ~expected:
            ctx.fail(f"{name}: new permissions are {mode_string(new)[1:]}, not {mode_string(expected)[1:]}")
        if options.recursive and bits.S_ISDIR(info.mode):
            try:
                entries = ctx.fs.listdir(ctx.path(name))
            except OSError as error:
                if not options.quiet:
                    ctx.error(f"cannot read directory {quote_always(name)}: {reason(error)}")
                ctx.failed = 1
                continue
            pending += [beneath(name, entry.name) for entry in reversed(entries)]


def _change(name: str, old: int, mode: Mode, options: Options, ctx: Context) -> int | None:
    """Change one file; return its new bits, or None after an error."""
    new = mode.apply(old, ctx.process.umask, directory=bits.S_ISDIR(old))
    try:
        ctx.fs.chmod(locate(ctx, name), new)
    except OSError as error:
        if not options.quiet:
            ctx.error(f"changing permissions of {quote_always(name)}: {reason(error)}")
        ctx.failed = 1
        return None
    before, after = (f"{each & 0o7777:04o} ({mode_string(each)[1:]})" for each in (old, new))
    if old & 0o7777 != new:
        if options.report:
            ctx.write_line(f"mode of {quote_always(name)} changed from {before} to {after}")
    elif options.report == "all":
        ctx.write_line(f"mode of {quote_always(name)} retained as {after}")
    return new
