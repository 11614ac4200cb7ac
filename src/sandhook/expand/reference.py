"""Compiles parameters without their operators (``$x``, ``${a[1]}``, ``$@``, ``${a[*]}``) to closures.

A parameter has one value (``$x``, ``${a[1]}``) or a list (``$@``, ``${a[*]}``, ``${!p*}``).
Source: POSIX.1-2024 XCU 2.5, 2.6.2; bash 5.2 manual 3.4, 6.7.
"""

from __future__ import annotations

from collections.abc import Callable

from sandhook.expand.numbers import NotPlain
from sandhook.expand.special import join_values, separator, special_value
from sandhook.state.control import bad_substitution_error, unbound_error
from sandhook.state.references import refers_to_element
from sandhook.state.state import State
from sandhook.state.values import AssociativeArray, IndexedArray
from sandhook.syntax.nodes import Literal, ParameterExpansion, Word
from sandhook.text.names import is_ordinary
from sandhook.typed import Any, Protocol, TypeAlias

Value: TypeAlias = Callable[[State], "str | None"]
Values: TypeAlias = Callable[[State], "list[str]"]
Text: TypeAlias = Callable[[State], str]


class Words(Protocol):
    """The methods of ``word.WordCompiler`` that this file calls."""

    def string(self, word: Word, *, quoted: bool = False, assignment: bool = False) -> Text: ...

    def key(self, word: Word, is_map: Callable[[State], bool]) -> Text: ...

    def pattern(self, word: Word, *, tildes: bool = True) -> Text: ...

    def fixed_pattern(self, word: Word, *, tildes: bool = True) -> str | None: ...

    def constant(self, word: Word) -> str | None: ...

    def pieces(self, word: Word, *, tildes: bool = True) -> Callable[[State], list[tuple[str, bool]]]: ...

    def arithmetic(self, word: Word) -> Callable[[State], int]: ...

    def index(self, word: Word) -> Callable[[State], int] | None: ...

    def parse_name(self, text: str) -> ParameterExpansion | None: ...


class Parameter:
    """A compiled parameter expansion.

    Attributes:
        value: Returns the value, or None when it is unset; None for a list.
        values: Returns the list; None for a single value.
        star: In quotes the list is joined with the first character of IFS.
    """

    __slots__ = ("star", "value", "values")

    def __init__(self, value: Value | None = None, values: Values | None = None, star: bool = False) -> None:
        self.value = value
        self.values = values
        self.star = star

    def text(self, state: State) -> str:
        """Return the expansion as one string without splitting; a list is joined."""
        value = self.value
        if value is not None:
            return value(state) or ""
        assert self.values is not None
        return join_values(state, separator(state, self.star), self.values(state))

    def is_set(self, state: State, nonempty: bool, quoted: bool = False) -> bool:
        """Return True when the parameter is set (``-``) and, with ``nonempty``, not empty (``:-``).

        Two empty values are not empty, except for ``"$*"`` when nothing joins them.
        """
        if self.value is not None:
            value = self.value(state)
            return bool(value) if nonempty else value is not None
        assert self.values is not None
        values = self.values(state)
        if nonempty:
            if quoted and self.star and not separator(state, True):
                return any(values)
            return len(values) > 1 or (len(values) == 1 and values[0] != "")
        return bool(values)


class SpacedList(Parameter):
    """A list whose values bash joins with blanks, unquoted, if IFS is empty: ``${a[@]#p}`` and ``${!a[*]}``."""

    __slots__ = ()


def plain_value(name: str, *, braces: bool = True) -> Value:
    """Return the closure that reads ``$name`` and fails for an unset name under ``set -u``.

    Args:
        braces: It is written ``${1}``: messages print a special parameter without braces as ``$1``.
    """
    if is_ordinary(name):

        def variable(state: State) -> str | None:
            value = state.values.get(name)
            if value.__class__ is str:
                return value
            text = state.get(name)
            if text is None and state.options.nounset:
                raise unbound_error(name)
            return text

        return variable
    if name == "?":
        return lambda state: str(state.status)
    if name == "#":
        return lambda state: str(len(state.positional))
    if name.isdigit() and name[0] != "0":
        index = int(name[:9]) - 1

        def positional(state: State) -> str | None:
            values = state.positional
            return values[index] if index < len(values) else special(state)

    def special(state: State) -> str | None:
        value = special_value(state, name)
        if value is None and state.options.nounset:
            raise unbound_error(name if braces else f"${name}")
        return value

    return positional if name.isdigit() and name[0] != "0" else special


