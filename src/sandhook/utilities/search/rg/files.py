"""Which files rg searches: operands, and what is below directories and neither hidden nor ignored.

Source: ripgrep 13.0, whose guide says which ignore files go over which. Directories are read in the order of names.
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

#: Ignore files of a directory, those first that go over the others.
_OWN_NAMES = (".rgignore", ".ignore")


def message_of(error: OSError) -> str:
    """Return an error in Rust's words."""
    return f"{error_text(error)} (os error {error.errno})"


class _Level:
    """A directory that is being searched, and what its ignore files say.

    Attributes:
        repository: It holds .git.
        sources: Rules of .rgignore, .ignore, .gitignore and .git/info/exclude.
    """

    __slots__ = ("path", "repository", "sources")

    def __init__(self, path: str, repository: bool, sources: tuple[Rules, ...]) -> None:
        self.path = path
        self.repository = repository
        self.sources = sources


class Files:
    """Iterates over (path as shown, explicitly named).

    Attributes:
        searched: Files that came out so far (a count).
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
        named = () if options.no_ignore_files else options.ignore_file
        self._explicit = [
            rules for name in named if (rules := self._rules(name, ctx.path(name), report=True))
        ]
        self._most = options.max_size
        self.searched = 0

    def report(self, name: str, error: OSError) -> None:
        """Return what is wrong with a file; the exit status will be 2."""
        self._ctx.failed = 2
        if not self._options.no_messages:
            self.print(f"{name}: {message_of(error)}")

    def print(self, text: str) -> None:
        """Write to standard error."""
        self._ctx.flush()
        self._ctx.process.write_error(f"{text}\n".encode("utf-8", "surrogateescape"))

    def __iter__(self) -> Iterator[tuple[str, bool]]:
        for name in self._operands:
            if name == "-":
                self.searched += 1
                yield name, True
                continue
            try:
                if not name:
                    raise fs_error(errno.ENOENT)
                info = self._ctx.fs.stat(self._ctx.path(name))
            except OSError as error:
                self.report(name, error)
                continue
            if bits.S_ISDIR(info.mode):
                for found in self._tree(name):
                    self.searched += 1
                    yield found, False
            else:
                self.searched += 1
                yield name, True

    # ------------------------------------------------------------------ directories

    def _tree(self, top: str) -> Iterator[str]:
        ctx, fs = self._ctx, self._ctx.fs
        most = self._options.max_depth
        try:
            real = str(fs.realpath(ctx.path(top)))
        except OSError as error:
            self.report(top, error)
            return
        shown = "" if self._implicit else top if top[-1:] == "/" else top + "/"
        pending: list[tuple[str, str, int, tuple[_Level, ...] | None, frozenset[int]]] = []
        pending.append((shown, real, 0, self._parents(real), frozenset()))
        while pending:
            shown, place, depth, levels, above = pending.pop()
            if levels is None:
                yield shown
                continue
            if most is not None and depth >= most:
                continue
            try:
                inode = fs.stat(VirtualPath(place)).inode
                entries = fs.listdir(VirtualPath(place))
            except OSError as error:
                self.report(shown.rstrip("/") or place, error)
                continue
            if inode in above:
                continue
            ctx.charge(1 + len(entries))
            inner = (*levels, self._level(place, {entry.name for entry in entries}))
            base = "" if place == "/" else place
            for entry in reversed(entries):
                kind = self._kind(f"{base}/{entry.name}", entry.mode, shown + entry.name)
                if kind is None or self._left_out(f"{base}/{entry.name}", kind, inner):
                    continue
                if not kind and self._is_too_big(f"{base}/{entry.name}"):
                    continue
                name = f"{shown}{entry.name}{'/' if kind else ''}"
                below = inner if kind else None
                pending.append((name, f"{base}/{entry.name}", depth + 1, below, above | {inode}))

    def _kind(self, path: str, mode: int, shown: str) -> bool | None:
        """Return whether a name is a directory; None for what is neither that nor a regular file."""
        if bits.S_ISLNK(mode):
            if not self._options.follow:
                return None
            try:
                found: Stat = self._ctx.fs.stat(VirtualPath(path))
            except OSError as error:
                self.report(shown, error)
                return None
            mode = found.mode
        return True if bits.S_ISDIR(mode) else False if bits.S_ISREG(mode) else None

    def _is_too_big(self, path: str) -> bool:
        most = self._most
        return most is not None and self._ctx.fs.stat(VirtualPath(path)).size > most

    def _left_out(self, path: str, is_directory: bool, levels: tuple[_Level, ...]) -> bool:
        name = path.rpartition("/")[2]
        self._ctx.charge(1 + len(self._overrides))
        if self._overrides:
            verdict = self._override(path, is_directory)
            if verdict is not None:
                return verdict
        ignored = None if self._no_ignore else self._ignored(path, is_directory, levels)
        if ignored:
            return True
        wanted = ignored is False
        if self._types and not is_directory:
            typed = self._typed(name)
            if typed:
                return True
            wanted = wanted or typed is False
        return not wanted and not self._hidden and name[:1] == "."

    def _override(self, path: str, is_directory: bool) -> bool | None:
        """Ask -g: a glob selects, one with "!" leaves out."""
        here = str(self._ctx.process.cwd).rstrip("/") + "/"
        relative = path[len(here) :] if path.startswith(here) else path[1:]
        verdict = self._overrides.verdict(relative, is_directory)
        if verdict is None:
            return True if self._overrides.selects and not is_directory else None
        return not verdict

    def _typed(self, name: str) -> bool | None:
        """Ask -t and -T; the last one whose type a name has decides."""
        for selected, rules in reversed(self._types):
            self._ctx.charge(1 + (len(rules) >> 2))
            if rules.verdict(name, False) is not None:
                return not selected
        return True if any(selected for selected, _ in self._types) else None

    # ------------------------------------------------------------------ ignore files

    def _parents(self, path: str) -> tuple[_Level, ...]:
        """Return the directories above, the root first, as far as their ignore files count."""
        if self._options.no_ignore_parent or self._no_ignore or path == "/":
            return ()
        names = path.strip("/").split("/")[:-1]
        found = []
        for count in range(len(names) + 1):
            place = "/" + "/".join(names[:count])
            entries = {
                name for name in (*_OWN_NAMES, ".gitignore", ".git")
                if self._ctx.fs.exists(VirtualPath(f"{place.rstrip('/')}/{name}"))
            }  # fmt: skip
            found.append(self._level(place, entries))
        return tuple(found)

    def _level(self, place: str, names: set[str]) -> _Level:
        options = self._options
        base = place.rstrip("/")
        repository = ".git" in names or options.no_require_git
        if self._no_ignore:
            return _Level(base, repository, ())
        own = [] if options.no_ignore_dot else [name for name in _OWN_NAMES if name in names]
        sources = [self._read(f"{base}/{name}") if name in own else _NONE for name in _OWN_NAMES]
        git = ".gitignore" in names and not options.no_ignore_vcs
        sources.append(self._read(f"{base}/.gitignore") if git else _NONE)
        exclude = ".git" in names and not options.no_ignore_vcs and not options.no_ignore_exclude
        sources.append(self._read(f"{base}/.git/info/exclude") if exclude else _NONE)
        return _Level(base, repository, tuple(sources))

    def _read(self, path: str) -> Rules:
        return self._rules(path, VirtualPath(path))

    def _rules(self, name: str, path: VirtualPath, *, report: bool = False) -> Rules:
        try:
            data = self._ctx.fs.read_bytes(path)
        except OSError as error:
            if report:
                self.report(name, error)
            return _NONE
        self._ctx.budget.check_fits(4 * len(data))
        self._ctx.charge(1 + data.count(b"\n"))
        lines = data.decode("utf-8", "surrogateescape").splitlines()
        return Rules(lines, icase=self._options.ignore_file_icase)

    def _ignored(self, path: str, is_directory: bool, levels: tuple[_Level, ...]) -> bool | None:
        """Ask the ignore files, those of the nearest directory first; git's only inside of a repository."""
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
        here = str(self._ctx.process.cwd).rstrip("/") + "/"
        for rules in self._explicit:
            verdict = rules.verdict(path.removeprefix(here).removeprefix("/"), is_directory)
            if verdict is not None:
                return verdict
        return None


_NONE = Rules(())
