"""sub, gsub and gensub.

Source: POSIX.1-2024 XCU 3, awk, "string functions"; gawk 5.2 manual, "More about '\\' and '&'".
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from sandhook.utilities.languages.awk.compile import Compiler
from sandhook.utilities.languages.awk.expressions import Node
from sandhook.utilities.languages.awk.program import Run
from sandhook.utilities.languages.awk.runtime import LARGE, Runtime
from sandhook.utilities.languages.awk.values import to_number

_RECORD: Node = ("field", ("num", 0.0))
_PIECES = 4_096  #: pieces of a result that are kept before they are joined
Part = bytes | int  #: text, or the number of a group


@lru_cache(maxsize=256)
def _replacement(text: str) -> tuple[Part, ...]:
    """Take a replacement of sub apart: before ``&``, two backslashes are one, and one more makes it an ampersand."""
    parts: list[Part] = []
    out: list[str] = []
    pieces = text.split("&")
    for piece in pieces[:-1]:
        plain = piece.rstrip("\\")
        escapes, quotes = divmod(len(piece) - len(plain), 2)
        out.append(plain + "\\" * escapes)
        if quotes:
            out.append("&")
        else:
            _end(parts, out)
            parts.append(0)
    out.append(pieces[-1])
    _end(parts, out)
    return tuple(parts)


@lru_cache(maxsize=256)
def _general(text: str) -> tuple[Part, ...]:
    """Take a replacement of gensub apart: ``\\N`` is a group, ``&`` and ``\\0`` the match."""
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


def _replace_literal(
    rt: Runtime, literal: str, parts: tuple[Part, ...], subject: str, which: int
) -> tuple[str, int]:
    """The quick way for an expression that stands for itself."""
    count = subject.count(literal)
    if count < max(which, 1):
        return subject, 0
    pieces = [
        part.decode("utf-8", "surrogateescape") if isinstance(part, bytes) else literal if part == 0 else ""
        for part in parts
    ]
    new = "".join(pieces)
    rt.budget.charge(1 + (len(subject) >> 8))
    if which > 1:
        before = literal.join(subject.split(literal, which)[:which])
        return before + new + subject[len(before) + len(literal) :], 1
    if which:
        count = 1
    size = len(subject) + count * (len(new) - len(literal))
    if size > LARGE:
        rt.grow(size)
    return subject.replace(literal, new, count), count


def _replace(
    rt: Runtime, regex: object, parts: tuple[Part, ...], subject: str, which: int
) -> tuple[str, int]:
    """Replace match number ``which``, or all (0); return the text and how many were replaced."""
    from sandhook.utilities.languages.awk.regex import Pattern

    assert isinstance(regex, Pattern)
    if regex.literal:
        return _replace_literal(rt, regex.literal, parts, subject, which)
    data = subject.encode("utf-8", "surrogateescape")
    budget = rt.budget
    budget.charge(len(data) >> 8)
    pieces: list[bytes] = []
    done: list[bytes] = []
    at = size = count = seen = 0
    for found in regex.every(data) if which > 1 else regex.regex.finditer(data):
        seen += 1
        if which and seen != which:
            continue
        budget.slice_left -= 1
        if budget.slice_left < 0:
            budget.next_slice()
        start, end = found.spans[0]
        pieces.append(data[at:start])
        for part in parts:
            if isinstance(part, bytes):
                piece = part
            else:
                piece = (found.group(part) or b"") if part < len(found.spans) else b""
            size += len(piece)
            pieces.append(piece)
        if len(pieces) > _PIECES:  # a list takes more than the text in it
            done.append(b"".join(pieces))
            pieces = []
        if size > LARGE:
            budget.check_fits(size + len(data))
        at = end
        count += 1
        if which:
            break
    if not count:
        return subject, 0
    return b"".join([*done, *pieces, data[at:]]).decode("utf-8", "surrogateescape"), count


def _fixed(compiler: Compiler, args: list[Node]) -> tuple[str, str] | None:
    """Return what is replaced by what, when the program says both as plain text."""
    expression, new = args[0], args[1]
    if expression[0] != "ere" or new[0] != "str" or len(new[1]) > 64 or not set("&\\").isdisjoint(new[1]):
        return None
    literal = compiler.constant(expression[1]).literal
    return (literal, str(new[1])) if literal else None


#: What finds an element or a field: its text, and what stores another.
Place = Callable[[Runtime], tuple[str, Callable[[str], None]]]


def _place(compiler: Compiler, target: Node) -> Place:
    """Compile an element or a field so that its subscript is worked out once; it is there from then on."""
    if target[0] == "field":
        index = compiler.number(target[1])

        def field(rt: Runtime) -> tuple[str, Callable[[str], None]]:
            number = index(rt)
            return rt.reached(number), lambda result: rt.set_field(number, result)

        return field
    array, key = compiler.array(target[1]), compiler.key(target[2])

    def element(rt: Runtime) -> tuple[str, Callable[[str], None]]:
        found, subscript = array(rt), key(rt)
        if subscript not in found:
            rt.store(found, subscript, None)
        return rt.text(found.get(subscript)), lambda result: rt.store(found, subscript, result)

    return element


def _sub_in_place(regex: Run, replacement: Run, place: Place, which: int) -> Run:
    def sub(rt: Runtime) -> float:
        expression = regex(rt)
        wanted = replacement(rt)
        parts = _replacement(wanted) if len(wanted) < 1_024 else _replacement.__wrapped__(wanted)
        subject, put = place(rt)
        result, count = _replace(rt, expression, parts, subject, which)
        if count:
            put(result)
        return float(count)

    return sub


def _sub(which: int) -> Callable[[Compiler, list[Node]], Run]:
    def compile_(compiler: Compiler, args: list[Node]) -> Run:
        regex, replacement = compiler.regex(args[0]), compiler.text(args[1])
        target = args[2] if len(args) > 2 else _RECORD
        while target[0] == "paren":
            target = target[1]
        if target[0] == "index" or (target[0] == "field" and target != _RECORD):
            return _sub_in_place(regex, replacement, _place(compiler, target), which)
        text = compiler.text(target)
        put = compiler.setter(target) if target[0] in ("name", "field") else None

        def sub(rt: Runtime) -> float:
            expression = regex(rt)
            wanted = replacement(rt)
            parts = _replacement(wanted) if len(wanted) < 1_024 else _replacement.__wrapped__(wanted)
            result, count = _replace(rt, expression, parts, text(rt), which)
            if count and put is not None:
                put(rt, result)
            return float(count)

        fixed = _fixed(compiler, args)
        if fixed is None or put is None:
            return sub
        literal, new = fixed
        store = put
        if target == _RECORD:

            def sub_record(rt: Runtime) -> float:
                """The most usual case of all: plain text in the record."""
                subject = rt.rebuild() if rt.dirty else rt.record
                if rt.icase or len(subject) > LARGE:
                    return sub(rt)
                if literal not in subject:
                    return 0.0
                rt.fields = None
                if which:
                    rt.record = subject.replace(literal, new, 1)
                    return 1.0
                rt.record = subject.replace(literal, new)
                return float(subject.count(literal))

            return sub_record

        def sub_fixed(rt: Runtime) -> float:
            """Plain text for plain text, the usual case, in one step."""
            subject: str = text(rt)
            if literal not in subject and not rt.icase:
                return 0.0
            if rt.icase or len(subject) > LARGE:
                return sub(rt)
            if which:
                store(rt, subject.replace(literal, new, 1))
                return 1.0
            count = subject.count(literal)
            store(rt, subject.replace(literal, new))
            return float(count)

        return sub_fixed

    return compile_


def _gensub(compiler: Compiler, args: list[Node]) -> Run:
    regex, replacement, how = compiler.regex(args[0]), compiler.text(args[1]), compiler.value(args[2])
    text = compiler.text(args[3] if len(args) > 3 else _RECORD)

    def gensub(rt: Runtime) -> str:
        expression = regex(rt)
        wanted = replacement(rt)
        parts = _general(wanted) if len(wanted) < 1_024 else _general.__wrapped__(wanted)
        which = how(rt)
        number = (
            0
            if isinstance(which, str) and which[:1] in ("g", "G")
            else int(max(1.0, min(to_number(which), 1e9)))
        )
        return _replace(rt, expression, parts, text(rt), number)[0]

    return gensub


SUB, GSUB, GENSUB = _sub(1), _sub(0), _gensub
