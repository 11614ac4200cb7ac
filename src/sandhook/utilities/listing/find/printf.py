"""The directives of find -printf.

Source: GNU findutils 4.9 manual, "Format directives".
"""

from __future__ import annotations

import errno
import re
import stat as bits

from sandhook.command.context import Failure
from sandhook.command.modes import mode_string
from sandhook.dates.clock import strftime
from sandhook.text.c_escapes import unescape
from sandhook.utilities.listing.find.state import Settings, Visit
from sandhook.utilities.listing.sizes import blocks_of
from sandhook.vfs.base import Stat

#: The type that %F prints and -fstype matches.
FILE_SYSTEM = "sandhook"

#: The greatest width of a field, in characters.
MAX_WIDTH = 4096

_PIECE = re.compile(
    r"%([-+ #0]*)(\d*)(?:\.(\d*))?([ABCT]?)(.)|(\\c)|((?>\\(?:[0-7]{1,3}|[abfnrtv\\])|[^%\\]++)++)|(\\?.)",
    re.ASCII | re.DOTALL,
)
_LETTERS = {
    bits.S_IFDIR: "d", bits.S_IFREG: "f", bits.S_IFLNK: "l", bits.S_IFIFO: "p", bits.S_IFCHR: "c",
    bits.S_IFBLK: "b", bits.S_IFSOCK: "s",
}  # fmt: skip
_NUMERIC = frozenset("dmS")  # the others are strings in GNU's find, which the flag 0 does not pad
_KNOWN = frozenset("abcdDfFgGhHiklmMnpPsStuUyYZ")


class Format:
    """One parsed format."""

    def __init__(self, text: str, settings: Settings) -> None:
        self._settings = settings
        self._pieces: list[str | re.Match[str]] = []
        if (len(text) - len(text.rstrip("%"))) % 2 and not text.endswith("\\%"):
            raise Failure("error: % at end of format string")
        last = re.search(r"(?:^|[^%])(?>%%)*+%[-+ #0]*+\d*+(?:\.\d*+)?\Z", text)
        if last is not None:
            raise Failure("error: the format directive `%\0' is reserved for future use")
        for match in _PIECE.finditer(text):
            letter = match[5]
            if match[6]:
                break  # "\c" ends the output
            if letter is None:
                if match[8] == "\\":
                    settings.ctx.error("warning: escape `\\' followed by nothing at all")
                elif match[8] and match[8][0] == "\\":
                    settings.ctx.error(f"warning: unrecognized escape `{match[8]}'")
                self._pieces.append(unescape(match[7]) if match[7] else match[8])
            elif letter == "%" and not match[4]:
                self._pieces.append("%")
            elif match[4] or letter in _KNOWN:
                self._pieces.append(match)
            elif letter in "ABCT":
                settings.ctx.error(
                    f"warning: format directive `%{letter}' should be followed by another character"
                )
                self._pieces.append(match[0])
            elif letter in "{[(":
                raise Failure(f"error: the format directive `%{letter}' is reserved for future use")
            else:
                settings.ctx.error(f"warning: unrecognized format directive `%{letter}'")
                self._pieces.append(match[0])

    def expand(self, visit: Visit) -> str:
        """Return the text for one file."""
        return "".join(
            piece if isinstance(piece, str) else self._directive(piece, visit) for piece in self._pieces
        )

    def _directive(self, match: re.Match[str], visit: Visit) -> str:
        flags, width_text, precision, kind, letter = match.group(1, 2, 3, 4, 5)
        text = self._time(visit.stat(), kind, letter) if kind else self._value(letter, visit, flags)
        numeric = not kind and letter in _NUMERIC
        if precision is not None and precision != "" and not numeric:
            text = text[: min(int(precision[:9]), MAX_WIDTH)]
        width = min(int(width_text[:9] or "0"), MAX_WIDTH)
        if "-" in flags:
            return text.ljust(width)
        return text.rjust(width, "0" if "0" in flags and numeric else " ")

    def _time(self, info: Stat, kind: str, letter: str) -> str:
        if kind == "B":  # the time of birth is unknown
            return ""
        time = {"A": info.atime_ns, "C": info.ctime_ns, "T": info.mtime_ns}[kind]
        seconds, fraction = divmod(time, 10**9)
        zone = self._settings.ctx.environment.get("TZ")
        if letter == "@":
            return f"{seconds}.{fraction:09d}0"
        if letter in "STX+":
            second = {"S": "%S", "T": "%H:%M:%S", "X": "%H:%M:%S", "+": "%Y-%m-%d+%H:%M:%S"}[letter]
            return strftime(second, seconds, zone) + f".{fraction:09d}0"
        return strftime(f"%{letter}", seconds, zone) if letter != "q" else "%q"

    def _value(self, letter: str, visit: Visit, flags: str) -> str:
        path = visit.path
        match letter:
            case "p":
                return path
            case "f":
                return visit.name + "/" * (path[-1:] == "/" and path.strip("/") != "")
            case "h":
                stripped = path.rstrip("/")
                parent, slash, _ = (stripped if "/" in stripped else path).rpartition("/")
                return parent if slash else "."
            case "H":
                return visit.top
            case "P":
                return path[len(visit.top) :].lstrip("/")
            case "d":
                return str(visit.depth)
            case "y":
                return _LETTERS.get(bits.S_IFMT(visit.mode), "U")
            case "Y":
                return self._followed_type(visit)
            case "l":
                return visit.target()
        info = visit.stat()
        match letter:
            case "s":
                return str(info.size)
            case "m":
                octal = f"{info.mode & 0o7777:o}"
                return "0" + octal if "#" in flags else octal
            case "M":
                return mode_string(info.mode)
            case "a" | "c" | "t":
                kind = {"a": "A", "c": "C", "t": "T"}[letter]
                day, _, year = strftime(
                    "%a %b %e %H:%M:%S|%Y", self._seconds(info, kind), self._zone()
                ).partition("|")
                return f"{day}.{self._nanoseconds(info, kind):09d}0 {year}"
            case "u":
                return self._settings.accounts.user(info.uid)
            case "g":
                return self._settings.accounts.group(info.gid)
            case _:
                return str(self._number(letter, info))

    def _zone(self) -> str | None:
        return self._settings.ctx.environment.get("TZ")

    def _seconds(self, info: Stat, kind: str) -> int:
        return {"A": info.atime_ns, "C": info.ctime_ns, "T": info.mtime_ns}[kind] // 10**9

    def _nanoseconds(self, info: Stat, kind: str) -> int:
        return {"A": info.atime_ns, "C": info.ctime_ns, "T": info.mtime_ns}[kind] % 10**9

    def _number(self, letter: str, info: Stat) -> int | str:
        match letter:
            case "b":
                return blocks_of(info) * 2
            case "k":
                return blocks_of(info)
            case "D":
                return info.device
            case "G":
                return info.gid
            case "U":
                return info.uid
            case "i":
                return info.inode
            case "n":
                return info.links
            case "S":
                return f"{blocks_of(info) * 1024 / info.size:g}" if info.size else "1"
            case "F":
                return FILE_SYSTEM
            case _:
                return ""

    def _followed_type(self, visit: Visit) -> str:
        ctx = self._settings.ctx
        try:
            info = ctx.fs.stat(ctx.path(visit.path))
        except FileNotFoundError:
            return "N"
        except OSError as error:
            return "L" if error.errno == errno.ELOOP else "?"
        return _LETTERS.get(bits.S_IFMT(info.mode), "U")
