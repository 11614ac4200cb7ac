"""sub, gsub and gensub.

Source: POSIX.1-2024 XCU 3, awk, "string functions"; gawk 5.2 manual, "More about '\\' and '&'".
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import TypeAlias

from sandhook.utilities.languages.awk.compile.arrays import compile_array, compile_key
from sandhook.utilities.languages.awk.compile.assignments import compile_store
from sandhook.utilities.languages.awk.compile.conditions import compile_regex, constant_pattern
from sandhook.utilities.languages.awk.compile.protocol import Compiler
from sandhook.utilities.languages.awk.nodes import (
    LVALUES,
    RECORD,
    Element,
    Ere,
    Expression,
    Field,
    Grouping,
    String,
)
from sandhook.utilities.languages.awk.program import Store, ToNumber, ToText
from sandhook.utilities.languages.awk.regex import Pattern
from sandhook.utilities.languages.awk.runtime import Runtime
from sandhook.utilities.languages.awk.special import LARGE
from sandhook.utilities.languages.awk.values import to_number

_PIECES = 4_096  #: pieces of a result that are collected before they are joined
_MAX_CACHED_LENGTH = 1_024  #: characters of the longest replacement that is cached
Part: TypeAlias = bytes | int  #: of a replacement: text, or the number of a group

# --------------------------------------------------------------------------- replacements


@lru_cache(maxsize=256)
def _sub_parts(text: str) -> tuple[Part, ...]:
    """Parse a replacement of sub: before ``&`` two backslashes mean one, and a single one makes ``&`` literal."""
    parts: list[Part] = []
    out: list[str] = []
    pieces = text.split("&")
    for piece in pieces[:-1]:
        stripped = piece.rstrip("\\")
        escapes, quotes = divmod(len(piece) - len(stripped), 2)
        out.append(stripped + "\\" * escapes)
        if quotes:
            out.append("&")
        else:
            _end(parts, out)
            parts.append(0)
    out.append(pieces[-1])
    _end(parts, out)
    return tuple(parts)


@lru_cache(maxsize=256)
def _gensub_parts(text: str) -> tuple[Part, ...]:
    """Parse a replacement of gensub: ``\\N`` is a group, ``&`` and ``\\0`` are the match."""
    parts: list[Part] = []
    out: list[str] = []
    at = 0
    while at < len(text):
        char = text[at]
        following = text[at + 1 : at + 2]
        if char == "\\" and following and following in "0123456789":
            _end(parts, out)
            parts.append(int(following))
            at += 2
        elif char == "\\" and following:
            out.append(following)
            at += 2
        elif char == "&":
            _end(parts, out)
            parts.append(0)
            at += 1
        else:
            out.append(char)
            at += 1
    _end(parts, out)
    return tuple(parts)


def _end(parts: list[Part], out: list[str]) -> None:
    if any(out):
        parts.append("".join(out).encode("utf-8", "surrogateescape"))
        out.clear()


# --------------------------------------------------------------------------- matches


def _replace_literal(
    rt: Runtime, regex: Pattern, parts: tuple[Part, ...], subject: str, which: int
) -> tuple[str, int]:
    """Replace a literal text, which needs no regular expression."""
    literal = regex.literal or ""
    count = subject.count(literal)
    if count < max(which, 1):
        return subject, 0
    pieces = [
        regex.decode(part) if isinstance(part, bytes) else literal if part == 0 else "" for part in parts
    ]
    new = "".join(pieces)
    rt.budget.charge(1 + (len(subject) >> 8))
    if which > 1:
        head = literal.join(subject.split(literal, which)[:which])
        return head + new + subject[len(head) + len(literal) :], 1
    if which:
        count = 1
    size = len(subject) + count * (len(new) - len(literal))
    if size > LARGE:
        rt.grow(size)
    return subject.replace(literal, new, count), count


def _replace(
    rt: Runtime, regex: Pattern, parts: tuple[Part, ...], subject: str, which: int
) -> tuple[str, int]:
    """Replace match number ``which``, or all (0); return the text and how many were replaced."""
    if regex.literal:
        return _replace_literal(rt, regex, parts, subject, which)
    data = subject.encode("utf-8", "surrogateescape")
    budget = rt.budget
    budget.charge(len(data) >> 8)
    pieces: list[bytes] = []
    blocks: list[bytes] = []
    at = size = count = match_number = 0
    for match in regex.every(data) if which > 1 else regex.regex.finditer(data):
        match_number += 1
        if which and match_number != which:
            continue
        budget.slice_left -= 1
        if budget.slice_left < 0:
            budget.next_slice()
        start, end = match.spans[0]
        pieces.append(data[at:start])
        for part in parts:
            if isinstance(part, bytes):
                piece = part
            else:
                piece = (match.group(part) or b"") if part < len(match.spans) else b""
            size += len(piece)
            pieces.append(piece)
        if len(pieces) > _PIECES:  # a list of short pieces takes more memory than their text
            blocks.append(b"".join(pieces))
            pieces = []
        if size > LARGE:
            budget.check_fits(size + len(data))
        at = end
        count += 1
        if which:
            break
    if not count:
        return subject, 0
    return b"".join([*blocks, *pieces, data[at:]]).decode(regex.codec, "surrogateescape"), count


def _cached_sub_parts(text: str) -> tuple[Part, ...]:
    """Return the parts of a replacement of sub, from the cache for a short one."""
    return _sub_parts(text) if len(text) < _MAX_CACHED_LENGTH else _sub_parts.__wrapped__(text)


# --------------------------------------------------------------------------- sub and gsub

_Arguments: TypeAlias = Sequence[Expression]
#: Finds an element or a field. Returns its text, and a function that replaces the text.
_Place: TypeAlias = Callable[[Runtime], tuple[str, Callable[[str], None]]]


def sub(compiler: Compiler, arguments: _Arguments) -> ToNumber:
    """Compile sub(ere, replacement [, target])."""
    return _substitute(compiler, arguments, 1)


def gsub(compiler: Compiler, arguments: _Arguments) -> ToNumber:
    """Compile gsub(ere, replacement [, target])."""
    return _substitute(compiler, arguments, 0)


def _substitute(compiler: Compiler, arguments: _Arguments, which: int) -> ToNumber:
    """Compile sub (``which`` is 1) or gsub (0)."""
    target = arguments[2] if len(arguments) > 2 else RECORD
    while isinstance(target, Grouping):
        target = target.expression
    if isinstance(target, Element) or (isinstance(target, Field) and target != RECORD):
        return _substitute_in_place(compiler, arguments, _place(compiler, target), which)
    regex, replacement = compile_regex(compiler, arguments[0]), compiler.text(arguments[1])
    text = compiler.text(target)
    store = compile_store(compiler, target) if isinstance(target, LVALUES) else None

    def substitute(rt: Runtime) -> float:
        expression = regex(rt)
        parts = _cached_sub_parts(replacement(rt))
        result, count = _replace(rt, expression, parts, text(rt), which)
        if count and store is not None:
            store(rt, result)
        return float(count)

    literals = _literals(compiler, arguments)
    if literals is None or store is None:
        return substitute
    if target == RECORD:
        return _substitute_literal_in_record(*literals, which, substitute)
    return _substitute_literal(*literals, text, store, which, substitute)


def _place(compiler: Compiler, target: Element | Field) -> _Place:
    """Compile an element or a field whose subscript is evaluated once; an absent one is created."""
    if isinstance(target, Field):
        index = compiler.number(target.number)

        def field(rt: Runtime) -> tuple[str, Callable[[str], None]]:
            number = index(rt)
            return rt.create_field(number), lambda result: rt.set_field(number, result)

        return field
    array, key = compile_array(compiler, target.array), compile_key(compiler, target.subscripts)

    def element(rt: Runtime) -> tuple[str, Callable[[str], None]]:
        elements, subscript = array(rt), key(rt)
        if subscript not in elements:
            rt.store(elements, subscript, None)
        return rt.text(elements.get(subscript)), lambda result: rt.store(elements, subscript, result)

    return element


def _substitute_in_place(compiler: Compiler, arguments: _Arguments, place: _Place, which: int) -> ToNumber:
    regex, replacement = compile_regex(compiler, arguments[0]), compiler.text(arguments[1])

    def substitute(rt: Runtime) -> float:
        expression = regex(rt)
        parts = _cached_sub_parts(replacement(rt))
        subject, store = place(rt)
        result, count = _replace(rt, expression, parts, subject, which)
        if count:
            store(result)
        return float(count)

    return substitute


# --------------------------------------------------------------------------- literal text for literal text


def _literals(compiler: Compiler, arguments: _Arguments) -> tuple[str, str] | None:
    """Return the text and its replacement when both are constant and literal, else None."""
    ere, new = arguments[0], arguments[1]
    if not isinstance(ere, Ere) or not isinstance(new, String):
        return None
    if len(new.value) > 64 or not set("&\\").isdisjoint(new.value):
        return None
    literal = constant_pattern(compiler, ere.source).literal
    return (literal, str(new.value)) if literal else None


def _substitute_literal_in_record(literal: str, new: str, which: int, general: ToNumber) -> ToNumber:
    """Compile the most frequent substitution; ``general`` is for long records and IGNORECASE."""

    def substitute(rt: Runtime) -> float:
        subject = rt.rebuild() if rt.dirty else rt.record
        if rt.icase or len(subject) > LARGE:
            return general(rt)
        if literal not in subject:
            return 0.0
        rt.fields = None
        rt.record_is_string = True
        if which:
            rt.record = subject.replace(literal, new, 1)
            return 1.0
        rt.record = subject.replace(literal, new)
        return float(subject.count(literal))

    return substitute


def _substitute_literal(
    literal: str, new: str, text: ToText, store: Store, which: int, general: ToNumber
) -> ToNumber:
    """Compile a substitution in a variable; ``general`` is for long texts and IGNORECASE."""

    def substitute(rt: Runtime) -> float:
        subject = text(rt)
        if literal not in subject and not rt.icase:
            return 0.0
        if rt.icase or len(subject) > LARGE:
            return general(rt)
        if which:
            store(rt, subject.replace(literal, new, 1))
            return 1.0
        count = subject.count(literal)
        store(rt, subject.replace(literal, new))
        return float(count)

    return substitute


# --------------------------------------------------------------------------- gensub


def gensub(compiler: Compiler, arguments: _Arguments) -> ToText:
    """Compile gensub(ere, replacement, how [, target])."""
    regex, replacement = compile_regex(compiler, arguments[0]), compiler.text(arguments[1])
    how = compiler.value(arguments[2])
    text = compiler.text(arguments[3] if len(arguments) > 3 else RECORD)
    line = compiler.line

    def substitute(rt: Runtime) -> str:
        expression = regex(rt)
        template = replacement(rt)
        parts = (
            _gensub_parts(template)
            if len(template) < _MAX_CACHED_LENGTH
            else _gensub_parts.__wrapped__(template)
        )
        which = how(rt)
        number = 0
        if not (isinstance(which, str) and which[:1] in ("g", "G")):
            count = to_number(which)
            number = int(max(1.0, min(count, 1e9)))
            if count < 1:
                rt.warn(f"gensub: third argument `{rt.text(which)}' treated as 1", line)
        return _replace(rt, expression, parts, text(rt), number)[0]

    return substitute
