"""diff3: compare three files, or merge the changes of two of them.

Oracle: GNU diffutils 3.8.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from sandhook.command.context import Context, Failure
from sandhook.command.operands import reason
from sandhook.command.options import VERSION, UsageError, also, opt, option_set
from sandhook.utilities.compare.sides import is_binary, split_lines
from sandhook.utilities.extras.diff3.blocks import ALL, FIRST, SECOND, THIRD, Block, blocks

WRITE_ERROR = {"": "standard output: {}", "large": "write failed"}

USAGE_STATUS = 2
NAMED_HINT = True
_OLD, _YOURS = 1, 2
_END = b"\\ No newline at end of file\n"


@option_set
class Options:
    """diff3 [OPTION]... MYFILE OLDFILE YOURFILE

    Show where three files differ, or (-e and similar options) print an ed script that applies the changes from OLDFILE to
    YOURFILE to MYFILE, or (-m) print MYFILE with these changes.
    """

    kinds: tuple[str, ...] = also(
        opt("-A", "--show-all", help="all changes, conflicts in brackets", const="A", append=True),
        opt("-e", "--ed", help="changes from OLDFILE to YOURFILE", const="e", append=True),
        opt("-E", "--show-overlap", help="like -e, conflicts in brackets", const="E", append=True),
        opt("-3", "--easy-only", help="like -e, changes that do not overlap", const="3", append=True),
        opt("-x", "--overlap-only", help="like -e, changes that overlap", const="x", append=True),
        opt("-X", help="like -x", const="X", append=True),
    )
    finish: bool = opt("-i", help="end the script of ed with w and q")
    merge: bool = opt("-m", "--merge", help="print the merged file, by default with -A")
    text: bool = opt("-a", "--text", help="compare binary files as text")
    strip: bool = opt("--strip-trailing-cr", help="drop carriage returns at the end of lines")
    tab: bool = opt("-T", "--initial-tab", help="a tab before lines")
    labels: tuple[str, ...] = opt("-L", "--label", "LABEL", "LABEL instead of a file's name", append=True)
    version: bool = opt("-v", help="show the version", const=VERSION)


def run(options: Options, operands: Sequence[str], ctx: Context) -> int:
    """Return 0, 1 when there were conflicts, 2 after an error."""
    kinds = options.kinds or (("A",) if options.merge else ())
    if len(kinds) > 1 or (options.finish and options.merge):
        raise UsageError("incompatible options")
    if len(options.labels) > 3:
        raise UsageError("too many file label options")
    if len(operands) < 3:
        raise UsageError(f"missing operand after '{operands[-1] if operands else 'diff3'}'")
    if len(operands) > 3:
        raise UsageError(f"extra operand '{operands[3]}'")
    labels = [*options.labels, *operands[len(options.labels) :]]
    files = [_lines(name, options, ctx) for name in operands]
    kind = kinds[0] if kinds else ""
    common = _OLD if kind else _YOURS
    all_blocks = blocks(files, common, ctx.budget)
    if not kind:
        for block in all_blocks:
            _show(block, files, b"\t" if options.tab else b"  ", ctx)
        return 0
    merger = _Merger(kind, files, labels, ctx)
    if options.merge:
        merger.print_merged(all_blocks)
    else:
        merger.print_script(all_blocks, finish=options.finish)
    return 1 if merger.conflicts else 0


def _lines(name: str, options: Options, ctx: Context) -> list[bytes]:
    try:
        with ctx.open(name) as reader:
            data = reader.read_all()
    except OSError as error:
        raise Failure(f"{name}: {reason(error)}") from None
    ctx.budget.check_fits(2 * len(data) + 60 * data.count(b"\n"))
    if not options.text and is_binary(data):
        raise Failure(f"Binary file {name} cannot be compared: use -a")
    lines = split_lines(data, ctx.charge)
    if options.strip:
        lines = [line.removesuffix(b"\r\n") + b"\n" if line.endswith(b"\r\n") else line for line in lines]
    return lines


def _show(block: Block, files: Sequence[Sequence[bytes]], prefix: bytes, ctx: Context) -> None:
    """Print one block in the default format."""
    ctx.write_line(f"===={block.odd}")
    unprinted = {ALL: -1, FIRST: 1}.get(block.odd, 0)
    for at in (0, 2, 1) if block.odd == SECOND else (0, 1, 2):
        first, last = block.ranges[at]
        if first == last:
            ctx.write_line(f"{at + 1}:{first}a")
        else:
            ctx.write_line(f"{at + 1}:{_range(first, last)}c")
        if at != unprinted:
            for line in files[at][first:last]:
                ctx.charge()
                ctx.write(prefix + (line if line[-1:] == b"\n" else line + b"\n" + _END))


def _range(first: int, last: int) -> str:
    return f"{first + 1}" if last - first < 2 else f"{first + 1},{last}"


class _Merger:
    """Merges the changes into the first file.

    Attributes:
        conflicts: Whether there were conflicts.
    """

    def __init__(
        self, kind: str, files: Sequence[Sequence[bytes]], labels: Sequence[str], ctx: Context
    ) -> None:
        self._files = files
        self._labels = [label.encode("utf-8", "surrogateescape") for label in labels]
        self._ctx = ctx
        self._old = kind == "A"
        self._brackets = kind in ("A", "E")
        self._overlaps = kind in ("x", "X")
        self._easy = kind == "3"
        self.conflicts = False

    def _conflict_status(self, block: Block) -> bool | None:
        """Return None for a block to leave unchanged, else whether it is a conflict."""
        if block.odd == FIRST or (block.odd == SECOND and not self._old):
            return None
        if block.odd == SECOND:
            return True
        if block.odd == THIRD:
            return None if self._overlaps else False
        return None if self._easy else self._brackets

    def _block_lines(self, block: Block, at: int) -> Sequence[bytes]:
        first, last = block.ranges[at]
        return self._files[at][first:last]

    def print_merged(self, blocks_to_merge: Sequence[Block]) -> None:
        """Print the merged file."""
        mine, (first, second, third) = self._files[0], self._labels
        at = 0
        write = self._write_lines
        for block in blocks_to_merge:
            conflict = self._conflict_status(block)
            if conflict is None:
                continue
            write(mine[at : block.ranges[0][0]])
            at = block.ranges[0][1]
            if conflict:
                self.conflicts = True
                if block.odd == ALL:
                    write([b"<<<<<<< " + first + b"\n", *self._add_newline(self._block_lines(block, 0))])
                if self._old:
                    head = b"<<<<<<< " if block.odd == SECOND else b"||||||| "
                    write([head + second + b"\n", *self._add_newline(self._block_lines(block, _OLD))])
                write([b"=======\n"])
            write(
                self._add_newline(self._block_lines(block, _YOURS))
                if conflict
                else self._block_lines(block, _YOURS)
            )
            if conflict:
                write([b">>>>>>> " + third + b"\n"])
        write(mine[at:])

    def _add_newline(self, lines: Sequence[bytes]) -> Iterator[bytes]:
        for line in lines:
            yield line if line[-1:] == b"\n" else line + b"\n"

    def _write_lines(self, lines: Iterable[bytes]) -> None:
        for line in lines:
            self._ctx.charge()
            self._ctx.write(line)

    # ------------------------------------------------------------------ ed

    def print_script(self, blocks_to_merge: Sequence[Block], *, finish: bool) -> None:
        """Print ed commands, the last change first."""
        for block in reversed(blocks_to_merge):
            conflict = self._conflict_status(block)
            if conflict is None:
                continue
            if conflict:
                self.conflicts = True
                self._conflict(block)
            else:
                self._change(block)
        if finish:
            self._ctx.write(b"w\nq\n")

    def _change(self, block: Block) -> None:
        first, last = block.ranges[0]
        lines = self._block_lines(block, _YOURS)
        if not lines:
            self._ctx.write_line(f"{_range(first, last)}d")
            return
        self._ctx.write_line(f"{first}a" if first == last else f"{_range(first, last)}c")
        self._end_text(self._write_escaped(lines), first + 1, len(lines))

    def _conflict(self, block: Block) -> None:
        first, last = block.ranges[0]
        (_, second, third), yours, old = (
            self._labels,
            self._block_lines(block, _YOURS),
            self._block_lines(block, _OLD),
        )
        write = self._ctx.write
        write(b"%da\n" % last)
        has_dots = False
        if block.odd == ALL:
            if self._old:
                write(b"||||||| " + second + b"\n")
                has_dots |= self._write_escaped(old)
            write(b"=======\n")
            has_dots |= self._write_escaped(yours)
        write(b">>>>>>> " + third + b"\n")
        self._end_text(
            has_dots, last + 2, len(old) + len(yours) + 1
        )  # GNU counts the old lines even if they are omitted
        write(b"%da\n<<<<<<< " % first + (self._labels[0] if block.odd == ALL else second) + b"\n")
        has_dots = False
        if block.odd == SECOND:
            if self._old:
                has_dots = self._write_escaped(old)
            write(b"=======\n")
        self._end_text(has_dots, first + 2, len(old))

    def _write_escaped(self, lines: Sequence[bytes]) -> bool:
        """Print lines, doubling a leading dot; return whether there was one."""
        has_dots = False
        for line in self._add_newline(lines):
            self._ctx.charge()
            dot = line[:1] == b"."
            has_dots |= dot
            self._ctx.write(b"." + line if dot else line)
        return has_dots

    def _end_text(self, needed: bool, first: int, count: int) -> None:
        """End a text, and remove the additional dots again."""
        self._ctx.write(b".\n")
        if needed:
            end = f",{first + count - 1}" if count > 1 else ""
            self._ctx.write_line(f"{first}{end}s/^\\.//")
