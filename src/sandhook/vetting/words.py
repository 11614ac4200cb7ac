"""The values of words: every expansion of bash over what is known."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import islice

from sandhook.errors import LimitExceeded, ShellSyntaxError
from sandhook.expand.brace import expand_braces
from sandhook.expand.shapes import has_braces
from sandhook.syntax import parse_cached
from sandhook.syntax.nodes import (
    AnsiQuoted,
    ArithmeticExpansion,
    Backquoted,
    CommandList,
    CommandSubstitution,
    DoubleQuoted,
    Escaped,
    Literal,
    ParameterExpansion,
    ProcessSubstitution,
    SingleQuoted,
    Word,
    WordPart,
    walk,
)
from sandhook.syntax.unparse import unparse
from sandhook.vetting.scratch import Scratch
from sandhook.vetting.state import ShellState
from sandhook.vetting.values import (
    EMPTY,
    HOLE,
    NOTHING,
    UNKNOWN,
    Origin,
    Origins,
    Value,
    concatenated,
    joined,
    known,
)

#: The most words of one brace expansion.
MAX_WORDS = 256

#: Escapes of printable characters in ``$'...'``, which hide a text.
_HIDING = re.compile(r"\\(?:x[2-7][0-9A-Fa-f]|[0-3]?[0-7]{2}|u00[2-7][0-9A-Fa-f])")

#: How many hidden characters, or single letters next to each other, are a disguise.
MANY = 3

ASSEMBLED = Origin("assembled")

#: Runs the commands of a substitution and returns their output.
Substitute = Callable[[CommandList, ShellState], Value]


class Words:
    """Returns the values of words in one shell.

    Args:
        state: The shell.
        scratch: Computes expansions of known values.
        substitute: Follows a command substitution.
        on_variable: Receives the name of every variable that is expanded.
    """

    def __init__(
        self,
        state: ShellState,
        scratch: Scratch,
        substitute: Substitute,
        on_variable: Callable[[str], Origins],
    ) -> None:
        self._state = state
        self._scratch = scratch
        self._substitute = substitute
        self._on_variable = on_variable

    def value(self, word: Word | None) -> Value:
        """Return a word without field splitting."""
        if word is None:
            return EMPTY
        return self._joined(word.parts)

    def fields(self, word: Word) -> list[Value]:
        """Return the fields of a word."""
        words = list(islice(expand_braces(word), MAX_WORDS + 1)) if has_braces(word) else [word]
        if len(words) > MAX_WORDS:
            return [UNKNOWN]
        return [field for each in words for field in self._split(each)]

    def _split(self, word: Word) -> list[Value]:
        elements = self._all_elements(word)
        if elements is not None:
            return elements
        value = self._joined(word.parts)
        splits = any(
            isinstance(part, (ParameterExpansion, CommandSubstitution, Backquoted)) for part in word.parts
        )
        if not splits:
            return [value]
        if value.texts == ("",):
            return []
        if len(value.texts) == 1 and any(c.isspace() for c in value.texts[0]):
            if any(isinstance(part, (DoubleQuoted, SingleQuoted)) for part in word.parts):
                return [value]
            return [Value((text,), value.origins) for text in value.texts[0].split()]
        return [value]

    def _all_elements(self, word: Word) -> list[Value] | None:
        """Return the fields of a word that is ``"$@"``, ``$*`` or ``"${array[@]}"``."""
        parts = word.parts
        quoted = len(parts) == 1 and isinstance(parts[0], DoubleQuoted)
        if len(parts) == 1 and isinstance(parts[0], DoubleQuoted):
            parts = parts[0].parts
        part = parts[0] if len(parts) == 1 else None
        if not isinstance(part, ParameterExpansion) or part.operator or part.prefix:
            return None
        sign, elements = self._elements(part)
        if elements is None or sign not in ("@", "*"):
            return None
        return [self._as_one(elements)] if sign == "*" and quoted else list(elements)

    def _elements(self, part: ParameterExpansion) -> tuple[str | None, Sequence[Value] | None]:
        """Return the sign of an expansion of several elements, "@" or "*", and these."""
        if part.name in ("@", "*"):
            positional = self._state.positional
            return part.name, (UNKNOWN,) if positional is None else positional
        if part.subscript is None:
            return None, None
        return self._joined(part.subscript.parts).text, self._state.arrays.get(part.name)

    def _as_one(self, elements: Sequence[Value]) -> Value:
        """Return elements with the first character of IFS between them."""
        between = (self._state.value("IFS").text or "")[:1]
        pieces: list[Value] = []
        for element in elements:
            pieces += [known(between), element] if pieces else [element]
        letters = [element for element in elements if element.text is not None and len(element.text) <= 2]
        value = concatenated(pieces) if pieces else EMPTY
        return value.plus(ASSEMBLED) if len(letters) >= MANY and len(letters) == len(elements) else value

    def _joined(self, parts: Sequence[WordPart]) -> Value:
        values = [self._part(part) for part in parts]
        value = concatenated(values)
        if _is_assembled(parts, values):
            value = value.plus(ASSEMBLED)
        return value

    def _part(self, part: WordPart) -> Value:
        if isinstance(part, AnsiQuoted):
            hidden = len(_HIDING.findall(part.raw)) >= MANY
            return known(part.text, frozenset({ASSEMBLED}) if hidden else NOTHING)
        if isinstance(part, (Literal, Escaped, SingleQuoted)):
            return known(part.text)
        if isinstance(part, DoubleQuoted):
            return self._joined(part.parts)
        if isinstance(part, ParameterExpansion):
            return self._parameter(part)
        if isinstance(part, (CommandSubstitution, ProcessSubstitution)):
            return self._output(part.body)
        if isinstance(part, Backquoted):
            return self._backquoted(part)
        if isinstance(part, ArithmeticExpansion):
            return self._computed(part)
        return UNKNOWN

    def _output(self, body: CommandList | None) -> Value:
        if body is None:
            return EMPTY
        value = self._substitute(body, self._state.copy())
        return Value(tuple(dict.fromkeys(text.rstrip("\n") for text in value.texts)), value.origins)

    def _backquoted(self, part: Backquoted) -> Value:
        try:
            units = parse_cached(part.text)
        except (ShellSyntaxError, LimitExceeded):
            return UNKNOWN
        return concatenated([self._output(unit) for unit in units])

    def _parameter(self, part: ParameterExpansion) -> Value:
        """Return the value of an expansion; operators on known values are computed."""
        name = part.name
        origins = self._on_variable(name)
        value = self._state.value(name)
        value = Value(value.texts, value.origins | origins)
        if part.subscript is None and not part.prefix:
            if part.operator is None:
                return value
            if part.operator in (":-", "-", ":=", "=", ":+", "+", ":?", "?"):
                return self._default(part, value)
        if part.prefix == "#":
            return Value((HOLE,))
        computed = self._computed(part)
        if computed.texts == (HOLE,):
            elements = self._state.arrays.get(name, ())
            extra = frozenset(origin for element in elements for origin in element.origins)
            if (
                part.operator in ("/", "//", "#", "##", "%", "%%", "^", "^^", ",", ",,", ":")
                and len(value.texts) == 1
            ):
                return Value((_kept(part, value.texts[0]),), value.origins | extra)
            return Value((HOLE,), value.origins | extra)
        return Value(computed.texts, computed.origins | value.origins)

    def _default(self, part: ParameterExpansion, value: Value) -> Value:
        operator = part.operator or ""
        other = self.value(part.word)
        is_set = part.name in self._state.variables or (
            part.name.isdecimal() and value.text is not None and value.text != ""
        )
        if operator in (":?", "?"):
            return value
        if operator in (":+", "+"):
            return joined((other, EMPTY))
        if is_set and value.known and (operator[0] != ":" or "" not in value.texts):
            return value
        if value.text == "" and operator[0] == ":":
            result = other
        elif value.text is not None and not is_set and not part.name.isdecimal():
            result = value
        elif is_set:
            result = joined((Value(tuple(t for t in value.texts if t) or (HOLE,), value.origins), other))
        else:
            result = joined((other, value))
        if operator in (":=", "="):
            self._state.variables[part.name] = result
        return result

    def _computed(self, part: WordPart) -> Value:
        """Return the value of an expansion whose parameters are all known, by running it in a sandbox."""
        variables: dict[str, str | Sequence[str]] = {}
        origins: set[Origin] = set()
        for name in _names_in(part):
            elements = self._state.arrays.get(name)
            if elements is not None:
                texts = [element.text for element in elements]
                if None in texts:
                    return UNKNOWN
                variables[name] = [text for text in texts if text is not None]
                continue
            value = self._state.value(name)
            if value.text is None:
                return UNKNOWN
            origins |= value.origins
            variables[name] = value.text
        if isinstance(part, ParameterExpansion) and part.prefix == "!":
            for name, value in self._state.variables.items():
                if value.text is not None:
                    variables.setdefault(name, value.text)
                    origins |= value.origins
        if self._state.positional is not None:
            variables["@"] = [value.text or "" for value in self._state.positional]
        text = self._scratch.expansion(unparse(part), variables)
        return UNKNOWN if text is None else known(text, frozenset(origins))


def _kept(part: ParameterExpansion, text: str) -> str:
    """Return what is left of a partly known text after an operator that removes something: its known begin."""
    if part.operator in ("^", "^^", ",", ",,", "/", "//"):
        return text
    if part.operator in ("%", "%%"):
        return text.rpartition("/")[0] + "/" + HOLE if "/" in text else HOLE
    return HOLE


def _names_in(part: WordPart) -> Iterator[str]:
    """Yield the names of the parameters in an expansion."""
    for node in walk(part):
        if isinstance(node, ParameterExpansion):
            yield node.name
        elif isinstance(node, Literal):
            yield from (
                re.findall(r"[A-Za-z_][A-Za-z_0-9]*", node.text)
                if isinstance(part, ArithmeticExpansion)
                else ()
            )
        elif isinstance(node, (CommandSubstitution, Backquoted)):
            yield HOLE  # its output is not known here


def _is_assembled(parts: Sequence[WordPart], values: Sequence[Value]) -> bool:
    """Return whether several expansions in a row stand for one letter each."""
    run = 0
    for part, value in zip(parts, values, strict=True):
        one = isinstance(part, ParameterExpansion) and value.text is not None and len(value.text) <= 2
        run = run + 1 if one and value.text else 0
        if run >= MANY:
            return True
    return False
