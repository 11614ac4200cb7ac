"""Commands that the compiler inlines when their shape is plain: echo, ``:``, true, false, ``[``.

Each entry looks at a simple command without assignments and redirections and returns a closure,
or None when the general path must be taken. A closure itself returns None to leave a case that
it does not handle to the general path; it must not have had an effect then.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import TypeAlias

from sandhook.expand.arith import NUMBERS
from sandhook.expand.fields import DEFAULT_IFS
from sandhook.expand.word import FieldsOf, WordCompiler
from sandhook.interp.compile.functions import inline_local, inline_return
from sandhook.state.state import State
from sandhook.syntax.nodes import Assignment, DoubleQuoted, ParameterExpansion, SimpleCommand, Word

Inline: TypeAlias = Callable[[State], "int | None"]


def _echo(words: WordCompiler, node: SimpleCommand) -> Inline | None:
    """echo without options: its arguments joined by blanks."""
    if not all(isinstance(word, Word) for word in node.words):
        return None
    arguments = [words.argument(word) for word in node.words[1:] if isinstance(word, Word)]
    if arguments and isinstance(node.words[1], Word):
        first = words.constant(node.words[1])
        if first is not None and first[:1] == "-":
            return None
    constants = [words.constant(word) for word in node.words[1:] if isinstance(word, Word)]
    if all(text is not None for text in constants):
        data = (" ".join(text or "" for text in constants) + "\n").encode("utf-8", "surrogateescape")

        def fixed(state: State) -> int | None:
            if "xpg_echo" in state.options.shopts:
                return None
            return _put(state, data)

        return fixed

    def run(state: State) -> int | None:
        fields: list[str] = []
        for argument in arguments:
            found = argument(state)
            if found.__class__ is str:
                fields.append(found)
            else:
                fields += found
        if "xpg_echo" in state.options.shopts or (fields and fields[0][:1] == "-"):
            status: int = state.shell.invoke(state, ["echo", *fields])
            return status
        return _put(state, (" ".join(fields) + "\n").encode("utf-8", "surrogateescape"))

    return run


def _put(state: State, data: bytes) -> int:
    try:
        state.process.descriptor(1).write(data)
    except OSError as error:
        state.shell.complain(state, f"echo: write error: {error.strerror}")
        return 1
    return 0


def _succeed(words: WordCompiler, node: SimpleCommand) -> Inline | None:
    return (lambda state: 0) if len(node.words) == 1 else None


def _fail(words: WordCompiler, node: SimpleCommand) -> Inline | None:
    return (lambda state: 1) if len(node.words) == 1 else None


_COMPARE: dict[str, Callable[[int, int], bool]] = {
    "-eq": operator.eq, "-ne": operator.ne, "-lt": operator.lt, "-le": operator.le, "-gt": operator.gt, "-ge": operator.ge,
}  # fmt: skip


def _bracket(words: WordCompiler, node: SimpleCommand) -> Inline | None:
    """``[ A OP B ]`` with an integer comparison, ``=`` or ``!=``; -z and -n of one argument."""
    last = node.words[-1]
    if isinstance(last, Assignment) or words.constant(last) != "]":
        return None
    operands = node.words[1:-1]
    if not all(isinstance(word, Word) and _has_no_effect(word) for word in operands):
        return None
    plain = [word for word in operands if isinstance(word, Word)]
    if len(plain) == 3:
        return _binary(words, plain)
    if len(plain) == 2 and words.constant(plain[0]) in ("-z", "-n"):
        return _unary(words, words.constant(plain[0]) == "-z", plain[1])
    return None


def _has_no_effect(word: Word) -> bool:
    """Tell whether expanding a word twice is the same as expanding it once."""
    parts = [part for top in word.parts for part in (top.parts if isinstance(top, DoubleQuoted) else (top,))]
    return all(
        not isinstance(part, ParameterExpansion)
        or (part.operator is None and not part.prefix and part.subscript is None)
        for part in parts
    ) and not any(type(part).__name__ in _EFFECTS for part in parts)


_EFFECTS = frozenset(
    (
        "CommandSubstitution",
        "Backquoted",
        "ArithmeticExpansion",
        "ProcessSubstitution",
        "ExtendedPattern",
        "BadSubstitution",
    )
)


def _binary(words: WordCompiler, plain: list[Word]) -> Inline | None:
    sign = words.constant(plain[1])
    left, right = words.fields(plain[0]), words.fields(plain[2])
    if sign in ("=", "==", "!="):
        return _equal(left, right, sign != "!=")
    compare = _COMPARE.get(sign or "")
    if compare is None:
        return None
    decide = compare
    constant = words.constant(plain[2])
    if constant is not None and constant.isdigit() and constant.isascii() and len(constant) < 19:
        return _with_number(words, plain[0], decide, int(constant))

    def run(state: State) -> int | None:
        a, b = left(state), right(state)
        if len(a) != 1 or len(b) != 1 or not (a[0].isdigit() and b[0].isdigit()):
            return None
        if not (a[0].isascii() and b[0].isascii()) or len(a[0]) > 18 or len(b[0]) > 18:
            return None
        return 0 if decide(int(a[0]), int(b[0])) else 1

    return run


def _with_number(words: WordCompiler, word: Word, decide: Callable[[int, int], bool], number: int) -> Inline:
    name = _plain_variable(word)
    if name is not None:
        return _variable_with_number(name, decide, number)
    left = words.fields(word)

    def run(state: State) -> int | None:
        fields = left(state)
        if len(fields) != 1:
            return None
        text = fields[0]
        if not text.isdigit() or len(text) > 18 or not text.isascii():
            return None
        return 0 if decide(int(text), number) else 1

    return run


def _plain_variable(word: Word) -> str | None:
    """Return the name when a word is ``$name`` or ``"$name"`` and nothing else."""
    if len(word.parts) != 1:
        return None
    part = word.parts[0]
    if isinstance(part, DoubleQuoted) and len(part.parts) == 1:
        part = part.parts[0]
    if not isinstance(part, ParameterExpansion) or not (part.name[0].isalpha() or part.name[0] == "_"):
        return None
    return part.name if part.name != "_" else None


def _variable_with_number(name: str, decide: Callable[[int, int], bool], number: int) -> Inline:
    def run(state: State) -> int | None:
        values = state.values
        text = values.get(name)
        known = NUMBERS.get(text)  # type: ignore[arg-type]
        if known is not None and known >= 0 and values.get("IFS") == DEFAULT_IFS:
            return 0 if decide(known, number) else 1
        # digits are neither split nor globbed, unless IFS has digits
        if text.__class__ is not str or not text.isdigit() or values.get("IFS") != DEFAULT_IFS:
            return None
        if len(text) > 18 or not text.isascii():
            return None
        return 0 if decide(int(text), number) else 1

    return run


def _equal(left: FieldsOf, right: FieldsOf, wanted: bool) -> Inline:
    def run(state: State) -> int | None:
        a, b = left(state), right(state)
        if len(a) != 1 or len(b) != 1:
            return None
        return 0 if (a[0] == b[0]) is wanted else 1

    return run


def _unary(words: WordCompiler, empty: bool, word: Word) -> Inline:
    operand = words.fields(word)

    def run(state: State) -> int | None:
        fields = operand(state)
        if len(fields) != 1:
            return None
        return 0 if (not fields[0]) is empty else 1

    return run


INLINE: dict[str, Callable[[WordCompiler, SimpleCommand], Inline | None]] = {
    ":": _succeed,
    "[": _bracket,
    "echo": _echo,
    "false": _fail,
    "local": inline_local,
    "return": inline_return,
    "true": _succeed,
}
