"""The layout of ls: long lines, columns, sizes, times, indicators, quoting, order."""

from __future__ import annotations

import stat as bits
from collections.abc import Callable, Sequence
from typing import Any

from sandhook.command.accounts import accounts
from sandhook.command.context import Context
from sandhook.command.links import resolve
from sandhook.command.machine import host_name
from sandhook.command.modes import mode_string, type_letter
from sandhook.command.options import UsageError
from sandhook.dates.clock import strftime
from sandhook.record import Record
from sandhook.text.quoting import QuotingStyle, quote_always, quoted_name
from sandhook.utilities.listing.ls.colors import Colours
from sandhook.utilities.listing.ls.dired import INDENT, Dired
from sandhook.utilities.listing.sizes import HALF_YEAR, blocks_of, human_size
from sandhook.utilities.listing.version import version_key
from sandhook.vfs.base import Stat


class File(Record):
    """One file of a listing."""

    name: str
    path: str
    info: Stat
    known: bool = True

    @classmethod
    def without_status(cls, name: str, path: str, mode: int) -> File:
        """Return a file of which only the type is known, so that its line consists of question marks."""
        return cls(name, path, Stat(bits.S_IFMT(mode), 0, 0, 0), False)


#: The width of a line without a limit.
NO_LIMIT = 1 << 62


class Layout(Record):
    """The fields of a line and their formats."""

    form: str
    owner: bool
    group: bool
    author: bool
    numeric: bool
    blocks: bool
    inode: bool
    human: str
    block_unit: str
    time: str
    style: tuple[str, str]
    indicator: str
    quoting: QuotingStyle
    hide_control: bool
    context: bool
    end: bytes
    width: int
    tab: int


def time_style(text: str | None) -> tuple[str, str]:
    """Return the formats of old and of recent times for the argument of --time-style."""
    if text is None:
        return "%b %e  %Y", "%b %e %H:%M"
    text = text.removeprefix("posix-") or text
    if text[:1] == "+":
        old, newline, recent = text[1:].partition("\n")
        if "\n" in recent:
            raise UsageError(f"invalid time style format {quote_always(text[1:])}")
        return old, recent if newline else old
    styles = {
        "full-iso": ("%Y-%m-%d %H:%M:%S.%N %z",) * 2,
        "long-iso": ("%Y-%m-%d %H:%M",) * 2,
        "iso": ("%Y-%m-%d ", "%m-%d %H:%M"),
        "locale": ("%b %e  %Y", "%b %e %H:%M"),
    }
    if text not in styles:
        choices = "".join(f"\n  - [posix-]{name}" for name in styles)
        raise UsageError(
            f"invalid argument {quote_always(text)} for 'time style'\nValid arguments are:{choices}\n"
            "  - +FORMAT (e.g., +%H:%M) for a 'date'-style format"
        )
    return styles[text]


def file_time(info: Stat, kind: str) -> int:
    """Return one of the times of a file in nanoseconds."""
    return {"access": info.atime_ns, "change": info.ctime_ns}.get(kind, info.mtime_ns)


def byte_name(name: str) -> bytes:
    """Return a name as bytes, which order names as the C locale does."""
    return name.encode("utf-8", "surrogateescape")


def sort_key(sort: str, time: str) -> Callable[[File], Any]:
    """Return the key function of an order; equal files are in the order of names."""
    if sort == "time":
        return lambda file: (-file_time(file.info, time), byte_name(file.name))
    if sort == "size":
        return lambda file: (-file.info.size, byte_name(file.name))
    if sort == "extension":
        return lambda file: (byte_name("".join(file.name.rpartition(".")[1:]) if "." in file.name else ""),
                             byte_name(file.name))  # fmt: skip
    if sort == "version":
        return lambda file: (version_key(file.name), byte_name(file.name))
    if sort == "width":
        return lambda file: (len(file.name), byte_name(file.name))
    return lambda file: byte_name(file.name)


_URL_SAFE = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789~-._/")


