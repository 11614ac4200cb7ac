"""Removes secrets from recorded payloads, by rules that the user sets in addition to the known formats.

A rule is ``key:NAME``, which masks the values of that key at any depth, or ``text:REGEX``, which masks what the
expression (RE2) finds in any text. A value that is masked keeps its place, so a payload keeps its shape.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sandhook.hooks.event import Json
from sandhook.hooks.secrets import MARK, redact
from sandhook.journal.errors import JournalError
from sandhook.pattern.engine import Find, compile_linear
from sandhook.pattern.errors import PatternError


class Masker:
    """Masks payloads.

    Args:
        rules: ``key:NAME`` and ``text:REGEX``.
        raw: Mask nothing.

    Raises JournalError for a rule that cannot be read.
    """

    def __init__(self, rules: Sequence[str] = (), *, raw: bool = False) -> None:
        self.raw = raw
        if raw and rules:
            raise JournalError("a raw record is not masked: leave out the rules, or ask for no raw record")
        self._keys: set[str] = set()
        self._finds: list[Find] = []
        for rule in rules:
            kind, colon, value = rule.partition(":")
            if not (colon and value and kind in ("key", "text")):
                raise JournalError(f"rule {rule!r}: wanted key:NAME or text:REGEX")
            if kind == "key":
                self._keys.add(value.casefold())
                continue
            try:
                self._finds.append(compile_linear(value, latin1=False, icase=False, longest=False))
            except PatternError as error:
                raise JournalError(f"rule {rule!r}: {error}") from None

    def masked(self, value: Json) -> tuple[Json, int]:
        """Return a JSON value without its secrets, and how many texts were changed."""
        if self.raw:
            return value, 0
        count = [0]
        return self._value(value, count), count[0]

    def _value(self, value: Json, count: list[int]) -> Json:
        if isinstance(value, str):
            text = self.text(value)
            count[0] += text != value
            return text
        if isinstance(value, Mapping):
            return {key: self._member(key, each, count) for key, each in value.items()}
        if isinstance(value, Sequence):
            return [self._value(each, count) for each in value]
        return value

    def _member(self, key: str, value: Json, count: list[int]) -> Json:
        if key.casefold() in self._keys and value is not None:
            count[0] += 1
            return MARK
        if isinstance(value, str) and value and (named := redact(f"{key}: {value}")) == f"{key}: {MARK}":
            count[0] += 1
            return named.removeprefix(f"{key}: ")
        return self._value(value, count)

    def text(self, text: str) -> str:
        """Return a text without its secrets."""
        if self.raw:
            return text
        text = redact(text)
        for find in self._finds:
            data = text.encode("utf-8", "surrogatepass")
            pieces, at = [], 0
            while at <= len(data) and (span := find(data, at, len(data))[0])[0] >= 0:
                start, end = span
                if end == start:
                    pieces.append(data[at : start + 1])
                    at = start + 1
                    continue
                pieces += [data[at:start], MARK.encode()]
                at = end
            text = b"".join([*pieces, data[at:]]).decode("utf-8", "surrogatepass")
        return text
