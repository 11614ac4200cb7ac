"""Expressions that select events: ``tool = "Bash" and not (command ~ "^git " or refused = true)``.

A field is compared with a text, a number, ``true``, ``false`` or ``null``, by ``=``, ``!=``, ``<``, ``<=``, ``>``,
``>=``, by ``~`` (finds a regular expression of RE2) or by ``in ("a", "b")``. Comparisons are joined by ``and``,
``or``, ``not`` and parentheses. A comparison of order with a missing field is false.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from sandhook.hooks.event import Json
from sandhook.journal.schema import Entry
from sandhook.pattern.errors import PatternError
from sandhook.replay.errors import ReplayError
from sandhook.typed import NoReturn

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

#: Objects in objects in which a command, or a path, is looked for.
DEEPEST = 6

_WORDS: Mapping[str, Json] = {"true": True, "false": False, "null": None}


def command_of(payload: Json, depth: int = DEEPEST) -> str | None:
    """Return the shell command in the payload of an event, if it has one, at most so many objects deep."""
    if not isinstance(payload, dict) or not depth:
        return None
    for key in ("tool_input", "toolInput", "toolArgs", "tool_args", "input", "arguments", "args", "tool"):
        value = payload.get(key)
        if isinstance(value, dict):
            for name in ("command", "cmd", "script"):
                text = value.get(name)
                if isinstance(text, str):
                    return text
                if isinstance(text, list) and text and all(isinstance(word, str) for word in text):
                    return " ".join(map(str, text))
            if (inner := command_of(value, depth - 1)) is not None:
                return inner
    return None


def parse(text: str) -> Test:
    """Return the test of an expression. Raises ReplayError."""
    reader = _Reader(text)
    test = reader.disjunction()
    if reader.token:
        reader.fail(f"unexpected {reader.token}; wanted and, or, or the end")
    return test


class _Reader:
    """Reads tokens of one expression.

    Attributes:
        token: The next one, "" at the end.
    """

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._depth = 0
        self._place = self._place_before = 0
        self.token = ""
        self._advance()

    def fail(self, why: str, place: int | None = None) -> NoReturn:
        """Raise the error of a token: the next one, or the one at a place."""
        raise ReplayError(f"--where: character {(self._place if place is None else place) + 1}: {why}")

    def _advance(self) -> str:
        """Return the token, and read the next one."""
        before, self._place_before = self.token, self._place
        match = _TOKEN.match(self._text, self._at)
        if match is None:
            rest = self._text[self._at :].strip()
            self._place = len(self._text) - len(self._text[self._at :].lstrip())
            if rest:
                quote = " (a text has double quotes)" if rest[0] == "'" else ""
                missing = (
                    "a text without its closing quote"
                    if rest[0] == '"'
                    else "a sign that nothing begins with"
                )
                self.fail(f"{missing}: {rest[:20]}{quote}")
            self.token = ""
            return before
        self._at = match.end()
        self.token = match[0].strip()
        self._place = self._at - len(self.token)
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
            self.fail(f"wanted {token}, got {self.token or 'the end'}")
        self._advance()

    def _comparison(self) -> Test:
        name = self._advance()
        field, place = FIELDS.get(name), self._place_before
        if field is None:
            from sandhook.text.nearest import hint

            self.fail(f"wanted a field, got {name or 'the end'}; {hint(name, FIELDS)}", place)
        operator = self._advance()
        if operator == "in":
            return self._membership(name, field)
        if operator == "~":
            return self._search(name, field)
        if operator not in _ORDER and operator not in ("=", "!="):
            wanted = "=, !=, <, <=, >, >=, ~ or in"
            self.fail(f"wanted {wanted} after {name}, got {operator or 'the end'}", self._place_before)
        value = self._value(name)
        if operator == "=":
            return lambda entry: field(entry) == value
        if operator == "!=":
            return lambda entry: field(entry) != value
        return _ordered(field, _ORDER[operator], value)

    def _membership(self, name: str, field: Callable[[Entry], Json]) -> Test:
        self._expect("(")
        values = [self._value(name)]
        while self.token == ",":
            self._advance()
            values.append(self._value(name))
        if self.token != ")":
            self.fail(f"wanted a comma or ), got {self.token or 'the end'}")
        self._advance()
        return lambda entry: field(entry) in values

    def _search(self, name: str, field: Callable[[Entry], Json]) -> Test:
        from sandhook.pattern.linear import compile_re2

        if self.token[:1] != '"' or name in _KINDS:
            wanted = (
                f"no ~ after {name}, which is no text"
                if name in _KINDS
                else "a regular expression in double quotes"
            )
            self.fail(f"wanted {wanted}, got {self.token or 'the end'}")
        value = str(self._value(name))
        try:
            regex = compile_re2(value, groups=False)
        except PatternError as error:
            self.fail(f"{value!r} is no regular expression of RE2: {error}", self._place_before)

        def search(entry: Entry) -> bool:
            text = field(entry)
            return isinstance(text, str) and regex.search(text.encode("utf-8", "replace").decode("utf-8"))

        return search

    def _value(self, name: str) -> Json:
        """Return a value to compare a field with; one of another type is an error, because nothing would equal it."""
        token = self._advance()
        types, wanted = _KINDS.get(name, ((str,), "a text in double quotes"))
        value: Json = token
        if token[:1] == '"':
            value = re.sub(r"\\(.)", r"\1", token[1:-1])
        elif token in _WORDS:
            value = _WORDS[token]
        elif token[:1].isdigit() or token[:1] == "-":
            value = float(token)
        else:
            self.fail(f"wanted {wanted} or null for {name}, got {token or 'the end'}", self._place_before)
        if value is not None and type(value) not in types:
            self.fail(f"wanted {wanted} or null for {name}, got {token}", self._place_before)
        return value


#: Fields that are no texts.
_KINDS: Mapping[str, tuple[tuple[type, ...], str]] = {
    "duration_ms": ((float,), "a number"),
    "refused": ((bool,), "true or false"),
}


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
