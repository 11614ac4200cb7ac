"""Commands that the compiler inlines when their shape is plain: echo, ``:``, true, false, ``[``, test.

Each entry receives a simple command without assignments and redirections. It returns a closure, or None
if the command needs the general path. A closure itself returns None for a case that it does not handle;
it must not have had an effect then, for the general path runs the command.
"""

from __future__ import annotations

import operator
from collections.abc import Callable

from sandhook.expand.numbers import NUMBERS, remember
from sandhook.expand.shapes import is_plain_variable
from sandhook.expand.special import join_values
from sandhook.expand.word import WordCompiler
from sandhook.interp.compile.functions import Inline, inline_local, inline_return
from sandhook.state.state import State
from sandhook.syntax.nodes import Assignment, DoubleQuoted, ParameterExpansion, SimpleCommand, Word
from sandhook.text.fields import DEFAULT_IFS
from sandhook.typed import Any


def _echo(words: WordCompiler, node: SimpleCommand) -> Inline | None:
    """Compile echo without options: it joins its arguments with blanks."""
    operands = [word for word in node.words[1:] if isinstance(word, Word)]
    if len(operands) < len(node.words) - 1:
        return None
    constants = [words.constant(word) for word in operands]
    if constants and (constants[0] or "")[:1] == "-":
        return None
    if None not in constants:
        data = (" ".join(text or "" for text in constants) + "\n").encode("utf-8", "surrogateescape")

        def run_constant(state: State) -> int | None:
            if "xpg_echo" in state.options.shopts:
                return None
            return _write(state, data)

        return run_constant

    arguments = [words.argument(word) for word in operands]

    def run(state: State) -> int | None:
        fields: list[str] = []
        for argument in arguments:
            fields_or_text = argument(state)
            if isinstance(fields_or_text, str):
                fields.append(fields_or_text)
            else:
                fields += fields_or_text
        if "xpg_echo" in state.options.shopts or (fields and fields[0][:1] == "-"):
            status: int = state.shell.invoke(state, ["echo", *fields])
            return status
        text = fields[0] if len(fields) == 1 else join_values(state, " ", fields)
        return _write(state, (text + "\n").encode("utf-8", "surrogateescape"))

    return run


def _write(state: State, data: bytes) -> int:
    try:
        state.process.descriptor(1).write(data)
    except OSError as error:
        state.shell.error(state, f"echo: write error: {error.strerror}")
        return 1
    return 0


def _compile_true(words: WordCompiler, node: SimpleCommand) -> Inline | None:
    return (lambda state: 0) if len(node.words) == 1 else None


def _compile_false(words: WordCompiler, node: SimpleCommand) -> Inline | None:
    return (lambda state: 1) if len(node.words) == 1 else None


_COMPARE: dict[str, Callable[[int, int], bool]] = {
    "-eq": operator.eq, "-ne": operator.ne, "-lt": operator.lt, "-le": operator.le, "-gt": operator.gt, "-ge": operator.ge,
}  # fmt: skip


def _test(words: WordCompiler, node: SimpleCommand) -> Inline | None:
    """Compile ``[ A OP B ]`` with an integer comparison, ``=`` or ``!=``; ``[ -z A ]``, ``[ -n A ]``; also ``test``.

    The operands are expanded once; fields that are not plain go to the command itself.
    """
    first = node.words[0]
    name = words.constant(first) if isinstance(first, Word) else None
    operands = node.words[1:]
    if name == "[":
        last = node.words[-1]
        if isinstance(last, Assignment) or words.constant(last) != "]":
            return None
        operands = operands[:-1]
    plain = [word for word in operands if isinstance(word, Word)]
    if len(plain) != len(operands):
        return None
    end = ["]"] if name == "[" else []
    if len(plain) == 3:
        return _binary(words, plain, name or "", end)
    if len(plain) == 2 and words.constant(plain[0]) in ("-z", "-n"):
        return _unary(words, words.constant(plain[0]) or "", plain[1], name or "", end)
    return None


def _binary(words: WordCompiler, plain: list[Word], name: str, end: list[str]) -> Inline | None:
    sign = words.constant(plain[1]) or ""
    left, right = words.argument(plain[0]), words.argument(plain[2])

    def general(state: State, a: str | list[str], b: str | list[str]) -> int:
        argv = [name, *_fields(a), sign, *_fields(b), *end]
        status: int = state.shell.invoke(state, argv)
        return status

    if sign in ("=", "==", "!="):
        expected = sign != "!="

        def equal(state: State) -> int:
            a, b = left(state), right(state)
            if a.__class__ is list or b.__class__ is list:
                return general(state, a, b)
            return 0 if (a == b) is expected else 1

        return equal
    compare = _COMPARE.get(sign)
    if compare is None:
        return None
    decide = compare

    def run(state: State) -> int:
        a: Any = left(state)
        b: Any = right(state)
        try:
            return 0 if decide(NUMBERS[a], NUMBERS[b]) else 1
        except (KeyError, TypeError):  # a number that is not cached, or a list of fields
            pass
        if _is_plain_number(a) and _is_plain_number(b):
            remember(a, int(a))
            remember(b, int(b))
            return 0 if decide(int(a), int(b)) else 1
        return general(state, a, b)

    variable = _plain_variable(plain[0])
    constant = words.constant(plain[2])
    if variable is not None and constant is not None and _is_plain_number(constant):
        return _variable_with_number(variable, decide, int(constant), run)
    return run


def _fields(argument: str | list[str]) -> list[str]:
    return argument if isinstance(argument, list) else [argument]


def _is_plain_number(text: str | list[str]) -> bool:
    """Return True if an argument is decimal digits alone, as ``str`` writes the number."""
    return (
        isinstance(text, str)
        and text.isdigit()
        and len(text) < 19
        and text.isascii()
        and (text[0] != "0" or len(text) == 1)
    )


def _plain_variable(word: Word) -> str | None:
    """Return the name if a word is ``$name`` or ``"$name"``, else None."""
    if len(word.parts) != 1:
        return None
    part = word.parts[0]
    if isinstance(part, DoubleQuoted) and len(part.parts) == 1:
        part = part.parts[0]
    if not isinstance(part, ParameterExpansion) or not is_plain_variable(part):
        return None
    return part.name


def _variable_with_number(
    name: str, decide: Callable[[int, int], bool], number: int, general: Callable[[State], int]
) -> Inline:
    """Compile ``[ $i -lt 100 ]``, the condition of most counting loops."""

    def run(state: State) -> int:
        values = state.values
        try:
            value = NUMBERS[values[name]]
        except KeyError:
            return general(state)
        # digits are neither split nor globbed, unless IFS contains digits
        if values.get("IFS") != DEFAULT_IFS:
            return general(state)
        return 0 if decide(value, number) else 1

    return run


def _unary(words: WordCompiler, sign: str, word: Word, name: str, end: list[str]) -> Inline:
    operand = words.argument(word)
    is_empty_test = sign == "-z"

    def run(state: State) -> int:
        argument = operand(state)
        if isinstance(argument, list):
            status: int = state.shell.invoke(state, [name, sign, *argument, *end])
            return status
        return 0 if (not argument) is is_empty_test else 1

    return run


INLINE: dict[str, Callable[[WordCompiler, SimpleCommand], Inline | None]] = {
    ":": _compile_true,
    "[": _test,
    "echo": _echo,
    "false": _compile_false,
    "local": inline_local,
    "return": inline_return,
    "test": _test,
    "true": _compile_true,
}
