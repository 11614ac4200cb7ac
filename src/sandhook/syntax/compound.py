"""name=( ... ) and the three expressions of ``for (( ; ; ))``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sandhook.syntax.nodes import ArrayElement, ArrayLiteral, Literal, Word, WordPart
from sandhook.syntax.words import merged

if TYPE_CHECKING:
    from sandhook.syntax.lexer import Lexer


def read_array(lexer: Lexer, start: int) -> ArrayLiteral | Word:
    """Read a compound assignment's value, whose "(" is at ``start``.

    When the word goes on behind the ")", as in ``a=(1)b``, the whole is an ordinary value.
    """
    array = _read_array(lexer, start)
    rest = lexer.read_word_parts(lexer.extglob)
    if not rest:
        return array
    text = lexer.text[start : array.span[1]]
    return Word(merged([Literal(text), *rest]), (start, lexer.position))


def _read_array(lexer: Lexer, start: int) -> ArrayLiteral:
    text = lexer.text
    lexer.enter()
    lexer.position = start + 1
    elements: list[Word | ArrayElement] = []
    while True:
        at = lexer.skip_blanks()
        if at >= lexer.length:
            lexer.unmatched(")", start)
        char = text[at]
        if char == ")":
            lexer.position = at + 1
            lexer.depth -= 1
            return ArrayLiteral(tuple(elements), (start, at + 1))
        if char == "\n":
            lexer.end_line(at)
        elif char == "#":
            lexer.position = text.find("\n", at)
        elif char in ";&|(" or (char in "<>" and not text.startswith("(", at + 1)):
            lexer.unexpected_operator(at)
        else:
            elements.append(_read_element(lexer, at))


def _read_element(lexer: Lexer, at: int) -> Word | ArrayElement:
    if lexer.text[at] == "[":
        lexer.position = at + 1
        parts = lexer.read_balanced("[", "]", at)
        after = lexer.position
        append = lexer.text.startswith("+=", after)
        if append or lexer.text[after] == "=":
            lexer.position = begin = after + 1 + append
            value = Word(lexer.read_word_parts(lexer.extglob), (begin, lexer.position))
            return ArrayElement(Word(merged(parts), (at + 1, after - 1)), value, append)
        rest = lexer.read_word_parts(lexer.extglob)
        return Word(merged([Literal("["), *parts, Literal("]"), *rest]), (at, lexer.position))
    lexer.position = at
    return Word(lexer.read_word_parts(lexer.extglob), (at, lexer.position))


def read_arithmetic_for(lexer: Lexer, start: int, expression: Word) -> tuple[Word, Word, Word]:
    """Split at the semicolons; bash wants exactly two."""
    found: list[list[WordPart]] = [[]]
    for part in expression.parts:
        if part.__class__ is not Literal:
            found[-1].append(part)
            continue
        first, *others = part[0].split(";")
        if first:
            found[-1].append(Literal(first))
        found.extend([Literal(text)] if text else [] for text in others)
    if len(found) != 3:
        problem = "arithmetic expression required" if len(found) < 3 else "`;' unexpected"
        lexer.fail(f"syntax error: {problem}", (start, lexer.position), token="((")
    init, condition, update = (Word(_trimmed(parts), expression.span) for parts in found)
    return init, condition, update


def _trimmed(parts: list[WordPart]) -> tuple[WordPart, ...]:
    """Drop the blanks in front, as bash does when it prints the command."""
    if parts and parts[0].__class__ is Literal:
        text = parts[0][0].lstrip(" \t\n")
        return (Literal(text), *parts[1:]) if text else tuple(parts[1:])
    return tuple(parts)
