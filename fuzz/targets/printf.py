"""The built-in ``printf`` against bash's: formats, escapes, numbers and quoting."""

from __future__ import annotations

import re
from collections.abc import Iterable

from fuzz import real
from fuzz.compare import compare
from fuzz.pieces import Pieces, within

WORDS = (
    "%s",
    "%d",
    "%5.2f",
    "%-5s|",
    "%05d",
    "%x",
    "%#o",
    "%q",
    "%b",
    "%c",
    "%%",
    "%e",
    "%+i",
    "\\x41",
    "\\u00e9",
    "\\0",
    "'a",
)

#: No "n", which assigns, no "(" and "T", which read the clock, and no "*", whose width is not bounded.
_ALPHABET = "%0123456789.-+# sdifexXouqbcgG\\atrvu'\"é$,|"


def unavailable() -> str:
    return real.no_bash()


def seeds() -> Iterable[bytes]:
    yield from (
        *(
            b"%s-%5s|%-5s|%.2s\0a\0bc\0def\0ghi",
            b'%d %i %u %x %#o\012\0-3\0"a\x000x1f\x008',
            b"%q %b\0a b\0c\\x41\\0101",
        ),
        *(
            b"%e %g %5.1f %+d\x001.5\x002e3\x003\x004",
            b"\\x41\\u00e9\\t%%%c\0abc",
            b"%s %s\\r\0only",
            b"%05d|%-05d|% d\x001\x002\x003",
        ),
    )


def target(data: bytes) -> None:
    texts = [within(text, _ALPHABET)[:24] for text in Pieces(data).texts(4)]
    if re.search(r"[0-9]{3}", texts[0]):
        return  # a width of megabytes is no test of formats
    compare("printf", *texts)
