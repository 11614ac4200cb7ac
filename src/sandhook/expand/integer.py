"""Compiles words to closures that return an integer: the text of ``$((...))``, and subscripts of arrays.

An expansion in such a text is nearly always a number. So the expression is parsed once, with operands
in place of the expansions. The whole text is built only when an expansion is not a plain number.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from sandhook.errors import ShellSyntaxError
from sandhook.expand import arith, counters, keyed, operators
from sandhook.expand.numbers import NUMBERS, NotPlain, plain_decimal
from sandhook.expand.operators import MAX, MIN, Integer, OperandError
from sandhook.expand.parameter import compile_length
from sandhook.expand.reference import Text, Words, subscript_of
from sandhook.expand.subscript_text import escape
from sandhook.lazy import lazy_module
from sandhook.state.control import ShellError, expression_error
from sandhook.state.state import State
from sandhook.syntax.arith import parse_arithmetic
from sandhook.syntax.nodes import (
    AnsiQuoted,
    Arith,
    ArithBinary,
    ArithmeticExpansion,
    ArithNumber,
    ArithParameter,
    ArithStep,
    ArithVariable,
    DoubleQuoted,
    Escaped,
    Literal,
    ParameterExpansion,
    SingleQuoted,
    Word,
    WordPart,
    walk,
)

if TYPE_CHECKING:
    from sandhook.expand import arith_messages
else:  # few expressions fail
    arith_messages = lazy_module("sandhook.expand.arith_messages")

#: Parts of a word that are not expansions.
_FIXED = (Literal, Escaped, SingleQuoted, AnsiQuoted)

#: Operators that may leave the operand after them unevaluated.
_SKIPPING = ("&&", "||", "?")


def compile_integer(word: Word, words: Words) -> Integer:
    """Compile arithmetic text; it is parsed here if it has no expansions."""
    parts = word.parts
    literal = all(isinstance(part, Literal) for part in parts)
    if literal:
        source = "".join(part.text for part in parts if isinstance(part, Literal))
        try:
            plain = arith.compile_arithmetic(parse_arithmetic(source))
        except ShellSyntaxError:
            return lambda state: arith.evaluate(state, source)  # raises the error at run time
        return _guarded(plain, source) if any(c in source for c in "/%*") else plain
    tree = _with_parameters(words, parts)
    # Every expansion is compiled once: twice at each level of nesting would be exponential.
    if tree is None and (operands := _with_operands(words, parts)) is not None:
        return operands
    text_of = _expression_text(words, word)

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
        except (NotPlain, OperandError):
            return textual(state)

    return run


def compile_shown(word: Word, words: Words, show: Callable[[State, str], None]) -> Integer:
    """Compile arithmetic of which ``show`` gets the expanded text, without its quotes, before it is evaluated."""
    text_of = _expression_text(words, word)

    def run(state: State) -> int:
        try:
            text = text_of(state)
        except ShellError as error:
            raise error.within("operand") from None
        show(state, text.replace('"', ""))
        return arith.evaluate(state, text)

    return run


def _expression_text(words: Words, word: Word) -> Text:
    """Return a closure that expands the text of an expression; values in subscripts mean only themselves."""
    return keys_kept(
        word.parts, lambda part: words.string(Word((part,)), quoted=True), words
    ) or words.string(word, quoted=True)


def keys_kept(
    parts: Sequence[WordPart],
    text: Callable[[WordPart], Text],
    words: Words,
    keeps: Callable[[State], bool] = lambda state: True,
    *,
    quotes: bool = False,
) -> Text | None:
    """Return a closure for arithmetic in which the values in subscripts mean only themselves, if ``keeps`` is true.

    None when no expansion is in a subscript. ``text`` compiles a part that is not in double quotes.
    With ``quotes``, this holds for quoted text, too.
    """
    flat: list[tuple[WordPart, bool]] = []
    for part in parts:
        inner = part.parts if isinstance(part, DoubleQuoted) else None
        flat += [(part, False)] if inner is None else [(each, True) for each in inner]
    within = _in_subscripts(flat, quotes)
    if not any(within):
        return None
    pieces: list[tuple[Text, bool]] = [
        (
            words.string(Word((part,)), quoted=True)
            if quoted or (inside and not isinstance(part, _FIXED))
            else text(part),
            inside,
        )
        for (part, quoted), inside in zip(flat, within)
    ]

    def text_of(state: State) -> str:
        expanded = [(piece(state), inside) for piece, inside in pieces]
        kept = keeps(state)
        return "".join([escape(text) if inside and kept else text for text, inside in expanded])

    return text_of


def _in_subscripts(parts: Sequence[tuple[WordPart, bool]], quotes: bool) -> list[bool]:
    """Return for each part, which may be in double quotes, whether its text between brackets means only itself."""
    depth = 0
    within: list[bool] = []
    for part, quoted in parts:
        is_fixed = isinstance(part, _FIXED)
        if quotes and (quoted or not isinstance(part, Literal)):
            is_fixed = False
        within.append(depth > 0 and not is_fixed)
        if isinstance(part, Literal) and not (quotes and quoted):
            depth = max(depth + part.text.count("[") - part.text.count("]"), 0)
    return within


def _with_parameters(words: Words, parts: Sequence[WordPart]) -> Integer | None:
    """Compile arithmetic in which ``$name`` stands for a plain number; it raises NotPlain for others.

    None when that is impossible: only an expression without side effects may be tried twice, and an expansion
    after ``&&``, ``||`` and ``?`` is expanded even when it is not evaluated.
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
    if any(c in source for c in ("=", "++", "--")) and not only_compares(source):
        return None
    try:
        tree = parse_arithmetic(source, parameters=True)
    except ShellSyntaxError:
        return None
    if _has_open_subscript(tree):
        return None
    return arith.compile_arithmetic(tree, lambda index: leaves[int(index)])


