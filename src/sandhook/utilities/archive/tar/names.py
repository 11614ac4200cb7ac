"""tar --transform: the expressions that change the names of members.

Source: GNU tar 1.34 manual, "Modifying File and Member Names".
Divergence: L-TAR-001, the flags r, s and h and their capitals are not offered.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sandhook.command.options import UsageError
from sandhook.pattern.errors import PatternError
from sandhook.pattern.posix import compile_bre, compile_ere
from sandhook.utilities.languages.sed.replacement import parse_replacement, replacement

Rename = Callable[[str], str]


def transformer(expressions: Sequence[str]) -> Rename | None:
    """Return a function that applies all expressions in order, or None without expressions. Raises UsageError."""
    steps = [step for text in expressions for step in _read(text)]
    if not steps:
        return None

    def rename(name: str) -> str:
        for step in steps:
            name = step(name)
        return name

    return rename


def _read(text: str) -> list[Rename]:
    steps: list[Rename] = []
    at = 0
    while at < len(text):
        if text[at] == ";":
            at += 1
            continue
        if text[at] != "s" or at + 1 >= len(text):
            raise UsageError("Invalid transform expression", hint=False)
        delimiter = text[at + 1]
        pattern, at = _part(text, at + 2, delimiter)
        substitute, at = _part(text, at, delimiter)
        end = text.find(";", at)
        end = len(text) if end < 0 else end
        steps.append(_step(pattern, substitute, text[at:end]))
        at = end
    return steps


def _part(text: str, at: int, delimiter: str) -> tuple[str, int]:
    start = at
    while at < len(text) and text[at] != delimiter:
        at += 2 if text[at] == "\\" else 1
    if at >= len(text):
        raise UsageError("Invalid transform expression", hint=False)
    return text[start:at].replace("\\" + delimiter, delimiter), at + 1


def _step(pattern: str, substitute: str, flags: str) -> Rename:
    digits = "".join(letter for letter in flags if letter.isdigit())[:9]
    unknown = [letter for letter in flags if letter not in "gix0123456789"]
    if unknown:
        raise UsageError(f"Unknown flag in transform expression: {unknown[0]}", hint=False)
    try:
        compile_ = compile_ere if "x" in flags else compile_bre
        regex = compile_(pattern, icase="i" in flags)
    except PatternError as error:
        raise UsageError(f"Invalid transform expression: {error}", hint=False) from None
    build = replacement(parse_replacement(substitute))
    first, everywhere = int(digits or "1"), "g" in flags

    def rename(name: str) -> str:
        data = name.encode("utf-8", "surrogateescape")
        pieces: list[bytes] = []
        at = 0
        for number, match in enumerate(regex.finditer(data), 1):
            if number < first:
                continue
            start, end = match.spans[0]
            pieces.append(data[at:start])
            build(match, pieces)
            at = end
            if not everywhere:
                break
        return b"".join([*pieces, data[at:]]).decode("utf-8", "surrogateescape")

    return rename
