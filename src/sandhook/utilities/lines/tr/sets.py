"""The strings of tr: ranges, classes, equivalence classes, repeats and escapes.

Source: POSIX.1-2024 XCU 3, tr. Oracle: GNU coreutils 9.1.
"""

from __future__ import annotations

from sandhook.command.context import Context
from sandhook.command.options import UsageError

_ESCAPES = {0x5C: 0x5C, 0x61: 7, 0x62: 8, 0x66: 12, 0x6E: 10, 0x72: 13, 0x74: 9, 0x76: 11}
_OCTAL = b"01234567"
_MAX_REPEATS = 1 << 16  #: more have no effect, since a table has 256 entries


def _bytes(test: str) -> bytes:
    return bytes(byte for byte in range(128) if getattr(chr(byte), test)())


_UPPER, _LOWER, _DIGIT = _bytes("isupper"), _bytes("islower"), _bytes("isdigit")
CLASSES: dict[bytes, bytes] = {
    b"alnum": _bytes("isalnum"),
    b"alpha": _bytes("isalpha"),
    b"blank": b"\t ",
    b"cntrl": bytes(range(32)) + b"\x7f",
    b"digit": _DIGIT,
    b"graph": bytes(range(33, 127)),
    b"lower": _LOWER,
    b"print": bytes(range(32, 127)),
    b"punct": bytes(byte for byte in range(33, 127) if not chr(byte).isalnum()),
    b"space": b"\t\n\v\f\r ",
    b"upper": _UPPER,
    b"xdigit": _DIGIT + b"ABCDEFabcdef",
}


class Set:
    """One parsed string.

    Attributes:
        repeats: ``[c*n]`` or ``[c*]`` occurs.
        fills: The number of ``[c*]``.
        case_classes: Offsets of [:upper:] and [:lower:].
        other_classes: Some other class occurs.
        equivalences: An equivalence class occurs.
        ends_in_class: The last item is a class.
    """

    def __init__(self) -> None:
        self._items: list[bytes | None] = []  # None is [c*], whose byte is in _fill
        self._fill = b""
        self.repeats = False
        self.fills = 0
        self.case_classes: list[int] = []
        self.other_classes = False
        self.equivalences = False
        self.ends_in_class = False
        self._size = 0

    def add(self, data: bytes, *, is_class: bool = False) -> None:
        self._items.append(data)
        self._size += len(data)
        self.ends_in_class = is_class

    def add_class(self, name: bytes) -> None:
        if name in (b"upper", b"lower"):
            self.case_classes.append(self._size)
        else:
            self.other_classes = True
        self.add(CLASSES[name], is_class=True)

    def add_repeat(self, byte: bytes, count: int | None) -> None:
        self.repeats = True
        if count:
            self.add(byte * min(count, _MAX_REPEATS))
        else:
            self.fills += 1
            self._fill = byte
            self._items.append(None)
            self.ends_in_class = False

    def members(self, size: int = 0) -> bytes:
        """Return all bytes in order; ``[c*]`` fills up to ``size``."""
        missing = max(size - self._size, 0)
        return b"".join([self._fill * missing if item is None else item for item in self._items])


def parse_set(data: bytes, ctx: Context) -> Set:
    """Parse a string. Raises UsageError."""
    result = Set()
    characters, escaped = _unescape(data, ctx)
    at = 0
    size = len(characters)
    while at < size:
        if characters[at] == 0x5B and not escaped[at] and at + 2 < size:
            next_offset = _bracket(characters, escaped, at, result)
            if next_offset:
                at = next_offset
                continue
        if at + 2 < size and characters[at + 1] == 0x2D and not escaped[at + 1]:
            low, high = characters[at], characters[at + 2]
            if high < low:
                range_text = f"{_picture(low)}-{_picture(high)}"
                raise UsageError(
                    f"range-endpoints of '{range_text}' are in reverse collating sequence order", hint=False
                )
            result.add(bytes(range(low, high + 1)))
            at += 3
            continue
        result.add(characters[at : at + 1])
        at += 1
    return result


def _unescape(data: bytes, ctx: Context) -> tuple[bytes, list[bool]]:
    """Replace backslash escapes; return the bytes, and for each byte whether it was escaped."""
    output = bytearray()
    escaped: list[bool] = []
    at = 0
    while at < len(data):
        byte = data[at]
        at += 1
        if byte != 0x5C:
            output.append(byte)
            escaped.append(False)
            continue
        escaped.append(True)
        if at >= len(data):
            ctx.error("warning: an unescaped backslash at end of string is not portable")
            output.append(0x5C)
            escaped[-1] = False
            break
        if data[at] in _OCTAL:
            end = at + 1
            while end < min(at + 3, len(data)) and data[end] in _OCTAL:
                end += 1
            value = int(data[at:end], 8)
            if value > 255:
                end -= 1
                digits = data[at : end + 1].decode()
                value = int(data[at:end], 8)
                ctx.error(
                    f"warning: the ambiguous octal escape \\{digits} is being\n"
                    f"\tinterpreted as the 2-byte sequence \\0{digits[:2]}, {digits[2]}"
                )
            output.append(value)
            at = end
        else:
            output.append(_ESCAPES.get(data[at], data[at]))
            at += 1
    return bytes(output), escaped


def _bracket(data: bytes, escaped: list[bool], at: int, result: Set) -> int:
    """Parse ``[:class:]``, ``[=c=]`` or ``[c*n]``; return the offset after it, 0 for other text."""
    kind = data[at + 1]
    if kind in b":=" and not escaped[at + 1]:
        end = _closing(data, escaped, at + 2, kind)
        if end >= 0:
            name = data[at + 2 : end]
            star = data[at + 2 : at + 3] == b"*"  # "[:*]" and "[=*]" are repeats
            if not (star and end != at + 3):
                _add_named(kind, name, result)
                return end + 2
    if data[at + 2] == 0x2A and not escaped[at + 2]:
        end = data.find(b"]", at + 3)
        if end >= 0 and not any(escaped[at + 3 : end + 1]):
            digits = data[at + 3 : end]
            if not digits:
                result.add_repeat(data[at + 1 : at + 2], None)
                return end + 1
            base = 8 if digits[:1] == b"0" else 10
            if not digits.isdigit() or (base == 8 and not all(digit in _OCTAL for digit in digits)):
                text = digits.decode("utf-8", "surrogateescape")
                raise UsageError(f"invalid repeat count '{text}' in [c*n] construct", hint=False)
            result.add_repeat(data[at + 1 : at + 2], int(digits.lstrip(b"0")[:9] or b"0", base))
            return end + 1
    return 0


def _closing(data: bytes, escaped: list[bool], at: int, kind: int) -> int:
    while at + 1 < len(data):
        if data[at] == kind and data[at + 1] == 0x5D and not escaped[at] and not escaped[at + 1]:
            return at
        at += 1
    return -1


def _add_named(kind: int, name: bytes, result: Set) -> None:
    text = name.decode("utf-8", "surrogateescape")
    if kind == 0x3A:
        if not name:
            raise UsageError("missing character class name '[::]'", hint=False)
        if name not in CLASSES:
            raise UsageError(f"invalid character class '{text}'", hint=False)
        result.add_class(name)
        return
    if not name:
        raise UsageError("missing equivalence class character '[==]'", hint=False)
    if len(name) != 1:
        raise UsageError(f"{text}: equivalence class operand must be a single character", hint=False)
    result.equivalences = True
    result.add(name)


def _picture(byte: int) -> str:
    return chr(byte) if 32 <= byte < 127 else f"\\{byte:03o}"
