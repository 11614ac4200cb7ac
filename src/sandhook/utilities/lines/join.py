"""join: join the lines of two sorted files on a field.

Source: POSIX.1-2024 XCU 3, join. Oracle: GNU coreutils 9.1, C locale.
Divergence: L-JOIN-001, the reason of one message.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from sandhook.command.context import Context, Failure, Reader
from sandhook.command.operands import reason
from sandhook.command.options import UsageError, also, opt, option_set
from sandhook.command.pieces import PIECE
from sandhook.text.quoting import quote_odd

ANY_ORDER = True
_BLANK = b" \t\n"
_FIELD = 64  #: memory for a field, in bytes
_BLANKS = re.compile(rb"[ \t\n]+")
_SPEC = re.compile(r"([12])\.(.*)", re.DOTALL)
_SPECS = re.compile(r"(?:0|[12]\.[0-9]+)(?:[, \t\n](?:0|[12]\.[0-9]+))*")
_MAX = 2**63 - 1
Field = tuple[int, int]  #: file (0 for the join field) and field, from 0
Line = list[bytes]  #: the fields of a line


def _field(text: str) -> int:
    if not (text.isascii() and text.isdigit()) or not text.strip("0"):
        raise Failure(f"invalid field number: '{text}'")
    return min(int(text[:19]), _MAX) - 1


def _file(text: str) -> int:
    if text not in ("1", "2"):
        raise Failure(f"invalid field number: '{text}'")
    return int(text)


def _specs(text: str) -> tuple[Field, ...] | str:
    """Parse the argument of -o: FILE.FIELD or 0, separated by commas or blanks; or "auto"."""
    if text == "auto":
        return text
    specs: list[Field] = []
    for word in re.split(r"[, \t\n]", text):
        match = _SPEC.fullmatch(word)
        if word == "0":
            specs.append((0, 0))
        elif match is not None:
            specs.append((int(match[1]), _field(match[2])))
        elif word[:1] in ("1", "2") or (word[:1] == "0" and len(word) > 1):
            raise Failure(f"invalid field specifier: '{word}'")
        else:
            raise Failure(f"invalid file number in field spec: '{word}'")
    return tuple(specs)


def _tab(text: str) -> bytes:
    data = text.encode("utf-8", "surrogateescape")
    if text == "\\0":
        return b"\0"
    if len(data) > 1:
        raise Failure(f"multi-character tab '{text}'")
    return data or b"\n"  # an empty one: the whole line is the field


def _field_option(letter: str, help: str) -> Any:
    return opt(f"-{letter}", "FIELD", help, convert=lambda text: (letter, _field(text)), append=True)


@option_set
class Options:
    """join [OPTION]... FILE1 FILE2

    For each pair of lines with equal join fields write a line: the field, the rest of FILE1's line, the rest of
    FILE2's. The files are sorted on that field, which is the first one unless an option says otherwise.
    """

    unpaired: tuple[int, ...] = opt(
        "-a", "FILENUM", "also print lines of file FILENUM that have no partner", convert=_file, append=True
    )
    only: tuple[int, ...] = opt("-v", "FILENUM", "print such lines alone", convert=_file, append=True)
    empty: tuple[str, ...] = opt("-e", "STRING", "print STRING for fields that are missing", append=True)
    fold: bool = opt("-i", "--ignore-case", help="ignore case when comparing fields")
    fields: tuple[tuple[str, int], ...] = also(
        _field_option("j", "like -1 FIELD -2 FIELD"),
        _field_option("1", "join on this field of FILE1"),
        _field_option("2", "join on this field of FILE2"),
    )
    layout: tuple[tuple[Field, ...] | str, ...] = opt(
        "-o",
        "FORMAT",
        "print the fields FILE.FIELD or 0 (the join field); or auto",
        convert=_specs,
        append=True,
    )
    tab: tuple[bytes, ...] = opt("-t", "CHAR", "CHAR separates fields, not blanks", convert=_tab, append=True)
    order: str = also(
        opt("--check-order", help="wrong order is an error at once", const="check", default="auto"),
        opt("--nocheck-order", help="do not look at the order", const="no"),
    )
    header: bool = opt("--header", help="the first lines are headers: join them without comparing")
    zero: bool = opt("-z", "--zero-terminated", help="lines end with NUL, not newline")


def run(options: Options, operands: Sequence[str], ctx: Context) -> int:
    """Return 0, or 1 when a file could not be read or is not in order."""
    if len(set(options.empty)) > 1:
        raise Failure("conflicting empty-field replacement strings")
    if len(set(options.tab)) > 1:
        raise Failure("incompatible tabs")
    fields = [_join_field([field for name, field in options.fields if name in ("j", side)]) for side in "12"]
    layout = list(options.layout)
    if layout and len(operands) > 2 and all(map(_SPECS.fullmatch, operands[:-2])):
        layout += [_specs(text) for text in operands[:-2]]  # as in "-o 1.1 2.2 FILE1 FILE2"
        operands = operands[-2:]
    specs = _format(layout)
    if len(operands) < 2:
        raise UsageError("missing operand" + (f" after '{operands[0]}'" if operands else ""))
    if len(operands) > 2:
        raise UsageError(f"extra operand '{operands[2]}'")
    if operands[0] == operands[1] == "-":
        raise Failure("both files cannot be standard input")
    readers: list[Reader] = []
    try:
        for name in operands:
            try:
                readers.append(ctx.open(name))
            except IsADirectoryError as error:
                raise Failure(f"read error: {reason(error)}") from None
            except OSError as error:
                raise Failure(f"{quote_odd(name)}: {reason(error)}") from None
        joiner = _Joiner(options, fields, specs, ctx)
        sources = [_Source(joiner, index, operands[index], readers[index]) for index in (0, 1)]
        joiner.run(sources[0], sources[1])
    except OSError as error:
        raise Failure(f"read error: {reason(error)}") from None
    finally:
        for reader in readers:
            reader.close()
    return 0


def _join_field(fields: Sequence[int]) -> int:
    """Return the field of one file, by its options in their order. Raises Failure for two."""
    other = next((field for field in fields if field != fields[0]), None)
    if other is not None:
        raise Failure(f"incompatible join fields {fields[0] + 1}, {other + 1}")
    return fields[0] if fields else 0


def _format(layout: Sequence[tuple[Field, ...] | str]) -> list[Field] | str:
    fields = [field for each in layout if not isinstance(each, str) for field in each]
    return "auto" if "auto" in layout and not fields else fields


class _Source:
    """The lines of one file in groups of equal join fields."""

    def __init__(self, joiner: _Joiner, index: int, name: str, reader: Reader) -> None:
        self.joiner = joiner
        self.index = index
        self.name = name
        self._lines: Iterator[bytes] = reader.lines(joiner.end)
        self.number = 0
        self._previous: bytes | None = None
        self._raw = b""
        self.disordered = False
        self.pending: Line | None = None

    def next(self) -> Line | None:
        """Return the fields of the next line, None after the last."""
        line = next(self._lines, None)
        if line is None:
            self.pending = None
            return None
        self.number += 1
        self._raw = line.removesuffix(self.joiner.end)
        self.pending = self.joiner.split(self._raw)
        return self.pending

    def check(self) -> None:
        """Check that the pending line sorts after the one before it."""
        if self.pending is None:
            return
        key = self.joiner.key(self.pending, self.index)
        previous, self._previous = self._previous, key
        joiner = self.joiner
        if previous is None or previous <= key or joiner.order == "no" or self.disordered:
            return
        if joiner.order == "check" or joiner.unpaired_seen:
            self.disordered = True
            line = self._raw.decode("utf-8", "surrogateescape")
            message = f"{self.name}:{self.number}: is not sorted: {line}"
            if joiner.order == "check":
                raise Failure(message)
            joiner.ctx.error(message)

    def advance(self) -> Line | None:
        """Go to the next line, and check the order."""
        self.next()
        self.check()
        return self.pending


class _Joiner:
    """Pairs the lines of two sources and writes the results."""

    def __init__(self, options: Options, fields: list[int], specs: list[Field] | str, ctx: Context) -> None:
        self.ctx = ctx
        self.order = options.order
        self.end = b"\0" if options.zero else b"\n"
        self.unpaired_seen = False
        self._options = options
        self._fields = fields
        self._specs = specs
        self._tab = options.tab[-1] if options.tab else None
        self._empty = options.empty[0].encode("utf-8", "surrogateescape") if options.empty else b""
        self._separator = options.tab[-1] if options.tab else b" "
        self._printed_files = {*options.unpaired, *options.only}
        self._pairs = not options.only
        self._automatic = [0, 0]

    def split(self, line: bytes) -> Line:
        if not line:
            return []
        if len(line) > PIECE:
            separators = _BLANK if self._tab is None else self._tab
            self.ctx.charge(len(line) >> 8)
            self.ctx.budget.check_fits(_FIELD * sum(line.count(byte) for byte in separators))
        if self._tab is None:
            return _BLANKS.split(line.lstrip(_BLANK))
        return [line] if self._tab == b"\n" else line.split(self._tab)

    def key(self, fields: Line, index: int) -> bytes:
        at = self._fields[index]
        key = fields[at] if at < len(fields) else b""
        return key.upper() if self._options.fold else key

    def run(self, left: _Source, right: _Source) -> None:
        self._head(left, right)
        while left.pending is not None and right.pending is not None:
            self.ctx.charge()
            left_key, right_key = self.key(left.pending, 0), self.key(right.pending, 1)
            if left_key < right_key:
                self._alone(left)
            elif right_key < left_key:
                self._alone(right)
            else:
                self._product(left, right, left_key)
        for source in (left, right):
            while source.pending is not None:
                self.ctx.charge()
                self._write_alone(source.pending, source.index)
                source.advance()
        if left.disordered or right.disordered:
            raise Failure("input is not in sorted order")

    def _head(self, left: _Source, right: _Source) -> None:
        """Read the first lines; headers are joined as they are."""
        for source in (left, right):
            source.next()
            if self._specs == "auto":
                self._automatic[source.index] = len(source.pending or [])
        if self._options.header:
            if left.pending is not None or right.pending is not None:
                self._write(left.pending, right.pending)
            left.next()
            right.next()
        left.check()
        right.check()

    def _alone(self, source: _Source) -> None:
        if source.pending is not None:
            self._write_alone(source.pending, source.index)
        source.advance()
        self.unpaired_seen = True

    def _write_alone(self, line: Line, index: int) -> None:
        if index + 1 in self._printed_files:
            self._write(line if index == 0 else None, line if index == 1 else None)

    def _product(self, left: _Source, right: _Source, key: bytes) -> None:
        """Write every pair of the lines that share a key."""
        groups: list[list[Line]] = []
        size = 0
        for source in (left, right):
            group: list[Line] = []
            while source.pending is not None and self.key(source.pending, source.index) == key:
                group.append(source.pending)
                size += sum(map(len, source.pending)) + 64
                self.ctx.budget.check_fits(size)
                source.advance()
            groups.append(group)
        if self._pairs:
            for left_line in groups[0]:
                for right_line in groups[1]:
                    self.ctx.charge()
                    self._write(left_line, right_line)

    # ------------------------------------------------------------------ output

    def _write(self, left: Line | None, right: Line | None) -> None:
        lines = (left, right)
        if self._specs and self._specs != "auto":
            pieces = [self._value(lines, spec) for spec in self._specs if not isinstance(spec, str)]
        else:
            present = 0 if left is not None else 1
            pieces = [self._at(lines[present] or [], self._fields[present])]
            for index, line in enumerate(lines):
                pieces += self._rest(line, index)
        self.ctx.write((self._separator or b" ").join(pieces) + self.end)

    def _rest(self, line: Line | None, index: int) -> list[bytes]:
        """Return the fields of a line except its join field."""
        own = self._fields[index]
        if self._specs == "auto":
            return [self._at(line or [], at) for at in range(self._automatic[index]) if at != own]
        return [field or self._empty for at, field in enumerate(line or []) if at != own]

    def _value(self, lines: tuple[Line | None, Line | None], spec: Field) -> bytes:
        file, field = spec
        if file == 0:
            file = 1 if lines[0] is not None else 2
            field = self._fields[file - 1]
        return self._at(lines[file - 1] or [], field)

    def _at(self, line: Line, field: int) -> bytes:
        return (line[field] if field < len(line) else b"") or self._empty
