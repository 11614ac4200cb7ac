"""Arithmetic: trees to closures on wrapped 64-bit integers.

Source: POSIX.1-2024 XCU 2.6.4, bash 5.2 manual 6.5. Differs from bash on purpose: a variable's
value that is evaluated as an expression never runs a command substitution (L-ARITH-001).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeAlias

from sandhook.errors import ShellSyntaxError
from sandhook.expand import counters, keyed, operators
from sandhook.expand.keyed import Operand
from sandhook.expand.numbers import NUMBERS, NUMBERS_KEPT, NotPlain, remember
from sandhook.expand.operators import MAX, MIN, Integer, OperandError, wrap
from sandhook.expand.special import special_value
from sandhook.lazy import cache_texts, lazy_module
from sandhook.limits import check_clock
from sandhook.state.assignment import plain_array, store_rare
from sandhook.state.control import ShellError, expression_error, unbound_error
from sandhook.state.state import State
from sandhook.state.values import LARGE, AssociativeArray, IndexedArray, store
from sandhook.syntax.arith import parse_arithmetic, parse_number
from sandhook.syntax.nodes import (
    Arith,
    ArithAssign,
    ArithBinary,
    ArithChain,
    ArithComma,
    ArithConditional,
    ArithLogical,
    ArithNumber,
    ArithParameter,
    ArithStep,
    ArithUnary,
    ArithVariable,
    walk,
)
from sandhook.text.names import is_ordinary

if TYPE_CHECKING:
    from typing import TypeGuard

    from sandhook.expand import arith_messages
else:  # few expressions fail
    arith_messages = lazy_module("sandhook.expand.arith_messages")

Text: TypeAlias = Callable[[State], str]
Store: TypeAlias = Callable[[State, int], None]

#: Variables whose values name variables, and so on.
MAX_RECURSION = 1024


@cache_texts(512)
def compile_text(text: str) -> Integer:
    """Return the closure of an expression. Raises ShellSyntaxError."""
    return compile_arithmetic(parse_arithmetic(text))


def evaluate(state: State, text: str) -> int:
    """Evaluate expanded text. Raises ShellError with bash's message."""
    if "$" in text and "[" in text:
        from sandhook.expand.subscript_text import evaluate_in_quotes  # rare: such text was in quotes

        return evaluate_in_quotes(state, text, _evaluated)
    return _evaluated(state, text)


def _evaluated(state: State, text: str) -> int:
    """Evaluate a text in which nothing is left to expand."""
    try:
        return (
            int(text)
            if len(text) < 18 and text.isdigit() and text.isascii() and text[0] != "0"
            else _run(state, text)
        )
    except ShellSyntaxError as error:
        raise _carried_out(state, text, error) from None


def _carried_out(state: State, text: str, error: ShellSyntaxError) -> ShellError:
    """Carry out what stands before an error, and return what ends the expression."""
    from sandhook.expand.arith_interpreter import evaluate_until_error

    try:
        evaluate_until_error(
            text,
            lambda node: compile_arithmetic(node)(state),
            lambda target: _with_index(state, target),
            state.budget,
        )
    except ShellSyntaxError as reached:
        error = reached
    except OperandError as fault:
        return expression_error(arith_messages.operand_message(text, fault))
    return expression_error(error.message)


def _with_index(state: State, target: ArithVariable) -> ArithVariable:
    """Return an element with its index in place of a subscript that has an effect."""
    if not keyed.changes(target.subscript) or state.is_associative(target.name):
        return target
    index_of = compile_subscript(keyed.unescaped(target.subscript or ""))
    return ArithVariable(target.name, str(index_of(state)))


def _run(state: State, text: str) -> int:
    try:
        return compile_text(text)(state)
    except OperandError as fault:
        raise expression_error(arith_messages.operand_message(text, fault)) from None


def value_of(state: State, text: str) -> int:
    """Return the integer that a variable's value stands for, evaluating it as an expression."""
    try:
        if text.isdigit() and text.isascii():
            if text[0] != "0" or len(text) == 1:
                if len(text) > 18:
                    return wrap(int(text[:1000]))
                value = int(text)
                remember(text, value)
                return value
            return parse_number(text)
        if text[:1] == "-" and text[1:].isdigit() and text.isascii() and text[1] != "0" and len(text) < 19:
            return int(text)
    except ValueError:
        pass
    if not text.strip(" \t\n"):
        return 0
    state.arithmetic_depth = depth = state.arithmetic_depth + 1
    try:
        state.budget.charge(1 + (len(text) >> 6))
        if depth > MAX_RECURSION:
            token = arith_messages.from_recursive_name(state, text)
            raise expression_error(
                f'{text.lstrip()}: expression recursion level exceeded (error token is "{token}")'
            )
        if depth % 50 == 0:  # a long chain of names goes on from a fresh stack
            return int(state.process.kernel.scheduler.call_on_new_stack(lambda: evaluate(state, text)))
        return evaluate(state, text)
    finally:
        state.arithmetic_depth = depth - 1


