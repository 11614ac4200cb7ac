"""Tables as text: CSV and TSV, parsed row by row within bounds."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Sequence

from sandhook.formats import FormatError


def read_rows(
    lines: Iterable[str], *, delimiter: str = ",", quote: str = '"', empty: bool = False
) -> Iterator[list[str]]:
    """Yield the rows of a table (RFC 4180); empty lines are skipped, or with ``empty`` are rows without fields.

    Args:
        lines: Lines with their newlines; a quoted field may span several.

    Raises:
        FormatError: A quote that is not closed, or a field of more than 131072 characters.
    """
    reader = csv.reader(lines, delimiter=delimiter, quotechar=quote, strict=True)
    try:
        for row in reader:
            if row or empty:
                yield row
    except csv.Error as error:
        raise FormatError(f"line {reader.line_num}: {error}") from None


def write_row(fields: Sequence[str], *, delimiter: str = ",") -> str:
    """Return a row with its newline; fields are quoted where they must be."""
    return delimiter.join(_field(field, delimiter, alone=len(fields) == 1) for field in fields) + "\n"


def _field(text: str, delimiter: str, *, alone: bool) -> str:
    if (alone and not text) or any(c in text for c in (delimiter, '"', "\n", "\r")):
        return '"' + text.replace('"', '""') + '"'
    return text


def column_name(number: int) -> str:
    """Return the name of column ``number`` (from 0) of a table without names: a, b, ..., z, aa, ..."""
    text = ""
    number += 1
    while number:
        number, letter = divmod(number - 1, 26)
        text = chr(ord("a") + letter) + text
    return text
