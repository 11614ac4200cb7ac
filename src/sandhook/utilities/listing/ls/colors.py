"""The colours of ls: LS_COLORS, and the colour of a file.

Source: GNU coreutils 9.1 manual, "dircolors invocation" and "ls: General output formatting".
"""

from __future__ import annotations

import re
import stat as bits

from sandhook.lazy import lazily
from sandhook.record import Record
from sandhook.vfs.base import Stat

#: The colours before LS_COLORS changes them. Keys are those of dircolors: "di" for directories, "ex" for programs ...
_DEFAULTS = {
    "lc": "\x1b[", "rc": "m", "ec": "", "rs": "0", "no": "", "fi": "", "di": "01;34", "ln": "01;36", "pi": "33",
    "so": "01;35", "bd": "01;33", "cd": "01;33", "mi": "", "or": "", "ex": "01;32", "do": "01;35", "su": "37;41",
    "sg": "30;43", "st": "37;44", "ow": "34;42", "tw": "30;42", "ca": "", "mh": "", "cl": "\x1b[K",
}  # fmt: skip
_TYPES = {bits.S_IFDIR: "di", bits.S_IFLNK: "ln", bits.S_IFIFO: "pi", bits.S_IFSOCK: "so", bits.S_IFCHR: "cd",
          bits.S_IFBLK: "bd"}  # fmt: skip

#: Terminals with colours even without LS_COLORS: the patterns of dircolors' own table.
_TERMINALS = lazily(
    r"Eterm|ansi|.*color.*|con[0-9].*x[0-9].*|cons25|console|cygwin|.*direct.*|dtterm|gnome|hurd|jfbterm|konsole"
    r"|kterm|linux|linux-c|mlterm|putty|rxvt.*|screen.*|st|terminator|tmux.*|vt100|vt220|xterm.*"
)
_PIECE = lazily(r"\\(?:([0-7]{1,3})|x([0-9A-Fa-f]{1,2})|(.))|\^(.)|(.)", re.DOTALL | re.ASCII)
_LETTERS = {"a": "\a", "b": "\b", "e": "\x1b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v", "?": "\x7f",
            "_": " "}  # fmt: skip


class Colours(Record):
    """The colours of file types and suffixes.

    Attributes:
        sequences: The colour of each key of dircolors.
        suffixes: Endings of names and their colours, in order of precedence.
    """

    sequences: dict[str, str]
    suffixes: tuple[tuple[str, str], ...]

    def has(self, key: str) -> bool:
        """Return whether a kind of file has a colour of its own."""
        return self.sequences[key] not in ("", "0", "00")

    @property
    def follows(self) -> bool:
        """Whether a link has the colour of its target."""
        return self.sequences["ln"] == "target"

    @property
    def depends_on_targets(self) -> bool:
        """Whether the colour of a link depends on its target."""
        return self.has("or") or (self.has("ex") and self.follows)

    def wrap(self, text: str, sequence: str) -> str:
        """Return text in a colour, followed by the sequence that ends it."""
        return f"{self.sequences['lc']}{sequence}{self.sequences['rc']}{text}{self.reset}"

    @property
    def reset(self) -> str:
        """The sequence that ends a colour."""
        sequences = self.sequences
        return sequences["ec"] or f"{sequences['lc']}{sequences['rs']}{sequences['rc']}"

    def of_link(self, name: str, info: Stat, target: Stat | None) -> str:
        """Return the colour of a link's own name."""
        if self.follows and target is not None:
            return self.of_file(name, target)
        if target is None and self.depends_on_targets and (self.follows or self.has("or")):
            return self.sequences["or"]
        return self.sequences["ln"] if not self.follows else ""

    def of_target(self, name: str, target: Stat | None) -> str:
        """Return the colour of a link's target in a long line."""
        if target is None:
            return self.sequences["mi"] if self.has("mi") else self.sequences["or"]
        return self.of_file(name, target)

    def of_file(self, name: str, info: Stat) -> str:
        """Return the colour of a file, "" for none."""
        mode = info.mode
        kind = _TYPES.get(bits.S_IFMT(mode), "fi")
        if kind == "di":
            kind = self._of_directory(mode)
        elif kind == "fi":
            kind = self._of_regular(mode, info.links)
            if kind == "fi":
                for suffix, sequence in self.suffixes:
                    if name.endswith(suffix):
                        return sequence
        return self.sequences[kind]

    def _of_directory(self, mode: int) -> str:
        sticky, writable = mode & bits.S_ISVTX, mode & bits.S_IWOTH
        if sticky and writable and self.has("tw"):
            return "tw"
        if writable and self.has("ow"):
            return "ow"
        return "st" if sticky and self.has("st") else "di"

    def _of_regular(self, mode: int, links: int) -> str:
        if mode & bits.S_ISUID and self.has("su"):
            return "su"
        if mode & bits.S_ISGID and self.has("sg"):
            return "sg"
        if mode & 0o111 and self.has("ex"):
            return "ex"
        return "mh" if links > 1 and self.has("mh") else "fi"


def read_colours(text: str | None, terminal: str | None, colourful: str | None) -> Colours | None:
    """Return the colours of LS_COLORS, or None without colours.

    Args:
        text: LS_COLORS; without it, terminals that have colours by COLORTERM or TERM get the default colours.
        terminal: TERM.
        colourful: COLORTERM.

    Raises:
        ValueError: LS_COLORS is not valid; the argument is an unknown key, or "".
    """
    if not text:
        return Colours(dict(_DEFAULTS), ()) if colourful or _TERMINALS.fullmatch(terminal or "") else None
    sequences = dict(_DEFAULTS)
    suffixes: list[tuple[str, str]] = []
    for entry in re.findall(r"(?:\\.|[^:\\])+", text, re.DOTALL):
        key, equals, value = entry.partition("=")
        if not equals or (key[:1] != "*" and len(key) != 2):
            raise ValueError("")
        if key[:1] == "*":
            suffixes.insert(0, (_unescape(key[1:]), _unescape(value)))
        elif key in sequences:
            sequences[key] = _unescape(value)
        else:
            raise ValueError(key)
    return Colours(sequences, tuple(suffixes))


def _unescape(text: str) -> str:
    if "\\" not in text and "^" not in text:
        return text

    def replace(match: re.Match[str]) -> str:
        octal, hexadecimal, letter, control, plain = match.groups()
        if octal or hexadecimal:
            return chr(int(octal, 8) & 0xFF if octal else int(hexadecimal, 16))
        if control:
            return "\x7f" if control == "?" else chr(ord(control) & 0o37)
        return plain or _LETTERS.get(letter, letter)

    return _PIECE.sub(replace, text)
