"""What Claude Code introduced and Codex, Gemini CLI and Docker's agent adopted, with differences.

Matchers in three classes (all; names; a JavaScript expression), placeholders in exec form, one JSON
object on standard output that is checked against a table of types. Each contract has its own tables; nothing here
depends on an event. The nested form of the configuration is in ``_groups``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from sandhook.hooks.decode import BoundExceeded, DecodeError, decode_object, type_name
from sandhook.hooks.event import Event, Json, JsonObject
from sandhook.hooks.flavour import Flavour, compile_search
from sandhook.hooks.matcher import (
    ALWAYS,
    Exact,
    Match,
    Matcher,
    Never,
    OneOf,
    Regex,
    TextTest,
    ToolName,
    quote,
)
from sandhook.lazy import lazily
from sandhook.pattern.errors import PatternError
from sandhook.record import Record

#: Characters of a matcher that is a list of names.
WIDE = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-, |")
NARROW = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_|")


class Value(Record):
    """Tests the value that an event's matchers test, when that is not a tool's name.

    Attributes:
        label: The payload's key, for messages.
        read: Returns the value of an event.
        test: What it must pass.
    """

    label: str
    read: Callable[[Event], str]
    test: TextTest

    def check(self, event: Event) -> Match:
        text = self.read(event)
        if self.test.test(text):
            return Match(True, f"{self.label} {quote(text)} is {self.test}")
        return Match(False, f"{self.label} {quote(text)} is not {self.test}")


def text_test(
    text: str, *, names: frozenset[str], separators: str, flavour: Flavour = "js"
) -> TextTest | None:
    """Return the test of a matcher: None for every text, a list of names, or an expression to be found.

    Args:
        names: The characters of a list of names; any other makes it an expression.
        separators: What separates the names.

    Raises:
        PatternError: The expression does not compile.
    """
    if text in ("", "*"):
        return None
    if names.issuperset(text):
        for separator in separators:
            text = text.replace(separator, "|")
        parts = [part.strip(" ") for part in text.split("|")]
        return Exact(parts[0]) if len(parts) == 1 else OneOf(tuple(parts))
    return Regex(text, flavour, compile_search(text, flavour))


def matcher(
    test: TextTest | None,
    label: str,
    read: Callable[[Event], str] | None,
    aliases: Mapping[str, tuple[str, ...]] = {},
) -> Matcher:
    """Return the matcher for a test: on the tool's name when ``read`` is None, else on its result."""
    if test is None:
        return ALWAYS
    return ToolName(test, aliases) if read is None else Value(label, read, test)


def unmatchable(text: str, error: PatternError) -> Never:
    """Return the matcher of an expression that does not compile: it matches nothing."""
    return Never(f"matcher {quote(text)} does not compile: {error}")


_PLACEHOLDER = lazily(r"\$\{([^{}]*)\}")


def substitute(text: str, values: Mapping[str, str]) -> str:
    """Replace each ``${NAME}`` by its value, as plain text; unknown names stay."""
    return _PLACEHOLDER.sub(lambda match: values.get(match[1], match[0]), text)


def wild(pattern: str, text: str) -> bool:
    """Return whether a text matches a pattern, in which ``*`` matches any characters."""
    first, *others = pattern.split("*")
    if not others:
        return text == first
    if not text.startswith(first):
        return False
    at, last = len(first), others.pop()
    for part in others:
        at = text.find(part, at)
        if at < 0:
            return False
        at += len(part)
    return len(text) - len(last) >= at and text.endswith(last)


# What hooks print.


class Printed(Record):
    """Standard output as these agents read it: one JSON object, or text.

    Attributes:
        value: The object, None when the output is text.
        text: The output without white space around it.
        notes: What is unusual about the JSON.
        broken: Why text that begins like an object is not one, or None.
        exceeded_bound: It is broken because it exceeds a bound of sandhook.
    """

    value: JsonObject | None
    text: str
    notes: tuple[str, ...] = ()
    broken: str | None = None
    exceeded_bound: bool = False


def read_output(data: bytes, *, whole: bool = True) -> Printed:
    """Parse standard output; an array, a string or a number is text.

    Args:
        whole: The object must end with "}", so that text after it makes all of it text.
    """
    text = data.decode("utf-8", "replace").strip()
    if not text.startswith("{"):
        return Printed(None, text)
    if whole and not text.endswith("}"):
        return Printed(None, text, broken="there is text after the object")
    try:
        decoded = decode_object(text)
    except DecodeError as error:
        return Printed(None, text, broken=str(error), exceeded_bound=isinstance(error, BoundExceeded))
    return Printed(decoded.value, text, decoded.diagnostics)


def after_banner(text: str) -> bool:
    """Return whether a JSON object follows other text, as the banner of a profile makes it."""
    if text.startswith("{") or not text.endswith("}"):
        return False
    for at in {text.find("\n{"), text.rfind("\n{")} - {-1}:
        try:
            decode_object(text[at + 1 :])
        except DecodeError:
            continue
        return True
    return False


#: A field's types, or the texts that it may have.
Types = Mapping[str, "type | tuple[type, ...] | frozenset[str]"]


def wrong_types(value: Mapping[str, Json], types: Types, prefix: str = "") -> str | None:
    """Return the fault of the first field of a wrong type (null is one), or None."""
    for key, wanted in types.items():
        if key not in value:
            continue
        item = value[key]
        if isinstance(wanted, frozenset):
            if not isinstance(item, str) or item not in wanted:
                actual = repr(item) if isinstance(item, str) else type_name(item)
                return f"{prefix}{key}: wanted one of {', '.join(sorted(wanted))}, got {actual}"
        elif not isinstance(item, wanted) or (isinstance(item, bool) and wanted not in (bool, object)):
            return f"{prefix}{key}: got {type_name(item)}"
    return None


_OSC = lazily(r"\x1b\](?:0|1|2|9|99|777);[^\x00-\x1f\x7f-\x9f]*(?:\x07|\x1b\\)|\x07")


def terminal_sequence(text: str) -> str:
    """Return the sequences of a text that a terminal may safely get: titles, notes and the bell.

    Those are OSC 0, 1, 2, 9, 99 and 777, and BEL; everything else is removed.
    """
    return "".join(_OSC.findall(text[:4096]))
