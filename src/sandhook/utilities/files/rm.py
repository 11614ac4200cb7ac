"""rm: remove files and trees.

Source: POSIX.1-2024 XCU 3, rm. Oracle: GNU coreutils 9.1.
Divergence: L-RM-001, -v and prompts follow the order of names, not that of the directory.
"""

from __future__ import annotations

import errno
import stat as bits
from collections.abc import Sequence

from sandhook.command.choices import one_of
from sandhook.command.context import Context
from sandhook.command.operands import beneath, confirm, find, kind_name, locate, reason
from sandhook.command.options import OptionError, Syntax, UsageError, also, opt, option_set
from sandhook.text.quoting import quote_always, quote_odd
from sandhook.vfs.base import Stat
from sandhook.vfs.errors import TEXTS

RAW = True  # to give a hint for a file whose name is a wrong option

_WHEN = {"never": "no", "once": "once", "always": "always"}


def _when(text: str) -> str:
    return _WHEN[one_of("--interactive", "never no none", "once", "always yes")(text)]


def _root(text: str) -> bool:
    if text != "all":
        raise UsageError(f"unrecognized --preserve-root argument: {quote_always(text)}", hint=False)
    return True


@option_set
class Options:
    """rm [OPTION]... [FILE]...

    Remove each FILE. Directories need -r, or -d when they are empty.
    """

    prompt: str = also(
        opt("-i", help="ask before every removal", const="always", default="no"),
        opt("-I", help="ask once before removing over three files, or recursively", const="once"),
        opt(
            "--interactive",
            "WHEN",
            "ask: never, once (-I) or always (-i)",
            convert=_when,
            optional=True,
            const="always",
        ),
        opt("-f", "--force", help="missing files are not an error; do not ask", const="force"),
    )
    recursive: bool = opt("-r", "-R", "--recursive", "remove directories and everything in them")
    directory: bool = opt("-d", "--dir", "remove empty directories")
    verbose: bool = opt("-v", "--verbose", "print each removed file")
    preserve_root: bool = also(
        opt(
            "--preserve-root",
            "all",
            "do not remove / (default); with =all, nothing on other file systems",
            convert=_root,
            optional=True,
            const=True,
            default=True,
        ),
        opt("--no-preserve-root", help="allow the removal of /", const=False),
    )
    one_file_system: bool = opt("--one-file-system", "stay on one file system")


_SYNTAX = Syntax(Options)


def _with_hint(error: OptionError, arguments: Sequence[str], ctx: Context) -> UsageError:
    """Return the error of a wrong option, and how to remove a file of that name."""
    for word in arguments:
        if word[:1] == "-" and word != "-" and find(ctx, word, follow=False) is not None:
            path = quote_odd(f"./{word}")
            return UsageError(f"{error}\nTry '{ctx.name} {path}' to remove the file {quote_always(word)}.")
    return error


def run(_: None, arguments: Sequence[str], ctx: Context) -> int:
    """Return 0, or 1 when a file could not be removed."""
    try:
        options, operands = _SYNTAX.parse(arguments, in_order="POSIXLY_CORRECT" in ctx.environment)
    except OptionError as error:
        raise _with_hint(error, arguments, ctx) from None
    if not options.preserve_root and "--no-preserve-root" not in arguments:
        raise UsageError("you may not abbreviate the --no-preserve-root option", hint=False)
    return _remove(options, operands, ctx)


def _remove(options: Options, operands: Sequence[str], ctx: Context) -> int:
    force = options.prompt == "force"
    if not operands:
        if force:
            return 0
        raise UsageError("missing operand")
    if options.prompt == "once" and (options.recursive or len(operands) > 3):
        manner = " recursively" if options.recursive else ""
        plural = "s" if len(operands) > 1 else ""
        if not confirm(ctx, f"remove {len(operands)} argument{plural}{manner}?"):
            return 0
    for operand in operands:
        ctx.charge()
        stripped = operand.rstrip("/")  # keep one of several slashes at the end
        name = operand[: len(stripped) + 1] if stripped else operand
        try:
            info = ctx.fs.stat(locate(ctx, name), follow=False)
            if name[-1:] == "/" and bits.S_ISLNK(info.mode):
                info = ctx.fs.stat(locate(ctx, name + "."))
        except (FileNotFoundError, NotADirectoryError) as error:
            if not force:
                ctx.fail(f"cannot remove {quote_always(name)}: {reason(error)}")
            continue
        except OSError as error:
            ctx.fail(f"cannot remove {quote_always(name)}: {reason(error)}")
            continue
        _Remover(options, ctx, info.device).remove(name, info)
    return ctx.failed


