"""Parameter expansion: one ``$name`` or ``${...}`` to a closure.

``reference`` compiles the parameter, ``changes`` the operators that change its value; the operators that choose
another word (``CHOOSING``) are ``word``'s, which also puts the result into fields or a string.
Source: POSIX.1-2024 XCU 2.6.2; bash 5.2 manual 3.5.3.
"""

from __future__ import annotations

from collections.abc import Callable

from sandhook.expand.reference import Parameter, SpacedList, Words, compile_base, keys, subscript_of
from sandhook.expand.special import join_values, separator
from sandhook.state.control import ShellError, bad_substitution_error, unbound_error
from sandhook.state.environment import seen_names
from sandhook.state.references import follow, refers_to_element
from sandhook.state.state import State
from sandhook.state.values import IndexedArray
from sandhook.syntax.nodes import ParameterExpansion
from sandhook.text.locale import as_bytes, characters_are_bytes
from sandhook.text.names import is_name

#: Operators whose word is used instead of the value.
CHOOSING = frozenset(("-", ":-", "=", ":=", "?", ":?", "+", ":+"))


def compile_parameter(node: ParameterExpansion, words: Words) -> Parameter:
    """Compile everything but the choosing operators, which ``word`` handles with the base."""
    if node.prefix == "!":
        return _compile_bang(node, words)
    if node.prefix == "#":
        length = compile_length(node, words)
        return Parameter(lambda state: str(length(state)))
    base = compile_base(node, words, checked=node.operator is None or node.operator not in CHOOSING)
    if node.operator is None or node.operator in CHOOSING:
        return base
    from sandhook.expand.changes import compile_operator

    return compile_operator(node, base, words)


def compile_length(node: ParameterExpansion, words: Words) -> Callable[[State], int]:
    """Compile ``${#name}``, ``${#a[@]}`` and ``${#@}`` to a closure that returns the number."""
    name = node.name
    base = compile_base(node, words, checked=True)
    if base.values is not None:
        values = base.values
        if name in "@*" and node.subscript is None:
            return lambda state: len(state.positional)

        def count(state: State) -> int:
            value = state.values.get(name)
            if value.__class__ is IndexedArray:
                return len(value)
            value = state.value(name)
            if state.options.nounset and (value is None or isinstance(value, str)):
                raise unbound_error(name).ending("unit", 1)  # in bash, a scalar is unset here
            return len(values(state)) if isinstance(value, str) or value is None else len(value)

        return count
    value = base.value
    assert value is not None
    if node.subscript is not None and not node.subscript.parts:

        def fail(state: State) -> int:
            raise bad_substitution_error(f"${{#{name}[]}}")

        return fail
    if node.subscript is not None:
        key_of = words.key(node.subscript, lambda state: state.is_associative(name))
        index_of = words.index(node.subscript)
        from sandhook.expand.length import measured_element
        from sandhook.syntax.wordprinter import word_text

        value = measured_element(name, value, key_of, index_of, word_text(node.subscript, lambda _: ""))

    def measure(state: State) -> int:
        text = value(state) or ""
        if name in state.namerefs and not state.options.nounset and refers_to_element(state.namerefs, name):
            return 0  # as in bash, a reference to an element has no length
        return len(text) if text.isascii() or not characters_are_bytes(state.get) else len(as_bytes(text))

    return measure


def _compile_bang(node: ParameterExpansion, words: Words) -> Parameter:
    """${!name} (indirection), ${!prefix*}, ${!prefix@}, ${!name[@]}."""
    name = node.name
    if node.operator in ("*", "@") and node.word is None:
        if node.subscript is not None:  # as in bash, no name begins with "name["
            return Parameter(values=lambda state: [], star=node.operator == "*")
        return Parameter(
            values=lambda state: [variable for variable in seen_names(state) if variable.startswith(name)],
            star=node.operator == "*",
        )
    all_ = subscript_of(node.subscript)
    if all_ is not None and node.operator is None:
        kind = SpacedList if all_ == "*" else Parameter
        return kind(values=lambda state: keys(state, name), star=all_ == "*")
    reference = compile_base(ParameterExpansion(name, node.subscript), words, checked=False)
    indirect = Indirect(node, reference, words)
    if name != "#" or node.operator is not None:
        return indirect
    background = compile_base(ParameterExpansion("!"), words, checked=True)
    # in posix mode, an empty text is removed from the beginning of $!
    return Parameter(lambda state: (background if state.options.posix else indirect).text(state))


def _joined_with_blanks(compiled: Parameter) -> Parameter:
    """``${!ref#p}`` where ``ref`` is ``@`` or ``*``, with an IFS that begins with another character than a blank: one value, as in bash."""
    values = compiled.values
    assert values is not None
    return Parameter(lambda state: join_values(state, " ", values(state)))