def compile_arithmetic(node: Arith, parameter: Callable[[str], Integer] | None = None) -> Integer:
    """Return a closure that evaluates a tree; ``parameter`` compiles a ``${name}`` in it."""
    check_clock()
    match node:
        case ArithNumber(number):
            return _number(number)
        case ArithVariable(name, subscript):
            return _variable(name) if subscript is None else _element(name, subscript)
        case ArithParameter(name):
            return (parameter or compile_parameter)(name)
        case ArithUnary(operator, operand):
            return operators.unary(operator, compile_arithmetic(operand, parameter))
        case ArithStep(operator, target, prefix):
            amount = 1 if operator == "++" else -1
            return _settled(target, lambda settled: _step(amount, settled, prefix))
        case ArithBinary(operator, left, right):
            if isinstance(right, ArithNumber) and operator in operators.WITH_CONSTANT:
                general = operators.binary_constant(
                    operator, compile_arithmetic(left, parameter), right.value
                )
                if _is_plain(left):
                    return counters.with_constant(operator, left.name, right.value, general)
                return general
            general = operators.binary(
                operator, compile_arithmetic(left, parameter), compile_arithmetic(right, parameter)
            )
            if operator in counters.OF_TWO and _is_plain(left) and _is_plain(right):
                return counters.of_two_variables(operator, left.name, right.name, general)
            return general
        case ArithChain(first, steps):
            return operators.chain(
                compile_arithmetic(first, parameter),
                [(operator, compile_arithmetic(right, parameter)) for operator, right, _ in steps],
            )
        case ArithLogical(operator, left, right):
            return operators.logical(
                operator, compile_arithmetic(left, parameter), compile_arithmetic(right, parameter)
            )
        case ArithConditional(test, then, otherwise):
            return operators.conditional(
                compile_arithmetic(test, parameter),
                compile_arithmetic(then, parameter),
                compile_arithmetic(otherwise, parameter),
            )
        case ArithAssign(operator, target, value):
            assigned = compile_arithmetic(value, parameter)
            if operator == "=":
                return _assign(operator, target, assigned)
            return _settled(
                target,
                lambda settled: _assign(operator, settled, assigned),
                before=any(map(keyed.has_effect, walk(value))),
            )
        case ArithComma(left, right):
            return operators.comma(compile_arithmetic(left, parameter), compile_arithmetic(right, parameter))
    raise TypeError(node)


# --------------------------------------------------------------------------- operands


def _is_plain(node: Arith) -> TypeGuard[ArithVariable]:
    return isinstance(node, ArithVariable) and node.subscript is None


def _number(value: int) -> Integer:
    return lambda state: value


def _variable(name: str) -> Integer:
    def read(state: State) -> int:
        try:
            return NUMBERS[state.values[name]]
        except KeyError:
            pass
        if name in state.namerefs and keyed.refers_to_all(state, name):
            return 0
        text = state.get(name)
        if text is None:
            if state.options.nounset and name not in state.values:
                raise unbound_error(name, "evaluation")
            return 0
        return value_of(state, text)

    return read


def compile_parameter(name: str) -> Integer:
    """A ``$name`` whose text is a plain number; anything else is for the textual path."""

    def read(state: State) -> int:
        text = special_value(state, name)
        if (
            text
            and text.isdigit()
            and text.isascii()
            and (text[0] != "0" or len(text) == 1)
            and len(text) < 19
        ):
            value = int(text)
            remember(text, value)
            return value
        raise NotPlain

    if name.isdigit() and name != "0":
        index = int(name[:9]) - 1

        def read_positional(state: State) -> int:
            try:
                value = NUMBERS[state.positional[index]]
            except (KeyError, IndexError):
                return read(state)
            return value if value >= 0 else read(state)

        return read_positional

    def read_variable(state: State) -> int:
        try:
            value = NUMBERS[state.values[name]]
        except KeyError:
            return read(state)
        return value if value >= 0 else read(state)

    return read_variable if is_ordinary(name) else read


def compile_subscript(text: str) -> Integer:
    """Return a closure that returns the index of a subscript, with the errors of ``[`` ``]``."""
    try:
        tree = compile_text(text)
    except ShellSyntaxError:
        source = text.replace('"', "")
        return lambda state: int(state.shell.subscript(state, source))  # the error is reported when it runs

    def index(state: State) -> int:
        try:
            return tree(state)
        except OperandError as fault:
            error = expression_error(arith_messages.operand_message(text, fault))
        except ShellError as caught:
            error = caught
        raise state.shell.in_subscript(state, error)

    return index


