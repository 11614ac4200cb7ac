"""Elements in arithmetic whose subscript is an expansion, as in ``((count[$word]++))``.

The text of the expansion is the key itself, whichever characters it has, and an index if the array is indexed and
the text is a number: nothing has to be parsed. ``fits`` decides that before an
expression begins, because its effects may happen only once.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from sandhook.expand.numbers import NUMBERS, NotPlain, plain_decimal, remember
from sandhook.expand.operators import Integer
from sandhook.lazy import lazily
from sandhook.state.assignment import plain_array
from sandhook.state.control import ShellError, subscript_error, unbound_error
from sandhook.state.state import State
from sandhook.state.values import AssociativeArray, IndexedArray, store
from sandhook.syntax.nodes import ArithAssign, ArithStep, ArithVariable, Node
from sandhook.typed import Any, TypeAlias

Store: TypeAlias = Callable[[State, int], None]

#: A subscript that is one expansion, also in double quotes.
_WHOLE = lazily(r'"?\$\{([0-9]+)\}"?')

#: Subscripts of all elements, which are no numbers.
ALL = ("@", "*")

#: Keys that are no plain text in a subscript: one that is empty, or names all elements.
SPECIAL = ("", *ALL)


class Operand(str):
    """A subscript that is the text of an expansion.

    Attributes:
        at: The number of the expansion in the expression.
    """

    __slots__ = ("at",)

    at: int

    def __new__(cls, text: str, at: int) -> Operand:
        operand = super().__new__(cls, text)
        operand.at = at
        return operand


def opened(tree: Any, names: dict[int, str]) -> Any:
    """Return a tree in which subscripts that are expansions are Operands; ``names`` receives their arrays.

    Raises:
        NotPlain: An expansion is only a part of a subscript.
    """
    if not isinstance(tree, tuple):
        return tree
    if isinstance(tree, ArithVariable):
        subscript = tree.subscript or ""
        if "$" not in subscript:
            return tree
        match = _WHOLE.fullmatch(subscript)
        if match is None or (subscript[0] == '"') is not (subscript[-1] == '"'):
            raise NotPlain
        at = int(match[1])
        names[at] = tree.name
        return tree._replace(subscript=Operand(subscript, at))
    parts = [opened(part, names) for part in tree]
    return tree.__class__(*parts) if isinstance(tree, Node) else tuple(parts)


def operands(state: State, texts: Sequence[str], names: Mapping[int, str]) -> list[Any]:
    """Return the values of the expansions: numbers, and keys or indices for those that are subscripts.

    Args:
        names: The arrays of the expansions that are subscripts, by number.

    Raises:
        NotPlain: The texts must be put into the expression.
    """
    found: list[Any] = []
    for at, text in enumerate(texts):
        name = names.get(at)
        array = None if name is None or name in state.dynamics else state.values.get(name)
        if name is not None and array.__class__ is AssociativeArray:
            if text in SPECIAL:
                raise NotPlain
            found.append(text)
            continue
        number = NUMBERS[text] if text in NUMBERS else plain_decimal(text)
        if number < 0 or (name is not None and array.__class__ is not IndexedArray):
            raise NotPlain
        found.append(number)
    return found


def element(name: str, at: int, value_of: Callable[[State, str], int]) -> Integer:
    """Compile reading an element; ``value_of`` returns the integer of its text."""

    def read(state: State) -> int:
        array: Any = state.values[name]
        text = array.items.get(state.operands[at])
        if text is None:
            if state.options.nounset and state.value(name) is None:
                raise unbound_error(name, "evaluation")
            return 0
        return NUMBERS[text] if text in NUMBERS else value_of(state, text)

    return read


def store_element(name: str, at: int) -> Store:
    """Compile assigning to an element."""

    def store_number(state: State, value: int) -> None:
        array = plain_array(state, name)
        key, text = state.operands[at], str(value)
        if array is not None:
            store(array, key, text, state.budget)
            remember(text, value)
            return
        try:
            state.set_element(name, str(key), text)
        except ShellError as error:
            if error.ends != "command":  # a readonly name
                raise
            state.shell.error(state, error.message)  # the value of the expression stands

    return store_number


def all_elements(name: str, key: str, value_of: Callable[[State, str], int]) -> Integer:
    """Compile ``name[@]``: the element with that key of an associative array, else 0 after a complaint."""

    def read(state: State) -> int:
        if state.is_associative(name):
            return value_of(state, state.element(name, key) or "")
        if state.options.nounset and state.value(name) is None:
            raise unbound_error(name, "evaluation")
        _complain(state, name, key)
        return 0

    return read


def store_all_elements(name: str, key: str) -> Store:
    """Compile assigning to ``name[@]``, which only an associative array has; the value of the expression stands."""

    def store_number(state: State, value: int) -> None:
        if state.is_associative(name):
            state.set_element(name, key, str(value))
        else:
            _complain(state, name, key)

    return store_number


def store_first(state: State, name: str, text: str) -> None:
    """Assign to a variable or to element 0 of an array; as in bash, allexport does not export the array."""
    if name in state.namerefs and refers_to_all(state, name):
        return
    is_array = state.options.allexport and isinstance(
        state.values.get(name), (IndexedArray, AssociativeArray)
    )
    bits = state.attributes.get(name, 0)
    state.set(name, text)
    if is_array:
        state.attributes[name] = bits


def refers_to_all(state: State, name: str) -> bool:
    """Return True, after a complaint, for a reference to ``a[@]``, which has no value in arithmetic."""
    target, key = state.resolve(name)
    if key not in ALL:
        return False
    _complain(state, target, key)
    return True


def without_subscript(state: State, name: str) -> int:
    """``name[]`` in arithmetic is 0, after two complaints."""
    _complain(state, name, "")
    _complain(state, name, "")
    return 0


def reject_without_subscript(state: State, name: str) -> None:
    """Report an assignment to ``name[]``; the value of the expression stands."""
    state.shell.error(state, f"`{name}[]': not a valid identifier")


def _complain(state: State, name: str, key: str) -> None:
    state.shell.assignment_error(state, subscript_error(f"{name}[{key}]"))


def unquoted(subscript: str) -> str:
    """Remove the quotes and backslashes from the subscript of an associative array."""
    if "'" not in subscript and '"' not in subscript and "\\" not in subscript:
        return subscript
    return re.sub(r"""\\(.)|'([^']*)'|"((?>\\.|[^"\\])*+)\"""", _without_quotes, subscript, flags=re.DOTALL)


def _without_quotes(match: re.Match[str]) -> str:
    escaped, single, double = match.groups()
    return escaped or single or unescaped(double or "")


def unescaped(text: str) -> str:
    """Remove the backslashes that ``subscript_text.escape`` put before signs."""
    return re.sub(r"\\(.)", r"\1", text, flags=re.DOTALL) if "\\" in text else text


def changes(subscript: str | None) -> bool:
    """Return True if the evaluation of a subscript may change a variable."""
    return subscript is not None and any(sign in subscript for sign in ("=", "++", "--"))


def has_effect(node: object) -> bool:
    if isinstance(node, ArithVariable):
        return changes(node.subscript)
    return isinstance(node, (ArithAssign, ArithStep))
