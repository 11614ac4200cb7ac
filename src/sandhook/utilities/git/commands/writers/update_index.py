"""git update-index and write-tree: change the index by the names of files, and write its tree.

Source: git-update-index(1), git-write-tree(1); git 2.39, builtin/update-index.c.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sandhook.command.options import also, opt, option_set
from sandhook.lazy import lazily
from sandhook.utilities.git.arguments import Parser
from sandhook.utilities.git.diff.trees import compare_with_index
from sandhook.utilities.git.errors import GitError
from sandhook.utilities.git.history.names import Names
from sandhook.utilities.git.names.pathspec import Pathspec, from_top
from sandhook.utilities.git.names.quote import unquote
from sandhook.utilities.git.program import Invocation
from sandhook.utilities.git.store.access import decode
from sandhook.utilities.git.store.index_writing import IndexChange, entry_of, write_tree
from sandhook.utilities.git.store.objects import GITLINK, SYMLINK, TREE
from sandhook.utilities.git.work.checkout import check_path
from sandhook.utilities.git.work.staging import Staging

_OID = lazily("[0-9a-f]{40}")


def is_octal(text: str) -> bool:
    """Return True for a mode."""
    return 0 < len(text) < 8 and all(c in "01234567" for c in text)


@option_set
class Options:
    """Options of git update-index."""

    add: bool = opt("--add")
    remove: bool = opt("--remove")
    force_remove: bool = opt("--force-remove")
    refresh: bool = also(opt("--refresh"), opt("--really-refresh"))
    quiet: bool = opt("-q")
    ignore_submodules: bool = opt("--ignore-submodules")
    ignore_missing: bool = opt("--ignore-missing")
    unmerged: bool = opt("--unmerged")
    again: bool = also(opt("-g"), opt("--again"))
    assume: bool | None = also(
        opt("--assume-unchanged", default=None), opt("--no-assume-unchanged", const=False)
    )
    skip: bool | None = also(opt("--skip-worktree", default=None), opt("--no-skip-worktree", const=False))
    chmod: str | None = opt("--chmod", "MODE", "")
    stdin: bool = opt("--stdin")
    nul: bool = opt("-z")
    verbose: bool = opt("--verbose")
    index_info: bool = opt("--index-info")
    cache_info: tuple[str, ...] = opt("--cacheinfo", "MODE,OBJECT,PATH", "", append=True)


@option_set
class TreeOptions:
    """Options of git write-tree."""

    missing_ok: bool = opt("--missing-ok")
    prefix: str | None = opt("--prefix", "DIR", "")


def run(call: Invocation, arguments: Sequence[str]) -> int:
    """Return 0; 1 if --refresh finds files that were changed."""
    words = _with_joined_objects(arguments)
    parsed = Parser(Options).parse(words)
    options = parsed.of(Options)
    operands = [*parsed.operands, *(parsed.paths or ())]
    if (
        not options.refresh
        or operands
        or options.stdin
        or options.again
        or options.cache_info
        or options.index_info
    ):
        call.check_may_write()
    call.repository.root  # noqa: B018  # raises without a working tree
    change = _Change(call, options, words)
    status = change.refresh() if options.refresh else 0
    if options.index_info:
        with call.ctx.stdin_reader() as reader:
            change.add_lines(decode(reader.read_all()).split("\0" if options.nul else "\n"))
    added = 0
    for so_far, names in _in_order(call, words):
        change.options = so_far
        if so_far.chmod not in (None, "+x", "-x"):
            raise GitError('option \'chmod\' expects "+x" or "-x"', prefix="error", status=129)
        for text in so_far.cache_info[added:]:
            change.add_object(text)
        added = len(so_far.cache_info)
        change.update_all(names)
    if options.stdin:
        with call.ctx.stdin_reader() as reader:
            names = decode(reader.read_all()).split("\0" if options.nul else "\n")
        change.update_all([each if options.nul else unquote(each) for each in names if each])
    if options.again:
        change.again()
    change.write()
    return status


def _with_joined_objects(arguments: Sequence[str]) -> list[str]:
    """Return the arguments with "--cacheinfo MODE OBJECT PATH", as older scripts write it, in one word."""
    words = list(arguments)
    result: list[str] = []
    at = 0
    while at < len(words) and words[at] != "--":
        if words[at] == "--cacheinfo" and at + 3 < len(words) and "," not in words[at + 1]:
            result.append(f"--cacheinfo={','.join(words[at + 1 : at + 4])}")
            at += 4
        else:
            result.append(words[at])
            at += 1
    return result + words[at:]


def _in_order(call: Invocation, words: list[str]) -> Iterator[tuple[Options, Sequence[str]]]:
    """Yield operands with the options before them: later ones do not apply to them."""
    before: list[str] = []
    rest = words
    while True:
        call.access.charge(1 + (len(words) >> 3))
        parsed = Parser(Options, stop=True).parse([*before, *rest])
        if not parsed.operands:
            yield parsed.of(Options), parsed.paths or ()
            return
        every = parsed.operands
        before = [*before, *rest][: len(before) + len(rest) - len(every)]
        end = next((at for at, word in enumerate(every) if word[:1] == "-" != word), len(every))
        yield parsed.of(Options), every[:end]
        rest = every[end:]


_REFRESHES = ("--refresh", "--really-refresh")


class _Change:
    """The changes of one call."""

    def __init__(self, call: Invocation, options: Options, arguments: Sequence[str]) -> None:
        self.call = call
        self.options = options
        words = list(arguments)
        at = next((at for at, word in enumerate(words) if word in _REFRESHES), len(words))
        self.quiet = "-q" in words[:at]  # --refresh acts at once: what follows it has no effect on it
        self.change = IndexChange(call.repository)
        self.staging = Staging(call.repository, self.change)

    def write(self) -> None:
        """Write the index, if it was changed and may be written: --refresh alone needs no permission."""
        for warning in self.staging.warnings:
            self.call.error(warning)
        if self.change.changed and self.call.may_write:
            self.change.write()

    def update_all(self, names: Sequence[str]) -> None:
        """Make the entries of operands those of their files."""
        repository = self.call.repository
        for name in names:
            self.update(from_top(name, repository.prefix, repository.root, name))

    def refresh(self) -> int:
        """Read stat data anew; report files that differ and return 1 for them."""
        status = 0
        for path, entries in list(self.call.repository.index.by_path.items()):
            if entries[0].stage:
                if not self.options.unmerged:
                    self._needs(path, "merge")
                    status = 1
                continue
            if self.options.ignore_missing and self.call.access.stat(self.staging.work.path(path)) is None:
                continue
            if self.staging.refresh(path) and not self.quiet:
                self._needs(path, "update")
                status = 1
        return status

    def _needs(self, path: str, what: str) -> None:
        self.call.ctx.write_line(f"{path}: needs {what}")

    def add_object(self, text: str) -> None:
        """Add "mode,object,path"."""
        mode, _, rest = text.partition(",")
        oid, _, path = rest.partition(",")
        if mode not in ("100644", "100755", "120000", "160000") or len(oid) != 40 or not path:
            raise GitError("option 'cacheinfo' expects <mode>,<sha1>,<path>", prefix="error", status=129)
        check_path(path)
        if not self.options.add and not self.change.get(path):
            raise GitError(f"{path}: cannot add to the index - missing --add option?", prefix="error")
        self.change.put(entry_of(path, int(mode, 8), oid))

    def add_lines(self, lines: Sequence[str]) -> None:
        """Add or remove the entries of --index-info: "MODE OBJECT[ STAGE]", or "MODE TYPE OBJECT", a tab and the path.

        Raises:
            GitError: A line has another form, or an entry of a conflict, which is not offered.
        """
        for line in lines:
            if not line:
                continue
            self.call.access.charge(2)
            head, tab, path = line.partition("\t")
            words = head.split(" ")
            is_typed = len(words) == 3 and words[1] in ("blob", "commit", "tree")
            stage = words[2] if len(words) == 3 and not is_typed else "0"
            oid = words[2] if is_typed else words[1] if len(words) > 1 else ""
            if (
                not tab
                or not is_octal(words[0])
                or not _OID.fullmatch(oid)
                or stage not in ("0", "1", "2", "3")
            ):
                raise GitError(f"malformed index info {line}")
            name = path if self.options.nul else unquote(path)
            check_path(name)
            if int(words[0], 8) == 0:
                self.change.remove(name)
            elif stage != "0":
                raise GitError(
                    "update-index --index-info of a conflict is not offered in the sandbox (L-GIT-003)"
                )
            else:
                mode = int(words[0], 8)
                regular = 0o100755 if mode & 0o100 else 0o100644
                self.change.put(entry_of(name, mode if mode in (SYMLINK, GITLINK) else regular, oid))

    def update(self, path: str) -> None:
        """Make the entry of a path that of its file."""
        options, access = self.options, self.call.access
        if options.assume is not None or options.skip is not None:
            self._mark(path)
            return
        found = access.stat(self.staging.work.path(path))
        is_known = bool(self.change.get(path))
        if options.force_remove:
            self.change.remove(path)
            self._print(f"remove '{path}'")
            return
        if found is None:
            if not options.remove:
                self.call.error(f"error: {path}: does not exist and --remove not passed")
                raise GitError(f"Unable to process path {path}")
            self.change.remove(path)
            self._print(f"remove '{path}'")
            return
        if not is_known and not options.add:
            self.call.error(f"error: {path}: cannot add to the index - missing --add option?")
            raise GitError(f"Unable to process path {path}")
        self.staging.stage(path)
        self._print(f"add '{path}'")
        if options.chmod is not None:
            entry = self.change.get(path)[0]
            self.change.put(entry._replace(mode=0o100755 if options.chmod == "+x" else 0o100644))
            self._print(f"chmod {options.chmod} '{path}'")

    def _mark(self, path: str) -> None:
        """Set or clear the bits of an entry that have git ignore its file."""
        entries = self.change.get(path)
        if not entries or entries[0].stage:
            raise GitError(f"Unable to mark file {path}")
        assumed, skipped = self.options.assume, self.options.skip
        if assumed is not None:
            self.change.put(entries[0]._replace(assumed=assumed), fresh=False)
            return
        self.change.put(entries[0]._replace(skipped=bool(skipped)), fresh=False)

    def _print(self, text: str) -> None:
        if self.options.verbose:
            self.call.ctx.write_line(text)

    def again(self) -> None:
        """Update the files whose entries differ from HEAD."""
        repository = self.call.repository
        head = repository.refs.resolve("HEAD")
        if head is None:
            return
        tree = repository.objects.tree_of(head)
        everything = Pathspec([], self.call.access.charge)
        for pair in list(compare_with_index(repository.objects, tree, repository.index, everything)):
            if pair.status != "D":
                self.update(pair.path)


def run_write_tree(call: Invocation, arguments: Sequence[str]) -> int:
    """Print the name of the tree of the index; return 0."""
    parsed = Parser(TreeOptions).parse(arguments)
    if parsed.operands or parsed.paths:
        raise GitError("usage: git write-tree [--missing-ok]", prefix="", status=129)
    unmerged = [entry for entry in call.repository.index if entry.stage]
    for entry in unmerged:
        call.error(f"{entry.path}: unmerged ({entry.oid})")
    if unmerged:
        raise GitError("git-write-tree: error building trees")
    options = parsed.of(TreeOptions)
    top = write_tree(call.repository, call.repository.index.entries, missing_ok=options.missing_ok)
    prefix = options.prefix
    if prefix is not None:
        item = Names(call.repository).tree_item(top, prefix.strip("/")) if prefix.strip("/") else (TREE, top)
        if item is None or item[0] != TREE:
            raise GitError(f"git-write-tree: prefix {prefix} not found")
        top = item[1]
    call.ctx.write_line(top)
    return 0