def _element(name: str, subscript: str) -> Integer:
    if isinstance(subscript, Operand):
        return keyed.element(name, subscript.at, value_of)
    index_of = compile_subscript(keyed.unescaped(subscript))
    key = keyed.unquoted(subscript)
    if not subscript:
        return lambda state: keyed.without_subscript(state, name)
    if key in keyed.ALL:
        return keyed.all_elements(name, key, value_of)

    def read(state: State) -> int:
        array: Any = state.values.get(name)
        text: str | None
        if array.__class__ is IndexedArray and (array.items or not state.options.nounset):
            index = index_of(state)
            text = array.items.get(index) if index >= 0 else state.element(name, str(index))
            try:
                return NUMBERS[text]  # type: ignore[index]
            except KeyError:
                pass
        elif array.__class__ is AssociativeArray:
            text = array.items.get(key)
        else:
            if state.options.nounset and state.value(name) is None:
                raise unbound_error(name, "evaluation")
            text = state.element(name, key if state.is_associative(name) else subscript)
        if text is None:
            if state.options.nounset and state.value(name) is None:
                raise unbound_error(name, "evaluation")
            return 0
        return value_of(state, text)

    return read


def _store(target: ArithVariable) -> Store:
    name, subscript = target
    if subscript is None:
        return store_variable(name)
    if isinstance(subscript, Operand):
        return keyed.store_element(name, subscript.at)
    index_of = compile_subscript(keyed.unescaped(subscript))
    unquoted = keyed.unquoted(subscript)
    if unquoted in keyed.ALL:
        return keyed.store_all_elements(name, unquoted)
    if not subscript:
        return lambda state, _: keyed.reject_without_subscript(state, name)

    def store_number(state: State, value: int) -> None:
        array = plain_array(state, name)
        if isinstance(array, IndexedArray):
            index = index_of(state)
            if index >= 0:
                text = str(value)
                store(array, index, text, state.budget)
                remember(text, value)
                return
            key = str(index)
        elif array is not None and subscript:
            text = str(value)
            store(array, unquoted, text, state.budget)
            remember(text, value)
            return
        else:
            key = unquoted if state.is_associative(name) else str(index_of(state))
        try:
            state.set_element(name, key, str(value))
        except ShellError as error:
            if error.ends != "command":  # a readonly name
                raise
            state.shell.error(state, error.message)  # the value of the expression stands

    return store_number


def store_variable(name: str) -> Store:
    """Return a closure that assigns an integer to a variable."""
    if _is_rare(name):
        return lambda state, value: store_rare(state, name, str(value))

    def store(state: State, value: int) -> None:
        text = str(value)
        if (
            name in state.attributes
            or name in state.namerefs
            or name in state.dynamics
            or state.options.allexport
        ):
            keyed.store_first(state, name, text)
            return
        state.values[name] = text
        if len(NUMBERS) > NUMBERS_KEPT:
            NUMBERS.clear()
        NUMBERS[text] = value

    return store


# --------------------------------------------------------------------------- assignments


def _is_rare(name: str) -> bool:
    """Return True for a name to which ``store_rare`` assigns."""
    return len(name) > LARGE or name == "_"


def _step(amount: int, target: ArithVariable, prefix: bool) -> Integer:
    general = _step_of_any(amount, prefix, compile_arithmetic(target), _store(target))
    if target.subscript is None and not _is_rare(target.name):
        return counters.step(amount, target.name, prefix=prefix, general=general)
    if target.subscript is None or isinstance(target.subscript, Operand):
        return general
    key = keyed.unquoted(target.subscript)
    return counters.step_of_element(amount, target.name, key, prefix=prefix, general=general)


def _settled(
    target: ArithVariable, make: Callable[[ArithVariable], Integer], *, before: bool = False
) -> Integer:
    """Compile what reads and assigns one element; a subscript that has an effect is evaluated once.

    ``before``: the subscript may have another value afterwards, as in ``a[i] += i++``.
    """
    general = make(target)
    subscript = target.subscript or ""
    plain = isinstance(subscript, Operand) or not subscript or subscript in keyed.ALL or subscript.isdigit()
    if plain or not (before or keyed.changes(subscript)):
        return general
    index_of = compile_subscript(keyed.unescaped(subscript))

    def run(state: State) -> int:
        if state.is_associative(target.name):
            return general(state)
        return make(ArithVariable(target.name, str(index_of(state))))(state)

    return run


def _step_of_any(amount: int, prefix: bool, read: Integer, store: Store) -> Integer:
    def step(state: State) -> int:
        old = read(state)
        new = wrap(old + amount)
        store(state, new)
        return new if prefix else old

    return step


def _assign(operator: str, target: ArithVariable, value: Integer) -> Integer:
    store = _store(target)
    if operator == "=":

        def assign(state: State) -> int:
            new = value(state)
            store(state, new)
            return new

        return assign
    read = compile_arithmetic(target)
    combine = operators.COMPOUND[operator[:-1]]

    def update(state: State) -> int:
        old = read(state)
        new = combine(old, value(state))
        if not MIN <= new <= MAX:
            new = wrap(new)
        store(state, new)
        return new

    return update
