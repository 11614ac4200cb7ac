"""Operators that change the value of a parameter: ``#``, ``%``, ``/``, ``^``, ``,``, ``~``, ``:``, ``@``.

Source: POSIX.1-2024 XCU 2.6.2; bash 5.2 manual 3.5.3.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sandhook.expand import transform
from sandhook.expand.escapes import prompt_value
from sandhook.expand.reference import Parameter, SpacedList, Value, Values, Words, elements
from sandhook.state.references import refers_to_element
from sandhook.state.state import State
from sandhook.state.values import AssociativeArray, IndexedArray, held
from sandhook.syntax.nodes import DoubleQuoted, Escaped, Literal, ParameterExpansion, SingleQuoted, Word
from sandhook.syntax.wordprinter import word_text
from sandhook.text.locale import as_bytes, as_characters, characters_are_bytes
from sandhook.text.names import is_ordinary

#: The first part of a pattern whose first character is known when it is compiled.
_TEXT = (Literal, Escaped, SingleQuoted)


class _Declaration(Parameter):
    """``${a[@]@A}``: several fields in double quotes, one string where nothing is split."""

    __slots__ = ("_whole",)

    def __init__(self, values: Values, whole: Value) -> None:
        super().__init__(values=values)
        self._whole = whole

    def text(self, state: State) -> str:
        return self._whole(state) or ""


def compile_operator(node: ParameterExpansion, base: Parameter, words: Words) -> Parameter:
    operator = node.operator or ""
    word = node.word or Word(())
    if operator == ":":
        return compile_slice(node, base, words)
    if operator == "@":
        return _transformation(node, base)
    fixed = _fixed_change(operator, word, node.second, words)
    if fixed is not None and base.value is not None:
        if operator[0] in "^,~":
            return Parameter(_cased(base.value, fixed))
        if node.subscript is None and not node.prefix and is_ordinary(node.name):
            return Parameter(_changed_variable(node.name, base.value, fixed))
        return Parameter(_changed(base.value, fixed))
    if operator[0] in "#%":
        pattern = words.pattern(word)
        changed = _mapped(
            base, lambda state: (operator, pattern(state)), transform.remove_affix, nonempty=True
        )
        if changed.values is None or node.subscript is None:
            return changed
        return SpacedList(values=changed.values, star=changed.star)
    if operator[0] == "/":
        pattern = words.pattern(word, tildes=operator in ("/", "//"))
        replacement = words.pieces(node.second or Word(()))
        if operator == "/" and word.parts and not isinstance(word.parts[0], _TEXT):
            pieces = words.pieces(word)

            def anchored(state: State) -> tuple[object, ...]:
                return (*transform.anchored(pieces(state)), replacement(state))

            return _mapped(base, anchored, transform.replace)
        return _mapped(base, lambda state: (operator, pattern(state), replacement(state)), transform.replace)
    pattern = words.pattern(word)
    if word.parts and all(
        isinstance(part, (SingleQuoted, DoubleQuoted)) and not part[0] for part in word.parts
    ):
        return _mapped(base, lambda state: (), lambda state, value: value)  # "" matches no character
    return _mapped(base, lambda state: (operator, pattern(state)), transform.change_case)


def _fixed_change(operator: str, word: Word, second: Word | None, words: Words) -> transform.Change | None:
    """Return the change that an operator makes if its words are constant and of a common shape, else None."""
    if operator[0] not in "#%/":
        return None if word.parts else transform.case_changer(operator)
    pattern = words.fixed_pattern(word, tildes=operator not in ("/#", "/%"))
    if pattern is None:
        return None
    if operator[0] != "/":
        return transform.affix_remover(operator, pattern)
    replacement = words.constant(second) if second is not None and second.parts else ""
    return None if replacement is None else transform.literal_replacer(operator, pattern, replacement)


def _changed(read: Value, change: transform.Change) -> Value:
    def value(state: State) -> str | None:
        text = read(state)
        return change(state, text) if text else text

    return value


def _changed_variable(name: str, read: Value, change: transform.Change) -> Value:
    """Return the same for a variable, which is nearly always text: ``read`` is not called for that."""

    def value(state: State) -> str | None:
        text: Any = state.values.get(name)
        if text.__class__ is not str:
            text = read(state)
        return change(state, text) if text else text

    return value


def _cased(read: Value, change: transform.Change) -> Value:
    def value(state: State) -> str | None:
        text = read(state)
        if text and not text.isascii() and characters_are_bytes(state.get):
            return _change_bytes(state, text, change, ())
        return change(state, text) if text else text

    return value


def _mapped(
    base: Parameter,
    prepare: Callable[[State], tuple[object, ...]],
    change: Callable[..., str],
    *,
    nonempty: bool = False,
) -> Parameter:
    """Apply ``change`` to the value, or to every element.

    The arguments are expanded once. They are not expanded for an unset value, nor (``nonempty``) for an empty one.
    """
    if base.value is not None:
        read = base.value

        def change_value(state: State) -> str | None:
            value = read(state)
            if not value and (nonempty or value is None):
                return value
            arguments = prepare(state)
            if value.isascii() or not characters_are_bytes(state.get):
                return change(state, value, *arguments)
            return _change_bytes(state, value, change, arguments)

        return Parameter(change_value)
    values = base.values
    assert values is not None

    def change_elements(state: State) -> list[str]:
        elements = values(state)
        if not elements:
            return elements
        arguments, budget = prepare(state), state.budget
        return [
            held(
                change(state, value, *arguments)
                if value.isascii() or not characters_are_bytes(state.get)
                else _change_bytes(state, value, change, arguments),
                budget,
            )
            for value in elements
        ]

    return Parameter(values=change_elements, star=base.star)


def compile_slice(
    node: ParameterExpansion, base: Parameter, words: Words, shown: str | None = None
) -> Parameter:
    """Compile ``${name:offset:length}``; ``shown`` is what messages name, by default the parameter."""
    from sandhook.expand import slices

    name = node.name
    if shown is None:
        subscript = "" if node.subscript is None else f"[{word_text(node.subscript, lambda body: '')}]"
        shown = f"{node.prefix}{name}{subscript}"
    offset_of = slices.named(words.arithmetic(slices.as_in_quotes(node.word or Word(()))), shown)
    length_of = None
    if node.second is not None:
        length_of = slices.named(words.arithmetic(slices.as_in_quotes(node.second)), shown)
    typed: str | None = None  # the length as the script has it, for its error
    if node.second is not None and all(isinstance(part, Literal) for part in node.second.parts):
        typed = "".join([part.text for part in node.second.parts if isinstance(part, Literal)])
    if base.value is not None:
        read = base.value

        def substring(state: State) -> str | None:
            value = read(state)
            if value is None:
                return None
            offset = offset_of(state)
            length = length_of(state) if length_of is not None else None
            return slices.substring(state, value, offset, length, typed)

        return Parameter(substring)
    values = base.values
    assert values is not None
    positional = node.subscript is None

    def elements_of(state: State) -> list[str]:
        variable: Any = None
        if not positional:
            variable = None if refers_to_element(state.namerefs, name) else state.value(name)
            if variable is None or (not isinstance(variable, str) and not len(variable)):
                return values(state)  # an empty list; bash does not evaluate the numbers here
        offset = offset_of(state)
        if variable.__class__ is IndexedArray and offset > variable.top() - 1:
            return []
        size = len(state.positional) + 1 if positional else len(variable)  # $0 is one of them
        if (positional or variable.__class__ is AssociativeArray) and offset > size:
            return []
        length = length_of(state) if length_of is not None else None
        if isinstance(variable, str):  # bash treats it as ${name:offset:length}
            part = slices.substring(state, variable, offset, length, typed)
            return [] if part is None else [part]
        if length is not None and length < 0:
            raise slices.negative_length_error(str(length) if typed is None else typed)
        if positional:
            return slices.of_positional(state, offset, length)
        return slices.of_array(state, name, values, offset, length)

    return Parameter(values=elements_of, star=base.star)


def _transformation(node: ParameterExpansion, base: Parameter) -> Parameter:
    from sandhook.expand import declared

    letter = node.word.parts[0].text if node.word and isinstance(node.word.parts[0], Literal) else ""
    name = node.name
    if letter == "a":
        if base.values is not None and node.subscript is None:
            return Parameter(values=lambda state: ["" for _ in state.positional], star=base.star)
        if base.values is not None:
            attributes_of_all = declared.all_attributes
            return Parameter(
                values=lambda state: attributes_of_all(state, name, elements(state, name)), star=base.star
            )

        def attributes(state: State) -> str:
            if base.value is not None and not (node.subscript is None and _has_elements(state, name)):
                base.value(state)  # for its error
            return declared.attributes_of(state, name)

        return Parameter(attributes)
    if letter == "A":

        def declaration(state: State) -> str | None:
            if declared.has_no_variable(state, name):
                return None if base.value is None else base.value(state) and ""  # for its error
            if base.value is None:
                value: str | None = ""
            elif node.subscript is None and state.options.nounset and _has_elements(state, name):
                value = state.element(name, "0")  # an array is set, even if its first element is not
            else:
                value = base.value(state)  # fails under set -u
            text_of = (
                base.text if base.value is None else lambda _: value or ""
            )  # its subscript may run commands
            return declared.declaration(state, node, base.values is not None, text_of, unset=value is None)

        if base.values is not None and not base.star:
            return _Declaration(lambda state: declared.words_of(state, node, declaration(state)), declaration)
        return Parameter(declaration)
    if letter in "Kk" and base.values is not None and node.subscript is not None:
        return Parameter(values=lambda state: declared.pairs_of(state, name, letter), star=base.star)
    if letter == "P":
        return _mapped(base, lambda state: (), prompt_value)
    return _mapped(base, lambda state: (letter,), transform.transform)


def _has_elements(state: State, name: str) -> bool:
    value = state.value(state.resolve(name)[0])
    return isinstance(value, (IndexedArray, AssociativeArray)) and len(value) > 0


def _change_bytes(state: State, value: str, change: Callable[..., str], arguments: tuple[object, ...]) -> str:
    """Apply ``change`` in the C locale."""
    byte_arguments = [as_bytes(argument) if isinstance(argument, str) else argument for argument in arguments]
    return as_characters(change(state, as_bytes(value), *byte_arguments))
