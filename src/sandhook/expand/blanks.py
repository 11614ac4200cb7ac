"""How ``$*`` and similar lists are joined where nothing is split: in some words with blanks, even if IFS is empty.

Source: bash 5.2, which joins them with nothing in an assignment, and with blanks in the other words that it does not
split: that of an operator, and the value of a declaration (``declare x=$*``).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sandhook.expand.parameter import CHOOSING
from sandhook.expand.reference import Parameter, Text
from sandhook.expand.shapes import is_star
from sandhook.expand.special import join_values, separator
from sandhook.expand.tilde import has_tilde
from sandhook.state.state import State
from sandhook.syntax.nodes import Assignment, BadSubstitution, Literal, ParameterExpansion, Word, WordPart
from sandhook.typed import Protocol

_STAR = (Literal("*"),)
_ALL = Word((Literal("@"),))


class Words(Protocol):
    """The methods of ``text.TextCompiler`` that this file calls."""

    def string(self, word: Word, *, quoted: bool = False, assignment: bool = False) -> Text: ...

    def chosen_in_assignment(self, word: Word) -> Text: ...


def chosen(words: Words, word: Word, *, assignment: bool) -> Text:
    """Compile the word of an operator to one string.

    Args:
        assignment: The expansion is in the value of an assignment: outside POSIX mode, a tilde counts after each ":".
    """
    plain = _by_ifs(word, is_star, words.string)
    if not (assignment and _may_have_tilde(word)):
        return plain
    expanded = _by_ifs(word, is_star, words.chosen_in_assignment)
    return lambda state: (plain if state.options.posix else expanded)(state)


def _may_have_tilde(word: Word) -> bool:
    return has_tilde(word.parts, assignment=True) or any(
        isinstance(part, ParameterExpansion) and part.operator in CHOOSING for part in word.parts
    )


def declared(words: Words, node: Assignment, value: Word) -> Text:
    """Compile the value of an assignment that is an argument of a declaration; its messages show the name, too."""
    if any(isinstance(part, BadSubstitution) for part in value.parts):
        name = _left_side(node)
        parts = [
            part._replace(around=name + (part.around or part.text))
            if isinstance(part, BadSubstitution)
            else part
            for part in value.parts
        ]
        value = _with(value, parts)
    return _by_ifs(value, _is_joined, lambda word: words.string(word, assignment=True))


def _left_side(node: Assignment) -> str:
    from sandhook.syntax.wordprinter import word_text

    subscript = "" if node.subscript is None else f"[{word_text(node.subscript, lambda _: '')}]"
    return f"{node.name}{subscript}{'+=' if node.append else '='}"


def _by_ifs(word: Word, joins: Callable[[WordPart], bool], compiled: Callable[[Word], Text]) -> Text:
    plain = compiled(word)
    if not any(map(joins, word.parts)):
        return plain
    parts = [_with_blanks(part) if joins(part) else part for part in word.parts]
    blanks = compiled(_with(word, parts))

    def text(state: State) -> str:
        return (blanks if state.get("IFS") == "" else plain)(state)

    return text


def _with(word: Word, parts: Sequence[WordPart]) -> Word:
    return word._replace(parts=tuple(parts))


def _is_joined(part: WordPart) -> bool:
    """Return True for the lists of a declaration that bash joins with blanks: not ``${a[*]}`` and ``${a[*]^}``."""
    if not isinstance(part, ParameterExpansion):
        return False
    first = (part.operator or "")[:1]
    if part.name == "*" and part.subscript is None and not part.prefix:
        return part.operator not in CHOOSING and first not in ("^", ",", "~")
    if part.subscript is None or part.subscript.parts != _STAR:
        return False
    if part.prefix == "!":
        return part.operator is None
    return not part.prefix and (part.operator == ":" or (first != "" and first in "#%@"))


def _with_blanks(part: WordPart) -> WordPart:
    """Return a list of ``*`` as the list of ``@``, which is always joined with blanks."""
    assert isinstance(part, ParameterExpansion)
    if part.subscript is None:
        return part._replace(name="@")
    return part._replace(subscript=_ALL)


def joined_list(compiled: Parameter, *, quoted: bool, by_ifs: bool) -> Text:
    """Return the closure for a parameter as one string; ``by_ifs`` joins a list other than ``*`` with IFS."""
    read, values = compiled.value, compiled.values
    if read is not None:
        return lambda state: read(state) or ""
    if compiled.star or values is None or not (by_ifs or not quoted):
        return compiled.text
    if by_ifs:
        return lambda state: join_values(state, separator(state, True) or " ", values(state))
    return lambda state: join_values(state, " ", values(state))


def value_or_text(base: Parameter, choose: Text, nonempty: bool, quoted: bool) -> Text:
    """Return a closure for the value of a parameter that is set, else for what ``choose`` returns."""
    read = base.value
    if read is None:
        return lambda state: base.text(state) if base.is_set(state, nonempty, quoted) else choose(state)
    if nonempty:
        return lambda state: read(state) or choose(state)

    def value_or_text(state: State) -> str:
        text = read(state)  # once: the subscript may run commands
        return choose(state) if text is None else text

    return value_or_text
