"""rename: replace text in the names of files.

Oracle: util-linux 2.38 (rename.ul on Debian, where rename is a Perl program). Divergence: L-RENAME-001.
"""

from __future__ import annotations

import stat as bits
from collections.abc import Sequence
from string import ascii_lowercase

from sandhook.command.context import Context, Failure
from sandhook.command.operands import find, reason, stat_of
from sandhook.command.options import VERSION, UsageError, opt, option_set
from sandhook.lazy import lazily

PERMUTE = False
_SOME, _NONE = 2, 4
_PERL = lazily(r"(?:s|tr|y)([/|,#])")


@option_set
class Options:
    """rename [OPTION]... TEXT REPLACEMENT FILE...

    Replace the first TEXT in the last component of each FILE's name, or anywhere in it if TEXT or REPLACEMENT has a slash,
    or with -s.
    """

    verbose: bool = opt("-v", "--verbose", help="print each renamed file")
    symlink: bool = opt("-s", "--symlink", help="change the targets of symbolic links instead")
    no_act: bool = opt("-n", "--no-act", help="change nothing")
    all_: bool = opt("-a", "--all", help="replace every TEXT")
    last: bool = opt("-l", "--last", help="replace the last TEXT")
    no_overwrite: bool = opt("-o", "--no-overwrite", help="replace no existing file")
    interactive: bool = opt("-i", "--interactive", help="ask before replacing an existing file")
    version: bool = opt("-V", help="show the version", const=VERSION)


def run(options: Options, operands: Sequence[str], ctx: Context) -> int:
    """Return 0 when all files were renamed, 1 after an error, 2 when some were renamed, 4 when none was."""
    if operands and _is_perl(operands[0]):
        raise UsageError(
            f"expressions of Perl's rename are not offered: '{operands[0]}' (L-RENAME-001)", hint=False
        )
    if len(operands) < 3:
        raise UsageError("not enough arguments")
    if options.all_ and options.last:
        raise UsageError("options --all and --last cannot be combined", hint=False)
    if options.interactive and options.no_overwrite:
        raise UsageError("options --interactive and --no-overwrite cannot be combined", hint=False)
    old, new, *names = operands
    renamed = failed = 0
    for name in names:
        ctx.charge()
        try:
            was_renamed = (_link if options.symlink else _file)(name, old, new, options, ctx)
        except Failure as failure:
            ctx.error(f"{name}: {failure}")
            failed += 1
        else:
            renamed += was_renamed
    if failed:
        return 1 if failed == len(names) or not renamed else _SOME
    return _NONE if not renamed else 0


def _is_perl(text: str) -> bool:
    """Return whether a text is an expression of Perl's rename: s/a/b/, tr/a/b/ or y/a/b/, with flags."""
    start = _PERL.match(text)
    if start is None:
        return False
    rest = text[start.end() :].rstrip(ascii_lowercase)
    return rest.endswith(start[1]) and start[1] in rest[:-1]


def _new_name(name: str, old: str, new: str, options: Options, ctx: Context) -> str:
    """Return the new name; the old one when there is nothing to replace."""
    with_directory = options.symlink or "/" in old or "/" in new
    start = 0 if with_directory else name.rstrip("/").rfind("/") + 1
    head, tail = name[:start], name[start:]
    if options.all_ and old:
        ctx.budget.check_fits(tail.count(old) * len(new))
        return head + tail.replace(old, new)
    at = tail.rfind(old) if options.last else tail.find(old)
    return name if at < 0 else head + tail[:at] + new + tail[at + len(old) :]


def _file(name: str, old: str, new: str, options: Options, ctx: Context) -> bool:
    try:
        stat_of(ctx, name, follow=False)
    except OSError as error:
        raise Failure(f"not accessible: {reason(error)}") from None
    target = _new_name(name, old, new, options, ctx)
    if target == name:
        return False
    exists = find(ctx, target, follow=False) is not None if target else False
    if exists and options.no_overwrite:
        if options.verbose:
            ctx.write_line(f"Skipping existing file: `{target}'")
        return False
    if exists and options.interactive and not _confirm(target, ctx):
        return False
    if not options.no_act:
        try:
            ctx.fs.rename(ctx.path(name), ctx.path(target))
        except OSError as error:
            raise Failure(f"rename to {target} failed: {reason(error)}") from None
    if options.verbose:
        ctx.write_line(f"`{name}' -> `{target}'")
    return True


def _confirm(target: str, ctx: Context) -> bool:
    """Ask on standard output whether to replace a file; return the answer."""
    ctx.write(f"{ctx.name}: overwrite `{target}'? ".encode("utf-8", "surrogateescape"))
    ctx.flush()
    stdin = ctx.process.descriptors.get(0)
    return stdin is not None and stdin.read_until(b"\n", 4096)[:1] in (b"y", b"Y")


def _link(name: str, old: str, new: str, options: Options, ctx: Context) -> bool:
    fs, path = ctx.fs, ctx.path(name)
    try:
        info = stat_of(ctx, name, follow=False)
    except OSError as error:
        raise Failure(f"not accessible: {reason(error)}") from None
    if not bits.S_ISLNK(info.mode):
        raise Failure("not a symbolic link")
    destination = fs.readlink(path)
    target = _new_name(destination, old, new, options, ctx)
    if target == destination:
        return False
    if options.no_overwrite and find(ctx, target) is not None:
        if options.verbose:
            ctx.write_line(f"Skipping existing link: `{name}' -> `{destination}'")
        return False
    if not options.no_act:
        try:
            fs.unlink(path)
            fs.symlink(target, path)
        except OSError as error:
            raise Failure(f"symlinking to {target} failed: {reason(error)}") from None
    if options.verbose:
        ctx.write_line(f"{name}: `{destination}' -> `{target}'")
    return True