def _is_blank_joined(operator: str | None) -> bool:
    return operator is not None and operator[0] in "#%:@" and operator not in CHOOSING


class Indirect(Parameter):
    """${!ref...}: the name is known only at run time, so the target is compiled there."""

    __slots__ = ("_node", "_reference", "_words")

    def __init__(self, node: ParameterExpansion, reference: Parameter, words: Words) -> None:
        super().__init__(self._value)
        self._node = node
        self._reference = reference
        self._words = words

    def target(self, state: State) -> Parameter | None:
        """Return the Parameter that the reference names, compiled with the operator of this expansion.

        None when the reference is unset, which an operator that chooses a word accepts.
        """
        node = self._node
        if node.subscript is None and node.name in state.namerefs:
            return self._name_of_nameref(state)
        values = self._reference.values
        if values is not None:  # ${!a[@]-word}
            listed = values(state)
            joiner = separator(state, True) or ("" if self._reference.star else " ")
            name = join_values(state, joiner, listed) if listed else None
        else:
            assert self._reference.value is not None
            name = self._reference.value(state)
        if name is None:
            declared = node.name in state.attributes
            if node.operator in CHOOSING and (not is_name(node.name) or declared):
                return None
            if not state.options.nounset and (declared or not is_name(node.name)):
                return None  # as in bash, ${!1} and ${!@} without an argument are empty
            if state.options.nounset and (node.name in state.values or not is_name(node.name)):
                raise unbound_error(f"!{shown_name(node)}")
            raise _invalid_indirection(shown_name(node))
        target = self._words.parse_name(name)
        if state.options.nounset and not node.operator and is_name(name) and state.get(name) is None:
            raise unbound_error(f"!{shown_name(node)}")
        if target is None or (target.subscript is not None and not target.subscript.parts):
            raise ShellError(f"{name}: invalid variable name", ends="unit", reason="indirection")
        expansion = ParameterExpansion(
            target.name, target.subscript, "", node.operator, node.word, node.second
        )
        if state.options.nounset and node.operator not in CHOOSING:
            base = compile_base(expansion, self._words, checked=False)
            if base.value is not None and base.value(state) is None:
                raise unbound_error(f"!{shown_name(node)}")
        if node.operator == ":":
            from sandhook.expand.changes import compile_slice

            base = compile_base(expansion, self._words, checked=True)
            compiled = compile_slice(expansion, base, self._words, f"!{shown_name(node)}")
        else:
            compiled = compile_parameter(expansion, self._words)
        if target.name in "@*" and _is_blank_joined(node.operator) and (state.get("IFS") or " ")[0] != " ":
            return _joined_with_blanks(compiled)
        return compiled

    def _name_of_nameref(self, state: State) -> Parameter:
        """Return ``${!nameref}``, the name it refers to, as a value that the operator applies to.

        As in bash, an operator applies to the value if the target is an array or an element.
        """
        node = self._node
        target = follow(state.namerefs, node.name)
        if target is None or target[0] == node.name:  # a circle, or a nameref without a target
            raise _invalid_indirection(node.name)
        name = target[0] if target[1] is None else state.namerefs[node.name]
        base = Parameter(lambda _: name)
        if node.operator is None or node.operator in CHOOSING:
            return base
        from sandhook.expand.changes import compile_operator, compile_slice

        if target[1] is not None or not isinstance(state.values.get(target[0], ""), str):
            base = self._reference
        if node.operator == ":":
            return compile_slice(node, base, self._words, f"!{node.name}")
        return compile_operator(node._replace(prefix=""), base, self._words)

    def assigned_name(self, state: State) -> str:
        """Return the variable that ``${!ref=word}`` assigns to. Raises ShellError when it is not a name."""
        if not self._reference.is_set(state, nonempty=False):
            raise _invalid_indirection("!" + shown_name(self._node))
        name = self._reference.text(state)
        if not is_name(name):
            raise ShellError(f"{name}: invalid variable name", ends="unit", reason="indirection")
        return name

    def _value(self, state: State) -> str | None:
        target = self.target(state)
        if target is None:
            return None
        if target.value is not None:
            return target.value(state)
        return target.text(state) if target.is_set(state, nonempty=False) else None


def shown_name(node: ParameterExpansion) -> str:
    """Return the parameter as messages print it: ``name`` or ``name[subscript]``."""
    if node.subscript is None:
        return node.name
    from sandhook.syntax.wordprinter import word_text

    return f"{node.name}[{word_text(node.subscript, lambda _: '')}]"


def _invalid_indirection(shown: str) -> ShellError:
    return ShellError(f"{shown}: invalid indirect expansion", ends="unit", reason="indirection")
