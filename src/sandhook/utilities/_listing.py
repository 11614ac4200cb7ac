"""How ls prints files: long lines, columns, sizes, times, indicators, quoting, order."""

from __future__ import annotations

import stat as bits
from collections.abc import Callable
from itertools import zip_longest
from typing import Any

from sandhook.record import Record
from sandhook.utilities._base import Context, UsageError
from sandhook.utilities._files import accounts, quote_always
from sandhook.utilities._mode import mode_string
from sandhook.utilities._time import strftime
from sandhook.utilities._version import version_key
from sandhook.vfs.base import Stat
from sandhook.vfs.path import VirtualPath

#: Half of an average year, in seconds: older times are shown with their year.
HALF_YEAR = 31_556_952 // 2


class File(Record):
    """One file of a listing."""

    name: str
    path: str
    info: Stat
    known: bool = True

    @classmethod
    def unknown(cls, name: str, path: str) -> File:
        """Return a link that leads nowhere, where links are followed: its line is all question marks."""
        return cls(name, path, Stat(bits.S_IFLNK, 0, 0, 0, 0, 0, 0, 0, 0), False)


class Layout(Record):
    """What a line shows, and how."""

    form: str
    owner: bool
    group: bool
    author: bool
    numeric: bool
    blocks: bool
    inode: bool
    human: str
    time: str
    style: tuple[str, str]
    indicator: str
    quoting: str
    hide_control: bool
    end: bytes
    width: int
    tab: int


def time_style(text: str | None) -> tuple[str, str]:
    """Return the formats of old and of recent times that a --time-style names."""
    if text is None:
        return "%b %e  %Y", "%b %e %H:%M"
    text = text.removeprefix("posix-") or text
    if text[:1] == "+":
        old, newline, recent = text[1:].partition("\n")
        if "\n" in recent:
            raise UsageError(f"invalid time style format {quote_always(text[1:])}")
        return old, recent if newline else old
    known = {
        "full-iso": ("%Y-%m-%d %H:%M:%S.%N %z",) * 2,
        "long-iso": ("%Y-%m-%d %H:%M",) * 2,
        "iso": ("%Y-%m-%d ", "%m-%d %H:%M"),
        "locale": ("%b %e  %Y", "%b %e %H:%M"),
    }
    if text not in known:
        listed = "".join(f"\n  - [posix-]{name}" for name in known)
        raise UsageError(
            f"invalid argument {quote_always(text)} for 'time style'\nValid arguments are:{listed}\n"
            "  - +FORMAT (e.g., +%H:%M) for a 'date'-style format"
        )
    return known[text]


def file_time(info: Stat, which: str) -> int:
    """Return the chosen time of a file in nanoseconds."""
    return {"access": info.atime_ns, "change": info.ctime_ns}.get(which, info.mtime_ns)


def byte_name(name: str) -> bytes:
    """Return a name as it is ordered in the C locale."""
    return name.encode("utf-8", "surrogateescape")


def sort_key(sort: str, time: str) -> Callable[[File], Any]:
    """Return the key of an order; names decide between equals."""
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


def blocks_of(info: Stat) -> int:
    """Return how many KiB a file takes, in whole pages of 4 KiB; links and devices take none."""
    if bits.S_ISDIR(info.mode):
        return 4
    return (info.size + 4095) // 4096 * 4 if bits.S_ISREG(info.mode) else 0


