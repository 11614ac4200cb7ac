"""Qwen Code's matchers: a name, a list of names, or an expression to be found in the name."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from sandhook.hooks.contracts._payload import look
from sandhook.hooks.contracts._reading.languages import JAVASCRIPT_BLANKS
from sandhook.hooks.contracts.qwen.names import ALIASES
from sandhook.hooks.event import Event
from sandhook.hooks.flavour import compile_search
from sandhook.hooks.matcher import ALWAYS, Match, Matcher, Never, as_text, quote
from sandhook.record import Record


class NameOrExpression(Record):
    """Compares all names of a value exactly, then searches its own name; an event without the value matches.

    Attributes:
        key: The payload's key of the value, for messages.
        place: Where the event has it, as for ``look``.
        names: The names of the list.
        pattern: The expression.
        search: The compiled expression.
    """

    key: str
    place: str
    names: tuple[str, ...]
    pattern: str
    search: Callable[[str], bool]

    def check(self, event: Event) -> Match:
        text = as_text(look(event, self.place))
        if not text:
            return Match(True, f"the event has no {self.key}")
        label = "tool name" if self.key == "tool_name" else self.key
        others: tuple[str, ...] = ()
        if self.key == "tool_name":
            others = (text.strip().lstrip("_"), *ALIASES.get(text, ()))
        for name in (text, *others):
            if name in self.names:
                return Match(True, f"{label} {quote(name)} is one of the matcher's names")
        matched = self.search(text)
        return Match(
            matched, f"{label} {quote(text)} is {'' if matched else 'not '}matched by /{self.pattern}/"
        )

    def expression(self) -> str | None:
        """Return an expression on the tool's own name; None for other values."""
        if self.key != "tool_name":
            return None
        named = [tool for tool, others in ALIASES.items() if not set(others).isdisjoint(self.names)]
        return "|".join((self.pattern, *(f"^{tool}$" for tool in named)))


_EVERYTHING = ("", "*", ".*")


def matcher_of(text: str, key: str, place: str) -> Matcher:
    """Return the matcher of a group.

    Args:
        key: The payload's key that the event's matchers look at.
        place: Where the event has the value.

    Raises:
        PatternError: The expression does not compile.
    """
    pattern = _trimmed(text).lstrip(JAVASCRIPT_BLANKS)
    if pattern in _EVERYTHING:
        return ALWAYS
    names: tuple[str, ...] = (pattern,)
    expression = pattern
    if "|" in pattern and not pattern.startswith(("^", "(")):
        entries = tuple(
            filter(None, (_trimmed(each).lstrip(JAVASCRIPT_BLANKS) for each in _entries(pattern)))
        )
        if any(entry in _EVERYTHING for entry in entries):
            return ALWAYS
        if not entries:
            return Never(f"matcher {quote(pattern)} has no name")
        names, expression = (pattern, *entries), "|".join(entries)
    return NameOrExpression(key, place, names, expression, compile_search(expression, "js"))


#: An escape, a class in brackets (which may be open), or one character.
_PIECE = re.compile(r"\\.|\[(?:\\.|[^\]\\])*\]?|.", re.DOTALL)


def _entries(pattern: str) -> Iterator[str]:
    """Yield the parts between the bars that are outside of groups and classes, and not escaped."""
    depth, current = 0, ""
    for piece in _PIECE.finditer(pattern):
        text = piece[0]
        depth = max(0, depth + {"(": 1, ")": -1}.get(text, 0))
        if text == "|" and depth == 0:
            yield current
            current = ""
        else:
            current += text
    yield current


def _trimmed(text: str) -> str:
    """Return the text without blanks at its end, up to one that a backslash escapes."""
    short = text.rstrip(JAVASCRIPT_BLANKS)
    escapes = len(short) - len(short.rstrip("\\"))
    return text[: len(short) + 1] if escapes % 2 and len(short) < len(text) else short
