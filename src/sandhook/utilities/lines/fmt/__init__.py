"""fmt: fill paragraphs so that their lines are about equally long.

Oracle: GNU coreutils 9.1, which counts bytes. ``filling`` chooses the line breaks.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sandhook.command.context import Context, Failure, Reader
from sandhook.command.operands import reason
from sandhook.command.options import Syntax, opt, option_set
from sandhook.text.quoting import quote_always
from sandhook.utilities.lines.fmt.filling import MAX_BYTES, Paragraph, Word

READ_ERROR = "read error"
CLOSED_INPUT = "closing standard input"

RAW = True  # -WIDTH is an option only before all others
_MAX_WIDTH = MAX_BYTES // 2


@option_set
class Options:
    """fmt [-WIDTH] [OPTION]... [FILE]...

    Join and break the lines of each paragraph of the FILEs (standard input) so that they have about the same length. An
    empty line, or another indentation, begins a paragraph.
    """

    crown: bool = opt("-c", "--crown-margin", help="keep the indentation of the first two lines")
    prefix: str = opt("-p", "--prefix", "TEXT", "change only lines that begin with TEXT", default="")
    split: bool = opt("-s", "--split-only", help="break long lines, join none")
    tagged: bool = opt(
        "-t", "--tagged-paragraph", help="the first line has another indentation than the second"
    )
    uniform: bool = opt("-u", "--uniform-spacing", help="one space between words, two after sentences")
    width: str | None = opt("-w", "--width", "WIDTH", "columns of a line (75)")
    goal: str | None = opt("-g", "--goal", "WIDTH", "the preferred number of columns (93% of the width)")


_SYNTAX = Syntax(Options)
_MISPLACED = "invalid option -- {}; -WIDTH is recognized only when it is the first\noption; use -w N instead"


def run(_: None, arguments: Sequence[str], ctx: Context) -> int:
    """Return 0, or 1 when a file could not be read."""
    legacy, options, operands = _SYNTAX.parse_after_number(
        arguments, _MISPLACED, in_order="POSIXLY_CORRECT" in ctx.environment
    )
    width, goal = _widths(options, legacy)
    for name in operands or ["-"]:
        try:
            reader = ctx.open(name)
        except OSError as error:
            if isinstance(error, IsADirectoryError):
                ctx.fail("read error")
            else:
                ctx.fail(f"cannot open {quote_always(name)} for reading: {reason(error)}")
            continue
        with reader:
            _Filler(options, width, goal, ctx).run(reader)
    return ctx.failed


def _widths(options: Options, legacy: str | None) -> tuple[int, int]:
    text = options.width if options.width is not None else legacy
    width = 75
    if text is not None:
        width = _number(text, "width", _MAX_WIDTH)
    if options.goal is None:
        return width, width * 187 // 200
    goal = _number(options.goal, "width", width)
    return (goal + 10 if text is None else width), goal


def _number(text: str, what: str, maximum: int) -> int:
    digits = text[1:] if text[:1] == "+" else text
    if not (digits.isascii() and digits.isdigit()):
        raise Failure(f"invalid {what}: '{text}'")
    if len(digits.lstrip("0")) > 9 or int(digits) > maximum:
        raise Failure(f"invalid {what}: '{text}': Numerical result out of range")
    return int(digits)


# --------------------------------------------------------------------------- lines of the input


class _Line:
    """One line of the input, split into indentation, prefix and the rest.

    Attributes:
        indent: Columns before the prefix.
        column: Where the rest begins.
        rest: What follows the prefix and blanks, without the newline.
        ended: A newline ends it. Only the empty line that marks the end of the input has none.
    """

    __slots__ = ("column", "ended", "indent", "rest")

    def __init__(self, indent: int, column: int, rest: bytes, ended: bool) -> None:
        self.indent = indent
        self.column = column
        self.rest = rest
        self.ended = ended


class _Filler:
    """Copies one file with its paragraphs filled."""

    def __init__(self, options: Options, width: int, goal: int, ctx: Context) -> None:
        self._options = options
        self._ctx = ctx
        text = options.prefix.encode("utf-8", "surrogateescape")
        self._lead = len(text) - len(text.lstrip(b" "))
        self._full = len(text.lstrip(b" "))
        self._prefix = text.strip(b" ")
        self._paragraph = Paragraph(self._prefix, width, goal, ctx)

    def run(self, reader: Reader) -> None:
        """Fill the paragraphs, and copy the other lines."""
        lines = self._lines(reader)
        line = next(lines)
        paragraph = self._paragraph
        paragraph.other_indent = 0
        while True:
            if self._is_text(line, paragraph.prefix_indent):
                line = self._fill(line, lines)
                continue
            self._copy(line)
            if not line.ended:
                return
            self._ctx.write(b"\n")
            line = next(lines)

    def _lines(self, reader: Reader) -> Iterator[_Line]:
        for data in reader.lines():
            ended = data[-1:] == b"\n"
            yield self._split(data.removesuffix(b"\n"), ended)
            if not ended and self._split(data, False).rest:
                break
            if not ended:
                return
        yield _Line(0, 0, b"", False)

    def _split(self, data: bytes, ended: bool) -> _Line:
        column, at = self._blanks(data, 0, 0)
        if not self._prefix:
            return _Line(min(self._lead, column), column, data[at:], ended)
        indent = column
        for byte in self._prefix:
            if data[at : at + 1] != bytes((byte,)):
                return _Line(indent, column, data[at:], ended)
            column += 1
            at += 1
        column, at = self._blanks(data, column, at)
        return _Line(indent, column, data[at:], ended)

    def _blanks(self, data: bytes, column: int, at: int) -> tuple[int, int]:
        """Skip blanks; return the column and the offset after them. A tab enables tabs in the output."""
        while at < len(data) and data[at] in b" \t":
            if data[at] == 9:
                self._paragraph.tabs = True
                column = column // 8 * 8 + 8
            else:
                column += 1
            at += 1
        return column, at

    def _is_text(self, line: _Line, least: int) -> bool:
        return bool(line.rest) and line.indent >= least and line.column >= line.indent + self._full

    def _copy(self, line: _Line) -> None:
        """Print a line outside paragraphs, without its newline."""
        if line.column <= line.indent and not line.rest:
            return
        paragraph = self._paragraph
        output = paragraph.blanks(0, line.indent)
        prefix = self._prefix[: max(line.column - line.indent, 0)]
        output += prefix
        if line.rest:
            at = line.indent + len(prefix)
            output += paragraph.blanks(at, line.column) + line.rest
        elif not line.ended and line.column >= line.indent + len(self._prefix):
            output += b"\n"
        self._ctx.write(output)

    # ------------------------------------------------------------------ paragraphs

    def _fill(self, line: _Line, lines: Iterator[_Line]) -> _Line:
        """Read the paragraph that begins with a line, print it, and return the line after it."""
        options, paragraph = self._options, self._paragraph
        paragraph.begin(line.indent, line.column)
        following = self._add_line(line, lines, None)
        self._set_other(following, self._continues(following))
        if not options.split and not (
            options.tagged and not options.crown and following.column == paragraph.first_indent
        ):
            while self._continues(following) and following.column == paragraph.other_indent:
                following = self._add_line(following, lines, True)
        paragraph.end()
        return following

    def _continues(self, line: _Line) -> bool:
        return (
            bool(line.rest)
            and line.indent == self._paragraph.prefix_indent
            and line.column >= line.indent + self._full
        )

    def _set_other(self, line: _Line, same: bool) -> None:
        """Set the indentation of the second and later lines."""
        options, paragraph = self._options, self._paragraph
        first = paragraph.first_indent
        if options.split:
            paragraph.other_indent = first
        elif options.crown:
            paragraph.other_indent = line.column if same else first
        elif options.tagged:
            if same and line.column != first:
                paragraph.other_indent = line.column
            elif paragraph.other_indent == first:
                paragraph.other_indent = 3 if first == 0 else 0
        else:
            paragraph.other_indent = first

    def _add_line(self, line: _Line, lines: Iterator[_Line], known: bool | None) -> _Line:
        """Add the words of a line to the paragraph; return the next line."""
        data, column = line.rest, line.column
        at = 0
        while at < len(data):
            start = at
            at += 1
            while at < len(data) and data[at] not in b" \t\v\f\r":
                at += 1
            word = Word(data[start:at])
            column += at - start
            next_column, at = self._blanks(data, column, at)
            last = at >= len(data)
            word.finish(
                next_column - column, last and line.ended, last and not line.ended, self._options.uniform
            )
            column = next_column
            if self._paragraph.is_full(len(word.text)):
                self._set_other(_Line(line.indent, column, data, True), True)
                self._paragraph.flush()
            self._paragraph.add(word)
        return next(lines)
