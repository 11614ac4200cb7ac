"""Which files grep searches: operands, and what -r finds below directories.

Source: GNU grep 3.8 (fts and exclude.c). Divergence: L-GREP-003, entries in the order of names.
"""

from __future__ import annotations

import errno
import stat
from collections.abc import Iterator, Sequence
from typing import Any

from sandhook.command.context import Context, Failure
from sandhook.pattern.glob import Pattern, compile_pattern
from sandhook.vfs.base import Stat
from sandhook.vfs.errors import error_text, fs_error


class Files:
    """Iterates over the names to search; "-" comes with None, any other with its Stat.

    Attributes:
        recursed: A directory was met, so lines get file names from now on.
    """

    def __init__(self, options: Any, operands: Sequence[str], ctx: Context) -> None:
        self._ctx = ctx
        self._operands = operands
        self._recurse = options.directories in ("recurse", "follow")
        self._follow = options.directories == "follow"
        self._directories = options.directories
        self._devices = options.devices
        self._silent = options.silent
        self._rules: list[tuple[bool, Pattern]] = [
            (text[0] == "+", compile_pattern(text[1:], extglob=False)) for text in options.selection
        ]
        for name in options.exclude_from:
            try:
                with ctx.open(name) as reader:
                    data = reader.read_all()
            except OSError as error:
                raise Failure(f"{name}: {error_text(error)}") from None
            for line in data.decode("utf-8", "surrogateescape").split("\n"):
                if line:
                    self._rules.append((False, compile_pattern(line, extglob=False)))
        self._no_directories = [
            compile_pattern(text.rstrip("/") or "/", extglob=False) for text in options.exclude_dir
        ]
        self.recursed = False

    def report(self, name: str, error: OSError) -> None:
        """Return what is wrong with a file, unless -s; the exit status will be 2."""
        if self._silent:
            self._ctx.failed = 2
        else:
            self._ctx.fail(f"{name}: {error_text(error)}", 2)

    def __iter__(self) -> Iterator[tuple[str, Stat | None]]:
        if not self._operands:
            yield from self._below(".", "")
            return
        for name in self._operands:
            if name == "-":
                yield name, None
                continue
            try:
                found = self._ctx.fs.stat(self._ctx.path(name)) if name else None
                if found is None:
                    raise fs_error(errno.ENOENT)
            except OSError as error:
                self.report(name, error)
                continue
            yield from self._operand(name, found)

    def _operand(self, name: str, found: Stat) -> Iterator[tuple[str, Stat]]:
        if stat.S_ISDIR(found.mode):
            if self._directories == "skip" or _any_tail(self._no_directories, name.rstrip("/") or name):
                return
            if self._recurse:
                yield from self._below(name, name)
            else:
                yield name, found
        elif not self._skipped(name, True) and not (self._devices == "skip" and not stat.S_ISREG(found.mode)):
            yield name, found

    def _below(self, directory: str, prefix: str) -> Iterator[tuple[str, Stat]]:
        """Yield the regular files of a tree, each directory's names in order."""
        ctx = self._ctx
        self.recursed = True
        pending: list[tuple[str, str, frozenset[int]]] = [(directory, prefix, frozenset())]
        while pending:
            name, prefix, above = pending.pop()
            if (prefix and name != directory) or above:
                found = self._entry(name)
                if found is None or not stat.S_ISDIR(found.mode):
                    if found is not None and not self._skipped(name, False) and self._readable(found):
                        yield name, found
                    continue
                if any(each.matches(name.rpartition("/")[2]) for each in self._no_directories):
                    continue
                if found.inode in above:
                    ctx.error(f"{name}: warning: recursive directory loop")
                    continue
                above = above | {found.inode}
            try:
                above = above | {ctx.fs.stat(ctx.path(name)).inode}
                entries = ctx.fs.listdir(ctx.path(name))
            except OSError as error:
                self.report(name, error)
                continue
            ctx.charge(1 + len(entries))
            head = prefix and (prefix if prefix[-1] == "/" else prefix + "/")
            pending += [(head + entry.name, head + entry.name, above) for entry in reversed(entries)]

    def _entry(self, name: str) -> Stat | None:
        """Return what a name below a directory is; None for a link that is not followed."""
        path = self._ctx.path(name)
        try:
            found = self._ctx.fs.stat(path, follow=self._follow)
        except OSError as error:
            self.report(name, error)
            return None
        return None if stat.S_ISLNK(found.mode) else found

    def _readable(self, found: Stat) -> bool:
        return stat.S_ISREG(found.mode) or self._devices == "read"

    def _skipped(self, name: str, operand: bool) -> bool:
        """The last of --include and --exclude that matches decides; else the first one's kind does."""
        if not self._rules:
            return False
        for include, pattern in reversed(self._rules):
            if _any_tail([pattern], name) if operand else pattern.matches(name.rpartition("/")[2]):
                return not include
        return self._rules[0][0]


def _any_tail(patterns: Sequence[Pattern], name: str) -> bool:
    """Return whether a pattern matches the name, or what follows one of its slashes."""
    parts = name.split("/")
    tails = ["/".join(parts[index:]) for index in range(len(parts))]
    return any(bool(pattern.matches(tail)) for pattern in patterns for tail in tails)
