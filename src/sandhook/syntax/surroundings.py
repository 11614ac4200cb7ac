"""The text around a bad substitution, as bash prints it in the message."""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.syntax.nodes import BadSubstitution, Literal, Word, WordPart


def standing_in(text: str, parts: list[WordPart], *, quoted: bool = False) -> list[WordPart]:
    """Return the parts, the bad substitutions among them with the text around them.

    Args:
        quoted: The parts are in double quotes.
    """
    if not any(isinstance(part, BadSubstitution) for part in parts):
        return parts
    shown = as_printed(text, parts, quoted=quoted)
    return [
        part._replace(around=shown)
        if isinstance(part, BadSubstitution) and not part.around and part.text != shown
        else part
        for part in parts
    ]


def as_printed(text: str, parts: Sequence[WordPart], *, quoted: bool) -> str:
    """Return a text with ``$'...'`` decoded and without the ``$`` of ``$"..."``, as bash has stored it."""
    if ("$'" not in text and '$"' not in text) or "(" in text or "`" in text:
        return text
    return printed(parts, quoted=quoted)


def printed(parts: Sequence[WordPart], *, quoted: bool) -> str:
    from sandhook.syntax.wordprinter import part_in_double_quotes, word_text

    if quoted:
        return "".join([part_in_double_quotes(part, lambda _: "") for part in parts])
    return word_text(Word(tuple(parts)), lambda _: "")


def apart(parts: list[WordPart]) -> list[WordPart]:
    """Return the pattern or the replacement of ``${x/p/r}``, which bash expands, and shows, alone."""
    if not any(isinstance(part, BadSubstitution) and part.around for part in parts):
        return parts
    bare = [part._replace(around="") if isinstance(part, BadSubstitution) else part for part in parts]
    if not all(isinstance(part, (BadSubstitution, Literal)) for part in parts):
        return bare
    return standing_in(printed(bare, quoted=False), bare)
