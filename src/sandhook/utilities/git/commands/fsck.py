"""git fsck: check that all objects can be read, and that all objects which others name exist.

Source: git-fsck(1); git 2.39, builtin/fsck.c.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sandhook.command.options import also, opt, option_set
from sandhook.utilities.git.arguments import Parser
from sandhook.utilities.git.errors import GitError, MissingObject
from sandhook.utilities.git.history.names import Names
from sandhook.utilities.git.program import Invocation
from sandhook.utilities.git.store.objects import EMPTY_BLOB, EMPTY_TREE, GITLINK, TREE, object_id
from sandhook.utilities.git.store.refs import Refs
from sandhook.utilities.git.store.repository import Repository
from sandhook.utilities.git.store.writing import replace_file

_DAMAGED, _MISSING = 1, 2
_LEAST_TABLE = 32  #: of git's table of objects, whose order is that of the output


@option_set
class Options:
    """Options of git fsck."""

    dangling: bool = also(opt("--dangling", default=True), opt("--no-dangling", const=False))
    unreachable: bool = opt("--unreachable")
    root: bool = opt("--root")
    tags: bool = opt("--tags")
    cache: bool = opt("--cache")
    reflogs: bool = also(opt("--reflogs", default=True), opt("--no-reflogs", const=False))
    connectivity: bool = opt("--connectivity-only")
    full: bool = also(opt("--full", default=True), opt("--no-full", const=False))
    strict: bool = opt("--strict")
    lost: bool = opt("--lost-found")
    progress: bool = also(opt("--progress"), opt("--no-progress", const=False))
    verbose: bool = also(opt("-v"), opt("--verbose"))
    names: bool = opt("--name-objects")


def run(call: Invocation, arguments: Sequence[str]) -> int:
    """Return 0, 1 for damaged objects, plus 2 for missing ones."""
    parsed = Parser(Options).parse(arguments)
    options, operands = parsed.of(Options), [*parsed.operands, *(parsed.paths or ())]
    for name, is_set in (
        ("-v", options.verbose), ("--name-objects", options.names),
        ("--no-full", not options.full),
    ):  # fmt: skip
        if is_set:
            raise GitError(f"fsck {name} is not offered in the sandbox (L-GIT-003)", status=129)
    if options.lost:
        call.check_may_write()
    return _Check(call, options).run(operands)


class _Check:
    """One check of a repository."""

    def __init__(self, call: Invocation, options: Options) -> None:
        self.call = call
        self.options = options
        self.repository: Repository = call.repository
        self.objects = self.repository.objects
        self.objects.read_as_they_are()
        self.kinds: dict[str, str] = {}  #: of all objects that the repository has
        self.links: dict[str, list[tuple[str, str]]] = {}  #: what an object names, with the types
        self.status = 0

    def _keep(self, oid: str) -> None:
        """Write a dangling object to the directory lost-found: the contents of a file, the name of another one."""
        kind = self.kinds[oid]
        place = "commit" if kind == "commit" else "other"
        data = self.objects.get(oid).data if kind == "blob" else f"{oid}\n".encode()
        replace_file(self.call.access, f"{self.repository.git_dir}/lost-found/{place}/{oid}", data)

    def run(self, operands: Sequence[str]) -> int:
        self._read_all()
        names = Names(self.repository)
        starts = [self._start(names, word) for word in operands] or list(self._starts())
        reached = self._reached([each for each in starts if each in self.kinds])
        self._report(reached)
        return self.status

    def _start(self, names: Names, word: str) -> str:
        oid = names.find(word)
        if oid is None:
            self.call.error(f"error: invalid parameter: expected sha1, got '{word}'")
            self.status |= _DAMAGED
        return oid or ""

    def _read_all(self) -> None:
        """Read all objects, and report damaged ones."""
        write = self.call.ctx.write_line
        for oid in dict.fromkeys(self.objects):
            self.call.access.charge(4)
            self.call.ctx.budget.charge_memory(300)
            try:
                found = self.objects.get(oid)
                self.call.access.charge(1 + (len(found.data) >> 10))
                if object_id(found.kind, found.data) != oid:
                    raise MissingObject(f"{oid}: hash-path mismatch")
                self.links[oid] = list(self._named_by(oid, found.kind))
            except MissingObject as error:
                self.call.error(f"error: {error}")
                self.status |= _DAMAGED
                continue
            self.kinds[oid] = found.kind
            if self.options.root and found.kind == "commit" and not self.objects.commit(oid).parents:
                write(f"root {oid}")
            if self.options.tags and found.kind == "tag":
                tag = self.objects.tag(oid)
                write(f"tagged {tag.kind} {tag.target} ({tag.name}) in {oid}")

    def _named_by(self, oid: str, kind: str) -> Iterator[tuple[str, str]]:
        """Yield the objects that an object names, with their types."""
        if kind == "commit":
            commit = self.objects.commit(oid)
            yield commit.tree, "tree"
            for parent in commit.parents:
                yield parent, "commit"
        elif kind == "tree":
            for item in self.objects.tree(oid):
                if item.mode != GITLINK:
                    yield item.oid, "tree" if item.mode == TREE else "blob"
        elif kind == "tag":
            tag = self.objects.tag(oid)
            yield tag.target, tag.kind

    def _starts(self) -> Iterator[str]:
        """Yield the objects of references, of reflogs and of the index."""
        repository = self.repository
        if repository.refs.resolve("HEAD") is None and (branch := repository.head_branch()):
            self.call.error(f"notice: HEAD points to an unborn branch ({branch.removeprefix('refs/heads/')})")
            if not repository.refs.all("refs/"):
                self.call.error("notice: No default references")
        common = repository.common
        trees = [
            f"{common}/worktrees/{each.name}" for each in self.call.access.listdir(f"{common}/worktrees")
        ]
        for directory in dict.fromkeys((repository.git_dir, common, *trees)):
            yield Refs(self.call.access, directory, common).resolve("HEAD") or ""
        for name, oid in repository.refs.all("refs/").items():
            if not self.objects.has(oid):
                self.call.error(f"error: {name}: invalid sha1 pointer {oid}")
                self.status |= _MISSING
            yield oid
        if self.options.reflogs:
            for name in ("HEAD", *repository.refs.all("refs/")):
                for entry in repository.refs.log(name):
                    yield from (entry.old, entry.new)
        for file in repository.index:
            yield file.oid if file.mode != GITLINK else ""

    def _reached(self, starts: Sequence[str]) -> set[str]:
        reached, stack = set(starts), list(starts)
        while stack:
            self.call.access.charge(1)
            for oid, _ in self.links.get(stack.pop(), ()):
                if oid not in reached:
                    reached.add(oid)
                    if oid in self.links:
                        stack.append(oid)
        return reached

    def _missing(self, reached: set[str]) -> dict[str, str]:
        """Report links to directories and commits that the repository lacks; return all objects that it lacks."""
        missing: dict[str, str] = {}
        for oid in self._in_order([each for each in reached if each in self.links]):
            for target, kind in self.links[oid]:
                if target in self.kinds or target in (EMPTY_TREE, EMPTY_BLOB):
                    continue
                missing[target] = kind
                if kind != "blob":
                    self.call.ctx.write_line(
                        f"broken link from {self.kinds[oid]:>7} {oid}\n              to {kind:>7} {target}"
                    )
        return missing

    def _report(self, reached: set[str]) -> None:
        """Print the objects that are missing, and those that nothing reaches."""
        missing = self._missing(reached)
        rest = {oid for oid in self.kinds if oid not in reached}
        named = {target for oid in rest for target, _ in self.links[oid]}
        for oid in self._in_order([*missing, *rest]):
            if oid in missing:
                self.call.ctx.write_line(f"missing {missing[oid]} {oid}")
                self.status |= _MISSING
            elif self.options.unreachable:
                self.call.ctx.write_line(f"unreachable {self.kinds[oid]} {oid}")
            elif oid not in named and (self.options.dangling or self.options.lost):
                if self.options.dangling:
                    self.call.ctx.write_line(f"dangling {self.kinds[oid]} {oid}")
                if self.options.lost:
                    self._keep(oid)

    def _in_order(self, oids: Sequence[str]) -> list[str]:
        """Return objects in the order of git's table, which their first four bytes give."""
        size = _LEAST_TABLE
        while size - 1 <= len(self.kinds) * 2:
            size *= 2

        def place(oid: str) -> tuple[int, str]:
            return int.from_bytes(bytes.fromhex(oid[:8]), "little") & (size - 1), oid

        return sorted(oids, key=place)
