"""Prints a pair of files as a patch.

Source: git 2.39, diff.c and xdiff/xemit.c.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from sandhook.record import Record
from sandhook.utilities.git.diff.binary import binary_patch
from sandhook.utilities.git.diff.drivers import plain_heading
from sandhook.utilities.git.diff.hunk_extents import Extent, FunctionExtents, plain_extents
from sandhook.utilities.git.diff.ignoring import Ignorable, is_ignored
from sandhook.utilities.git.diff.model import NULL_ID, Pair, Side
from sandhook.utilities.git.diff.options import DiffOptions
from sandhook.utilities.git.diff.painting import Line, Painter
from sandhook.utilities.git.diff.xdiff import Change, Charge, compare, split_lines
from sandhook.utilities.git.names.quote import quote_two
from sandhook.utilities.git.store.access import encode

_CONTEXT = 3


class Style(Record):
    """How patches are printed.

    Fields:
        key: What is compared of a line, None for all of it.
        binary: Changes of binary files are printed, with full names of objects.
        painter: Prints colours or words, None for plain lines.
        heading: Returns the heading that a line begins, None for another line.
        bare_blanks: Empty lines of context have no blank before them (diff.suppressBlankEmpty).
        functions: Hunks have the whole functions that changes are in (-W).
        marks: What is printed in place of "+", "-" and " " before lines, None for these.
        irreversible: The contents of removed files are left out.
        ignorable: Which lines do not count, None if all do.
    """

    context: int = _CONTEXT
    inter_hunk: int = 0
    old_prefix: str = "a/"
    new_prefix: str = "b/"
    quotes_wide: bool = True
    key: Callable[[bytes], bytes] | None = None
    minimal: bool = False
    algorithm: str = ""
    binary: bool = False
    painter: Painter | None = None
    heading: Callable[[bytes], bytes | None] = plain_heading
    bare_blanks: bool = False
    functions: bool = False
    marks: dict[bytes, bytes] | None = None
    irreversible: bool = False
    ignorable: Ignorable | None = None

    def head(self, text: bytes) -> bytes:
        """Return the lines before the first hunk as they are printed."""
        return text if self.painter is None else self.painter.head(text)


class Files(Record):
    """The contents of both files of a pair, their names as objects, and whether they are binary."""

    old: bytes
    new: bytes
    old_id: str
    new_id: str
    binary: bool


def header(pair: Pair, files: Files, style: Style, abbreviate: Callable[[str], str]) -> Iterator[str]:
    """Yield the lines before the first hunk."""
    old, new = pair.old, pair.new
    a_name = quote_two(style.old_prefix, old.path, style.quotes_wide)
    b_name = quote_two(style.new_prefix, new.path, style.quotes_wide)
    yield f"diff --git {a_name} {b_name}"
    if not old.exists:
        yield f"new file mode {new.mode:06o}"
    elif not new.exists:
        yield f"deleted file mode {old.mode:06o}"
    elif old.mode != new.mode:
        yield f"old mode {old.mode:06o}"
        yield f"new mode {new.mode:06o}"
    if pair.status in ("R", "C"):
        word = "rename" if pair.status == "R" else "copy"
        yield f"similarity index {pair.percent}%"
        yield f"{word} from {quote_two('', old.path, style.quotes_wide)}"
        yield f"{word} to {quote_two('', new.path, style.quotes_wide)}"
    if files.old_id != files.new_id:
        mode = f" {old.mode:06o}" if old.mode == new.mode else ""
        yield f"index {abbreviate(files.old_id)}..{abbreviate(files.new_id)}{mode}"


def _marks(pair: Pair, style: Style) -> tuple[str, str]:
    """Return the names in the lines "---" and "+++"; a name with a blank ends in a tab."""
    result = []
    for side, prefix in ((pair.old, style.old_prefix), (pair.new, style.new_prefix)):
        name = quote_two(prefix, side.path, style.quotes_wide) if side.exists else "/dev/null"
        result.append(name + ("\t" if side.exists and " " in side.path else ""))
    return result[0], result[1]


def patch(
    pair: Pair, files: Files, style: Style, charge: Charge, abbreviate: Callable[[str], str]
) -> Iterator[bytes]:
    """Yield the patch of a pair, in pieces."""
    if pair.status == "T":
        empty = files._replace(new=b"", new_id=NULL_ID)
        yield from patch(Pair(pair.old, Side(pair.path, 0, NULL_ID), "D"), empty, style, charge, abbreviate)
        empty = files._replace(old=b"", old_id=NULL_ID)
        yield from patch(Pair(Side(pair.path, 0, NULL_ID), pair.new, "A"), empty, style, charge, abbreviate)
        return
    if files.binary and style.binary:
        abbreviate = str
    head = encode("".join(f"{line}\n" for line in header(pair, files, style, abbreviate)))
    if style.irreversible and not pair.new.exists:
        yield style.head(head)
        return
    if files.binary and files.old == files.new:
        yield style.head(head)
        return
    if files.binary and style.binary and files.old_id != files.new_id:
        yield style.head(head)
        yield from binary_patch(files.old, files.new, charge)
        return
    if files.binary:
        old_mark, new_mark = (mark.rstrip("\t") for mark in _marks(pair, style))
        if files.old_id != files.new_id:
            head += encode(f"Binary files {old_mark} and {new_mark} differ\n")
        yield style.head(head)
        return
    old, new = split_lines(files.old), split_lines(files.new)
    changes = compare(old, new, charge, key=style.key, minimal=style.minimal, algorithm=style.algorithm)
    if style.ignorable is not None and not _has_hunks(old, new, changes, style):
        changes = []
    if changes:
        old_mark, new_mark = _marks(pair, style)
        yield style.head(head + encode(f"--- {old_mark}\n+++ {new_mark}\n"))
        yield from hunks(old, new, changes, style, charge)
    elif pair.status != "M" or pair.old.mode != pair.new.mode:
        yield style.head(head)


def _has_hunks(old: Sequence[bytes], new: Sequence[bytes], changes: list[Change], style: Style) -> bool:
    return any(True for _ in _plain_extents(old, new, changes, style))


def _plain_extents(
    old: Sequence[bytes], new: Sequence[bytes], changes: list[Change], style: Style
) -> Iterator[Extent]:
    ignorable = style.ignorable
    ignores = None if ignorable is None else lambda change: is_ignored(change, old, new, ignorable)
    return plain_extents(old, new, changes, style.context, style.inter_hunk, ignores)


def hunks(
    old: Sequence[bytes], new: Sequence[bytes], changes: list[Change], style: Style, charge: Charge
) -> Iterator[bytes]:
    """Yield the hunks of a unified diff."""
    heading = b""
    searched = -1
    if style.functions:
        extents = FunctionExtents(old, new, style.heading, charge).of(
            changes, style.context, style.inter_hunk
        )
    else:
        extents = _plain_extents(old, new, changes, style)
    for group, start, end, new_start, new_end in extents:
        for at in range(start - 1, searched, -1):
            charge(1)
            if (found := style.heading(old[at])) is not None:
                heading = _valid_start(found)
                break
        searched = start - 1
        text, lines = (
            _hunk_header((start, end), (new_start, new_end), heading),
            _hunk_lines(old, new, group, new_start, new_end),
        )
        if style.bare_blanks:
            lines = [(b"", line) if (mark, line) == (b" ", b"\n") else (mark, line) for mark, line in lines]
        if style.painter is None:
            yield text
            yield _hunk_body(lines, style.marks)
        else:
            yield style.painter.hunk(text)
            yield from style.painter.body(lines)
        charge(1 + ((end - start + new_end - new_start) >> 2))


def _valid_start(text: bytes) -> bytes:
    """Return a text up to the first bytes that are not UTF-8, as git cuts the heading of a hunk."""
    try:
        text.decode("utf-8")
    except UnicodeDecodeError as error:
        return text[: error.start]
    return text


def _range(start: int, end: int) -> str:
    size = end - start
    first = start + 1 if size else start
    return str(first) if size == 1 else f"{first},{size}"


def _hunk_header(old: tuple[int, int], new: tuple[int, int], heading: bytes) -> bytes:
    text = f"@@ -{_range(*old)} +{_range(*new)} @@".encode()
    return text + (b" " + heading if heading else b"") + b"\n"


def _hunk_lines(
    old: Sequence[bytes], new: Sequence[bytes], group: list[Change], new_start: int, new_end: int
) -> list[Line]:
    """Return the lines of a hunk. Lines of context are those of the new file, which differ under -w."""
    lines: list[Line] = []
    at = new_start
    for change in group:
        lines += [(b" ", line) for line in new[at : change.new]]
        lines += [(b"-", line) for line in old[change.old : change.old_end]]
        lines += [(b"+", line) for line in new[change.new : change.new_end]]
        at = change.new_end
    lines += [(b" ", line) for line in new[at:new_end]]
    return lines


def _hunk_body(lines: list[Line], marks: dict[bytes, bytes] | None) -> bytes:
    pieces: list[bytes] = []
    for mark, line in lines:
        pieces += (mark if marks is None else marks.get(mark, mark), line)
        if not line.endswith(b"\n"):
            pieces.append(b"\n\\ No newline at end of file\n")
    return b"".join(pieces)


def normalizer(options: DiffOptions) -> Callable[[bytes], bytes] | None:
    """Return what is compared of a line under the options -w, -b and similar; None for all of it."""
    if options.ignore_all_space:
        return lambda line: b"".join(line.split())
    if options.ignore_space_change:
        return _with_single_blanks
    if options.ignore_space_at_eol:
        return lambda line: line.rstrip()
    if options.ignore_cr_at_eol:
        return lambda line: line[:-2] if line.endswith(b"\r\n") else line.removesuffix(b"\n")
    return None


def _with_single_blanks(line: bytes) -> bytes:
    words = line.rstrip()
    lead = b" " if words[:1].isspace() else b""
    return lead + b" ".join(words.split())


def is_binary(data: bytes) -> bool:
    """Return True if git takes data for binary: a NUL in the first 8,000 bytes."""
    return b"\0" in data[:8000]


def prefixed(mark: bytes, pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Yield the pieces of a text with a mark before each line. A line may be in several pieces."""
    begins = True
    for piece in pieces:
        lines = piece.split(b"\n")  # the last one is what follows the last newline
        yield b"\n".join(
            mark + line if (at or begins) and (line or at < len(lines) - 1) else line
            for at, line in enumerate(lines)
        )
        begins = not lines[-1] and (begins or len(lines) > 1)
