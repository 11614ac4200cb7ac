"""Arithmetic expansion against bash: values, and which expressions are errors."""

from __future__ import annotations

from collections.abc import Iterable

from fuzz import real
from fuzz.compare import compare
from fuzz.pieces import Pieces, within

WORDS = (
    "**",
    "<<",
    ">>",
    "++",
    "--",
    "&&",
    "||",
    "?",
    ":",
    "<<=",
    "%=",
    "!=",
    "0x",
    "16#",
    "64#",
    "08",
    "~",
    "a=",
    ",",
)

#: Neither brackets nor dollar signs: a subscript can run a command, and this bash is the machine's.
_ALPHABET = "0123456789abxzAF+-*/%<>=!&|^~?:,()# \t@_"


def unavailable() -> str:
    return real.no_bash()


def seeds() -> Iterable[bytes]:
    yield from (
        *(
            b"1+2*3-(4)%3",
            b"2**10>>3",
            b"a=3,a++ + ++a",
            b"0x1F|010^2#101",
            b"1?2:3?4:5",
            b"-7/2",
            b"!a&&b||~1",
        ),
        *(b"9223372036854775807+1", b"x+=5,x<<=2", b"a---b", b"1<2==2>1", b"36#z,64#@,64#_"),
    )


def target(data: bytes) -> None:
    expression = within(Pieces(data).texts(1)[0], _ALPHABET)[:40]
    compare("number", expression)
