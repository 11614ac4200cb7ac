"""Colours: the words of settings, such as "bold red", and the sequences of a terminal that they stand for.

Source: git-config(1), "Values", "color".
"""

from __future__ import annotations

from collections.abc import Callable

from sandhook.text.numbers import is_number
from sandhook.utilities.git.errors import GitError

RESET = "\x1b[m"

_NAMES = ("black", "red", "green", "yellow", "blue", "magenta", "cyan", "white")
_DEFAULT = 9
_ATTRIBUTES = {"bold": 1, "dim": 2, "italic": 3, "ul": 4, "blink": 5, "reverse": 7, "strike": 9}
_NEGATED = {"bold": 22, "dim": 22, "italic": 23, "ul": 24, "blink": 25, "reverse": 27, "strike": 29}
_HEX_DIGITS = 6
_BASIC, _BRIGHT, _MOST = 8, 16, 255


def parse_color(value: str) -> str | None:
    """Return the sequence of a colour, "" for the words that ask for none; None for a word that is not known."""
    colors: list[str | None] = []
    attributes: set[int] = set()
    resets = False
    for word in value.lower().split():
        attribute = _attribute(word)
        if word == "reset":
            resets = True
        elif attribute is not None:
            attributes.add(attribute)
        elif (found := _color(word, background=len(colors) == 1)) is not None and len(colors) < 2:
            colors.append(found)
        else:
            return None
    codes = [""] * resets + [str(each) for each in sorted(attributes)] + [each for each in colors if each]
    return f"\x1b[{';'.join(codes)}m" if codes else ""


def _attribute(word: str) -> int | None:
    if word in _ATTRIBUTES:
        return _ATTRIBUTES[word]
    return _NEGATED.get(word[2:].removeprefix("-")) if word.startswith("no") else None


def _color(word: str, *, background: bool) -> str | None:
    """Return the codes of one colour, "" for "normal"; None for another word."""
    shift = 10 * background
    if word in ("normal", "-1"):
        return ""
    if word == "default":
        return str(30 + shift + _DEFAULT)
    name = word.removeprefix("bright")
    if name in _NAMES:
        return str((30 if name == word else 90) + shift + _NAMES.index(name))
    if word[:1] == "#" and len(word) == 1 + _HEX_DIGITS and all(c in "0123456789abcdef" for c in word[1:]):
        return f"{38 + shift};2;" + ";".join(str(int(word[at : at + 2], 16)) for at in (1, 3, 5))
    if not is_number(word) or len(word) > 9:
        return None
    number = int(word)
    if number < _BASIC:
        return str(30 + shift + number)
    if number < _BRIGHT:
        return str(90 + shift + number - _BASIC)
    return f"{38 + shift};5;{number}" if number <= _MOST else None


def are_wanted(get: Callable[[str], str | None], command: str) -> bool:
    """Return True if settings ask for the colours of a command although nothing is a terminal here."""
    setting = get(f"color.{command}")
    return ((get("color.ui") if setting is None else setting) or "").lower() == "always"


def painted(text: str, color: str) -> str:
    """Return a text in a colour, which may be none."""
    return f"{color}{text}{RESET}" if color else text


def setting_color(get: Callable[[str], str | None], key: str, default: str) -> str:
    """Return the sequence of the setting of a colour. Raises GitError for a word that is not a colour."""
    value = get(key)
    color = parse_color(default if value is None else value)
    if color is None:
        raise GitError(f"invalid color value: {value}", prefix="error")
    return color
