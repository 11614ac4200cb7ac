"""Expansions that print variables as ``declare -p`` does: attributes, keys and quoted values."""

from __future__ import annotations

from collections.abc import Callable

from sandhook.expand.special import join_values, separator
from sandhook.state.environment import attribute_bits
from sandhook.state.references import refers_to_element
from sandhook.state.state import State
from sandhook.state.values import Array, AssociativeArray, held, letters
from sandhook.syntax.nodes import ParameterExpansion
from sandhook.text.quoting import at_quote, double_quote, key_quote


def has_no_variable(state: State, name: str) -> bool:
    """Return True for a reference to an element, or without a target: it has no attributes and no declaration."""
    references = state.namerefs
    return name in references and (not references[name] or refers_to_element(references, name))


def attributes_of(state: State, name: str) -> str:
    if has_no_variable(state, name):
        return ""
    resolved, _ = state.resolve(name)
    return letters(attribute_bits(state, resolved))


def all_attributes(state: State, name: str, elements: list[str]) -> list[str]:
    """Return the attributes once for each element; a variable without a value counts as one."""
    attributes = attributes_of(state, name)
    if state.value(name) is not None:
        return [attributes] * len(elements)
    return [attributes] * bool(attributes)


def pairs_of(state: State, name: str, letter: str) -> list[str]:
    value = None if refers_to_element(state.namerefs, name) else state.value(name)
    if value is None:
        return []
    if isinstance(value, str):
        return [at_quote(value)]
    if letter == "k":
        return [text for pair in value.pairs() for text in pair]
    pairs = [f"{key_quote(key)} {double_quote(text)}" for key, text in value.pairs()]
    if not pairs:
        return []
    return [" ".join(pairs) + (" " if isinstance(value, AssociativeArray) else "")]


def compound(array: Array) -> str:
    """Return an array as ``([0]="a" [1]="b")``; associative ones have a blank before the end."""
    if isinstance(array, AssociativeArray):
        return "(" + "".join(f"[{key_quote(key)}]={double_quote(text)} " for key, text in array.pairs()) + ")"
    return "(" + " ".join(f"[{key}]={double_quote(text)}" for key, text in array.pairs()) + ")"


def declaration(
    state: State, node: ParameterExpansion, listed: bool, text_of: Callable[[State], str], *, unset: bool
) -> str | None:
    """${x@A}: an assignment or declare command that recreates the parameter.

    Args:
        state: Where the parameter is.
        node: The expansion.
        listed: It has the subscript ``@`` or ``*``.
        text_of: Returns the value of a single parameter.
        unset: That value is unset, although an array may have other elements.
    """
    if node.name in "@*":
        if not state.positional:
            return ""
        joiner = separator(state, True) or " "
        return "set -- " + join_values(
            state, joiner, [held(at_quote(text), state.budget) for text in state.positional]
        )
    name, _ = state.resolve(node.name)
    flags = attributes_of(state, name)
    value = state.value(name)
    if value is None:
        return f"declare -{flags} {name}" if flags else None
    if listed and not isinstance(value, str):
        return f"declare -{flags} {name}={compound(value)}"
    if unset:
        return f"declare -{flags} {name}" if flags else None
    quoted = at_quote(text_of(state))
    return f"declare -{flags} {name}={quoted}" if flags else f"{name}={quoted}"


def words_of(state: State, node: ParameterExpansion, text: str | None) -> list[str]:
    """Return the fields of ``"${a[@]@A}"`` and ``"${@@A}"``: the command of ``declaration``, split at IFS."""
    if not text:
        return []
    ifs = state.get("IFS") or " "
    if node.name == "@":
        first, *rest = [held(at_quote(text), state.budget) for text in state.positional]
        return ["set", "--", first, *rest] if " " in ifs else [f"set -- {first}", *rest]
    if isinstance(state.value(node.name), str):
        return [text]
    if " " in ifs:
        return text.split(" ", 2)
    import re  # who fires one hook rarely comes here, and it takes 4 ms

    head, equals, values = text.partition("=")
    fields = re.split(f"[{re.escape(ifs)}]", head)
    return [*fields[:-1], f"{fields[-1]}{equals}{values}"]