def _leaf(words: Words, part: WordPart) -> Integer | None:
    """Compile ``$name`` or ``${#name}`` in arithmetic; None for an expansion that may have side effects."""
    if not isinstance(part, ParameterExpansion) or part.operator is not None:
        return None
    if part.prefix == "#" and (part.subscript is None or subscript_of(part.subscript)):
        return compile_length(part, words)
    if part.prefix or part.subscript is not None or part.name in "@*":
        return None
    return arith.compile_parameter(part.name)


def _with_operands(words: Words, parts: Sequence[WordPart]) -> Integer | None:
    """Compile arithmetic whose expansions are mostly numbers; None where they cannot be operands."""
    source = ""
    template: list[str | None] = []
    for part in parts:
        source += part.text if isinstance(part, Literal) else f"${{{template.count(None)}}}"
        template.append(part.text if isinstance(part, Literal) else None)
    try:
        tree = parse_arithmetic(source, parameters=True)
    except ShellSyntaxError:
        return None
    names: dict[int, str] = {}
    if _has_open_subscript(tree):
        try:
            tree = keyed.opened(tree, names)
        except NotPlain:
            return None
    expansions: list[Text] = [
        words.string(Word((part,)), quoted=True) for part in parts if not isinstance(part, Literal)
    ]

    def text_of(texts: list[str]) -> str:
        expanded = iter([escape(text) if at in names else text for at, text in enumerate(texts)])
        return "".join([next(expanded) if text is None else text for text in template])

    return _with_keys(tree, expansions, text_of, names) if names else with_operands(tree, expansions, text_of)


def _with_keys(
    tree: Arith, expansions: Sequence[Text], text_of: Callable[[list[str]], str], names: Mapping[int, str]
) -> Integer:
    """Compile arithmetic with expansions of which some are subscripts of the arrays ``names``."""
    value = arith.compile_arithmetic(tree, compile_operand)

    def calculate(state: State, texts: list[str]) -> int:
        try:
            state.operands = keyed.operands(state, texts, names)
        except NotPlain:
            return arith.evaluate(state, text_of(texts))
        try:
            return value(state)
        except OperandError as fault:
            raise expression_error(arith_messages.operand_message(text_of(texts), fault)) from None

    if len(expansions) == 1 and isinstance(tree, ArithStep):
        return _stepped(tree, expansions[0], calculate)

    def run(state: State) -> int:
        try:
            texts = [expand(state) for expand in expansions]
        except ShellError as error:
            raise error.within("operand") from None
        return calculate(state, texts)

    return run


def _stepped(tree: ArithStep, expansion: Text, general: Callable[[State, list[str]], int]) -> Integer:
    """Compile ``map[$key]++``: an element that is there and known to be a number is counted without the general way."""
    name, is_prefix = tree.target.name, tree.prefix
    amount = 1 if tree.operator == "++" else -1

    def run(state: State) -> int:
        try:
            key = expansion(state)
        except ShellError as error:
            raise error.within("operand") from None
        if key not in keyed.SPECIAL and name not in state.dynamics:
            old = counters.add_to_element(state, name, key, amount)
            if old is not None:
                return operators.wrap(old + amount) if is_prefix else old
        return general(state, [key])

    return run


