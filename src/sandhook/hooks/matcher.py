"""Matchers decide which hooks an event selects: by tests of the tool's name, its input or a field.

Every match has a reason, which explains why a hook did not run. A contract builds its matchers from
these parts when it loads a file; nothing here depends on an agent.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from sandhook.hooks.decode import DecodeError, encode
from sandhook.hooks.event import Event, Json
from sandhook.hooks.flavour import Flavour
from sandhook.limits import present_budget
from sandhook.record import Record
from sandhook.typed import Protocol


class Match(Record):
    """Whether a matcher matches an event, and why.

    Attributes:
        why: The reason, for people.
        undecided: It exceeded a bound or failed, so that ``matched`` is not known; see ``MatchBudget``.
    """

    matched: bool
    why: str
    undecided: bool = False


class Matcher(Protocol):
    """Decides on one event."""

    def check(self, event: Event) -> Match: ...


class TextTest(Protocol):
    """Decides on one text; ``str()`` of it completes the sentence "the tool name is not ..."."""

    def test(self, text: str) -> bool: ...


class Always(Record):
    """Matches every event."""

    def check(self, event: Event) -> Match:
        return Match(True, "no matcher: every event")


ALWAYS = Always()


class Never(Record):
    """Matches no event, for a reason that the configuration gives."""

    reason: str

    def check(self, event: Event) -> Match:
        return Match(False, self.reason)


class All(Record):
    """Matches when every part matches; the first that does not gives the reason."""

    parts: tuple[Matcher, ...]

    def check(self, event: Event) -> Match:
        reasons = []
        for part in self.parts:
            match = part.check(event)
            if not match.matched:
                return match
            reasons.append(match.why)
        return Match(True, ", ".join(reasons) or "no condition")


class AnyOf(Record):
    """Matches when one part matches; the first that does gives the reason."""

    parts: tuple[Matcher, ...]

    def check(self, event: Event) -> Match:
        reasons = []
        for part in self.parts:
            match = part.check(event)
            if match.matched:
                return match
            reasons.append(match.why)
        return Match(False, ", ".join(reasons) or "no alternative")


class ToolName(Record):
    """Tests the tool's name and its aliases; ``absent`` is the name for an event without a tool.

    Attributes:
        test: What one of the names must pass.
        aliases: Other names of a tool in hooks, by the agent's name.
        absent: Name for events without a tool; None when they do not match.
    """

    test: TextTest
    aliases: Mapping[str, tuple[str, ...]] = {}
    absent: str | None = None

    def check(self, event: Event) -> Match:
        name = event.tool.name if event.tool is not None else self.absent
        if name is None:
            return Match(False, "the event has no tool")
        if (known := self.known(event)) is not None:
            return known
        match = self._of_name(name)
        if len(name) <= _LONGEST_NAME:
            if len(_OF_NAMES) >= _MOST_NAMES:
                _OF_NAMES.clear()
            _OF_NAMES[id(self), name] = (self, match)
        return match

    def known(self, event: Event) -> Match | None:
        """Return what was decided about the same name before, None for a new one."""
        tool = event.tool
        known = _OF_NAMES.get((id(self), self.absent if tool is None else tool.name))
        return known[1] if known is not None and known[0] is self else None

    def _of_name(self, name: str) -> Match:
        for candidate in (name, *self.aliases.get(name, ())):
            if self.test.test(candidate):
                return Match(True, f"tool name {quote(candidate)} is {self.test}")
        return Match(False, f"tool name {quote(name)} is not {self.test}")


#: What matchers decided about names, by the identity of the matcher; an entry keeps its matcher, so that no other has
#: that identity. The name alone decides, and an agent has few tools.
_OF_NAMES: dict[tuple[int, str | None], tuple[ToolName, Match]] = {}
_MOST_NAMES, _LONGEST_NAME = 4096, 100


class Argument(Record):
    """Tests one value of the tool's input, found by object keys.

    A string is tested unchanged, a null or missing value as "", any other value as compact JSON.

    Attributes:
        keys: Keys from the outermost object inward; () is the input itself.
        test: What the text must pass.
        label: The path as the author wrote it, for messages.
    """

    keys: tuple[str, ...]
    test: TextTest
    label: str

    def check(self, event: Event) -> Match:
        value: Json = event.tool.input if event.tool is not None else None
        for key in self.keys:
            value = value.get(key) if isinstance(value, dict) else None
        text = as_text(value)
        if self.test.test(text):
            return Match(True, f"{self.label} = {quote(text)} is {self.test}")
        return Match(False, f"{self.label} = {quote(text)} is not {self.test}")


class Field(Record):
    """Tests a field of the event, or one of its extras, such as the source of a session's start."""

    name: str
    test: TextTest

    def check(self, event: Event) -> Match:
        value = getattr(event, self.name, None)
        if value is None and event.extras is not None:
            value = event.extras.get(self.name)
        text = as_text(value)
        if self.test.test(text):
            return Match(True, f"{self.name} {quote(text)} is {self.test}")
        return Match(False, f"{self.name} {quote(text)} is not {self.test}")


