"""What tar lists: the lines of -t and -v, the numbers of blocks of -R, and the ends of archives."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sandhook.command.context import Context
from sandhook.command.modes import mode_string
from sandhook.dates.clock import format_moment, moment, zone_of
from sandhook.text.quoting import quoted_name
from sandhook.utilities.archive.tar import format as format_

if TYPE_CHECKING:
    from sandhook.utilities.archive.tar.options import Options

_KINDS = {
    format_.DIRECTORY: 0o040000, format_.SYMBOLIC_LINK: 0o120000, format_.FIFO: 0o010000,
    format_.CHARACTER: 0o020000, format_.BLOCK_DEVICE: 0o060000,
}  # fmt: skip


class Listing:
    """Writes the lines of one call of tar."""

    def __init__(self, options: Options, mode: str, ctx: Context) -> None:
        self._options = options
        self._mode = mode
        self._ctx = ctx
        self._width = 19

    def quote_name(self, name: str) -> str:
        """Return a name in the quoting style of lists and messages."""
        style = self._options.quoting
        return quoted_name(name, style).replace("\\ ", " ") if style == "escape" else quoted_name(name, style)

    def print(self, member: format_.Member, name: str = "") -> None:
        """Write the line of -t or -v for a member; ``name`` is its name after --transform."""
        long_format = len(self._options.verbose) > (0 if self._mode == "t" else 1)
        if self._mode != "t" and not self._options.verbose:
            return
        name_to_list = name if name and self._options.transformed else member.name
        listed_name = self.quote_name(name_to_list + ("/" if member.kind == format_.DIRECTORY else ""))
        line = self._long_line(member, listed_name) if long_format else listed_name
        self.write(self._numbered(member.block + (self._mode == "x"), line))

    def print_end(self, block: int, what: str) -> None:
        """Write, with -R, how the archive ends."""
        if self._options.block_numbers:
            self.write(f"block {block}: ** {what} **")

    def write(self, line: str) -> None:
        """Write a line; see ``write_text``."""
        self.write_text(f"{line}\n")

    def write_text(self, text: str) -> None:
        """Write to standard output, or to standard error if the former has the archive or its contents."""
        data = text.encode("utf-8", "surrogateescape")
        if (self._mode != "c" or self._options.archive != "-") and not self._options.to_stdout:
            self._ctx.write(data)
        else:
            self._ctx.process.write_error(data)

    def _numbered(self, block: int, line: str) -> str:
        return f"block {block}: {line}" if self._options.block_numbers else line

    def _time(self, member: format_.Member) -> str:
        zone = zone_of("UTC" if self._options.utc else self._ctx.environment.get("TZ"))
        format_time = "%Y-%m-%d %H:%M:%S" if self._options.full_time else "%Y-%m-%d %H:%M"
        return format_moment(format_time, moment(member.mtime, zone), 0)

    def _long_line(self, member: format_.Member, listed_name: str) -> str:
        mode = mode_string(member.mode | _KINDS.get(member.kind, 0o100000))
        if member.kind == format_.LABEL:
            return f"V--------- 0/0{'0'.rjust(self._width - 3)} {self._time(member)} {listed_name}--Volume Header--"
        if member.kind == format_.HARD_LINK:
            mode = "h" + mode[1:]
        owner = f"{member.user or member.uid}/{member.group or member.gid}"
        if self._options.numeric:
            owner = f"{member.uid}/{member.gid}"
        self._width = max(self._width, len(owner) + len(str(member.size)) + 1)
        size = str(member.size).rjust(self._width - len(owner))
        arrow = {format_.SYMBOLIC_LINK: " -> ", format_.HARD_LINK: " link to "}.get(member.kind)
        return f"{mode} {owner}{size} {self._time(member)} {listed_name}{arrow + self.quote_name(member.link) if arrow else ''}"


def format_size(size: int) -> str:
    """Format a size as --totals shows it: 10KiB."""
    unit = 0
    value = float(size)
    while value >= 1024 and unit < 4:
        value /= 1024
        unit += 1
    return (
        f"{value:.1f}".removesuffix(".0") + ("B", "KiB", "MiB", "GiB", "TiB")[unit]
        if value < 10
        else (f"{value:.0f}" + ("B", "KiB", "MiB", "GiB", "TiB")[unit])
    )
