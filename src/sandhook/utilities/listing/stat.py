"""stat: print the status of files.

Oracle: GNU coreutils 9.1 (not in a standard).
Divergence: L-STAT-001, the time of birth is unknown, and -f describes the same one file system as df.
"""

from __future__ import annotations

import re
import stat as bits
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from sandhook.command.accounts import Accounts, accounts
from sandhook.command.choices import one_of
from sandhook.command.context import Context, Failure
from sandhook.command.modes import mode_string
from sandhook.command.operands import kind_name, reason, stat_of
from sandhook.command.options import UsageError, also, opt, option_set
from sandhook.dates.clock import strftime
from sandhook.kernel.status import open_status
from sandhook.text.c_escapes import unescape
from sandhook.text.quoting import QUOTING_STYLES, QuotingStyle, quote_always, quoted_name
from sandhook.utilities.listing.sizes import blocks_of
from sandhook.vfs.base import Stat

if TYPE_CHECKING:
    from sandhook.utilities.listing.df import Usage

_HUMAN = """  File: %HN
  Size: %-10s\tBlocks: %-10b IO Block: %-6o %F
Device: %Hd,%Ld\tInode: %-11i Links: %h
Access: (%04a/%10.10A)  Uid: (%5u/%8U)   Gid: (%5g/%8G)
Access: %x
Modify: %y
Change: %z
 Birth: %w
"""
_SYSTEM_HUMAN = """  File: "%n"
    ID: %-8i Namelen: %-7l Type: %T
Block size: %-10s Fundamental block size: %S
Blocks: Total: %-10b Free: %-10f Available: %a
Inodes: Total: %-10c Free: %d
"""
_SYSTEM_TERSE = "%n %i %l %t %s %S %b %f %a %c %d\n"
_TERSE = "%n %s %b %f %u %g %D %i %h %t %T %X %Y %Z %W %o\n"

#: The magic number of a tmpfs, its block size in bytes, and the length of its longest name in bytes.
_MAGIC, _BLOCK, _NAME_MAX = 0x01021994, 4096, 255

#: The greatest width of a field, in characters.
MAX_WIDTH = 4096

_DIRECTIVE = re.compile(r"%([-+ #0']*+)(\d*+)(?>\.(\d*+))?+(?:([HL])(?=[drN]))?(.?)", re.ASCII | re.DOTALL)


class _Format(str):
    """The format of -c."""

    __slots__ = ()


class _Escaped(_Format):
    """The format of --printf, which may have escapes."""

    __slots__ = ()


@option_set
class Options:
    """stat [OPTION]... FILE...

    Print the status of each FILE. FORMAT has %n name, %s size, %a %A mode, %F type, %u %U %g %G
    owner and group, %i inode, %h links, %b %B %o blocks, %x %y %z times and %X %Y %Z in seconds, %N quoted name.
    With -f: %n name, %i number, %l longest name, %t %T type, %s %S block size, %b %f %a blocks, free and available,
    %c %d files and free ones. FILE - is standard input.
    """

    format_: _Format | None = also(
        opt("-c", "--format", "FORMAT", "print FORMAT and a newline for each FILE", convert=_Format),
        opt("--printf", "FORMAT", "like -c with escapes and without newline", convert=_Escaped),
    )
    follow: bool = opt("-L", "--dereference", "follow symbolic links")
    system: bool = opt("-f", "--file-system", "describe the file systems that the files are in")
    terse: bool = opt("-t", "--terse", "all in one line")
    cached: str | None = opt(
        "--cached",
        "MODE",
        ignored="nothing is cached",
        convert=one_of("--cached", "default", "never", "always"),
    )


def run(options: Options, operands: Sequence[str], ctx: Context) -> int:
    """Return 0, or 1 when the status of a file is not available."""
    if not operands:
        raise UsageError("missing operand")
    escapes: list[str] = []
    if isinstance(options.format_, _Escaped):
        escapes = re.findall(r"\\.|\\\Z", options.format_, re.DOTALL)
        format_ = unescape(options.format_)
    elif options.format_ is not None:
        format_ = str(options.format_)
    else:
        human, terse = (_SYSTEM_HUMAN, _SYSTEM_TERSE) if options.system else (_HUMAN, _TERSE)
        format_ = terse if options.terse else human
    names = accounts(ctx.fs)
    end = "\n" if options.format_ is not None and not isinstance(options.format_, _Escaped) else ""
    for name in operands:
        ctx.charge()
        if name == "-" and options.system:
            ctx.fail("using '-' to denote standard input does not work in file system mode")
            continue
        try:
            if name == "-":
                info = open_status(ctx.process, 0)
            else:
                info = stat_of(ctx, name, follow=options.follow or options.system)
        except OSError as error:
            what = "standard input" if name == "-" else quote_always(name)
            verb = (
                "read file system information for" if options.system else "stat" if name == "-" else "statx"
            )
            ctx.fail(f"cannot {verb} {what}: {reason(error)}")
            continue
        _warn(escapes, ctx)  # for each file, as GNU's does
        printer = _System(name, info, names, ctx) if options.system else _Printer(name, info, names, ctx)
        text = _DIRECTIVE.sub(printer, format_) + end
        ctx.write(text.encode("utf-8", "surrogateescape"))
    return ctx.failed


def _warn(escapes: Sequence[str], ctx: Context) -> None:
    for escape in escapes:
        if escape == "\\":
            ctx.error("warning: backslash at end of format")
        elif escape[1] not in '\\abefnrtvx"01234567':
            ctx.error(f"warning: unrecognized escape '{escape}'")