# Tests of one text.


class Exact(Record):
    """An equal text, case-sensitive."""

    wanted: str

    def test(self, text: str) -> bool:
        return text == self.wanted

    def __str__(self) -> str:
        return quote(self.wanted)


class OneOf(Record):
    """One text of a list, case-sensitive."""

    wanted: tuple[str, ...]

    def test(self, text: str) -> bool:
        return text in self.wanted

    def __str__(self) -> str:
        return "one of " + ", ".join(map(quote, self.wanted))


class Prefixes(Record):
    """Alternatives: exact texts or, with a final ``*``, prefixes."""

    alternatives: tuple[str, ...]

    def test(self, text: str) -> bool:
        return any(
            text.startswith(each[:-1]) if each[-1:] == "*" else text == each for each in self.alternatives
        )

    def __str__(self) -> str:
        return "like " + quote("|".join(self.alternatives))


class Glob(Record):
    """A shell pattern over the whole text."""

    pattern: str

    def test(self, text: str) -> bool:
        from sandhook.pattern.glob import compile_pattern

        budget = present_budget()
        return compile_pattern(self.pattern).matches(text, None if budget is None else budget.charge)

    def __str__(self) -> str:
        return "like " + quote(self.pattern)


class NotEmpty(Record):
    """Any non-empty text."""

    def test(self, text: str) -> bool:
        return bool(text)

    def __str__(self) -> str:
        return "a text that is not empty"


class Regex(Record):
    """A regular expression, found anywhere in the text.

    Attributes:
        pattern: As the author wrote it.
        flavour: Whose syntax it is: see ``sandhook.hooks.flavour``.
        search: The compiled search, linear in the text; it raises LimitExceeded if the matchers have less time.
    """

    pattern: str
    flavour: Flavour
    search: Callable[[str], bool]

    def test(self, text: str) -> bool:
        return self.search(text)

    def __str__(self) -> str:
        return "matched by /" + _short(self.pattern) + "/"


def as_text(value: Json) -> str:
    """Return a JSON value as text for matchers: a string unchanged, null as "", other values as JSON."""
    if isinstance(value, str):
        return value
    if value is None:
        return ""
    try:
        return encode(value)
    except DecodeError:  # not from a JSON text; a matcher must not raise
        return repr(value)


def quote(text: str) -> str:
    """Return a text in quotes, cut for messages."""
    return f'"{_short(text)}"'


def _short(text: str) -> str:
    return text if len(text) <= 80 else text[:77] + "..."


def regex_of(matcher: Matcher) -> str | None:
    """Return an equivalent unanchored RE2 pattern on the tool's name; "" for every tool.

    None when the matcher tests more than the name, or has no equivalent.
    """
    if isinstance(matcher, Always):
        return ""
    own: Callable[[], str | None] | None = getattr(matcher, "expression", None)  # of a contract's matcher
    if own is not None:
        return own()
    if not isinstance(matcher, ToolName):
        return None
    test = matcher.test
    if isinstance(test, Regex):
        return test.pattern
    if isinstance(test, Exact):
        return f"^{_escaped(test.wanted)}$"
    if isinstance(test, OneOf):
        return f"^({'|'.join(map(_escaped, test.wanted))})$"
    if isinstance(test, Prefixes):
        parts = (
            _escaped(each[:-1]) if each[-1:] == "*" else f"{_escaped(each)}$" for each in test.alternatives
        )
        return f"^({'|'.join(parts)})"
    return None


def _escaped(text: str) -> str:
    return "".join(f"\\{c}" if c in "\\.+*?()|[]{}^$" else c for c in text)
