"""printf and sprintf as closures over the Runtime; a format that the program says is taken apart when it is compiled.

Source: POSIX.1-2024 XCU 3, awk, "output statements".
"""

from __future__ import annotations

from sandhook.utilities.languages.awk.expressions import Node
from sandhook.utilities.languages.awk.format import Conversion, format_text, parsed
from sandhook.utilities.languages.awk.operands import Operands
from sandhook.utilities.languages.awk.program import Run
from sandhook.utilities.languages.awk.runtime import LARGE, Runtime
from sandhook.utilities.languages.awk.values import Array, Fatal, Value

_WIDEST = 1_000  #: a width or precision above is left to what asks for memory first
_KINDS = {"s": "s", "d": "d", "i": "d", "f": "f", "e": "e", "g": "g", "E": "E", "G": "G", "F": "F"}


class Formats(Operands):
    """Compiles what printf and sprintf make of their arguments."""

    def formatted(self, args: list[Node]) -> Run:
        """Compile the text that a format, ``args[0]``, gives with the other arguments."""
        format_ = self.text(args[0])
        values = [self.value(arg) for arg in args[1:]]

        def formatted(rt: Runtime) -> str:
            return format_text(
                format_(rt), [scalar(rt, run(rt)) for run in values], rt.convfmt, rt.budget.check_fits
            )

        plain = _plain(args[0][1]) if args[0][0] == "str" and len(args[0][1]) < LARGE else None
        if plain is None or len(plain[1]) > len(values):
            return formatted
        template, letters = plain
        if not letters:
            return formatted
        runs = [
            self.text(arg) if letter == "s" else self.number(arg) for letter, arg in zip(letters, args[1:])
        ]
        rest = values[len(letters) :]
        numbers = [place for place, letter in enumerate(letters) if letter != "s"]

        def quickly(rt: Runtime) -> str:
            """Let Python's own % do it, which agrees on these."""
            made = [run(rt) for run in runs]
            for run in rest:
                scalar(rt, run(rt))
            for place in numbers:
                number = made[place]
                if number - number != 0.0:  # %d of an infinity
                    return format_text(args[0][1], made, rt.convfmt)
            text = template % tuple(made)
            if len(text) > LARGE:
                rt.budget.check_fits(len(text))
            return text

        return quickly


def _plain(format_: str) -> tuple[str, str] | None:
    """Return a format as Python's % takes it, and the letter of each conversion; None when the two may differ."""
    try:
        items = parsed(format_)
    except Fatal:
        return None  # it is said when the format is used
    pieces: list[str] = []
    letters = ""
    for item in items:
        if isinstance(item, Conversion):
            simple = item.letter in _KINDS and "#" not in item.flags and not item.position
            if not simple or not -1 <= item.width < _WIDEST or not -1 <= item.precision < _WIDEST:
                return None
            if item.letter in "di" and item.precision >= 0:
                return None
            width = str(item.width) if item.width >= 0 else ""
            precision = f".{item.precision}" if item.precision >= 0 else ""
            flags = item.flags if item.letter != "s" else "-" if "-" in item.flags else ""
            pieces.append(f"%{flags}{width}{precision}{_KINDS[item.letter]}")
            letters += item.letter
        else:
            pieces.append(item.replace("%", "%%"))
    return "".join(pieces), letters


def scalar(rt: Runtime, value: Value) -> Value:
    """Refuse an array where a value is needed."""
    if isinstance(value, Array):
        rt.text(value)
    return value