class Printer:
    """Prints listings in one layout."""

    def __init__(self, layout: Layout, ctx: Context) -> None:
        self.layout = layout
        self.ctx = ctx
        self.names = accounts(ctx.fs) if layout.form == "long" and not layout.numeric else None
        self.now = int(ctx.now())
        self.zone = ctx.environment.get("TZ")
        self.colours: Colours | None = None
        self.hyperlinks = False
        self.dired: Dired | None = None
        self._colour_used = False

    def print(self, files: list[File], *, total: bool, others: Sequence[File] = ()) -> None:
        """Print files.

        Args:
            files: The files in their final order.
            total: Print the sum of their blocks first, in layouts with blocks.
            others: Further files that the widths of columns depend on.
        """
        layout = self.layout
        if total and (layout.form == "long" or layout.blocks):
            size = sum(blocks_of(file.info) for file in files if file.known)
            self._write(b"total " + self._blocks_text(size).encode() + layout.end)
        if layout.form == "long":
            self._long(files, others)
        elif layout.form == "one":
            widths = self._prefix_widths(files)
            for file in files:
                prefix = self._prefix(file, widths)
                self._line(prefix + self._name_with_indicator(file, len(prefix)))
        elif layout.form == "commas":
            self._commas(files)
        elif files:
            self._columns(files)

    def heading(self, name: str, *, gap: bool) -> None:
        """Print the name of a directory above its entries, after an empty line if there is a ``gap``."""
        title = self.title(name).encode("utf-8", "surrogateescape")
        if gap:
            self._write(b"\n", indent=b"")
        if self.dired is not None:
            self.dired.add_heading(len(title))
        self._write(title + b":\n")

    def _write(self, data: bytes, indent: bytes = INDENT) -> None:
        """Write data; with -D, after an indentation."""
        if self.dired is not None:
            data = indent + data
            self.dired.advance(len(data))
        self.ctx.write(data)

    def finish(self) -> None:
        """Write the offsets of -D, and reset the colour sequences that are not the default ones."""
        if self.dired is not None:
            self.dired.finish(self.layout.quoting)
        if self._colour_used and self.colours is not None:
            sequences = self.colours.sequences
            if sequences["lc"] != "\x1b[" or sequences["rc"] != "m":
                self.ctx.write((sequences["lc"] + sequences["rc"]).encode("utf-8", "surrogateescape"))

    def quote_name(self, name: str) -> str:
        """Return a name in the layout's quoting style."""
        text = quoted_name(name, self.layout.quoting)
        if self.layout.hide_control and self.layout.quoting == "literal":
            text = "".join(letter if letter.isprintable() else "?" for letter in text)
        return text

    def title(self, name: str) -> str:
        """Return the title of a directory above its entries, where colons are escaped, but blanks are not."""
        if self.layout.quoting != "escape":
            return self.quote_name(name)
        return quoted_name(name, "escape").replace("\\ ", " ").replace(":", "\\:")

    def _line(self, text: str) -> None:
        self.ctx.charge()
        line = text.encode("utf-8", "surrogateescape") + self.layout.end
        if self.dired is not None:
            line = INDENT + line
        self.ctx.write(line)

    def _name_with_indicator(self, file: File, at: int = 0) -> str:
        return self._name(file, at) + self._indicator(file.info.mode)

    def _name(self, file: File, at: int) -> str:
        """Return a name with its colour, if it has one; ``at`` is its first column."""
        text = self.quote_name(file.name)
        size = len(text)
        if self.hyperlinks:
            text = self._hyperlink(text, file.path)
        if self.colours is None:
            return text
        info = file.info
        if bits.S_ISLNK(info.mode):
            return self._in_colour(text, size, self.colours.of_link(file.name, info, self._target(file)), at)
        return self._in_colour(text, size, self.colours.of_file(file.name, info), at)

    def _hyperlink(self, text: str, path: str) -> str:
        """Return text as a terminal's hyperlink to the file."""
        absolute = resolve(self.ctx, path, missing="all")
        quoted = "".join(
            chr(byte) if chr(byte) in _URL_SAFE else f"%{byte:02x}"
            for byte in absolute.encode("utf-8", "surrogateescape")
        )
        return f"\x1b]8;;file://{host_name(self.ctx)}{quoted}\a{text}\x1b]8;;\a"

    def _target(self, file: File) -> Stat | None:
        """Return the status of a link's target if colours or indicators need it; None for a missing target."""
        colours = self.colours
        if self.layout.indicator != "all" and (colours is None or not self._needs_target(colours)):
            return None
        try:
            return self.ctx.fs.stat(self.ctx.path(file.path))
        except OSError:
            return None

    def _needs_target(self, colours: Colours) -> bool:
        return colours.depends_on_targets or (self.layout.form == "long" and colours.has("mi"))

    def _in_colour(self, text: str, size: int, sequence: str, at: int) -> str:
        colours = self.colours
        if colours is None or not sequence:
            return text
        result = colours.wrap(text, sequence)
        if at // self.layout.width != (at + size - 1) // self.layout.width:
            result += colours.sequences["cl"]  # it continues on the next line
        if self._colour_used:
            return result
        self._colour_used = True
        return colours.reset + result

    def _indicator(self, mode: int) -> str:
        style = self.layout.indicator
        if not style:
            return ""
        if bits.S_ISDIR(mode):
            return "/"
        if style == "slash":
            return ""
        if bits.S_ISREG(mode):
            return "*" if style == "all" and mode & 0o111 else ""
        return {bits.S_IFLNK: "@", bits.S_IFIFO: "|", bits.S_IFSOCK: "="}.get(bits.S_IFMT(mode), "")

    def _blocks_text(self, kibibytes: int) -> str:
        unit = self.layout.block_unit
        return human_size(kibibytes * 1024, unit) if unit else str(kibibytes)

    # Inode and blocks are at the beginning of a line.

    def _prefix_cells(self, file: File) -> list[str]:
        cells = []
        if self.layout.inode:
            cells.append(str(file.info.inode) if file.known else "?")
        if self.layout.blocks:
            cells.append(self._blocks_text(blocks_of(file.info)) if file.known else "?")
        if self.layout.context and self.layout.form != "long":
            cells.append("?")
        return cells

    def _prefix_widths(self, files: list[File]) -> list[int]:
        if not (self.layout.inode or self.layout.blocks or self.layout.context):
            return []
        return [max(map(len, column)) for column in zip(*(self._prefix_cells(file) for file in files))]

    def _prefix(self, file: File, widths: list[int]) -> str:
        if not widths:
            return ""
        return "".join(cell.rjust(width) + " " for cell, width in zip(self._prefix_cells(file), widths))

    # Long lines.

    def _long(self, files: list[File], others: Sequence[File]) -> None:
        rows = [self._cells(file) for file in files]
        widths = [max(map(len, column)) for column in zip(*rows, *(self._cells(file) for file in others))]
        prefix = self._prefix_widths(files)
        left_aligned_end = (
            2 + self.layout.owner + self.layout.group + self.layout.author + self.layout.context
        )
        for file, row in zip(files, rows):
            cells = [
                cell.ljust(width) if index == 0 or 2 <= index < left_aligned_end else cell.rjust(width)
                for index, (cell, width) in enumerate(zip(row, widths))
            ]
            start = self._prefix(file, prefix) + " ".join(cells) + " "
            if self.dired is not None:
                self._record_name(file, start)
            self._line(start + self._long_name(file, len(start)))

    def _record_name(self, file: File, start: str) -> None:
        """Record the offset of the name in a line for -D; colours do not count."""
        assert self.dired is not None
        offset = len(byte_name(start))
        self.dired.add_name(offset, len(byte_name(self.quote_name(file.name))))
        colours, self.colours = self.colours, None
        rest = byte_name(self._long_name(file, 0))
        self.colours = colours
        self.dired.advance(len(INDENT) + offset + len(rest) + len(self.layout.end))

    def _cells(self, file: File) -> list[str]:
        layout, info = self.layout, file.info
        if not file.known:
            count = layout.owner + layout.group + layout.author + layout.context
            width = len(strftime(layout.style[True], 0, self.zone, 0))
            return [f"{type_letter(info.mode)}?????????", "?", *("?" * count), "?", "?".rjust(width)]
        names = self.names
        owner = names.user(info.uid) if names else str(info.uid)
        group = names.group(info.gid) if names else str(info.gid)
        cells = [mode_string(info.mode), str(info.links)]
        cells += (
            [owner] * layout.owner + [group] * layout.group + [owner] * layout.author + ["?"] * layout.context
        )
        if bits.S_ISCHR(info.mode) or bits.S_ISBLK(info.mode):
            cells.append(f"{info.rdev >> 8}, {info.rdev & 0xFF}")
        else:
            cells.append(human_size(info.size, layout.human) if layout.human else str(info.size))
        seconds, fraction = divmod(file_time(info, layout.time), 10**9)
        recent = self.now - HALF_YEAR < seconds <= self.now
        cells.append(strftime(layout.style[recent], seconds, self.zone, fraction))
        return cells

    def _long_name(self, file: File, at: int) -> str:
        if not bits.S_ISLNK(file.info.mode) or not file.known:
            return self._name_with_indicator(file, at)
        destination = self.ctx.fs.readlink(self.ctx.path(file.path))
        target = self._target(file)
        text = self.quote_name(destination)
        if self.colours is not None:
            at += len(self.quote_name(file.name)) + 4
            text = self._in_colour(text, len(text), self.colours.of_target(destination, target), at)
        name = self._name(file, at)
        tail = self._indicator(target.mode) if target is not None and self.layout.indicator == "all" else ""
        return f"{name} -> {text}{tail}"

    # Several names in a line.

    def _length(self, file: File) -> int:
        return len(self.quote_name(file.name)) + len(self._indicator(file.info.mode))

    def _commas(self, files: list[File]) -> None:
        line, column = "", 0
        widths = self._prefix_widths(files)
        for index, file in enumerate(files):
            prefix = self._prefix(file, widths).lstrip()
            length = len(prefix) + self._length(file)
            if index:
                line += ","
                if column + 2 + length + 1 > self.layout.width:
                    self._line(line)
                    line, column = "", 0
                else:
                    line += " "
                    column += 2
            line += prefix + self._name_with_indicator(file, column)
            column += length
        if files:
            self._line(line)

    def _one_line(self, files: list[File]) -> None:
        """Write all names with two spaces between them, as GNU's ls does where a line has no limit."""
        prefix = self._prefix_widths(files)
        line, column = "", 0
        for file in files:
            start = self._prefix(file, prefix)
            line += ("  " if line else "") + start + self._name_with_indicator(file, column)
            column += len(start) + self._length(file) + 2
        if files:
            self._line(line)

    def _columns(self, files: list[File]) -> None:
        if self.layout.width == NO_LIMIT:
            self._one_line(files)
            return
        prefix = self._prefix_widths(files)
        starts = [self._prefix(file, prefix) for file in files]
        lengths = [len(start) + self._length(file) for start, file in zip(starts, files)]
        across = self.layout.form == "across"
        count, widths = fit_columns(lengths, self.layout.width, across)
        total = len(files)
        rows = -(-total // count)
        if across:
            lines = [range(start, min(start + count, total)) for start in range(0, total, count)]
        else:
            lines = [range(start, total, rows) for start in range(rows)]
        for line in lines:
            text = ""
            position = at = 0
            for index, cell in enumerate(line):
                text += self._gap(position, at) + starts[cell]
                text += self._name_with_indicator(files[cell], at + len(starts[cell]))
                position = at + lengths[cell]
                at += widths[index]
            self._line(text)

    def _gap(self, position: int, target: int) -> str:
        """Return the tabs and spaces from one column to another."""
        tab = 0 if self.colours is not None else self.layout.tab
        text = ""
        while position < target:
            if tab and target // tab > (position + 1) // tab:
                text += "\t"
                position += tab - position % tab
            else:
                text += " "
                position += 1
        return text


def fit_columns(lengths: list[int], width: int, across: bool) -> tuple[int, list[int]]:
    """Return the largest number of columns that fit in a line, and their widths including two spaces."""
    total = len(lengths)
    for count in range(min(total, max(1, width // 3)), 1, -1):
        rows = -(-total // count)
        if not across and -(-total // rows) < count:
            continue
        columns = [3] * count  # the minimum of GNU's ls
        for index, length in enumerate(lengths):
            at = index % count if across else index // rows
            columns[at] = max(columns[at], length + (0 if at == count - 1 else 2))
        if sum(columns) < width:
            return count, columns
    return 1, [max(lengths)]
