"""The values of words: every expansion of bash over what is known."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import Literal as OneOf

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
    SimpleCommand,
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

_NAME = re.compile(r"(?<![\w$])[A-Za-z_]\w*", re.ASCII)

#: A value that names all elements of an array.
_INDIRECT = re.compile(r"([A-Za-z_]\w*)\[([@*])\]", re.ASCII)

#: How many hidden characters, or single letters next to each other, are a disguise.
MANY = 3

ASSEMBLED = Origin("assembled")

#: What a shell reads a text as: in both it runs the substitutions of the text.
Evaluation = OneOf["arithmetic", "prompt"]

#: Runs the commands of a substitution and returns their output.
Substitute = Callable[[CommandList, ShellState], Value]


class Words:
    """Returns the values of words in one shell.

    Args:
        state: The shell.
        scratch: Computes expansions of known values.
        substitute: Follows a command substitution.
        on_variable: Receives the name of every variable that is expanded.
        on_insertion: Receives every text that replaces another one.
        on_evaluation: Receives every text that the shell reads as an expression or a prompt, and in which it runs
            substitutions.
        on_sought: Receives every text for which the script looks in its payload.
    """

    def __init__(
        self,
        state: ShellState,
        scratch: Scratch,
        substitute: Substitute,
        on_variable: Callable[[str], Origins],
        on_insertion: Callable[[str], None],
        *,
        on_evaluation: Callable[[Evaluation, Value], None],
        on_sought: Callable[[Value], None],
    ) -> None:
        self._state = state
        self._scratch = scratch
        self._substitute = substitute
        self._on_variable = on_variable
        self._on_insertion = on_insertion
        self._on_evaluation = on_evaluation
        self._on_sought = on_sought

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
        if not isinstance(part, ParameterExpansion):
            return None
        sign, elements = self._elements(part)
        if elements is None or sign not in ("@", "*"):
            return None
        return [self._as_one(elements)] if sign == "*" and quoted else list(elements)

    def _elements(self, part: ParameterExpansion) -> tuple[str | None, Sequence[Value] | None]:
        """Return the sign of an expansion of several elements, "@" or "*", and these."""
        state = self._state
        if part.prefix == "!" and part.operator is None and part.subscript is None:
            match = _INDIRECT.fullmatch(state.value(part.name).any_text)  # r='c[@]'; "${!r}"
            return (match[2], state.arrays.get(state.target(match[1]))) if match else (None, None)
        sign: str | None
        elements: Sequence[Value] | None
        if part.name in ("@", "*"):
            sign, elements = part.name, (UNKNOWN,) if state.positional is None else state.positional
        elif part.subscript is not None:
            sign = self._joined(part.subscript.parts).text
            elements = state.arrays.get(state.target(part.name))
        else:
            return None, None
        if elements is None or sign not in ("@", "*") or part.prefix == "#":
            return None, None
        if part.prefix == "!":
            return sign, [known(str(index)) for index in range(len(elements))]
        if part.operator == ":":
            return sign, self._slice(part, elements)
        if part.operator is not None:
            return sign, [self._changed(part, element) for element in elements]
        return sign, elements

    def _some_element(self, part: ParameterExpansion) -> Value | None:
        """Return any element of an array whose subscript is no known number, such as the key of ``declare -A``."""
        elements = self._state.arrays.get(self._state.target(part.name))
        if not elements or part.subscript is None:
            return None
        text = self._joined(part.subscript.parts).text
        is_known = text is not None and (not text.isidentifier() or self._number(part.subscript) is not None)
        return None if is_known else joined(elements)

    def _slice(self, part: ParameterExpansion, elements: Sequence[Value]) -> Sequence[Value]:
        """Return the elements of ``${array[@]:offset:length}``; all if the numbers are not known."""
        offset = self._number(part.word)
        length = self._number(part.second) if part.second is not None else len(elements)
        if offset is None or length is None or length < 0:
            return elements
        if part.name in ("@", "*") and offset > 0:
            offset -= 1  # $0 is not among them
        start = offset if offset >= 0 else len(elements) + offset
        return elements[max(start, 0) : max(start, 0) + length]

    def _number(self, word: Word | None) -> int | None:
        text = (self.value(word).text or "").strip()
        if text.isidentifier():
            text = self._state.value(text).text or ""
        digits = text.removeprefix("-")
        return int(text) if digits.isdecimal() and digits.isascii() and len(digits) < 10 else None

    def _changed(self, part: ParameterExpansion, element: Value) -> Value:
        """Return an element after an operator such as ``%`` or ``@Q``."""
        if element.text is None:
            return element.without_text()
        text = self._scratch.expansion(
            unparse(part._replace(name="element", subscript=None)), {"element": element.text}
        )
        return element.without_text() if text is None else Value((text,), element.origins)

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
            self.evaluate(part.expression)
            return self._computed(part)
        return UNKNOWN

    def evaluate(self, expression: Word) -> Value:
        """Report an expression and the variables in it, whose texts are expressions again; return its value."""
        value = self.value(expression)
        names = {name for text in value.texts for name in _NAME.findall(text)}
        values = [self._state.value(name) for name in sorted(names)]
        for each in (value, *values):
            self._on_evaluation("arithmetic", each)
        return joined((value, *values)) if values else value

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
        self._evaluated(part, value)
        if part.subscript is None and not part.prefix:
            if part.operator is None:
                return value
            if part.operator in ("/", "//") and part.second is not None:
                self._on_insertion(self.value(part.second).any_text)
                if part.word is not None and value.has("payload"):
                    self._on_sought(self.value(part.word))
            if part.operator in (":-", "-", ":=", "=", ":+", "+", ":?", "?"):
                return self._default(part, value)
        if part.prefix == "#":
            return Value((HOLE,))
        several = self._elements(part)[1]
        if several is not None:
            return self._as_one(several)
        if part.operator is None and (anyone := self._some_element(part)) is not None:
            return anyone
        if part.prefix == "!" and part.operator is None and part.subscript is None:
            target = value.text or ""
            if value.texts == (HOLE,) and not part.name.isdecimal():  # any variable
                return Value((HOLE,), value.origins | {Origin("environment", "a variable by its name")})
            if target.isidentifier():  # n=GITHUB_TOKEN; ${!n}
                own = self._state.value(target)
                return Value(own.texts, own.origins | value.origins | self._on_variable(target))
        computed = self._computed(part)
        if computed.texts == (HOLE,):
            elements = self._state.arrays.get(self._state.target(name), ())
            extra = frozenset(origin for element in elements for origin in element.origins)
            if (
                part.operator in ("/", "//", "#", "##", "%", "%%", "^", "^^", ",", ",,", ":")
                and len(value.texts) == 1
            ):
                return Value((_kept(part, value.texts[0]),), value.origins | extra)
            return Value((HOLE,), value.origins | extra)
        return Value(computed.texts, computed.origins | value.origins)

    def _evaluated(self, part: ParameterExpansion, value: Value) -> None:
        """Report what an expansion evaluates: a subscript, the numbers of a slice, a prompt."""
        if part.operator == "@" and part.word is not None and self._joined(part.word.parts).text == "P":
            self._on_evaluation("prompt", value)
        elif part.operator == ":":
            for word in filter(None, (part.word, part.second)):
                self.evaluate(word)
        if part.subscript is not None and self._joined(part.subscript.parts).text not in ("@", "*"):
            self.evaluate(part.subscript)

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
            elements = self._state.arrays.get(self._state.target(name))
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


def makes_reference(command: SimpleCommand, words: Words) -> bool:
    """Return whether a command is ``declare -n`` or the like."""
    texts = [words.value(word).any_text for word in command.words if isinstance(word, Word)]
    return texts[:1] in (["declare"], ["local"], ["typeset"]) and any(
        text[:1] == "-" and "n" in text for text in texts[1:]
    )


def is_letter(word: Word, words: Words) -> bool:
    """Return whether a word has one character or two."""
    text = words.value(word).text
    return text is not None and len(text) <= 2
