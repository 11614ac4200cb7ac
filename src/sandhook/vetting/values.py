"""What a vetting knows of a word: its possible texts, and the origins of what is in them.

A text may have the character HOLE for each part that is not known. Origins are kept when a text is not known:
what is sent or executed matters even if nobody knows its bytes.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal

from sandhook.record import Record

#: Stands for a part of a text that is not known.
HOLE = "\ufffc"

#: The most texts of one value, and the most characters of one.
MAX_TEXTS, MAX_CHARACTERS = 8, 64 << 10

#: Where a part of a value comes from.
OriginKind = Literal[
    "payload",
    "transcript",
    "download",
    "decoded",
    "assembled",
    "secret",
    "environment",
    "token",
    "file",
    "machine",
    "printed",
    "program",
    "field",
    "argument",
    "digest",
    "when",
    "mixed",
]


class Origin(Record):
    """One origin: its kind, and the name of the file, variable or host."""

    kind: OriginKind
    name: str = ""


Origins = frozenset[Origin]
NOTHING: Origins = frozenset()


class Value(Record):
    """The value of a word.

    Attributes:
        texts: Every text that it may have, with HOLE for unknown parts; () when no command produces it.
        origins: Where its parts come from.
    """

    texts: tuple[str, ...]
    origins: Origins = NOTHING

    @property
    def text(self) -> str | None:
        """The text, when there is exactly one possible and all of it is known."""
        return self.texts[0] if len(self.texts) == 1 and HOLE not in self.texts[0] else None

    @property
    def known(self) -> tuple[str, ...]:
        """The texts that are known completely."""
        return tuple(text for text in self.texts if HOLE not in text)

    @property
    def any_text(self) -> str:
        """The first text, which may have holes."""
        return self.texts[0] if self.texts else HOLE

    def has(self, *kinds: OriginKind) -> bool:
        """Return True if one of its origins is of one of these kinds."""
        return any(origin.kind in kinds for origin in self.origins)

    def names(self, kind: OriginKind) -> list[str]:
        """Return the names of the origins of one kind, sorted."""
        return sorted(origin.name for origin in self.origins if origin.kind == kind)

    def plus(self, *origins: Origin) -> Value:
        """Return the value with further origins."""
        return Value(self.texts, self.origins | frozenset(origins))

    def without_text(self) -> Value:
        """Return a value of unknown text with the same origins."""
        return Value((HOLE,), self.origins)


UNKNOWN = Value((HOLE,))
EMPTY = Value(("",))


def known(text: str, origins: Origins = NOTHING) -> Value:
    """Return the value of a known text."""
    return Value((text if len(text) <= MAX_CHARACTERS else HOLE,), origins)


def concatenated(values: Sequence[Value]) -> Value:
    """Return the value of texts that follow each other."""
    texts = [""]
    origins: set[Origin] = set()
    for value in values:
        origins |= value.origins
        pieces = value.texts or (HOLE,)
        if len(texts) * len(pieces) > MAX_TEXTS:
            pieces = (HOLE,)
        texts = [_short(text + piece) for text in texts for piece in pieces]
    return Value(tuple(dict.fromkeys(texts)), frozenset(origins))


def joined(values: Iterable[Value]) -> Value:
    """Return the value that is one of several."""
    texts: dict[str, None] = {}
    origins: set[Origin] = set()
    for value in values:
        texts.update(dict.fromkeys(value.texts))
        origins |= value.origins
    if len(texts) > MAX_TEXTS:
        texts = {**dict.fromkeys(list(texts)[: MAX_TEXTS - 1]), HOLE: None}
    return Value(tuple(texts), frozenset(origins))


def _short(text: str) -> str:
    """Return a text with adjacent holes as one, or a hole when it is too long."""
    if len(text) > MAX_CHARACTERS:
        return HOLE
    while HOLE * 2 in text:
        text = text.replace(HOLE * 2, HOLE)
    return text
