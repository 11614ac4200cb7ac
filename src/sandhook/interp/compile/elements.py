"""The list of ``name=(...)``: words, elements with subscripts, and the pairs of an associative array."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import islice

from sandhook.expand.reference import subscript_of
from sandhook.expand.shapes import FieldsOf, has_braces
from sandhook.interp.compile.protocol import Compiler
from sandhook.lazy import lazy_module
from sandhook.limits import timed_items
from sandhook.state.assigned import Element, Elements
from sandhook.state.control import ShellError, subscript_error
from sandhook.state.state import State
from sandhook.state.values import ASSOC
from sandhook.syntax.nodes import (
    ArrayElement,
    ArrayLiteral,
    DoubleQuoted,
    Literal,
    ParameterExpansion,
    Word,
    WordPart,
)
from sandhook.typed import TYPE_CHECKING

if TYPE_CHECKING:
    from sandhook.expand import brace
else:  # few words have braces
    brace = lazy_module("sandhook.expand.brace")


def is_associative(state: State, name: str) -> bool:
    """Return True if a name is, or refers to, an associative array."""
    if name in state.namerefs:
        name, _ = state.resolve(name)
    return bool(state.attributes.get(name, 0) & ASSOC)


def compile_elements(
    compiler: Compiler,
    node: ArrayLiteral,
    name: str,
    is_map: Callable[[State, str], bool],
    *,
    declaring: bool = False,
    declares_map: bool = False,
) -> Callable[[State], Elements]:
    """Compile a list to a closure that returns its elements.

    Args:
        compiler: The compiler of the command.
        node: The list.
        name: The variable.
        is_map: Returns True if the variable is an associative array when the assignment runs.
        declaring: The list is an argument of declare and the like: bash expands it before it checks keys.
        declares_map: The declaration has -A: bash then expands no words that have to be elements.
    """
    elements_of: list[Callable[[State], Elements]] = []
    in_map: list[Callable[[State], Elements]] = []
    pairs = _compile_pairs(compiler, node, name, declaring)
    for element in timed_items(node.elements):
        if isinstance(element, ArrayElement) and _expands_to_several(element.value):
            # with braces it is not an element: [1]=x{1,2} is two words
            fields = _compile_bare(compiler.words.fields(_as_word(element)))
            elements_of.append(
                _either(
                    lambda state: is_map(state, name),
                    _compile_keyed(compiler, element, is_map, name, declaring),
                    fields,
                )
            )
        elif isinstance(element, ArrayElement):
            elements_of.append(_compile_keyed(compiler, element, is_map, name, declaring))
        else:
            words_of = compiler.words.fields(element, named_tildes=False)
            elements_of.append(_compile_bare(words_of))
            in_map.append(
                _compile_rejected(
                    name, element, words_of if declaring and not declares_map else None, declaring
                )
            )
            continue
        in_map.append(elements_of[-1])

    def make(state: State) -> Elements:
        elements: Elements = []
        closures = elements_of
        if is_map(state, name):
            if pairs is not None:
                return pairs(state)
            closures = in_map
        for element_of in timed_items(closures):
            elements += element_of(state)
        return elements

    return make


def _expands_to_several(word: Word) -> bool:
    """Return True if brace expansion makes several words of a word."""
    return has_braces(word) and len(list(islice(brace.expand_braces(word), 2))) > 1


def _either(
    decide: Callable[[State], bool], yes: Callable[[State], Elements], no: Callable[[State], Elements]
) -> Callable[[State], Elements]:
    return lambda state: yes(state) if decide(state) else no(state)


def _source_text(element: ArrayElement | Word) -> str:
    from sandhook.syntax.unparse import unparse

    if isinstance(element, Word):
        return unparse(element)
    return f"[{unparse(element.subscript)}]{'+=' if element.append else '='}{unparse(element.value)}"


def _as_word(element: ArrayElement) -> Word:
    value, sign = element.value, "]+=" if element.append else "]="
    return Word((Literal("["), *element.subscript.parts, Literal(sign), *value.parts), value.span)


def _compile_rejected(
    name: str, word: Word, fields: FieldsOf | None, quoted: bool
) -> Callable[[State], Elements]:
    """Return a closure that reports a word among the elements of a map: its ``fields``, or its source."""

    def reject(state: State) -> Elements:
        from sandhook.syntax.unparse import unparse
        from sandhook.text.quoting import in_single_quotes

        for text in [unparse(word)] if fields is None else fields(state):
            shown = in_single_quotes(text) if quoted else text
            message = f"{name}: {shown}: must use subscript when assigning associative array"
            state.shell.assignment_error(state, ShellError(message, reason="bad element"))
        return []

    return reject


def _compile_pairs(
    compiler: Compiler, node: ArrayLiteral, name: str, declaring: bool
) -> Callable[[State], Elements] | None:
    """Compile ``map=(key value ...)``: words are neither split nor matched with file names, and keep their braces.

    Return None if the first element has a subscript, for then all must have one.
    """
    first = node.elements[0] if node.elements else None
    if first is None or isinstance(first, ArrayElement) or (not declaring and _has_bracket(first)):
        return None
    words = [_as_word(element) if isinstance(element, ArrayElement) else element for element in node.elements]
    texts = [compiler.words.pair_word(word) for word in words]

    def make(state: State) -> Elements:
        elements: Elements = []
        for at in range(0, len(texts), 2):
            key = texts[at](state)
            if key:
                elements.append(Element(key, False, texts[at + 1](state) if at + 1 < len(texts) else ""))
            else:
                if declaring and at + 1 < len(texts):
                    texts[at + 1](state)
                _print_key_error(state, "''" if declaring else _source_text(words[at]))
        return elements

    return make


def _has_bracket(word: Word) -> bool:
    """Return True for a word that bash takes for an element because of its "["."""
    first = word.parts[0] if word.parts else None
    return isinstance(first, Literal) and first.text[:1] == "["


def _print_key_error(state: State, subscript: str) -> None:
    state.shell.assignment_error(state, subscript_error(subscript))


def _compile_keyed(
    compiler: Compiler,
    element: ArrayElement,
    is_map: Callable[[State, str], bool],
    name: str,
    declaring: bool,
) -> Callable[[State], Elements]:
    key_of = compiler.words.subscript(element.subscript)
    text_of = compiler.words.element(_with_stars(element.value))
    text_in_map = compiler.words.pair_word(element.value)
    append = element.append

    def make(state: State) -> Elements:
        key = key_of(state)
        if not is_map(state, name):
            return [Element(key, append, text_of(state))]
        if not key and declaring:
            from sandhook.text.quoting import at_quote

            value = at_quote(text_in_map(state))
            _print_key_error(state, f"['']{'+=' if append else '='}{value}")
            return []
        if not key:  # bash does not expand the value then
            _print_key_error(state, _source_text(element))
            return []
        return [Element(key, append, text_in_map(state))]

    return make


def _with_stars(word: Word) -> Word:
    """Return the value of an element with every ``@`` replaced by ``*``: bash joins with IFS there."""
    return word._replace(parts=_parts_with_stars(word.parts))


def _parts_with_stars(parts: Sequence[WordPart]) -> tuple[WordPart, ...]:
    result: list[WordPart] = []
    for part in parts:
        if isinstance(part, DoubleQuoted):
            part = part._replace(parts=_parts_with_stars(part.parts))
        elif isinstance(part, ParameterExpansion) and part.name == "@":
            part = part._replace(name="*")
        elif isinstance(part, ParameterExpansion) and subscript_of(part.subscript) == "@":
            part = part._replace(subscript=Word((Literal("*"),)))
        result.append(part)
    return tuple(result)


def _compile_bare(fields: FieldsOf) -> Callable[[State], Elements]:
    return lambda state: [Element(None, False, text) for text in timed_items(fields(state))]
