"""Field splitting at IFS, for the words of a command and for the lines of ``read``.

Source: POSIX.1-2024 XCU 2.6.5 Field Splitting, XCU 3 read. Oracle: bash 5.2.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from sandhook.lazy import cache_texts, lazy_module
from sandhook.limits import PIECE, check_clock, timed_pieces
from sandhook.typed import TYPE_CHECKING

if TYPE_CHECKING:
    import re
else:
    re = lazy_module("re")

#: The value of an unset IFS, and the characters that are white space in IFS.
DEFAULT_IFS = " \t\n"

#: With more characters in IFS, those of each kind are replaced by one.
_MANY_DELIMITERS = 64


@cache_texts(64)
def _delimiter(ifs: str) -> re.Pattern[str]:
    """Return a pattern of one delimiter; group 1 is empty if the delimiter is only white space."""
    white = re.escape("".join(c for c in DEFAULT_IFS if c in ifs))
    other = re.escape("".join(c for c in ifs if c not in DEFAULT_IFS))
    if not other:
        return re.compile(f"[{white}]+()" if white else "(?!)")
    if not white:
        return re.compile(f"([{other}])")
    single = re.escape(
        "".join(c for c in ifs if c not in DEFAULT_IFS and len(c.encode("utf-8", "surrogateescape")) == 1)
    )
    if single == other:
        return re.compile(f"[{white}]*([{other}])[{white}]*|[{white}]+")
    # In bash, white space before a character of several bytes is a separate delimiter.
    before = f"[{white}]*(?=[{single}])" if single else "(?!)"
    return re.compile(f"(?:{before}|(?=[{other}]))([{other}])[{white}]*|[{white}]+")


def field_spans(text: str, ifs: str) -> Iterator[tuple[int, int, int]]:
    """Yield the start and the end of each field, and the end of its delimiter.

    White space before the first field belongs to no field. If the last field has no delimiter, both
    ends are the end of the text.
    """
    if len(ifs) > _MANY_DELIMITERS:
        text, ifs = _with_few_delimiters(text, ifs)
    position = 0
    for number, delimiter in enumerate(_delimiter(ifs).finditer(text)):
        if number & 1023 == 1023:
            check_clock()
        start, end = delimiter.span()
        if start > position or delimiter[1]:
            yield position, start, end
        position = end
    if position < len(text):
        yield position, len(text), len(text)


def _with_few_delimiters(text: str, ifs: str) -> tuple[str, str]:
    """Return a text of the same length and a short IFS that split at the same offsets: an expression of a million characters takes seconds to compile."""
    white = [c for c in DEFAULT_IFS if c in ifs]
    others = set(ifs).intersection(text).difference(DEFAULT_IFS)
    narrow = [ord(c) for c in others if len(c.encode("utf-8", "surrogateescape")) == 1]
    wide = [ord(c) for c in others if len(c.encode("utf-8", "surrogateescape")) > 1]
    table: dict[int, int] = {}
    for kind in (narrow, wide):
        if kind:
            white.append(chr(kind[0]))
            table.update(dict.fromkeys(kind, kind[0]))
    check_clock()
    return "".join([piece.translate(table) for piece in timed_pieces(text)]), "".join(white)


def split(text: str, ifs: str, escaped: Collection[int] = ()) -> list[str]:
    """Return all fields of a text.

    Args:
        text: The text to split.
        ifs: The delimiters; "" disables splitting.
        escaped: Offsets of characters that never separate.
    """
    if not ifs:
        return [text] if text else []
    if not escaped:
        if ifs == DEFAULT_IFS:
            if " " not in text and "\n" not in text and "\t" not in text:
                return [text] if text else []
            text = text.replace("\n", " ").replace("\t", " ")
            if len(text) > PIECE:
                return _split_long(text)
            return [field for field in text.split(" ") if field]
        if len(ifs) == 1 and ifs not in DEFAULT_IFS:
            fields = text.split(ifs)
            return fields if fields[-1] else fields[:-1]
    return [text[start:end] for start, end, _ in field_spans(_mask(text, escaped), ifs)]


def _split_long(text: str) -> list[str]:
    """Split at spaces, a piece at a time."""
    fields: list[str] = []
    at = 0
    while at < len(text):
        check_clock()
        end = text.find(" ", at + PIECE)
        end = len(text) if end < 0 else end
        fields += [field for field in text[at:end].split(" ") if field]
        at = end
    return fields


def split_for(count: int, text: str, ifs: str, escaped: Collection[int] = ()) -> list[str]:
    """Split a line for ``count`` variables of ``read``; missing fields are "".

    The last variable receives the rest: one field without its delimiter, or several fields with the
    delimiters between and after them, but without white space at the end.
    """
    if not ifs:
        return [text] + [""] * (count - 1)
    if not escaped:
        values_of_str_methods = _split_quickly(text, ifs, count)
        if values_of_str_methods is not None:
            return values_of_str_methods
    white = "".join([c for c in DEFAULT_IFS if c in ifs])
    masked = _mask(text, escaped).lstrip(white)
    text = text[len(text) - len(masked) :]
    values: list[str] = []
    for start, end, after in field_spans(masked, ifs):
        if len(values) == count - 1:
            if after < len(text):
                end = len(masked.rstrip(white))
            values.append(text[start:end])
            break
        values.append(text[start:end])
    return values + [""] * (count - len(values))


def _mask(text: str, escaped: Collection[int]) -> str:
    """Return the text with each escaped character replaced by NUL, which IFS cannot contain."""
    if not escaped:
        return text
    pieces: list[str] = []
    start = 0
    for number, offset in enumerate(sorted(escaped)):
        if number & 1023 == 1023:
            check_clock()
        pieces += (text[start:offset], "\0")
        start = offset + 1
    pieces.append(text[start:])
    return "".join(pieces)


def _split_quickly(text: str, ifs: str, count: int) -> list[str] | None:
    """Split with methods of str, if IFS is the default or one character; None for other cases."""
    if ifs == DEFAULT_IFS:
        if "\t" in text or "\n" in text:
            return None
        text = text.strip(" ")
        if "  " in text:
            values: list[str] = []
            while len(values) < count - 1:
                field, _, text = text.partition(" ")
                values.append(field)
                text = text.lstrip(" ")
            return [*values, text]
        values = text.split(" ", count - 1)
    elif len(ifs) == 1 and ifs not in DEFAULT_IFS:
        values = text.split(ifs, count - 1)
        if len(values) == count and values[-1].find(ifs) == len(values[-1]) - 1:
            values[-1] = values[-1][:-1]  # remove the delimiter of a single last field
    else:
        return None
    return values + [""] * (count - len(values))
