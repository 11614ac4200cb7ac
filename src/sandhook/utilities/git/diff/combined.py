"""Differences between a file and several parents: what --cc and -c print for merges, and for files with conflicts.

Source: git 2.39, combine-diff.c.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from sandhook.record import Record
from sandhook.utilities.git.diff.combining import Combination
from sandhook.utilities.git.diff.model import NULL_ID, Pair, Side
from sandhook.utilities.git.diff.output import DiffOutput
from sandhook.utilities.git.diff.painting import Palette, painted
from sandhook.utilities.git.diff.patch import normalizer, prefixed
from sandhook.utilities.git.diff.trees import compare_trees
from sandhook.utilities.git.diff.xdiff import split_lines
from sandhook.utilities.git.names.colors import RESET
from sandhook.utilities.git.names.pathspec import Pathspec
from sandhook.utilities.git.names.quote import quote_two
from sandhook.utilities.git.store.access import encode
from sandhook.utilities.git.store.index import order

_OURS, _THEIRS = 2, 3  #: stages of a file with conflicts


class Merged(Record):
    """A file that differs from all of its parents.

    Fields:
        parents: The file in each parent. letters: How it differs from each, "MA".
    """

    new: Side
    parents: tuple[Side, ...]
    letters: str

    @property
    def path(self) -> str:
        """The path of the file."""
        return self.new.path


def merged_files(
    output: DiffOutput, parents: Sequence[str], tree: str, pathspec: Pathspec
) -> tuple[Merged, ...]:
    """Return the files of a tree that differ from those of every parent, which are trees."""
    objects = output.repository.objects
    sides: list[dict[str, Pair]] = [
        {pair.path: pair for pair in output.complete(compare_trees(objects, parent, tree, pathspec))}
        for parent in parents
    ]
    shared = set.intersection(*(set(side) for side in sides))
    return tuple(
        Merged(
            sides[0][path].new,
            tuple(side[path].old for side in sides),
            "".join(side[path].status for side in sides),
        )
        for path in sorted(shared, key=order)
    )


def conflicting_files(output: DiffOutput, pathspec: Pathspec) -> tuple[Merged, ...]:
    """Return the files with conflicts that both sides have, with the files of the working tree as results."""
    work = output.work
    result = []
    for path, entries in output.repository.index.by_path.items():
        stages = {entry.stage: Side(path, entry.mode, entry.oid) for entry in entries}
        if _OURS in stages and _THEIRS in stages and pathspec.matches(path):
            new = Side(path, work.mode_of(path, None), NULL_ID, True)
            result.append(Merged(new, (stages[_OURS], stages[_THEIRS]), "MM"))
    return tuple(result)


def write_merge(
    output: DiffOutput, files: Sequence[Merged], stat: Iterable[Pair], *, dense: bool, patch: bool
) -> None:
    """Print the differences between a merge and its parents.

    Args:
        stat: What differs from the first parent, for --stat. patch: A patch is the default form.
    """
    options, repository = output.options, output.repository
    wants_stat = output.wants_stat()
    wants_names = options.name_only or options.name_status or options.raw
    if wants_stat:
        output.write(list(stat), "", without=("patch", "raw"))
    if wants_names:
        write_names(output, files)
    if not files:
        return
    if options.patch or (patch and options.patch is not None and not (wants_names or wants_stat)):
        if wants_names or wants_stat:
            repository.ctx.write(encode(output.line_prefix + ("\0" if options.nul else "\n")))
        write_patches(output, files, dense=dense)


def write_names(output: DiffOutput, files: Iterable[Merged]) -> None:
    """Print --raw, --name-status or --name-only."""
    options, repository = output.options, output.repository
    nul = options.nul
    for file in files:
        name = file.path if nul else quote_two("", file.path, repository.quotes_wide)
        fields = "" if options.name_only else _status_fields(output, file) + ("\0" if nul else "\t")
        repository.ctx.write(encode(f"{output.line_prefix}{fields}{name}" + ("\0" if nul else "\n")))


def _status_fields(output: DiffOutput, file: Merged) -> str:
    """Return the letters, and for --raw the modes and objects, of a file in all parents."""
    if output.options.name_status:
        return file.letters
    sides = (*file.parents, file.new)
    modes = " ".join(f"{side.mode:06o}" for side in sides)
    short = output.abbreviate if output.porcelain or output.options.abbrev is not None else str
    return f"{':' * len(file.parents)}{modes} {' '.join(short(side.oid) for side in sides)} {file.letters}"


def write_patches(output: DiffOutput, files: Iterable[Merged], *, dense: bool) -> None:
    """Print the combined patch of each file."""
    for file in files:
        for piece in _patch(output, file, dense=dense):
            output.repository.ctx.write(piece)


def _patch(output: DiffOutput, file: Merged, *, dense: bool) -> Iterator[bytes]:
    appearance = output.appearance
    palette = appearance.palette if appearance.colored else None
    data = [output.load(side) for side in (*file.parents, file.new)]
    sides = (*file.parents, file.new)
    new_modes = any(side.mode != file.new.mode for side in file.parents)
    if any(
        output.is_binary(side, each) for side, each in zip(sides, data, strict=True)
    ):  # --text has no effect
        head = encode("".join(_header(output, file, dense=dense, new_modes=new_modes, marks=False)))
        yield _prefixed(output, head if palette is None else _painted_head(head, palette))
        yield b"Binary files differ\n"  # in a graph, too, it stands alone
        return
    known: dict[str, list[bytes]] = {}
    parents = [
        known.setdefault(side.oid, split_lines(each)) for side, each in zip(file.parents, data, strict=False)
    ]
    combination = None
    if file.new.exists or not file.new.in_work_tree:
        combination = Combination(
            split_lines(data[-1]),
            parents,
            output.repository.access.charge,
            dense=dense,
            context=output.style().context,
            algorithm=output.algorithm(),
            key=normalizer(output.options),
        )
    if new_modes or file.new.in_work_tree or (combination is not None and combination.has_hunks()):
        head = encode("".join(_header(output, file, dense=dense, new_modes=new_modes, marks=True)))
        yield _prefixed(output, head if palette is None else _painted_head(head, palette))
        for hunk in combination.hunks() if combination is not None else ():
            yield _prefixed(
                output, hunk if palette is None else _painted_hunk(hunk, len(file.parents), palette)
            )


def _painted_head(head: bytes, palette: Palette) -> bytes:
    """Return the lines before the first hunk in colour."""
    return b"".join(painted(palette.meta, line) + b"\n" for line in head.splitlines())


def _painted_hunk(piece: bytes, parents: int, palette: Palette) -> bytes:
    """Return the first line of a hunk, or the lines after it, in colour."""
    marks = b"@" * (parents + 1)
    if piece.startswith(marks):
        line = piece.removesuffix(b"\n")
        end = line.index(marks, len(marks)) + len(marks)
        text = palette.frag + line[:end]
        if heading := line[end:].removeprefix(b" "):
            text += RESET.encode() + painted(palette.context, b" ") + palette.func + heading
        return text + RESET.encode() + b"\n"
    pieces = []
    for line in piece.split(b"\n")[:-1]:
        columns = line[:parents]
        color = palette.old if b"-" in columns else palette.new if b"+" in columns else palette.context
        shown = line.removesuffix(b"\r")
        pieces.append(painted(color, shown) + line[len(shown) :] + b"\n")
    return b"".join(pieces)


def _prefixed(output: DiffOutput, text: str | bytes) -> bytes:
    """Return lines after the prefix that a graph or --line-prefix has."""
    data = encode(text) if isinstance(text, str) else text
    mark = encode(output.line_prefix)
    return b"".join(prefixed(mark, (data,))) if mark else data


def _header(output: DiffOutput, file: Merged, *, dense: bool, new_modes: bool, marks: bool) -> Iterator[str]:
    """Yield the lines before the first hunk."""
    style = output.style()
    wide = style.quotes_wide
    yield f"diff --{'cc' if dense else 'combined'} {quote_two('', file.path, wide)}\n"
    short = output.full_abbreviate
    yield f"index {','.join(short(side.oid) for side in file.parents)}..{short(file.new.oid)}\n"
    deleted = new_modes and not file.new.exists
    added = new_modes and not deleted and set(file.letters) == {"A"}
    if added:
        yield f"new file mode {file.new.mode:06o}\n"
    elif new_modes:
        modes = ",".join(f"{side.mode:06o}" for side in file.parents)
        yield f"{'deleted file ' * deleted}mode {modes}" + (
            f"..{file.new.mode:06o}\n" if not deleted else "\n"
        )
    if marks:
        old_prefix, new_prefix = style.old_prefix, style.new_prefix
        if output.options.reverse and output.options.old_prefix is None:  # -R has no effect here
            old_prefix, new_prefix = new_prefix, old_prefix
        old = "/dev/null" if added else quote_two(old_prefix, file.path, wide)
        new = "/dev/null" if deleted else quote_two(new_prefix, file.path, wide)
        yield f"--- {old}\n+++ {new}\n"
