"""The colors that grep --color=always marks its output with.

Source: GNU grep 3.8 manual, "Environment Variables" (GREP_COLORS, GREP_COLOR).
"""

from __future__ import annotations

from collections.abc import Mapping

from sandhook.record import Record


class Palette(Record):
    """What goes into the escape sequence of each part of the output; b"" marks nothing.

    Attributes:
        selected, context: Matching text in selected lines, and in lines of context.
        name, number, offset, separator: File names, line numbers, byte offsets, and what stands after them.
        line, other: Whole lines: selected ones, and context.
        reversed_: With -v, ``line`` and ``other`` change places.
        clear: What follows a sequence, so that a colored background ends where the text does.
    """

    selected: bytes = b"01;31"
    context: bytes = b"01;31"
    name: bytes = b"35"
    number: bytes = b"32"
    offset: bytes = b"32"
    separator: bytes = b"36"
    line: bytes = b""
    other: bytes = b""
    reversed_: bool = False
    clear: bytes = b"\x1b[K"

    def start(self, code: bytes) -> bytes:
        """Return the sequence that begins a color."""
        return b"\x1b[%bm%b" % (code, self.clear) if code else b""

    def paint(self, code: bytes, text: bytes) -> bytes:
        """Wrap text in the sequences of a color."""
        return b"%b%b\x1b[m%b" % (self.start(code), text, self.clear) if text and code else text


PLAIN = Palette()

_FIELDS = {
    "ms": "selected",
    "mc": "context",
    "fn": "name",
    "ln": "number",
    "bn": "offset",
    "se": "separator",
    "sl": "line",
    "cx": "other",
}


def palette_of(environment: Mapping[str, str]) -> Palette:
    """Read GREP_COLOR and GREP_COLORS; what follows a wrong value is ignored."""
    values: dict[str, bytes] = {}
    reversed_ = PLAIN.reversed_
    old = environment.get("GREP_COLOR", "")
    if old:
        values["selected"] = values["context"] = old.encode("utf-8", "surrogateescape")
    for capability in environment.get("GREP_COLORS", "").split(":"):
        name, equals, value = capability.partition("=")
        if (equals and not name) or not set(value) <= set("0123456789;"):
            break
        if name == "ne":
            values["clear"] = b""
        elif name == "rv":
            reversed_ = True
        elif name == "mt" and equals:
            values["selected"] = values["context"] = value.encode()
        elif name in _FIELDS and equals:
            values[_FIELDS[name]] = value.encode()
    return PLAIN._replace(reversed_=reversed_, **values)