def human_size(size: int, how: str) -> str:
    """Return a size as -h prints it: rounded up, with one decimal below ten; or in a unit, ``1024:K``."""
    scale, colon, suffix = how.partition(":")
    if colon:  # a unit of --block-size, and what stands behind the number
        return f"{-(-size // int(scale))}{suffix}"
    base = 1000 if how == "si" else 1024
    if size < base:
        return str(size)
    unit = -1
    power = 1
    while size >= power * base and unit < 7:
        power *= base
        unit += 1
    tenths = -(-size * 10 // power)
    if tenths >= 100:
        whole = -(-size // power)
        if whole >= base and unit < 7:
            return f"1.0{_letters(how)[unit + 1]}"
        return f"{whole}{_letters(how)[unit]}"
    return f"{tenths // 10}.{tenths % 10}{_letters(how)[unit]}"


def _letters(how: str) -> str:
    return "kMGTPEZY" if how == "si" else "KMGTPEZY"


_C_ESCAPES = {"\a": "\\a", "\b": "\\b", "\t": "\\t", "\n": "\\n", "\v": "\\v", "\f": "\\f", "\r": "\\r",
              "\\": "\\\\"}  # fmt: skip
_SHELL_SPECIAL = frozenset("\t\n !\"#$&'()*;<=>?[\\^`{|}~")


def quoted_name(name: str, style: str) -> str:
    """Return a name in one of ls's quoting styles."""
    if style == "literal":
        return name
    if style in ("shell", "shell-always", "escape-shell", "escape-shell-always"):
        needed = any(letter in _SHELL_SPECIAL or not letter.isprintable() for letter in name)
        if not needed and not style.endswith("always"):
            return name
        return quote_always(name) if "escape" in style else "'" + name.replace("'", "'\\''") + "'"
    extra = {"c": '"', "locale": "'", "escape": " "}[style]
    pieces = []
    for letter in name:
        if letter in _C_ESCAPES:
            pieces.append(_C_ESCAPES[letter])
        elif letter == extra:
            pieces.append("\\" + letter)
        elif letter.isprintable():
            pieces.append(letter)
        else:
            pieces += [f"\\{byte:03o}" for byte in letter.encode("utf-8", "surrogateescape")]
    text = "".join(pieces)
    return text if style == "escape" else f"{extra}{text}{extra}"


class Printer:
    """Prints listings in one layout."""

    def __init__(self, layout: Layout, ctx: Context) -> None:
        self.layout = layout
        self.ctx = ctx
        self.names = accounts(ctx.fs) if layout.form == "long" and not layout.numeric else None
        self.now = int(ctx.now())
        self.zone = ctx.environment.get("TZ")

    def print(self, files: list[File], *, total: bool) -> None:
        """Print files; ``total`` puts the sum of their blocks first where that is shown."""
        layout = self.layout
        if total and (layout.form == "long" or layout.blocks):
            size = sum(blocks_of(file.info) for file in files)
            self.ctx.write(b"total " + self._blocks_text(size).encode() + layout.end)
        if layout.form == "long":
            self._long(files)
        elif layout.form == "one":
            widths = self._prefix_widths(files)
            for file in files:
                self._line(self._prefix(file, widths) + self._shown(file))
        elif layout.form == "commas":
            self._commas(files)
        elif files:
            self._columns(files)

    def quoted(self, name: str) -> str:
        """Return a name as the layout quotes it."""
        text = quoted_name(name, self.layout.quoting)
        if self.layout.hide_control and self.layout.quoting == "literal":
            text = "".join(letter if letter.isprintable() else "?" for letter in text)
        return text

    def _line(self, text: str) -> None:
        self.ctx.charge()
        self.ctx.write(text.encode("utf-8", "surrogateescape") + self.layout.end)

    def _shown(self, file: File) -> str:
        return self.quoted(file.name) + self._indicator(file.info.mode)

    def _indicator(self, mode: int) -> str:
        wanted = self.layout.indicator
        if not wanted:
            return ""
        if bits.S_ISDIR(mode):
            return "/"
        if wanted == "slash":
            return ""
        if bits.S_ISREG(mode):
            return "*" if wanted == "all" and mode & 0o111 else ""
        return {bits.S_IFLNK: "@", bits.S_IFIFO: "|", bits.S_IFSOCK: "="}.get(bits.S_IFMT(mode), "")

    def _blocks_text(self, kibibytes: int) -> str:
        return human_size(kibibytes * 1024, self.layout.human) if self.layout.human else str(kibibytes)

    # Inode and blocks stand before everything else.

    def _prefix_cells(self, file: File) -> list[str]:
        cells = []
        if self.layout.inode:
            cells.append(str(file.info.inode) if file.known else "?")
        if self.layout.blocks:
            cells.append(self._blocks_text(blocks_of(file.info)) if file.known else "?")
        return cells

    def _prefix_widths(self, files: list[File]) -> list[int]:
        if not (self.layout.inode or self.layout.blocks):
            return []
        return [max(map(len, column)) for column in zip(*(self._prefix_cells(file) for file in files))]

    def _prefix(self, file: File, widths: list[int]) -> str:
        if not widths:
            return ""
        return "".join(cell.rjust(width) + " " for cell, width in zip(self._prefix_cells(file), widths))

    # Long lines.

    def _long(self, files: list[File]) -> None:
        rows = [self._cells(file) for file in files]
        widths = [max(map(len, column)) for column in zip(*rows)]
        prefix = self._prefix_widths(files)
        left = 2 + self.layout.owner + self.layout.group + self.layout.author
        for file, row in zip(files, rows):
            cells = [
                cell.ljust(width) if index == 0 or 2 <= index < left else cell.rjust(width)
                for index, (cell, width) in enumerate(zip(row, widths))
            ]
            self._line(self._prefix(file, prefix) + " ".join(cells) + " " + self._long_name(file))

    def _cells(self, file: File) -> list[str]:
        layout, info = self.layout, file.info
        if not file.known:
            count = layout.owner + layout.group + layout.author
            return ["l?????????", "?", *("?" * count), "?", "?"]
        names = self.names
        owner = names.user(info.uid) if names else str(info.uid)
        group = names.group(info.gid) if names else str(info.gid)
        cells = [mode_string(info.mode), str(info.links)]
        cells += [owner] * layout.owner + [group] * layout.group + [owner] * layout.author
        if bits.S_ISCHR(info.mode) or bits.S_ISBLK(info.mode):
            cells.append(f"{info.rdev >> 8}, {info.rdev & 0xFF}")
        else:
            cells.append(human_size(info.size, layout.human) if layout.human else str(info.size))
        seconds, fraction = divmod(file_time(info, layout.time), 10**9)
        recent = self.now - HALF_YEAR < seconds <= self.now
        cells.append(strftime(layout.style[recent], seconds, self.zone, fraction))
        return cells

    def _long_name(self, file: File) -> str:
        if not bits.S_ISLNK(file.info.mode) or not file.known:
            return self._shown(file)
        path = self.ctx.path(file.path)
        text = f"{self.quoted(file.name)} -> {self.quoted(self.ctx.fs.readlink(path))}"
        if self.layout.indicator:
            text += self._target_indicator(path)
        return text

    def _target_indicator(self, path: VirtualPath) -> str:
        try:
            return self._indicator(self.ctx.fs.stat(path).mode)
        except OSError:
            return ""

    # Several names a line.

    def _commas(self, files: list[File]) -> None:
        line = ""
        widths = self._prefix_widths(files)
        for index, file in enumerate(files):
            cell = self._prefix(file, widths).lstrip() + self._shown(file)
            if index:
                line += ","
                if len(line) + 1 + len(cell) + 1 > self.layout.width:
                    self._line(line)
                    line = ""
                else:
                    line += " "
            line += cell
        if files:
            self._line(line)

    def _columns(self, files: list[File]) -> None:
        prefix = self._prefix_widths(files)
        cells = [self._prefix(file, prefix) + self._shown(file) for file in files]
        across = self.layout.form == "across"
        count, widths = fit_columns([len(cell) for cell in cells], self.layout.width, across)
        rows = -(-len(cells) // count)
        if across:
            lines = [cells[start : start + count] for start in range(0, len(cells), count)]
        else:
            columns = [cells[start : start + rows] for start in range(0, len(cells), rows)]
            lines = [[cell for cell in row if cell is not None] for row in zip_longest(*columns)]
        for line in lines:
            text = ""
            position = 0
            at = 0
            for index, cell in enumerate(line):
                text += self._gap(position, at) + cell
                position = at + len(cell)
                at += widths[index]
            self._line(text)

    def _gap(self, position: int, target: int) -> str:
        """Return the tabs and spaces from one column to another."""
        tab = self.layout.tab
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
    """Return the largest number of columns that fits a line, and their widths (two spaces included)."""
    total = len(lengths)
    for count in range(min(total, max(1, width // 3)), 1, -1):
        rows = -(-total // count)
        if not across and -(-total // rows) < count:
            continue
        columns = [3] * count  # the least that GNU's ls thinks of
        for index, length in enumerate(lengths):
            at = index % count if across else index // rows
            columns[at] = max(columns[at], length + (0 if at == count - 1 else 2))
        if sum(columns) < width:
            return count, columns
    return 1, [max(lengths)]