def plain_text(name: str, value: Callable[[State], str | None]) -> Text:
    """Compile ``$name`` to one string; the closure reads a plain variable or ``$1`` without another call."""
    if name.isdigit() and name[0] != "0":
        index = int(name[:9]) - 1

        def numbered(state: State) -> str:
            positional = state.positional
            return positional[index] if index < len(positional) else value(state) or ""

        return numbered

    def text(state: State) -> str:
        variable = state.values.get(name)
        return variable if variable.__class__ is str else value(state) or ""

    return text if is_ordinary(name) else lambda state: value(state) or ""


def _unchecked(name: str) -> Value:
    """Return the closure that reads a parameter for operators which test whether it is set."""
    if is_ordinary(name):
        return lambda state: state.get(name)
    return lambda state: special_value(state, name)


def subscript_of(word: Word | None) -> str | None:
    """Return "@" or "*" when it is the whole subscript, else None."""
    if word is not None and len(word.parts) == 1 and isinstance(word.parts[0], Literal):
        text = word.parts[0].text
        if text in ("@", "*"):
            return text
    return None


def elements(state: State, name: str) -> list[str]:
    """Return ``${name[@]}``; a scalar counts as one element."""
    value = None if refers_to_element(state.namerefs, name) else state.value(name)
    if value is None:
        return []
    return [value] if isinstance(value, str) else value.values()


def keys(state: State, name: str) -> list[str]:
    """Return ``${!name[@]}``."""
    value = None if refers_to_element(state.namerefs, name) else state.value(name)
    if value is None:
        return []
    return ["0"] if isinstance(value, str) else value.keys()


def compile_base(node: ParameterExpansion, words: Words, *, checked: bool) -> Parameter:
    """Compile the parameter alone, without its operator."""
    name = node.name
    all_ = subscript_of(node.subscript)
    if all_ is not None:
        return Parameter(values=lambda state: elements(state, name), star=all_ == "*")
    if node.subscript is not None and not node.subscript.parts:
        return Parameter(_without_subscript(name))
    if node.subscript is not None:
        return Parameter(_element(name, node.subscript, words, checked))
    if name in ("@", "*"):
        return Parameter(values=lambda state: state.positional, star=name == "*")
    return Parameter(plain_value(name, braces=node.braces) if checked else _unchecked(name))


def _without_subscript(name: str) -> Value:
    """${a[]}: bash rejects it when it is expanded."""

    def fail(state: State) -> str | None:
        raise bad_substitution_error(f"${{{name}[]}}")

    return fail


def _element(name: str, subscript: Word, words: Words, checked: bool) -> Value:
    key_of = words.key(subscript, lambda state: state.is_associative(name))

    def element(state: State) -> str | None:
        if name in state.namerefs and refers_to_element(state.namerefs, name):
            return None
        key = key_of(state)
        value = state.element(name, key)
        if value is None and checked and state.options.nounset:
            raise unbound_error(f"{name}[{key}]")
        return value

    index_of = words.index(subscript)
    if index_of is None:
        return element
    evaluate = index_of

    def indexed(state: State) -> str | None:
        array: Any = state.values.get(name)
        value: str | None
        if array.__class__ is AssociativeArray:
            value = array.items.get(key_of(state) or _empty_key(state, name))
        elif array.__class__ is IndexedArray:
            try:
                index = evaluate(state)
            except NotPlain:
                return element(state)
            value = array.items.get(index) if index >= 0 else state.element(name, str(index))
        else:
            return element(state)
        if value is None and checked and state.options.nounset:
            raise unbound_error(f"{name}[{key_of(state)}]")
        return value

    return indexed


def _empty_key(state: State, name: str) -> str:
    """Report an empty key of an associative array and return it; it has no element."""
    state.report_bad_subscript(name)
    return ""
