"""The files that rg searches: operands, and the files below directories that are neither hidden nor ignored.

Source: ripgrep 13.0; its guide describes the precedence of ignore files. Directories are read in the order of names.
"""

from __future__ import annotations

import errno
import stat as bits
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from sandhook.command.context import Context
from sandhook.utilities.search.rg.globs import Rules
from sandhook.vfs.base import Stat
from sandhook.vfs.errors import error_text, fs_error
from sandhook.vfs.path import VirtualPath

if TYPE_CHECKING:
    from sandhook.utilities.search.rg.options import Options

#: Ignore files of a directory, the highest precedence first.
_IGNORE_FILES = (".rgignore", ".ignore")


def message_of(error: OSError) -> str:
    """Return an error in Rust's words."""
    return f"{error_text(error)} (os error {error.errno})"


class _Level:
    """A directory that is searched, and the rules of its ignore files.

    Attributes:
        repository: It contains .git.
        sources: Rules of .rgignore, .ignore, .gitignore and .git/info/exclude.
    """

    __slots__ = ("path", "repository", "sources")

    def __init__(self, path: str, repository: bool, sources: tuple[Rules, ...]) -> None:
        self.path = path
        self.repository = repository
        self.sources = sources


class Files:
    """Yields for each file its path as printed, and whether it is an operand.

    Attributes:
        file_count: Files yielded so far.
    """

    def __init__(
        self, options: Options, operands: Sequence[str], implicit: bool, types: list[tuple[bool, Rules]],
        overrides: Rules, ctx: Context,
    ) -> None:  # fmt: skip
        self._options = options
        self._operands = operands
        self._implicit = implicit
        self._types = types
        self._overrides = overrides
        self._ctx = ctx
        self._hidden = options.hidden or options.unrestricted >= 2
        self._no_ignore = options.no_ignore or options.unrestricted >= 1
        ignore_files = () if options.no_ignore_files else options.ignore_file
        self._ignore_file_rules = [
            rules for name in ignore_files if (rules := self._rules(name, ctx.path(name), is_required=True))
        ]
        self._most = options.max_size
        self.file_count = 0

    def file_error(self, name: str, error: OSError) -> None:
        """Print an error about a file, unless --no-messages; the exit status becomes 2."""
        self._ctx.failed = 2
        if not self._options.no_messages:
            self.print(f"{name}: {message_of(error)}")

    def print(self, text: str) -> None:
        """Write to standard error."""
        self._ctx.write_error(f"{text}\n")

    def __iter__(self) -> Iterator[tuple[str, bool]]:
        for name in self._operands:
            if name == "-":
                self.file_count += 1
                yield name, True
                continue
            try:
                if not name:
                    raise fs_error(errno.ENOENT)
                info = self._ctx.fs.stat(self._ctx.path(name))
            except OSError as error:
                self.file_error(name, error)
                continue
            if bits.S_ISDIR(info.mode):
                for path in self._tree(name):
                    self.file_count += 1
                    yield path, False
            else:
                self.file_count += 1
                yield name, True

    # ------------------------------------------------------------------ directories

    def _tree(self, top: str) -> Iterator[str]:
        ctx, fs = self._ctx, self._ctx.fs
        most = self._options.max_depth
        try:
            real = str(fs.realpath(ctx.path(top)))
        except OSError as error:
            self.file_error(top, error)
            return
        display_path = "" if self._implicit else top if top[-1:] == "/" else top + "/"
        pending: list[tuple[str, str, int, tuple[_Level, ...] | None, frozenset[int]]] = []
        pending.append((display_path, real, 0, self._parents(real), frozenset()))
        while pending:
            display_path, directory, depth, levels, ancestors = pending.pop()
            if levels is None:
                yield display_path
                continue
            if most is not None and depth >= most:
                continue
            try:
                inode = fs.stat(VirtualPath(directory)).inode
                entries = fs.listdir(VirtualPath(directory))
            except OSError as error:
                self.file_error(display_path.rstrip("/") or directory, error)
                continue
            if inode in ancestors:
                continue
            ctx.charge(1 + len(entries))
            inner = (*levels, self._level(directory, {entry.name for entry in entries}))
            base = "" if directory == "/" else directory
            for entry in reversed(entries):
                kind = self._kind(f"{base}/{entry.name}", entry.mode, display_path + entry.name)
                if kind is None or self._is_excluded(f"{base}/{entry.name}", kind, inner):
                    continue
                if not kind and self._is_too_big(f"{base}/{entry.name}"):
                    continue
                name = f"{display_path}{entry.name}{'/' if kind else ''}"
                inner_levels = inner if kind else None
                pending.append((name, f"{base}/{entry.name}", depth + 1, inner_levels, ancestors | {inode}))

    def _kind(self, path: str, mode: int, display_path: str) -> bool | None:
        """Return True for a directory, False for a regular file, None for any other file."""
        if bits.S_ISLNK(mode):
            if not self._options.follow:
                return None
            try:
                info: Stat = self._ctx.fs.stat(VirtualPath(path))
            except OSError as error:
                self.file_error(display_path, error)
                return None
            mode = info.mode
        return True if bits.S_ISDIR(mode) else False if bits.S_ISREG(mode) else None

    def _is_too_big(self, path: str) -> bool:
        most = self._most
        return most is not None and self._ctx.fs.stat(VirtualPath(path)).size > most

    def _is_excluded(self, path: str, is_directory: bool, levels: tuple[_Level, ...]) -> bool:
        name = path.rpartition("/")[2]
        self._ctx.charge(1 + len(self._overrides))
        if self._overrides:
            verdict = self._override_verdict(path, is_directory)
            if verdict is not None:
                return verdict
        ignore_verdict = None if self._no_ignore else self._ignore_verdict(path, is_directory, levels)
        if ignore_verdict:
            return True
        is_selected = ignore_verdict is False
        if self._types and not is_directory:
            type_verdict = self._type_verdict(name)
            if type_verdict:
                return True
            is_selected = is_selected or type_verdict is False
        return not is_selected and not self._hidden and name[:1] == "."

    def _override_verdict(self, path: str, is_directory: bool) -> bool | None:
        """Return True when -g excludes a path, False when it selects the path, None when no glob decides."""
        prefix = str(self._ctx.process.cwd).rstrip("/") + "/"
        relative = path[len(prefix) :] if path.startswith(prefix) else path[1:]
        verdict = self._overrides.verdict(relative, is_directory)
        if verdict is None:
            return True if self._overrides.selects and not is_directory else None
        return not verdict

    def _type_verdict(self, name: str) -> bool | None:
        """Return True when -t or -T excludes a name, False when -t selects it, None when neither decides."""
        for selects, rules in reversed(self._types):
            self._ctx.charge(1 + (len(rules) >> 2))
            if rules.verdict(name, False) is not None:
                return not selects
        return True if any(selects for selects, _ in self._types) else None

    # ------------------------------------------------------------------ ignore files

    def _parents(self, path: str) -> tuple[_Level, ...]:
        """Return the directories above whose ignore files apply, the root first."""
        if self._options.no_ignore_parent or self._no_ignore or path == "/":
            return ()
        names = path.strip("/").split("/")[:-1]
        levels = []
        for count in range(len(names) + 1):
            directory = "/" + "/".join(names[:count])
            entries = {
                name for name in (*_IGNORE_FILES, ".gitignore", ".git")
                if self._ctx.fs.exists(VirtualPath(f"{directory.rstrip('/')}/{name}"))
            }  # fmt: skip
            levels.append(self._level(directory, entries))
        return tuple(levels)

    def _level(self, directory: str, names: set[str]) -> _Level:
        options = self._options
        base = directory.rstrip("/")
        repository = ".git" in names or options.no_require_git
        if self._no_ignore:
            return _Level(base, repository, ())
        ignore_files = [] if options.no_ignore_dot else [name for name in _IGNORE_FILES if name in names]
        sources = [
            self._rules_at(f"{base}/{name}") if name in ignore_files else _NONE for name in _IGNORE_FILES
        ]
        git = ".gitignore" in names and not options.no_ignore_vcs
        sources.append(self._rules_at(f"{base}/.gitignore") if git else _NONE)
        exclude = ".git" in names and not options.no_ignore_vcs and not options.no_ignore_exclude
        sources.append(self._rules_at(f"{base}/.git/info/exclude") if exclude else _NONE)
        return _Level(base, repository, tuple(sources))

    def _rules_at(self, path: str) -> Rules:
        return self._rules(path, VirtualPath(path))

    def _rules(self, name: str, path: VirtualPath, *, is_required: bool = False) -> Rules:
        try:
            data = self._ctx.fs.read_bytes(path)
        except OSError as error:
            if is_required:
                self.file_error(name, error)
            return _NONE
        self._ctx.budget.check_fits(4 * len(data))
        self._ctx.charge(1 + data.count(b"\n"))
        lines = data.decode("utf-8", "surrogateescape").splitlines()
        return Rules(lines, icase=self._options.ignore_file_icase)

    def _ignore_verdict(self, path: str, is_directory: bool, levels: tuple[_Level, ...]) -> bool | None:
        """Return the verdict of the ignore files: the nearest directory first, git's only inside a repository."""
        in_repository = any(level.repository for level in levels)
        for source in range(4):
            for level in reversed(levels):
                rules = level.sources[source] if level.sources else _NONE
                if source < 2 or in_repository:
                    if rules:
                        self._ctx.charge(len(rules))
                        verdict = rules.verdict(path[len(level.path) + 1 :], is_directory)
                        if verdict is not None:
                            return verdict
                    if source >= 2 and level.repository:
                        break
        prefix = str(self._ctx.process.cwd).rstrip("/") + "/"
        for rules in self._ignore_file_rules:
            verdict = rules.verdict(path.removeprefix(prefix).removeprefix("/"), is_directory)
            if verdict is not None:
                return verdict
        return None


_NONE = Rules(())
