"""Words to closures that give an integer: the text of ``$((...))``, and subscripts of arrays.

What is expanded in such a text is a number nearly always. So the expression is parsed once, with operands
where the expansions stand; only when one turns out to be more than a number is the text put together.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sandhook.errors import ShellSyntaxError
from sandhook.expand import arith
from sandhook.expand.arith import NUMBERS
from sandhook.expand.operators import DivisionByZero, Integer
from sandhook.expand.parameter import compile_length
from sandhook.expand.reference import Text, Words, subscript_of
from sandhook.state.control import ShellError, expression_error
from sandhook.state.state import State
from sandhook.syntax.arith import parse_arithmetic
from sandhook.syntax.nodes import (
    Arith,
    ArithmeticExpansion,
    ArithVariable,
    Literal,
    ParameterExpansion,
    Word,
    WordPart,
    walk,
)

#: Operators that may leave the operand after them unevaluated.
_SKIPPING = ("&&", "||", "?")


def compile_integer(word: Word, words: Words) -> Integer:
    """Compile arithmetic text; parsed now where nothing in it has to be expanded first."""
    parts = word.parts
    literal = all(isinstance(part, Literal) for part in parts)
    if literal:
        source = "".join(part.text for part in parts if isinstance(part, Literal))
        try:
            plain = arith.compile_arithmetic(parse_arithmetic(source))
        except ShellSyntaxError:
            return lambda state: arith.evaluate(state, source)  # the error is reported when it runs
        return _guarded(plain, source) if any(c in source for c in "/%*") else plain
    tree = _with_parameters(words, parts)
    # Every expansion is compiled once: twice at each level of nesting would be exponential.
    if tree is None and (operands := _with_operands(words, parts)) is not None:
        return operands
    text_of = words.string(word, quoted=True)

    def textual(state: State) -> int:
        try:
            text = text_of(state)
        except ShellError as error:
            raise error.within("operand") from None
        return arith.evaluate(state, text)

    if tree is None:
        return textual
    quick = tree

    def run(state: State) -> int:
        try:
            return quick(state)
        except (arith.NotPlain, DivisionByZero):
            return textual(state)

    return run


def _with_parameters(words: Words, parts: Sequence[WordPart]) -> Integer | None:
    """Compile arithmetic in which ``$name`` stands for a plain number; it raises NotPlain for others.

    None when that cannot be: only an expression without side effects may be tried twice, and what
    stands after ``&&``, ``||`` and ``?`` is expanded even when it is not evaluated.
    """
    source = ""
    leaves: list[Integer] = []
    for part in parts:
        if isinstance(part, Literal):
            source += part.text
            continue
        leaf = _leaf(words, part)
        if leaf is None or any(operator in source for operator in _SKIPPING):
            return None
        source += f"${{{len(leaves)}}}"
        leaves.append(leaf)
    if any(c in source for c in ("=", "++", "--")) and not _only_compares(source):
        return None
    try:
        tree = parse_arithmetic(source, parameters=True)
    except ShellSyntaxError:
        return None
    if _has_open_subscript(tree):
        return None
    return arith.compile_arithmetic(tree, lambda index: leaves[int(index)])


def _leaf(words: Words, part: WordPart) -> Integer | None:
    """Compile ``$name`` or ``${#name}`` in arithmetic; None for an expansion that could have an effect."""
    if not isinstance(part, ParameterExpansion) or part.operator is not None:
        return None
    if part.prefix == "#" and (part.subscript is None or subscript_of(part.subscript)):
        return compile_length(part, words)
    if part.prefix or part.subscript is not None or part.name in "@*":
        return None
    return arith.compile_parameter(part.name)


def _with_operands(words: Words, parts: Sequence[WordPart]) -> Integer | None:
    """Compile arithmetic whose expansions mostly are numbers; None where they could be no operands."""
    source = ""
    template: list[str | None] = []
    for part in parts:
        source += part.text if isinstance(part, Literal) else f"${{{template.count(None)}}}"
        template.append(part.text if isinstance(part, Literal) else None)
    try:
        tree = parse_arithmetic(source, parameters=True)
    except ShellSyntaxError:
        return None
    if _has_open_subscript(tree):
        return None
    expansions: list[Text] = [
        words.string(Word((part,)), quoted=True) for part in parts if not isinstance(part, Literal)
    ]

    def text_of(texts: list[str]) -> str:
        made = iter(texts)
        return "".join([next(made) if text is None else text for text in template])

    return with_operands(tree, expansions, text_of)


def compile_operand(index: str) -> Integer:
    """Read one of the numbers that ``with_operands`` has put down."""
    at = int(index)
    return lambda state: state.operands[at]


def with_operands(tree: Arith, expansions: Sequence[Text], text_of: Callable[[list[str]], str]) -> Integer:
    """Return a closure for arithmetic with expansions in it, which are numbers nearly always.

    They are expanded once, from the left; the expression is parsed anew only when one is no plain number.

    Args:
        tree: The expression with ``${0}``, ``${1}`` for the expansions.
        expansions: What gives their texts.
        text_of: Puts these into the expression.
    """
    value = arith.compile_arithmetic(tree, compile_operand)
    if len(expansions) == 1:
        return _with_one_operand(value, expansions[0], text_of)

    def run(state: State) -> int:
        try:
            texts = [expand(state) for expand in expansions]
        except ShellError as error:
            raise error.within("operand") from None
        try:
            operands = [NUMBERS[text] for text in texts]
        except KeyError:
            operands = list(map(_plain_decimal, texts))
        if operands[0] < 0 or (len(operands) > 1 and min(operands) < 0):
            return arith.evaluate(state, text_of(texts))
        state.operands = operands
        try:
            return value(state)
        except DivisionByZero as zero:
            raise expression_error(arith.zero_message(text_of(texts), str(zero))) from None

    return run


def _with_one_operand(value: Integer, expansion: Text, text_of: Callable[[list[str]], str]) -> Integer:
    """Compile arithmetic with one expansion, as most have."""

    def run(state: State) -> int:
        try:
            text = expansion(state)
        except ShellError as error:
            raise error.within("operand") from None
        try:
            operand = NUMBERS[text]
        except KeyError:
            operand = _plain_decimal(text)
        if operand < 0:
            return arith.evaluate(state, text_of([text]))
        state.operands = [operand]
        try:
            return value(state)
        except DivisionByZero as zero:
            raise expression_error(arith.zero_message(text_of([text]), str(zero))) from None

    return run


def _plain_decimal(text: str) -> int:
    """Return the value of a text of decimal digits, -1 for any other."""
    if not (text.isdigit() and text.isascii()) or len(text) > 18 or (text[0] == "0" and len(text) > 1):
        return -1
    value = int(text)
    arith.remember(text, value)
    return value


def _has_open_subscript(tree: Arith) -> bool:
    """Return True when an expansion stands in a subscript, which is a key if the array is a map."""
    return any(isinstance(part, ArithVariable) and "$" in (part.subscript or "") for part in walk(tree))


def compile_index(word: Word, words: Words) -> Integer | None:
    """Compile the subscript of an indexed array; it raises NotPlain when its text has to be expanded first.

    None for a subscript that always has to be.
    """
    parts = word.parts
    if not parts:
        return None
    if all(isinstance(part, Literal) for part in parts):
        text = "".join(part.text for part in parts if isinstance(part, Literal))
        return None if text in ("@", "*") else arith.compile_subscript(text)
    if len(parts) == 1 and isinstance(parts[0], ArithmeticExpansion):
        return compile_integer(parts[0].expression, words)
    tree = _with_parameters(words, parts)
    if tree is None:
        return None
    quick = tree

    def index(state: State) -> int:
        try:
            return quick(state)
        except DivisionByZero:
            raise arith.NotPlain from None

    return index


def _only_compares(source: str) -> bool:
    """Return True when every "=" of an expression belongs to a comparison."""
    left = source
    for operator in ("==", "!=", "<=", ">="):
        left = left.replace(operator, " ")
    return "=" not in left and "++" not in left and "--" not in left


def _guarded(tree: Integer, source: str) -> Integer:
    def run(state: State) -> int:
        try:
            return tree(state)
        except DivisionByZero as zero:
            raise expression_error(arith.zero_message(source, str(zero))) from None

    return run
