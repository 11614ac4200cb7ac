"""The files that grep searches: operands, and with -r the files below directories.

Source: GNU grep 3.8 (fts and exclude.c). Divergence: L-GREP-003, entries in the order of names.
"""

from __future__ import annotations

import errno
import stat
from collections.abc import Iterator, Sequence
from typing import Any

from sandhook.command.context import Context, Failure
from sandhook.command.pieces import split
from sandhook.pattern.glob import Pattern, compile_pattern
from sandhook.vfs.base import Stat
from sandhook.vfs.errors import error_text, fs_error

#: Bytes that a compiled pattern needs.
_PATTERN_COST = 1_000


class Files:
    """Iterates over the names to search, each with its Stat; "-" has None.

    Attributes:
        has_recursed: -r entered a directory, so lines are printed with file names.
    """

    def __init__(self, options: Any, directories: str, operands: Sequence[str], ctx: Context) -> None:
        self._ctx = ctx
        self._operands = operands
        self._recurse = directories in ("recurse", "follow")
        self._follow = directories == "follow"
        self._directories = directories
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
            for line in split(data.decode("utf-8", "surrogateescape"), "\n", ctx.charge):
                if line:
                    ctx.charge(len(line) >> 3)
                    ctx.budget.check_fits(_PATTERN_COST * len(self._rules))
                    self._rules.append((False, compile_pattern(line, extglob=False)))
        self._excluded_directories = [
            compile_pattern(text.rstrip("/") or "/", extglob=False) for text in options.exclude_dir
        ]
        self.has_recursed = False

    def file_error(self, name: str, error: OSError) -> None:
        """Print an error about a file, unless -s; the exit status becomes 2."""
        if self._silent:
            self._ctx.failed = 2
        else:
            self._ctx.fail(f"{name}: {error_text(error)}", 2)

    def __iter__(self) -> Iterator[tuple[str, Stat | None]]:
        if not self._operands:
            yield from self._tree(".", "")
            return
        for name in self._operands:
            if name == "-":
                yield name, None
                continue
            try:
                info = self._ctx.fs.stat(self._ctx.path(name)) if name else None
                if info is None:
                    raise fs_error(errno.ENOENT)
            except OSError as error:
                self.file_error(name, error)
                continue
            yield from self._operand(name, info)

    def _operand(self, name: str, info: Stat) -> Iterator[tuple[str, Stat]]:
        if stat.S_ISDIR(info.mode):
            if self._directories == "skip" or _matches_suffix(
                self._excluded_directories, name.rstrip("/") or name
            ):
                return
            if self._recurse:
                yield from self._tree(name, name)
            else:
                yield name, info
        elif not self._is_skipped(name, True) and not (
            self._devices == "skip" and not stat.S_ISREG(info.mode)
        ):
            yield name, info

    def _tree(self, directory: str, prefix: str) -> Iterator[tuple[str, Stat]]:
        """Yield the regular files of a tree; the entries of a directory are in the order of names."""
        ctx = self._ctx
        self.has_recursed = True
        pending: list[tuple[str, str, frozenset[int]]] = [(directory, prefix, frozenset())]
        while pending:
            name, prefix, ancestors = pending.pop()
            if (prefix and name != directory) or ancestors:
                info = self._entry(name)
                if info is None or not stat.S_ISDIR(info.mode):
                    if info is not None and not self._is_skipped(name, False) and self._readable(info):
                        yield name, info
                    continue
                if any(pattern.matches(name.rpartition("/")[2]) for pattern in self._excluded_directories):
                    continue
                if info.inode in ancestors:
                    ctx.error(f"{name}: warning: recursive directory loop")
                    continue
                ancestors = ancestors | {info.inode}
            try:
                ancestors = ancestors | {ctx.fs.stat(ctx.path(name)).inode}
                entries = ctx.fs.listdir(ctx.path(name))
            except OSError as error:
                self.file_error(name, error)
                continue
            ctx.charge(1 + len(entries))
            head = prefix and (prefix if prefix[-1] == "/" else prefix + "/")
            pending += [(head + entry.name, head + entry.name, ancestors) for entry in reversed(entries)]

    def _entry(self, name: str) -> Stat | None:
        """Return the Stat of a name below a directory; None for an error, or a link that is not followed."""
        path = self._ctx.path(name)
        try:
            info = self._ctx.fs.stat(path, follow=self._follow)
        except OSError as error:
            self.file_error(name, error)
            return None
        return None if stat.S_ISLNK(info.mode) else info

    def _readable(self, info: Stat) -> bool:
        return stat.S_ISREG(info.mode) or self._devices == "read"

    def _is_skipped(self, name: str, operand: bool) -> bool:
        """Return True when the last matching --include or --exclude excludes a name.

        When no glob matches, the kind of the first one decides: --include excludes all other names.
        """
        if not self._rules:
            return False
        for include, pattern in reversed(self._rules):
            if _matches_suffix([pattern], name) if operand else pattern.matches(name.rpartition("/")[2]):
                return not include
        return self._rules[0][0]


def _matches_suffix(patterns: Sequence[Pattern], name: str) -> bool:
    """Return True when a pattern matches the name, or the part after one of its slashes."""
    parts = name.split("/")
    suffixes = ["/".join(parts[index:]) for index in range(len(parts))]
    return any(bool(pattern.matches(suffix)) for pattern in patterns for suffix in suffixes)
