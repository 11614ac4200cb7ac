"""The text of formats of references: quotes for languages, %(if) and %(align), and the order of versions.

Source: git-for-each-ref(1); git 2.39, ref-filter.c, quote.c and versioncmp.c.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from sandhook.limits import check_fits
from sandhook.text.numbers import is_number
from sandhook.text.quoting import in_single_quotes
from sandhook.text.width import width_of
from sandhook.utilities.git.errors import GitError

_NUMBER = re.compile(r"(\d+)")
_TCL = {"\f": "\\f", "\n": "\\n", "\r": "\\r", "\t": "\\t", "\v": "\\v"}


def _perl(text: str) -> str:
    return "'" + re.sub(r"(['\\])", r"\\\1", text) + "'"


def _python(text: str) -> str:
    return _perl(text).replace("\n", "\\n")


def _tcl(text: str) -> str:
    return (
        '"' + re.sub(r'[][{}$\\"\f\n\r\t\v]', lambda match: _TCL.get(match[0], f"\\{match[0]}"), text) + '"'
    )


#: How fields are quoted for a language, by the option of for-each-ref.
QUOTES: dict[str, Callable[[str], str]] = {
    "shell": in_single_quotes, "perl": _perl, "python": _python, "tcl": _tcl,
}  # fmt: skip


class Parts:
    """The parts of a format with %(if) and %(align): each level has the texts of its parts.

    Args:
        quote: Quotes what an outermost %(end) ends, as fields inside are not quoted.
        charge: Charges work.
    """

    def __init__(self, quote: Callable[[str], str], charge: Callable[[int], None]) -> None:
        self._quote = quote
        self._charge = charge
        self._made = 0  #: characters of aligned texts, which can be far longer than the format
        self._levels: list[tuple[str, dict[str, list[str]]]] = []
        self._part: list[str] = []
        self._text: list[str] = []

    @property
    def is_inside(self) -> bool:
        """True within %(if) or %(align)."""
        return bool(self._levels)

    def add(self, text: str) -> None:
        """Add text to the current part."""
        part = self._levels[-1][1][self._part[-1]] if self._levels else self._text
        part.append(text)

    def control(self, word: str) -> bool:
        """Act on %(if), %(then), %(else), %(align) and %(end); return False for another field. Raises GitError."""
        name, _, options = word.partition(":")
        if name in ("if", "align"):
            if name == "align":
                parse_alignment(options)
            self._levels.append((options, {"if": [], "then": [], "else": [], "align": []}))
            self._part.append(name)
            return True
        if name not in ("then", "else", "end"):
            return False
        self._check(name)
        if name != "end":
            self._part[-1] = name
            return True
        options, parts = self._levels.pop()
        if self._part.pop() == "align":
            width, position = parse_alignment(options)
            self._made += width
            self._charge(1 + (width >> 10))
            check_fits(2 * self._made)
            text = aligned("".join(parts["align"]), width, position)
        else:
            text = "".join(parts["then" if _holds(options, "".join(parts["if"])) else "else"])
        self.add(text if self._levels else self._quote(text))
        return True

    def _check(self, name: str) -> None:
        """Raise GitError for an atom that does not follow the part."""
        part = self._part[-1] if self._part else ""
        if part == "align" and name == "end":
            return
        if not part or part == "align":
            fault = f"%({name}) atom used without {'corresponding' if name == 'end' else 'a %(if)'} atom"
        elif part == name or (name == "then" and part == "else"):
            fault = f"%({name}) atom used more than once"
        elif name != "then" and part == "if":
            fault = f"%({'else' if name == 'else' else 'if'}) atom used without a %(then) atom"
        else:
            return
        raise GitError(f"format: {fault}")

    def end(self) -> str:
        """Return the text. Raises GitError without a last %(end)."""
        if self._levels:
            raise GitError("format: %(end) atom missing")
        return "".join(self._text)


def _holds(options: str, text: str) -> bool:
    """Return True if the condition of %(if), %(if:equals=X) or %(if:notequals=X) holds."""
    kind, _, wanted = options.partition("=")
    if kind == "equals":
        return text == wanted
    return text != wanted if kind == "notequals" else bool(text.strip())


def parse_alignment(options: str) -> tuple[int, str]:
    """Return the width and the position of %(align:WIDTH,POSITION). Raises GitError."""
    if not options:
        raise GitError("expected format: %(align:<width>,<position>)")
    width, position = -1, "left"
    for word in options.split(","):
        key, equals, value = word.partition("=")
        value = value if equals and key in ("width", "position") else word
        if value in ("left", "right", "middle") and key != "width":
            position = value
        elif is_number(value) and len(value) < 6 and key != "position":
            width = int(value)
        elif key in ("width", "position") and equals:
            raise GitError(f"unrecognized {key}:{value}")
        else:
            raise GitError(f"unrecognized %(align) argument: {word}")
    if width < 0:
        raise GitError("positive width expected with the %(align) atom")
    return width, position


def aligned(text: str, width: int, position: str) -> str:
    """Return a text with blanks around it."""
    missing = width - width_of(text)
    if missing <= 0:
        return text
    before = {"left": 0, "right": missing, "middle": missing // 2}[position]
    return " " * before + text + " " * (missing - before)


Version = tuple[tuple[int, int, str], ...]


def version_key(text: str) -> Version:
    """Return the key of --sort=version: digits compare as numbers."""
    parts = _NUMBER.split(text)
    return tuple((1, int(part[:18]), "") if is_number(part) else (0, 0, part) for part in parts if part)


def compare_versions(first: str, second: str, suffixes: Sequence[str]) -> int:
    """Return a number below, at or above 0, as the first version is before, at or after the second.

    Args:
        suffixes: Those of versionsort.suffix, in their order: what ends in one is before what has no suffix.
    """
    if first == second:
        return 0
    at = next((at for at, (a, b) in enumerate(zip(first, second)) if a != b), min(len(first), len(second)))
    places = [_suffix_at(text, at, suffixes) for text in (first, second)]
    if places[0] != places[1]:
        if -1 not in places:
            return places[0] - places[1]
        return -1 if places[0] >= 0 else 1
    keys = version_key(first), version_key(second)
    return (keys[0] > keys[1]) - (keys[0] < keys[1])


def _suffix_at(text: str, at: int, suffixes: Sequence[str]) -> int:
    """Return the number of the suffix that an offset is in, of several the earliest and longest; -1 for none."""
    best: tuple[int, int, int] | None = None
    for number, suffix in enumerate(suffixes):
        if not suffix:
            continue
        start = text.find(suffix, max(0, at - len(suffix) + 1), at + len(suffix))
        if 0 <= start <= at and (best is None or (start, -len(suffix)) < best[:2]):
            best = (start, -len(suffix), number)
    return -1 if best is None else best[2]
