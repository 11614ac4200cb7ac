"""``"$ref"`` where ``ref`` refers to ``a[@]``: one field for each element, as for ``"${a[@]}"``."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sandhook.expand.fields import Fields
from sandhook.expand.text import Text
from sandhook.state.references import follow
from sandhook.state.state import State
from sandhook.syntax.nodes import DoubleQuoted, Literal, ParameterExpansion, Word, WordPart
from sandhook.text.names import is_ordinary
from sandhook.typed import Protocol, TypeAlias

_ALL = Word((Literal("@"),))


class Words(Protocol):
    """The method of ``word.WordCompiler`` that this file calls."""

    def fields(self, word: Word) -> Callable[[State], list[str]]: ...


Lists: TypeAlias = Callable[[State], "list[str] | None"]


def quoted_argument(words: Words, quoted: DoubleQuoted, text: Text) -> Callable[[State], str | list[str]]:
    """Compile quotes that are a whole word; the closure may return the only field as a string."""
    lists = _lists(words, quoted)
    if lists is None:
        return text
    lists_of = lists

    def run(state: State) -> str | list[str]:
        if state.namerefs:
            fields = lists_of(state)
            if fields is not None:
                return fields
        return text(state)

    return run


def only_name(word: Word) -> str | None:
    """Return the name of the variable if a word is ``"$name"`` or ``"${name}"``, None for other words."""
    part = word.parts[0] if len(word.parts) == 1 else None
    if isinstance(part, DoubleQuoted) and len(part.parts) == 1:
        part = part.parts[0]
        if isinstance(part, ParameterExpansion) and _is_plain(part._replace(braces=False)):
            return part.name
    return None


def quoted_word(words: Words, quoted: DoubleQuoted, text: Text) -> Callable[[State], list[str]]:
    """Compile quotes that are a whole word to fields."""
    lists = _lists(words, quoted)
    if lists is None:
        return lambda state: [text(state)]
    lists_of = lists

    def run(state: State) -> list[str]:
        if state.namerefs:
            fields = lists_of(state)
            if fields is not None:
                return fields
        return [text(state)]

    return run


def quoted_part(words: Words, quoted: DoubleQuoted, text: Text) -> Callable[[State, Fields], None]:
    """Compile quotes that are a part of a word."""
    lists = _lists(words, quoted)

    def run(state: State, fields: Fields) -> None:
        listed = lists(state) if lists is not None and state.namerefs else None
        if listed is None:
            fields.quoted(text(state))
            return
        for index, field in enumerate(listed):
            if index:
                fields.separate()
            fields.quoted(field)

    return run


def _lists(words: Words, quoted: DoubleQuoted) -> Lists | None:
    """Compile quotes for a state with references; None for quotes without a plain ``$name``.

    The closure returns None when no name refers to all elements. ``${name}`` in braces is one field, as in bash.
    """
    names = [part.name for part in quoted.parts if isinstance(part, ParameterExpansion) and _is_plain(part)]
    if not names:
        return None

    def run(state: State) -> list[str] | None:
        lists = {
            name: target[0]
            for name in names
            if (target := follow(state.namerefs, name)) is not None and target[1] == "@"
        }
        if not lists:
            return None
        return words.fields(Word((quoted._replace(parts=_with_lists(quoted.parts, lists)),)))(state)

    return run


def _with_lists(parts: Sequence[WordPart], lists: dict[str, str]) -> tuple[WordPart, ...]:
    return tuple(
        ParameterExpansion(lists[part.name], _ALL)
        if isinstance(part, ParameterExpansion) and _is_plain(part) and part.name in lists
        else part
        for part in parts
    )


def _is_plain(part: ParameterExpansion) -> bool:
    return (
        not (part.braces or part.prefix)
        and part.operator is None
        and part.subscript is None
        and is_ordinary(part.name)
    )
