"""The colours of tree -C: those of TREE_COLORS or LS_COLORS, or its own.

Oracle: tree 2.1.0.
"""

from __future__ import annotations

import re
import stat as bits
from collections.abc import Mapping

_KINDS = {
    "rs": "0", "fi": "00", "di": "01;34", "ln": "01;36", "pi": "40;33", "so": "01;35", "bd": "40;33;01",
    "cd": "40;33;01", "or": "40;31;01", "ex": "01;32",
}  # fmt: skip
_BOTH_CASES = {
    "01;32": "bat btm cmd com dll exe",
    "01;35": "asf avi bmp flac gif jpg jpeg m2v mov mp3 mpeg mpg ogg rm tga tif wav wmv",
}
_AS_WRITTEN = {
    "01;31": "arj bz2 deb gz lzh rpm tar taz tb2 tbz2 tbz tgz tz2 z Z zip ZIP zoo",
    "01;35": "m2a M2a ppm xbm xpm",
}
_TYPES = {bits.S_IFLNK: "ln", bits.S_IFIFO: "pi", bits.S_IFSOCK: "so", bits.S_IFCHR: "cd", bits.S_IFBLK: "bd"}


class Colours:
    """The colour of each kind of file, by the keys of dircolors, and of each ending of a name."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        text = environment.get("TREE_COLORS") or environment.get("LS_COLORS")
        if text:
            entries: list[tuple[str, str, str]] = [
                entry.partition("=") for entry in re.findall(r"(?:\\.|[^:\\])+", text, re.DOTALL)
            ]
            self._codes: Mapping[str, str] = {key: code for key, _, code in entries if key[:1] != "*"}
            self._endings = {key[1:]: code for key, _, code in entries if key[:1] == "*"}
            return
        self._codes = _KINDS
        self._endings = {
            f".{each}": code
            for code, words in (*_BOTH_CASES.items(), *_AS_WRITTEN.items())
            for word in words.split()
            for each in ((word, word.upper()) if words in _BOTH_CASES.values() else (word,))
        }

    def paint(self, shown: str, name: str, mode: int, *, dangling: bool = False) -> str:
        """Return a name in its colour.

        Args:
            shown: The name as it is printed.
            mode: The type and permissions of the file; 0 if it does not exist.
            dangling: It is a link to a file that is missing.
        """
        code = self._code(name, mode, dangling)
        return f"\x1b[{code}m{shown}\x1b[{self._codes.get('rs', '0')}m" if code is not None else shown

    def _code(self, name: str, mode: int, dangling: bool) -> str | None:
        codes = self._codes
        kind = bits.S_IFMT(mode)
        if kind == bits.S_IFDIR:
            return self._of_directory(mode)
        if kind in _TYPES:
            return codes.get("or" if dangling and "or" in codes else _TYPES[kind])
        keys = [key for bit, key in ((bits.S_ISUID, "su"), (bits.S_ISGID, "sg"), (0o111, "ex")) if mode & bit]
        if not mode:
            keys = ["mi"]
        for key in keys:
            if codes.get(key):
                return codes[key]
        for ending, code in self._endings.items():
            if name.endswith(ending):
                return code
        return codes.get("fi") or codes.get("no")

    def _of_directory(self, mode: int) -> str | None:
        sticky, writable = mode & bits.S_ISVTX, mode & bits.S_IWOTH
        keys = ["tw"] * bool(sticky and writable) + ["ow"] * bool(writable) + ["st"] * bool(sticky) + ["di"]
        return next((self._codes[key] for key in keys if self._codes.get(key)), None)
