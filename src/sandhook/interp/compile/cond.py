"""``[[ ... ]]`` (bash 5.2 manual 3.2.5.2): no splitting, patterns, regular expressions."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Sequence
from functools import partial
from typing import TypeAlias

from sandhook.expand import arith
from sandhook.expand.integer import keys_kept
from sandhook.interp.compile.protocol import Compiler, Run
from sandhook.pattern.errors import PatternError
from sandhook.pattern.glob import Matches, compile_pattern, quote
from sandhook.state.assignment import set_array
from sandhook.state.control import ShellError
from sandhook.state.frame import Saved
from sandhook.state.state import State
from sandhook.state.values import ARRAY, READONLY, IndexedArray
from sandhook.syntax.nodes import (
    CondAnd,
    CondBinary,
    CondGroup,
    Condition,
    ConditionalCommand,
    CondNot,
    CondOr,
    CondUnary,
    Literal,
    Word,
)
from sandhook.text.locale import as_bytes, characters_are_bytes

Test: TypeAlias = Callable[[State], bool]

_INTEGER: dict[str, Callable[[int, int], bool]] = {
    "-eq": operator.eq, "-ne": operator.ne, "-lt": operator.lt, "-le": operator.le, "-gt": operator.gt, "-ge": operator.ge,
}  # fmt: skip
_EMPTY = "''"  #: an empty operand in a trace
_ERE_SPECIAL = "\\.[]()*+?{}|^$"


class InvalidRegex(Exception):
    """The right side of =~ is not a valid regular expression: exit status 2."""


def compile_conditional(compiler: Compiler, node: ConditionalCommand) -> Run:
    plain = _compile(compiler, node.expression)
    traced: list[Test] = []  # compiled at its first use
    line = node.line

    def run(state: State) -> int:
        budget = state.budget
        budget.slice_left = slice_left = budget.slice_left - 1
        if slice_left < 0:
            state.shell.poll(state)
        state.line = line
        test = plain
        if state.instrumented:
            if state.shell.debug(state, node):
                return 0
            if not traced:
                traced.append(_compile_traced(compiler, node.expression, ""))
            test = traced[0]
        try:
            status = 0 if test(state) else 1
        except InvalidRegex:
            status = 2
        except ShellError as error:
            return state.shell.fatal_error(state, error)
        state.status = status
        state.pipestatus = None
        return status

    return run


def _compile(compiler: Compiler, node: Condition) -> Test:
    match node:
        case CondAnd(left, right):
            a, b = _compile(compiler, left), _compile(compiler, right)
            return lambda state: a(state) and b(state)
        case CondOr(left, right):
            return _either(_compile(compiler, left), _compile(compiler, right))
        case CondNot(operand):
            return _opposite(_compile(compiler, operand))
        case CondGroup(operand):
            return _compile(compiler, operand)
        case CondUnary():
            return _unary(compiler, node)
        case CondBinary():
            return _binary(compiler, node)
    raise TypeError(node)


def _either(left: Test, right: Test) -> Test:
    def either(state: State) -> bool:
        try:
            if left(state):
                return True
        except InvalidRegex:  # false on the left of ||
            pass
        return right(state)

    return either


def _opposite(operand: Test) -> Test:
    def opposite(state: State) -> bool:
        try:
            return not operand(state)
        except InvalidRegex:
            return True

    return opposite


def _unary(compiler: Compiler, node: CondUnary) -> Test:
    text_of = _unary_text(compiler, node.operator, node.operand)
    operator = node.operator
    if operator == "-n":
        return lambda state: text_of(state) != ""
    if operator == "-z":
        return lambda state: text_of(state) == ""
    return lambda state: bool(state.shell.unary_test(state, operator, text_of(state)))


def _unary_text(compiler: Compiler, sign: str, word: Word) -> Callable[[State], str]:
    """Compile the operand of a test; the value in the subscript of ``-v map[$key]`` is the key, whatever is in it."""
    words, parts = compiler.words, word.parts
    first = parts[0] if parts else None
    if sign == "-v" and isinstance(first, Literal) and "[" in first.text:
        name = first.text.partition("[")[0]
        kept = keys_kept(
            parts,
            lambda part: words.operand(Word((part,))),
            words,
            lambda state: state.is_associative(name),
            quotes=True,
        )
        if kept is not None:
            return kept
    return words.operand(word)


def _test_text(state: State, sign: str, text: str) -> bool:
    if sign in ("-n", "-z"):
        return (text != "") is (sign == "-n")
    return bool(state.shell.unary_test(state, sign, text))


def _binary(compiler: Compiler, node: CondBinary) -> Test:
    sign = node.operator
    if sign in _INTEGER:
        return _compare(sign, _number_text(compiler, node.left), _number_text(compiler, node.right))
    left = compiler.words.operand(node.left)
    if sign in ("=", "==", "!="):
        general = _compare(sign, left, compiler.words.operand_pattern(node.right))
        fixed = compiler.words.fixed_operand_pattern(node.right)
        return general if fixed is None else _fixed_pattern(left, fixed, sign != "!=", general)
    if sign == "=~":
        return _compare(sign, left, _regex_text(compiler, node.right))
    return _compare(sign, left, compiler.words.operand(node.right))


def _number_text(compiler: Compiler, word: Word) -> Callable[[State], str]:
    """Compile an operand that is arithmetic; the values in its subscripts mean only themselves."""
    words = compiler.words
    kept = keys_kept(word.parts, lambda part: words.operand(Word((part,))), words)
    return words.operand(word) if kept is None else kept


def _compare(sign: str, left: Callable[[State], str], right: Callable[[State], str]) -> Test:
    if sign in ("=", "==", "!="):
        return _pattern(left, right, sign != "!=")
    if sign == "=~":
        return _regex(left, right)
    if sign == "<":
        return lambda state: left(state) < right(state)
    if sign == ">":
        return lambda state: left(state) > right(state)
    compare = _INTEGER.get(sign)
    if compare is not None:
        decide = compare

        def compare_numbers(state: State) -> bool:
            texts = left(state), right(state)
            try:
                return decide(arith.evaluate(state, texts[0]), arith.evaluate(state, texts[1]))
            except ShellError as error:
                if error.ends_callers:
                    raise
                state.shell.expression_error(state, ShellError(error.message, reason=error.reason), "[[")
                return False

        return compare_numbers
    return lambda state: bool(state.shell.binary_test(state, sign, left(state), right(state)))


def _compile_traced(compiler: Compiler, node: Condition, negation: str) -> Test:
    """Compile a condition that traces each test with its operands expanded (``set -x``)."""
    words = compiler.words
    match node:
        case CondAnd(left, right):
            a, b = _compile_traced(compiler, left, ""), _compile_traced(compiler, right, "")
            return lambda state: a(state) and b(state)
        case CondOr(left, right):
            return _either(_compile_traced(compiler, left, ""), _compile_traced(compiler, right, ""))
        case CondNot(operand):
            return _opposite(_compile_traced(compiler, operand, "! "))
        case CondGroup(operand):
            return _compile_traced(compiler, operand, "")
        case CondUnary(sign, operand_word):
            text_of = _unary_text(compiler, sign, operand_word)

            def unary(state: State) -> bool:
                text = text_of(state)
                state.shell.trace_line(state, f"[[ {negation}{sign} {text or _EMPTY} ]]")
                return _test_text(state, sign, text)

            return unary
        case CondBinary(sign, left_word, right_word):
            text_of_word = partial(_number_text, compiler) if sign in _INTEGER else words.operand
            left_of = text_of_word(left_word)
            right_of = _regex_text(compiler, right_word) if sign == "=~" else text_of_word(right_word)
            pieces_of = words.operand_pieces(right_word) if sign in ("=", "==", "!=") else None

            def binary(state: State) -> bool:
                left = left_of(state)
                if pieces_of is not None:
                    pieces = pieces_of(state)
                    right_text = "".join(
                        re.sub(r"(?s)(.)", r"\\\1", text) if quoted else text for text, quoted in pieces
                    )
                    right = "".join(quote(text) if quoted else text for text, quoted in pieces)
                else:
                    right_text = right = right_of(state)
                state.shell.trace_line(
                    state, f"[[ {negation}{left or _EMPTY} {sign} {right_text or _EMPTY} ]]"
                )
                return _compare(sign, lambda _: left, lambda _: right)(state)

            return binary
    raise TypeError(node)


def _pattern(left: Callable[[State], str], pattern: Callable[[State], str], expected: bool) -> Test:
    def test(state: State) -> bool:
        text = left(state)
        pattern_text = pattern(state)
        if not text.isascii() and characters_are_bytes(state.get):
            pattern_text, text = as_bytes(pattern_text), as_bytes(text)
        compiled_pattern = compile_pattern(pattern_text, extglob=True, nocase=state.options.nocasematch)
        return bool(compiled_pattern.matches(text, state.budget.charge)) is expected

    return test


def _fixed_pattern(left: Callable[[State], str], text: str, expected: bool, general: Test) -> Test:
    """Compile a comparison with a constant pattern, which is compiled at its first use."""
    cache: list[Matches] = []

    def test(state: State) -> bool:
        if state.options.nocasematch:
            return general(state)
        if not cache:
            cache.append(compile_pattern(text, extglob=True).matches)
        value = left(state)
        if not value.isascii() and characters_are_bytes(state.get):
            bytewise = compile_pattern(as_bytes(text), extglob=True)
            return bool(bytewise.matches(as_bytes(value), state.budget.charge)) is expected
        return cache[0](value, state.budget.charge) is expected

    return test


def _regex_text(compiler: Compiler, word: Word) -> Callable[[State], str]:
    """Compile the right side of =~: quoted text matches itself."""
    pieces_of = compiler.words.pieces(word)

    def text(state: State) -> str:
        pieces = pieces_of(state)
        if len(pieces) == 1 and not pieces[0][1]:  # ``$re``: nothing in it is quoted
            return pieces[0][0]
        if any("[" in piece and not quoted for piece, quoted in pieces):
            return _with_brackets(pieces)
        return "".join([_quote(piece) if quoted else piece for piece, quoted in pieces])

    return text


def _with_brackets(pieces: Sequence[tuple[str, bool]]) -> str:
    """Join the pieces of a regular expression; quotes within a bracket expression have no effect."""
    parts: list[str] = []
    in_brackets = False
    at_first_member = False  # a "]" here is a member
    for piece, quoted in pieces:
        if quoted:
            parts.append(piece if in_brackets else _quote(piece))
            at_first_member = at_first_member and not piece
            continue
        at = 0
        while at < len(piece):
            char = piece[at]
            size = 1
            if not in_brackets:
                if char == "\\":
                    size = 2
                else:
                    in_brackets = at_first_member = char == "["
            elif char == "]" and not at_first_member:
                in_brackets = False
            elif char == "[" and piece[at + 1 : at + 2] in (":", ".", "="):
                end = piece.find(piece[at + 1] + "]", at + 2)
                size, at_first_member = (end + 2 - at if end > 0 else 1), False
            else:
                at_first_member = at_first_member and char == "^" and piece[at - 1 : at] == "["
            parts.append(piece[at : at + size])
            at += size
    return "".join(parts)


def _quote(text: str) -> str:
    return "".join("\\" + c if c in _ERE_SPECIAL else c for c in text)


def _regex(left: Callable[[State], str], pattern: Callable[[State], str]) -> Test:
    from sandhook.pattern.posix import compile_ere  # costs start-up time, and few scripts have =~

    def test(state: State) -> bool:
        subject = left(state)
        source = pattern(state)
        is_ascii = subject.isascii() and source.isascii()  # then bytes are characters in every locale
        bytewise = not is_ascii and characters_are_bytes(state.get)
        try:
            regex = compile_ere(source, icase=state.options.nocasematch, bytewise=bytewise)
            match = regex.search_text(subject, remaining=state.budget.remaining)
        except PatternError:
            raise InvalidRegex from None
        state.budget.charge(1 + (len(subject) >> 8))
        if match is None:
            _set_matches(state, [])
            return False
        _set_matches(state, [group or "" for group in match])
        return True

    return test


def _set_matches(state: State, matches: list[str]) -> None:
    """Set BASH_REMATCH: the global variable, as in bash, even if a local hides it."""
    frame = next((frame for frame in state.frames if "BASH_REMATCH" in frame.saved), None)
    if frame is None:
        if state.attributes.get("BASH_REMATCH", 0) & READONLY:  # which does not keep bash from setting it
            state.attributes["BASH_REMATCH"] = 0
        set_array(state, "BASH_REMATCH", matches)
        return
    if state.shared_frames:
        state.unshare_frames()
        frame = next(frame for frame in state.frames if "BASH_REMATCH" in frame.saved)
    count = sum(map(len, matches)) + 64 * len(matches)
    state.budget.charge_memory(count)
    array = IndexedArray(matches)
    array.keep(state.budget, count)
    frame.saved["BASH_REMATCH"] = Saved(array, ARRAY, None)
