"""Assignments, name=( ... ), and the three expressions of ``for (( ; ; ))``."""

from __future__ import annotations

import re

from sandhook.errors import ShellSyntaxError
from sandhook.record import new_record
from sandhook.syntax.nodes import ArrayElement, ArrayLiteral, Assignment, Literal, Word, WordPart
from sandhook.syntax.unexpected import unexpected_operator
from sandhook.syntax.words import WordReader, merged

_SUBSTITUTION = re.compile(r"[<>]\(")
_BREAK = re.compile(r"[ \t\n;&|<>]")


def read_assignment(
    reader: WordReader, name: str, at: int, blanks: bool, array: bool
) -> Assignment | tuple[WordPart, ...] | None:
    """Read what follows ``name`` at ``at``.

    Args:
        blanks: The subscript may hold blanks and operators.
        array: ``=(`` begins a compound assignment.

    Returns:
        The parts of a word when ``name[subscript]`` is not an assignment, None when nothing was read.
    """
    text = reader.text
    start = at - len(name)
    subscript = None
    if text[at] == "[":
        if blanks:
            reader.position = opened = at + 1
            parts = reader.read_balanced("[", "]", at, shifting=True)
            subscript = Word(merged(parts), (at + 1, reader.position - 1))
            text, at = _after_subscript(reader)
            if not text.startswith(("=", "+="), at):
                if any(part.__class__ is Literal and _SUBSTITUTION.search(part[0]) for part in parts):
                    reader.position = opened  # not an expression, so these are not operators
                    parts = reader.read_balanced("[", "]", opened - 1)
                rest = reader.read_word_parts(reader.extglob)
                return merged([Literal(name + "["), *parts, Literal("]"), *rest])
        else:
            reader.position = at + 1
            depth = reader.depth
            try:
                parts = reader.read_balanced("[", "]", at, shifting=True)
            except ShellSyntaxError:
                reader.depth = depth
                return None
            if any(part.__class__ is Literal and _BREAK.search(part[0]) for part in parts):
                return None
            subscript = Word(merged(parts), (at + 1, reader.position - 1))
            text, at = _after_subscript(reader)
    append = text.startswith("+=", at)
    at += append
    if text[at] != "=":
        return None
    reader.position = at = at + 1
    if array and text[at] == "\\":
        reader.unfold(at)
        text = reader.text
    if array and text[at] == "(":
        value: Word | ArrayLiteral = read_array(reader, at)
    else:
        value = new_record(Word, (reader.read_word_parts(reader.extglob), (at, reader.position)))
    return new_record(Assignment, (name, value, subscript, append, (start, reader.position)))


def _after_subscript(reader: WordReader) -> tuple[str, int]:
    """Return the text and the offset after ``]``, without the line continuations before ``=`` and ``+=``."""
    at = reader.position
    reader.unfold(at)
    if reader.text.startswith("+\\\n", at):
        reader.unfold(at + 1)
    return reader.text, at


def read_array(reader: WordReader, start: int) -> ArrayLiteral | Word:
    """Read a compound assignment's value, whose "(" is at ``start``.

    When the word continues after the ")", as in ``a=(1)b``, the whole is an ordinary value.
    """
    array = _read_array(reader, start)
    rest = reader.read_word_parts(reader.extglob)
    if not rest:
        return array
    text = reader.text[start : array.span[1]]
    return Word(merged([Literal(text), *rest]), (start, reader.position))


def _read_array(reader: WordReader, start: int) -> ArrayLiteral:
    reader.enter()
    reader.position = start + 1
    elements: list[Word | ArrayElement] = []
    while True:
        reader.count_piece()
        at = reader.skip_blanks()
        text = reader.text
        if at >= reader.length:
            reader.unmatched(")", start, "array")
        char = text[at]
        if char == ")":
            reader.position = at + 1
            reader.depth -= 1
            return ArrayLiteral(tuple(elements), (start, at + 1))
        if char == "\n":
            reader.end_line(at)
        elif char == "#":
            reader.position = text.find("\n", at)
        elif char in ";&|(" or (char in "<>" and not text.startswith("(", at + 1)):
            unexpected_operator(reader, at, "array")
        else:
            try:
                elements.append(_read_element(reader, at))
            except ShellSyntaxError as error:
                if error.incomplete:  # bash reports the open quote, and then the end of the text
                    error.where, error.repeats = "", "end"
                raise


def _read_element(reader: WordReader, at: int) -> Word | ArrayElement:
    if reader.text[at] == "[":
        reader.position = at + 1
        parts = reader.read_balanced("[", "]", at)
        _, after = _after_subscript(reader)
        append = reader.text.startswith("+=", after)
        if append or reader.text[after] == "=":
            reader.position = begin = after + 1 + append
            value = Word(reader.read_word_parts(reader.extglob), (begin, reader.position))
            return ArrayElement(Word(merged(parts), (at + 1, after - 1)), value, append)
        rest = reader.read_word_parts(reader.extglob)
        return Word(merged([Literal("["), *parts, Literal("]"), *rest]), (at, reader.position))
    reader.position = at
    return Word(reader.read_word_parts(reader.extglob), (at, reader.position))


def read_arithmetic_for(reader: WordReader, start: int, expression: Word) -> tuple[Word, Word, Word]:
    """Split at the semicolons, of which there must be two."""
    expressions: list[list[WordPart]] = [[]]
    for part in expression.parts:
        if part.__class__ is not Literal:
            expressions[-1].append(part)
            continue
        first, *others = part[0].split(";")
        if first:
            expressions[-1].append(Literal(first))
        expressions.extend([Literal(text)] if text else [] for text in others)
    if len(expressions) != 3:
        problem = "arithmetic expression required" if len(expressions) < 3 else "`;' unexpected"
        shown = reader.text[start : reader.position]
        reader.fail(f"syntax error: {problem}", (start, reader.position), token=shown, repeats="token")
    init, condition, update = (Word(_trimmed(parts), expression.span) for parts in expressions)
    return init, condition, update


def _trimmed(parts: list[WordPart]) -> tuple[WordPart, ...]:
    """Drop leading blanks, as bash does when it prints the command."""
    if parts and parts[0].__class__ is Literal:
        text = parts[0][0].lstrip(" \t")
        return (Literal(text), *parts[1:]) if text else tuple(parts[1:])
    return tuple(parts)