class _Remover:
    """Removes one operand, with a stack of open directories instead of recursion."""

    def __init__(self, options: Options, ctx: Context, device: int) -> None:
        self.options = options
        self.ctx = ctx
        self.ask = options.prompt == "always"
        self.device = device

    def _is_link(self, name: str) -> bool:
        return bits.S_ISLNK(self.ctx.fs.stat(locate(self.ctx, name.rstrip("/")), follow=False).mode)

    def remove(self, name: str, info: Stat) -> None:
        ctx, options = self.ctx, self.options
        if not bits.S_ISDIR(info.mode):
            if name[-1:] == "/":
                if options.prompt == "force" and self._is_link(name):
                    return
                ctx.fail(f"cannot remove {quote_always(name)}: Not a directory")
            else:
                self._unlink(name, info)
            return
        if not options.recursive and not options.directory:
            ctx.fail(f"cannot remove {quote_always(name)}: Is a directory")
            return
        if name.rstrip("/").rpartition("/")[2] in (".", ".."):
            if not options.recursive and not self._is_empty(name):
                ctx.fail(f"cannot remove {quote_always(name)}: {TEXTS[errno.ENOTEMPTY]}")
                return
            ctx.fail(f"refusing to remove '.' or '..' directory: skipping {quote_always(name)}")
            return
        if options.recursive and options.preserve_root and ctx.fs.realpath(ctx.path(name)) == "/":
            same = "" if name == "/" else " (same as '/')"
            ctx.error(f"it is dangerous to operate recursively on {quote_always(name)}{same}")
            ctx.fail("use --no-preserve-root to override this failsafe")
            return
        if options.recursive:
            self._tree(name, info)
        elif not self.ask:
            self._rmdir(name)
        elif not self._is_empty(name):  # nobody is asked
            self.ctx.fail(f"cannot remove {quote_always(name)}: {TEXTS[errno.ENOTEMPTY]}")
        elif self._confirm_directory("remove directory", name):
            self._rmdir(name)

    def _is_empty(self, name: str) -> bool:
        try:
            return not self.ctx.fs.listdir(self.ctx.path(name))
        except OSError:
            return True

    def _tree(self, top: str, info: Stat) -> None:
        """Remove a directory and everything below it, children first, in the order of names."""
        ctx = self.ctx
        stack: list[tuple[str, list[str], bool]] = []
        succeeded = self._enter(top, stack)
        while stack:
            directory, names, intact = stack[-1]
            if not names:
                stack.pop()
                removed = intact and self._leave(directory)
                if not removed and stack:
                    stack[-1] = (stack[-1][0], stack[-1][1], False)
                continue
            name = beneath(directory, names.pop())
            ctx.charge()
            try:
                child = ctx.fs.stat(ctx.path(name), follow=False)
            except OSError as error:
                ctx.fail(f"cannot remove {quote_always(name)}: {reason(error)}")
                continue
            if bits.S_ISDIR(child.mode):
                if self.options.one_file_system and child.device != self.device:
                    ctx.fail(f"skipping {quote_always(name)}, since it's on a different device")
                    succeeded = False
                else:
                    succeeded = self._enter(name, stack)
            else:
                succeeded = self._unlink(name, child)
            if not succeeded:
                at = len(stack) - 1
                stack[at] = (stack[at][0], stack[at][1], False)

    def _enter(self, name: str, stack: list[tuple[str, list[str], bool]]) -> bool:
        """Push a directory; return False when it is kept."""
        ctx = self.ctx
        try:
            names = [entry.name for entry in ctx.fs.listdir(ctx.path(name))]
        except OSError as error:
            try:  # an unreadable directory can be removed if it is empty
                ctx.fs.rmdir(ctx.path(name))
            except OSError:
                ctx.fail(f"cannot remove {quote_always(name)}: {reason(error)}")
                return False
            if self.options.verbose:
                ctx.write_line(f"removed directory {quote_always(name)}")
            return True
        if self.ask and names and not self._confirm_directory("descend into directory", name):
            return False
        names.reverse()
        stack.append((name, names, True))
        return True

    def _leave(self, name: str) -> bool:
        if self.ask and not self._confirm_directory("remove directory", name):
            return False
        return self._rmdir(name)

    def _confirm_directory(self, what: str, name: str) -> bool:
        return confirm(self.ctx, f"{what} {quote_always(name)}?")

    def _rmdir(self, name: str) -> bool:
        ctx = self.ctx
        try:
            ctx.fs.rmdir(ctx.path(name))
        except OSError as error:
            ctx.fail(f"cannot remove {quote_always(name)}: {reason(error)}")
            return False
        if self.options.verbose:
            ctx.write_line(f"removed directory {quote_always(name)}")
        return True

    def _unlink(self, name: str, info: Stat) -> bool:
        ctx = self.ctx
        if self.ask and not confirm(ctx, f"remove {kind_name(info)} {quote_always(name)}?"):
            return False
        try:
            ctx.fs.unlink(ctx.path(name))
        except OSError as error:
            ctx.fail(f"cannot remove {quote_always(name)}: {reason(error)}")
            return False
        if self.options.verbose:
            ctx.write_line(f"removed {quote_always(name)}")
        return True


def remove(name: str, info: Stat, ctx: Context, *, verbose: bool = False) -> None:
    """Remove a file or a whole tree, as ``rm -rf`` does, and report errors."""
    _Remover(Options(prompt="force", recursive=True, verbose=verbose), ctx, info.device).remove(name, info)
