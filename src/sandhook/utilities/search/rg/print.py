"""Prints the results of rg: lines with names and numbers, context, replacements."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from sandhook.command.context import Context
from sandhook.pattern.engine import Spans
from sandhook.text.numbers import is_number

if TYPE_CHECKING:
    from sandhook.utilities.search.rg.options import Options

_PATH, _NUMBER, _MATCH = b"\x1b[35m", b"\x1b[32m", b"\x1b[1m\x1b[31m"
_RESET = b"\x1b[0m"


class Block:
    """Lines that are selected together, from offset ``begin`` to ``end``, and the matches in them."""

    __slots__ = ("begin", "end", "spans")

    def __init__(self, begin: int, end: int, spans: list[Spans]) -> None:
        self.begin = begin
        self.end = end
        self.spans = spans


class Template:
    """The replacement of -r as pieces: text, and numbers of groups."""

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
            name, name_end = _name(text, at)
            if not name:
                self._text("$")
                continue
            at = name_end
            number = int(name) if is_number(name) and len(name) < 6 else names.get(name, -1)
            self._pieces.append(number)
        self._text(text[at:])

    def _text(self, text: str) -> None:
        if text:
            self._pieces.append(text.encode("utf-8", "surrogateescape"))

    def fill(self, data: bytes, spans: Spans) -> bytes:
        """Return the text for one match; an unknown group is empty."""
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

    def __init__(self, options: Options, template: Template | None, with_names: bool, ctx: Context) -> None:
        self._options = options
        self._template = template
        self._ctx = ctx
        self._with_names = with_names
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
        self._has_printed = False  #: an earlier file has printed lines
        self._name = b""
        self._data = b""
        self._line_mark = (0, 1)

    # ------------------------------------------------------------------ names and counts

    def _paint(self, color: bytes, text: bytes) -> bytes:
        return _RESET + color + text + _RESET if self._color else text

    def print_name(self, name: str) -> None:
        """Print the name of a file alone."""
        text = self._paint(_PATH, name.encode("utf-8", "surrogateescape"))
        self._ctx.write(text + (b"\0" if self._options.null else b"\n"))

    def print_count(self, name: str, count: int) -> None:
        """Print the count of a file."""
        head = b""
        if self._with_names:
            text = self._paint(_PATH, name.encode("utf-8", "surrogateescape"))
            head = text + (b"\0" if self._options.null else b":")
        self._ctx.write(head + b"%d\n" % count)

    def print_binary_match(self, name: str, offset: int) -> None:
        """Print that a file with NULs matches."""
        head = f"{name}: " if self._with_names else ""
        self._ctx.write_line(f'{head}binary file matches (found "\\0" byte around offset {offset})')

    def print_truncation_warning(self, name: str, offset: int) -> None:
        """Print a warning that the search of a file ended at its first NUL."""
        head = f"{name}: " if self._with_names else ""
        self._ctx.write_line(
            f"{head}WARNING: stopped searching binary file after match "
            f'(found "\\0" byte around offset {offset})'
        )

    # ------------------------------------------------------------------ lines

    def print_file(self, name: str, data: bytes, blocks: Iterable[Block]) -> bool:
        """Print the selected lines of a file and their context; return True when there are such lines."""
        options, ctx = self._options, self._ctx
        self._data = data
        self._name = name.encode("utf-8", "surrogateescape")
        self._line_mark = (0, 1)
        has_context = bool(self._before or self._after)
        printed_end, pending, count = 0, 0, 0
        for block in blocks:
            if options.most is not None and count >= options.most:
                break
            ctx.charge()
            if not count:
                self._start(has_context)
            count += 1
            if pending:
                printed_end, pending = self._print_context(printed_end, block.begin, pending)
            start = self._back(block.begin, printed_end) if self._before else block.begin
            if has_context and count > 1 and start != printed_end and options.group_separator is not None:
                self._print_separator()
            if start < block.begin:
                self._print_context(start, block.begin, 1 << 60)
            self._print_block(block)
            printed_end, pending = block.end, self._after
        if count and pending:
            self._print_context(printed_end, len(data), pending)
        if not count and options.passthru:
            self._print_context(0, len(data), 1 << 60)
        return count > 0

    def _start(self, has_context: bool) -> None:
        if self._heading and self._with_names:
            if self._has_printed:
                self._ctx.write(b"\n")
            self._ctx.write(self._paint(_PATH, self._name) + (b"\0" if self._options.null else b"\n"))
        elif has_context and self._has_printed and self._options.group_separator is not None:
            self._print_separator()
        self._has_printed = True

    def _print_separator(self) -> None:
        self._ctx.write((self._options.group_separator or "").encode("utf-8", "surrogateescape") + b"\n")

    def _back(self, at: int, least: int) -> int:
        """Return the offset of the first line of the context before an offset."""
        lines = self._before
        while lines > 0 and at > least:
            at = self._data.rfind(b"\n", least, at - 1) + 1 or least
            lines -= 1
        return at

    def _print_context(self, at: int, stop: int, lines: int) -> tuple[int, int]:
        """Print lines of context; return their end, and how many lines remain to be printed."""
        while lines and at < stop:
            self._ctx.charge()
            end = self._data.find(b"\n", at) + 1 or len(self._data)
            line = self._data[at:end]
            self._print_line(
                self._number(at), None, at, line, self._options.context_separator, is_selected=False
            )
            at = end
            lines -= 1
        return at, lines

    def _number(self, at: int) -> int:
        """Return the number of the line at an offset; offsets must not decrease between calls."""
        if not self._numbers:
            return 0
        offset, number = self._line_mark
        number += self._data.count(b"\n", offset, at)
        self._line_mark = (at, number)
        return number

    def _print_block(self, block: Block) -> None:
        options, data = self._options, self._data
        colon = options.match_separator
        if options.only and block.spans:
            for spans in block.spans:
                self._print_match(block, spans)
            return
        if options.vimgrep and block.spans:
            for match in block.spans:
                at = data.rfind(b"\n", block.begin, match[0][0]) + 1 or block.begin
                end = data.find(b"\n", at) + 1 or len(data)
                self._print_line(self._number(at), match[0][0] - at, at, data[at:end], colon, [match])
            return
        if self._template is not None and block.spans:
            self._print_replaced(block, self._template)
            return
        at = block.begin
        while at < block.end:
            end = data.find(b"\n", at) + 1 or len(data)
            matches = block.spans if self._color or self._column or options.widest else []
            inside = [match for match in matches if match[0][0] < end and match[0][1] >= at]
            column = max(inside[0][0][0] - at, 0) if inside else None
            self._print_line(self._number(at), column, at, data[at:end], colon, inside)
            at = end

    def _print_match(self, block: Block, spans: Spans) -> None:
        start, stop = spans[0]
        data = self._data
        text = data[start:stop] if self._template is None else self._template.fill(data, spans)
        at = data.rfind(b"\n", block.begin, start) + 1 or block.begin
        number = self._number(at)
        for line in _lines(text) or [b""]:
            self._print_line(number, start - at, start, line, self._options.match_separator, is_match=True)
            number += 1

    def _print_replaced(self, block: Block, template: Template) -> None:
        """Print a block with its matches replaced."""
        out, at, size = [], block.begin, 0
        replaced_spans: list[Spans] = []
        for spans in block.spans:
            text = template.fill(self._data, spans)
            out += [self._data[at : spans[0][0]], text]
            size += spans[0][0] - at + len(text)
            self._ctx.budget.check_fits(size)
            replaced_spans.append(((size - len(text), size),))
            at = spans[0][1]
        out.append(self._data[at : block.end])
        number, column, at = self._number(block.begin), block.spans[0][0][0] - block.begin, 0
        for line in _lines(b"".join(out)):
            stop = at + len(line)
            inside: list[Spans] = []
            if self._color:
                inside = [((a - at, b - at),) for ((a, b),) in replaced_spans if a < stop and b >= at]
            self._print_line(
                number, column, block.begin, line, self._options.match_separator, inside, base=0,
                count=len(block.spans),
            )  # fmt: skip
            number += 1
            at = stop

    def _print_line(
        self, number: int, column: int | None, offset: int, line: bytes, separator: str,
        spans: list[Spans] | None = None, *, is_selected: bool = True, is_match: bool = False, count: int = 0,
        base: int | None = None,
    ) -> None:  # fmt: skip
        """Print one line with the name and the numbers before it.

        Args:
            column: Bytes before the first match, None for a line without a match.
            offset: Of the line, or of the match that is printed alone.
            spans: The matches in the line.
            is_match: The line is a match.
            count: Matches that were replaced in it.
            base: The offset that ``spans`` are relative to, if not ``offset``.
        """
        options = self._options
        mark = separator.encode("utf-8", "surrogateescape")
        out = []
        if self._with_names and not self._heading:
            out += [self._paint(_PATH, self._name), b"\0" if options.null else mark]
        if self._numbers:
            out += [self._paint(_NUMBER, b"%d" % number), mark]
        if self._column and column is not None:
            out += [self._paint(b"", b"%d" % (column + 1)), mark]
        if options.offsets:
            out += [self._paint(b"", b"%d" % offset), mark]
        body = line.removesuffix(b"\n")
        base = offset if base is None else base
        if options.trim and not is_match:
            short = body.lstrip(b" \t\v\f\r")
            base += len(body) - len(short)
            body = short
        if options.widest and len(line) > options.widest:
            body = self._omission(body, spans, count, is_selected)
        elif self._color and is_selected:
            if is_match:
                body = self._paint(_MATCH, body) if body else body
            elif spans:
                body = self._highlight(body, base, spans)
        self._ctx.write(b"".join([*out, body, b"\n"]))

    def _highlight(self, body: bytes, base: int, spans: list[Spans]) -> bytes:
        out, at = [], 0
        for each in spans:
            start, stop = max(each[0][0] - base, at), min(each[0][1] - base, len(body))
            if stop > start:
                out += [body[at:start], self._paint(_MATCH, body[start:stop])]
                at = stop
        return b"".join([*out, body[at:]])

    def _omission(self, body: bytes, spans: list[Spans] | None, count: int, is_selected: bool) -> bytes:
        if self._options.preview:
            return body[: self._options.widest] + b" [... omitted end of long line]"
        if not is_selected:
            return b"[Omitted long context line]"
        number = count or (len(spans or []) if self._color or self._column else 0)
        return b"[Omitted long line with %d matches]" % number if number else b"[Omitted long matching line]"


def _lines(text: bytes) -> list[bytes]:
    pieces = [piece + b"\n" for piece in text.split(b"\n")]
    last = pieces.pop()[:-1]
    return [*pieces, last] if last else pieces
