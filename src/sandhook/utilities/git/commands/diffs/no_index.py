"""git diff --no-index: compare two files that no repository needs to have.

Source: git-diff(1); git 2.39, diff-no-index.c.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from sandhook.utilities.git.diff.model import NULL_ID, Pair, Side
from sandhook.utilities.git.diff.options import DiffOptions
from sandhook.utilities.git.diff.output import DiffOutput
from sandhook.utilities.git.diff.patch import is_binary
from sandhook.utilities.git.diff.stat import Counts
from sandhook.utilities.git.errors import GitError
from sandhook.utilities.git.program import Invocation
from sandhook.utilities.git.store.access import encode
from sandhook.utilities.git.store.objects import SYMLINK, object_id
from sandhook.utilities.git.store.repository import Place, Repository
from sandhook.vfs.path import VirtualPath, join

_NOWHERE = "/dev/null"
_DEEPEST = 500  #: levels of directories


def run_no_index(call: Invocation, options: DiffOptions, operands: Sequence[str]) -> int:
    """Compare two files; return 1 if they differ."""
    if len(operands) != 2:
        raise GitError("usage: git diff --no-index [<options>] <path> <path>", prefix="", status=129)
    _check(options)
    found = call.find_repository()
    place = Place(f"{_NOWHERE}/.git", f"{_NOWHERE}/.git", None, "", ".git")
    repository = found if found is not None else Repository(call.access, call.options, place)
    names = _names(call, *operands)
    for name in names:
        if name not in ("-", _NOWHERE) and call.access.stat(_path(call, name)) is None:
            raise GitError(f"Could not access '{name}'", prefix="error", status=1)
    output = _Output(call, repository, options)
    if all(output.is_directory(name) for name in names):
        return _compare_directories(output, names)
    old, new = (output.side(name) for name in names)
    if options.reverse:
        old, new = new, old
    if old.exists and new.exists and (old.mode ^ new.mode) & 0o170000:
        raise GitError(
            "diff --no-index of a file and a symbolic link is not offered in the sandbox (L-GIT-003)",
            status=129,
        )
    same = (old.mode, output.load(old)) == (new.mode, output.load(new))
    pair = Pair(old, new, "A" if not old.exists else "D" if not new.exists else "M")
    if same or not (old.exists or new.exists):
        return 0
    problems = False if options.quiet else output.write([pair])
    return (2 if problems else 0) | int(output.changed([pair]))


def _compare_directories(output: _Output, names: Sequence[str]) -> int:
    """Compare all files of two directories; return 1 for differences."""
    pairs = [pair for pair in output.pairs(names[0], names[1], 0) if not output.is_same(pair)]
    pairs = output.with_renames(pairs)
    problems = False if output.options.quiet or not pairs else output.write(pairs)
    return (2 if problems else 0) | int(output.changed(pairs))


def _check(options: DiffOptions) -> None:
    """Raise GitError for options that apply to files of a repository."""
    table = (
        ("--diff-filter", options.filter is not None),
        ("-S and -G", options.pickaxe is not None or options.pickaxe_lines is not None),
        ("--relative", options.relative is not None),
        ("--dirstat", options.dirstat != ()),
        ("--check", options.check),
        ("--summary", options.summary or options.compact),
        ("-z", options.nul),
    )
    for name, is_set in table:
        if is_set:
            raise GitError(
                f"diff --no-index with {name} is not offered in the sandbox (L-GIT-003)", status=129
            )


def _path(call: Invocation, name: str) -> str:
    return str(join(VirtualPath(call.options.cwd), name))


def _names(call: Invocation, first: str, second: str) -> list[str]:
    """Return the files to compare: for a directory and a file, that of the same name in the directory."""
    names = [first, second]
    are_dirs = [name not in ("-", _NOWHERE) and call.access.is_dir(_path(call, name)) for name in names]
    for at, is_dir in enumerate(are_dirs):
        if is_dir and not all(are_dirs) and names[1 - at] != "-":
            names[at] = f"{names[at].rstrip('/')}/{names[1 - at].rpartition('/')[2]}"
    return names


class _Output(DiffOutput):
    """Prints the difference of two files by their names."""

    def __init__(self, call: Invocation, repository: Repository, options: DiffOptions) -> None:
        super().__init__(repository, options)
        self.mnemonic = ("1/", "2/")
        self._call = call
        self._data: dict[str, bytes] = {}

    def side(self, name: str) -> Side:
        """Return the file of a name."""
        if name == _NOWHERE:
            return Side(name, 0, NULL_ID)
        if name == "-":
            with self._call.ctx.stdin_reader() as reader:
                self._data[name] = reader.read_all()
            return Side(name, 0o100644, NULL_ID, True)
        path = _path(self._call, name)
        found = self._call.access.stat(path)
        mode = found.mode if found is not None else 0
        if mode & 0o170000 == SYMLINK:
            self._data[name] = encode(self._call.access.readlink(path))
            return Side(name, SYMLINK, NULL_ID, True)
        self._data[name] = self._call.access.read(path)
        return Side(name, 0o100755 if mode & 0o100 else 0o100644, NULL_ID, True)

    def is_directory(self, name: str) -> bool:
        """Return True for a directory, also one that a link of the command line names."""
        return name not in ("-", _NOWHERE) and self._call.access.is_dir(_path(self._call, name))

    def pairs(self, old: str, new: str, depth: int) -> Iterator[Pair]:
        """Yield the files of two directories, "" for one that does not exist, by their names."""
        if depth > _DEEPEST:
            self._call.ctx.budget.fail("nesting")
        listed = [self._listed(name) for name in (old, new)]
        for name in sorted(listed[0].keys() | listed[1].keys(), key=encode):
            self._call.access.charge(2)
            first, second = (
                f"{base.rstrip('/')}/{name}" if name in entries else ""
                for base, entries in zip((old, new), listed, strict=True)
            )
            is_dir = [entries.get(name, False) for entries in listed]
            files = [each if each and not inner else "" for each, inner in zip((first, second), is_dir)]
            if any(files):
                yield self._pair(*files)
            if any(is_dir):
                dirs = [each if inner else "" for each, inner in zip((first, second), is_dir)]
                yield from self.pairs(dirs[0], dirs[1], depth + 1)

    def _listed(self, name: str) -> dict[str, bool]:
        """Return the names in a directory, and whether they are directories."""
        entries = self._call.access.listdir(_path(self._call, name)) if name else []
        return {entry.name: entry.mode & 0o170000 == 0o040000 for entry in entries}

    def _pair(self, old: str, new: str) -> Pair:
        sides = [self._hashed(name) if name else Side("", 0, NULL_ID) for name in (old, new)]
        if not old or not new:
            return Pair(sides[0], sides[1], "D" if old else "A")
        is_other = (sides[0].mode ^ sides[1].mode) & 0o170000
        return Pair(sides[0], sides[1], "T" if is_other else "M")

    def _hashed(self, name: str) -> Side:
        side = self.side(name)
        data = self._data[name]
        self._call.access.charge(1 + (len(data) >> 10))
        self._call.ctx.budget.charge_memory(len(data) + 500)
        return side._replace(oid=object_id("blob", data))

    def is_same(self, pair: Pair) -> bool:
        """Return True for equal files."""
        return (pair.old.mode, pair.old.oid) == (pair.new.mode, pair.new.oid)

    def with_renames(self, pairs: list[Pair]) -> list[Pair]:
        """Return the pairs with renames, as the names of objects that no repository has are not printed."""
        shown = [_named(pair) for pair in pairs]
        places: dict[tuple[str, bool], int] = {}
        for at, pair in enumerate(shown):
            side = pair.old if self.options.reverse else pair.new  # ``complete`` exchanges the sides
            places[side.path, side.exists] = at
        found = sorted(self.complete(shown), key=lambda pair: places[pair.path, pair.new.exists])
        return [
            pair
            if pair.status in "AD"
            else pair._replace(old=pair.old._replace(oid=NULL_ID), new=pair.new._replace(oid=NULL_ID))
            for pair in found
        ]

    def load(self, side: Side) -> bytes:
        """Return the contents of one side."""
        return self._data.get(side.path, b"") if side.exists else b""

    def is_binary(self, side: Side, data: bytes) -> bool:
        """Return True for a file with a NUL."""
        return side.exists and is_binary(data)

    def _id(self, side: Side, data: bytes) -> str:
        return NULL_ID if side.path == "-" else super()._id(side, data)

    def counts(self, pair: Pair) -> Counts:
        """Return the changed lines; both names are shown if they differ."""
        counts = super().counts(pair)
        if counts.is_shown and pair.status in "MT" and pair.old.path != pair.new.path:
            return counts._replace(pair=pair._replace(status="R"))
        if not (pair.old.exists and pair.new.exists):
            old, new = (
                side if side.exists else side._replace(path=_NOWHERE) for side in (pair.old, pair.new)
            )
            return counts._replace(pair=pair._replace(old=old, new=new, status="R"))
        return counts._replace(pair=_named(pair))

    def write(self, pairs: list[Pair], default: str = "patch", *, without: Iterable[str] = ()) -> bool:
        """Print the difference. Return True for problems that --check reports."""
        forms = self.forms()
        if "name_only" in forms:  # in place of a file that was removed, git prints where it is now
            gone = (pair._replace(new=pair.new._replace(path=_NOWHERE)) for pair in pairs)
            pairs = [other if pair.status == "D" else pair for pair, other in zip(pairs, gone, strict=True)]
            return super().write(pairs, default, without=without)
        if "name_status" in forms or "raw" in forms:  # which name the first file
            shown = [_named(pair, first=True) for pair in pairs]
            super().write(shown, "", without=("patch",))
            if "name_status" in forms or not forms - {"raw"}:
                return False
            raise GitError(
                "diff --no-index --raw with another form is not offered in the sandbox (L-GIT-003)"
            )
        return super().write([_named(pair) for pair in pairs], default, without=without)

    def _write_patches(self, pairs: list[Pair]) -> None:
        super()._write_patches([self._without_slash(pair) for pair in pairs])

    def _without_slash(self, pair: Pair) -> Pair:
        """Return a pair whose names are below the prefixes a/ and b/."""
        sides = []
        for side in (pair.old, pair.new):
            short = side.path.removeprefix("/")
            if side.exists:
                self._data[short] = self.load(side)
            sides.append(side._replace(path=short))
        return pair._replace(old=sides[0], new=sides[1])


def _named(pair: Pair, *, first: bool = False) -> Pair:
    """Return a pair in which a file that does not exist has the name of the other one."""
    old, new = pair.old, pair.new
    if not old.exists:
        return pair._replace(old=old._replace(path=new.path))
    if not new.exists:
        return pair._replace(new=new._replace(path=old.path))
    shows_first = first and pair.status not in "RC"
    return pair._replace(new=new._replace(path=old.path)) if shows_first else pair
