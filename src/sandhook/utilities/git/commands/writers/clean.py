"""git clean: remove files that are not tracked.

Source: git-clean(1); git 2.39, builtin/clean.c and dir.c.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.command.options import also, opt, option_set
from sandhook.utilities.git.arguments import Parser
from sandhook.utilities.git.errors import GitError
from sandhook.utilities.git.names.ignore import parse_rule
from sandhook.utilities.git.names.pathspec import Pathspec
from sandhook.utilities.git.names.quote import quote, relative
from sandhook.utilities.git.program import Invocation
from sandhook.utilities.git.store.index import order
from sandhook.utilities.git.work.untracked import Search, Untracked
from sandhook.vfs.path import VirtualPath

_DIRECTORY = 0o040000


@option_set
class Options:
    """Options of git clean."""

    directories: bool = opt("-d")
    force: tuple[str, ...] = also(opt("-f", append=True, const="f"), opt("--force", append=True, const="f"))
    interactive: bool = also(opt("-i"), opt("--interactive"))
    dry_run: bool = also(opt("-n"), opt("--dry-run"))
    quiet: bool = also(opt("-q"), opt("--quiet"))
    ignored: bool = opt("-x")
    only_ignored: bool = opt("-X")
    patterns: tuple[str, ...] = also(
        opt("-e", "PATTERN", "", append=True), opt("--exclude", "PATTERN", "", append=True)
    )


def run(call: Invocation, arguments: Sequence[str]) -> int:
    """Return 0; 1 for files that could not be removed."""
    parsed = Parser(Options).parse(arguments)
    options, repository = parsed.of(Options), call.repository
    if options.interactive:
        raise GitError("clean -i asks a person, and the sandbox has none (L-GIT-003)", status=129)
    required = repository.config.get("clean.requireforce")
    if not (options.dry_run or options.force) and (
        required is None or repository.config.boolean("clean.requireforce")
    ):
        word = "defaults" if required is None else "set"
        raise GitError(
            f"clean.requireForce {word} to true and neither -i, -n, nor -f given; refusing to clean"
        )
    if options.ignored and options.only_ignored:
        raise GitError("-x and -X cannot be used together")
    repository.root  # noqa: B018  # raises without a working tree
    if not options.dry_run:
        call.check_may_write()
    operands = [*parsed.operands, *(parsed.paths or ())]
    return _Clean(call, options, operands).run()


class _Search(Search):
    """A search that keeps the parts of directories with ignored files."""

    takes_repositories = False

    def enter(self, path: str, found: Untracked) -> None:
        """Add what is to be removed in a directory: the directory, or files in it."""
        if path in self.directories:
            super().enter(path, found)
        elif self.rules.is_ignored(path, True):
            found.ignored.append(path + "/")
        elif self.is_repository(path):
            if self.takes_repositories and self.pathspec.matches(path):
                found.untracked.append(path + "/")
        else:
            inner = self.run(path + "/")
            whole = not inner.ignored and (not self.pathspec or self.pathspec.matches(path))
            found.untracked.extend([path + "/"] if whole else inner.untracked)
            found.ignored.extend(inner.ignored)


class _Clean:
    """One call of git clean."""

    def __init__(self, call: Invocation, options: Options, operands: Sequence[str]) -> None:
        self.call = call
        self.options = options
        self.repository = call.repository
        self.root = self.repository.root.rstrip("/")
        self.takes_directories = options.directories or bool(operands)
        prefix = self.repository.prefix
        self.pathspec: Pathspec = self.repository.pathspec(operands or (["."] if prefix else []))
        self.failed = False
        self.verb = "Would remove" if options.dry_run else "Removing"

    def run(self) -> int:
        """Remove files; return the exit status."""
        for path in self._paths():
            if not path.endswith("/"):
                if self._unlink(path):
                    self._say(path)
            elif self.takes_directories and self._remove(path):
                self._say(path)
        return int(self.failed)

    def _paths(self) -> list[str]:
        """Return the paths to remove; those of directories end in a slash."""
        options, repository = self.options, self.repository
        extra = [rule for text in options.patterns if (rule := parse_rule(text, "", "", 0)) is not None]
        rules = repository.ignore(extra, standard=not options.ignored)
        kind = _Search if self.takes_directories and not options.only_ignored else Search
        flags = (options.only_ignored, True, False)
        search = kind(repository, self.pathspec, "normal", rules, flags)
        if isinstance(search, _Search):
            search.takes_repositories = len(options.force) > 1
        found = search.run("")
        paths = sorted(found.ignored if options.only_ignored else found.untracked, key=order)
        return [path for path in paths if "" not in path.split("/")[:-1]]

    def _say(self, path: str) -> None:
        if not self.options.quiet:
            shown = quote(relative(path, self.repository.prefix), self.repository.quotes_wide)
            self.call.ctx.write_line(f"{self.verb} {shown}")

    def _unlink(self, path: str) -> bool:
        """Remove a file, unless only that should be shown; return True if that succeeded."""
        self.call.access.charge(1)
        if self.options.dry_run:
            return True
        try:
            self.call.access.fs.unlink(VirtualPath(f"{self.root}/{path}"))
        except OSError as error:
            self._report(path, error)
            return False
        return True

    def _report(self, path: str, error: OSError) -> None:
        self.failed = True
        self.call.error(f"warning: failed to remove {path}: {error.strerror}")

    def _remove(self, path: str) -> bool:
        """Remove a directory with all that it has. Return False if something must stay, after the names of the rest."""
        if len(self.options.force) < 2 and self._holds_repository(path):
            if not self.options.quiet:
                verb = "Would skip" if self.options.dry_run else "Skipping"
                shown = quote(relative(path, self.repository.prefix), self.repository.quotes_wide)
                self.call.ctx.write_line(f"{verb} repository {shown}")
            return False
        removed: list[str] = []
        is_gone = True
        for entry in sorted(self.call.access.listdir(f"{self.root}/{path}"), key=lambda each: each.name):
            name = path + entry.name
            is_directory = entry.mode & 0o170000 == _DIRECTORY
            if self._remove(f"{name}/") if is_directory else self._unlink(name):
                removed.append(name)
            else:
                is_gone = False
        if is_gone and not self.options.dry_run:
            try:
                self.call.access.fs.rmdir(VirtualPath(f"{self.root}/{path.rstrip('/')}"))
            except OSError as error:
                self._report(path, error)
                is_gone = False
        if not is_gone:
            for name in removed:
                self._say(name)
        return is_gone

    def _holds_repository(self, path: str) -> bool:
        """Return True for the working tree of another repository."""
        return self.call.access.stat(f"{self.root}/{path}.git") is not None