def compile_operand(index: str) -> Integer:
    """Return a closure that reads one of the operands that ``with_operands`` stored."""
    at = int(index)
    return lambda state: state.operands[at]


def with_operands(tree: Arith, expansions: Sequence[Text], text_of: Callable[[list[str]], str]) -> Integer:
    """Return a closure for arithmetic with expansions, which are nearly always numbers.

    They are expanded once, from the left. The expression is parsed again only when one is not a plain number.

    Args:
        tree: The expression with ``${0}``, ``${1}`` for the expansions.
        expansions: The closures that return their texts.
        text_of: Inserts the texts into the expression.
    """
    value = arith.compile_arithmetic(tree, compile_operand)
    if len(expansions) == 1:
        amount = _added(tree)
        if amount is not None:
            return _with_one_added(amount, expansions[0], text_of)
        return _with_one_operand(value, expansions[0], text_of)

    def run(state: State) -> int:
        try:
            texts = [expand(state) for expand in expansions]
        except ShellError as error:
            raise error.within("operand") from None
        try:
            operands = [NUMBERS[text] for text in texts]
        except KeyError:
            operands = list(map(plain_decimal, texts))
        if operands[0] < 0 or (len(operands) > 1 and min(operands) < 0):
            return arith.evaluate(state, text_of(texts))
        state.operands = operands
        try:
            return value(state)
        except OperandError as fault:
            raise expression_error(arith_messages.operand_message(text_of(texts), fault)) from None

    return run


def _with_one_operand(value: Integer, expansion: Text, text_of: Callable[[list[str]], str]) -> Integer:
    """Compile arithmetic with one expansion, the usual case."""

    def run(state: State) -> int:
        try:
            text = expansion(state)
        except ShellError as error:
            raise error.within("operand") from None
        try:
            operand = NUMBERS[text]
        except KeyError:
            operand = plain_decimal(text)
        if operand < 0:
            return arith.evaluate(state, text_of([text]))
        state.operands = [operand]
        try:
            return value(state)
        except OperandError as fault:
            raise expression_error(arith_messages.operand_message(text_of([text]), fault)) from None

    return run


def _added(tree: Arith) -> int | None:
    """Return what an expression adds to its only operand, None for another expression."""
    match tree:
        case ArithParameter():
            return 0
        case ArithBinary("+", ArithParameter(), ArithNumber(number)):
            return number
        case ArithBinary("-", ArithParameter(), ArithNumber(number)):
            return -number
    return None


def _with_one_added(amount: int, expansion: Text, text_of: Callable[[list[str]], str]) -> Integer:
    """Compile ``${a[$k]} + 1``: neither operator nor operand can fail.

    Its head is that of ``_with_one_operand``: a call to read the operand would cost what this closure saves.
    """

    def run(state: State) -> int:
        try:
            text = expansion(state)
        except ShellError as error:
            raise error.within("operand") from None
        try:
            operand = NUMBERS[text]
        except KeyError:
            operand = plain_decimal(text)
        if operand < 0:
            return arith.evaluate(state, text_of([text]))
        value = operand + amount
        return value if MIN <= value <= MAX else operators.wrap(value)

    return run


def _has_open_subscript(tree: Arith) -> bool:
    """Return True when a subscript contains an expansion; it would be a key if the array is associative."""
    return any(isinstance(part, ArithVariable) and "$" in (part.subscript or "") for part in walk(tree))


def compile_index(word: Word, words: Words) -> Integer | None:
    """Compile the subscript of an indexed array; the closure raises NotPlain when the text must be expanded first.

    None for a subscript that must always be expanded first.
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
        except OperandError:
            raise NotPlain from None

    return index


def only_compares(source: str) -> bool:
    """Return True when every "=" of an expression belongs to a comparison."""
    remaining = source
    for operator in ("==", "!=", "<=", ">="):
        remaining = remaining.replace(operator, " ")
    return "=" not in remaining and "++" not in remaining and "--" not in remaining


def _guarded(tree: Integer, source: str) -> Integer:
    def run(state: State) -> int:
        try:
            return tree(state)
        except OperandError as fault:
            raise expression_error(arith_messages.operand_message(source, fault)) from None

    return run
