"""git diff --no-index: compare two files that no repository needs to have.

Source: git-diff(1); git 2.39, diff-no-index.c.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.utilities.git.diff.model import NULL_ID, Pair, Side
from sandhook.utilities.git.diff.options import DiffOptions
from sandhook.utilities.git.diff.output import DiffOutput
from sandhook.utilities.git.diff.patch import is_binary
from sandhook.utilities.git.diff.stat import Counts
from sandhook.utilities.git.errors import GitError
from sandhook.utilities.git.program import Invocation
from sandhook.utilities.git.store.access import encode
from sandhook.utilities.git.store.objects import SYMLINK
from sandhook.utilities.git.store.repository import Place, Repository
from sandhook.vfs.path import VirtualPath, join

_NOWHERE = "/dev/null"


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
    if all(are_dirs):
        raise GitError(
            "diff --no-index of directories is not offered in the sandbox: use diff -ru (L-GIT-003)",
            status=129,
        )
    for at, is_dir in enumerate(are_dirs):
        if is_dir and names[1 - at] != "-":
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
        if counts.is_shown and pair.status == "M" and pair.old.path != pair.new.path:
            return counts._replace(pair=pair._replace(status="R"))
        return counts._replace(pair=_named(pair))

    def write(self, pairs: list[Pair], default: str = "patch", *, without: str = "") -> bool:
        """Print the difference. Return True for problems that --check reports."""
        forms = self.forms()
        if "name_status" in forms or "raw" in forms:  # which name the first file
            shown = [_named(pair, first=True) for pair in pairs]
            super().write(shown, "", without="patch")
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
    return pair._replace(new=new._replace(path=old.path)) if first else pair
