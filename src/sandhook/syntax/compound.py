"""Assignments, name=( ... ), and the three expressions of ``for (( ; ; ))``."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from sandhook.errors import ShellSyntaxError
from sandhook.syntax.nodes import ArrayElement, ArrayLiteral, Assignment, Literal, Word, WordPart
from sandhook.syntax.words import merged

if TYPE_CHECKING:
    from sandhook.syntax.lexer import Lexer


_SUBSTITUTION = re.compile(r"[<>]\(")
_BREAK = re.compile(r"[ \t\n;&|<>]")


def read_assignment(
    lexer: Lexer, name: str, at: int, blanks: bool, array: bool
) -> Assignment | tuple[WordPart, ...] | None:
    """Read what follows ``name`` at ``at``.

    Args:
        blanks: The subscript may hold blanks and operators.
        array: ``=(`` begins a compound assignment.

    Returns:
        The parts of a word when ``name[subscript]`` is no assignment, None when nothing was read.
    """
    text = lexer.text
    start = at - len(name)
    subscript = None
    if text[at] == "[":
        if blanks:
            lexer.position = opened = at + 1
            parts = lexer.read_balanced("[", "]", at, shifting=True)
            subscript = Word(merged(parts), (at + 1, lexer.position - 1))
            text, at = lexer.text, lexer.position
            if not text.startswith(("=", "+="), at):
                if any(part.__class__ is Literal and _SUBSTITUTION.search(part[0]) for part in parts):
                    lexer.position = opened  # no expression, so these are no operators
                    parts = lexer.read_balanced("[", "]", opened - 1)
                rest = lexer.read_word_parts(lexer.extglob)
                return merged([Literal(name + "["), *parts, Literal("]"), *rest])
        else:
            lexer.position = at + 1
            depth = lexer.depth
            try:
                parts = lexer.read_balanced("[", "]", at, shifting=True)
            except ShellSyntaxError:
                lexer.depth = depth
                return None
            if any(part.__class__ is Literal and _BREAK.search(part[0]) for part in parts):
                return None
            subscript = Word(merged(parts), (at + 1, lexer.position - 1))
            text, at = lexer.text, lexer.position
    append = text.startswith("+=", at)
    at += append
    if text[at] != "=":
        return None
    lexer.position = at = at + 1
    if array and text[at] == "(":
        value: Any = read_array(lexer, at)
    else:
        value = Word(lexer.read_word_parts(lexer.extglob), (at, lexer.position))
    return Assignment(name, value, subscript, append, (start, lexer.position))


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
    lexer.enter()
    lexer.position = start + 1
    elements: list[Word | ArrayElement] = []
    while True:
        at = lexer.skip_blanks()
        text = lexer.text
        if at >= lexer.length:
            lexer.unmatched(")", start, "array")
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
            lexer.unexpected_operator(at, "array")
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
        shown = lexer.text[start : lexer.position]
        lexer.fail(f"syntax error: {problem}", (start, lexer.position), token=shown)
    init, condition, update = (Word(_trimmed(parts), expression.span) for parts in found)
    return init, condition, update


def _trimmed(parts: list[WordPart]) -> tuple[WordPart, ...]:
    """Drop the blanks in front, as bash does when it prints the command."""
    if parts and parts[0].__class__ is Literal:
        text = parts[0][0].lstrip(" \t\n")
        return (Literal(text), *parts[1:]) if text else tuple(parts[1:])
    return tuple(parts)
