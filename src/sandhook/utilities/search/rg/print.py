"""What rg prints: lines with names and numbers, context, replacements."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from sandhook.command.context import Context
from sandhook.pattern.engine import Spans

if TYPE_CHECKING:
    from sandhook.utilities.search.rg.options import Options

_PATH, _NUMBER, _MATCH = b"\x1b[35m", b"\x1b[32m", b"\x1b[1m\x1b[31m"
_PLAIN = b"\x1b[0m"


class Block:
    """Lines that are selected together: from one offset to another, and the matches in them."""

    __slots__ = ("begin", "end", "spans")

    def __init__(self, begin: int, end: int, spans: list[Spans]) -> None:
        self.begin = begin
        self.end = end
        self.spans = spans


class Template:
    """The text of -r, split into pieces: text, and numbers of groups."""

    def __init__(self, text: str, names: dict[str, int]) -> None:
        self._pieces: list[bytes | int] = []
        at = 0
        while (dollar := text.find("$", at)) >= 0:
            self._text(text[at:dollar])
            at = dollar + 1
            if text[at : at + 1] == "$":
                self._text("$")
                at += 1
                continue
            name, behind = _name(text, at)
            if not name:
                self._text("$")
                continue
            at = behind
            number = int(name) if name.isdigit() and len(name) < 6 else names.get(name, -1)
            self._pieces.append(number)
        self._text(text[at:])

    def _text(self, text: str) -> None:
        if text:
            self._pieces.append(text.encode("utf-8", "surrogateescape"))

    def fill(self, data: bytes, spans: Spans) -> bytes:
        """Return the text for one match; a group that there is not is empty."""
        out = []
        for piece in self._pieces:
            if isinstance(piece, bytes):
                out.append(piece)
            elif 0 <= piece < len(spans) and spans[piece][0] >= 0:
                out.append(data[spans[piece][0] : spans[piece][1]])
        return b"".join(out)


def _name(text: str, at: int) -> tuple[str, int]:
    if text[at : at + 1] == "{":
        end = text.find("}", at)
        return (text[at + 1 : end], end + 1) if end > at + 1 else ("", at)
    end = at
    while end < len(text) and (text[end].isascii() and (text[end].isalnum() or text[end] == "_")):
        end += 1
    return text[at:end], end


class Printer:
    """Prints files one after the other."""

    def __init__(self, options: Options, template: Template | None, named: bool, ctx: Context) -> None:
        self._options = options
        self._template = template
        self._ctx = ctx
        self._named = named
        self._heading = bool(options.heading or (options.pretty and options.heading is None))
        self._column = options.column or options.vimgrep
        self._numbers = options.vimgrep or bool(
            options.numbers if options.numbers is not None else options.pretty or self._column
        )
        terminal = ctx.environment.get("TERM", "dumb") != "dumb" and "NO_COLOR" not in ctx.environment
        self._color = (options.pretty and terminal) or options.color in ("always", "ansi")
        self._before, self._after = options.context
        if options.passthru:
            self._before = self._after = 1 << 60
        self._any = False  #: something was printed for a file before
        self._name = b""
        self._data = b""
        self._counted = (0, 1)

    # ------------------------------------------------------------------ names and counts

    def _painted(self, color: bytes, text: bytes) -> bytes:
        return _PLAIN + color + text + _PLAIN if self._color else text

    def file_name(self, name: str) -> None:
        """Print a name alone."""
        text = self._painted(_PATH, name.encode("utf-8", "surrogateescape"))
        self._ctx.write(text + (b"\0" if self._options.null else b"\n"))

    def count(self, name: str, count: int) -> None:
        """Print the count of a file."""
        head = b""
        if self._named:
            text = self._painted(_PATH, name.encode("utf-8", "surrogateescape"))
            head = text + (b"\0" if self._options.null else b":")
        self._ctx.write(head + b"%d\n" % count)

    def binary(self, name: str, offset: int) -> None:
        """Report that a file with NULs matches."""
        head = f"{name}: " if self._named else ""
        self._ctx.write_line(f'{head}binary file matches (found "\\0" byte around offset {offset})')

    def stopped(self, name: str, offset: int) -> None:
        """Report that the search of a file ended at its first NUL."""
        head = f"{name}: " if self._named else ""
        self._ctx.write_line(
            f"{head}WARNING: stopped searching binary file after match "
            f'(found "\\0" byte around offset {offset})'
        )

    # ------------------------------------------------------------------ lines

    def file(self, name: str, data: bytes, blocks: Iterable[Block]) -> bool:
        """Print the selected lines of a file and their context; return whether there were any."""
        options, ctx = self._options, self._ctx
        self._data = data
        self._name = name.encode("utf-8", "surrogateescape")
        self._counted = (0, 1)
        grouped = bool(self._before or self._after)
        until, pending, count = 0, 0, 0
        for block in blocks:
            if options.most is not None and count >= options.most:
                break
            ctx.charge()
            if not count:
                self._start(grouped)
            count += 1
            if pending:
                until, pending = self._context(until, block.begin, pending)
            start = self._back(block.begin, until) if self._before else block.begin
            if grouped and count > 1 and start != until and options.group_separator is not None:
                self._separate()
            if start < block.begin:
                self._context(start, block.begin, 1 << 60)
            self._block(block)
            until, pending = block.end, self._after
        if count and pending:
            self._context(until, len(data), pending)
        if not count and options.passthru:
            self._context(0, len(data), 1 << 60)
        return count > 0

    def _start(self, grouped: bool) -> None:
        if self._heading and self._named:
            if self._any:
                self._ctx.write(b"\n")
            self._ctx.write(self._painted(_PATH, self._name) + (b"\0" if self._options.null else b"\n"))
        elif grouped and self._any and self._options.group_separator is not None:
            self._separate()
        self._any = True

    def _separate(self) -> None:
        self._ctx.write((self._options.group_separator or "").encode("utf-8", "surrogateescape") + b"\n")

    def _back(self, at: int, least: int) -> int:
        """Return where the lines begin that are printed before an offset."""
        lines = self._before
        while lines > 0 and at > least:
            at = self._data.rfind(b"\n", least, at - 1) + 1 or least
            lines -= 1
        return at

    def _context(self, at: int, stop: int, lines: int) -> tuple[int, int]:
        """Print lines of context; return where they end, and how many were left to print."""
        while lines and at < stop:
            self._ctx.charge()
            end = self._data.find(b"\n", at) + 1 or len(self._data)
            line = self._data[at:end]
            self._line(self._number(at), None, at, line, self._options.context_separator, selected=False)
            at = end
            lines -= 1
        return at, lines

    def _number(self, at: int) -> int:
        """Return the number of the line at an offset; offsets only grow."""
        if not self._numbers:
            return 0
        known, number = self._counted
        number += self._data.count(b"\n", known, at)
        self._counted = (at, number)
        return number

    def _block(self, block: Block) -> None:
        options, data = self._options, self._data
        colon = options.match_separator
        if options.only and block.spans:
            for spans in block.spans:
                self._only(block, spans)
            return
        if options.vimgrep and block.spans:
            for each in block.spans:
                at = data.rfind(b"\n", block.begin, each[0][0]) + 1 or block.begin
                end = data.find(b"\n", at) + 1 or len(data)
                self._line(self._number(at), each[0][0] - at, at, data[at:end], colon, [each])
            return
        if self._template is not None and block.spans:
            self._replaced(block, self._template)
            return
        at = block.begin
        while at < block.end:
            end = data.find(b"\n", at) + 1 or len(data)
            known = block.spans if self._color or self._column or options.widest else []
            inside = [each for each in known if each[0][0] < end and each[0][1] >= at]
            column = max(inside[0][0][0] - at, 0) if inside else None
            self._line(self._number(at), column, at, data[at:end], colon, inside)
            at = end

    def _only(self, block: Block, spans: Spans) -> None:
        start, stop = spans[0]
        data = self._data
        text = data[start:stop] if self._template is None else self._template.fill(data, spans)
        at = data.rfind(b"\n", block.begin, start) + 1 or block.begin
        number = self._number(at)
        for line in _lines(text) or [b""]:
            self._line(number, start - at, start, line, self._options.match_separator, whole=True)
            number += 1

    def _replaced(self, block: Block, template: Template) -> None:
        """Print a block with its matches replaced."""
        out, at, size = [], block.begin, 0
        shown: list[Spans] = []
        for spans in block.spans:
            text = template.fill(self._data, spans)
            out += [self._data[at : spans[0][0]], text]
            size += spans[0][0] - at + len(text)
            shown.append([(size - len(text), size)])
            at = spans[0][1]
        out.append(self._data[at : block.end])
        number, column, at = self._number(block.begin), block.spans[0][0][0] - block.begin, 0
        for line in _lines(b"".join(out)):
            stop = at + len(line)
            inside = (
                [[(a - at, b - at)] for ((a, b),) in shown if a < stop and b >= at] if self._color else []
            )
            self._line(
                number, column, block.begin, line, self._options.match_separator, inside, base=0,
                count=len(block.spans),
            )  # fmt: skip
            number += 1
            at = stop

    def _line(
        self, number: int, column: int | None, offset: int, line: bytes, separator: str,
        spans: list[Spans] | None = None, *, selected: bool = True, whole: bool = False, count: int = 0,
        base: int | None = None,
    ) -> None:  # fmt: skip
        """Print one line with what stands before it.

        Args:
            column: Bytes before the first match, None for none.
            offset: Of the line, or of the match that is printed alone.
            spans: The matches in the line.
            whole: The line is a match.
            count: Matches that were replaced in it.
            base: What ``spans`` count from, if that is not ``offset``.
        """
        options = self._options
        mark = separator.encode("utf-8", "surrogateescape")
        out = []
        if self._named and not self._heading:
            out += [self._painted(_PATH, self._name), b"\0" if options.null else mark]
        if self._numbers:
            out += [self._painted(_NUMBER, b"%d" % number), mark]
        if self._column and column is not None:
            out += [self._painted(b"", b"%d" % (column + 1)), mark]
        if options.offsets:
            out += [self._painted(b"", b"%d" % offset), mark]
        body = line.removesuffix(b"\n")
        base = offset if base is None else base
        if options.trim and not whole:
            short = body.lstrip(b" \t\v\f\r")
            base += len(body) - len(short)
            body = short
        if options.widest and len(line) > options.widest:
            body = self._shortened(body, spans, count, selected)
        elif self._color and selected:
            if whole:
                body = self._painted(_MATCH, body) if body else body
            elif spans:
                body = self._highlighted(body, base, spans)
        self._ctx.write(b"".join([*out, body, b"\n"]))

    def _highlighted(self, body: bytes, base: int, spans: list[Spans]) -> bytes:
        out, at = [], 0
        for each in spans:
            start, stop = max(each[0][0] - base, at), min(each[0][1] - base, len(body))
            if stop > start:
                out += [body[at:start], self._painted(_MATCH, body[start:stop])]
                at = stop
        return b"".join([*out, body[at:]])

    def _shortened(self, body: bytes, spans: list[Spans] | None, count: int, selected: bool) -> bytes:
        if self._options.preview:
            return body[: self._options.widest] + b" [... omitted end of long line]"
        if not selected:
            return b"[Omitted long context line]"
        number = count or (len(spans or []) if self._color or self._column else 0)
        return b"[Omitted long line with %d matches]" % number if number else b"[Omitted long matching line]"


def _lines(text: bytes) -> list[bytes]:
    pieces = [piece + b"\n" for piece in text.split(b"\n")]
    last = pieces.pop()[:-1]
    return [*pieces, last] if last else pieces
