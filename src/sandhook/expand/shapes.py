"""Words of common shapes: numbers, ``{1..100}``, and parts of an index."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sandhook.expand.parameter import CHOOSING
from sandhook.expand.reference import subscript_of
from sandhook.state.state import State
from sandhook.syntax.nodes import (
    ArithmeticExpansion,
    Backquoted,
    CommandSubstitution,
    Escaped,
    ExtendedPattern,
    Literal,
    ParameterExpansion,
    ProcessSubstitution,
    Redirection,
    SingleQuoted,
    Word,
    WordPart,
    is_text,
    walk,
)
from sandhook.text.fields import DEFAULT_IFS
from sandhook.text.names import is_ordinary
from sandhook.typed import TypeAlias

FieldsOf: TypeAlias = Callable[[State], "list[str]"]


def has_braces(word: Word) -> bool:
    """Return True when a word could have a brace expansion (cheap; with false positives)."""
    for part in word.parts:  # a loop: half the time of any(): it is asked for every word
        if part.__class__ is Literal and "{" in part.text:
            return True
        if part.__class__ is ExtendedPattern and any(map(has_braces, part.alternatives)):
            return True
    return False


def plain_number(text_of: Callable[[State], str | None], quoted: bool) -> Callable[[State], int | None]:
    """Return a closure for a text of digits alone; it returns None for any other text."""

    def number(state: State) -> int | None:
        text = text_of(state)
        if not text or len(text) > 18 or not (text.isdigit() and text.isascii()):
            return None
        if not quoted and state.values.get("IFS") != DEFAULT_IFS:  # it may have digits
            return None
        return int(text)

    return number


def unsplit(value: Callable[[State], int]) -> Callable[[State], int | None]:
    """Return a closure for an unquoted ``$((...))``; it returns None when IFS could split the value."""
    return lambda state: value(state) if state.values.get("IFS") == DEFAULT_IFS else None


def numbers(sequence: range, plain: FieldsOf) -> FieldsOf:
    """Return a closure for a word that is ``{1..100}``; ``plain`` is used without brace expansion."""
    step = sequence.step
    count = (sequence.stop - sequence.start + step - (1 if step > 0 else -1)) // step  # len() has bounds

    def run(state: State) -> list[str]:
        if "braceexpand" not in state.options.enabled:
            return plain(state)
        budget = state.budget
        if count > budget.limits.fields:
            budget.fail("fields")
        budget.charge(count)
        return list(map(str, sequence))

    return run


def unquoting(part: WordPart) -> WordPart:
    """Return a part of an index as it reads in double quotes."""
    if isinstance(part, SingleQuoted):
        return Literal(f"'{part.text}'")
    if isinstance(part, Escaped) and part.text not in '$`"\\':
        return Literal("\\" + part.text)
    return part


def names_list(part: ParameterExpansion) -> bool:
    """Return True when an expansion names a list."""
    return part.name in "@*" or subscript_of(part.subscript) is not None


def is_plain_variable(part: ParameterExpansion) -> bool:
    """Return True when an expansion is ``$name`` of a variable, without operators."""
    name = part.name
    return part.operator is None and not part.prefix and part.subscript is None and is_ordinary(name)


def is_positional(part: ParameterExpansion) -> bool:
    """Return True when an expansion is a positional parameter like ``$1``, without operators."""
    return part.operator is None and not part.prefix and part.subscript is None and part.name.isdigit()


def is_star(part: WordPart) -> bool:
    """Return True when an expansion is ``$*``, without operators."""
    return isinstance(part, ParameterExpansion) and part.name == "*" and not part.operator and not part.prefix


def may_be_no_field(part: WordPart) -> bool:
    """Return True for ``${!ref+word}``, which is no field, even in quotes, if ``ref`` names an empty list."""
    return isinstance(part, ParameterExpansion) and part.prefix == "!" and part.operator in ("+", ":+")


def is_list(part: WordPart) -> bool:
    """Return True when a part in quotes expands to any number of fields, including zero."""
    if not isinstance(part, ParameterExpansion) or part.prefix == "#":
        return False
    if part.prefix == "!":
        return part.operator not in CHOOSING
    return part.name == "@" or subscript_of(part.subscript) == "@"


def is_plain_reference(part: WordPart) -> bool:
    """Return True for ``${!name}`` and ``${!name%word}``, whose value decides whether it is a list."""
    return (
        isinstance(part, ParameterExpansion)
        and part.prefix == "!"
        and part.subscript is None
        and (part.operator not in ("*", "@") or part.word is not None)
        and is_ordinary(part.name)
    )


def names_all(target: str | None) -> bool:
    """Return True when the value of a reference names a list: ``@``, ``*``, ``a[@]``."""
    return target is not None and (target in ("@", "*") or target[-3:] in ("[@]", "[*]"))


def runs_commands(tree: object) -> bool:
    """Return True when the expansion of a tree could run a command; expanding data must not."""
    return any(
        isinstance(part, (CommandSubstitution, Backquoted, ProcessSubstitution)) for part in walk(tree)
    )


def may_assign(word: Word) -> bool:
    """Return True if the expansion of a word may assign a variable: ``${x=y}``, ``$((x=1))``."""
    return not is_text(word) and any(
        isinstance(part, ArithmeticExpansion)
        or (isinstance(part, ParameterExpansion) and part.operator in ("=", ":="))
        for part in walk(word)
    )


def sets_variables(redirections: Sequence[Redirection]) -> bool:
    """Return True if applying them may change variables: those of a subshell are applied in its process."""
    return any(node.variable is not None or may_assign(node.target) for node in redirections)
