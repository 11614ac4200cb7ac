"""The bodies of here-documents."""

from __future__ import annotations

from sandhook.expand.parameter import CHOOSING
from sandhook.expand.reference import subscript_of
from sandhook.expand.text import Text
from sandhook.expand.word import WordCompiler
from sandhook.syntax.nodes import DoubleQuoted, Literal, ParameterExpansion, Word, WordPart, renumbered


def compile_document(words: WordCompiler, body: Word, line: int) -> Text:
    """Compile a body. Its substitutions have the lines of the source from ``line`` on: bash does not print them."""
    words.in_document = True
    try:
        return words.string(renumbered(_joined_by_spaces(body), line), quoted=True)
    finally:
        words.in_document = False


def _joined_by_spaces(word: Word) -> Word:
    """Replace ``$*`` by ``$@``: bash joins with spaces here, whatever IFS is.

    It does so for an array that an operator changes and for the keys of an array, too, and in the words of
    ``-``, ``+`` and similar. ``^``, ``,``, ``~`` and ``/`` join with the first character of IFS.
    """
    return word._replace(parts=tuple(map(_part_joined_by_spaces, word.parts)))


def _part_joined_by_spaces(part: WordPart) -> WordPart:
    if isinstance(part, DoubleQuoted):
        return part._replace(parts=tuple(map(_part_joined_by_spaces, part.parts)))
    if not isinstance(part, ParameterExpansion) or (part.operator or " ")[0] in "^,~/":
        return part
    chooses = part.operator is not None and part.operator in CHOOSING
    if chooses and part.word is not None:
        part = part._replace(word=_joined_by_spaces(part.word))
    if part.name == "*" and part.subscript is None:
        return part._replace(name="@")
    changes_value = part.operator is not None and not chooses
    if (
        part.subscript is not None
        and subscript_of(part.subscript) == "*"
        and (changes_value or part.prefix == "!")
    ):
        return part._replace(subscript=part.subscript._replace(parts=(Literal("@"),)))
    return part
