"""git add: put files of the working tree into the index.

Source: git-add(1); git 2.39, builtin/add.c.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.command.options import also, opt, option_set
from sandhook.utilities.git.arguments import Parser
from sandhook.utilities.git.errors import GitError
from sandhook.utilities.git.names.pathspec import Item, Pathspec, operands_of
from sandhook.utilities.git.names.wildmatch import has_wildcard
from sandhook.utilities.git.program import Invocation
from sandhook.utilities.git.store.index_writing import IndexChange, entry_of
from sandhook.utilities.git.store.objects import EMPTY_BLOB, GITLINK, SYMLINK
from sandhook.utilities.git.store.repository import Repository
from sandhook.utilities.git.work.staging import Staging
from sandhook.utilities.git.work.untracked import find_untracked


@option_set
class Options:
    """Options of git add."""

    dry_run: bool = also(opt("-n"), opt("--dry-run"))
    verbose: bool = also(opt("-v"), opt("--verbose"))
    force: bool = also(opt("-f"), opt("--force"))
    update: bool = also(opt("-u"), opt("--update"))
    removal: bool | None = also(
        opt("-A", default=None),
        opt("--all"),
        opt("--no-ignore-removal"),
        opt("--no-all", const=False),
        opt("--ignore-removal", const=False),
    )
    intent: bool = also(opt("-N"), opt("--intent-to-add"))
    chmod: str | None = opt("--chmod", "MODE", "")
    refresh: bool = opt("--refresh")
    renormalize: bool = opt("--renormalize")
    ignore_errors: bool = opt("--ignore-errors")
    ignore_missing: bool = opt("--ignore-missing")
    path_file: str | None = opt("--pathspec-from-file", "FILE", "")
    path_nul: bool = opt("--pathspec-file-nul")
    interactive: bool = also(
        opt("-i"), opt("--interactive"), opt("-p"), opt("--patch"), opt("-e"), opt("--edit")
    )
    sparse: bool = opt("--sparse")


def run(call: Invocation, arguments: Sequence[str]) -> int:
    """Return 0; 1 for operands that are ignored."""
    parsed = Parser(Options).parse(arguments)
    options = parsed.of(Options)
    if options.interactive:
        raise GitError("add -i, -p and -e ask a person, and the sandbox has none (L-GIT-003)", status=129)
    if options.chmod not in (None, "+x", "-x"):
        raise GitError(f"--chmod param '{options.chmod}' must be either -x or +x")
    if options.update and options.removal:
        raise GitError("options '-A' and '-u' cannot be used together")
    repository = call.repository
    operands = operands_of(
        call.ctx, [*parsed.operands, *(parsed.paths or ())], options.path_file, options.path_nul
    )
    if not operands and not (options.update or options.removal or options.refresh or options.renormalize):
        call.error("Nothing specified, nothing added.")
        if repository.config.boolean("advice.addemptypathspec", True):
            call.error("hint: Maybe you wanted to say 'git add .'?")
            _hint_off(call, "addEmptyPathspec")
        return 0
    repository.root  # noqa: B018  # raises without a working tree
    return _Add(call, options, repository, operands).run()


def _hint_off(call: Invocation, name: str) -> None:
    call.error(f'hint: Turn this message off by running\nhint: "git config advice.{name} false"')


class _Add:
    """One call of git add."""

    def __init__(
        self, call: Invocation, options: Options, repository: Repository, operands: list[str]
    ) -> None:
        self.call = call
        self.options = options
        self.repository = repository
        self.pathspec = repository.pathspec(operands)
        self.pathspec.refuse_attributes()
        self.change = IndexChange(repository)
        self.staging = Staging(repository, self.change)
        self.rules = repository.ignore([], standard=False) if options.force else repository.ignore()

    def run(self) -> int:
        options = self.options
        adds_new = not (options.update or options.refresh or options.renormalize)
        new = self._untracked() if adds_new else []
        ignored = self._ignored() if adds_new and not options.force else []
        if not options.ignore_missing:
            self._check_operands(new)
        if options.refresh:
            self._refresh()
            return self._end(0)
        self._report(self._tracked())
        if ignored:
            self.call.error("The following paths are ignored by one of your .gitignore files:")
            for path in ignored:
                self.call.error(path)
            if self.repository.config.boolean("advice.addignoredfile", True):
                self.call.error("hint: Use -f if you really want to add them.")
                _hint_off(self.call, "addIgnoredFile")
        failed = self._add_new(new)
        if options.chmod is not None:
            self._chmod()
        return self._end(int(bool(ignored) or failed))

    def _end(self, status: int) -> int:
        for warning in self.staging.warnings:
            self.call.error(warning)
        if self.change.changed and not self.options.dry_run:
            self.change.write()
        return status

    def _report(self, lines: list[str]) -> None:
        if self.options.verbose or self.options.dry_run:
            for line in lines:
                self.call.ctx.write_line(line)

    # ------------------------------------------------------------------ which files

    def _untracked(self) -> list[str]:
        return find_untracked(self.repository, self.pathspec, "all", rules=self.rules).untracked

    def _ignored(self) -> list[str]:
        """Return the operands without wildcards that name ignored files, or what is above them."""
        found = []
        for item in self.pathspec.items:
            if "exclude" in item.magic or has_wildcard(item.pattern):
                continue
            parts = item.pattern.rstrip("/").split("/")
            for count in range(1, len(parts) + 1):
                path = "/".join(parts[:count])
                if not path or self._is_tracked(path):
                    continue
                stat = self.call.access.stat(f"{self.repository.root}/{path}")
                if stat is not None and self.rules.is_ignored(path, stat.mode & 0o170000 == 0o040000):
                    found.append(path)
                    break
        return sorted(set(found))

    def _is_tracked(self, path: str) -> bool:
        """Return True for a file of the index, or a directory with one."""
        self.call.access.charge(1 + (len(self.repository.index.entries) >> 3))
        return bool(self.change.get(path)) or any(
            each.startswith(path + "/") for each in self.repository.index.by_path
        )

    def _check_operands(self, new: list[str]) -> None:
        for item in self.pathspec.items:
            if "exclude" in item.magic or not item.pattern:
                continue
            self._check_links(item)
            only = Pathspec([item], self.call.access.charge)
            if any(only.matches(path) for path in (*self.repository.index.by_path, *new)):
                continue
            if item.magic & {"glob", "icase"} or not self._exists(item):
                raise GitError(f"pathspec '{item.text}' did not match any files")

    def _check_links(self, item: Item) -> None:
        parts = item.pattern.rstrip("/").split("/")
        for count in range(1, len(parts)):
            found = self.call.access.stat(f"{self.repository.root}/{'/'.join(parts[:count])}")
            if found is not None and found.mode & 0o170000 == SYMLINK:
                raise GitError(f"pathspec '{item.text}' is beyond a symbolic link")

    def _exists(self, item: Item) -> bool:
        return self.call.access.stat(f"{self.repository.root}/{item.pattern}") is not None

    # ------------------------------------------------------------------ what is done

    def _tracked(self) -> list[str]:
        """Stage files of the index; return the lines about them."""
        options = self.options
        if options.renormalize:
            lines = []
            self.staging.warns = False
            for path in self.repository.index.by_path:
                if self.pathspec.matches(path):
                    if not self.staging.work.mode_of(path, None):
                        raise GitError(f"unable to stat '{path}': No such file or directory")
                    self.staging.stage(path, force_read=True)
                    lines.append(f"add '{path}'")
            return lines
        if options.intent:
            return self._intended_conflicts()
        return self.staging.update_tracked(self.pathspec, removes=options.removal is not False)

    def _intended_conflicts(self) -> list[str]:
        """Make files with conflicts such that are only intended to be added, as -N does; return lines about them."""
        lines = []
        for path, entries in self.repository.index.by_path.items():
            if entries[0].stage and self.pathspec.matches(path):
                mode = self.staging.work.mode_of(path, None)
                if mode:
                    self.change.put(entry_of(path, mode, EMPTY_BLOB)._replace(intended=True))
                    lines.append(f"add '{path}'")
        return lines

    def _refresh(self) -> None:
        for path in list(self.repository.index.by_path):
            if self.pathspec.matches(path):
                self.staging.refresh(path)

    def _add_new(self, paths: list[str]) -> bool:
        """Stage new files. Return True if one could not be staged."""
        failed = False
        for path in paths:
            name = path.rstrip("/")
            try:
                if path.endswith("/"):
                    self._check_embedded(name)
                if self.options.intent:
                    mode = self.staging.work.mode_of(name, None) or GITLINK  # a directory is a repository
                    self.change.put(entry_of(name, mode, EMPTY_BLOB)._replace(intended=True))
                else:
                    self.staging.stage(name)
            except GitError as error:
                if error.status == 128 and error.prefix == "fatal":
                    raise
                self.call.error(error.text())
                if not path.endswith("/") and "to index" not in str(error):
                    self.call.error(f"error: unable to index file '{name}'")
                if not self.options.ignore_errors:
                    raise GitError("adding files failed") from None
                failed = True
                continue
            self._report([f"add '{path}'"])
        return failed

    def _check_embedded(self, name: str) -> None:
        """Warn about a repository in the working tree. Raises GitError if it has no commit."""
        inner = self.staging.work.submodule(name)
        if inner is None or inner.refs.resolve("HEAD") is None:
            raise GitError(f"'{name}/' does not have a commit checked out", prefix="error")
        self.call.error(f"warning: adding embedded git repository: {name}")
        if not self.repository.config.boolean("advice.addembeddedrepo", True):
            return
        for line in _EMBEDDED.replace("{name}", name).split("\n"):
            self.call.error(f"hint: {line}")

    def _chmod(self) -> None:
        mode = 0o100755 if self.options.chmod == "+x" else 0o100644
        for entry in self.change.entries():
            if self.pathspec.matches(entry.path) and entry.mode & 0o170000 == 0o100000 and not entry.stage:
                self.change.put(entry._replace(mode=mode))


_EMBEDDED = """\
You've added another git repository inside your current repository.
Clones of the outer repository will not contain the contents of
the embedded repository and will not know how to obtain it.
If you meant to add a submodule, use:

	git submodule add <url> {name}

If you added this path by mistake, you can remove it from the
index with:

	git rm --cached {name}

See "git help submodule" for more information."""
