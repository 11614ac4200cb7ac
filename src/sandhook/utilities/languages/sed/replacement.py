"""The replacement of sed's s command: its parser, and the function that builds the text.

Source: POSIX.1-2024 XCU 3, sed. Oracle: GNU sed 4.9, which adds changes of case (\\U \\L \\u \\l \\E).
"""

from __future__ import annotations

from collections.abc import Callable

from sandhook.command.pieces import free, pieces
from sandhook.pattern.posix import Match
from sandhook.utilities.languages.sed.script import Part
from sandhook.utilities.languages.sed.text import convert_escapes

Build = Callable[[Match, "list[bytes]"], None]


def replacement(parts: tuple[Part, ...], *, bytewise: bool = False) -> Build:
    """Return a function that appends the replacement of a match to a list."""
    if any(part.case for part in parts):
        return _with_case(parts, "ascii" if bytewise else "utf-8")
    if not parts:
        return lambda match, out: None
    if len(parts) == 1 and parts[0].group < 0:
        text = parts[0].text.encode("utf-8", "surrogateescape")
        return lambda match, out: out.append(text)
    plan = [(part.text.encode("utf-8", "surrogateescape"), part.group) for part in parts]

    def build(match: Match, out: list[bytes]) -> None:
        data = match.data
        for text, group in plan:
            if group < 0:
                out.append(text)
            else:
                start, end = match.spans[group] if group < len(match.spans) else (-1, -1)
                if start >= 0:
                    out.append(data[start:end])

    return build


def _with_case(parts: tuple[Part, ...], codec: str) -> Build:
    """Return a function that applies \\U, \\L and \\E, and \\u and \\l to one character."""

    def build(match: Match, out: list[bytes]) -> None:
        mode = once = ""
        for part in parts:
            if part.case:
                if part.case in "ul":
                    once = part.case
                else:
                    mode = "" if part.case == "E" else part.case
                    once = ""  # GNU sed drops a \\u before \\L
                continue
            if part.group >= 0:
                raw = (match.group(part.group) if part.group < len(match.spans) else None) or b""
            else:
                raw = part.text.encode("utf-8", "surrogateescape")
            text = raw.decode(codec, "surrogateescape")
            if not text:
                continue
            head = text[:1] if once else ""
            rest = text[1:] if once else text
            head = _change_case(head, once.upper())
            out.append((head + _change_case(rest, mode)).encode("utf-8", "surrogateescape"))
            once = ""

    return build


def _change_case(text: str, mode: str) -> str:
    """Change the case of each character; one whose counterpart is not one character stays."""
    if mode not in ("U", "L"):
        return text
    if text.isascii():
        return text.upper() if mode == "U" else text.lower()
    change = _upper if mode == "U" else _lower
    return "".join(["".join([change(c) for c in piece]) for piece in pieces(text, free)])


def _upper(char: str) -> str:
    return char.upper() if len(char.upper()) == 1 else char


def _lower(char: str) -> str:
    return char.lower() if len(char.lower()) == 1 else char


def parse_replacement(text: str, *, posix: bool = False) -> tuple[Part, ...]:
    """Parse a replacement; with ``posix``, without changes of case."""
    parts: list[Part] = []
    literal: list[str] = []
    text = convert_escapes(text, replacement=True)
    at = 0

    def add(part: Part) -> None:
        if literal:
            parts.append(Part("".join(literal)))
            literal.clear()
        parts.append(part)

    while at < len(text):
        letter = text[at]
        at += 1
        if letter == "&":
            add(Part(group=0))
        elif letter == "\\" and at < len(text):
            letter = text[at]
            at += 1
            if letter.isdecimal() and letter.isascii():
                add(Part(group=int(letter)))
            elif letter in "ULulE" and not posix:
                add(Part(case=letter))
            else:
                literal.append("\n" if letter == "n" else letter)
        else:
            literal.append(letter)
    if literal:
        parts.append(Part("".join(literal)))
    return tuple(parts)
