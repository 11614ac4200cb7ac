"""Subscripts that are text, as in ``unset 'a[$i]'``: only names, elements and lengths in them are expanded.

The text may come from data, so no other expansion takes place, and none that could run a command (L-INJ-001).
"""

from __future__ import annotations

from collections.abc import Callable

from sandhook.expand.arith_messages import as_written
from sandhook.expand.reference import elements
from sandhook.lazy import lazily
from sandhook.limits import PIECE, check_clock, check_fits
from sandhook.state.control import ShellError
from sandhook.state.state import State
from sandhook.typed import TYPE_CHECKING

if TYPE_CHECKING:
    import re

#: Bytes of a short text in a list.
_ITEM_BYTES = 64

#: Characters that mean something in a subscript.
_ODD = lazily(r"[\[\]$`'\"\\]")
_QUOTING = lazily(r"[\\'\"]")
_KEY_PIECE = lazily(r"""(?s)\\(.)|'([^']*)'|"((?>\\.|[^"\\])*+)"|([^\\'"]+|.)""")
_DOUBLE_PIECE = lazily(r"""(?s)\\(["\\$`])|((?>[^\\]|\\(?!["\\$`]))++)""")
_BRACKET = lazily(r"(?s)\\.|[\[\]]")
_NAME_CHARACTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"
_PARAMETER = (
    r"\$(?:\{(#?)([A-Za-z_][A-Za-z0-9_]*|[0-9]{1,9})(?:\[([^]\[{}$`\\'\"]{1,200}|\$[A-Za-z_][A-Za-z0-9_]*)\])?\}"
    r"|([A-Za-z_][A-Za-z0-9_]*|[0-9])|\{?(#)(?:(?<!\{#)|\}))"
)
_NAME = lazily(_PARAMETER)
_KEPT_OR_NAME = lazily(rf"(?s)\\.|'[^']*'|{_PARAMETER}")


def escape(text: str) -> str:
    """Return the value of an expansion in a subscript, with a backslash before what would mean something there."""
    return _ODD.sub(r"\\\g<0>", text) if _ODD.search(text) else text


def expand_names(state: State, text: str) -> str:
    """Replace parameters in a text by their values, once; other text stays unchanged.

    These are ``$name``, ``${name}``, ``$1``, ``$#``, ``${name[subscript]}`` and the lengths of these.
    """
    size = 0

    def value_of(match: re.Match[str]) -> str:
        nonlocal size
        value = _value(state, match)
        size += len(value)
        if size > PIECE:
            check_fits(size)
            check_clock()
        return value

    return _NAME.sub(value_of, text)


def expand_in_subscripts(state: State, text: str) -> str:
    """Replace parameters between the brackets of arithmetic that is text (``let 'x=a[$i]'``), once.

    The values mean only themselves. Single quotes and backslashes keep a "$".
    """

    def escaped_value(match: re.Match[str]) -> str:
        if match[0][0] != "$":
            return match[0]
        value = _value(state, match)
        check_fits(len(value))
        return escape(value)

    pieces: list[str] = []
    depth = start = 0
    for match in _BRACKET.finditer(text):
        if match[0] == "[":
            if not depth:
                pieces.append(text[start : match.end()])
                start = match.end()
            depth += 1
        elif match[0] == "]" and depth:
            depth -= 1
            if not depth:
                inner = text[start : match.start()]
                expanded = _KEPT_OR_NAME.sub(escaped_value, inner)
                if inner and not expanded and not _is_map(state, pieces[-1]):
                    expanded = "0"  # as in bash, nothing is the index 0
                pieces.append(expanded)
                start = match.start()
    return "".join([*pieces, text[start:]])


def evaluate_in_quotes(state: State, text: str, evaluate: Callable[[State, str], int]) -> int:
    """Evaluate arithmetic that is text, with parameters in its subscripts; messages show the text as it is written."""
    expanded = expand_in_subscripts(state, text)
    try:
        return evaluate(state, expanded)
    except ShellError as error:
        if expanded == text:
            raise
        raise error.worded(as_written(error.message, expanded, text)) from None


def _is_map(state: State, before: str) -> bool:
    """Return True if the text before a subscript, bracket included, ends with the name of an associative array."""
    text = before[:-1]
    return state.is_associative(text[len(text.rstrip(_NAME_CHARACTERS)) :])


def _value(state: State, match: re.Match[str]) -> str:
    length, name, subscript, bare, count = match.groups()
    if count:
        return str(len(state.positional))
    name = name or bare
    if subscript in ("@", "*"):
        listed = elements(state, name)
        return str(len(listed)) if length else " ".join(listed)
    value = _plain_value(state, name) if subscript is None else _element(state, name, subscript)
    return str(len(value)) if length else value


def _element(state: State, name: str, subscript: str) -> str:
    if name.isdigit():
        return ""
    key = _plain_value(state, subscript[1:]) if subscript[0] == "$" else subscript
    return state.element(name, key) or ""


def _plain_value(state: State, name: str) -> str:
    if name.isdigit():
        number = int(name)
        return state.name if number == 0 else (*state.positional[number - 1 : number], "")[0]
    return state.get(name) or ""


def expand_subscript(state: State, text: str, *, key: bool) -> str:
    """Replace names in a subscript that is text, and remove its quotes.

    Args:
        key: It is a key. In an index, single quotes and backslashes are part of the arithmetic.
    """
    if not key:
        text = text.replace('"', "").replace("$((", "((")  # parentheses mean the same in an index
    elif _QUOTING.search(text):
        pieces: list[str] = []
        size = 0
        for match in _KEY_PIECE.finditer(text):
            pieces.append(_unquoted(state, *match.groups()))
            size += len(pieces[-1]) + _ITEM_BYTES
            if size > PIECE:
                check_fits(size)
                check_clock()
        return "".join(pieces)
    return expand_names(state, text) if "$" in text else text


def _unquoted(
    state: State, escaped: str | None, single: str | None, double: str | None, plain: str | None
) -> str:
    if double is not None:
        return "".join(
            [match[1] or expand_names(state, match[2]) for match in _DOUBLE_PIECE.finditer(double)]
        )
    if escaped is not None:
        return escaped
    return single if single is not None else expand_names(state, plain or "")
