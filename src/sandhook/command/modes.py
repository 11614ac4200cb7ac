"""File modes: octal and symbolic (chmod, mkdir -m, find -perm), and as ls prints them.

Source: POSIX.1-2024 XCU 3, chmod, "extended description".
"""

from __future__ import annotations

import stat as bits

_WHO = {"u": 0o4700, "g": 0o2070, "o": 0o1007, "a": 0o7777}
_PERMISSIONS = {"r": 0o444, "w": 0o222, "x": 0o111, "s": 0o6000, "t": 0o1000}
_COPIES = {"u": 6, "g": 3, "o": 0}
#: Marks a clause with an octal number, in the place of the class whose bits are copied.
_OCTAL = "octal"


class Mode:
    """A parsed mode operand.

    Attributes:
        octal: The number of an octal mode, which replaces all bits (set-id bits of a directory may remain).
    """

    __slots__ = ("_clauses", "_text", "octal")

    def __init__(self, text: str) -> None:
        """Parse a mode. Raises ValueError for other text."""
        self._text = text
        self.octal: int | None = None
        self._clauses: list[tuple[int, bool, str, int, bool, str]] = []
        if text[:1].isdigit():
            if text.strip("01234567") or len(text.lstrip("0")) > 5 or int(text, 8) > 0o7777:
                raise ValueError(text)
            self.octal = int(text, 8)
            return
        for clause in text.split(","):
            self._parse_clause(clause)

    def _parse_clause(self, clause: str) -> None:
        index = 0
        who = 0
        while clause[index : index + 1] in _WHO:
            who |= _WHO[clause[index]]
            index += 1
        if clause[index : index + 1] not in ("+", "-", "="):
            raise ValueError(clause)
        while index < len(clause):
            operator = clause[index]
            if operator not in "+-=":
                raise ValueError(clause)
            index += 1
            permissions = 0
            conditional = False
            source = ""
            if clause[index : index + 1] in _COPIES:
                source = clause[index]
                index += 1
            elif clause[index : index + 1].isdigit():
                digits = ""
                while clause[index : index + 1] in tuple("01234567"):
                    digits += clause[index]
                    index += 1
                if who or not digits or len(digits) > 5 or int(digits, 8) > 0o7777:
                    raise ValueError(clause)
                permissions = int(digits, 8)
                self._clauses.append((0o7777, True, operator, permissions, False, _OCTAL))
                continue
            else:
                while index < len(clause) and clause[index] not in "+-=":
                    letter = clause[index]
                    if letter == "X":
                        conditional = True
                    elif letter in _PERMISSIONS:
                        permissions |= _PERMISSIONS[letter]
                    else:
                        raise ValueError(clause)
                    index += 1
            self._clauses.append((who or 0o7777, bool(who), operator, permissions, conditional, source))

    def apply(self, mode: int, umask: int, *, directory: bool = False) -> int:
        """Return the new permission bits (0o7777) of a file with ``mode``.

        Args:
            mode: Type and permission bits, or only permission bits.
            umask: Applies to clauses without u, g, o or a ("+x").
            directory: The file is a directory: X applies, and set-id bits are kept.
        """
        old = mode & 0o7777
        if self.octal is not None:
            kept_bits = old & 0o6000 if directory and len(self._text) < 5 else 0
            return self.octal | kept_bits
        for who, has_who, operator, permissions, conditional, source in self._clauses:
            value = permissions
            if source and source != _OCTAL:
                bits_of_class = old >> _COPIES[source] & 7
                value = bits_of_class << 6 | bits_of_class << 3 | bits_of_class
            if conditional and (directory or old & 0o111):
                value |= 0o111
            affected = who if has_who else who & ~umask
            if who == 0o7777 and has_who:
                affected = 0o7777
            value &= affected
            if operator == "+":
                old |= value
            elif operator == "-":
                old &= ~value
            else:
                cleared = who if has_who else 0o7777
                if directory and source != _OCTAL:
                    cleared &= ~0o6000 | (permissions & 0o6000)
                old = old & ~cleared | value
        return old

    def adjust(self, mode: int, umask: int, *, directory: bool = False) -> int:
        """Return the bits of a new directory of ``mkdir -m``.

        Like GNU's mkdir, a sticky directory is created without write permission for others and then
        receives only the bits that the mode names.
        """
        affected = 0
        for bits_ in (0, 0o7777, 0o700, 0o070, 0o007):
            affected |= self.apply(bits_, umask, directory=directory) ^ bits_
        new_mode = self.apply(mode, umask, directory=directory)
        return new_mode & ~0o022 | new_mode & 0o022 & affected if affected & 0o1000 else new_mode


_TYPES = {
    bits.S_IFDIR: "d", bits.S_IFLNK: "l", bits.S_IFIFO: "p", bits.S_IFCHR: "c",
    bits.S_IFBLK: "b", bits.S_IFSOCK: "s", bits.S_IFREG: "-",
}  # fmt: skip


def type_letter(mode: int) -> str:
    """Return the first letter of a line of ``ls -l``."""
    return _TYPES.get(bits.S_IFMT(mode), "?")


def mode_string(mode: int) -> str:
    """Return a mode as ``ls -l`` prints it: "-rwxr-xr-x"."""
    letters = [type_letter(mode)]
    for shift, special, both, alone in ((6, 0o4000, "s", "S"), (3, 0o2000, "s", "S"), (0, 0o1000, "t", "T")):
        bits_of_class = mode >> shift
        letters.append("r" if bits_of_class & 4 else "-")
        letters.append("w" if bits_of_class & 2 else "-")
        if mode & special:
            letters.append(both if bits_of_class & 1 else alone)
        else:
            letters.append("x" if bits_of_class & 1 else "-")
    return "".join(letters)