_NUMBERS: dict[str, Callable[[Stat], int]] = {
    "b": lambda info: blocks_of(info) * 2,
    "B": lambda info: 512,
    "d": lambda info: info.device,
    "g": lambda info: info.gid,
    "h": lambda info: info.links,
    "i": lambda info: info.inode,
    "o": lambda info: 4096,
    "r": lambda info: info.rdev,
    "s": lambda info: info.size,
    "u": lambda info: info.uid,
    "W": lambda info: 0,
}
_SPLIT: dict[tuple[str, str], Callable[[Stat], int]] = {
    ("H", "d"): lambda info: info.device >> 8,
    ("L", "d"): lambda info: info.device & 0xFF,
    ("H", "r"): lambda info: info.rdev >> 8,
    ("L", "r"): lambda info: info.rdev & 0xFF,
}
_TIMES: dict[str, Callable[[Stat], int]] = {
    "x": lambda info: info.atime_ns,
    "y": lambda info: info.mtime_ns,
    "z": lambda info: info.ctime_ns,
}


class _Printer:
    """Prints the directives of a format for one file."""

    def __init__(self, name: str, info: Stat, names: Accounts, ctx: Context) -> None:
        self.name = name
        self.info = info
        self.names = names
        self.ctx = ctx
        self._cached_usage: Usage | None = None

    def __call__(self, match: re.Match[str]) -> str:
        flags, width_text, precision, half, letter = match.groups()
        if letter in ("%", ""):
            if match[0] not in ("%%", "%"):
                raise Failure(f"{quote_always(match[0])}: invalid directive")
            return "%"
        width = min(int(width_text[:9] or "0"), MAX_WIDTH)
        text, numeric = self._value(letter, half, flags, precision)
        if text == "?" and letter != "n":
            return text
        if precision and not numeric:
            text = text[: min(int(precision[:9]), MAX_WIDTH)]
        if "-" in flags:
            return text.ljust(width)
        return text.rjust(width, "0" if "0" in flags and numeric else " ")

    def _value(self, letter: str, half: str, flags: str, precision: str | None) -> tuple[str, bool]:
        """Return a directive's text, and whether it is a number."""
        info = self.info
        if half and letter == "N":
            return self._quote_name("literal"), False
        if half:
            number = _SPLIT.get((half, letter))
            return ("?", False) if number is None else (str(number(info)), True)
        if letter in _NUMBERS:
            value = _NUMBERS[letter](info)
            sign = "+" if "+" in flags else " " if " " in flags else ""
            return (sign if letter in "sW" else "") + str(value), True
        if letter in "aDfRtT":
            value = {"a": info.mode & 0o7777, "D": info.device, "f": info.mode, "R": info.rdev,
                     "t": info.rdev >> 8, "T": info.rdev & 0xFF}[letter]  # fmt: skip
            prefix = "#" in flags and value
            return ("0" if prefix else "") + f"{value:o}" if letter == "a" else (
                "0x" if prefix else ""
            ) + f"{value:x}", True
        if letter in "XYZ":
            sign = "+" if "+" in flags else " " if " " in flags else ""
            return sign + self._seconds(_TIMES[letter.lower()](info), precision), True
        if letter in "xyz":
            seconds, fraction = divmod(_TIMES[letter](info), 10**9)
            zone = self.ctx.environment.get("TZ")
            return strftime("%Y-%m-%d %H:%M:%S.%N %z", seconds, zone, fraction), False
        return self._text(letter), False

    def _text(self, letter: str) -> str:
        info = self.info
        match letter:
            case "A":
                return mode_string(info.mode)
            case "F":
                return kind_name(info)
            case "G":
                return self.names.groups.get(info.gid, "UNKNOWN")
            case "U":
                return self.names.users.get(info.uid, "UNKNOWN")
            case "m":
                return "/"
            case "n":
                return self.name
            case "N":
                return self._quote_name()
            case "w":
                return "-"
            case _:
                return "?"

    def _seconds(self, nanoseconds: int, precision: str | None) -> str:
        """Return seconds, with as many digits after the point as the precision (nine if it is empty)."""
        seconds, fraction = divmod(nanoseconds, 10**9)
        if precision is None or precision == "0":
            return str(seconds)
        places = min(int(precision[:9]), MAX_WIDTH) if precision else 9
        return f"{seconds}.{f'{fraction:09d}'[:places].ljust(places, '0')}"

    def _quote_name(self, style: QuotingStyle = "escape-shell-always") -> str:
        style = QUOTING_STYLES.get(self.ctx.environment.get("QUOTING_STYLE", ""), style)
        text = quoted_name(self.name, style)
        if bits.S_ISLNK(self.info.mode):
            text += " -> " + quoted_name(self.ctx.fs.readlink(self.ctx.path(self.name)), style)
        return text


class _System(_Printer):
    """Prints the directives of a format for the file system that a file is in."""

    def _value(self, letter: str, half: str, flags: str, precision: str | None) -> tuple[str, bool]:
        if half:
            return "?", False
        if letter in "it":
            value = self.info.device if letter == "i" else _MAGIC
            return ("0x" if "#" in flags and letter == "t" else "") + f"{value:x}", True
        if letter in "lsS":
            return str(_NAME_MAX if letter == "l" else _BLOCK), True
        if letter in "abcdf":
            usage = self._usage()
            free = (usage.size - usage.used) // _BLOCK
            numbers = {"a": free, "b": usage.size // _BLOCK, "f": free,
                       "c": usage.files, "d": usage.files - usage.used_files}  # fmt: skip
            return str(numbers[letter]), True
        return {"n": self.name, "T": "tmpfs"}.get(letter, "?"), False

    def _usage(self) -> Usage:
        from sandhook.utilities.listing.df import measure_usage

        if self._cached_usage is None:
            self._cached_usage = measure_usage(self.ctx)
        return self._cached_usage
