"""Writes plain values as YAML 1.2 in the usual layout: blocks, and quotes only if they are needed."""

from __future__ import annotations

from json import dumps

from sandhook.formats import Number
from sandhook.lazy import lazily
from sandhook.limits import check_clock

_LOOK = 0xFF  #: a mask: items between two looks at the clock

#: Plain texts that are not strings in YAML 1.2 or 1.1.
_NOT_A_STRING = lazily(
    r"~|null|Null|NULL|true|True|TRUE|false|False|FALSE|"
    r"[-+]?[0-9][0-9_]*|[-+]?0[box][0-9a-fA-F_]+|[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?|"
    r"[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)|<<|=|"
    r"y|Y|yes|Yes|YES|n|N|no|No|NO|on|On|ON|off|Off|OFF|"
    r"[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}([Tt ].*)?"
)

#: Characters that a plain text cannot begin with, and sequences that it cannot contain.
_INDICATORS = frozenset("!&*#|>@`\"'%,[]{}")
_NEEDS_QUOTES = lazily(r"(?s)[-?:](\s|$)|.*:(\s|$)|.*\s#|.*\s$|\s|---|\.\.\.")

#: Characters that need double quotes. (Line ends have another style.)
_UNPRINTABLE = lazily("[\0-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufeff\ufffe\uffff]")


def write_yaml(value: object, *, indent: int = 2) -> str:
    """Return a value as the text of one document, with its last newline; ``indent`` spaces a level, at least 1."""
    out: list[str] = []
    _block(value, "", " " * max(1, indent), out)
    return "".join(out)


def _block(value: object, margin: str, unit: str, out: list[str]) -> None:
    """Write a value whose first line begins at the end of the output."""
    if isinstance(value, dict) and value:
        for index, (key, item) in enumerate(value.items()):
            if not index & _LOOK:
                check_clock()
            out.append(f"{margin if index else ''}{_key(key)}:")
            _item(item, margin, unit, out)
    elif isinstance(value, list) and value:
        for index, item in enumerate(value):
            if not index & _LOOK:
                check_clock()
            out.append(f"{margin if index else ''}-")
            if isinstance(item, dict | list) and item:
                out.append(" " * max(1, len(unit) - 1))
                _block(item, margin + " " * max(2, len(unit)), unit, out)
            else:
                _item(item, margin, unit, out)
    else:
        out.append(_scalar(value, margin or unit) + "\n")


def _item(value: object, margin: str, unit: str, out: list[str]) -> None:
    """Write the value after a key, or after a dash if it is not a collection."""
    if isinstance(value, dict | list) and value:
        out.append("\n" + margin + unit)
        _block(value, margin + unit, unit, out)
    else:
        out.append(" " + _scalar(value, margin + unit) + "\n")


def _key(text: str) -> str:
    return _double(text) if "\n" in text or len(text) > 1000 else _scalar(text, "")


def _scalar(value: object, margin: str) -> str:
    if value is None:
        return "null"
    if value is True or value is False:
        return "true" if value else "false"
    if isinstance(value, str) and not isinstance(value, Number):
        return _string(value, margin)
    if isinstance(value, dict):
        return "{}"
    return "[]" if isinstance(value, list) else str(value)


def _string(text: str, margin: str) -> str:
    if not text:
        return '""'
    if _UNPRINTABLE.search(text):
        return _double(text)
    if "\t" in text:
        return _double(text)
    if "\n" in text:
        return _literal(text, margin)
    if _NOT_A_STRING.fullmatch(text):
        return dumps(text, ensure_ascii=False)
    if text[0] in _INDICATORS or _NEEDS_QUOTES.match(text):
        return "'" + text.replace("'", "''") + "'"
    return text


def _double(text: str) -> str:
    literal = dumps(text, ensure_ascii=False)
    return _UNPRINTABLE.sub(lambda match: f"\\u{ord(match[0]):04x}", literal)


def _literal(text: str, margin: str) -> str:
    """Return a text of several lines as a literal block; its first lines must not begin with a space."""
    body = text.rstrip("\n")
    if not body or text[0] in " \t\n":
        return _double(text)
    ends = len(text) - len(body)
    chomp = {0: "-", 1: ""}.get(ends, "+")
    lines = (body + "\n" * max(0, ends - 1)).split("\n")
    return f"|{chomp}\n" + "\n".join(margin + line if line else "" for line in lines)
