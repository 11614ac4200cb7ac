"""Expressions that select events: ``tool = "Bash" and not (command ~ "^git " or refused = true)``.

A field is compared with a text, a number, ``true``, ``false`` or ``null``, by ``=``, ``!=``, ``<``, ``<=``, ``>``,
``>=``, by ``~`` (finds a regular expression of RE2) or by ``in ("a", "b")``. Comparisons are joined by ``and``,
``or``, ``not`` and parentheses. A comparison of order with a missing field is false.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from sandhook.hooks.event import Json
from sandhook.journal.schema import Entry
from sandhook.pattern.errors import PatternError
from sandhook.replay.errors import ReplayError

Test = Callable[[Entry], bool]

_TOKEN = re.compile(r'\s*(?:("(?:[^"\\]|\\.)*")|(-?\d+(?:\.\d+)?)|([A-Za-z_][\w.]*)|(!=|<=|>=|[=<>~(),]))')

#: Names of fields and where they are in an event.
FIELDS: Mapping[str, Callable[[Entry], Json]] = {
    "time": lambda entry: entry.time,
    "id": lambda entry: entry.id,
    "agent": lambda entry: entry.agent,
    "event": lambda entry: entry.event,
    "kind": lambda entry: entry.kind,
    "tool": lambda entry: entry.tool,
    "session": lambda entry: entry.session_id,
    "cwd": lambda entry: entry.cwd,
    "origin": lambda entry: entry.origin,
    "duration_ms": lambda entry: entry.duration_ms,
    "refused": lambda entry: entry.decision.refused if entry.decision is not None else None,
    "permission": lambda entry: entry.decision.permission if entry.decision is not None else None,
    "reason": lambda entry: entry.decision.reason if entry.decision is not None else None,
    "command": lambda entry: command_of(entry.payload),
}

_WORDS: Mapping[str, Json] = {"true": True, "false": False, "null": None}


def command_of(payload: Json) -> str | None:
    """Return the shell command in the payload of an event, if it has one."""
    if not isinstance(payload, Mapping):
        return None
    for key in ("tool_input", "toolInput", "toolArgs", "tool_args", "input", "arguments", "args", "tool"):
        value = payload.get(key)
        if isinstance(value, Mapping):
            for name in ("command", "cmd", "script"):
                text = value.get(name)
                if isinstance(text, str):
                    return text
                if isinstance(text, Sequence) and text and all(isinstance(word, str) for word in text):
                    return " ".join(map(str, text))
            if (inner := command_of(value)) is not None:
                return inner
    return None


def parse(text: str) -> Test:
    """Return the test of an expression. Raises ReplayError."""
    reader = _Reader(text)
    test = reader.disjunction()
    if reader.token:
        reader.fail(f"unexpected {reader.token!r}")
    return test


class _Reader:
    """Reads tokens of one expression."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._depth = 0
        self.token = ""
        self._advance()

    def fail(self, why: str) -> ReplayError:
        raise ReplayError(f"--where: {why} at character {self._at + 1 - len(self.token)}")

    def _advance(self) -> str:
        """Return the token, and read the next one."""
        before = self.token
        match = _TOKEN.match(self._text, self._at)
        if match is None:
            if self._text[self._at :].strip():
                self.token = ""
                self.fail(f"cannot read {self._text[self._at :].strip()[:20]!r}")
            self.token = ""
            return before
        self._at = match.end()
        self.token = match[0].strip()
        return before

    def disjunction(self) -> Test:
        tests = [self._conjunction()]
        while self.token == "or":
            self._advance()
            tests.append(self._conjunction())
        return tests[0] if len(tests) == 1 else lambda entry: any(test(entry) for test in tests)

    def _conjunction(self) -> Test:
        tests = [self._negation()]
        while self.token == "and":
            self._advance()
            tests.append(self._negation())
        return tests[0] if len(tests) == 1 else lambda entry: all(test(entry) for test in tests)

    def _negation(self) -> Test:
        self._depth += 1
        if self._depth > 100:
            self.fail("more than 100 levels")
        try:
            if self.token == "not":
                self._advance()
                test = self._negation()
                return lambda entry: not test(entry)
            if self.token == "(":
                self._advance()
                test = self.disjunction()
                self._expect(")")
                return test
            return self._comparison()
        finally:
            self._depth -= 1

    def _expect(self, token: str) -> None:
        if self.token != token:
            self.fail(f"wanted {token!r}, got {self.token!r}")
        self._advance()

    def _comparison(self) -> Test:
        name = self._advance()
        field = FIELDS.get(name)
        if field is None:
            from sandhook.text.nearest import hint

            raise ReplayError(f"--where: {name!r} is not a field; {hint(name, FIELDS)}")
        operator = self._advance()
        if operator == "in":
            return self._membership(field)
        if operator == "~":
            return self._search(field)
        if operator not in _ORDER and operator not in ("=", "!="):
            self.fail(f"wanted =, !=, <, <=, >, >=, ~ or in after {name}, got {operator!r}")
        value = self._value()
        if operator == "=":
            return lambda entry: field(entry) == value
        if operator == "!=":
            return lambda entry: field(entry) != value
        return _ordered(field, _ORDER[operator], value)

    def _membership(self, field: Callable[[Entry], Json]) -> Test:
        self._expect("(")
        values = [self._value()]
        while self.token == ",":
            self._advance()
            values.append(self._value())
        self._expect(")")
        return lambda entry: field(entry) in values

    def _search(self, field: Callable[[Entry], Json]) -> Test:
        from sandhook.pattern.linear import compile_re2

        value = self._value()
        if not isinstance(value, str):
            raise ReplayError("--where: wanted a regular expression in double quotes after ~")
        try:
            regex = compile_re2(value, groups=False)
        except PatternError as error:
            raise ReplayError(f"--where: {value!r}: {error}") from None

        def search(entry: Entry) -> bool:
            text = field(entry)
            return isinstance(text, str) and regex.search(text.encode("utf-8", "replace").decode("utf-8"))

        return search

    def _value(self) -> Json:
        token = self._advance()
        if token[:1] == '"':
            return re.sub(r"\\(.)", r"\1", token[1:-1])
        if token in _WORDS:
            return _WORDS[token]
        try:
            return float(token)
        except ValueError:
            raise ReplayError(
                f"--where: wanted a text in double quotes, a number, true, false or null, got {token or 'the end'!r}"
            ) from None


_ORDER: Mapping[str, Callable[[int], bool]] = {
    "<": lambda sign: sign < 0,
    "<=": lambda sign: sign <= 0,
    ">": lambda sign: sign > 0,
    ">=": lambda sign: sign >= 0,
}


def _ordered(field: Callable[[Entry], Json], accepts: Callable[[int], bool], value: Json) -> Test:
    def test(entry: Entry) -> bool:
        found = field(entry)
        if isinstance(found, str) and isinstance(value, str):
            return accepts((found > value) - (found < value))
        if isinstance(found, int | float) and isinstance(value, int | float):
            return accepts((found > value) - (found < value))
        return False

    return test
