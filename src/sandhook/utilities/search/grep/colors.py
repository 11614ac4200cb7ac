"""The colors of the output of grep --color=always.

Source: GNU grep 3.8 manual, "Environment Variables" (GREP_COLORS, GREP_COLOR).
"""

from __future__ import annotations

from collections.abc import Mapping

from sandhook.record import Record


class Palette(Record):
    """The codes in the escape sequence of each part of the output; b"" leaves the part uncolored.

    Attributes:
        selected_match, context_match: Matching text in selected lines, and in lines of context.
        name, number, offset, separator: File names, line numbers, byte offsets, and the separators after them.
        selected_line, context_line: Whole lines.
        swapped: With -v, selected lines have the color of context, and context that of selected lines.
        clear: Erases the rest of the terminal's line after a sequence, so that a background ends with the text.
    """

    selected_match: bytes = b"01;31"
    context_match: bytes = b"01;31"
    name: bytes = b"35"
    number: bytes = b"32"
    offset: bytes = b"32"
    separator: bytes = b"36"
    selected_line: bytes = b""
    context_line: bytes = b""
    swapped: bool = False
    clear: bytes = b"\x1b[K"

    def start(self, code: bytes) -> bytes:
        """Return the sequence that begins a color."""
        return b"\x1b[%bm%b" % (code, self.clear) if code else b""

    def paint(self, code: bytes, text: bytes) -> bytes:
        """Wrap text in the sequences of a color."""
        return b"%b%b\x1b[m%b" % (self.start(code), text, self.clear) if text and code else text


DEFAULT = Palette()

_FIELDS = {
    "ms": "selected_match",
    "mc": "context_match",
    "fn": "name",
    "ln": "number",
    "bn": "offset",
    "se": "separator",
    "sl": "selected_line",
    "cx": "context_line",
}


def palette_of(environment: Mapping[str, str]) -> Palette:
    """Parse GREP_COLOR and GREP_COLORS; an invalid value ends the list, as in grep."""
    values: dict[str, bytes] = {}
    swapped = DEFAULT.swapped
    old = environment.get("GREP_COLOR", "")
    if old:
        values["selected_match"] = values["context_match"] = old.encode("utf-8", "surrogateescape")
    for capability in environment.get("GREP_COLORS", "").split(":"):
        name, equals, value = capability.partition("=")
        if (equals and not name) or not set(value) <= set("0123456789;"):
            break
        if name == "ne":
            values["clear"] = b""
        elif name == "rv":
            swapped = True
        elif name == "mt" and equals:
            values["selected_match"] = values["context_match"] = value.encode()
        elif name in _FIELDS and equals:
            values[_FIELDS[name]] = value.encode()
    return DEFAULT._replace(swapped=swapped, **values)
